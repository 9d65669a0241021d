//! JSON Web Tokens of a configured issuer: signature, audience, life and claims, with the algorithms pinned.
//!
//! Only public keys and only the three algorithms of [`Algorithm`] exist here, so neither `none` nor a signature made
//! with a public key as an HMAC secret can be expressed. A token says which key it was made with; it never brings one.

use std::path::PathBuf;

use assay_domain::{Code, Failure, Identity, Role};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jsonwebtoken::errors::ErrorKind;
use jsonwebtoken::jwk::{AlgorithmParameters, EllipticCurve, Jwk, PublicKeyUse};
use jsonwebtoken::{DecodingKey, Validation};
use serde::Deserialize as _;
use serde_json::{Map, Value};

use crate::issuer;
use crate::keys::{PREFIX, is_name};
use crate::signatures;

/// Types that the header of a token may name (RFC 7519, 5.1; RFC 9068, 2.1); other kinds of tokens are not for asking.
const TYPES: [&str; 3] = ["jwt", "at+jwt", "application/at+jwt"];
/// Most seconds of tolerance between two clocks.
const MAX_LEEWAY_SECONDS: u64 = 300;
/// Least seconds between two fetches of keys.
const LEAST_REFRESH_SECONDS: f64 = 60.0;

/// A signature algorithm that may be allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Algorithm {
    /// Ed25519.
    #[serde(rename = "EdDSA")]
    EdDsa,
    /// ECDSA over P-256 with SHA-256.
    #[serde(rename = "ES256")]
    Es256,
    /// RSASSA-PKCS1-v1_5 with SHA-256.
    #[serde(rename = "RS256")]
    Rs256,
}

impl Algorithm {
    const ALL: [Self; 3] = [Self::EdDsa, Self::Es256, Self::Rs256];

    const fn as_str(self) -> &'static str {
        match self {
            Self::EdDsa => "EdDSA",
            Self::Es256 => "ES256",
            Self::Rs256 => "RS256",
        }
    }

    const fn of_library(self) -> jsonwebtoken::Algorithm {
        match self {
            Self::EdDsa => jsonwebtoken::Algorithm::EdDSA,
            Self::Es256 => jsonwebtoken::Algorithm::ES256,
            Self::Rs256 => jsonwebtoken::Algorithm::RS256,
        }
    }
}

/// Settings of tokens; without an issuer none is accepted.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct JwtOptions {
    /// Whose tokens are accepted: the exact `iss`.
    pub issuer: String,
    /// For whom they must be made: the `aud`, or one of them.
    pub audience: String,
    /// File of public keys, PEM or a JSON Web Key Set; read again when it changes. Empty finds them by OpenID discovery
    /// at the issuer, which is then an `https` address, or an `http` one on this machine.
    pub keys_file: PathBuf,
    /// Interval at which keys that were found by discovery are fetched again, in seconds; at least 60.
    pub refresh_seconds: f64,
    /// Algorithms that are accepted: `EdDSA`, `ES256`, `RS256`.
    pub algorithms: Vec<Algorithm>,
    /// Claim that names the principal; a name that begins with `/` is a JSON pointer.
    pub principal_claim: String,
    /// Claim that names the tenant.
    pub tenant_claim: String,
    /// Claim that lists the roles, as an array or separated by spaces. What is no role grants nothing.
    pub roles_claim: String,
    /// Tolerance between the clocks, in seconds; at most 300.
    pub leeway_seconds: u64,
}

impl Default for JwtOptions {
    fn default() -> Self {
        Self {
            issuer: String::new(),
            audience: String::new(),
            keys_file: PathBuf::new(),
            refresh_seconds: 3600.0,
            algorithms: Algorithm::ALL.to_vec(),
            principal_claim: "sub".into(),
            tenant_claim: "tenant".into(),
            roles_claim: "roles".into(),
            leeway_seconds: 30,
        }
    }
}

