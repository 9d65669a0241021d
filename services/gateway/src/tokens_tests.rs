//! Tokens that are good, and every way in which one can be bad.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use assay_rpc::clock;
use rcgen::KeyPair;
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, Ed25519KeyPair};
use serde_json::json;

use super::*;

const ISSUER: &str = "https://id.example";

fn now() -> u64 {
    clock::unix_ms() / 1000
}

fn options() -> JwtOptions {
    JwtOptions {
        issuer: ISSUER.into(),
        audience: "assay".into(),
        keys_file: "keys".into(),
        ..JwtOptions::default()
    }
}

fn claims() -> Value {
    json!({"iss": ISSUER, "aud": "assay", "exp": now() + 300, "sub": "ada", "tenant": "north",
        "roles": ["ask", "king", "review"]})
}

/// The claims with one of them replaced, or taken away by null.
fn but(name: &str, value: Value) -> Value {
    let mut claims = claims();
    if value.is_null() {
        claims.as_object_mut().unwrap().remove(name);
    } else {
        claims[name] = value;
    }
    claims
}

enum Secret {
    Ed(Ed25519KeyPair),
    Ec(EcdsaKeyPair, SystemRandom),
}

struct Signer {
    algorithm: Algorithm,
    secret: Secret,
    public: String,
}

fn signer(algorithm: Algorithm) -> Signer {
    let kind = match algorithm {
        Algorithm::EdDsa => &rcgen::PKCS_ED25519,
        Algorithm::Es256 => &rcgen::PKCS_ECDSA_P256_SHA256,
        Algorithm::Rs256 => panic!("the generator makes no RSA keys"),
    };
    let (pair, random) = (KeyPair::generate_for(kind).unwrap(), SystemRandom::new());
    let der = pair.serialize_der();
    let secret = match algorithm {
        Algorithm::EdDsa => Secret::Ed(Ed25519KeyPair::from_pkcs8(&der).unwrap()),
        _ => {
            let pair = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &der, &random).unwrap();
            Secret::Ec(pair, random)
        }
    };
    Signer { algorithm, secret, public: pair.public_key_pem() }
}

fn part(value: &Value) -> String {
    URL_SAFE_NO_PAD.encode(value.to_string())
}

impl Signer {
    fn sign(&self, claims: &Value) -> String {
        self.sign_with(json!({"typ": "JWT"}), claims)
    }

    /// A token whose header has these fields beside the algorithm.
    fn sign_with(&self, mut header: Value, claims: &Value) -> String {
        header["alg"] = json!(self.algorithm.as_str());
        let signed = format!("{}.{}", part(&header), part(claims));
        let signature = match &self.secret {
            Secret::Ed(pair) => pair.sign(signed.as_bytes()).as_ref().to_vec(),
            Secret::Ec(pair, random) => pair.sign(random, signed.as_bytes()).unwrap().as_ref().to_vec(),
        };
        format!("{signed}.{}", URL_SAFE_NO_PAD.encode(signature))
    }

    fn keys(&self) -> PublicKeys {
        PublicKeys::parse(&self.public, &Algorithm::ALL).unwrap()
    }
}

fn reason(token: &str, keys: &PublicKeys) -> String {
    let failure = Failure::from(recognise(token, keys, &options()).unwrap_err());
    assert_eq!((failure.code, failure.field.as_str()), (Code::Unauthenticated, "authorization"));
    failure.message
}

#[test]
fn valid_token_gives_principal_tenant_and_known_roles() {
    for algorithm in [Algorithm::EdDsa, Algorithm::Es256] {
        let signer = signer(algorithm);
        let identity = recognise(&signer.sign(&claims()), &signer.keys(), &options()).unwrap();
        assert_eq!((identity.principal.as_str(), identity.tenant.as_str()), ("ada", "north"));
        assert_eq!(identity.roles, [Role::Ask, Role::Review]);
    }
}

