//! Who comes in: credential, rate and role, in this order, for HTTP and gRPC alike.
//!
//! Without authentication, which is possible on loopback only, everyone is the local user and nothing is limited.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use assay_domain::{Code, Failure, Identity};
use assay_rpc::{clock, task};
use http::{HeaderMap, HeaderName, HeaderValue, header};
use tokio_util::sync::CancellationToken;

use crate::credentials;
use crate::issuer::Issuer;
use crate::keys::KeyRing;
use crate::limits::{Attempts, Rates, Standing};
use crate::options::{AuthOptions, Options, seconds};
use crate::peer::Proxies;
use crate::problem::Problem;
use crate::roles::{self, Needs};
use crate::tokens::{self, JwtOptions, PublicKeys, Refusal};
use crate::watched::Watched;

const RATE_LIMIT: HeaderName = HeaderName::from_static("ratelimit");
const RATE_LIMIT_POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");

/// Who makes a request, and its id; every handler of a route that is not open finds it in the extensions.
#[derive(Debug, Clone)]
pub(crate) struct Caller {
    /// The authenticated caller.
    pub(crate) identity: Identity,
    /// The id of the request; empty for work that no request asked for.
    pub(crate) request_id: Arc<str>,
}

impl From<Identity> for Caller {
    fn from(identity: Identity) -> Self {
        Self { identity, request_id: Arc::from("") }
    }
}

/// What recognises credentials.
struct Lock {
    keys: Option<Arc<Watched<KeyRing>>>,
    tokens: Option<(Keys, JwtOptions)>,
}

/// Where the public keys of tokens come from.
enum Keys {
    File(Arc<Watched<PublicKeys>>),
    Issuer(Arc<Issuer>),
}

// === impl Keys ===

impl Keys {
    fn of(options: &JwtOptions) -> Result<Self, Failure> {
        if options.is_discovered() {
            return Ok(Self::Issuer(Arc::new(Issuer::of(options)?)));
        }
        let allowed = options.algorithms.clone();
        let parse = move |text: &str| PublicKeys::parse(text, &allowed);
        Ok(Self::File(Arc::new(Watched::open(&options.keys_file, "auth.jwt.keys_file", parse)?)))
    }

    fn recognise(&self, token: &str, options: &JwtOptions) -> Result<Identity, Failure> {
        match self {
            Self::File(file) => Ok(tokens::recognise(token, &file.current(), options)?),
            Self::Issuer(issuer) => {
                let found = tokens::recognise(token, &*issuer.keys()?, options);
                if matches!(found, Err(Refusal::UnknownKey)) {
                    issuer.want_newer();
                }
                Ok(found?)
            }
        }
    }
}

/// Lets callers in.
pub(crate) struct Authorizer {
    /// None where no authentication is configured.
    lock: Option<Lock>,
    /// Name of the cookie of a sign-in; none where nobody signs in.
    cookie: Option<String>,
    attempts: Option<Attempts>,
    rates: Option<Rates>,
    proxies: Proxies,
    reload: Duration,
}

// === impl Lock ===

impl Lock {
    fn of(options: &AuthOptions) -> Result<Self, Failure> {
        let keys = if options.keys_file.as_os_str().is_empty() {
            None
        } else {
            Some(Arc::new(Watched::open(&options.keys_file, "auth.keys_file", KeyRing::parse)?))
        };
        let tokens =
            if options.jwt.is_on() { Some((Keys::of(&options.jwt)?, options.jwt.clone())) } else { None };
        if let Some(keys) = &keys {
            tracing::info!(target: "assay::gateway", keys = keys.current().len(), "API keys are read");
        }
        Ok(Self { keys, tokens })
    }

    fn open(&self, credential: &str) -> Result<Identity, Failure> {
        match (&self.keys, &self.tokens) {
            (_, Some((keys, options))) if tokens::looks_like_one(credential) => {
                keys.recognise(credential, options)
            }
            (Some(keys), _) => keys.current().recognise(credential, clock::unix_ms()),
            _ => {
                let text = "the credential is no token, and keys are not accepted here";
                Err(Failure::new(Code::Unauthenticated, text).field("authorization"))
            }
        }
    }
}

