//! The gateway over real sockets, its peers scripted.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod scripted;

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use scripted::{AUDIT_ID, Bench, Reply};

#[tokio::test]
async fn answer_is_one_json_object_with_sources_and_record() {
    let bench = Bench::start().await;
    let reply = bench.ask(&json!({"query": "How do I read a parameter?"})).await;
    assert_eq!(reply.status, 200, "{reply:?}");
    assert_eq!(reply.header("content-type"), "application/json");
    let answer = reply.json();
    assert_eq!(answer["id"], AUDIT_ID);
    assert_eq!(answer["outcome"], "ANSWERED");
    assert_eq!(answer["text"], "Use `addParam`. [^1]");
    assert_eq!(answer["audit"], json!({"id": AUDIT_ID, "state": "STORED"}));
    assert_eq!(answer["sources"][0]["number"], 1);
    assert_eq!(answer["sources"][0]["path"], "avap/request-parameters.md");
    assert_eq!(answer["sources"][0]["lines"], json!([12, 31]));
    assert_eq!(answer["sources"][0]["ranks"], json!({"bm25": 1, "knn": null}));
    assert_eq!(answer["citations"][0]["marker"], 1);
    assert_eq!(answer["verdict"], "PASS");
    assert_eq!(answer["validation_status"], "");
    let keys: Vec<&str> = answer.as_object().unwrap().keys().map(String::as_str).collect();
    let documented = [
        "id",
        "outcome",
        "text",
        "query_type",
        "route",
        "sources",
        "citations",
        "verdict",
        "validation_status",
        "code_status",
        "context_relevant",
        "attempts",
        "audit",
        "timing_ms",
        "model",
        "warnings",
    ];
    for key in documented {
        assert!(keys.contains(&key), "{key} is documented");
    }
    bench.stop().await;
}

#[tokio::test]
async fn unreadable_request_is_a_problem_naming_the_field() {
    let bench = Bench::start().await;
    for (body, field) in [
        ("{\"query\":", "body"),
        ("{}", "query"),
        ("{\"query\":\"q\",\"querry\":1}", "querry"),
        ("{\"query\":\"q\",\"query_type\":\"SEARCH\"}", "query_type"),
    ] {
        let reply = bench.post("/v1/ask", body.as_bytes(), "").await;
        assert_eq!(reply.status, 400, "{body}");
        assert_eq!(reply.header("content-type"), "application/problem+json");
        let problem = reply.json();
        assert_eq!(problem["code"], "invalid_argument");
        assert_eq!(problem["field"], field);
        assert_eq!(problem["status"], 400);
        assert_eq!(problem["type"], "/errors/invalid_argument");
        assert_eq!(problem["request_id"], reply.header("x-request-id"));
    }
    bench.stop().await;
}

#[tokio::test]
async fn the_page_that_a_problem_points_to_exists() {
    let bench = Bench::start().await;
    let reply = bench.get("/errors/invalid_argument").await;
    assert_eq!(reply.status, 200);
    assert!(reply.text().starts_with("# `invalid_argument`"));
    assert_eq!(bench.get("/errors/nothing").await.status, 404);
    bench.stop().await;
}

#[tokio::test]
async fn oversized_body_is_refused_by_announced_and_real_length() {
    let bench = Bench::start().await;
    let reply = bench
        .raw("POST /v1/ask HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\nContent-Length: 99999999\r\n\r\n{\"q")
        .await;
    assert_eq!((reply.status, reply.json()["code"].clone()), (413, json!("payload_too_large")));
    // Chunked: nothing is announced.
    let chunk = "x".repeat(3000);
    let body: String = (0..20).map(|_| format!("{:x}\r\n{chunk}\r\n", chunk.len())).collect();
    let reply = bench
        .raw(&format!(
            "POST /v1/ask HTTP/1.1\r\nHost: {{host}}\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n{body}0\r\n\r\n"
        ))
        .await;
    assert_eq!((reply.status, reply.json()["field"].clone()), (413, json!("body")));
    bench.stop().await;
}

