//! The names under which this server may be addressed, and whose pages may call it.
//!
//! Without authentication only loopback names are known, so that a page of another site that resolves its own name to
//! this machine is refused. With authentication a page has nothing to offer but a key that its user typed, so any name
//! is fine unless the operator lists some; a page of another origin is refused all the same.

use std::net::SocketAddr;
use std::sync::Arc;

use assay_domain::{Code, Failure};
use http::{HeaderMap, Uri, header};

/// Header in which a browser says how the page is related to the server (Fetch Metadata, W3C).
const FETCH_SITE: &str = "sec-fetch-site";

/// The known names.
#[derive(Debug, Clone)]
pub(crate) struct Hosts {
    known: Arc<[String]>,
    /// Whether a name must be known.
    listed: bool,
    /// Whether credentials are needed anyway.
    locked: bool,
}

// === impl Hosts ===

impl Hosts {
    /// `names` are those that the operator lists, with or without a port.
    pub(crate) fn of(address: SocketAddr, names: &[String], locked: bool) -> Self {
        let port = address.port();
        let mut known = vec![address.to_string()];
        for name in ["localhost", "127.0.0.1", "[::1]"] {
            known.push(format!("{name}:{port}"));
            if port == 80 {
                known.push(name.to_owned());
            }
        }
        known.extend(names.iter().cloned());
        Self { known: known.into(), listed: !locked || !names.is_empty(), locked }
    }

    fn knows(&self, host: &str) -> bool {
        self.known.iter().any(|known| known.eq_ignore_ascii_case(host))
    }

    /// Whether pages of this origin are ours: for a locked server under the name by which it was called.
    fn is_own(&self, origin: &str, host: &str) -> bool {
        let ours = |name: &str| self.knows(name) || (self.locked && name.eq_ignore_ascii_case(host));
        match origin.split_once("://") {
            Some(("http", name)) => ours(name),
            Some(("https", name)) => self.locked && ours(name),
            _ => false,
        }
    }

    /// Refuses what a page of another site makes a browser send without an `Origin`, such as the address of an image.
    /// Where credentials are needed such a request has none.
    ///
    /// # Errors
    /// `permission_denied` naming the header.
    pub(crate) fn admit_site(&self, headers: &HeaderMap) -> Result<(), Failure> {
        let foreign = |site: &http::HeaderValue| site == "cross-site";
        if self.locked || !headers.get_all(FETCH_SITE).iter().any(foreign) {
            return Ok(());
        }
        let text = "pages of other sites may not use this server; open its own console instead";
        Err(Failure::new(Code::PermissionDenied, text).field(FETCH_SITE))
    }

