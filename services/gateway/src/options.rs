//! Settings of the gateway.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use assay_domain::{Code, Failure, Identity};

pub use crate::limits::RateOptions;
use crate::peer::Proxies;
pub use crate::sign_in::SignInOptions;
pub use crate::tokens::{Algorithm, JwtOptions};

/// Port of the gRPC listener unless told otherwise.
const GRPC: u16 = 7110;

/// Smallest size of a request head that can be demanded, in bytes.
const LEAST_HEAD_BYTES: usize = 8192;

/// Settings of the gateway. Times are in seconds and may have fractions.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Options {
    /// Address of the HTTP server; beyond loopback only with authentication.
    pub http: SocketAddr,
    /// Address of the gRPC listener; beyond loopback only with authentication. In `assay up` the top-level setting `grpc`
    /// replaces it.
    pub grpc: SocketAddr,
    /// Further host names of this server, with their ports. Without authentication they add to the loopback names. With
    /// authentication an empty list means any name.
    pub hosts: Vec<String>,
    /// Addresses and ranges of proxies whose `X-Forwarded-For` is believed, such as `10.0.0.0/8`.
    pub trusted_proxies: Vec<String>,
    /// Largest request head that is read, in bytes; at least 8192.
    pub head_bytes: usize,
    /// Largest body that is read, in bytes.
    pub body_bytes: usize,
    /// Longest time of a question, in seconds, at most 120.
    pub request_seconds: f64,
    /// Time a client has to send its header.
    pub header_read_seconds: f64,
    /// Time a client has to send its body.
    pub body_read_seconds: f64,
    /// Pause after which a silent event stream sends a comment.
    pub keep_alive_seconds: f64,
    /// Questions under way at the same time.
    pub concurrent_requests: usize,
    /// Most time a drain may take.
    pub drain_seconds: f64,
    /// Whether requests are logged: a line for each of a known caller, one a second for all strangers together.
    pub access_log: bool,
    /// Whether the log names principals; otherwise it has a pseudonym of each.
    pub access_log_names: bool,
    /// Folder of the evaluation runs that the console shows.
    pub runs: PathBuf,
    /// Tenant whose administrators see these runs; no other tenant does.
    pub runs_tenant: String,
    /// Who may come in.
    pub auth: AuthOptions,
    /// How much a caller may do; only with authentication.
    pub rates: RateOptions,
}

/// Settings of authentication. It is on where keys or tokens are configured.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct AuthOptions {
    /// File of API keys, written by `assay keys create`; read again when it changes.
    pub keys_file: PathBuf,
    /// Interval at which the files of keys are checked for changes, in seconds.
    pub reload_seconds: f64,
    /// Tokens of an identity provider.
    pub jwt: JwtOptions,
    /// Signing in to the console at that provider.
    pub sign_in: SignInOptions,
}

impl Default for AuthOptions {
    fn default() -> Self {
        Self {
            keys_file: PathBuf::new(),
            reload_seconds: 5.0,
            jwt: JwtOptions::default(),
            sign_in: SignInOptions::default(),
        }
    }
}

impl AuthOptions {
    /// Whether a request needs a credential.
    #[must_use]
    pub fn is_required(&self) -> bool {
        !self.keys_file.as_os_str().is_empty() || self.jwt.is_on()
    }
}

impl Default for Options {
    fn default() -> Self {
        Self {
            http: SocketAddr::from(([127, 0, 0, 1], crate::SPEC.port)),
            grpc: SocketAddr::from(([127, 0, 0, 1], GRPC)),
            hosts: Vec::new(),
            runs: "runs".into(),
            runs_tenant: Identity::local().tenant,
            trusted_proxies: Vec::new(),
            head_bytes: 65_536,
            body_bytes: 2 * 1024 * 1024,
            request_seconds: 60.0,
            header_read_seconds: 10.0,
            body_read_seconds: 10.0,
            keep_alive_seconds: 10.0,
            concurrent_requests: 256,
            drain_seconds: 10.0,
            access_log: true,
            access_log_names: false,
            auth: AuthOptions::default(),
            rates: RateOptions::default(),
        }
    }
}

