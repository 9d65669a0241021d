//! The public keys of an OpenID provider: found by discovery, fetched again when they may have changed.
//!
//! OpenID Connect Discovery 1.0 names the address of the keys; RFC 8414 is the same for OAuth. The keys are fetched
//! every `auth.jwt.refresh_seconds`, and earlier when a token was signed with a key that is not known (rotation), but at
//! most once a minute. What cannot be fetched leaves the old keys in force.

use std::sync::Arc;
use std::time::Duration;

use arc_swap::ArcSwapOption;
use assay_domain::{Code, Failure};
use futures::StreamExt as _;
use http::{Uri, header};
use serde::Deserialize;
use serde_json::Value;
use tokio::sync::{Notify, Semaphore};
use tokio_util::sync::CancellationToken;

use crate::options::seconds;
use crate::tokens::{JwtOptions, PublicKeys};

/// Path of the document that describes an issuer.
const WELL_KNOWN: &str = "/.well-known/openid-configuration";
/// Most bytes of a document.
const MOST_BYTES: usize = 1024 * 1024;
/// Longest wait for a document.
const PATIENCE: Duration = Duration::from_secs(10);
/// Least time between two fetches that somebody asked for, and after one that failed.
const LEAST_BETWEEN: Duration = Duration::from_secs(60);
/// Codes that are exchanged at the same time.
const EXCHANGES: usize = 16;
/// Most characters of the name of a refusal.
const NAME_CHARS: usize = 64;
/// Time between two attempts before there are any keys.
const FIRST_BETWEEN: Duration = Duration::from_secs(1);

/// What an issuer says about itself.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Described {
    issuer: String,
    jwks_uri: String,
    /// Where people sign in.
    #[serde(default)]
    pub(crate) authorization_endpoint: String,
    /// Where a code is exchanged for a token.
    #[serde(default)]
    pub(crate) token_endpoint: String,
}

/// The keys of an issuer.
pub(crate) struct Issuer {
    options: JwtOptions,
    client: reqwest::Client,
    described: ArcSwapOption<Described>,
    keys: ArcSwapOption<PublicKeys>,
    wanted: Notify,
    exchanges: Semaphore,
    /// Least time between two fetches that somebody asked for.
    between: Duration,
}

impl std::fmt::Debug for Issuer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Issuer").field("issuer", &self.options.issuer).finish_non_exhaustive()
    }
}

/// Whether an address may be asked for keys: `https`, or `http` on this machine.
pub(crate) fn is_safe(address: &str) -> bool {
    let Ok(uri) = address.parse::<Uri>() else { return false };
    let local = matches!(uri.host(), Some("127.0.0.1" | "localhost" | "[::1]"));
    uri.host().is_some() && (uri.scheme_str() == Some("https") || (uri.scheme_str() == Some("http") && local))
}

// === impl Issuer ===

impl Issuer {
    /// The issuer of these options; nothing is fetched yet.
    ///
    /// # Errors
    /// `configuration` if no client can be made.
    pub(crate) fn of(options: &JwtOptions) -> Result<Self, Failure> {
        // Of a process that has one already, it stays.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = reqwest::Client::builder()
            .connect_timeout(PATIENCE)
            .timeout(PATIENCE)
            .redirect(reqwest::redirect::Policy::none())
            .build()
            .map_err(|error| {
                let text = format!("no HTTP client for the issuer can be made: {error}");
                Failure::new(Code::Configuration, text).field("auth.jwt.issuer")
            })?;
        Ok(Self {
            options: options.clone(),
            client,
            described: ArcSwapOption::empty(),
            keys: ArcSwapOption::empty(),
            wanted: Notify::new(),
            exchanges: Semaphore::new(EXCHANGES),
            between: LEAST_BETWEEN,
        })
    }

    /// The keys that hold now.
    ///
    /// # Errors
    /// `unavailable` before the first were fetched: a token is neither good nor bad then.
    pub(crate) fn keys(&self) -> Result<Arc<PublicKeys>, Failure> {
        self.keys.load_full().ok_or_else(|| self.not_yet())
    }

    /// What the issuer says about itself.
    ///
    /// # Errors
    /// `unavailable` before it was asked.
    pub(crate) fn described(&self) -> Result<Arc<Described>, Failure> {
        self.described.load_full().ok_or_else(|| self.not_yet())
    }

    fn not_yet(&self) -> Failure {
        let text = format!("{} has not answered yet; try again shortly", self.options.issuer);
        Failure::new(Code::Unavailable, text).field("auth.jwt.issuer")
    }