#[tokio::test]
async fn a_foreign_host_or_origin_is_refused_on_every_path() {
    let bench = Bench::start().await;
    for path in ["/", "/v1/ask", "/healthz", "/metrics", "/nowhere"] {
        let reply = bench
            .raw(&format!("GET {path} HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n"))
            .await;
        assert_eq!((reply.status, reply.json()["field"].clone()), (403, json!("host")), "{path}");
        let reply = bench
            .raw(&format!(
                "GET {path} HTTP/1.1\r\nHost: {{host}}\r\nOrigin: https://evil.example\r\nConnection: close\r\n\r\n"
            ))
            .await;
        assert_eq!((reply.status, reply.json()["code"].clone()), (403, json!("permission_denied")), "{path}");
        assert_eq!(reply.json()["field"], "origin");
    }
    assert_eq!(bench.asked(), 0, "nothing reached the router");
    let own = bench
        .raw("GET /healthz HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\nConnection: close\r\n\r\n")
        .await;
    assert_eq!(own.status, 200);
    bench.stop().await;
}

#[tokio::test]
async fn unknown_paths_and_methods_are_problems() {
    let bench = Bench::start().await;
    let reply = bench.get("/v2/ask").await;
    assert_eq!((reply.status, reply.json()["code"].clone()), (404, json!("not_found")));
    let reply = bench.get("/v1/ask").await;
    assert_eq!((reply.status, reply.json()["field"].clone()), (405, json!("method")));
    assert!(reply.header("allow").contains("POST"), "{reply:?}");
    bench.stop().await;
}

#[tokio::test]
async fn a_rejected_answer_is_422_with_the_rejection_body() {
    let bench = Bench::start().await;
    let reply = bench.ask(&json!({"query": "reject"})).await;
    assert_eq!(reply.status, 422);
    let body = reply.json();
    assert_eq!(body["status"], "rejected");
    assert_eq!(body["reason"], "nothing supports it");
    assert_eq!(body["partial_response"], "What stands. [^1]");
    assert_eq!(body["audit_id"], AUDIT_ID);
    assert_eq!(body["validation"]["ok"], false);
    assert_eq!(
        body["validation"]["errors"],
        json!([{"kind": "claim_support", "detail": "no source says it"}])
    );
    assert_eq!(body["validation"]["warnings"][0]["span"]["byte_start"], 3);
    assert_eq!(body["code"], json!("answer_rejected"));
    assert!(body["code_blocks"].is_array(), "{body}");
    assert_eq!(body["verdict"], "REJECT");
    assert_eq!(body["text"], "");
    bench.stop().await;
}

#[tokio::test]
async fn failures_of_the_router_keep_code_field_and_message() {
    let bench = Bench::start().await;
    let reply = bench.ask(&json!({"query": "fail"})).await;
    let problem = reply.json();
    assert_eq!(reply.status, 503);
    assert_eq!(problem["code"], "search_unavailable");
    assert_eq!(problem["detail"], "no leg answers");
    assert_eq!(problem["field"], "index");
    // A stream that fails before its first event is a problem, too.
    let reply = bench.ask(&json!({"query": "fail", "stream": true})).await;
    assert_eq!((reply.status, reply.json()["code"].clone()), (503, json!("search_unavailable")));
    // A failure that the router settled as an answer carries its record.
    let reply = bench.ask(&json!({"query": "settled failure"})).await;
    assert_eq!((reply.status, reply.json()["audit_id"].clone()), (504, json!(AUDIT_ID)));
    bench.stop().await;
}

#[tokio::test]
async fn panic_of_a_peer_is_a_problem_and_serving_continues() {
    let bench = Bench::start().await;
    let reply = bench.get("/v1/search?q=panic").await;
    assert_eq!((reply.status, reply.json()["code"].clone()), (500, json!("internal")));
    assert_eq!(bench.get("/healthz").await.status, 200);
    bench.stop().await;
}

#[tokio::test]
async fn request_ids_come_back_and_are_made_where_missing() {
    let bench = Bench::start().await;
    let given = bench
        .raw("GET /healthz HTTP/1.1\r\nHost: {host}\r\nx-request-id: job-7\r\nConnection: close\r\n\r\n")
        .await;
    assert_eq!(given.header("x-request-id"), "job-7");
    let made = bench.get("/healthz").await;
    assert_eq!(made.header("x-request-id").len(), 36);
    bench.stop().await;
}

