//! Words of one kind, of which a statement names one: days, colours, ordinals, formats. One for another is another statement.

use crate::tokens::{Map, hash};
use std::sync::LazyLock;

/// Sets of folded words, a line each; no two of a line say the same.
const SETS: &[&str] = &[
    "monday tuesday wednesday thursday friday saturday sunday",
    "mondays tuesdays wednesdays thursdays fridays saturdays sundays",
    "lunes martes miercoles jueves viernes sabado domingo",
    "lunes martes miercoles jueves viernes sabados domingos",
    "january february march april may june july august september october november december",
    "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    "nanoseconds microseconds milliseconds seconds minutes hours days weeks months quarters years decades",
    "nanosecond microsecond millisecond second minute hour day week month quarter year decade",
    "milisegundos segundos minutos horas dias semanas meses trimestres anos",
    "milisegundo segundo minuto hora dia semana mes trimestre ano",
    "ns us ms s min h",
    "bits bytes kilobytes megabytes gigabytes terabytes",
    "bit byte kilobyte megabyte gigabyte terabyte",
    "kb mb gb tb pb",
    "mm cm m km",
    "mg g kg",
    "spring summer autumn winter",
    "primavera verano otono invierno",
    "red green blue yellow orange purple pink brown black white grey violet amber",
    "rojo verde azul amarillo naranja morado marron negro blanco gris",
    "roja verde azul amarilla naranja morada marron negra blanca gris",
    "first second third fourth fifth sixth seventh eighth ninth tenth last",
    "primero segundo tercero cuarto quinto sexto septimo octavo ultimo",
    "primera segunda tercera cuarta quinta sexta septima octava ultima",
    "primer segundo tercer cuarto quinto sexto ultimo",
    "north south east west",
    "norte sur este oeste",
    "northern southern eastern western",
    "morning afternoon evening night noon midnight",
    "hourly daily weekly monthly quarterly yearly",
    "diario semanal mensual trimestral anual",
    "gzip brotli zstd lz4 snappy bzip2 deflate",
    "json yaml toml xml csv parquet avro protobuf msgpack",
    "md5 sha1 sha256 sha512 crc32 blake3 bcrypt argon2",
    "aes rsa des chacha20 blowfish",
    "tcp udp quic sctp icmp",
    "http ftp sftp ssh smtp imap telnet",
    "utf8 utf16 latin1 ascii",
    "postgres mysql sqlite mariadb oracle mongodb cassandra",
    "redis memcached etcd zookeeper consul",
    "kafka rabbitmq nats activemq",
    "linux windows macos android ios freebsd",
    "ubuntu debian fedora alpine centos",
    "python java ruby rust golang javascript typescript perl kotlin scala haskell",
    "chrome firefox safari edge opera",
    "aws azure gcp",
    "kernel userspace",
    "stdin stdout stderr",
    "debug info warning error fatal",
    "owner group others",
    "gold silver bronze copper iron steel aluminium zinc lead",
    "wood plastic glass metal rubber paper leather",
    "email sms fax telephone",
    "cash card cheque",
    "bus train tram plane ferry taxi",
    "kidney liver heart lung brain stomach",
    "wifi bluetooth ethernet usb",
    "alpha beta stable",
];

/// Words with the sets that they are in.
static MEMBERS: LazyLock<Map<Vec<usize>>> = LazyLock::new(|| {
    let mut members: Map<Vec<usize>> = Map::default();
    for (set, words) in SETS.iter().enumerate() {
        for word in words.split_whitespace() {
            members.entry(hash(word)).or_default().push(set);
        }
    }
    members
});

/// Whether two folded words are different members of one set.
pub(super) fn rivals(one: &str, two: &str) -> bool {
    if one == two {
        return false;
    }
    let (Some(mine), Some(theirs)) = (MEMBERS.get(&hash(one)), MEMBERS.get(&hash(two))) else { return false };
    mine.iter().any(|set| theirs.contains(set))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_of_a_set_are_rivals_and_others_are_not() {
        assert!(rivals("monday", "sunday") && rivals("gzip", "brotli") && rivals("tercera", "segunda"));
        assert!(!rivals("monday", "monday") && !rivals("monday", "red") && !rivals("table", "spoon"));
    }
}
