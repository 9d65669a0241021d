//! The one credential of a request: `Authorization: Bearer …` or `x-api-key`, once; without them the cookie of a sign-in.

use assay_domain::{Code, Failure};
use http::{HeaderMap, HeaderName, header};

/// The header that some clients send a key in.
const API_KEY: HeaderName = HeaderName::from_static("x-api-key");
/// Cookie of a sign-in.
pub(crate) const COOKIE: &str = "assay-token";
/// Longest credential that is looked at, in bytes.
const MAX_BYTES: usize = 8192;

/// Whether the request brings anything that claims to be a credential.
pub(crate) fn are_given(headers: &HeaderMap) -> bool {
    headers.contains_key(header::AUTHORIZATION) || headers.contains_key(API_KEY)
}

/// The token that a sign-in left in a cookie; its other name is the one over TLS.
fn token_cookie(headers: &HeaderMap) -> Option<&str> {
    let token = cookie(headers, "__Host-assay-token").or_else(|| cookie(headers, COOKIE))?;
    let whole = token.len() <= MAX_BYTES && token.bytes().all(|byte| byte.is_ascii_graphic());
    (whole && !token.is_empty()).then_some(token)
}

/// The value of a cookie.
pub(crate) fn cookie<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let values = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    values.flat_map(|value| value.split(';')).find_map(|pair| {
        let (found, value) = pair.trim().split_once('=')?;
        (found == name).then_some(value)
    })
}

/// The credential: that of a header, else the token of a sign-in.
///
/// # Errors
/// `unauthenticated` if there is none, more than one, or one that cannot be one.
pub(crate) fn of(headers: &HeaderMap) -> Result<&str, Failure> {
    let refused = |text: &str| Failure::new(Code::Unauthenticated, text).field("authorization");
    let mut given = headers.get_all(header::AUTHORIZATION).iter().map(|value| (true, value));
    let mut keys = headers.get_all(API_KEY).iter().map(|value| (false, value));
    let (bearer, value) = match (given.next(), keys.next()) {
        (Some(one), None) | (None, Some(one)) => one,
        (None, None) => {
            if let Some(token) = token_cookie(headers) {
                return Ok(token);
            }
            return Err(refused("send a key or a token: Authorization: Bearer KEY"));
        }
        (Some(_), Some(_)) => return Err(refused("send one credential, not several")),
    };
    if given.next().is_some() || keys.next().is_some() {
        return Err(refused("send one credential, not several"));
    }
    let text = value.to_str().map_err(|_| refused("the credential has characters that none has"))?;
    let credential = if bearer {
        let (scheme, rest) = text.split_once(' ').unwrap_or((text, ""));
        if !scheme.eq_ignore_ascii_case("bearer") {
            return Err(refused("send the credential as Authorization: Bearer KEY"));
        }
        rest.trim_matches(' ')
    } else {
        text.trim_matches(' ')
    };
    if credential.is_empty() {
        return Err(refused("the credential is empty"));
    }
    if credential.len() > MAX_BYTES || credential.bytes().any(|byte| !byte.is_ascii_graphic()) {
        return Err(refused("the credential has a form that none has"));
    }
    Ok(credential)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use http::HeaderValue;

    use super::*;

    fn headers(pairs: &[(&'static str, &[u8])]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.append(*name, HeaderValue::from_bytes(value).unwrap());
        }
        headers
    }

    #[test]
    fn a_bearer_or_an_api_key_is_read() {
        for pairs in [
            [("authorization", b"Bearer abc".as_slice())],
            [("authorization", b"bearer   abc ")],
            [("x-api-key", b" abc")],
        ] {
            assert_eq!(of(&headers(&pairs)).unwrap(), "abc", "{pairs:?}");
        }
    }

    #[test]
    fn anything_but_exactly_one_plain_credential_is_refused() {
        let long = [b"Bearer ".as_slice(), &[b'x'; 8193]].concat();
        let cases: &[&[(&str, &[u8])]] = &[
            &[],
            &[("authorization", b"Bearer abc"), ("authorization", b"Bearer abc")],
            &[("x-api-key", b"abc"), ("x-api-key", b"abc")],
            &[("authorization", b"Bearer abc"), ("x-api-key", b"abc")],
            &[("authorization", b"Bearer")],
            &[("authorization", b"Bearer ")],
            &[("authorization", b"abc")],
            &[("authorization", b"Basic YTpi")],
            &[("authorization", b"Bearer a b")],
            &[("authorization", b"Bearer a\tb")],
            &[("authorization", b"Bearer \xff\xfe")],
            &[("authorization", b"Bearer \xc3\xb1")],
            &[("x-api-key", b"")],
            &[("authorization", &long)],
        ];
        for case in cases {
            let mut map = HeaderMap::new();
            for (name, value) in *case {
                map.append(
                    HeaderName::from_bytes(name.as_bytes()).unwrap(),
                    HeaderValue::from_bytes(value).unwrap(),
                );
            }
            let failure = of(&map).unwrap_err();
            assert_eq!((failure.code, failure.field.as_str()), (Code::Unauthenticated, "authorization"));
            assert!(!failure.message.contains("abc"), "a refusal never repeats the credential");
        }
    }

    #[test]
    fn whether_one_is_given_is_seen() {
        assert!(!are_given(&headers(&[("accept", b"x")])));
        assert!(are_given(&headers(&[("authorization", b"\xff")])));
        assert!(are_given(&headers(&[("x-api-key", b"")])));
    }

    proptest::proptest! {
        #[test]
        fn any_bytes_give_one_plain_credential_or_a_refusal(
            values in proptest::collection::vec((0_usize..2, proptest::collection::vec(0x20_u8..=0xff, 0..40)), 0..4),
        ) {
            let mut headers = HeaderMap::new();
            for (which, bytes) in &values {
                let name = if *which == 0 { header::AUTHORIZATION } else { API_KEY };
                if let Ok(value) = HeaderValue::from_bytes(bytes) {
                    headers.append(name, value);
                }
            }
            match of(&headers) {
                Ok(credential) => {
                    proptest::prop_assert_eq!(headers.len(), 1);
                    proptest::prop_assert!(!credential.is_empty() && credential.bytes().all(|byte| byte.is_ascii_graphic()));
                }
                Err(failure) => proptest::prop_assert_eq!(failure.code, Code::Unauthenticated),
            }
        }
    }
}