#[tokio::test]
async fn events_come_in_order_and_end_with_settled() {
    let bench = Bench::start().await;
    for (body, accept) in [
        (json!({"query": "events", "stream": true}), ""),
        (json!({"query": "events"}), "Accept: text/event-stream\r\n"),
    ] {
        let reply = bench.post("/v1/ask", body.to_string().as_bytes(), accept).await;
        assert_eq!(reply.status, 200);
        assert!(reply.header("content-type").starts_with("text/event-stream"));
        let events = reply.events();
        let names: Vec<&str> = events.iter().map(|event| event.name.as_str()).collect();
        assert_eq!(names, ["routed", "sources", "segment", "retracted", "segment", "settled"]);
        let ids: Vec<&str> = events.iter().map(|event| event.id.as_str()).collect();
        assert_eq!(ids, ["0", "1", "2", "3", "4", "5"]);
        assert_eq!(events[0].data["audit_id"], AUDIT_ID);
        assert_eq!(events[1].data["sources"][0]["path"], "avap/request-parameters.md");
        assert_eq!(events[2].data, json!({"attempt": 1, "text": "Wrong.\r\n\"quoted\" ñ [^9]"}));
        assert_eq!(events[4].data["attempt"], 2);
        assert_eq!(events[5].data["text"], "Use `addParam`. [^1]");
    }
    bench.stop().await;
}

#[tokio::test]
async fn a_rejected_stream_stays_200_and_carries_the_rejection() {
    let bench = Bench::start().await;
    let reply = bench.ask(&json!({"query": "reject", "stream": true})).await;
    assert_eq!(reply.status, 200);
    let events = reply.events();
    let last = events.last().unwrap();
    assert_eq!(last.name, "settled");
    assert_eq!(last.data["rejection"]["partial_response"], "What stands. [^1]");
    bench.stop().await;
}

#[tokio::test]
async fn a_stream_that_breaks_off_ends_with_failed() {
    let bench = Bench::start().await;
    let reply = bench.ask(&json!({"query": "break off", "stream": true})).await;
    let events = reply.events();
    let last = events.last().unwrap();
    assert_eq!((last.name.as_str(), last.id.as_str()), ("failed", "1"));
    assert_eq!(last.data["code"], "unavailable");
    assert_eq!(last.data["request_id"], reply.header("x-request-id"));
    bench.stop().await;
}

#[tokio::test]
async fn vanished_client_cancels_the_router_in_both_forms() {
    let bench = Bench::start().await;
    for body in [json!({"query": "hang", "stream": true}), json!({"query": "hang"})] {
        let mut socket = bench.connect().await;
        let text = body.to_string();
        let request = format!(
            "POST /v1/ask HTTP/1.1\r\nHost: {}\r\nContent-Length: {}\r\n\r\n{text}",
            bench.host(),
            text.len()
        );
        socket.write_all(request.as_bytes()).await.unwrap();
        bench.hanging().await;
        drop(socket);
        bench.cancelled().await;
    }
    bench.stop().await;
}

#[tokio::test]
async fn client_that_reads_nothing_frees_the_router_at_the_deadline() {
    let bench = Bench::with(|options| options.request_seconds = 0.3).await;
    let mut socket = bench.connect().await;
    let text = json!({"query": "flood", "stream": true}).to_string();
    let request = format!(
        "POST /v1/ask HTTP/1.1\r\nHost: {}\r\nContent-Length: {}\r\n\r\n{text}",
        bench.host(),
        text.len()
    );
    socket.write_all(request.as_bytes()).await.unwrap();
    // Not a byte is read from the socket.
    bench.cancelled().await;
    drop(socket);
    bench.stop().await;
}

#[tokio::test]
async fn slow_headers_and_slow_bodies_are_given_up() {
    let bench = Bench::with(|options| {
        options.header_read_seconds = 0.2;
        options.body_read_seconds = 0.2;
    })
    .await;
    let mut socket = bench.connect().await;
    socket.write_all(b"POST /v1/ask HT").await.unwrap();
    let mut rest = Vec::new();
    // Ends because the server closes; what it says before is its own affair.
    let _ = socket.read_to_end(&mut rest).await;
    let reply = bench
        .raw("POST /v1/ask HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\nContent-Length: 50\r\n\r\n{\"que")
        .await;
    assert_eq!((reply.status, reply.json()["field"].clone()), (504, json!("body_read_seconds")));
    assert_eq!(bench.asked(), 0);
    bench.stop().await;
}

#[tokio::test]
async fn silence_is_bridged_by_comments() {
    let bench = Bench::with(|options| options.keep_alive_seconds = 0.05).await;
    let mut socket = bench.connect().await;
    let text = json!({"query": "hang", "stream": true}).to_string();
    let request = format!(
        "POST /v1/ask HTTP/1.1\r\nHost: {}\r\nContent-Length: {}\r\n\r\n{text}",
        bench.host(),
        text.len()
    );
    socket.write_all(request.as_bytes()).await.unwrap();
    let mut heard = String::new();
    while !heard.contains("\n:") {
        let mut bytes = [0; 1024];
        let count = socket.read(&mut bytes).await.unwrap();
        assert_ne!(count, 0, "{heard}");
        heard.push_str(&String::from_utf8_lossy(&bytes[..count]));
    }
    drop(socket);
    bench.stop().await;
}

