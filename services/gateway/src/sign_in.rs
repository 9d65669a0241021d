//! Signing in to the console at an OpenID provider: authorization code with PKCE (RFC 6749 §4.1, RFC 7636).
//!
//! The gateway exchanges the code; the page never sees a token. The access token is then kept in a cookie that no script
//! reads and no other site can send (`HttpOnly`, `SameSite=Strict`; `__Host-` over TLS), and requests of pages of other
//! origins are refused anyway. What a sign-in needs at its end (state, verifier, nonce, where to go on) is in a second
//! cookie of ten minutes, so that any gateway of several can end it. Each sign-in has its own, so that two tabs do not
//! meet.

use std::net::IpAddr;
use std::path::PathBuf;
use std::sync::Arc;

use askama::Template;
use assay_domain::{Code, Failure};
use assay_rpc::{entropy, task};
use axum::Router;
use axum::extract::{Extension, RawQuery, State};
use axum::response::{Html, IntoResponse as _, Response};
use axum::routing::{get, post};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use http::{HeaderMap, HeaderValue, StatusCode, header};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use crate::credentials;
use crate::issuer::{self, Described, Issuer};
use crate::peer::Peer;
use crate::problem::Problem;
use crate::routes::{App, Reply};
use crate::shared::Shared;

/// Cookie of a sign-in.
const COOKIE: &str = "assay-token";
/// Cookie of a sign-in that is under way; a part of its state follows.
const PENDING: &str = "assay-sign-in-";
/// Seconds that a sign-in may take.
const PENDING_SECONDS: u32 = 600;
/// Longest token that fits in a cookie, in bytes; browsers keep 4096 with name and attributes.
const MOST_TOKEN_BYTES: usize = 3800;
/// Path of the end of a sign-in, which the issuer has to know.
const CALLBACK: &str = "/sign-in/callback";

/// Settings of signing in; without a client id there is none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SignInOptions {
    /// Name under which the issuer knows this gateway; empty switches signing in off.
    pub client_id: String,
    /// File with the client's secret; empty for a public client.
    pub client_secret_file: PathBuf,
    /// What is asked for, separated by spaces.
    pub scopes: String,
    /// Address of this gateway as browsers see it, such as `https://assay.example`.
    pub address: String,
}

impl Default for SignInOptions {
    fn default() -> Self {
        Self {
            client_id: String::new(),
            client_secret_file: PathBuf::new(),
            scopes: "openid".into(),
            address: String::new(),
        }
    }
}

impl SignInOptions {
    /// Whether one can sign in.
    #[must_use]
    pub fn is_on(&self) -> bool {
        !self.client_id.is_empty()
    }

    /// Refuses settings that cannot work; `discovered` where the issuer is found by discovery.
    pub(crate) fn check(&self, discovered: bool) -> Result<(), Failure> {
        let wrong = |field: &str, text: &str| Err(Failure::new(Code::Configuration, text).field(field));
        if !self.is_on() {
            return Ok(());
        }
        if !discovered {
            let text =
                "signing in needs auth.jwt.issuer without a keys file, so that its endpoints are found";
            return wrong("auth.jwt.issuer", text);
        }
        let plain = self.address.matches('/').count() == 2;
        if !issuer::is_safe(&self.address) || !plain {
            let text = "the address of this gateway is https://HOST without a path, or http on this machine";
            return wrong("auth.sign_in.address", text);
        }
        Ok(())
    }

    /// Whether browsers come over TLS.
    pub(crate) fn secure(&self) -> bool {
        self.address.starts_with("https:")
    }

    /// Full name of the cookie that holds the token; none where nobody signs in.
    pub(crate) fn cookie(&self) -> Option<String> {
        self.is_on().then(|| full_name(COOKIE, self.secure()))
    }

    fn callback(&self) -> String {
        format!("{}{CALLBACK}", self.address)
    }
}

/// The routes.
pub(crate) fn routes() -> Router<Arc<Shared>> {
    Router::new()
        .route("/sign-in", get(begin))
        .route("/sign-in/callback", get(end))
        .route("/sign-out", post(sign_out))
}

/// What a sign-in needs at its end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Pending {
    state: String,
    verifier: String,
    nonce: String,
    go_on: String,
}

