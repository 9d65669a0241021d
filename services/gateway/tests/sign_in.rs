//! Signing in at an issuer that the test serves: discovery, authorization code with PKCE, the cookie, what is refused.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod scripted;

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock, Mutex};

use assay_domain::Role;
use assay_gateway::Options;
use assay_gateway::keys::{Grant, KeysFile};
use assay_proto::retrieval::ListCollectionsRequest;
use assay_proto::retrieval::retrieval_service_client::RetrievalServiceClient;
use assay_rpc::{clock, task};
use axum::Router;
use axum::extract::Form;
use axum::http::StatusCode;
use axum::routing::{get, post};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use rcgen::KeyPair;
use ring::signature::Ed25519KeyPair;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use scripted::{AUDIT_ID, Bench, Lines, Reply};

/// Warnings that the gateways of all tests log.
static LOG: LazyLock<Lines> = LazyLock::new(|| Lines::hear("assay=warn"));

/// What the issuer knows of the one sign-in under way, and what it does about it.
#[derive(Default)]
struct Known {
    challenge: String,
    nonce: String,
    used: bool,
    /// Codes that were to be exchanged.
    exchanges: usize,
    /// Whether the gateway is a client that it does not know.
    stranger: bool,
    /// Field that its reply lacks.
    lacks: &'static str,
}

/// An issuer on a socket.
struct Issuer {
    address: String,
    pair: Arc<KeyPair>,
    known: Arc<Mutex<Known>>,
}

fn signed(pair: &KeyPair, claims: &Value) -> String {
    let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
    let text = format!("{}.{}", part(&json!({"alg": "EdDSA", "typ": "JWT"})), part(claims));
    let signature = Ed25519KeyPair::from_pkcs8(&pair.serialize_der()).unwrap().sign(text.as_bytes());
    format!("{text}.{}", URL_SAFE_NO_PAD.encode(signature))
}

impl Issuer {
    async fn start(roles: Value) -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let pair = Arc::new(KeyPair::generate_for(&rcgen::PKCS_ED25519).unwrap());
        let known: Arc<Mutex<Known>> = Arc::default();
        let about = json!({"issuer": address, "jwks_uri": format!("{address}/keys"),
            "authorization_endpoint": format!("{address}/authorize?tenant=a"), "token_endpoint": format!("{address}/token")});
        let x = URL_SAFE_NO_PAD.encode(pair.public_key_raw());
        let keys = json!({"keys": [{"kty": "OKP", "crv": "Ed25519", "x": x, "use": "sig"}]});
        let token = {
            let (address, pair, known) = (address.clone(), Arc::clone(&pair), Arc::clone(&known));
            move |Form(form): Form<BTreeMap<String, String>>| {
                let reply = exchanged(&address, &pair, &known, &form, &roles);
                async move { reply }
            }
        };
        let app = Router::new()
            .route("/.well-known/openid-configuration", get(move || async move { about.to_string() }))
            .route("/keys", get(move || async move { keys.to_string() }))
            .route("/token", post(token));
        task::spawn(async move { axum::serve(listener, app).await.unwrap() });
        Self { address, pair, known }
    }

    async fn bench(&self) -> Bench {
        self.bench_with(|_| ()).await
    }

    async fn bench_with(&self, change: impl FnOnce(&mut Options)) -> Bench {
        let issuer = self.address.clone();
        let bench = Bench::with(move |options| {
            options.auth.jwt.issuer = issuer;
            options.auth.jwt.audience = "assay".into();
            options.auth.sign_in.client_id = "console".into();
            options.auth.sign_in.address = "http://127.0.0.1:7100".into();
            options.rates.failures_per_minute = 0;
            change(options);
        })
        .await;
        // Nobody is let in, and nobody turned away, before the issuer has answered.
        while bench.get("/sign-in").await.status == 503 {
            tokio::task::yield_now().await;
        }
        bench
    }
}

impl Issuer {
    /// An access token for somebody with these roles.
    fn token(&self, roles: &Value) -> String {
        let exp = clock::unix_ms() / 1000 + 60;
        let claims = json!({"iss": self.address, "aud": "assay", "exp": exp, "sub": "ada", "tenant": "north", "roles": roles});
        signed(&self.pair, &claims)
    }
}

