//! Ollama's chat and generate over real sockets, the router scripted.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod scripted;

use serde_json::{Value, json};
use tokio::io::AsyncWriteExt as _;

use scripted::{AUDIT_ID, Bench, Reply};

const MADE: &str = "2026-09-21T12:06:46.651Z";

async fn post(bench: &Bench, path: &str, body: &Value, headers: &str) -> Reply {
    bench.post(path, body.to_string().as_bytes(), headers).await
}

fn chat(question: &str) -> Value {
    json!({"model": "assay", "messages": [{"role": "user", "content": question}]})
}

fn whole(question: &str) -> Value {
    json!({"model": "assay", "messages": [{"role": "user", "content": question}], "stream": false})
}

#[tokio::test]
async fn chat_is_lines_and_the_last_holds_the_rest() {
    let bench = Bench::start().await;
    let reply = post(&bench, "/api/chat", &chat("events"), "").await;
    assert_eq!(reply.status, 200, "{reply:?}");
    assert_eq!(reply.header("content-type"), "application/x-ndjson");
    assert_eq!(bench.question().1, Some(assay_proto::router::Delivery::Held.into()));
    let mut lines = reply.lines();
    let ours = lines.last_mut().unwrap().as_object_mut().unwrap().shift_remove("assay").unwrap();
    assert_eq!(
        lines,
        [
            json!({
                "model": "assay", "created_at": MADE, "done": false,
                "message": {"role": "assistant", "content": "Use `addParam`. [^1]"},
            }),
            json!({
                "model": "assay", "created_at": MADE, "done": true, "done_reason": "stop",
                "message": {"role": "assistant", "content": ""},
                "total_duration": 12_000_000, "load_duration": 0, "prompt_eval_count": 812,
                "eval_count": 64, "eval_duration": 0,
            }),
        ]
    );
    assert_eq!(ours["audit"], json!({"id": AUDIT_ID, "state": "STORED"}));
    assert_eq!(ours["verdict"], "PASS");
    bench.stop().await;
}

#[tokio::test]
async fn without_a_stream_one_object_is_returned() {
    let bench = Bench::start().await;
    let headers = "Content-Type: application/x-www-form-urlencoded\r\n";
    let mut reply = post(&bench, "/api/chat", &whole("q"), headers).await.json();
    assert_eq!(reply["message"], json!({"role": "assistant", "content": "Use `addParam`. [^1]"}));
    assert_eq!((reply["done"].clone(), reply["done_reason"].clone()), (json!(true), json!("stop")));
    assert!(reply["assay"].take()["sources"][0]["path"].is_string());

    let body = json!({"model": "assay:latest", "prompt": "q", "stream": false, "system": "x"});
    let reply = post(&bench, "/api/generate", &body, "").await.json();
    assert_eq!(
        (reply["model"].clone(), reply["response"].clone()),
        (json!("assay:latest"), json!("Use `addParam`. [^1]"))
    );
    assert_eq!(reply["assay"]["ignored"], json!(["system"]));
    assert!(reply.get("message").is_none());
    bench.stop().await;
}

#[tokio::test]
async fn a_rejected_answer_says_so_behind_what_stands_of_it() {
    let bench = Bench::start().await;
    let said = "What stands. [^1]\n\nnothing supports it ask again";
    let reply = post(&bench, "/api/chat", &whole("reject"), "").await.json();
    assert_eq!(reply["message"]["content"], said);
    assert_eq!(reply["done_reason"], "content_filter");
    let lines = post(&bench, "/api/chat", &chat("reject"), "").await.lines();
    let text: String = lines.iter().filter_map(|line| line["message"]["content"].as_str()).collect();
    assert_eq!(text, said);
    assert_eq!(lines.last().unwrap()["done_reason"], "content_filter");
    let refused = post(&bench, "/api/chat", &whole("reject"), "Assay-Reject: error\r\n").await;
    assert_eq!((refused.status, refused.json()["code"].clone()), (422, json!("answer_rejected")));
    bench.stop().await;
}