impl Options {
    /// Refuses settings that cannot work or are not safe.
    ///
    /// # Errors
    /// `configuration` naming the setting.
    pub fn check(&self) -> Result<(), Failure> {
        let wrong = |field: &str, text: String| Err(Failure::new(Code::Configuration, text).field(field));
        for (field, address) in [("http", self.http), ("grpc", self.grpc)] {
            if !address.ip().is_loopback() && !self.auth.is_required() {
                let text = format!(
                    "the address {address} is not loopback, and without authentication everyone who reaches it would \
                     have every role; set auth.keys_file (`assay keys create` writes one) or auth.jwt, or listen on \
                     127.0.0.1"
                );
                return wrong(field, text);
            }
        }
        let (http, grpc) = (self.http, self.grpc);
        let everywhere = http.ip().is_unspecified() || grpc.ip().is_unspecified();
        if http.port() != 0 && http.port() == grpc.port() && (everywhere || http.ip() == grpc.ip()) {
            let text = format!("grpc is {grpc} and http is {http}; give each a port of its own");
            return wrong("grpc", text);
        }
        for (field, value) in [
            ("request_seconds", self.request_seconds),
            ("header_read_seconds", self.header_read_seconds),
            ("body_read_seconds", self.body_read_seconds),
            ("keep_alive_seconds", self.keep_alive_seconds),
            ("drain_seconds", self.drain_seconds),
            ("auth.reload_seconds", self.auth.reload_seconds),
        ] {
            if !(value > 0.0 && value <= 3600.0) {
                return wrong(
                    field,
                    format!("{field} is {value}; it must be above 0 and at most 3600 seconds"),
                );
            }
        }
        for (field, value, least) in [
            ("head_bytes", self.head_bytes, LEAST_HEAD_BYTES),
            ("body_bytes", self.body_bytes, 1),
            ("concurrent_requests", self.concurrent_requests, 1),
        ] {
            if value < least {
                return wrong(field, format!("{field} is {value}; it must be at least {least}"));
            }
        }
        if let Some(host) = self.hosts.iter().find(|host| host.parse::<http::uri::Authority>().is_err()) {
            return wrong(
                "hosts",
                format!("hosts has {host:?}; it takes names such as assay.example or host:7100"),
            );
        }
        Proxies::parse(&self.trusted_proxies)?;
        self.auth.jwt.check()?;
        self.auth.sign_in.check(self.auth.jwt.is_on() && self.auth.jwt.is_discovered())?;
        self.rates.check()
    }
}

/// Seconds as a duration; the value was checked.
pub(crate) fn seconds(value: f64) -> Duration {
    Duration::try_from_secs_f64(value).unwrap_or(Duration::from_secs(60))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn the_defaults_are_fine_and_loopback_only() {
        Options::default().check().unwrap();
        Options { http: "[::1]:0".parse().unwrap(), ..Options::default() }.check().unwrap();
    }

    #[test]
    fn two_listeners_cannot_share_a_port() {
        let at = |http: &str, grpc: &str| {
            let mut options = Options::default();
            (options.http, options.grpc) = (http.parse().unwrap(), grpc.parse().unwrap());
            options.auth.keys_file = "keys.toml".into();
            options.check()
        };
        at("127.0.0.1:0", "127.0.0.1:0").unwrap();
        at("127.0.0.1:7100", "127.0.0.2:7100").unwrap();
        for grpc in ["127.0.0.1:7100", "0.0.0.0:7100"] {
            assert_eq!(at("127.0.0.1:7100", grpc).unwrap_err().field, "grpc");
        }
    }

    #[test]
    fn an_address_beyond_loopback_needs_authentication() {
        let mut options = Options { http: "0.0.0.0:7100".parse().unwrap(), ..Options::default() };
        assert!(options.check().unwrap_err().message.contains("auth.keys_file"));
        options.auth.keys_file = "keys.toml".into();
        options.check().unwrap();
        options.auth = AuthOptions {
            jwt: JwtOptions {
                issuer: "i".into(),
                audience: "a".into(),
                keys_file: "k".into(),
                ..JwtOptions::default()
            },
            ..AuthOptions::default()
        };
        options.check().unwrap();
        options.auth.jwt.audience.clear();
        assert_eq!(options.check().unwrap_err().field, "auth.jwt.audience");
    }

    #[test]
    fn names_proxies_and_rates_are_checked() {
        let with = |change: fn(&mut Options)| {
            let mut options = Options::default();
            change(&mut options);
            options.check().unwrap_err().field
        };
        assert_eq!(with(|options| options.hosts = vec!["http://x".into()]), "hosts");
        assert_eq!(with(|options| options.trusted_proxies = vec!["x".into()]), "trusted_proxies");
        assert_eq!(with(|options| options.rates.burst = 0), "rates.burst");
        assert_eq!(with(|options| options.head_bytes = 100), "head_bytes");
        assert_eq!(with(|options| options.auth.reload_seconds = 0.0), "auth.reload_seconds");
    }

    #[test]
    fn an_address_beyond_loopback_is_a_configuration_failure() {
        for address in ["0.0.0.0:7100", "192.168.0.2:7100", "[::]:7100"] {
            let failure =
                Options { http: address.parse().unwrap(), ..Options::default() }.check().unwrap_err();
            assert_eq!((failure.code, failure.field.as_str()), (Code::Configuration, "http"), "{address}");
        }
    }

    #[test]
    fn times_and_sizes_must_be_positive() {
        let failure = Options { request_seconds: f64::NAN, ..Options::default() }.check().unwrap_err();
        assert_eq!(failure.field, "request_seconds");
        let failure = Options { body_bytes: 0, ..Options::default() }.check().unwrap_err();
        assert_eq!(failure.field, "body_bytes");
    }
}