    /// Sends a form to the token endpoint and reads its reply. Neither is told to anyone: they hold secrets.
    ///
    /// # Errors
    /// `unauthenticated` if the endpoint refuses it, `configuration` if it refuses this gateway, `unavailable` if it does
    /// not answer.
    pub(crate) async fn post(&self, endpoint: &str, form: String) -> Result<Value, Failure> {
        let away = || {
            Failure::new(
                Code::Unavailable,
                "the token endpoint of the issuer does not answer; try again shortly",
            )
            .field("auth.jwt.issuer")
        };
        // Strangers can make us ask with guessed codes; so many at a time do not flood the issuer.
        let place = tokio::time::timeout(PATIENCE, self.exchanges.acquire()).await;
        let Ok(Ok(_place)) = place else { return Err(away()) };
        let request = self.client.post(endpoint).body(form);
        let request = request.header(header::CONTENT_TYPE, "application/x-www-form-urlencoded");
        let reply = request.header(header::ACCEPT, "application/json").send().await.map_err(|_| away())?;
        if reply.status().is_client_error() {
            return Err(self.refused(&whole(reply).await.unwrap_or_default()));
        }
        if !reply.status().is_success() {
            return Err(away());
        }
        let text = whole(reply).await.map_err(|_| away())?;
        serde_json::from_str(&text).map_err(|_| away())
    }

    /// The failure of a refused exchange. Only the name of its reason is logged (RFC 6749, 5.2).
    fn refused(&self, reply: &str) -> Failure {
        let reply: Value = serde_json::from_str(reply).unwrap_or_default();
        let named = reply.get("error").and_then(Value::as_str).unwrap_or("unnamed").chars();
        let error: String = named.filter(char::is_ascii_graphic).take(NAME_CHARS).collect();
        tracing::warn!(target: "assay::gateway", issuer = %self.options.issuer, %error, "the issuer refused a sign-in");
        if ["invalid_client", "unauthorized_client"].contains(&error.as_str()) {
            let text = "the issuer does not accept this gateway as its client; its operator has to look at the settings";
            return Failure::new(Code::Configuration, text).field("auth.sign_in");
        }
        let text = "the issuer did not exchange the code of the sign-in; begin again";
        Failure::new(Code::Unauthenticated, text).field("sign-in")
    }

    /// Asks for newer keys, since a token was signed with one that is not known.
    pub(crate) fn want_newer(&self) {
        self.wanted.notify_one();
    }

    /// Fetches the keys again and again until told to stop.
    pub(crate) async fn follow(self: Arc<Self>, stop: CancellationToken) {
        let mut failed = false;
        loop {
            match self.fetch().await {
                Ok(()) if failed => {
                    failed = false;
                    tracing::info!(target: "assay::gateway", issuer = %self.options.issuer, "the issuer answers again");
                }
                Ok(()) => {}
                Err(error) if !failed => {
                    failed = true;
                    tracing::error!(target: "assay::gateway", issuer = %self.options.issuer, %error, "its keys cannot be fetched; the old ones hold");
                }
                Err(_) => {}
            }
            let pause = match (failed, self.keys.load().is_some()) {
                (true, false) => FIRST_BETWEEN,
                (true, true) => LEAST_BETWEEN,
                (false, _) => seconds(self.options.refresh_seconds),
            };
            tokio::select! {
                () = stop.cancelled() => return,
                () = tokio::time::sleep(pause) => {}
                () = async { tokio::time::sleep(self.between).await; self.wanted.notified().await; } => {}
            }
        }
    }

    async fn fetch(&self) -> Result<(), String> {
        let issuer = &self.options.issuer;
        let address = format!("{}{WELL_KNOWN}", issuer.trim_end_matches('/'));
        let text = self.document(&address).await?;
        let described: Described =
            serde_json::from_str(&text).map_err(|error| format!("{address}: {error}"))?;
        if described.issuer != *issuer {
            return Err(format!("{address} is the document of {:?}", described.issuer));
        }
        for address in [&described.jwks_uri, &described.authorization_endpoint, &described.token_endpoint] {
            if !address.is_empty() && !is_safe(address) {
                return Err(format!("{address:?} is no https address"));
            }
        }
        let text = self.document(&described.jwks_uri).await?;
        let keys = PublicKeys::parse(&text, &self.options.algorithms).map_err(|failure| failure.message)?;
        self.described.store(Some(Arc::new(described)));
        self.keys.store(Some(Arc::new(keys)));
        Ok(())
    }