#[tokio::test]
async fn failures_are_one_sentence_under_error() {
    let bench = Bench::start().await;
    for (path, body, status, code, field) in [
        ("/api/chat", chat("fail"), 503, "search_unavailable", json!("index")),
        ("/api/chat", whole("fail"), 503, "search_unavailable", json!("index")),
        ("/api/chat", json!({"model": "llama3"}), 404, "not_found", json!("model")),
        (
            "/api/generate",
            json!({"model": "assay", "prompt": "q", "format": "json"}),
            400,
            "invalid_argument",
            json!("format"),
        ),
        ("/api/show", json!({"model": "llama3"}), 404, "not_found", json!("model")),
        ("/api/chat", json!(7), 400, "invalid_argument", json!("body")),
    ] {
        let reply = post(&bench, path, &body, "").await;
        assert_eq!(reply.status, status, "{body}");
        let error = reply.json();
        assert!(error["error"].is_string(), "{error}");
        assert_eq!((&error["code"], &error["field"]), (&json!(code), &field), "{body}");
        assert_eq!(error["request_id"], reply.header("x-request-id"));
    }
    bench.stop().await;
}

#[tokio::test]
async fn empty_lines_keep_a_slow_answer_alive() {
    let bench = Bench::with(|options| {
        options.keep_alive_seconds = 0.05;
        options.request_seconds = 0.3;
    })
    .await;
    let reply = post(&bench, "/api/generate", &json!({"model": "assay", "prompt": "hang"}), "").await;
    assert_eq!(reply.status, 200);
    let lines = reply.lines();
    assert!(lines.len() > 1, "{lines:?}");
    for line in &lines[..lines.len() - 1] {
        assert_eq!((&line["response"], &line["done"]), (&json!(""), &json!(false)));
    }
    assert_eq!(lines.last().unwrap()["code"], "deadline_exceeded");
    bench.stop().await;
}

#[tokio::test]
async fn a_client_that_goes_away_cancels_the_router() {
    let bench = Bench::with(|options| options.keep_alive_seconds = 0.05).await;
    for body in [chat("hang"), whole("hang")] {
        let text = body.to_string();
        let mut socket = bench.connect().await;
        let (host, length) = (bench.host(), text.len());
        let request =
            format!("POST /api/chat HTTP/1.1\r\nHost: {host}\r\nContent-Length: {length}\r\n\r\n{text}");
        socket.write_all(request.as_bytes()).await.unwrap();
        bench.hanging().await;
        drop(socket);
        bench.cancelled().await;
    }
    bench.stop().await;
}

#[tokio::test]
async fn what_clients_ask_beside_is_answered_truthfully() {
    let bench = Bench::start().await;
    let tags = bench.get("/api/tags").await.json();
    let first = &tags["models"][0];
    assert_eq!(
        (&first["name"], &first["model"], &first["size"]),
        (&json!("assay:latest"), &json!("assay:latest"), &json!(0))
    );
    assert_eq!(first["digest"].as_str().unwrap().len(), 64);
    assert_eq!(tags["models"].as_array().unwrap().len(), 4);
    assert_eq!(bench.get("/api/ps").await.json(), tags);
    assert_eq!(bench.get("/api/version").await.json(), json!({"version": env!("CARGO_PKG_VERSION")}));
    let shown = post(&bench, "/api/show", &json!({"model": "assay/code"}), "").await.json();
    assert_eq!(shown["capabilities"], json!(["completion"]));
    assert_eq!(shown["model_info"]["general.name"], "assay/code");
    let loaded = post(&bench, "/api/generate", &json!({"model": "assay"}), "").await.json();
    assert_eq!((&loaded["done"], &loaded["done_reason"]), (&json!(true), &json!("load")));
    assert_eq!(bench.asked(), 0);
    bench.stop().await;
}