/// The token endpoint: the code once, with the verifier of its challenge.
fn exchanged(
    address: &str,
    pair: &KeyPair,
    known: &Mutex<Known>,
    form: &BTreeMap<String, String>,
    roles: &Value,
) -> (StatusCode, String) {
    let mut known = known.lock().unwrap();
    known.exchanges += 1;
    if known.stranger {
        return (StatusCode::UNAUTHORIZED, json!({"error": "invalid_client"}).to_string());
    }
    let verifier = form.get("code_verifier").map_or("", String::as_str);
    let fits = URL_SAFE_NO_PAD.encode(Sha256::digest(verifier)) == known.challenge
        && form["code"] == "c0de 7"
        && form["redirect_uri"] == "http://127.0.0.1:7100/sign-in/callback"
        && form["client_id"] == "console";
    if !fits || std::mem::replace(&mut known.used, true) {
        return (StatusCode::BAD_REQUEST, json!({"error": "invalid_grant"}).to_string());
    }
    let exp = clock::unix_ms() / 1000 + 60;
    let access = signed(
        pair,
        &json!({"iss": address, "aud": "assay", "exp": exp, "sub": "ada", "tenant": "north", "roles": roles}),
    );
    let id = signed(pair, &json!({"iss": address, "aud": "console", "exp": exp, "nonce": known.nonce}));
    let mut reply = json!({"access_token": access, "id_token": id, "expires_in": 60});
    reply.as_object_mut().unwrap().shift_remove(known.lacks);
    (StatusCode::OK, reply.to_string())
}

/// The parameters of an address.
fn parameters(address: &str) -> BTreeMap<String, String> {
    let query = address.split_once('?').unwrap().1;
    query
        .split('&')
        .map(|pair| pair.split_once('=').unwrap())
        .map(|(a, b)| (a.to_owned(), b.to_owned()))
        .collect()
}

async fn with_cookie(bench: &Bench, path: &str, cookie: &str) -> Reply {
    bench
        .raw(&format!(
            "GET {path} HTTP/1.1\r\nHost: {{host}}\r\nCookie: {cookie}\r\nConnection: close\r\n\r\n"
        ))
        .await
}

/// Begins a sign-in: the cookie and the state.
async fn begun(issuer: &Issuer, bench: &Bench) -> (String, String) {
    begun_for(issuer, bench, "/review").await
}

/// Begins a sign-in that goes on to this path, which is in the form of a parameter.
async fn begun_for(issuer: &Issuer, bench: &Bench, go_on: &str) -> (String, String) {
    let begun = bench.get(&format!("/sign-in?return={go_on}")).await;
    assert_eq!(begun.status, 302, "{begun:?}");
    let address = begun.header("location");
    assert!(
        address.starts_with(&format!("{}/authorize?tenant=a&response_type=code&", issuer.address)),
        "{address}"
    );
    let asked = parameters(&address);
    assert_eq!((asked["client_id"].as_str(), asked["code_challenge_method"].as_str()), ("console", "S256"));
    *issuer.known.lock().unwrap() = Known {
        challenge: asked["code_challenge"].clone(),
        nonce: asked["nonce"].clone(),
        ..Known::default()
    };
    let cookie = begun.header("set-cookie");
    assert!(cookie.contains("HttpOnly; SameSite=Lax"), "{cookie}");
    (cookie.split(';').next().unwrap().to_owned(), asked["state"].clone())
}