/// An RSA key of 2048 bits and a token for the end of the century that it signed; the private half was thrown away.
const RSA_KEY: &str = "-----BEGIN PUBLIC KEY-----\n\
    MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA2qHwVLCjUa8ZDjdi0zPv\n\
    ZNyh6RJVaXeIQdRAuUHOL2BiPVOBrWGfJbTFLGDfVJaT+ohSn8ZYjcupgqzu9gZo\n\
    wvTCAdn0jTKOcP3ynU/xYyKxHtNcicjU0xFNeyx1nIFD825GqlHL/MZmbLI0IVa5\n\
    d979Ehvd/L3M28hBav7rBFn+gG/4yoh3bfxEAgvYRgHoMQ8pD1Hs8hT28Gbvjg7D\n\
    0Gg3tGuZbCoZicIaPgYXDcCS1JzIWBlX1qMU08lnHTzaptMPjlrTH82muZx+Fo2z\n\
    WAcM9RUTTGUNJXLOH4XU5SV9tWnz42y2KtxX7Ls4RhlJ95V+6UtaRDVzG36GnuOt\n\
    xwIDAQAB\n\
    -----END PUBLIC KEY-----\n";
const RSA_TOKEN: [&str; 3] = [
    "eyJhbGciOiJSUzI1NiIsInR5cCI6IkpXVCJ9",
    "eyJpc3MiOiJodHRwczovL2lkLmV4YW1wbGUiLCJhdWQiOiJhc3NheSIsImV4cCI6NDEwMjQ0NDgwMCwic3ViIjoiYWRhIiwidGVuYW50Ijoibm9ydGgiLCJyb2xlcyI6WyJhc2siXX0",
    "D7tczZjZvpnC42804zeBw8ULAOL7DHmvRCJfk1lWD0hIgv8j9HR2OCn4VElTlEs-zTiRXABYNas6LelXQHfJ6itAR_XN9a0V_cDK\
     S7WYAxMtAIedYmFWoROSROEwc_k0PzzcsBAocr2oiu-X7s1d4JhMKp_nsRKwDBxc2-bOReLikDuGSDrEUDQRM_jy4W4OYg5wSy2p\
     y053UTf-hlOEFjic63sCPAUO2VGvuISqIOYlbWGxw4YAA9ibqHv1zcATQTCUBYiou0r8uvcKudkhHBe3-ezwpY_e3RFXgLK6qTCS\
     djW9KjRmfY-ptsKzXx_kQJwbNCH2TDLOmyJgdGxg0w",
];

#[test]
fn rsa_token_is_valid_under_its_own_algorithm_only() {
    let keys = PublicKeys::parse(RSA_KEY, &Algorithm::ALL).unwrap();
    let identity = recognise(&RSA_TOKEN.join("."), &keys, &options()).unwrap();
    assert_eq!(identity.principal, "ada");
    let [_, claims, signature] = RSA_TOKEN;
    for named in ["PS256", "RS384", "HS256"] {
        let header = URL_SAFE_NO_PAD.encode(json!({"alg": named}).to_string());
        assert!(reason(&format!("{header}.{claims}.{signature}"), &keys).contains("algorithm"), "{named}");
    }
}

#[test]
fn audiences_roles_and_claims_are_read_in_every_shape() {
    let signer = signer(Algorithm::EdDsa);
    let keys = signer.keys();
    let several = but("aud", json!(["other", "assay"]));
    assert!(recognise(&signer.sign(&several), &keys, &options()).is_ok());
    let text = but("roles", json!("ask  ingest"));
    let identity = recognise(&signer.sign(&text), &keys, &options()).unwrap();
    assert_eq!(identity.roles, [Role::Ask, Role::Ingest]);
    let deep = JwtOptions {
        roles_claim: "/realm_access/roles".into(),
        tenant_claim: "https://id.example/tenant".into(),
        ..options()
    };
    let mut claims = but("realm_access", json!({"roles": ["admin"]}));
    claims["https://id.example/tenant"] = json!("south");
    let identity = recognise(&signer.sign(&claims), &keys, &deep).unwrap();
    assert_eq!((identity.tenant.as_str(), identity.roles), ("south", vec![Role::Admin]));
    let none = recognise(&signer.sign(&but("roles", Value::Null)), &keys, &options()).unwrap();
    assert!(none.roles.is_empty(), "a token without roles opens nothing");
}

