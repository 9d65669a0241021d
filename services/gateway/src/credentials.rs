//! The one credential of a request: `Authorization: Bearer …` or `x-api-key`, once, else the token in a named cookie.

use assay_domain::{Code, Failure};
use http::{HeaderMap, HeaderName, header};

use crate::tokens;

/// The header that some clients send a key in.
const API_KEY: HeaderName = HeaderName::from_static("x-api-key");
/// Longest credential that is looked at, in bytes.
const MAX_BYTES: usize = 8192;

fn in_header(headers: &HeaderMap) -> bool {
    headers.contains_key(header::AUTHORIZATION) || headers.contains_key(API_KEY)
}

/// What a sign-in left in the cookie of this name.
fn left<'a>(headers: &'a HeaderMap, name: Option<&str>) -> Option<&'a str> {
    cookie(headers, name?).filter(|value| !value.is_empty())
}

/// Whether the request brings anything that claims to be a credential; `name` is that of the cookie, if one counts.
pub(crate) fn are_given(headers: &HeaderMap, name: Option<&str>) -> bool {
    in_header(headers) || left(headers, name).is_some()
}

/// Whether the credential is the cookie, which a browser sends whatever page makes it.
pub(crate) fn is_cookie(headers: &HeaderMap, name: Option<&str>) -> bool {
    !in_header(headers) && left(headers, name).is_some()
}

/// The value of a cookie.
pub(crate) fn cookie<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let values = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    values.flat_map(|value| value.split(';')).find_map(|pair| {
        let (found, value) = pair.trim().split_once('=')?;
        (found == name).then_some(value)
    })
}

/// The credential: that of a header, else the token in the cookie of this name.
///
/// # Errors
/// `unauthenticated` if there is none, more than one, or one that cannot be one.
pub(crate) fn of<'a>(headers: &'a HeaderMap, name: Option<&str>) -> Result<&'a str, Failure> {
    let refused = |text: &str| Failure::new(Code::Unauthenticated, text).field("authorization");
    let mut given = headers.get_all(header::AUTHORIZATION).iter().map(|value| (true, value));
    let mut keys = headers.get_all(API_KEY).iter().map(|value| (false, value));
    let (bearer, value) = match (given.next(), keys.next()) {
        (Some(one), None) | (None, Some(one)) => one,
        (None, None) => {
            let token = left(headers, name)
                .ok_or_else(|| refused("send a key or a token: Authorization: Bearer KEY"))?;
            if token.len() > MAX_BYTES || !tokens::looks_like_one(token) {
                return Err(refused("the cookie of the sign-in holds no token; sign in again"));
            }
            return Ok(token);
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
            assert_eq!(of(&headers(&pairs), None).unwrap(), "abc", "{pairs:?}");
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
            let failure = of(&map, None).unwrap_err();
            assert_eq!((failure.code, failure.field.as_str()), (Code::Unauthenticated, "authorization"));
            assert!(!failure.message.contains("abc"), "a refusal never repeats the credential");
        }
    }

    #[test]
    fn whether_one_is_given_is_seen() {
        assert!(!are_given(&headers(&[("accept", b"x")]), None));
        assert!(are_given(&headers(&[("authorization", b"\xff")]), None));
        assert!(are_given(&headers(&[("x-api-key", b"")]), None));
    }

    #[test]
    fn only_a_token_in_the_named_cookie_is_taken() {
        for (sent, name, taken) in [
            (b"a=b; assay-token=a.b.c".as_slice(), Some("assay-token"), true),
            (b"assay-token=a.b.c", Some("__Host-assay-token"), false),
            (b"assay-token=a.b.c", None, false),
            (b"assay-token=abc", Some("assay-token"), false),
            (b"assay-token=assay_a.b.c", Some("assay-token"), false),
            (b"assay-token=a.b. c", Some("assay-token"), false),
        ] {
            let headers = headers(&[("cookie", sent)]);
            assert_eq!(of(&headers, name).is_ok(), taken, "{sent:?} {name:?}");
        }
        let both = headers(&[("cookie", b"assay-token=a.b.c"), ("x-api-key", b"k")]);
        assert_eq!(of(&both, Some("assay-token")).unwrap(), "k");
        assert!(are_given(&both, Some("assay-token")) && !is_cookie(&both, Some("assay-token")));
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
            match of(&headers, None) {
                Ok(credential) => {
                    proptest::prop_assert_eq!(headers.len(), 1);
                    proptest::prop_assert!(!credential.is_empty() && credential.bytes().all(|byte| byte.is_ascii_graphic()));
                }
                Err(failure) => proptest::prop_assert_eq!(failure.code, Code::Unauthenticated),
            }
        }
    }
}