impl JwtOptions {
    /// Whether tokens are accepted.
    #[must_use]
    pub fn is_on(&self) -> bool {
        !self.issuer.is_empty() || !self.audience.is_empty() || !self.keys_file.as_os_str().is_empty()
    }

    /// Whether the keys are found by discovery.
    pub(crate) fn is_discovered(&self) -> bool {
        self.keys_file.as_os_str().is_empty()
    }

    /// Refuses settings that cannot work or are not safe.
    pub(crate) fn check(&self) -> Result<(), Failure> {
        if !self.is_on() {
            return Ok(());
        }
        let missing = [
            ("auth.jwt.issuer", self.issuer.is_empty()),
            ("auth.jwt.audience", self.audience.is_empty()),
            ("auth.jwt.algorithms", self.algorithms.is_empty()),
            ("auth.jwt.principal_claim", self.principal_claim.is_empty()),
            ("auth.jwt.tenant_claim", self.tenant_claim.is_empty()),
            ("auth.jwt.roles_claim", self.roles_claim.is_empty()),
        ];
        if let Some((field, _)) = missing.into_iter().find(|(_, missing)| *missing) {
            let text = format!("{field} is empty; tokens need an issuer, an audience, algorithms and claims");
            return Err(Failure::new(Code::Configuration, text).field(field));
        }
        if self.is_discovered() && !issuer::is_safe(&self.issuer) {
            let text = "keys are found by discovery at an https address, or at http on this machine; give auth.jwt.keys_file for \
                        another issuer";
            return Err(Failure::new(Code::Configuration, text).field("auth.jwt.issuer"));
        }
        if self.refresh_seconds.is_nan() || self.refresh_seconds < LEAST_REFRESH_SECONDS {
            let text = format!("auth.jwt.refresh_seconds must be at least {LEAST_REFRESH_SECONDS}");
            return Err(Failure::new(Code::Configuration, text).field("auth.jwt.refresh_seconds"));
        }
        if self.leeway_seconds > MAX_LEEWAY_SECONDS {
            let text = format!("auth.jwt.leeway_seconds must be at most {MAX_LEEWAY_SECONDS}");
            return Err(Failure::new(Code::Configuration, text).field("auth.jwt.leeway_seconds"));
        }
        Ok(())
    }
}

/// A public key and the one algorithm that it is used with.
struct PublicKey {
    id: Option<String>,
    algorithm: Algorithm,
    key: DecodingKey,
}

/// The public keys of a file or of an issuer.
pub(crate) struct PublicKeys(Vec<PublicKey>);

// === impl PublicKeys ===

impl PublicKeys {
    /// Reads PEM or a JSON Web Key Set. Keys for algorithms that are not allowed are passed over.
    ///
    /// # Errors
    /// `configuration` if the text cannot be read, holds a private key, or holds no usable key.
    pub(crate) fn parse(text: &str, allowed: &[Algorithm]) -> Result<Self, Failure> {
        signatures::install();
        let wrong = |text: String| Failure::new(Code::Configuration, text);
        if text.contains("PRIVATE KEY-----") {
            return Err(wrong("there is a private key in it; give the gateway public keys only".into()));
        }
        let found = if text.trim_start().starts_with('{') {
            of_set(text).map_err(|error| wrong(format!("no JSON Web Key Set: {error}")))?
        } else {
            of_pem(text)
        };
        let keys: Vec<PublicKey> = found.into_iter().filter(|key| allowed.contains(&key.algorithm)).collect();
        if keys.is_empty() {
            let names: Vec<&str> = allowed.iter().map(|algorithm| algorithm.as_str()).collect();
            return Err(wrong(format!("there is no public key for {} in it", names.join(", "))));
        }
        Ok(Self(keys))
    }

    /// How many keys there are.
    #[cfg(test)]
    fn len(&self) -> usize {
        self.0.len()
    }

    /// Ids of the keys.
    #[cfg(test)]
    pub(crate) fn ids(&self) -> Vec<String> {
        self.0.iter().filter_map(|key| key.id.clone()).collect()
    }