#[test]
fn every_wrong_claim_is_refused_with_its_reason() {
    let signer = signer(Algorithm::EdDsa);
    let keys = signer.keys();
    for (claims, expected) in [
        (but("exp", json!(now() - 31)), "expired"),
        (but("exp", Value::Null), "lacks"),
        (but("exp", json!("soon")), "lacks"),
        (but("nbf", json!(now() + 120)), "not valid yet"),
        (but("nbf", json!("9999999999")), "wrong type"),
        (but("nbf", json!({})), "wrong type"),
        (but("nbf", json!([now() - 5])), "cannot be read"),
        (but("iss", json!([ISSUER, "https://evil.example"])), "another issuer"),
        (but("aud", json!("other")), "another audience"),
        (but("aud", json!(["other", "more"])), "another audience"),
        (but("aud", Value::Null), "lacks"),
        (but("iss", json!("https://evil.example")), "another issuer"),
        (but("iss", Value::Null), "lacks"),
        (but("sub", Value::Null), "`sub`"),
        (but("sub", json!("")), "`sub`"),
        (but("sub", json!(7)), "`sub`"),
        (but("sub", json!("a\u{0}b")), "`sub`"),
        (but("tenant", Value::Null), "`tenant`"),
        (but("tenant", json!("x".repeat(129))), "`tenant`"),
    ] {
        let message = reason(&signer.sign(&claims), &keys);
        assert!(message.contains(expected), "{claims}: {message}");
    }
    assert!(recognise(&signer.sign(&but("nbf", json!(now()))), &keys, &options()).is_ok());
    let leeway = but("exp", json!(now() - 10));
    assert!(
        recognise(&signer.sign(&leeway), &keys, &options()).is_ok(),
        "within the tolerance of the clocks"
    );
}

#[test]
fn tokens_of_none_hmac_or_another_key_are_refused() {
    let signer = signer(Algorithm::Es256);
    let keys = signer.keys();
    for named in ["none", "None", "NONE", "HS256", "HS512", "ES384", "PS256", "es256", ""] {
        let token = format!("{}.{}.", part(&json!({"alg": named, "typ": "JWT"})), part(&claims()));
        assert!(reason(&token, &keys).contains("algorithm"), "{named}");
    }
    let unsigned = format!("{}.{}", part(&json!({"alg": "HS256", "typ": "JWT"})), part(&claims()));
    let secret = ring::hmac::Key::new(ring::hmac::HMAC_SHA256, signer.public.as_bytes());
    let tag = ring::hmac::sign(&secret, unsigned.as_bytes());
    let confused = format!("{unsigned}.{}", URL_SAFE_NO_PAD.encode(tag));
    assert!(reason(&confused, &keys).contains("algorithm"));
    let stranger = super::tests::signer(Algorithm::Es256).sign(&claims());
    assert!(reason(&stranger, &keys).contains("no key known here"));
    // The right key under another algorithm's name.
    let ed = super::tests::signer(Algorithm::EdDsa);
    assert!(reason(&ed.sign(&claims()), &keys).contains("no key known here"));
    // Pinned away.
    let pinned = JwtOptions { algorithms: vec![Algorithm::EdDsa], ..options() };
    let failure = Failure::from(recognise(&signer.sign(&claims()), &keys, &pinned).unwrap_err());
    assert!(failure.message.contains("algorithm"));
}

#[test]
fn a_changed_token_and_what_is_none_are_refused() {
    let signer = signer(Algorithm::EdDsa);
    let keys = signer.keys();
    let token = signer.sign(&claims());
    let parts: Vec<&str> = token.split('.').collect();
    let other = URL_SAFE_NO_PAD.encode(but("sub", json!("eve")).to_string());
    assert!(reason(&format!("{}.{other}.{}", parts[0], parts[2]), &keys).contains("no key known here"));
    for text in ["", ".", "..", "...", "a.b.c", "ñ.ñ.ñ", &token[..token.len() - 4], &format!("{token}.x")]
    {
        reason(text, &keys);
    }
    let token = signer.sign_with(json!({"crit": ["b64"]}), &claims());
    assert!(reason(&token, &keys).contains("extensions"));
}

