//! Who may come in, over real sockets: keys, tokens, roles, limits, and everything hostile that a head can hold.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod scripted;

use std::path::PathBuf;
use std::sync::LazyLock;
use std::time::Duration;

use assay_domain::Role;
use assay_gateway::Options;
use assay_gateway::keys::{Grant, KeysFile};
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use scripted::{AUDIT_ID, Bench, Lines, Reply};

/// Errors that the gateways of all tests log.
static LOG: LazyLock<Lines> = LazyLock::new(|| Lines::hear("assay=error"));

/// A keys file and the keys in it.
struct Ring {
    folder: tempfile::TempDir,
    file: KeysFile,
}

impl Ring {
    fn new() -> Self {
        let ring = Self { folder: tempfile::tempdir().unwrap(), file: KeysFile::default() };
        ring.write();
        ring
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("keys.toml")
    }

    fn write(&self) {
        // As the command line does it: a reader never sees half a file.
        let draft = self.folder.path().join("keys.toml.new");
        std::fs::write(&draft, self.file.render().unwrap()).unwrap();
        std::fs::rename(draft, self.path()).unwrap();
    }

    fn issue(&mut self, tenant: &str, principal: &str, roles: &[Role]) -> String {
        let number = u8::try_from(self.file.keys.len()).unwrap();
        let grant = Grant {
            principal: principal.into(),
            tenant: tenant.into(),
            roles: roles.to_vec(),
            name: String::new(),
            days: None,
        };
        let key = self.file.issue(grant, [number; 6], [number; 32], 1_790_000_000_000).unwrap();
        self.write();
        key
    }

    /// A gateway that asks for these keys.
    async fn bench(&self, change: impl FnOnce(&mut Options)) -> Bench {
        Bench::with(|options| {
            options.auth.keys_file = self.path();
            options.auth.reload_seconds = 0.01;
            change(options);
        })
        .await
    }
}

async fn get(bench: &Bench, path: &str, headers: &str) -> Reply {
    bench.raw(&format!("GET {path} HTTP/1.1\r\nHost: {{host}}\r\n{headers}Connection: close\r\n\r\n")).await
}

fn bearer(key: &str) -> String {
    format!("Authorization: Bearer {key}\r\n")
}

/// The status, the code and the field of a problem.
fn told(reply: &Reply) -> (u16, String, String) {
    let problem = reply.json();
    let text = |name: &str| problem[name].as_str().unwrap_or_default().to_owned();
    assert_eq!(reply.header("content-type"), "application/problem+json");
    assert_eq!(text("request_id"), reply.header("x-request-id"));
    assert_eq!(text("type"), format!("/errors/{}", text("code")));
    (reply.status, text("code"), text("field"))
}

fn is(status: u16, code: &str, field: &str) -> (u16, String, String) {
    (status, code.to_owned(), field.to_owned())
}

#[tokio::test]
async fn request_without_key_is_401_and_reaches_nobody() {
    let bench = Ring::new().bench(|_| ()).await;
    for path in
        ["/v1/search?q=x", "/v1/collections", "/v1/audit", "/metrics", &format!("/v1/audit/{AUDIT_ID}")]
    {
        let reply = get(&bench, path, "").await;
        assert_eq!(told(&reply), is(401, "unauthenticated", "authorization"), "{path}");
        assert_eq!(reply.header("www-authenticate"), "Bearer realm=\"assay\"");
    }
    assert_eq!(told(&bench.ask(&json!({"query": "q"})).await), is(401, "unauthenticated", "authorization"));
    for path in ["/", "/healthz", "/readyz", "/errors/unauthenticated"] {
        assert_eq!(get(&bench, path, "").await.status, 200, "{path} holds no data");
    }
    assert_eq!(get(&bench, "/v1/nothing", "").await.status, 404);
    assert!(bench.calls().is_empty(), "nothing reached a service: {:?}", bench.calls());
    bench.stop().await;
}

