//! The way to a running system: an address, and for `https` the authorities that may have signed its certificate.

use std::path::{Path, PathBuf};
use std::time::Duration;

use assay_domain::{Code, Failure};
use assay_rpc::Channel;

/// Longest wait for a connection.
const PATIENCE: Duration = Duration::from_secs(5);

/// Where systems keep the authorities that they trust.
const BUNDLES: &[&str] = &[
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem",
    "/etc/ssl/cert.pem",
];

/// Connects to an address, `http://` if it names no scheme. `ca` holds the authorities for `https`; without it those of
/// `SSL_CERT_FILE` or of the system are asked.
///
/// # Errors
/// `CONFIGURATION` naming the flag, or `UNAVAILABLE` if nothing answers.
pub async fn connect(address: &str, ca: Option<&Path>) -> Result<Channel, Failure> {
    let url = if address.contains("://") { address.to_owned() } else { format!("http://{address}") };
    let wrong = |field: &str, text: String| Failure::new(Code::Configuration, text).field(field);
    let encrypted = match url.split_once("://").map(|(scheme, _)| scheme) {
        Some("http") => false,
        Some("https") => true,
        _ => {
            let text = format!("{url:?} is no address; it begins with http:// or https://");
            return Err(wrong("endpoint", text));
        }
    };
    let pem = match (encrypted, ca) {
        (true, _) => {
            let file = authorities(ca)?;
            let pem = std::fs::read(&file)
                .map_err(|error| wrong("ca", format!("{} cannot be read: {error}", file.display())))?;
            Some(pem)
        }
        (false, Some(_)) => {
            let text = format!("--ca is for https, and {url} is not encrypted; use https:// or leave it out");
            return Err(wrong("ca", text));
        }
        (false, None) => None,
    };
    let channel = Channel::to(&url, pem.as_deref()).map_err(|failure| {
        let field = if failure.field.is_empty() { "endpoint" } else { "ca" };
        failure.field(field)
    })?;
    channel.reach(PATIENCE).await.map_err(|status| {
        let text = if encrypted {
            let why = status.message();
            format!("no connection to {url}: {why}; --ca names the authority that signed its certificate")
        } else {
            format!("nothing answers at {url}; is `assay up` or a gateway running there?")
        };
        Failure::new(Code::Unavailable, text).field("endpoint")
    })?;
    Ok(channel)
}

/// The file of authorities.
fn authorities(given: Option<&Path>) -> Result<PathBuf, Failure> {
    if let Some(path) = given {
        return Ok(path.to_owned());
    }
    let environment = assay_config::environment();
    let named = environment.get("SSL_CERT_FILE").map(PathBuf::from);
    named.or_else(|| BUNDLES.iter().map(PathBuf::from).find(|path| path.is_file())).ok_or_else(|| {
        let text = "this system has no file of trusted authorities; name one with --ca FILE";
        Failure::new(Code::Configuration, text).field("ca")
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[tokio::test]
    async fn a_wrong_address_or_file_names_its_flag() {
        for (address, ca, field) in [
            ("http://", None, "endpoint"),
            ("ftp://127.0.0.1:1", None, "endpoint"),
            ("http://127.0.0.1:1", Some("/nowhere/ca.crt"), "ca"),
            ("https://127.0.0.1:1", Some("/nowhere/ca.crt"), "ca"),
        ] {
            let failure = connect(address, ca.map(Path::new)).await.unwrap_err();
            assert_eq!((failure.code, failure.field.as_str()), (Code::Configuration, field), "{address}");
        }
    }

    #[tokio::test]
    async fn unreachable_address_is_unavailable_and_shows_its_scheme() {
        let failure = connect("127.0.0.1:1", None).await.unwrap_err();
        assert_eq!((failure.code, failure.field.as_str()), (Code::Unavailable, "endpoint"));
        assert!(failure.message.contains("http://127.0.0.1:1"), "{failure}");
    }
}