#[test]
fn only_access_tokens_open() {
    let signer = signer(Algorithm::EdDsa);
    let keys = signer.keys();
    for named in
        [json!({}), json!({"typ": "JWT"}), json!({"typ": "at+jwt"}), json!({"typ": "application/at+JWT"})]
    {
        assert!(recognise(&signer.sign_with(named.clone(), &claims()), &keys, &options()).is_ok(), "{named}");
    }
    for named in ["logout+jwt", "dpop+jwt", "secevent+jwt", ""] {
        let token = signer.sign_with(json!({"typ": named}), &claims());
        assert!(reason(&token, &keys).contains("another type"), "{named}");
    }
    assert!(reason(&signer.sign_with(json!({"typ": 7}), &claims()), &keys).contains("another type"));
}

/// The last bytes of a SubjectPublicKeyInfo: the point of an elliptic curve.
fn point(signer: &Signer, length: usize) -> Vec<u8> {
    let der = base64::engine::general_purpose::STANDARD
        .decode(signer.public.lines().filter(|line| !line.starts_with('-')).collect::<String>())
        .unwrap();
    der[der.len() - length..].to_vec()
}

#[test]
fn a_key_set_holds_every_kind_that_is_allowed() {
    let signer = signer(Algorithm::Es256);
    let point = point(&signer, 64);
    let (x, y) = (URL_SAFE_NO_PAD.encode(&point[..32]), URL_SAFE_NO_PAD.encode(&point[32..]));
    let set = json!({"keys": [
        {"kty": "EC", "crv": "P-256", "alg": "ES256", "x": x, "y": y},
        {"kty": "RSA", "use": "sig", "n": "AQAB", "e": "AQAB"},
    ]});
    let keys = PublicKeys::parse(&set.to_string(), &Algorithm::ALL).unwrap();
    assert_eq!(keys.len(), 2);
    assert!(recognise(&signer.sign(&claims()), &keys, &options()).is_ok());
}

#[test]
fn key_set_is_read_by_id_and_skips_foreign_keys() {
    let signer = signer(Algorithm::EdDsa);
    let x = URL_SAFE_NO_PAD.encode(point(&signer, 32));
    let set = json!({"keys": [
        {"kty": "OKP", "crv": "Ed25519", "kid": "a", "use": "sig", "alg": "EdDSA", "x": x},
        {"kty": "OKP", "crv": "Ed25519", "kid": "enc", "use": "enc", "x": x},
        {"kty": "OKP", "crv": "Ed25519", "kid": "other", "alg": "ES256", "x": x},
        {"kty": "OKP", "crv": "Ed25519", "kid": "unknown", "alg": "new", "x": x},
        {"kty": "OKP", "crv": "X25519", "kid": "dh", "x": x},
        {"kty": "oct", "kid": "hmac", "k": "c2VjcmV0"},
        {"kty": "EC", "crv": "P-384", "kid": "big", "x": "AA", "y": "AA"},
        {"kty": "OKP", "crv": "Ed25519", "kid": "private", "x": x, "d": "AA"},
        {"kty": "new", "kid": "later"},
        7,
    ]});
    let keys = PublicKeys::parse(&set.to_string(), &Algorithm::ALL).unwrap();
    assert_eq!(keys.len(), 1);
    let token = |id: Option<&str>| {
        let header = id.map_or(json!({}), |id| json!({"kid": id}));
        signer.sign_with(header, &claims())
    };
    assert!(recognise(&token(Some("a")), &keys, &options()).is_ok());
    assert!(recognise(&token(None), &keys, &options()).is_ok());
    assert!(reason(&token(Some("b")), &keys).contains("no key known here"));
}