// === impl Authorizer ===

impl Authorizer {
    /// Reads the files that the options name.
    ///
    /// # Errors
    /// `configuration` naming the setting.
    pub(crate) fn of(options: &Options) -> Result<Self, Failure> {
        let required = options.auth.is_required();
        let lock = if required { Some(Lock::of(&options.auth)?) } else { None };
        Ok(Self {
            lock,
            cookie: options.auth.sign_in.cookie(),
            attempts: if required { Attempts::new(&options.rates) } else { None },
            rates: if required { Rates::new(&options.rates) } else { None },
            proxies: Proxies::parse(&options.trusted_proxies)?,
            reload: seconds(options.auth.reload_seconds),
        })
    }

    /// Proxies whose word about the client is taken.
    pub(crate) fn proxies(&self) -> &Proxies {
        &self.proxies
    }

    /// Name of the cookie that is a credential over HTTP; none where nobody signs in.
    pub(crate) fn cookie(&self) -> Option<&str> {
        self.cookie.as_deref()
    }

    /// Where the keys of tokens are found by discovery, their issuer.
    pub(crate) fn issuer(&self) -> Option<&Arc<Issuer>> {
        match &self.lock.as_ref()?.tokens {
            Some((Keys::Issuer(issuer), _)) => Some(issuer),
            _ => None,
        }
    }

    /// Who the bearer of a credential is.
    ///
    /// # Errors
    /// `unauthenticated`, saying what is wrong with it.
    pub(crate) fn identify(&self, credential: &str) -> Result<Identity, Failure> {
        self.lock.as_ref().map_or_else(|| Ok(Identity::local()), |lock| lock.open(credential))
    }

    /// Follows changes of the files until told to stop.
    pub(crate) fn watch(&self, stop: &CancellationToken) {
        let Some(lock) = &self.lock else { return };
        if let Some(keys) = &lock.keys {
            task::spawn(Arc::clone(keys).watch(self.reload, stop.clone()));
        }
        match &lock.tokens {
            Some((Keys::File(file), _)) => {
                task::spawn(Arc::clone(file).watch(self.reload, stop.clone()));
            }
            Some((Keys::Issuer(issuer), _)) => {
                task::spawn(Arc::clone(issuer).follow(stop.clone()));
            }
            None => {}
        }
    }

    /// Who the request comes from; `cookie` is the name of the one that may hold a token, `peer` the other end of the
    /// connection. A good credential opens whatever else came from its address; only wrong ones are counted.
    ///
    /// # Errors
    /// 401 without a good credential, 429 instead for a client that sent too many wrong ones.
    pub(crate) fn recognise(
        &self,
        headers: &HeaderMap,
        cookie: Option<&str>,
        peer: IpAddr,
    ) -> Result<Identity, Problem> {
        let Some(lock) = &self.lock else { return Ok(Identity::local()) };
        let failure = match credentials::of(headers, cookie).and_then(|credential| lock.open(credential)) {
            Ok(identity) => return Ok(identity),
            Err(failure) => failure,
        };
        let given = credentials::are_given(headers, cookie);
        // Who sends nothing guesses nothing, and costs nothing: a browser that has no key yet is not an attack.
        if given {
            self.may_try(headers, peer)?;
            self.failed(headers, peer);
        }
        Err(Problem::from(failure).with_header(header::WWW_AUTHENTICATE, challenge(given)))
    }

    /// Refuses a client that failed too often, before anything is done for it.
    ///
    /// # Errors
    /// 429, with the time to wait.
    pub(crate) fn may_try(&self, headers: &HeaderMap, peer: IpAddr) -> Result<(), Problem> {
        let client = self.proxies.client(peer, headers);
        let wait = self.attempts.as_ref().and_then(|attempts| attempts.wait(client, clock::now()));
        let Some(wait) = wait else { return Ok(()) };
        let seconds = ceil(wait);
        let text = format!(
            "too many wrong credentials or failed sign-ins came from this address; send the right one, or try the next \
             one in {seconds} s"
        );
        let failure = Failure::new(Code::ResourceExhausted, text).field("authorization");
        Err(Problem::from(failure).with_header(header::RETRY_AFTER, number(seconds)))
    }

