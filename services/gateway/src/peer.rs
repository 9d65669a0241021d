//! Where a request comes from: the peer of its connection, or the client that a trusted proxy names.

use std::net::{IpAddr, SocketAddr};

use assay_domain::{Code, Failure};
use http::HeaderMap;

/// Header in which proxies name whom they speak for, the nearest last.
const FORWARDED_FOR: &str = "x-forwarded-for";

/// The other end of the connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Peer(pub(crate) SocketAddr);

/// A range of addresses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Range {
    network: u128,
    bits: u32,
}

/// An address as 128 bits, IPv4 in its mapped form, so that one comparison serves both.
fn bits_of(address: IpAddr) -> u128 {
    match address.to_canonical() {
        IpAddr::V4(four) => four.to_ipv6_mapped().to_bits(),
        IpAddr::V6(six) => six.to_bits(),
    }
}

impl Range {
    fn parse(text: &str) -> Option<Self> {
        let (address, length) = match text.split_once('/') {
            Some((address, length)) => (address, Some(length.parse::<u32>().ok()?)),
            None => (text, None),
        };
        let address: IpAddr = address.parse().ok()?;
        let (most, offset) = if address.is_ipv4() { (32, 96) } else { (128, 0) };
        let bits = length.unwrap_or(most);
        (bits <= most).then(|| Self { network: bits_of(address), bits: bits + offset })
    }

    fn holds(self, address: IpAddr) -> bool {
        let differing = self.network ^ bits_of(address);
        differing.leading_zeros() >= self.bits
    }
}

/// Proxies whose word about the client is taken.
#[derive(Debug, Clone, Default)]
pub(crate) struct Proxies(Vec<Range>);

// === impl Proxies ===

impl Proxies {
    /// Reads addresses and ranges such as `10.0.0.0/8`.
    ///
    /// # Errors
    /// `configuration` naming `trusted_proxies`.
    pub(crate) fn parse(texts: &[String]) -> Result<Self, Failure> {
        let range = |text: &String| {
            Range::parse(text).ok_or_else(|| {
                let message =
                    format!("trusted_proxies has {text:?}; it takes addresses and ranges such as 10.0.0.0/8");
                Failure::new(Code::Configuration, message).field("trusted_proxies")
            })
        };
        Ok(Self(texts.iter().map(range).collect::<Result<_, _>>()?))
    }

    /// Whether an address is one of them.
    pub(crate) fn trusts(&self, address: IpAddr) -> bool {
        self.0.iter().any(|range| range.holds(address))
    }

    /// The client: the nearest address on the way here that is no trusted proxy. What lies beyond it is hearsay.
    pub(crate) fn client(&self, peer: IpAddr, headers: &HeaderMap) -> IpAddr {
        let mut client = peer.to_canonical();
        if !self.trusts(client) {
            return client;
        }
        let values: Vec<&str> =
            headers.get_all(FORWARDED_FOR).iter().filter_map(|value| value.to_str().ok()).collect();
        for hop in values.iter().flat_map(|value| value.split(',')).rev() {
            let Some(address) = address(hop.trim()) else { break };
            client = address;
            if !self.trusts(client) {
                break;
            }
        }
        client
    }
}

/// An address with or without port and brackets.
fn address(text: &str) -> Option<IpAddr> {
    let plain = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).unwrap_or(text);
    let parsed: Option<IpAddr> =
        plain.parse().ok().or_else(|| text.parse::<SocketAddr>().ok().map(|socket| socket.ip()));
    parsed.map(|address| address.to_canonical())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn client(trusted: &[&str], peer: &str, forwarded: &[&str]) -> String {
        let trusted: Vec<String> = trusted.iter().map(ToString::to_string).collect();
        let mut headers = HeaderMap::new();
        for value in forwarded {
            headers.append(FORWARDED_FOR, value.parse().unwrap());
        }
        Proxies::parse(&trusted).unwrap().client(peer.parse().unwrap(), &headers).to_string()
    }

    #[test]
    fn nobody_is_believed_who_is_not_trusted() {
        assert_eq!(client(&[], "10.0.0.1", &["1.2.3.4"]), "10.0.0.1");
        assert_eq!(client(&["192.168.0.0/16"], "10.0.0.1", &["1.2.3.4"]), "10.0.0.1");
    }

    #[test]
    fn the_nearest_hop_that_is_no_proxy_is_the_client() {
        let trusted = ["10.0.0.0/8", "fd00::/8"];
        assert_eq!(client(&trusted, "10.0.0.1", &["6.6.6.6, 1.2.3.4"]), "1.2.3.4", "the rest is hearsay");
        assert_eq!(client(&trusted, "10.0.0.1", &["6.6.6.6", "1.2.3.4, 10.0.0.9"]), "1.2.3.4");
        assert_eq!(client(&trusted, "::ffff:10.0.0.1", &["1.2.3.4:5678"]), "1.2.3.4");
        assert_eq!(client(&trusted, "fd00::1", &["[2001:db8::1]:443"]), "2001:db8::1");
        assert_eq!(client(&trusted, "10.0.0.1", &[]), "10.0.0.1");
        assert_eq!(client(&trusted, "10.0.0.1", &["1.2.3.4, unknown"]), "10.0.0.1");
        assert_eq!(client(&trusted, "10.0.0.1", &["10.0.0.2, 10.0.0.3"]), "10.0.0.2");
    }

    #[test]
    fn ranges_hold_what_they_say() {
        for (range, inside, outside) in [
            ("127.0.0.1", "127.0.0.1", "127.0.0.2"),
            ("10.1.0.0/16", "10.1.255.255", "10.2.0.0"),
            ("0.0.0.0/0", "255.255.255.255", "2001:db8::1"),
            ("2001:db8::/32", "2001:db8:ffff::1", "2001:db9::"),
            ("::1", "::1", "::2"),
        ] {
            let range = Range::parse(range).unwrap();
            assert!(range.holds(inside.parse().unwrap()), "{range:?} {inside}");
            assert!(!range.holds(outside.parse().unwrap()), "{range:?} {outside}");
        }
        for text in ["", "10.0.0.0/33", "10.0.0/8", "::/129", "10.0.0.0/", "10.0.0.0/-1", "host"] {
            assert_eq!(Proxies::parse(&[text.to_owned()]).unwrap_err().field, "trusted_proxies", "{text}");
        }
    }

    proptest::proptest! {
        #[test]
        fn a_range_holds_exactly_the_addresses_with_its_first_bits(network: u32, address: u32, bits in 0_u32..=32) {
            let text = format!("{}/{bits}", std::net::Ipv4Addr::from_bits(network));
            let range = Range::parse(&text).unwrap();
            let mask = u32::MAX.checked_shl(32 - bits).unwrap_or(0);
            let inside = network & mask == address & mask;
            proptest::prop_assert_eq!(range.holds(std::net::Ipv4Addr::from_bits(address).into()), inside);
        }

        #[test]
        fn nothing_that_a_client_sends_upsets_the_search_for_it(hops in proptest::collection::vec("[ -~]{0,30}", 0..4)) {
            let hops: Vec<&str> = hops.iter().map(String::as_str).collect();
            let peer = client(&["10.0.0.0/8"], "192.0.2.1", &hops);
            proptest::prop_assert_eq!(peer, "192.0.2.1", "who is not trusted is not believed");
            client(&["10.0.0.0/8"], "10.0.0.1", &hops);
        }
    }
}