    /// Keys that a token with this header may have been made with.
    fn candidates<'a>(
        &'a self,
        algorithm: Algorithm,
        id: Option<&'a str>,
    ) -> impl Iterator<Item = &'a PublicKey> {
        self.0.iter().filter(move |key| {
            let fits = match (key.id.as_deref(), id) {
                (Some(known), Some(wanted)) => known == wanted,
                _ => true,
            };
            key.algorithm == algorithm && fits
        })
    }
}

fn of_pem(text: &str) -> Vec<PublicKey> {
    let begin = "-----BEGIN ";
    let starts = text.match_indices(begin).map(|(at, _)| at);
    let blocks = starts.filter_map(|at| {
        let rest = text.get(at..)?;
        let end = rest.get(begin.len()..)?.find(begin).map_or(rest.len(), |next| next + begin.len());
        rest.get(..end)
    });
    blocks
        .filter_map(|block| {
            let bytes = block.as_bytes();
            let key = |algorithm, key| PublicKey { id: None, algorithm, key };
            DecodingKey::from_ed_pem(bytes)
                .map(|found| key(Algorithm::EdDsa, found))
                .or_else(|_| DecodingKey::from_ec_pem(bytes).map(|found| key(Algorithm::Es256, found)))
                .or_else(|_| DecodingKey::from_rsa_pem(bytes).map(|found| key(Algorithm::Rs256, found)))
                .ok()
        })
        .collect()
}

fn of_set(text: &str) -> Result<Vec<PublicKey>, String> {
    let set: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
    // The library refuses a whole set for one key that it cannot read.
    let keys = set.get("keys").and_then(Value::as_array).ok_or("the array `keys` is missing")?;
    Ok(keys.iter().filter_map(of_jwk).collect())
}

/// A key of a set; none if it is not for signatures with one of our algorithms.
fn of_jwk(value: &Value) -> Option<PublicKey> {
    if value.get("d").is_some() {
        return None;
    }
    let jwk = Jwk::deserialize(value).ok()?;
    let algorithm = match &jwk.algorithm {
        AlgorithmParameters::OctetKeyPair(key) if key.curve == EllipticCurve::Ed25519 => Algorithm::EdDsa,
        AlgorithmParameters::EllipticCurve(key) if key.curve == EllipticCurve::P256 => Algorithm::Es256,
        AlgorithmParameters::RSA(_) => Algorithm::Rs256,
        _ => return None,
    };
    let signs = jwk.common.public_key_use.as_ref().is_none_or(|usage| *usage == PublicKeyUse::Signature);
    let agrees = jwk.common.key_algorithm.is_none_or(|named| named == algorithm.of_library().into());
    let key = DecodingKey::from_jwk(&jwk).ok().filter(|_| signs && agrees)?;
    Some(PublicKey { id: jwk.common.key_id, algorithm, key })
}

fn refused(text: impl Into<String>) -> Failure {
    Failure::new(Code::Unauthenticated, text).field("authorization")
}

/// Whether a credential has the form of a token and not that of a key: three parts without white space.
pub(crate) fn looks_like_one(credential: &str) -> bool {
    let plain = credential.bytes().all(|byte| byte.is_ascii_graphic());
    plain && credential.bytes().filter(|byte| *byte == b'.').count() == 2 && !credential.starts_with(PREFIX)
}

/// Why a token is refused.
#[derive(Debug)]
pub(crate) enum Refusal {
    /// No key known here signed it; newer keys may have.
    UnknownKey,
    /// Anything else.
    Other(Failure),
}

impl From<Failure> for Refusal {
    fn from(failure: Failure) -> Self {
        Self::Other(failure)
    }
}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::UnknownKey => refused("no key known here signed the token"),
            Refusal::Other(failure) => failure,
        }
    }
}