impl Pending {
    fn begun(go_on: String) -> Self {
        let word = || URL_SAFE_NO_PAD.encode([entropy::bytes16(), entropy::bytes16()].concat());
        Self { state: word(), verifier: word(), nonce: word(), go_on }
    }

    fn challenge(&self) -> String {
        URL_SAFE_NO_PAD.encode(Sha256::digest(self.verifier.as_bytes()))
    }

    /// Name of the cookie of the sign-in with this state.
    fn name(state: &str) -> String {
        format!("{PENDING}{}", state.get(..8).unwrap_or_default())
    }

    fn sealed(&self) -> String {
        URL_SAFE_NO_PAD.encode(serde_json::to_vec(self).unwrap_or_default())
    }

    fn read(text: &str) -> Option<Self> {
        serde_json::from_slice(&URL_SAFE_NO_PAD.decode(text).ok()?).ok()
    }
}

/// Only a path of this server, so that nobody is led elsewhere.
fn local(path: &str) -> bool {
    let bytes = path.as_bytes();
    bytes.first() == Some(&b'/')
        && !matches!(bytes.get(1), Some(b'/' | b'\\'))
        && bytes.iter().all(|byte| byte.is_ascii_graphic() && !b"\"<>\\".contains(byte))
}

fn named(query: Option<&str>) -> Vec<(String, String)> {
    form_urlencoded::parse(query.unwrap_or_default().as_bytes()).into_owned().collect()
}

fn form(pairs: &[(&str, &str)]) -> String {
    form_urlencoded::Serializer::new(String::new()).extend_pairs(pairs).finish()
}

fn refused(text: &str) -> Failure {
    Failure::new(Code::Unauthenticated, text).field("sign-in")
}

/// The issuer and its endpoints.
fn ready(shared: &Shared) -> Result<(&Arc<Issuer>, Arc<Described>), Failure> {
    let off =
        || Failure::new(Code::NotFound, "there is no sign-in here; use an API key").field("auth.sign_in");
    let issuer =
        shared.authorizer.issuer().filter(|_| shared.options.auth.sign_in.is_on()).ok_or_else(off)?;
    let described = issuer.described()?;
    if described.authorization_endpoint.is_empty() || described.token_endpoint.is_empty() {
        let text = "the issuer names no endpoints for people to sign in";
        return Err(Failure::new(Code::Configuration, text).field("auth.jwt.issuer"));
    }
    Ok((issuer, described))
}

async fn begin(State(shared): App, RawQuery(query): RawQuery) -> Reply {
    let (_, described) = ready(&shared)?;
    let go_on = named(query.as_deref())
        .into_iter()
        .find(|(name, _)| name == "return")
        .map_or("/".into(), |(_, path)| path);
    if !local(&go_on) {
        return Err(Failure::new(Code::InvalidArgument, "`return` is a path of this server")
            .field("return")
            .into());
    }
    let options = &shared.options.auth.sign_in;
    let pending = Pending::begun(go_on);
    let asked = form(&[
        ("response_type", "code"),
        ("client_id", &options.client_id),
        ("redirect_uri", &options.callback()),
        ("scope", &options.scopes),
        ("state", &pending.state),
        ("nonce", &pending.nonce),
        ("code_challenge", &pending.challenge()),
        ("code_challenge_method", "S256"),
    ]);
    let endpoint = &described.authorization_endpoint;
    let joint = if endpoint.contains('?') { '&' } else { '?' };
    let mut response = StatusCode::FOUND.into_response();
    put(&mut response, header::LOCATION, &format!("{endpoint}{joint}{asked}"))?;
    // The way back comes from the issuer's site: `Strict` would not be sent.
    let name = Pending::name(&pending.state);
    let cookie = cookie(&name, &pending.sealed(), PENDING_SECONDS, "Lax", options.secure());
    put(&mut response, header::SET_COOKIE, &cookie)?;
    Ok(response)
}

