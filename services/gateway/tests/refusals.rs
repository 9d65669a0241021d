//! Records of questions that the gateway refuses before the router sees them.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod scripted;

use assay_domain::Role;
use assay_gateway::keys::{Grant, KeysFile};
use assay_proto::brunix::AgentRequest;
use assay_proto::brunix::assistance_engine_client::AssistanceEngineClient;
use serde_json::json;

use scripted::{Bench, REFUSED_ID, Refused};

fn one(principal: &str, code: &str, query: &str) -> [Refused; 1] {
    [Refused { principal: principal.into(), code: code.into(), query: query.into(), count: 1 }]
}

/// A keys file with one key, which has these roles.
fn key(roles: &[Role]) -> (tempfile::TempDir, std::path::PathBuf, String) {
    let folder = tempfile::tempdir().unwrap();
    let mut file = KeysFile::default();
    let grant = Grant {
        principal: "ada".into(),
        tenant: "north".into(),
        roles: roles.to_vec(),
        name: String::new(),
        days: None,
    };
    let key = file.issue(grant, [1; 6], [2; 32], 1_790_000_000_000).unwrap();
    let path = folder.path().join("keys.toml");
    std::fs::write(&path, file.render().unwrap()).unwrap();
    (folder, path, format!("Authorization: Bearer {key}\r\n"))
}

#[tokio::test]
async fn a_refused_question_leaves_one_record_on_every_route() {
    let bench = Bench::start().await;
    let large = json!({"query": "q", "extra_context": "x".repeat(60_000)}).to_string();
    let long = json!({"query": "q".repeat(4097)}).to_string();
    for (path, body, code, query) in [
        ("/v1/ask", r#"{"query":""}"#, "invalid_argument", String::new()),
        ("/v1/ask", r#"{"query":"why","querry":1}"#, "invalid_argument", "why".into()),
        ("/v1/ask", r#"{"query":"why","stream":"yes"}"#, "invalid_argument", "why".into()),
        ("/v1/ask", "{", "invalid_argument", String::new()),
        ("/v1/ask", &long, "invalid_argument", "q".repeat(4096)),
        ("/v1/ask", &large, "payload_too_large", String::new()),
        ("/v1/chat/completions", r#"{"messages":[]}"#, "invalid_argument", String::new()),
        (
            "/v1/chat/completions",
            r#"{"n":2,"messages":[{"role":"user","content":"why"}]}"#,
            "invalid_argument",
            "why".into(),
        ),
        ("/v1/responses", r#"{"input":"why","background":true}"#, "invalid_argument", "why".into()),
        (
            "/v1/responses",
            r#"{"background":true,"input":[{"role":"user","content":[{"type":"input_text","text":"why"}]}]}"#,
            "invalid_argument",
            "why".into(),
        ),
        (
            "/api/chat",
            r#"{"model":"assay","messages":[{"role":"user","content":""}]}"#,
            "invalid_argument",
            String::new(),
        ),
        (
            "/api/generate",
            r#"{"model":"assay","prompt":"why","images":["x"]}"#,
            "invalid_argument",
            "why".into(),
        ),
    ] {
        let reply = bench.post(path, body.as_bytes(), "").await;
        assert!((400..500).contains(&reply.status), "{path} {body}: {reply:?}");
        assert_eq!(bench.refused(), one("local", code, &query), "{path} {body:.60}");
        let id = reply.json().to_string().contains(REFUSED_ID);
        assert!(id, "{path}: the refusal names its record: {}", reply.text());
    }
    let typed = bench
        .raw("POST /v1/ask HTTP/1.1\r\nHost: {host}\r\nContent-Type: text/plain\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}")
        .await;
    assert_eq!((typed.status, bench.refused().len()), (415, 1));
    assert_eq!(bench.asked(), 0);
    assert!(bench.stop_and_tell().await.is_empty(), "none is recorded twice");
}

#[tokio::test]
async fn what_the_router_was_asked_leaves_no_second_record() {
    let bench = Bench::start().await;
    for query in ["fail", "fail with a record", "settled failure", "reject", "q"] {
        bench.ask(&json!({"query": query})).await;
        let chat = json!({"messages": [{"role": "user", "content": query}], "stream": true}).to_string();
        bench.post("/v1/chat/completions", chat.as_bytes(), "").await;
    }
    for path in ["/v1/search?q=x&k=0", "/v1/audit/none", "/v1/nothing"] {
        assert!((400..500).contains(&bench.get(path).await.status), "{path} asks nothing");
    }
    assert!(bench.stop_and_tell().await.is_empty());
}

#[tokio::test]
async fn refusals_by_rate_share_one_counted_record() {
    let (_folder, path, key) = key(&[Role::Ask]);
    let bench = Bench::with(|options| {
        options.auth.keys_file = path;
        options.rates.requests_per_minute = 1;
        options.rates.burst = 1;
    })
    .await;
    for expected in [200, 429, 429, 429] {
        let reply = bench.post("/v1/ask", br#"{"query":"q"}"#, &key).await;
        assert_eq!(reply.status, expected);
    }
    assert_eq!(
        bench
            .raw(&format!("GET /v1/models HTTP/1.1\r\nHost: {{host}}\r\nConnection: close\r\n{key}\r\n"))
            .await
            .status,
        429
    );
    assert!(bench.refused().is_empty(), "they are counted first");
    let refused = bench.stop_and_tell().await;
    let counted = Refused { count: 3, ..one("ada", "resource_exhausted", "")[0].clone() };
    assert_eq!(refused, [counted], "what asks nothing is not counted");
}

#[tokio::test]
async fn caller_without_the_role_is_recorded_and_stranger_is_not() {
    let (_folder, path, key) = key(&[Role::Ingest]);
    let bench = Bench::with(|options| options.auth.keys_file = path).await;
    assert_eq!(bench.post("/v1/ask", br#"{"query":""}"#, "").await.status, 401);
    assert_eq!(bench.post("/v1/ask", br#"{"query":"q"}"#, &key).await.status, 403);
    assert_eq!(bench.stop_and_tell().await, one("ada", "permission_denied", ""));
}

#[tokio::test]
async fn a_refused_call_of_the_old_protocol_leaves_one_record() {
    let bench = Bench::start().await;
    let mut client = AssistanceEngineClient::new(bench.door().await);
    let request = AgentRequest { query: "why".into(), editor_content: "?".into(), ..Default::default() };
    for status in [
        client.ask_agent(request.clone()).await.unwrap_err(),
        client.ask_agent_stream(request).await.unwrap_err(),
    ] {
        assert_eq!(status.metadata().get("assay-audit-id").unwrap(), REFUSED_ID);
    }
    let each = one("local", "invalid_argument", "why");
    assert_eq!(bench.stop_and_tell().await, [each.clone(), each].concat());
}
