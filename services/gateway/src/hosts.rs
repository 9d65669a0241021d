//! The names under which this server may be addressed, and whose pages may call it.
//!
//! Without authentication only loopback names are known, so that a page of another site that resolves its own name to
//! this machine is refused. With authentication any name is fine unless the operator lists some: a page under another
//! name has no cookie of ours. A page of another origin is refused all the same.
//!
//! A browser sends the cookie of a sign-in with every request, whichever page makes it. `SameSite=Strict` holds off
//! other sites, and not other hosts of this site. The headers `Sec-Fetch-Site` and `Origin` tell those apart.

use std::net::SocketAddr;
use std::sync::Arc;

use assay_domain::{Code, Failure};
use http::{HeaderMap, HeaderValue, Uri, header};

use crate::options::Options;

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
    /// Whether people sign in over TLS.
    secure: bool,
}

// === impl Hosts ===

impl Hosts {
    /// The names of the bound address, and those that the operator lists, with or without a port.
    pub(crate) fn of(address: SocketAddr, options: &Options) -> Self {
        let (port, names, locked) = (address.port(), &options.hosts, options.auth.is_required());
        let mut known = vec![address.to_string()];
        for name in ["localhost", "127.0.0.1", "[::1]"] {
            known.push(format!("{name}:{port}"));
            if port == 80 {
                known.push(name.to_owned());
            }
        }
        known.extend(names.iter().cloned());
        let secure = options.auth.sign_in.is_on() && options.auth.sign_in.secure();
        Self { known: known.into(), listed: !locked || !names.is_empty(), locked, secure }
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

    /// Refuses requests that pages of other sites make a browser send, such as for an image. They matter without
    /// authentication, and `by_cookie`: then other hosts of the site, and pages that came without TLS, are refused, too.
    ///
    /// # Errors
    /// `permission_denied` naming the header.
    pub(crate) fn admit_site(&self, headers: &HeaderMap, by_cookie: bool) -> Result<(), Failure> {
        let own = |site: &HeaderValue| site == "same-origin" || site == "none";
        let foreign = |site: &HeaderValue| if by_cookie { !own(site) } else { site == "cross-site" };
        let plain = |origin: &HeaderValue| !origin.as_bytes().starts_with(b"https://");
        let field = if (by_cookie || !self.locked) && headers.get_all(FETCH_SITE).iter().any(foreign) {
            FETCH_SITE
        } else if by_cookie && self.secure && headers.get_all(header::ORIGIN).iter().any(plain) {
            "origin"
        } else {
            return Ok(());
        };
        let text = "pages of other sites may not use this server; open its own console instead";
        Err(Failure::new(Code::PermissionDenied, text).field(field))
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
        let hosts = names.iter().map(ToString::to_string).collect();
        let mut options = Options { hosts, ..Options::default() };
        options.auth.keys_file = if locked { "keys.toml".into() } else { std::path::PathBuf::new() };
        Hosts::of("127.0.0.1:7100".parse().unwrap(), &options)
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
    fn foreign_page_without_origin_is_refused_without_authentication_and_with_a_cookie() {
        let site = |locked, by_cookie, site: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert(FETCH_SITE, HeaderValue::from_static(site));
            hosts(&[], locked).admit_site(&headers, by_cookie).is_ok()
        };
        assert!(!site(false, false, "cross-site") && site(true, false, "cross-site"));
        assert!(!site(true, true, "cross-site") && !site(true, true, "same-site"));
        for own in ["same-origin", "none"] {
            assert!(site(false, false, own) && site(true, true, own), "{own}");
        }
        assert!(hosts(&[], false).admit_site(&HeaderMap::new(), false).is_ok(), "no browser");
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