#[test]
fn several_keys_in_one_pem_file_are_all_tried() {
    let (old, new) = (signer(Algorithm::EdDsa), signer(Algorithm::EdDsa));
    let both = format!("{}\n# the next one\n{}", old.public, new.public);
    let keys = PublicKeys::parse(&both, &Algorithm::ALL).unwrap();
    assert_eq!(keys.len(), 2);
    for signer in [old, new] {
        assert!(recognise(&signer.sign(&claims()), &keys, &options()).is_ok());
    }
}

#[test]
fn a_file_without_a_usable_public_key_is_refused() {
    let private = KeyPair::generate_for(&rcgen::PKCS_ED25519).unwrap().serialize_pem();
    let public = signer(Algorithm::EdDsa).public;
    for (text, expected) in [
        (private.as_str(), "private"),
        ("", "no public key"),
        ("-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n", "no public key"),
        ("{", "Key Set"),
        ("{\"keys\":1}", "`keys`"),
        ("{\"keys\":[]}", "no public key"),
    ] {
        let failure = PublicKeys::parse(text, &Algorithm::ALL).err().unwrap();
        assert_eq!(failure.code, Code::Configuration);
        assert!(failure.message.contains(expected), "{text:?}: {failure}");
    }
    assert!(PublicKeys::parse(&public, &[Algorithm::Es256]).is_err(), "no key for what is allowed");
}

#[test]
fn settings_that_are_half_there_are_refused_by_name() {
    assert!(JwtOptions::default().check().is_ok());
    assert!(options().check().is_ok());
    for (half, field) in [
        (JwtOptions { issuer: String::new(), ..options() }, "auth.jwt.issuer"),
        (JwtOptions { audience: String::new(), ..options() }, "auth.jwt.audience"),
        (
            JwtOptions { keys_file: PathBuf::new(), issuer: "http://id.example".into(), ..options() },
            "auth.jwt.issuer",
        ),
        (JwtOptions { refresh_seconds: 1.0, ..options() }, "auth.jwt.refresh_seconds"),
        (JwtOptions { algorithms: vec![], ..options() }, "auth.jwt.algorithms"),
        (JwtOptions { tenant_claim: String::new(), ..options() }, "auth.jwt.tenant_claim"),
        (JwtOptions { leeway_seconds: 301, ..options() }, "auth.jwt.leeway_seconds"),
    ] {
        assert_eq!(half.check().unwrap_err().field, field);
    }
    assert!(toml::from_str::<JwtOptions>("algorithms = [\"none\"]").is_err());
    assert!(toml::from_str::<JwtOptions>("algorithms = [\"HS256\"]").is_err());
}

proptest::proptest! {
    #[test]
    fn no_text_is_a_token(text in "\\PC{0,200}", parts in proptest::collection::vec("[A-Za-z0-9_-]{0,40}", 3)) {
        let keys = PublicKeys::parse(RSA_KEY, &Algorithm::ALL).unwrap();
        proptest::prop_assert!(recognise(&text, &keys, &options()).is_err());
        proptest::prop_assert!(recognise(&parts.join("."), &keys, &options()).is_err());
        let [header, claims, signature] = RSA_TOKEN;
        for forged in [
            format!("{}.{claims}.{signature}", parts[0]),
            format!("{header}.{}.{signature}", parts[1]),
            format!("{header}.{claims}.{}", parts[2]),
        ] {
            proptest::prop_assert!(recognise(&forged, &keys, &options()).is_err());
        }
    }

    #[test]
    fn no_text_upsets_the_reader_of_public_keys(text in "\\PC{0,200}") {
        let _ = PublicKeys::parse(&text, &Algorithm::ALL);
        let _ = PublicKeys::parse(&format!("{{\"keys\":[{text}]}}"), &Algorithm::ALL);
        let _ = PublicKeys::parse(&format!("-----BEGIN PUBLIC KEY-----\n{text}\n-----END PUBLIC KEY-----"), &Algorithm::ALL);
    }
}