/// Who the bearer of a token is.
///
/// # Errors
/// `unauthenticated`, saying what is wrong with the token.
pub(crate) fn recognise(token: &str, keys: &PublicKeys, options: &JwtOptions) -> Result<Identity, Refusal> {
    let header = header(token).ok_or_else(|| refused("the token has no readable header"))?;
    let named = header.get("alg").and_then(Value::as_str).unwrap_or_default();
    let algorithm = options
        .algorithms
        .iter()
        .copied()
        .find(|algorithm| algorithm.as_str() == named)
        .ok_or_else(|| refused("the token is signed with an algorithm that is not accepted here"))?;
    if header.contains_key("crit") {
        return Err(refused("the token demands extensions that are not known here").into());
    }
    if header.get("typ").is_some_and(|named| !is_access_token(named)) {
        return Err(refused("the token is of another type; send an access token").into());
    }
    let mut validation = Validation::new(algorithm.of_library());
    validation.set_issuer(&[&options.issuer]);
    validation.set_audience(&[&options.audience]);
    validation.set_required_spec_claims(&["exp", "iss", "aud"]);
    validation.validate_nbf = true;
    validation.leeway = options.leeway_seconds;
    let mut reason = ErrorKind::InvalidSignature;
    for candidate in keys.candidates(algorithm, header.get("kid").and_then(Value::as_str)) {
        match jsonwebtoken::decode::<Map<String, Value>>(token, &candidate.key, &validation) {
            Ok(token) => return Ok(identity(&Value::Object(token.claims), options)?),
            Err(error) => {
                // A signature that one key does not explain may be another's; a claim is wrong under every key.
                reason = error.into_kind();
                if !matches!(reason, ErrorKind::InvalidSignature) {
                    break;
                }
            }
        }
    }
    let text = match reason {
        ErrorKind::InvalidSignature => return Err(Refusal::UnknownKey),
        ErrorKind::ExpiredSignature => "the token has expired; get a new one",
        ErrorKind::ImmatureSignature => "the token is not valid yet",
        ErrorKind::InvalidAudience => "the token is made for another audience",
        ErrorKind::InvalidIssuer => "the token comes from another issuer",
        ErrorKind::InvalidClaimFormat(_) => "a claim of the token is of the wrong type",
        ErrorKind::MissingRequiredClaim(_) => "the token lacks one of the claims exp, iss and aud",
        _ => "the token cannot be read",
    };
    Err(refused(text).into())
}

fn is_access_token(named: &Value) -> bool {
    named.as_str().is_some_and(|named| TYPES.iter().any(|known| known.eq_ignore_ascii_case(named)))
}

fn header(token: &str) -> Option<Map<String, Value>> {
    let bytes = URL_SAFE_NO_PAD.decode(token.split('.').next()?).ok()?;
    serde_json::from_slice(&bytes).ok()
}

/// The claim of this name; a name that begins with `/` is a JSON pointer.
fn claim<'a>(claims: &'a Value, name: &str) -> Option<&'a Value> {
    claims.get(name).or_else(|| if name.starts_with('/') { claims.pointer(name) } else { None })
}

fn identity(claims: &Value, options: &JwtOptions) -> Result<Identity, Failure> {
    // The library takes a list of issuers, too; a token has one.
    if claims.get("iss").and_then(Value::as_str) != Some(&options.issuer) {
        return Err(refused("the token comes from another issuer"));
    }
    let name = |which: &str| {
        let text = claim(claims, which).and_then(Value::as_str).filter(|text| is_name(text));
        text.map(str::to_owned).ok_or_else(|| refused(format!("the token has no usable claim `{which}`")))
    };
    let principal = name(&options.principal_claim)?;
    let tenant = name(&options.tenant_claim)?;
    let granted: Vec<&str> = match claim(claims, &options.roles_claim) {
        Some(Value::Array(items)) => items.iter().filter_map(Value::as_str).collect(),
        Some(Value::String(text)) => text.split_ascii_whitespace().collect(),
        _ => Vec::new(),
    };
    let roles = Role::ALL.iter().copied().filter(|role| granted.contains(&role.as_str())).collect();
    Ok(Identity { principal, tenant, roles })
}

#[cfg(test)]
#[path = "tokens_tests.rs"]
mod tests;