#[tokio::test]
async fn reviews_are_listed_claimed_decided_and_rated() {
    let bench = Bench::start().await;
    let listed = bench.get("/v1/reviews?free=true").await.json();
    let first = &listed["records"][0];
    assert_eq!(
        (&first["audit_id"], &first["claimed_by"], &first["one_in"]),
        (&json!(AUDIT_ID), &json!("ann"), &json!(2))
    );
    let path = |what: &str| format!("/v1/reviews/{AUDIT_ID}/{what}");
    let taken = bench.post(&path("claim"), b"", "").await;
    assert_eq!((taken.status, &taken.json()["code"]), (409, &json!("request_conflict")));
    assert_eq!(bench.post(&path("release"), b"", "").await.json()["claimed"], json!(false));
    let decided =
        bench.post(&path("decision"), br#"{"decision": "OVERTURN", "reason": "it is right"}"#, "").await;
    assert_eq!((decided.status, &decided.json()["leaf_index"]), (200, &json!(4)));
    let unknown = bench.post(&path("decision"), br#"{"decision": "OVERTURN", "why": "x"}"#, "").await;
    assert_eq!(unknown.status, 400);
    let rates = bench.get("/v1/reviews/rates").await.json();
    assert_eq!((&rates["doubted"]["interval"], &rates["catch"]), (&json!([0.1, 0.9]), &json!(null)));
    assert_eq!(rates["weeks"][0]["name"], json!("2026-09-18T00:00:00Z"));
    for wrong in ["/v1/reviews?free=1", "/v1/reviews/rates?from_ms=today", "/v1/reviews?more=1"] {
        assert_eq!(bench.get(wrong).await.status, 400, "{wrong}");
    }
    bench.stop().await;
}

#[tokio::test]
async fn feedback_and_erasing_take_json() {
    let bench = Bench::start().await;
    let path = format!("/v1/audit/{AUDIT_ID}/feedback");
    let fed = bench.post(&path, br#"{"rating": "WRONG", "claim": 1}"#, "").await;
    assert_eq!((fed.status, &fed.json()["leaf_index"]), (200, &json!(4)));
    let erased = bench.post("/v1/erase", br#"{"principal": "ada"}"#, "").await.json();
    assert_eq!((&erased["payloads"], &erased["router"]["sessions"]), (&json!(3), &json!(1)));
    for wrong in [&b"{}"[..], br#"{"principal": "ada", "session_id": "s"}"#, br#"{"everybody": true}"#] {
        assert_eq!(bench.post("/v1/erase", wrong, "").await.status, 400);
    }
    bench.stop().await;
}

#[tokio::test]
async fn answers_and_programs_of_others_are_checked_one_by_one_or_in_a_batch() {
    let bench = Bench::start().await;
    let answer =
        br#"{"id": 7, "answer": "x", "sources": [{"id": "s", "text": "y"}], "require_citations": false}"#;
    let one = bench.post("/v1/check", answer, "").await;
    assert_eq!((one.status, &one.json()["verdict"], &one.json()["id"]), (200, &json!("REVIEW"), &json!(7)));
    assert_eq!(one.json()["claims"][0]["reason"], "s true");
    let items = br#"{"batch": [{"id": "a", "answer": "first"}, {"id": "b"}, {"answer": "third", "policy": "soft"}, 7]}"#;
    let results = bench.post("/v1/check", items, "").await.json()["results"].clone();
    assert_eq!((&results[0]["id"], &results[0]["claims"][0]["text"]), (&json!("a"), &json!("first")));
    assert_eq!((&results[1]["id"], &results[1]["error"]["code"]), (&json!("b"), &json!("invalid_argument")));
    assert_eq!(
        (&results[2]["error"]["field"], &results[3]["error"]["field"]),
        (&json!("policy"), &json!("batch"))
    );
    let parsed = bench.post("/v1/parse", br#"{"code": "addVar(x, 1)"}"#, "").await.json();
    assert_eq!((&parsed["valid"], &parsed["parser"]["version"]), (&json!(true), &json!("1")));
    let parsed =
        bench.post("/v1/parse", br#"{"batch": [{"id": 1, "code": "x", "language": "cobol"}]}"#, "").await;
    assert_eq!(parsed.json()["results"][0]["error"]["field"], "language");
    for (path, wrong, field) in [
        ("/v1/check", &br#"{"answer": "x", "mode": "soft"}"#[..], "mode"),
        ("/v1/check", br#"{"answer": "x", "source": []}"#, "source"),
        ("/v1/check", br#"{"batch": []}"#, "batch"),
        ("/v1/check", br#"{"batch": [{"answer": "x"}], "id": 1}"#, "id"),
        ("/v1/parse", br#"{"code": 7}"#, "code"),
    ] {
        let reply = bench.post(path, wrong, "").await;
        assert_eq!((reply.status, &reply.json()["field"]), (400, &json!(field)), "{}", reply.text());
    }
    assert_eq!(bench.recorded().len(), 0, "nobody wanted a record");
    let one = bench.post("/v1/check?record=true", answer, "").await.json();
    assert_eq!((&one["record"]["audit_id"], &one["record"]["state"]), (&json!(AUDIT_ID), &json!("STORED")));
    let parsed = bench.post("/v1/parse?record=true", br#"{"code": "addVar(x, 1)"}"#, "").await.json();
    assert_eq!((&parsed["valid"], &parsed["record"]["state"]), (&json!(true), &json!("STORED")));
    bench.post("/v1/parse?record=true", br#"{"code": "```"}"#, "").await;
    let recorded = bench.recorded();
    assert_eq!((recorded[0].answer.as_str(), recorded[0].sources[0].text.as_str()), ("x", "y"));
    assert_eq!(recorded[1].answer, "```avap\naddVar(x, 1)\n```");
    assert_eq!(recorded[2].answer, "````avap\n```\n````", "a program cannot end its own block");
    let wrong = bench.post("/v1/check?recrod=true", answer, "").await;
    assert_eq!((wrong.status, &wrong.json()["field"]), (400, &json!("recrod")));
    let many = format!(r#"{{"batch": [{}]}}"#, vec![r#"{"code": "x"}"#; 101].join(", "));
    assert_eq!(bench.post("/v1/parse", many.as_bytes(), "").await.json()["field"], "batch");
    bench.stop().await;
    let hasty = Bench::with(|options| options.request_seconds = 0.3).await;
    assert_eq!(hasty.post("/v1/check", br#"{"answer": "late"}"#, "").await.status, 504);
    hasty.stop().await;
}

#[tokio::test]
async fn health_readiness_and_metrics() {
    let mut bench = Bench::start().await;
    let me = bench.get("/v1/me").await.json();
    assert_eq!((&me["principal"], me["roles"].as_array().unwrap().len()), (&json!("local"), 6));
    assert_eq!(bench.get("/v1/sign-in").await.json()["required"], false);
    assert_eq!(bench.get("/healthz").await.json(), json!({"status": "alive"}));
    assert_eq!(bench.get("/readyz").await.json(), json!({"status": "ready", "degraded": []}));
    bench.stop_evaluation().await;
    let ready = bench.get("/readyz").await;
    assert_eq!(ready.status, 200);
    assert_eq!(ready.json(), json!({"status": "degraded", "degraded": ["evaluation"]}));
    let metrics = bench.get("/metrics").await;
    assert!(metrics.header("content-type").starts_with("text/plain"));
    assert_eq!(metrics.text(), "assay_http_requests_total 1\n");
    let open = bench
        .raw("GET /metrics HTTP/1.1\r\nHost: {host}\r\nAccept: application/openmetrics-text\r\nConnection: close\r\n\r\n")
        .await;
    assert_eq!(open.header("content-type"), "application/openmetrics-text", "the scraper chooses");
    bench.stop().await;
}

#[tokio::test]
async fn records_collections_and_searches_are_read_through_the_front_door() {
    let bench = Bench::start().await;
    let one = bench.get(&format!("/v1/audit/{AUDIT_ID}")).await;
    assert_eq!(one.status, 200, "{one:?}");
    assert_eq!(one.json()["audit_id"], AUDIT_ID);
    assert_eq!(one.json()["receipt"]["leaf_index"], 4);
    assert_eq!(bench.get("/v1/audit/7").await.json()["field"], "id");
    let list = bench.get("/v1/audit?limit=5&outcome=ANSWERED&verdict=PASS").await;
    assert_eq!(list.json()["records"][0]["query"], "5 ANSWERED PASS None \"\"  0 0 ");
    let wanted = "verdict=REVIEW,REJECT&query_type=PLATFORM&session=s&principal=ada&from_ms=7&until_ms=9&text=two%20words";
    let list = bench.get(&format!("/v1/audit?limit=1&{wanted}")).await;
    assert_eq!(list.json()["records"][0]["query"], "1  REVIEW+REJECT Some(Platform) \"s\" ada 7 9 two words");
    for (wrong, field) in [
        ("verdict=PASS,FINE", "verdict"),
        ("verdict=", "verdict"),
        ("query_type=platform", "query_type"),
        ("from_ms=yesterday", "from_ms"),
        ("until_ms=-1", "until_ms"),
    ] {
        let refused = bench.get(&format!("/v1/audit?{wrong}")).await;
        assert_eq!((refused.status, &refused.json()["field"]), (400, &json!(field)), "{wrong}");
    }
    assert_eq!(list.json()["next_page_token"], "next");
    assert_eq!(bench.get("/v1/audit?outcome=FINE").await.json()["field"], "outcome");
    assert_eq!(bench.get("/v1/audit?limit=0").await.json()["field"], "limit");
    assert_eq!(bench.get("/v1/audit?sort=up").await.json()["field"], "sort");
    let collections = bench.get("/v1/collections").await.json();
    assert_eq!(collections["collections"][0]["name"], "default");
    let found = bench.get("/v1/search?q=loops%20%26%20more&k=3&mode=bm25_only").await.json();
    assert_eq!(found["query"], "loops & more");
    assert_eq!(found["hits"][0]["ranks"]["bm25"], 1);
    assert_eq!(found["degraded"], json!(["knn"]));
    assert_eq!(bench.get("/v1/search?q=").await.json()["field"], "q");
    let one = bench.get("/v1/collections/guide").await.json();
    assert_eq!((&one["name"], &one["documents"][1]["path"]), (&json!("guide"), &json!("b.md")));
    let lines = bench.get("/v1/collections/guide/lines?path=a.md&first=3&last=4").await.json();
    assert_eq!((&lines["text"], &lines["last_line"]), (&json!("line 3\nline 4\n"), &json!(4)));
    assert_eq!(bench.get("/v1/collections/guide/lines?path=a.md").await.json()["last_line"], 40);
    for (wrong, field) in [("first=1", "path"), ("path=a.md&first=x", "first"), ("path=a.md&to=4", "to")] {
        let reply = bench.get(&format!("/v1/collections/guide/lines?{wrong}")).await;
        assert_eq!((reply.status, &reply.json()["field"]), (400, &json!(field)));
    }
    let report = bench.get("/v1/collections/guide/lint").await.json();
    let message = "`#x`: no such anchor";
    let finding =
        json!({"rule": "dead-anchor", "path": "guide", "first_line": 3, "last_line": 4, "message": message});
    assert_eq!(report, json!({"files": 2, "total": 1200, "findings": [finding]}));
    let receipt = bench.get(&format!("/v1/audit/{AUDIT_ID}/receipt")).await.json();
    assert_eq!((&receipt["entry"], &receipt["receipt"]), (&json!({"index": 4, "sealed": null}), &json!(1)));
    let whole = bench.get(&format!("/v1/audit/{AUDIT_ID}/receipt?payload=true")).await.json();
    assert_eq!(whole["entry"]["sealed"]["payload"], "{}");
    let log = bench.get("/v1/audit/verify").await.json();
    assert_eq!((&log["ok"], &log["findings"][0]), (&json!(false), &json!("leaf 4 was changed")));
    bench.stop().await;
}

#[tokio::test]
async fn pages_of_the_console_speak_the_readers_language_and_load_their_own_files() {
    let bench = Bench::start().await;
    for path in ["/", "/review", "/records", "/records/x", "/evaluation", "/index"] {
        let page = bench.get(path).await;
        assert_eq!(page.status, 200, "{path}");
        let policy = page.header("content-security-policy");
        assert!(
            policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'"),
            "{policy}"
        );
        assert!(!policy.contains("unsafe"), "{policy}");
        let text = page.text();
        for part in text.split("src=\"").skip(1).chain(text.split("href=\"").skip(1)) {
            let target = part.split('"').next().unwrap();
            assert!(target.starts_with(['/', '?', '#']) || target == "data:,", "{path} loads {target}");
        }
    }
    let spanish = bench
        .raw("GET / HTTP/1.1\r\nHost: {host}\r\nAccept-Language: es-ES\r\nConnection: close\r\n\r\n")
        .await;
    assert!(
        spanish.text().contains("<html lang=\"es\">")
            && spanish.text().contains("Pregunta a la documentación")
    );
    let chosen = bench.get("/?lang=es").await;
    assert!(chosen.header("set-cookie").starts_with("assay-lang=es; "));
    let script = bench.get("/console/page.js").await;
    assert_eq!((script.status, script.header("cache-control")), (200, "no-cache".to_owned()));
    let tag = script.header("etag");
    for (known, status) in [(tag.clone(), 304), (format!("\"x\", W/{tag}"), 304), ("\"x\"".to_owned(), 200)] {
        let again = format!(
            "GET /console/page.js HTTP/1.1\r\nHost: {{host}}\r\nIf-None-Match: {known}\r\nConnection: close\r\n\r\n"
        );
        assert_eq!(bench.raw(&again).await.status, status, "{known}");
    }
    assert_eq!(bench.get("/console/secret.js").await.status, 404);
    bench.stop().await;
}

#[tokio::test]
async fn runs_of_golden_sets_are_listed_with_their_pages() {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("today");
    std::fs::create_dir(&run).unwrap();
    let report = r#"{"standing": "NON_BINDING", "answers": 3, "figures": {"faithfulness": {"value": 0.5}}}"#;
    std::fs::write(run.join("report.json"), report).unwrap();
    std::fs::write(run.join("report.html"), "<p>3 answers</p>").unwrap();
    // Without figures there is nothing to show.
    std::fs::create_dir(folder.path().join("bare")).unwrap();
    std::fs::write(folder.path().join("bare/report.json"), r#"{"answers": 3}"#).unwrap();
    let path = folder.path().to_owned();
    let bench = Bench::with(move |options| options.runs = path).await;
    let runs = bench.get("/v1/evaluations").await.json();
    assert_eq!(runs["runs"].as_array().unwrap().len(), 1);
    assert_eq!((&runs["runs"][0]["name"], &runs["runs"][0]["report"]), (&json!("today"), &json!(true)));
    assert_eq!(runs["runs"][0]["figures"]["faithfulness"]["value"], 0.5);
    let page = bench.get("/v1/evaluations/today/report").await;
    assert_eq!((page.status, page.text().as_str()), (200, "<p>3 answers</p>"));
    assert!(page.header("content-security-policy").ends_with("sandbox"));
    for nothing in ["yesterday", "..%2Ftoday", "%2E%2E"] {
        assert_eq!(bench.get(&format!("/v1/evaluations/{nothing}/report")).await.status, 404, "{nothing}");
    }
    bench.stop().await;
}

#[tokio::test]
async fn two_runs_are_compared_question_by_question() {
    let folder = tempfile::tempdir().unwrap();
    let keep = |name: &str, report: Value| {
        std::fs::create_dir(folder.path().join(name)).unwrap();
        std::fs::write(folder.path().join(name).join("report.json"), report.to_string()).unwrap();
    };
    let run = |index: &str, values: &[f64]| {
        let item = |(number, value): (usize, &f64)| {
            let scores = json!({"context_recall": {"not_computed": "no_reference"}, "faithfulness": value});
            json!({"id": number.to_string(), "repetition": 1, "scores": scores})
        };
        let items: Vec<Value> = values.iter().enumerate().map(item).collect();
        json!({"manifest": {"format": 1, "index": index}, "manifest_sha256": index, "items": items})
    };
    keep("before", run("a", &[0.0; 8]));
    keep("after", run("b", &[1.0; 9]));
    keep("empty", run("a", &[]));
    keep("bare", json!({"figures": {}}));
    keep("later", json!({"manifest": {"format": 99}, "manifest_sha256": "", "items": []}));
    let path = folder.path().to_owned();
    let bench = Bench::with(move |options| options.runs = path).await;

    let compared = bench.get("/v1/evaluations/compare?first=before&second=after").await.json();
    assert_eq!(compared["differs"], json!({"index": ["a", "b"]}));
    assert_eq!((&compared["manifests"], &compared["unpaired"]), (&json!(["a", "b"]), &json!(1)));
    assert_eq!(compared["scores"].as_object().unwrap().len(), 1, "a score that nobody computed is none");
    let score = &compared["scores"]["faithfulness"];
    assert_eq!((&score["questions"], &score["verdict"]), (&json!(8), &json!("higher")));
    assert_eq!((&score["first"], &score["second"]), (&json!(0.0), &json!(1.0)));
    assert_eq!((&score["difference"], &score["interval"]), (&json!(1.0), &json!([1.0, 1.0])));
    assert_eq!(score["p_value"], 2.0 / 256.0);

    for (query, status, field) in [
        ("first=before&second=yesterday", 404, "second"),
        ("first=..%2Fbefore&second=after", 404, "first"),
        ("first=bare&second=after", 400, "first"),
        ("first=before&second=empty", 400, "second"),
        ("first=before&second=later", 400, "second"),
        ("first=before", 400, "second"),
        ("first=before&second=after&third=x", 400, "third"),
    ] {
        let refused = bench.get(&format!("/v1/evaluations/compare?{query}")).await;
        assert_eq!((refused.status, &refused.json()["field"]), (status, &json!(field)), "{query}");
    }
    bench.stop().await;
}

#[tokio::test]
async fn drain_finishes_running_requests_and_takes_no_new_ones() {
    let bench = Bench::start().await;
    let host = bench.host().to_owned();
    let mut socket = bench.connect().await;
    let text = json!({"query": "gate"}).to_string();
    let request =
        format!("POST /v1/ask HTTP/1.1\r\nHost: {host}\r\nContent-Length: {}\r\n\r\n{text}", text.len());
    socket.write_all(request.as_bytes()).await.unwrap();
    bench.hanging().await;
    let gate = bench.gate();
    tokio::join!(bench.stop(), async {
        // The listener is gone once the drain has begun.
        while TcpStream::connect(&host).await.is_ok() {
            tokio::task::yield_now().await;
        }
        gate.notify_one();
        let mut bytes = Vec::new();
        socket.read_to_end(&mut bytes).await.unwrap();
        assert_eq!(Reply::parse(&bytes).status, 200);
    });
}

#[tokio::test]
async fn an_address_beyond_loopback_never_listens() {
    let failure = Bench::compose(|options| options.http = "0.0.0.0:0".parse().unwrap()).unwrap_err();
    assert_eq!((failure.code, failure.field.as_str()), (assay_domain::Code::Configuration, "http"));
}

#[tokio::test]
async fn a_taken_address_is_a_configuration_failure() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap();
    let gateway = Bench::compose(|options| options.http = address).unwrap();
    let failure = gateway.listen().await.unwrap_err();
    assert_eq!(failure.code, assay_domain::Code::Configuration);
    assert!(failure.message.contains(&address.to_string()));
}

#[tokio::test]
async fn what_cannot_listen_leaves_no_task() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap();
    let gateway = Bench::compose(|options| options.grpc = address).unwrap();
    let tasks = || tokio::runtime::Handle::current().metrics().num_alive_tasks();
    let before = tasks();
    let failure = gateway.listen().await.unwrap_err();
    assert!(failure.message.contains(&address.to_string()));
    assert_eq!(tasks(), before);
}

#[test]
fn the_shapes_of_the_command_line_are_exact() {
    use assay_api as api;
    let keys = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    let report = scripted::report();
    let line = json!(api::Checked::new(&json!("a"), &report, 12.3456));
    assert_eq!(
        keys(&line),
        [
            "id",
            "verdict",
            "support",
            "checks",
            "claims",
            "citations",
            "defects",
            "code",
            "errors",
            "warnings",
            "context_relevance",
            "models",
            "timing_ms"
        ]
    );
    assert_eq!(keys(&line["checks"][0]), ["name", "status", "reason"]);
    assert_eq!(
        keys(&line["claims"][0]),
        [
            "text",
            "byte_start",
            "byte_end",
            "utf16_start",
            "utf16_end",
            "char_start",
            "char_end",
            "kind",
            "status",
            "support",
            "citations",
            "evidence",
            "reason",
            "decided_by"
        ]
    );
    assert_eq!(keys(&line["claims"][0]["evidence"][0]), ["source", "first_line", "last_line", "text"]);
    assert_eq!(
        keys(&line["citations"][0]),
        ["marker", "text", "byte_start", "byte_end", "utf16_start", "lines", "in_range", "claim"]
    );
    assert_eq!(keys(&line["defects"][0]), ["kind", "byte_start", "detail"]);
    assert_eq!(line["timing_ms"], json!({"total": 12.346}));
    assert_eq!(line["support"], json!(null), "a figure that is not there is null");

    let parsed =
        json!(api::Parsed::new(&json!(7), &assay_domain::BlockStatus::NoGrammar, &[], "0.1.0", "ab"));
    assert_eq!(
        parsed,
        json!({"id": 7, "valid": null, "diagnostics": [], "parser": {"version": "0.1.0", "grammar_hash": "ab"},
            "not_checked": "no_grammar"})
    );
}