async fn end(
    State(shared): App,
    Extension(Peer(peer)): Extension<Peer>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Response {
    ended(&shared, peer.ip(), query.as_deref(), &headers).await.unwrap_or_else(|problem| {
        // A person reads it.
        let mut response = shown(problem.status(), &Refused { why: &problem.failure.message });
        response.headers_mut().extend(*problem.headers);
        response
    })
}

async fn ended(shared: &Shared, peer: IpAddr, query: Option<&str>, headers: &HeaderMap) -> Reply {
    let (issuer, described) = ready(shared)?;
    let options = &shared.options.auth.sign_in;
    let given = named(query);
    let of = |wanted: &str| given.iter().find(|(name, _)| name == wanted).map(|(_, value)| value.as_str());
    let pending = of("state").and_then(|state| {
        let sealed = credentials::cookie(headers, &full_name(&Pending::name(state), options.secure()))?;
        // Over plain HTTP another port of the host can set cookies.
        Pending::read(sealed).filter(|pending| pending.state == state && local(&pending.go_on))
    });
    let pending = pending
        .ok_or_else(|| refused("the sign-in is not one of this browser, or took too long; begin again"))?;
    let code = of("code").ok_or_else(|| match of("error") {
        Some("access_denied") => refused("the issuer was told not to let you in"),
        _ => refused("the issuer sent no code; begin again"),
    })?;
    shared.authorizer.may_try(headers, peer)?;
    let exchanged = exchanged(issuer, &described.token_endpoint, options, code, &pending).await;
    // Whoever comes in by a cookie comes in by the same rules as every bearer of a token.
    let let_in = exchanged
        .and_then(|(token, life)| shared.authorizer.identify(&token).map(|_| (token, life)))
        .inspect_err(|failure| {
            if failure.code == Code::Unauthenticated {
                shared.authorizer.failed(headers, peer);
            }
        });
    let (token, life) = let_in?;
    let mut response = shown(StatusCode::OK, &GoingOn { go_on: &pending.go_on });
    let kept = cookie(COOKIE, &token, life, "Strict", options.secure());
    put(&mut response, header::SET_COOKIE, &kept)?;
    let gone = cookie(&Pending::name(&pending.state), "", 0, "Lax", options.secure());
    if let Ok(gone) = HeaderValue::from_str(&gone) {
        response.headers_mut().append(header::SET_COOKIE, gone);
    }
    Ok(response)
}

/// The access token that the issuer gives for a code, and the seconds that it lives.
async fn exchanged(
    issuer: &Issuer,
    endpoint: &str,
    options: &SignInOptions,
    code: &str,
    pending: &Pending,
) -> Result<(String, u32), Failure> {
    let secret = secret(&options.client_secret_file).await?;
    let callback = options.callback();
    let mut asked = vec![
        ("grant_type", "authorization_code"),
        ("code", code),
        ("redirect_uri", &callback),
        ("client_id", &options.client_id),
        ("code_verifier", &pending.verifier),
    ];
    asked.extend(secret.as_deref().map(|secret| ("client_secret", secret)));
    let reply = issuer.post(endpoint, form(&asked)).await?;
    let text = |name: &str| reply.get(name).and_then(Value::as_str);
    // OpenID Connect 3.1.3.3: whoever asks for `openid` gets an ID token, which has the nonce.
    let promised = options.scopes.split_ascii_whitespace().any(|scope| scope == "openid");
    let own = text("id_token").and_then(claims).unwrap_or_default();
    if (promised || text("id_token").is_some())
        && own.get("nonce").and_then(Value::as_str) != Some(&pending.nonce)
    {
        return Err(refused("the issuer sent no ID token of this sign-in; begin again"));
    }
    let token = text("access_token").unwrap_or_default();
    if token.len() > MOST_TOKEN_BYTES {
        let text =
            format!("the issuer's access token has {} bytes; a cookie holds {MOST_TOKEN_BYTES}", token.len());
        return Err(Failure::new(Code::PayloadTooLarge, text).field("sign-in"));
    }
    let life = reply.get("expires_in").and_then(Value::as_u64).and_then(|life| u32::try_from(life).ok());
    Ok((token.to_owned(), life.unwrap_or(3600)))
}

async fn sign_out(State(shared): App) -> Reply {
    let mut response = StatusCode::NO_CONTENT.into_response();
    let gone = cookie(COOKIE, "", 0, "Strict", shared.options.auth.sign_in.secure());
    put(&mut response, header::SET_COOKIE, &gone)?;
    Ok(response)
}

/// A page that goes on by itself: a redirect from another site would not bring the new cookie along.
#[derive(Template)]
#[template(
    ext = "html",
    source = r#"<!doctype html><html lang="en"><title>Assay</title>
<meta http-equiv="refresh" content="0;url={{ go_on }}"><p><a href="{{ go_on }}">Assay</a></p></html>"#
)]
struct GoingOn<'a> {
    go_on: &'a str,
}