#[tokio::test]
async fn a_person_signs_in_and_out() {
    let issuer = Issuer::start(json!(["ask", "review"])).await;
    let bench = issuer.bench().await;
    let ways = bench.get("/v1/sign-in").await.json();
    assert_eq!((&ways["required"], &ways["sign_in"]), (&json!(true), &json!("/sign-in")));
    assert_eq!(bench.get("/v1/me").await.status, 401);
    let (cookie, state) = begun(&issuer, &bench).await;
    let ended = with_cookie(&bench, &format!("/sign-in/callback?code=c0de+7&state={state}"), &cookie).await;
    assert_eq!(ended.status, 200, "{}", ended.text());
    assert!(ended.text().contains("content=\"0;url=/review\""), "{}", ended.text());
    let kept = ended.header("set-cookie");
    assert!(kept.contains("HttpOnly; SameSite=Strict"), "{kept}");
    let token = kept.split(';').next().unwrap();
    let me = with_cookie(&bench, "/v1/me", token).await;
    assert_eq!(
        (me.status, &me.json()["principal"], &me.json()["roles"]),
        (200, &json!("ada"), &json!(["ask", "review"]))
    );
    // A page of another site cannot use it.
    let foreign = format!("Cookie: {token}\r\nOrigin: https://evil.example\r\n");
    assert_eq!(bench.post("/v1/ask", br#"{"query": "q"}"#, &foreign).await.status, 403);
    let own = format!("Cookie: {token}\r\n");
    assert_eq!(bench.post("/v1/ask", br#"{"query": "q"}"#, &own).await.status, 200);
    let out = bench.post("/sign-out", b"", "").await;
    assert_eq!(out.status, 204);
    assert!(out.header("set-cookie").starts_with("assay-token=; Path=/; Max-Age=0"));
    bench.stop().await;
}

#[tokio::test]
async fn what_is_forged_replayed_or_led_elsewhere_is_refused() {
    LazyLock::force(&LOG);
    let issuer = Issuer::start(json!(["ask"])).await;
    let bench = issuer.bench().await;
    let (cookie, state) = begun(&issuer, &bench).await;
    let good = format!("/sign-in/callback?code=c0de+7&state={state}");
    for (path, cookie) in [
        (good.as_str(), "a=b"),
        ("/sign-in/callback?code=c0de+7&state=forged", cookie.as_str()),
        ("/sign-in/callback?code=c0de+7", cookie.as_str()),
        (&*format!("/sign-in/callback?error=access_denied&state={state}"), cookie.as_str()),
        (&*format!("/sign-in/callback?code=another&state={state}"), cookie.as_str()),
    ] {
        let refused = with_cookie(&bench, path, cookie).await;
        assert_eq!(refused.status, 401, "{path}");
        assert_eq!(refused.header("content-type"), "text/html; charset=utf-8", "a person reads it");
        assert!(refused.text().contains("href=\"/sign-in\""), "{}", refused.text());
        assert!(!refused.text().contains("c0de"), "no code is told");
    }
    assert!(LOG.all().contains("invalid_grant") && !LOG.all().contains("c0de"), "{}", LOG.all());
    assert_eq!(with_cookie(&bench, &good, &cookie).await.status, 200);
    assert_eq!(with_cookie(&bench, &good, &cookie).await.status, 401, "a code is exchanged once");
    // Another sign-in's token, put under this one.
    let (cookie, state) = begun(&issuer, &bench).await;
    issuer.known.lock().unwrap().nonce = "other".into();
    let other = with_cookie(&bench, &format!("/sign-in/callback?code=c0de+7&state={state}"), &cookie).await;
    assert_eq!(other.status, 401, "{}", other.text());
    for elsewhere in ["//evil.example", "https://evil.example", "%2F%2Fevil.example", "/%22%3E"] {
        assert_eq!(bench.get(&format!("/sign-in?return={elsewhere}")).await.status, 400, "{elsewhere}");
    }
    let stranger = KeyPair::generate_for(&rcgen::PKCS_ED25519).unwrap();
    let claims = json!({"iss": issuer.address, "aud": "assay", "exp": clock::unix_ms() / 1000 + 60, "sub": "eve",
        "tenant": "north", "roles": ["admin"]});
    let own = signed(&issuer.pair, &claims);
    let cut = own.rsplit_once('.').unwrap().0;
    for forged in [signed(&stranger, &claims), format!("{cut}."), "x".to_owned()] {
        assert_eq!(with_cookie(&bench, "/v1/me", &format!("assay-token={forged}")).await.status, 401);
    }
    assert_eq!(with_cookie(&bench, "/v1/me", &format!("assay-token={own}")).await.status, 200);
    let roleless = format!("assay-token={}", issuer.token(&json!([])));
    let me = with_cookie(&bench, "/v1/me", &roleless).await;
    assert_eq!((me.status, &me.json()["roles"]), (200, &json!([])), "who is known knows who that is");
    assert_eq!(with_cookie(&bench, "/v1/collections", &roleless).await.status, 403);
    bench.stop().await;
}

#[tokio::test]
async fn the_issuer_may_refuse_the_gateway_and_owes_an_id_token() {
    LazyLock::force(&LOG);
    let issuer = Issuer::start(json!(["ask"])).await;
    for (scopes, unsigned) in [("openid", 401), ("profile", 200)] {
        let bench = issuer.bench_with(|options| options.auth.sign_in.scopes = scopes.into()).await;
        let (cookie, state) = begun(&issuer, &bench).await;
        let path = format!("/sign-in/callback?code=c0de+7&state={state}");
        issuer.known.lock().unwrap().stranger = true;
        let stranger = with_cookie(&bench, &path, &cookie).await;
        assert_eq!(stranger.status, 500, "{}", stranger.text());
        assert!(LOG.all().contains("invalid_client"), "the operator is told");
        {
            let mut known = issuer.known.lock().unwrap();
            (known.stranger, known.lacks) = (false, "id_token");
        }
        assert_eq!(with_cookie(&bench, &path, &cookie).await.status, unsigned, "{scopes}");
        bench.stop().await;
    }
}

#[tokio::test]
async fn two_tabs_sign_in_beside_each_other() {
    let issuer = Issuer::start(json!(["ask"])).await;
    let bench = issuer.bench().await;
    let (first, _) = begun(&issuer, &bench).await;
    let (second, state) = begun(&issuer, &bench).await;
    assert_ne!(first.split('=').next(), second.split('=').next());
    let path = format!("/sign-in/callback?code=c0de+7&state={state}");
    let ended = with_cookie(&bench, &path, &format!("{first}; {second}")).await;
    assert_eq!(ended.status, 200, "{}", ended.text());
    bench.stop().await;
}

#[tokio::test]
async fn failed_sign_ins_are_throttled_before_the_issuer_is_asked() {
    let issuer = Issuer::start(json!(["ask"])).await;
    let bench = issuer
        .bench_with(|options| {
            options.rates.failures_per_minute = 1;
            options.rates.failure_burst = 2;
        })
        .await;
    let (cookie, state) = begun(&issuer, &bench).await;
    for expected in [401, 401, 429] {
        let path = format!("/sign-in/callback?code=guessed&state={state}");
        let reply = with_cookie(&bench, &path, &cookie).await;
        assert_eq!((reply.status, reply.header("retry-after").is_empty()), (expected, expected == 401));
    }
    assert_eq!(issuer.known.lock().unwrap().exchanges, 2);
    bench.stop().await;
}

#[tokio::test]
async fn nobody_is_led_to_another_host_by_markup_or_by_a_forged_cookie() {
    let issuer = Issuer::start(json!(["ask"])).await;
    let bench = issuer.bench().await;
    let end = async |cookie: &str, state: &str| {
        with_cookie(&bench, &format!("/sign-in/callback?code=c0de+7&state={state}"), cookie).await
    };
    let (cookie, state) = begun_for(&issuer, &bench, "%2F%26sol%3Bevil.example%3Fa%3D%27").await;
    let page = end(&cookie, &state).await;
    assert_eq!(page.status, 200, "{}", page.text());
    assert_eq!(page.text().matches("/&#38;sol;evil.example?a=&#39;\"").count(), 2, "{}", page.text());

    let (cookie, state) = begun(&issuer, &bench).await;
    let (name, sealed) = cookie.split_once('=').unwrap();
    let mut pending: Value = serde_json::from_slice(&URL_SAFE_NO_PAD.decode(sealed).unwrap()).unwrap();
    for elsewhere in ["//evil.example", "https://evil.example", "/\"><script>"] {
        pending["go_on"] = json!(elsewhere);
        let forged = format!("{name}={}", URL_SAFE_NO_PAD.encode(pending.to_string()));
        let refused = end(&forged, &state).await;
        assert_eq!(refused.status, 401, "{elsewhere}");
        assert!(!refused.text().contains("evil") && !refused.text().contains("script"), "{elsewhere}");
    }
    bench.stop().await;
}

#[tokio::test]
async fn a_cookie_is_a_credential_over_http_and_only_where_one_signs_in() {
    let issuer = Issuer::start(json!([])).await;
    let token = issuer.token(&json!(["ask"]));
    let status =
        async |bench: &Bench, cookie: &str| with_cookie(bench, "/v1/collections", cookie).await.status;
    let safe =
        issuer.bench_with(|options| options.auth.sign_in.address = "https://assay.example".into()).await;
    assert_eq!(status(&safe, &format!("__Host-assay-token={token}")).await, 200);
    assert_eq!(status(&safe, &format!("assay-token={token}")).await, 401, "any host could have set it");
    let from = async |page: &str, credential: &str| {
        let request = format!(
            "GET /v1/me HTTP/1.1\r\nHost: assay.example\r\n{page}{credential}Connection: close\r\n\r\n"
        );
        safe.raw(&request).await.status
    };
    let cookie = format!("Cookie: __Host-assay-token={token}\r\n");
    let bearer = format!("Authorization: Bearer {token}\r\n");
    for (page, by_cookie) in [
        ("Sec-Fetch-Site: same-origin\r\nOrigin: https://assay.example\r\n", 200),
        ("Sec-Fetch-Site: none\r\n", 200),
        ("Sec-Fetch-Site: same-site\r\n", 403),
        ("Origin: http://assay.example\r\n", 403),
    ] {
        assert_eq!(from(page, &cookie).await, by_cookie, "{page}");
        assert_eq!(from(page, &bearer).await, 200, "{page} sends no header by itself");
    }
    let mut request = tonic::Request::new(ListCollectionsRequest {});
    request.metadata_mut().insert("cookie", format!("__Host-assay-token={token}").parse().unwrap());
    let refused = RetrievalServiceClient::new(safe.door().await).list_collections(request).await.unwrap_err();
    assert_eq!(refused.code(), tonic::Code::Unauthenticated);
    safe.stop().await;

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
    let key = file.issue(grant, [1; 6], [2; 32], 1_790_000_000_000).unwrap();
    std::fs::write(&path, file.render().unwrap()).unwrap();
    let both = issuer.bench_with(|options| options.auth.keys_file.clone_from(&path)).await;
    assert_eq!(status(&both, &format!("assay-token={token}")).await, 200);
    assert_eq!(status(&both, &format!("assay-token={key}")).await, 401, "a key is never in a cookie");
    both.stop().await;
    let off = Bench::with(|options| options.auth.keys_file = path).await;
    assert_eq!(status(&off, &format!("assay-token={key}")).await, 401);
    off.stop().await;
}

#[tokio::test]
async fn citations_lead_to_the_address_of_the_settings() {
    let issuer = Issuer::start(json!([])).await;
    let address = "https://assay.example";
    let bench = issuer.bench_with(|options| options.auth.sign_in.address = address.into()).await;
    let bearer = format!("Authorization: Bearer {}\r\n", issuer.token(&json!(["ask"])));
    let body = json!({"messages": [{"role": "user", "content": "q"}]}).to_string();
    let reply = bench.post("/v1/chat/completions", body.as_bytes(), &bearer).await.json();
    let url = &reply["choices"][0]["message"]["annotations"][0]["url_citation"]["url"];
    assert_eq!(url, &json!(format!("{address}/records/{AUDIT_ID}")), "{reply}");
    bench.stop().await;
}

#[tokio::test]
async fn wrong_cookies_are_throttled_as_other_credentials_are() {
    let issuer = Issuer::start(json!([])).await;
    let bench = issuer
        .bench_with(|options| {
            options.rates.failures_per_minute = 1;
            options.rates.failure_burst = 2;
        })
        .await;
    for expected in [401, 401, 429] {
        assert_eq!(with_cookie(&bench, "/v1/me", "assay-token=a.b.c").await.status, expected);
    }
    let good = format!("assay-token={}", issuer.token(&json!(["ask"])));
    assert_eq!(with_cookie(&bench, "/v1/me", &good).await.status, 200, "a right one is let in");
    bench.stop().await;
}

#[tokio::test]
async fn without_an_issuer_nobody_signs_in() {
    let bench = Bench::start().await;
    let nothing = bench.get("/sign-in").await;
    assert_eq!((nothing.status, &nothing.json()["field"]), (404, &json!("auth.sign_in")));
    bench.stop().await;
    let refused = |change: fn(&mut assay_gateway::Options)| Bench::compose(change).unwrap_err().field;
    assert_eq!(refused(|options| options.auth.sign_in.client_id = "console".into()), "auth.jwt.issuer");
    let address = |options: &mut assay_gateway::Options| {
        options.auth.jwt.issuer = "https://id.example".into();
        options.auth.jwt.audience = "assay".into();
        options.auth.sign_in.client_id = "console".into();
        options.auth.sign_in.address = "http://assay.example".into();
    };
    assert_eq!(refused(address), "auth.sign_in.address");
}