    /// Refuses a foreign `Host` or `Origin`. Health is for probes, which call by address.
    ///
    /// # Errors
    /// `permission_denied` naming the header.
    pub(crate) fn admit(&self, uri: &Uri, headers: &HeaderMap) -> Result<(), Failure> {
        let refuse = |field: &str, text: String| Err(Failure::new(Code::PermissionDenied, text).field(field));
        if self.locked && matches!(uri.path(), "/healthz" | "/readyz") {
            return Ok(());
        }
        let mut hosts = headers.get_all(header::HOST).iter();
        let host = match (hosts.next(), hosts.next()) {
            (Some(host), None) => host.to_str().unwrap_or_default(),
            (None, _) => uri.authority().map(http::uri::Authority::as_str).unwrap_or_default(),
            (Some(_), Some(_)) => "",
        };
        if host.is_empty() || (self.listed && !self.knows(host)) {
            let text = format!("the Host {host:?} is not this server; use one of {}", self.known.join(", "));
            return refuse("host", text);
        }
        for origin in headers.get_all(header::ORIGIN) {
            let origin = origin.to_str().unwrap_or_default();
            if !self.is_own(origin, host) {
                let text =
                    format!("pages of {origin:?} may not use this server; open its own console instead");
                return refuse("origin", text);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn hosts(names: &[&str], locked: bool) -> Hosts {
        let names: Vec<String> = names.iter().map(ToString::to_string).collect();
        Hosts::of("127.0.0.1:7100".parse().unwrap(), &names, locked)
    }

    fn admitted(hosts: &Hosts, path: &'static str, host: &str, origin: Option<&str>) -> bool {
        let mut headers = HeaderMap::new();
        headers.insert(header::HOST, host.parse().unwrap());
        if let Some(origin) = origin {
            headers.insert(header::ORIGIN, origin.parse().unwrap());
        }
        hosts.admit(&Uri::from_static(path), &headers).is_ok()
    }

    #[test]
    fn without_authentication_only_loopback_names_are_accepted() {
        let hosts = hosts(&["assay.local:7100"], false);
        for host in ["127.0.0.1:7100", "localhost:7100", "LocalHost:7100", "[::1]:7100", "assay.local:7100"] {
            assert!(admitted(&hosts, "/", host, None), "{host}");
        }
        for host in ["localhost", "127.0.0.1:7101", "evil.example:7100", "localhost:7100.evil.example", ""] {
            assert!(!admitted(&hosts, "/", host, None), "{host}");
            assert!(!admitted(&hosts, "/healthz", host, None), "{host}");
        }
    }

    #[test]
    fn without_a_lock_only_our_own_pages_may_call() {
        let hosts = hosts(&[], false);
        assert!(admitted(&hosts, "/", "localhost:7100", Some("http://localhost:7100")));
        assert!(admitted(&hosts, "/", "localhost:7100", Some("http://127.0.0.1:7100")));
        for origin in
            ["https://evil.example", "null", "http://localhost:9999", "https://localhost:7100", "file://"]
        {
            assert!(!admitted(&hosts, "/", "localhost:7100", Some(origin)), "{origin}");
        }
    }

    #[test]
    fn with_authentication_pages_must_match_the_addressed_name() {
        let hosts = hosts(&[], true);
        assert!(admitted(&hosts, "/", "assay.example", None));
        assert!(admitted(&hosts, "/", "assay.example", Some("https://assay.example")));
        assert!(!admitted(&hosts, "/", "assay.example", Some("https://evil.example")));
        assert!(!admitted(&hosts, "/", "assay.example", Some("null")));
        assert!(!admitted(&hosts, "/", "", None));
    }

    #[test]
    fn with_a_list_only_listed_names_and_probes_are_accepted() {
        let hosts = hosts(&["assay.example"], true);
        assert!(admitted(&hosts, "/", "assay.example", Some("https://assay.example")));
        assert!(!admitted(&hosts, "/", "other.example", None));
        assert!(admitted(&hosts, "/healthz", "10.0.0.7:7100", None));
        assert!(admitted(&hosts, "/readyz", "10.0.0.7:7100", None));
    }

    #[test]
    fn foreign_page_without_origin_is_refused_without_authentication() {
        let site = |locked, site: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert(FETCH_SITE, http::HeaderValue::from_static(site));
            hosts(&[], locked).admit_site(&headers).is_ok()
        };
        assert!(!site(false, "cross-site"));
        assert!(site(false, "same-origin") && site(false, "none") && site(true, "cross-site"));
        assert!(hosts(&[], false).admit_site(&HeaderMap::new()).is_ok(), "no browser");
    }

    #[test]
    fn two_hosts_or_none_are_refused() {
        for locked in [false, true] {
            let hosts = hosts(&[], locked);
            let mut headers = HeaderMap::new();
            assert!(hosts.admit(&Uri::from_static("/"), &headers).is_err());
            headers.append(header::HOST, "localhost:7100".parse().unwrap());
            headers.append(header::HOST, "localhost:7100".parse().unwrap());
            assert!(hosts.admit(&Uri::from_static("/"), &headers).is_err());
        }
    }
}