/// A page that says why there is no sign-in.
#[derive(Template)]
#[template(
    ext = "html",
    source = r#"<!doctype html><html lang="en"><title>Assay</title>
<p>{{ why }}</p><p><a href="/sign-in">Sign in</a></p></html>"#
)]
struct Refused<'a> {
    why: &'a str,
}

/// A page that loads nothing.
fn shown(status: StatusCode, page: &impl Template) -> Response {
    let policy = HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'");
    // Writing to a string does not fail.
    let page = Html(page.render().unwrap_or_default());
    (status, [(header::CONTENT_SECURITY_POLICY, policy)], page).into_response()
}

/// The claims of a token that came from its issuer itself; the way it came vouches for it (OpenID Connect 3.1.3.7).
fn claims(token: &str) -> Option<Value> {
    serde_json::from_slice(&URL_SAFE_NO_PAD.decode(token.split('.').nth(1)?).ok()?).ok()
}

/// The name of a cookie; over TLS no other host can set it.
fn full_name(name: &str, secure: bool) -> String {
    if secure { format!("__Host-{name}") } else { name.to_owned() }
}

fn cookie(name: &str, value: &str, seconds: u32, site: &str, secure: bool) -> String {
    let name = full_name(name, secure);
    let secure = if secure { "; Secure" } else { "" };
    format!("{name}={value}; Path=/; Max-Age={seconds}; HttpOnly; SameSite={site}{secure}")
}

fn put(response: &mut Response, name: http::HeaderName, value: &str) -> Result<(), Problem> {
    let value = HeaderValue::from_str(value)
        .map_err(|_| Failure::internal("a header of the sign-in has characters that none has"))?;
    response.headers_mut().insert(name, value);
    Ok(())
}

async fn secret(file: &std::path::Path) -> Result<Option<String>, Failure> {
    if file.as_os_str().is_empty() {
        return Ok(None);
    }
    let file = file.to_owned();
    let read = task::blocking(move || std::fs::read_to_string(&file)).await.map_err(Failure::from)?;
    let text = read.map_err(|error| {
        let text = format!("the file of the client's secret cannot be read: {error}");
        Failure::new(Code::Configuration, text).field("auth.sign_in.client_secret_file")
    })?;
    Ok(Some(text.trim().to_owned()))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn only_paths_of_this_server_are_gone_on_to() {
        for good in ["/", "/review", "/records?text=a%20b#x"] {
            assert!(local(good), "{good}");
        }
        for bad in [
            "",
            "review",
            "//evil.example",
            "/\\evil.example",
            "https://evil.example",
            "/\"><script>",
            "/a b",
            "/\n",
        ] {
            assert!(!local(bad), "{bad:?}");
        }
    }

    #[test]
    fn a_challenge_is_the_one_of_the_rfc_and_a_pending_sign_in_survives_its_cookie() {
        // RFC 7636, appendix B.
        let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk".to_owned();
        let pending = Pending { verifier, ..Pending::begun("/review".into()) };
        assert_eq!(pending.challenge(), "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM");
        assert_eq!(Pending::read(&pending.sealed()), Some(pending.clone()));
        assert_ne!(Pending::begun("/".into()).state, pending.state);
        assert_eq!(Pending::read("x"), None);
    }

    #[test]
    fn cookies_are_for_this_host_and_no_script() {
        let kept = cookie(COOKIE, "t", 60, "Strict", true);
        assert_eq!(kept, "__Host-assay-token=t; Path=/; Max-Age=60; HttpOnly; SameSite=Strict; Secure");
        let name = Pending::name("0123456789");
        assert!(cookie(&name, "p", 600, "Lax", false).starts_with("assay-sign-in-01234567=p;"));
    }
}