    async fn document(&self, address: &str) -> Result<String, String> {
        let failed = |error: &dyn std::fmt::Display| format!("{address}: {error}");
        let reply = self.client.get(address).send().await.map_err(|error| failed(&error))?;
        if !reply.status().is_success() {
            return Err(failed(&reply.status()));
        }
        whole(reply).await.map_err(|error| failed(&error))
    }
}

/// The text of a reply that is not too long.
async fn whole(reply: reqwest::Response) -> Result<String, String> {
    let (mut bytes, mut parts) = (Vec::new(), reply.bytes_stream());
    while let Some(part) = parts.next().await {
        bytes.extend_from_slice(&part.map_err(|error| error.to_string())?);
        if bytes.len() > MOST_BYTES {
            return Err("the document is too large".to_owned());
        }
    }
    String::from_utf8(bytes).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::sync::Mutex;

    use assay_rpc::task;
    use axum::Router;
    use axum::routing::get;
    use serde_json::json;

    use super::*;

    /// An issuer on a socket; what it says can be changed.
    struct Served {
        address: String,
        description: Arc<Mutex<Value>>,
        keys: Arc<Mutex<Value>>,
    }

    fn key(id: &str) -> Value {
        json!({"keys": [{"kty": "OKP", "crv": "Ed25519", "use": "sig", "kid": id,
            "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}]})
    }

    async fn served() -> Served {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let about = json!({"issuer": address, "jwks_uri": format!("{address}/keys")});
        let description = Arc::new(Mutex::new(about));
        let keys = Arc::new(Mutex::new(key("one")));
        let say = |held: &Arc<Mutex<Value>>| {
            let held = Arc::clone(held);
            get(move || {
                let text = held.lock().unwrap().to_string();
                async move { text }
            })
        };
        let app = Router::new().route(WELL_KNOWN, say(&description)).route("/keys", say(&keys));
        task::spawn(async move { axum::serve(listener, app).await.unwrap() });
        Served { address, description, keys }
    }

    fn issuer(served: &Served) -> Issuer {
        let options = JwtOptions { issuer: served.address.clone(), ..JwtOptions::default() };
        Issuer { between: Duration::ZERO, ..Issuer::of(&options).unwrap() }
    }

    #[tokio::test]
    async fn keys_are_fetched_again_when_one_is_unknown_and_kept_when_none_come() {
        let served = served().await;
        let issuer = Arc::new(issuer(&served));
        assert_eq!(issuer.keys().map(|_| ()).unwrap_err().code, Code::Unavailable);
        let stop = CancellationToken::new();
        let following = task::spawn(Arc::clone(&issuer).follow(stop.clone()));
        let ids = || issuer.keys().map(|keys| keys.ids()).unwrap_or_default();
        while ids() != ["one"] {
            tokio::task::yield_now().await;
        }
        *served.keys.lock().unwrap() = key("two");
        while ids() != ["two"] {
            issuer.want_newer();
            tokio::task::yield_now().await;
        }
        for broken in [json!({"keys": []}), json!("x")] {
            *served.keys.lock().unwrap() = broken;
            assert!(issuer.fetch().await.is_err());
            assert_eq!(ids(), ["two"], "the old keys hold");
        }
        stop.cancel();
        following.await.unwrap();
    }

    #[tokio::test]
    async fn a_document_of_somebody_else_is_refused() {
        let served = served().await;
        let issuer = issuer(&served);
        issuer.fetch().await.unwrap();
        for (name, value) in [
            ("issuer", "http://127.0.0.1:1"),
            ("jwks_uri", "http://keys.example/keys"),
            ("jwks_uri", "file:///etc/passwd"),
            ("token_endpoint", "http://tokens.example"),
        ] {
            let before = served.description.lock().unwrap().clone();
            served.description.lock().unwrap()[name] = json!(value);
            assert!(issuer.fetch().await.is_err(), "{name} {value}");
            *served.description.lock().unwrap() = before;
        }
        issuer.fetch().await.unwrap();
    }

    #[test]
    fn only_https_or_this_machine_is_asked() {
        for good in
            ["https://id.example", "https://id.example/realm", "http://127.0.0.1:8080", "http://localhost/x"]
        {
            assert!(is_safe(good), "{good}");
        }
        for bad in ["http://id.example", "ftp://id.example", "id.example", "", "https://"] {
            assert!(!is_safe(bad), "{bad}");
        }
    }
}