    /// Counts a failure of a client.
    pub(crate) fn failed(&self, headers: &HeaderMap, peer: IpAddr) {
        if let Some(attempts) = &self.attempts {
            attempts.failed(self.proxies.client(peer, headers), clock::now());
        }
    }

    /// Lets somebody in who was recognised: how it stands with its rate, where there is one.
    ///
    /// # Errors
    /// 429 for a principal that asks too much, 403 without the role.
    pub(crate) fn admit(&self, identity: &Identity, needs: Needs) -> Result<Option<Standing>, Problem> {
        let standing =
            self.rates.as_ref().map(|rates| rates.spend(identity)).transpose().map_err(too_many)?;
        roles::permit(identity, needs)?;
        Ok(standing)
    }
}

fn ceil(time: Duration) -> u64 {
    time.as_secs() + u64::from(time.subsec_nanos() > 0)
}

fn number(value: u64) -> HeaderValue {
    HeaderValue::from(value)
}

/// What to send (RFC 6750); a wrong credential is told apart from a missing one.
fn challenge(given: bool) -> HeaderValue {
    if given {
        HeaderValue::from_static("Bearer realm=\"assay\", error=\"invalid_token\"")
    } else {
        HeaderValue::from_static("Bearer realm=\"assay\"")
    }
}

fn too_many(standing: Standing) -> Problem {
    let text = format!(
        "the caller makes more than {} requests a minute, the setting rates.requests_per_minute; wait {} s",
        standing.per_minute, standing.seconds
    );
    let failure = Failure::new(Code::ResourceExhausted, text).field("requests_per_minute");
    rate_headers(standing)
        .into_iter()
        .fold(Problem::from(failure), |problem, (name, value)| problem.with_header(name, value))
        .with_header(header::RETRY_AFTER, number(standing.seconds.max(1)))
}

