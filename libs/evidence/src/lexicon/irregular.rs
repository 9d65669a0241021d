//! Irregular forms of Spanish verbs and of those made of them with a prefix ("obtener", "deshacer"), without accents.

use super::forms::infinitives;
use crate::tokens::{self, Map};
use std::sync::LazyLock;

/// Endings of the future and the conditional.
const FUTURE: &[&str] = &["e", "as", "a", "emos", "eis", "an", "ia", "ias", "iamos", "iais", "ian"];
/// Endings behind the stem of a preterite: "tuve", "tuviera".
const PAST: &[&str] = &[
    "e", "iste", "o", "imos", "isteis", "ieron", "iera", "ieras", "ieran", "ieramos", "ierais", "iese",
    "ieses", "iesen",
];
/// The same behind a j: "dijeron".
const PAST_J: &[&str] =
    &["e", "iste", "o", "imos", "isteis", "eron", "era", "eras", "eran", "eramos", "erais", "ese", "esen"];
/// Endings behind the stem of the first person: "tengo", "tenga".
const FIRST: &[&str] = &["o", "a", "as", "amos", "ais", "an"];

/// The end of an infinitive, a stem in its place, and the endings behind that.
const ROWS: &[(&str, &str, &[&str])] = &[
    ("tener", "tendr", FUTURE),
    ("tener", "tuv", PAST),
    ("tener", "teng", FIRST),
    ("tener", "tien", &["e", "es", "en"]),
    ("poder", "podr", FUTURE),
    ("poder", "pud", PAST),
    ("poder", "pudiendo", &[""]),
    ("saber", "sabr", FUTURE),
    ("saber", "sup", PAST),
    ("saber", "sep", &["a", "as", "an", "amos", "ais"]),
    ("querer", "querr", FUTURE),
    ("querer", "quis", PAST),
    ("querer", "quier", &["o", "e", "es", "en", "a", "as", "an"]),
    ("hacer", "har", FUTURE),
    ("hacer", "hic", PAST),
    ("hacer", "hizo", &[""]),
    ("hacer", "hag", FIRST),
    ("hacer", "hech", &["o", "a", "os", "as"]),
    ("decir", "dir", FUTURE),
    ("decir", "dij", PAST_J),
    ("decir", "dig", FIRST),
    ("decir", "dic", &["e", "es", "en", "iendo"]),
    ("decir", "dich", &["o", "a", "os", "as"]),
    ("salir", "saldr", FUTURE),
    ("salir", "salg", FIRST),
    ("venir", "vendr", FUTURE),
    (
        "venir",
        "vin",
        &["iste", "imos", "isteis", "ieron", "iera", "ieras", "ieran", "iese", "iesen", "iendo"],
    ),
    ("venir", "veng", FIRST),
    ("venir", "vien", &["e", "es", "en"]),
    ("poner", "pondr", FUTURE),
    ("poner", "pus", PAST),
    ("poner", "pong", FIRST),
    ("poner", "puest", &["o", "a", "os", "as"]),
    ("valer", "valdr", FUTURE),
    ("valer", "valg", FIRST),
    ("caber", "cabr", &["emos", "eis", "an", "ia", "ian"]),
    ("caber", "cup", PAST),
    ("caber", "quep", &["o", "a", "as", "an"]),
    ("andar", "anduv", PAST),
    ("traer", "traj", &["iste", "o", "imos", "isteis", "eron", "era", "eras", "eran", "ese", "esen"]),
    ("traer", "traig", FIRST),
    ("caer", "caig", FIRST),
    ("caer", "cay", &["o", "eron", "era", "eran", "endo"]),
    ("leer", "ley", &["o", "eron", "era", "eran", "endo"]),
    ("oir", "oig", FIRST),
    ("oir", "oy", &["e", "es", "en", "o", "eron", "endo"]),
    ("ducir", "duj", PAST_J),
    ("ducir", "duzc", FIRST),
    ("cer", "zc", FIRST),
    (
        "uir",
        "uy",
        &["o", "e", "es", "en", "a", "as", "an", "amos", "eron", "era", "eran", "ese", "esen", "endo"],
    ),
    ("volver", "vuelv", &["o", "e", "es", "en", "a", "as", "an"]),
    ("volver", "vuelt", &["o", "a", "os", "as"]),
    ("cribir", "crit", &["o", "a", "os", "as"]),
    ("abrir", "abiert", &["o", "a", "os", "as"]),
];

/// Forms that are read as nouns.
const NOUNS: &[&str] = &[
    "cabra",
    "cabras",
    "cupo",
    "impuesto",
    "impuestos",
    "puesta",
    "puestas",
    "puesto",
    "puestos",
    "repuesto",
    "repuestos",
    "vuelta",
    "vueltas",
];

/// Irregular forms with their infinitives.
static FORMS: LazyLock<Map<&str>> = LazyLock::new(|| {
    let mut forms = Map::default();
    for verb in infinitives() {
        let rows =
            ROWS.iter().filter_map(|(end, stem, endings)| Some((verb.strip_suffix(end)?, stem, endings)));
        for (prefix, stem, endings) in rows {
            let made = endings.iter().map(|ending| format!("{prefix}{stem}{ending}"));
            for form in made.filter(|form| !NOUNS.contains(&form.as_str())) {
                forms.entry(tokens::hash(&form)).or_insert(verb);
            }
        }
    }
    forms
});

/// The infinitive of an irregular form.
pub(super) fn infinitive(word: &str) -> Option<&'static str> {
    FORMS.get(&tokens::hash(word)).copied()
}

#[cfg(test)]
mod tests {
    #[test]
    fn irregular_forms_have_the_stem_of_their_infinitive() {
        use crate::language::Language;
        use crate::tokens::Tokenizer;

        let tokenizer = Tokenizer::new(Some(Language::Spanish));
        for (verb, forms) in [
            ("tener", "tienes tendras tuvisteis tengas"),
            ("obtener", "obtendria obtuviste obtengas"),
            ("hacer", "haremos hiciste hagamos hecho"),
            ("deshacer", "deshizo deshecho desharan"),
            ("proponer", "propuso propuesta propondra"),
            ("conducir", "condujo conduzcas"),
            ("convenir", "convendria conviniera"),
            ("incluir", "incluyes incluyera"),
            ("ofrecer", "ofrezcas"),
            ("recibir", "recibis recibiste recibire"),
            ("pagar", "pagais pagaste pagueis"),
            ("usar", "usarlo usarse usandolo"),
            ("guardar", "guardelos guardarlas"),
            ("quitar", "quitarselo"),
        ] {
            for form in forms.split(' ') {
                assert_eq!(tokenizer.stem(form), tokenizer.stem(verb), "{form}");
            }
        }
        for (noun, verb) in [
            ("impuestos", "imponer"),
            ("puntuales", "puntuar"),
            ("generales", "generar"),
            ("traje", "traer"),
            ("vino", "venir"),
        ] {
            assert_ne!(tokenizer.stem(noun), tokenizer.stem(verb), "{noun}");
        }
    }
}