#[tokio::test]
async fn only_the_identity_of_the_key_goes_inside() {
    let mut ring = Ring::new();
    let key = ring.issue("north", "ada", &[Role::Ask]);
    let bench = ring.bench(|_| ()).await;
    let claims = "assay-principal-bin: cm9vdA==\r\nassay-tenant-bin: c291dGg=\r\nassay-roles: admin\r\n";
    let headers = format!("{}x-request-id: job-7\r\n{claims}", bearer(&key));
    let reply = bench.post("/v1/ask", br#"{"query":"q"}"#, &headers).await;
    assert_eq!(reply.status, 200, "{reply:?}");
    assert_eq!(reply.header("x-request-id"), "job-7");
    assert_eq!(reply.header("ratelimit-policy"), "\"principal\";q=600;w=60");
    assert_eq!(reply.header("ratelimit"), "\"principal\";r=59;t=1");
    let call = bench.calls().pop().unwrap();
    assert_eq!((call.identity.tenant.as_str(), call.identity.principal.as_str()), ("north", "ada"));
    assert_eq!(call.identity.roles, [Role::Ask]);
    assert_eq!(call.request_id.as_deref(), Some("job-7"));
    let by_key = get(&bench, "/v1/collections", &format!("X-Api-Key: {key}\r\n")).await;
    assert_eq!(by_key.status, 200, "the other header does as well");
    let made = bench.calls().pop().unwrap().request_id.unwrap();
    assert_eq!(made, by_key.header("x-request-id"));
    bench.stop().await;
}

#[tokio::test]
async fn a_role_that_is_missing_is_403_and_named() {
    let mut ring = Ring::new();
    let writer = ring.issue("north", "ci", &[Role::Ingest]);
    let asker = ring.issue("north", "ada", &[Role::Ask]);
    let reviewer = ring.issue("north", "ann", &[Role::Review]);
    let bench = ring.bench(|_| ()).await;
    for path in ["", "/guide", "/guide/lines?path=a.md"] {
        let cited = get(&bench, &format!("/v1/collections{path}"), &bearer(&reviewer)).await;
        assert_eq!(cited.status, 200, "who judges a citation reads it: {path}");
    }
    let reply = bench.post("/v1/ask", br#"{"query":"q"}"#, &bearer(&writer)).await;
    assert_eq!(told(&reply), is(403, "permission_denied", "roles"));
    assert!(reply.json()["detail"].as_str().unwrap().contains("`ask`"));
    assert_eq!(get(&bench, "/v1/audit", &bearer(&writer)).await.status, 403);
    assert_eq!(get(&bench, "/v1/collections", &bearer(&writer)).await.status, 200);
    assert_eq!(get(&bench, "/metrics", &bearer(&asker)).await.status, 403);
    assert_eq!(bench.asked(), 0);
    bench.stop().await;
}

#[tokio::test]
async fn runs_are_shown_to_administrators_of_their_tenant() {
    let mut ring = Ring::new();
    let north = ring.issue("north", "ada", &[Role::Admin]);
    let south = ring.issue("south", "ada", &[Role::Admin]);
    let run = ring.folder.path().join("runs/today");
    std::fs::create_dir_all(&run).unwrap();
    let report = r#"{"figures": {}, "manifest": {"format": 1}, "manifest_sha256": "", "items": [{"id": "1", "scores": {}}]}"#;
    std::fs::write(run.join("report.json"), report).unwrap();
    std::fs::write(run.join("report.html"), "<p>").unwrap();
    let bench = ring
        .bench(|options| {
            options.runs = ring.folder.path().join("runs");
            options.runs_tenant = "north".into();
        })
        .await;
    for (key, count, status) in [(&north, 1, 200), (&south, 0, 404)] {
        let listed = get(&bench, "/v1/evaluations", &bearer(key)).await.json();
        assert_eq!(listed["runs"].as_array().unwrap().len(), count);
        assert_eq!(listed["folder"] == "", count == 0);
        assert_eq!(get(&bench, "/v1/evaluations/today/report", &bearer(key)).await.status, status);
        let compared = get(&bench, "/v1/evaluations/compare?first=today&second=today", &bearer(key)).await;
        assert_eq!(compared.status, status);
    }
    bench.stop().await;
}

#[tokio::test]
async fn credentials_that_are_none_are_401_whatever_they_hold() {
    let mut ring = Ring::new();
    let key = ring.issue("north", "ada", &[Role::Ask]);
    let bench = ring.bench(|options| options.rates.failures_per_minute = 0).await;
    let other = key.replace("0000", "0001");
    let twice = format!("{}{}", bearer(&key), bearer(&key));
    let both = format!("{}x-api-key: {key}\r\n", bearer(&key));
    for headers in [
        twice.as_str(),
        &both,
        &bearer(&other),
        &bearer(&key.to_uppercase()),
        &bearer(&format!("{key}{key}")),
        &bearer(&format!("\"{key}\"")),
        &bearer("assay_'; DROP TABLE keys; --"),
        &bearer("assay_\u{f1}\u{f1}_\u{1f511}"),
        &bearer("../../keys.toml"),
        &bearer("%00"),
        "Authorization: Basic YTpi\r\n",
        "Authorization:\r\n",
        "x-api-key:\r\n",
    ] {
        let reply = get(&bench, "/v1/collections", headers).await;
        assert_eq!(told(&reply), is(401, "unauthenticated", "authorization"), "{headers:?}");
        assert!(!reply.text().contains(&key), "a refusal never repeats a credential");
    }
    // Bytes that are no text.
    let mut request =
        format!("GET /v1/collections HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n", bench.host())
            .into_bytes();
    request.extend_from_slice(b"Authorization: Bearer \xff\xfe\x80\r\n\r\n");
    let reply = bench.exchange(&request).await;
    assert_eq!(told(&reply), is(401, "unauthenticated", "authorization"));
    assert!(reply.header("www-authenticate").contains("invalid_token"));
    // In an address a key is no credential.
    let address = get(&bench, &format!("/v1/collections?key={key}&api_key={key}"), "").await;
    assert_eq!(address.status, 401);
    assert!(bench.calls().is_empty());
    bench.stop().await;
}

#[tokio::test]
async fn changed_keys_file_holds_without_restart_and_broken_one_not() {
    let mut ring = Ring::new();
    let first = ring.issue("north", "ada", &[Role::Ask]);
    let bench = ring
        .bench(|options| {
            options.rates.failures_per_minute = 0;
            options.rates.requests_per_minute = 0;
        })
        .await;
    let status = async |key: &str| get(&bench, "/v1/collections", &bearer(key)).await.status;
    let becomes = async |key: &str, wanted: u16| {
        tokio::time::timeout(Duration::from_secs(20), async {
            while status(key).await != wanted {
                tokio::task::yield_now().await;
            }
        })
        .await
        .unwrap_or_else(|_| panic!("{wanted} did not come"));
    };
    assert_eq!(status(&first).await, 200);
    let second = ring.issue("north", "eve", &[Role::Ask]);
    becomes(&second, 200).await;
    let path = ring.path().display().to_string();
    let refused = || LOG.all().lines().any(|line| line.contains(&path) && line.contains("is not usable"));
    assert!(!refused());
    std::fs::write(ring.path(), "[[key]]\nid = \"broken\"\n").unwrap();
    tokio::time::timeout(Duration::from_secs(20), async {
        while !refused() {
            tokio::task::yield_now().await;
        }
    })
    .await
    .expect("the broken file is read");
    assert_eq!((status(&first).await, status(&second).await), (200, 200), "the old content holds");
    let third = ring.issue("north", "joe", &[Role::Ask]);
    becomes(&third, 200).await;
    ring.file.disable("000000000000").unwrap();
    ring.write();
    becomes(&first, 401).await;
    assert_eq!((status(&second).await, status(&third).await), (200, 200));
    ring.file.remove("010101010101").unwrap();
    ring.write();
    becomes(&second, 401).await;
    bench.stop().await;
}

#[tokio::test]
async fn missing_keys_file_stops_the_start_and_empty_admits_nobody() {
    let failure = Bench::compose(|options| options.auth.keys_file = "nowhere/keys.toml".into()).unwrap_err();
    assert_eq!((failure.code, failure.field.as_str()), (assay_domain::Code::Configuration, "auth.keys_file"));
    let bench = Ring::new().bench(|_| ()).await;
    assert_eq!(get(&bench, "/v1/collections", &bearer("assay_x_y")).await.status, 401);
    bench.stop().await;
}

#[tokio::test]
async fn an_address_beyond_loopback_listens_with_authentication_under_any_name() {
    let mut ring = Ring::new();
    let key = ring.issue("north", "ada", &[Role::Ask]);
    let bench = ring.bench(|options| options.http = "0.0.0.0:0".parse().unwrap()).await;
    let request = |host: &str, origin: &str| {
        format!(
            "GET /v1/collections HTTP/1.1\r\nHost: {host}\r\n{origin}{}Connection: close\r\n\r\n",
            bearer(&key)
        )
    };
    assert_eq!(bench.raw(&request("assay.example", "")).await.status, 200);
    let own = bench.raw(&request("assay.example", "Origin: https://assay.example\r\n")).await;
    assert_eq!(own.status, 200);
    let foreign = bench.raw(&request("assay.example", "Origin: https://evil.example\r\n")).await;
    assert_eq!(told(&foreign), is(403, "permission_denied", "origin"));
    bench.stop().await;
}

#[tokio::test]
async fn each_principal_has_its_own_rate() {
    let mut ring = Ring::new();
    let ada = ring.issue("north", "ada", &[Role::Ask]);
    let twin = ring.issue("north", "ada", &[Role::Ask]);
    let eve = ring.issue("north", "eve", &[Role::Ask]);
    let bench = ring
        .bench(|options| {
            options.rates.requests_per_minute = 1;
            options.rates.burst = 2;
        })
        .await;
    let status = async |key: &str| get(&bench, "/v1/collections", &bearer(key)).await.status;
    assert_eq!((status(&ada).await, status(&twin).await), (200, 200));
    let reply = get(&bench, "/v1/collections", &bearer(&ada)).await;
    assert_eq!(told(&reply), is(429, "resource_exhausted", "requests_per_minute"));
    let wait: u64 = reply.header("retry-after").parse().unwrap();
    assert!((1..=60).contains(&wait), "{wait}");
    assert_eq!(reply.header("ratelimit"), format!("\"principal\";r=0;t={wait}"));
    assert_eq!(status(&eve).await, 200, "another principal has its own rate");
    assert_eq!(get(&bench, "/healthz", "").await.status, 200);
    bench.stop().await;
}

#[tokio::test]
async fn a_principal_may_have_so_many_questions_under_way() {
    let mut ring = Ring::new();
    let ada = ring.issue("north", "ada", &[Role::Ask]);
    let eve = ring.issue("north", "eve", &[Role::Ask]);
    let bench = ring.bench(|options| options.rates.concurrent_asks = 1).await;
    let mut socket = bench.connect().await;
    let body = json!({"query": "gate"}).to_string();
    let request = format!(
        "POST /v1/ask HTTP/1.1\r\nHost: {}\r\n{}Connection: close\r\nContent-Length: {}\r\n\r\n{body}",
        bench.host(),
        bearer(&ada),
        body.len()
    );
    socket.write_all(request.as_bytes()).await.unwrap();
    bench.hanging().await;
    let reply = bench.post("/v1/ask", br#"{"query":"q"}"#, &bearer(&ada)).await;
    assert_eq!(told(&reply), is(429, "resource_exhausted", "concurrent_asks"));
    assert_eq!(reply.header("retry-after"), "1");
    assert_eq!(bench.post("/v1/ask", br#"{"query":"q"}"#, &bearer(&eve)).await.status, 200);
    bench.gate().notify_one();
    let mut bytes = Vec::new();
    socket.read_to_end(&mut bytes).await.unwrap();
    assert_eq!(Reply::parse(&bytes).status, 200);
    assert_eq!(bench.post("/v1/ask", br#"{"query":"q"}"#, &bearer(&ada)).await.status, 200);
    bench.stop().await;
}

#[tokio::test]
async fn wrong_keys_are_throttled_by_client_and_lock_nobody_out() {
    let mut ring = Ring::new();
    let key = ring.issue("north", "ada", &[Role::Ask]);
    let bench = ring
        .bench(|options| {
            options.rates.failures_per_minute = 1;
            options.rates.failure_burst = 3;
            options.trusted_proxies = vec!["127.0.0.0/8".into()];
        })
        .await;
    let from = |client: &str, key: &str| format!("X-Forwarded-For: {client}\r\n{}", bearer(key));
    for _ in 0..3 {
        assert_eq!(get(&bench, "/v1/collections", &from("192.0.2.1", "wrong")).await.status, 401);
    }
    let reply = get(&bench, "/v1/collections", &from("192.0.2.1", "wrong")).await;
    assert_eq!(told(&reply), is(429, "resource_exhausted", "authorization"));
    assert_ne!(reply.header("retry-after"), "");
    let claimed = get(&bench, "/v1/collections", &from("6.6.6.6, 192.0.2.1", "wrong")).await;
    assert_eq!(claimed.status, 429, "what a client says of itself does not count");
    assert_eq!(get(&bench, "/v1/collections", &from("192.0.2.2", "wrong")).await.status, 401);
    assert_eq!(get(&bench, "/v1/collections", &from("192.0.2.1", &key)).await.status, 200);
    bench.stop().await;
}

#[tokio::test]
async fn body_that_declares_another_type_is_415() {
    let bench = Bench::start().await;
    for kind in [
        "text/plain",
        "application/x-www-form-urlencoded",
        "application/json; charset=utf-16",
        "multipart/form-data; boundary=x",
    ] {
        let reply = bench
            .raw(&format!("POST /v1/ask HTTP/1.1\r\nHost: {{host}}\r\nContent-Type: {kind}\r\nConnection: close\r\nContent-Length: 13\r\n\r\n{{\"query\":\"q\"}}"))
            .await;
        assert_eq!(told(&reply), is(415, "invalid_argument", "content-type"), "{kind}");
    }
    assert_eq!(bench.asked(), 0);
    bench.stop().await;
}

#[tokio::test]
async fn oversized_head_is_refused_and_serving_continues() {
    let bench = Bench::start().await;
    let huge =
        format!("GET /healthz HTTP/1.1\r\nHost: {{host}}\r\nX-Big: {}\r\n\r\n", "x".repeat(10 * 1024 * 1024));
    assert_eq!(status_of(&bench, &huge).await, Some(431));
    let many: String = (0..500).map(|number| format!("X-{number}: 1\r\n")).collect();
    let many = format!("GET /healthz HTTP/1.1\r\nHost: {{host}}\r\n{many}\r\n");
    assert_eq!(status_of(&bench, &many).await, Some(431));
    let long = format!("GET /{} HTTP/1.1\r\nHost: {{host}}\r\n\r\n", "x".repeat(1024 * 1024));
    assert!(matches!(status_of(&bench, &long).await, Some(414 | 431)));
    assert_eq!(bench.get("/healthz").await.status, 200);
    bench.stop().await;
}

/// The status of the answer; none if the connection was cut before one came, which a client that goes on writing into a
/// refused request may see.
async fn status_of(bench: &Bench, request: &str) -> Option<u16> {
    let mut socket = bench.connect().await;
    let text = request.replace("{host}", bench.host());
    let (mut read, mut write) = socket.split();
    let mut bytes = Vec::new();
    let (_, _) = tokio::join!(write.write_all(text.as_bytes()), read.read_to_end(&mut bytes));
    let head = String::from_utf8_lossy(&bytes);
    head.split(' ').nth(1)?.parse().ok()
}

#[tokio::test]
async fn request_id_reaches_no_header_or_page_unescaped() {
    let bench = Bench::start().await;
    for id in
        ["a b", "<script>alert(1)</script>", "a%0d%0aEvil: 1", "\u{f1}", "a\tb", "'\"", &"x".repeat(4096)]
    {
        let reply = get(&bench, "/v1/nothing", &format!("X-Request-Id: {id}\r\n")).await;
        assert_eq!(reply.header("x-request-id").len(), 36, "{id}");
        assert_eq!(reply.header("evil"), "");
        assert!(!reply.text().contains("script"), "{id}");
    }
    // A line break ends the header; what follows is a header of the request and of nothing else.
    let reply = get(&bench, "/v1/nothing", "X-Request-Id: good\r\nEvil: 1\r\n").await;
    assert_eq!((reply.header("x-request-id").as_str(), reply.header("evil").as_str()), ("good", ""));
    let folded =
        status_of(&bench, "GET /healthz HTTP/1.1\r\nHost: {host}\r\nX-Request-Id: a\r\n Evil: 1\r\n\r\n")
            .await;
    assert_eq!(folded, Some(400), "a folded header is no header");
    bench.stop().await;
}

#[tokio::test]
async fn trickling_and_missing_bodies_are_given_up() {
    let mut ring = Ring::new();
    let key = ring.issue("north", "ada", &[Role::Ask]);
    let bench = ring.bench(|options| options.body_read_seconds = 0.3).await;
    let mut socket = bench.connect().await;
    let head = format!(
        "POST /v1/ask HTTP/1.1\r\nHost: {}\r\n{}Connection: close\r\nContent-Length: 1000\r\n\r\n",
        bench.host(),
        bearer(&key)
    );
    socket.write_all(head.as_bytes()).await.unwrap();
    let (mut read, mut write) = socket.split();
    let trickle = async {
        // One byte at a time: every read makes progress, the body never ends.
        while write.write_all(b"x").await.is_ok() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    let mut bytes = Vec::new();
    tokio::select! {
        () = trickle => {}
        done = read.read_to_end(&mut bytes) => { let _ = done; }
    }
    let reply = Reply::parse(&bytes);
    assert_eq!(told(&reply), is(504, "deadline_exceeded", "body_read_seconds"));
    assert_eq!(bench.asked(), 0);
    bench.stop().await;
}

#[tokio::test]
async fn failure_of_the_router_names_its_record() {
    let bench = Bench::start().await;
    let reply = bench.ask(&json!({"query": "fail with a record"})).await;
    assert_eq!((reply.status, reply.json()["audit_id"].clone()), (503, json!(AUDIT_ID)));
    bench.stop().await;
}

#[tokio::test]
async fn drain_ends_streams_or_cuts_them_off() {
    let bench = Bench::with(|options| options.drain_seconds = 30.0).await;
    let mut socket = bench.connect().await;
    let text = json!({"query": "gate", "stream": true}).to_string();
    let request = |host: &str, text: &str| {
        format!("POST /v1/ask HTTP/1.1\r\nHost: {host}\r\nContent-Length: {}\r\n\r\n{text}", text.len())
    };
    socket.write_all(request(bench.host(), &text).as_bytes()).await.unwrap();
    bench.hanging().await;
    let (host, gate) = (bench.host().to_owned(), bench.gate());
    tokio::join!(bench.stop(), async {
        while tokio::net::TcpStream::connect(&host).await.is_ok() {
            tokio::task::yield_now().await;
        }
        gate.notify_one();
        let mut bytes = Vec::new();
        socket.read_to_end(&mut bytes).await.unwrap();
        let events = Reply::parse(&bytes).events();
        let names: Vec<&str> = events.iter().map(|event| event.name.as_str()).collect();
        assert_eq!(names, ["routed", "settled"], "the stream ended as it should");
    });

    let bench = Bench::with(|options| options.drain_seconds = 0.2).await;
    let mut socket = bench.connect().await;
    let text = json!({"query": "hang", "stream": true}).to_string();
    socket.write_all(request(bench.host(), &text).as_bytes()).await.unwrap();
    bench.hanging().await;
    tokio::time::timeout(Duration::from_secs(30), bench.stop()).await.expect("the drain has a bound");
    let mut bytes = Vec::new();
    // Cut off: how the end of the connection looks to the client is up to the system.
    let _ = socket.read_to_end(&mut bytes).await;
    assert!(!String::from_utf8_lossy(&bytes).contains("event: settled"));
}

/// Tokens over the wire; what a token may hold is tested beside the code that reads it.
mod tokens {
    use assay_rpc::clock;
    use base64::Engine as _;
    use base64::engine::general_purpose::URL_SAFE_NO_PAD;
    use rcgen::KeyPair;
    use ring::signature::Ed25519KeyPair;

    use super::*;

    fn token(pair: &KeyPair, audience: &str, lives: i64) -> String {
        let exp = i64::try_from(clock::unix_ms() / 1000).unwrap() + lives;
        let claims = json!({"iss": "https://id.example", "aud": audience, "exp": exp, "sub": "ada", "tenant": "north",
            "roles": ["ask"]});
        let part = |value: serde_json::Value| URL_SAFE_NO_PAD.encode(value.to_string());
        let signed = format!("{}.{}", part(json!({"alg": "EdDSA", "typ": "JWT"})), part(claims));
        let signature = Ed25519KeyPair::from_pkcs8(&pair.serialize_der()).unwrap().sign(signed.as_bytes());
        format!("{signed}.{}", URL_SAFE_NO_PAD.encode(signature))
    }

    #[tokio::test]
    async fn valid_token_is_admitted_and_invalid_one_gets_its_reason() {
        let mut ring = Ring::new();
        let key = ring.issue("north", "ci", &[Role::Ask]);
        let pair = KeyPair::generate_for(&rcgen::PKCS_ED25519).unwrap();
        let file = ring.folder.path().join("public.pem");
        std::fs::write(&file, pair.public_key_pem()).unwrap();
        let bench = ring
            .bench(|options| {
                options.auth.jwt.issuer = "https://id.example".into();
                options.auth.jwt.audience = "assay".into();
                options.auth.jwt.keys_file.clone_from(&file);
                options.rates.failures_per_minute = 0;
            })
            .await;
        let reply = get(&bench, "/v1/collections", &bearer(&token(&pair, "assay", 60))).await;
        assert_eq!(reply.status, 200);
        assert_eq!(bench.calls().pop().unwrap().identity.principal, "ada");
        assert_eq!(get(&bench, "/v1/collections", &bearer(&key)).await.status, 200, "keys do as well");
        let none = "eyJhbGciOiJub25lIn0.eyJzdWIiOiJhZGEifQ.";
        let stranger = KeyPair::generate_for(&rcgen::PKCS_ED25519).unwrap();
        for (token, why) in [
            (token(&pair, "assay", -3600), "expired"),
            (token(&pair, "other", 60), "audience"),
            (token(&stranger, "assay", 60), "no key known here"),
            (none.to_owned(), "algorithm"),
        ] {
            let reply = get(&bench, "/v1/collections", &bearer(&token)).await;
            assert_eq!(told(&reply), is(401, "unauthenticated", "authorization"));
            assert!(reply.json()["detail"].as_str().unwrap().contains(why), "{}", reply.text());
        }
        // The issuer changes its key.
        let new = token(&stranger, "assay", 60);
        std::fs::write(&file, stranger.public_key_pem()).unwrap();
        tokio::time::timeout(Duration::from_secs(20), async {
            while get(&bench, "/v1/collections", &bearer(&new)).await.status != 200 {
                tokio::task::yield_now().await;
            }
        })
        .await
        .unwrap();
        bench.stop().await;
    }
}