/// How a caller stands, in the fields of the IETF draft on rate limits: quota `q` for a window of `w` seconds, `r`
/// requests left and `t` seconds until there are more.
pub(crate) fn rate_headers(standing: Standing) -> Vec<(HeaderName, HeaderValue)> {
    let Standing { per_minute, remaining, seconds } = standing;
    [
        (RATE_LIMIT_POLICY, format!("\"principal\";q={per_minute};w=60")),
        (RATE_LIMIT, format!("\"principal\";r={remaining};t={seconds}")),
    ]
    .into_iter()
    .filter_map(|(name, text)| Some((name, HeaderValue::try_from(text).ok()?)))
    .collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use assay_domain::Role;

    use super::*;
    use crate::keys::{Grant, KeysFile};

    const PEER: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(192, 0, 2, 1));

    fn bearer(credential: &str) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert(header::AUTHORIZATION, format!("Bearer {credential}").parse().unwrap());
        headers
    }

    fn locked(change: impl FnOnce(&mut Options)) -> (Authorizer, String, tempfile::TempDir) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("keys.toml");
        let mut file = KeysFile::default();
        let grant = Grant {
            principal: "ada".into(),
            tenant: "north".into(),
            roles: vec![Role::Ask],
            name: String::new(),
            days: None,
        };
        let key = file.issue(grant, [1; 6], [2; 32], 0).unwrap();
        std::fs::write(&path, file.render().unwrap()).unwrap();
        let mut options = Options::default();
        options.auth.keys_file = path;
        change(&mut options);
        (Authorizer::of(&options).unwrap(), key, folder)
    }

    fn enter(
        authorizer: &Authorizer,
        headers: &HeaderMap,
        needs: Needs,
    ) -> Result<(Identity, Option<Standing>), Problem> {
        let identity = authorizer.recognise(headers, None, PEER)?;
        let standing = authorizer.admit(&identity, needs)?;
        Ok((identity, standing))
    }

    fn code(authorizer: &Authorizer, headers: &HeaderMap, needs: Needs) -> Code {
        enter(authorizer, headers, needs).unwrap_err().failure.code
    }

    const ASK: Needs = Needs::Any(&[Role::Ask]);

    #[test]
    fn without_authentication_everyone_is_the_local_user() {
        let authorizer = Authorizer::of(&Options::default()).unwrap();
        for headers in [HeaderMap::new(), bearer("sk-whatever"), bearer("a.b.c")] {
            let entered = enter(&authorizer, &headers, Needs::Any(&[Role::Admin])).unwrap();
            assert_eq!(entered, (Identity::local(), None));
        }
    }

    #[test]
    fn a_key_opens_what_its_roles_allow() {
        let (authorizer, key, _folder) = locked(|_| ());
        let (identity, standing) = enter(&authorizer, &bearer(&key), ASK).unwrap();
        assert_eq!((identity.tenant.as_str(), standing.unwrap().remaining), ("north", 59));
        assert_eq!(code(&authorizer, &bearer(&key), Needs::Any(&[Role::Admin])), Code::PermissionDenied);
        assert_eq!(code(&authorizer, &HeaderMap::new(), ASK), Code::Unauthenticated);
        assert_eq!(code(&authorizer, &bearer("a.b.c"), ASK), Code::Unauthenticated);
    }

    #[test]
    fn wrong_keys_are_throttled_and_right_ones_are_not() {
        let (authorizer, key, _folder) = locked(|options| {
            options.rates.failures_per_minute = 1;
            options.rates.failure_burst = 3;
        });
        for _ in 0..3 {
            assert_eq!(code(&authorizer, &bearer("wrong"), ASK), Code::Unauthenticated);
        }
        let problem = authorizer.recognise(&bearer("wrong"), None, PEER).unwrap_err();
        assert_eq!(
            (problem.failure.code, problem.failure.field.as_str()),
            (Code::ResourceExhausted, "authorization")
        );
        assert!(problem.headers.contains_key(header::RETRY_AFTER));
        assert!(enter(&authorizer, &bearer(&key), ASK).is_ok(), "another user behind the same address");
        assert_eq!(
            code(&authorizer, &HeaderMap::new(), ASK),
            Code::Unauthenticated,
            "a browser without a key yet"
        );
        let elsewhere = "192.0.2.2".parse().unwrap();
        assert_eq!(
            authorizer.recognise(&bearer("wrong"), None, elsewhere).unwrap_err().failure.code,
            Code::Unauthenticated
        );
    }

    #[test]
    fn a_rate_is_told_and_held() {
        let (authorizer, key, _folder) = locked(|options| {
            options.rates.requests_per_minute = 1;
            options.rates.burst = 1;
        });
        assert!(enter(&authorizer, &bearer(&key), ASK).is_ok());
        let problem = enter(&authorizer, &bearer(&key), ASK).unwrap_err();
        assert_eq!(problem.failure.field, "requests_per_minute");
        assert_eq!(problem.headers[RATE_LIMIT_POLICY], "\"principal\";q=1;w=60");
        assert_eq!(problem.headers[RATE_LIMIT], "\"principal\";r=0;t=60");
        assert_eq!(problem.headers[header::RETRY_AFTER], "60");
    }

    #[test]
    fn a_challenge_tells_a_wrong_credential_from_a_missing_one() {
        let (authorizer, _, _folder) = locked(|_| ());
        let missing = authorizer.recognise(&HeaderMap::new(), None, PEER).unwrap_err();
        assert_eq!(missing.headers[header::WWW_AUTHENTICATE], "Bearer realm=\"assay\"");
        let wrong = authorizer.recognise(&bearer("x"), None, PEER).unwrap_err();
        assert!(wrong.headers[header::WWW_AUTHENTICATE].to_str().unwrap().contains("invalid_token"));
    }
}
