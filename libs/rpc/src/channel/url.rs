//! The address of a peer as it is configured.

use assay_domain::{Code, Failure};
use http::Uri;

/// Scheme, host and port of an address.
pub(super) fn parse(url: &str) -> Result<(bool, String, u16), Failure> {
    let wrong = |why: &str| {
        Failure::new(Code::Configuration, format!("{url:?} is no address: {why}; write http://HOST:PORT"))
    };
    let uri: Uri = url.parse().map_err(|error: http::uri::InvalidUri| wrong(&error.to_string()))?;
    let https = match uri.scheme_str() {
        Some("http") => false,
        Some("https") => true,
        _ => return Err(wrong("the scheme is neither http nor https")),
    };
    let host = uri.host().filter(|host| !host.is_empty()).ok_or_else(|| wrong("it names no host"))?;
    let port = uri.port_u16().unwrap_or(if https { 443 } else { 80 });
    if !matches!(uri.path(), "" | "/") || uri.query().is_some() {
        return Err(wrong("it has a path"));
    }
    Ok((https, host.trim_start_matches('[').trim_end_matches(']').to_owned(), port))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn an_address_has_scheme_host_and_port() {
        assert_eq!(parse("http://router:7101").unwrap(), (false, "router".to_owned(), 7101));
        assert_eq!(parse("https://[::1]:1/").unwrap(), (true, "::1".to_owned(), 1));
        assert_eq!(parse("https://answers.example").unwrap().2, 443);
        for url in ["router:7101", "ftp://router:1", "http://:7101", "http://router:7101/x", ""] {
            let failure = parse(url).unwrap_err();
            assert_eq!(failure.code, Code::Configuration, "{url}");
        }
    }
}
