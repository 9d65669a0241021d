//! OpenAI's chat completions over real sockets, the router scripted.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod scripted;

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use scripted::{AUDIT_ID, Bench, OTHERS_ID, OWN_ID, Reply};

const PATH: &str = "/v1/chat/completions";
/// Milliseconds of the audit id, in seconds.
const CREATED: u64 = 1_789_992_406;

fn asking(question: &str) -> Value {
    json!({"model": "assay", "messages": [{"role": "user", "content": question}]})
}

fn and(mut body: Value, fields: Value) -> Value {
    body.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    body
}

async fn post(bench: &Bench, body: &Value, headers: &str) -> Reply {
    bench.post(PATH, body.to_string().as_bytes(), headers).await
}

/// The one citation of the script's answer.
fn cited(bench: &Bench) -> Value {
    json!({
        "start_index": 0,
        "end_index": 0,
        "url": format!("http://{}/records/{AUDIT_ID}", bench.host()),
        "title": "avap/request-parameters.md, lines 12-31",
    })
}

/// The chunks of a stream without their `assay` objects, and those objects.
fn chunks(reply: &Reply) -> (Vec<Value>, Vec<Value>) {
    let data = reply.data();
    assert_eq!(data.last().unwrap(), "[DONE]", "{data:?}");
    let mut chunks: Vec<Value> =
        data[..data.len() - 1].iter().map(|data| serde_json::from_str(data).unwrap()).collect();
    let objects =
        chunks.iter_mut().filter_map(|chunk| chunk.as_object_mut().unwrap().shift_remove("assay")).collect();
    (chunks, objects)
}

#[tokio::test]
async fn completion_has_the_usual_shape_and_one_assay_object() {
    let bench = Bench::start().await;
    let body = and(
        asking("How do I read a parameter?"),
        json!({"temperature": 0.2, "user": "root", "max_tokens": 3}),
    );
    let reply = post(&bench, &body, "X-Request-Id: job-7\r\n").await;
    assert_eq!(reply.status, 200, "{reply:?}");
    assert_eq!(reply.header("content-type"), "application/json");
    let mut completion = reply.json();
    let ours = completion.as_object_mut().unwrap().shift_remove("assay").unwrap();
    assert_eq!(
        completion,
        json!({
            "id": format!("chatcmpl-{AUDIT_ID}"),
            "object": "chat.completion",
            "created": CREATED,
            "model": "assay",
            "choices": [{
                "index": 0,
                "message": {
                    "role": "assistant",
                    "content": "Use `addParam`. [^1]",
                    "refusal": null,
                    "annotations": [{"type": "url_citation", "url_citation": cited(&bench)}],
                },
                "logprobs": null,
                "finish_reason": "stop",
            }],
            "usage": {"prompt_tokens": 812, "completion_tokens": 64, "total_tokens": 876},
        })
    );
    assert_eq!(ours["ignored"], json!(["temperature", "user", "max_tokens"]));
    assert_eq!(ours["request_id"], "job-7");
    assert_eq!(ours["audit"], json!({"id": AUDIT_ID, "state": "STORED"}));
    assert_eq!(
        (ours["verdict"].clone(), ours["code_status"].clone()),
        (json!("PASS"), json!("NOT_APPLICABLE"))
    );
    assert_eq!(ours["sources"][0]["path"], "avap/request-parameters.md");
    assert_eq!(ours["citations"][0]["marker"], 1);
    assert!(ours.get("text").is_none());
    bench.stop().await;
}

#[tokio::test]
async fn only_the_last_user_message_reaches_the_router() {
    let bench = Bench::start().await;
    let body = json!({
        "model": "gpt-4o",
        "user": "root",
        "messages": [
            {"role": "system", "content": "You are an administrator."},
            {"role": "user", "content": "Who are you?"},
            {"role": "assistant", "content": "The moon is made of cheese [^1]."},
            {"role": "user", "content": [{"type": "text", "text": "And the sun?"}]},
        ],
    });
    let reply = post(&bench, &body, "").await;
    assert_eq!(reply.status, 200, "{}", reply.text());
    let (question, delivery) = bench.question();
    let expected = assay_proto::common::Question {
        text: "And the sun?".into(),
        mode: assay_proto::common::Mode::Strict.into(),
        prior: vec![assay_proto::common::PriorTurn {
            question: "Who are you?".into(),
            answer: "The moon is made of cheese [^1].".into(),
        }],
        ..Default::default()
    };
    assert_eq!((question, delivery), (expected, None));
    assert_eq!(bench.calls()[0].identity.principal, "local");
    let warnings = reply.json()["assay"]["warnings"].to_string();
    for said in
        ["system messages are not followed", "1 earlier turns were read as context, of 2 messages", "gpt-4o"]
    {
        assert!(warnings.contains(said), "{said}: {warnings}");
    }
    bench.stop().await;
}

#[tokio::test]
async fn session_type_and_own_fields_reach_the_router() {
    let bench = Bench::start().await;
    let body = and(
        asking("q"),
        json!({"model": "assay/code", "assay": {"collection": "c", "mode": "lenient", "editor_content": "e"}}),
    );
    let reply = post(&bench, &body, "Assay-Session: s-1\r\n").await;
    assert_eq!(reply.status, 200, "{}", reply.text());
    assert_eq!(reply.json()["model"], "assay/code");
    let (question, _) = bench.question();
    assert_eq!((question.session_id.as_str(), question.collection.as_str()), ("s-1", "c"));
    assert_eq!(question.declared_type(), assay_proto::common::QueryType::CodeGeneration);
    assert_eq!(question.mode(), assay_proto::common::Mode::Lenient);
    assert_eq!(question.editor_content, "e");
    bench.stop().await;
}

#[tokio::test]
async fn stream_holds_text_until_the_verdict_and_omits_withdrawn_text() {
    let bench = Bench::start().await;
    let body = and(asking("events"), json!({"stream": true, "stream_options": {"include_usage": true}}));
    let reply = post(&bench, &body, "").await;
    assert_eq!(reply.status, 200, "{reply:?}");
    assert!(reply.header("content-type").starts_with("text/event-stream"));
    assert_eq!(bench.question().1, Some(assay_proto::router::Delivery::Held.into()));
    let (chunks, ours) = chunks(&reply);
    let chunk = |delta: Value, finish: Value| {
        json!({
            "id": format!("chatcmpl-{AUDIT_ID}"),
            "object": "chat.completion.chunk",
            "created": CREATED,
            "model": "assay",
            "choices": [{"index": 0, "delta": delta, "logprobs": null, "finish_reason": finish}],
            "usage": null,
        })
    };
    let mut tail = chunk(json!({}), json!(null));
    tail["choices"] = json!([]);
    tail["usage"] = json!({"prompt_tokens": 812, "completion_tokens": 64, "total_tokens": 876});
    assert_eq!(
        chunks,
        [
            chunk(json!({"role": "assistant", "content": ""}), json!(null)),
            chunk(json!({"content": "Use `addParam`. [^1]"}), json!(null)),
            chunk(
                json!({"annotations": [{"type": "url_citation", "url_citation": cited(&bench)}]}),
                json!("stop")
            ),
            tail,
        ]
    );
    assert_eq!(ours.len(), 1);
    assert_eq!(ours[0]["verdict"], "PASS");
    bench.stop().await;
}

#[tokio::test]
async fn rejected_answer_is_filtered_content_or_an_error() {
    let bench = Bench::start().await;
    let reply = post(&bench, &asking("reject"), "").await;
    assert_eq!(reply.status, 200);
    let completion = reply.json();
    let choice = &completion["choices"][0];
    assert_eq!(choice["finish_reason"], "content_filter");
    assert_eq!(choice["message"]["content"], "What stands. [^1]");
    assert_eq!(choice["message"]["refusal"], "nothing supports it ask again");
    assert_eq!(choice["message"]["annotations"], json!([]), "its places are those of the whole answer");
    assert_eq!(completion["assay"]["verdict"], "REJECT");
    assert_eq!(completion["assay"]["rejection"]["validation"]["ok"], false);

    let streaming = and(asking("reject"), json!({"stream": true}));
    let (chunks, ours) = chunks(&post(&bench, &streaming, "").await);
    let deltas: Vec<&Value> = chunks.iter().map(|chunk| &chunk["choices"][0]["delta"]).collect();
    let refusal = json!({"refusal": "nothing supports it ask again"});
    assert_eq!(
        deltas,
        [
            &json!({"role": "assistant", "content": ""}),
            &json!({"content": "What stands. [^1]"}),
            &refusal,
            &json!({})
        ]
    );
    assert_eq!(chunks.last().unwrap()["choices"][0]["finish_reason"], "content_filter");
    assert_eq!(ours[0]["rejection"]["partial_response"], "What stands. [^1]");

    for body in [&asking("reject"), &streaming] {
        let reply = post(&bench, body, "Assay-Reject: error\r\n").await;
        assert_eq!(reply.status, 422, "{body}");
        let error = reply.json()["error"].clone();
        assert_eq!(
            (error["code"].clone(), error["audit_id"].clone()),
            (json!("answer_rejected"), json!(AUDIT_ID))
        );
        assert_eq!(error["message"], "nothing supports it ask again");
    }
    bench.stop().await;
}

#[tokio::test]
async fn cited_sources_follow_as_footnotes_where_they_are_asked_for() {
    let bench = Bench::start().await;
    let reply = post(&bench, &asking("q"), "Assay-Footnotes: true\r\n").await;
    let footnotes = "Use `addParam`. [^1]\n\n[^1]: avap/request-parameters.md, lines 12-31";
    assert_eq!(reply.json()["choices"][0]["message"]["content"], footnotes);
    let streaming = and(asking("q"), json!({"stream": true}));
    let (chunks, _) = chunks(&post(&bench, &streaming, "Assay-Footnotes: true\r\n").await);
    let text: String =
        chunks.iter().filter_map(|chunk| chunk["choices"][0]["delta"]["content"].as_str()).collect();
    assert_eq!(text, footnotes);
    bench.stop().await;
}

#[tokio::test]
async fn failures_come_in_the_words_of_the_protocol() {
    let bench = Bench::start().await;
    for (body, headers, status, kind, param, code) in [
        (and(asking("q"), json!({"n": 2})), "", 400, "invalid_request_error", json!("n"), "invalid_argument"),
        (
            and(asking("q"), json!({"tools": [{}]})),
            "",
            400,
            "invalid_request_error",
            json!("tools"),
            "invalid_argument",
        ),
        (
            and(asking("q"), json!({"model": "assay/x"})),
            "",
            404,
            "invalid_request_error",
            json!("model"),
            "not_found",
        ),
        (asking(" "), "", 400, "invalid_request_error", json!("messages"), "invalid_argument"),
        (json!([]), "", 400, "invalid_request_error", json!("body"), "invalid_argument"),
        (
            asking("q"),
            "Assay-Reject: no\r\n",
            400,
            "invalid_request_error",
            json!("assay-reject"),
            "invalid_argument",
        ),
        (
            and(asking("q"), json!({"assay": {"request_id": "6f9619ff-8b86-4011-b42d-00c04fc964ff"}})),
            "Idempotency-Key: order 7\r\n",
            400,
            "invalid_request_error",
            json!("idempotency-key"),
            "invalid_argument",
        ),
        (
            asking("q"),
            "Origin: https://evil.example\r\n",
            403,
            "permission_error",
            json!("origin"),
            "permission_denied",
        ),
        (asking("fail"), "", 503, "server_error", json!("index"), "search_unavailable"),
        (
            and(asking("fail"), json!({"stream": true})),
            "",
            503,
            "server_error",
            json!("index"),
            "search_unavailable",
        ),
        (
            and(asking("break off"), json!({"stream": true})),
            "",
            503,
            "server_error",
            json!(null),
            "unavailable",
        ),
        (asking("settled failure"), "", 504, "server_error", json!(null), "deadline_exceeded"),
    ] {
        let reply = post(&bench, &body, headers).await;
        assert_eq!(reply.status, status, "{body}");
        assert_eq!(reply.header("content-type"), "application/json", "{body}");
        let error = reply.json()["error"].clone();
        assert_eq!(
            (&error["type"], &error["param"], &error["code"]),
            (&json!(kind), &param, &json!(code)),
            "{body}"
        );
        assert_eq!(error["request_id"], reply.header("x-request-id"));
        assert!(error["message"].is_string());
    }
    let reply = bench.get(PATH).await;
    assert_eq!((reply.status, reply.json()["error"]["param"].clone()), (405, json!("method")));
    let reply = bench.post(PATH, b"x=1", "Content-Type: application/x-www-form-urlencoded\r\n").await;
    assert_eq!((reply.status, reply.json()["error"]["param"].clone()), (415, json!("content-type")));
    bench.stop().await;
}

#[tokio::test]
async fn settled_failure_names_its_record_and_stops_repeats() {
    let bench = Bench::start().await;
    let reply = post(&bench, &asking("settled failure"), "").await;
    assert_eq!(reply.json()["error"]["audit_id"], AUDIT_ID);
    assert_eq!(reply.header("x-should-retry"), "false");
    assert_eq!(post(&bench, &asking("fail"), "").await.header("x-should-retry"), "");
    bench.stop().await;
}

#[tokio::test]
async fn comments_bridge_silence_and_late_failure_is_an_event() {
    let bench = Bench::with(|options| {
        options.keep_alive_seconds = 0.05;
        options.request_seconds = 0.3;
    })
    .await;
    let reply = post(&bench, &and(asking("hang"), json!({"stream": true})), "").await;
    assert_eq!(reply.status, 200);
    assert!(reply.text().lines().any(|line| line.starts_with(':')), "{}", reply.text());
    let data = reply.data();
    assert_eq!(data.len(), 1, "{data:?}");
    let error: Value = serde_json::from_str(&data[0]).unwrap();
    assert_eq!(error["error"]["code"], "deadline_exceeded");
    bench.stop().await;
}

#[tokio::test]
async fn vanished_client_cancels_the_router_before_and_after_head() {
    for patience in [10.0, 0.02] {
        let bench = Bench::with(|options| options.keep_alive_seconds = patience).await;
        for fields in [json!({"stream": true}), json!({})] {
            let text = and(asking("hang"), fields.clone()).to_string();
            let mut socket = bench.connect().await;
            let host = bench.host();
            let length = text.len();
            let request =
                format!("POST {PATH} HTTP/1.1\r\nHost: {host}\r\nContent-Length: {length}\r\n\r\n{text}");
            socket.write_all(request.as_bytes()).await.unwrap();
            bench.hanging().await;
            if patience < 1.0 && fields["stream"] == true {
                let mut bytes = [0; 1024];
                assert_ne!(socket.read(&mut bytes).await.unwrap(), 0);
            }
            drop(socket);
            bench.cancelled().await;
        }
        bench.stop().await;
    }
}

#[tokio::test]
async fn models_are_listed_each_found_by_its_name() {
    let bench = Bench::start().await;
    let list = bench.get("/v1/models").await.json();
    let names: Vec<&str> =
        list["data"].as_array().unwrap().iter().map(|model| model["id"].as_str().unwrap()).collect();
    assert_eq!(names, ["assay", "assay/retrieval", "assay/code", "assay/conversational"]);
    assert_eq!(list["object"], "list");
    for (path, name) in [("assay", "assay"), ("assay/code", "assay/code"), ("assay%2Fcode", "assay/code")] {
        let model = bench.get(&format!("/v1/models/{path}")).await.json();
        assert_eq!(
            (&model["id"], &model["object"], &model["owned_by"]),
            (&json!(name), &json!("model"), &json!("assay"))
        );
        assert!(model["created"].is_u64());
    }
    let missing = bench.get("/v1/models/gpt-4o").await;
    assert_eq!((missing.status, missing.json()["error"]["code"].clone()), (404, json!("not_found")));
    bench.stop().await;
}

#[tokio::test]
async fn responses_have_one_message_and_continue_by_the_session_of_their_record() {
    let bench = Bench::start().await;
    let ask = async |body: Value| bench.post("/v1/responses", body.to_string().as_bytes(), "").await;
    let whole = ask(json!({"model": "assay", "input": "q", "metadata": {"k": "v"}})).await.json();
    assert_eq!(
        (&whole["id"], &whole["status"], &whole["object"], &whole["metadata"]["k"]),
        (&json!(format!("resp_{AUDIT_ID}")), &json!("completed"), &json!("response"), &json!("v"))
    );
    let mut annotation = cited(&bench);
    annotation["type"] = json!("url_citation");
    let part = &whole["output"][0]["content"][0];
    assert_eq!(
        (&part["type"], &part["text"], &part["annotations"]),
        (&json!("output_text"), &json!("Use `addParam`. [^1]"), &json!([annotation]))
    );
    assert_eq!((&whole["usage"]["input_tokens"], &whole["assay"]["verdict"]), (&json!(812), &json!("PASS")));
    let begun = bench.question().0.session_id;
    assert!(begun.starts_with("resp_"), "a stored response begins a session: {begun}");
    let after =
        async |id: &str| ask(json!({"input": "q", "previous_response_id": format!("resp_{id}")})).await;
    assert_eq!(after(OWN_ID).await.status, 200);
    assert_eq!(bench.question().0.session_id, "s-1");
    // The one has no session, the other belongs to somebody else.
    for id in [AUDIT_ID, OTHERS_ID] {
        let next = after(id).await;
        assert_eq!((next.status, &next.json()["error"]["param"]), (404, &json!("previous_response_id")));
    }
    let tool = ask(json!({"input": "q", "tools": [], "tool_choice": "required"})).await;
    assert_eq!((tool.status, &tool.json()["error"]["param"]), (400, &json!("tool_choice")));
    let rejected = ask(json!({"input": "reject"})).await.json();
    assert_eq!(
        (
            &rejected["status"],
            &rejected["incomplete_details"]["reason"],
            &rejected["output"][0]["content"][1]["type"]
        ),
        (&json!("incomplete"), &json!("content_filter"), &json!("refusal"))
    );
    bench.stop().await;
}

#[tokio::test]
async fn a_response_reads_the_turns_of_its_client_unless_a_session_is_named() {
    let bench = Bench::start().await;
    let input = json!([
        {"role": "user", "content": "What is a loop?"},
        {"role": "assistant", "content": [{"type": "output_text", "text": "It repeats."}]},
        {"role": "user", "content": "And how does it end?"},
    ]);
    let ask = async |fields: Value, headers: &str| {
        let body = and(json!({"input": input}), fields);
        let reply = bench.post("/v1/responses", body.to_string().as_bytes(), headers).await;
        assert_eq!(reply.status, 200, "{}", reply.text());
        (bench.question().0, reply.json()["assay"]["warnings"].to_string())
    };
    let (question, warnings) = ask(json!({"conversation": null}), "").await;
    assert!(question.session_id.starts_with("resp_"), "{}", question.session_id);
    assert_eq!((question.prior.len(), question.prior[0].answer.as_str()), (1, "It repeats."));
    assert!(warnings.contains("1 earlier turns were read as context"), "{warnings}");
    for (fields, headers) in [
        (json!({"conversation": "c"}), ""),
        (json!({"assay": {"session": "c"}}), ""),
        (json!({}), "Assay-Session: c\r\n"),
    ] {
        let (question, warnings) = ask(fields, headers).await;
        assert_eq!((question.session_id.as_str(), question.prior.len()), ("c", 0), "{headers}");
        assert!(warnings.contains("the session remembers"), "{warnings}");
    }
    let key = "Idempotency-Key: order 7\r\n";
    let (first, _) = ask(json!({}), key).await;
    assert_eq!(ask(json!({}), key).await.0, first, "made again it is the same request");
    let (other, _) = ask(json!({}), "Idempotency-Key: order 8\r\n").await;
    assert_ne!(other.session_id, first.session_id);
    bench.stop().await;
}

#[tokio::test]
async fn events_of_a_response_are_numbered_and_end_with_it() {
    let bench = Bench::start().await;
    for (question, end) in [("events", "response.completed"), ("reject", "response.incomplete")] {
        let body = json!({"input": question, "stream": true}).to_string();
        let reply = bench.post("/v1/responses", body.as_bytes(), "").await;
        let events: Vec<Value> =
            reply.data().iter().map(|data| serde_json::from_str(data).unwrap()).collect();
        let heard = reply.events();
        let names: Vec<&str> = heard.iter().map(|event| event.name.as_str()).collect();
        for (number, (event, name)) in events.iter().zip(&names).enumerate() {
            assert_eq!((&event["sequence_number"], &event["type"]), (&json!(number), &json!(name)));
        }
        assert_eq!((names[0], *names.last().unwrap()), ("response.created", end));
        let text: String = events
            .iter()
            .filter(|event| event["type"] == "response.output_text.delta")
            .map(|event| event["delta"].as_str().unwrap())
            .collect();
        assert_eq!(events.last().unwrap()["response"]["output"][0]["content"][0]["text"], text);
    }
    let broken = bench.post("/v1/responses", br#"{"input": "break off", "stream": true}"#, "").await;
    assert_eq!((broken.status, &broken.json()["error"]["code"]), (503, &json!("unavailable")));
    bench.stop().await;
    let hasty = Bench::with(|options| {
        options.keep_alive_seconds = 0.05;
        options.request_seconds = 0.3;
    })
    .await;
    let late = hasty.post("/v1/responses", br#"{"input": "hang", "stream": true}"#, "").await;
    let events = late.events();
    let [error] = events.as_slice() else { panic!("{}", late.text()) };
    assert_eq!(error.name, "error");
    let fields: Vec<&String> = error.data.as_object().unwrap().keys().collect();
    assert_eq!(fields, ["type", "sequence_number", "message", "param", "code", "request_id"]);
    assert_eq!((&error.data["type"], &error.data["code"]), (&json!("error"), &json!("deadline_exceeded")));
    hasty.stop().await;
}

#[tokio::test]
async fn embeddings_come_as_numbers_or_base64() {
    let bench = Bench::start().await;
    let ask = async |body: Value| bench.post("/v1/embeddings", body.to_string().as_bytes(), "").await;
    let numbers = ask(json!({"model": "any", "input": ["a", "b"]})).await.json();
    assert_eq!(numbers["data"][1], json!({"object": "embedding", "index": 1, "embedding": [0.5, -1.0]}));
    assert_eq!((&numbers["model"], &numbers["usage"]["total_tokens"]), (&json!("m"), &json!(0)));
    let text = ask(json!({"input": "a", "encoding_format": "base64", "dimensions": 2})).await.json();
    assert_eq!(text["data"][0]["embedding"], "AAAAPwAAgL8=");
    for (body, field) in [
        (json!({}), "input"),
        (json!({"input": ""}), "input"),
        (json!({"input": [[1, 2]]}), "input"),
        (json!({"input": vec!["a"; 257]}), "input"),
        (json!({"input": "a", "encoding_format": "int8"}), "encoding_format"),
        (json!({"input": "a", "dimensions": 3}), "dimensions"),
    ] {
        let reply = ask(body.clone()).await;
        assert_eq!((reply.status, &reply.json()["error"]["param"]), (400, &json!(field)), "{body}");
    }
    let nothing = bench.get("/v1/files").await;
    assert_eq!((nothing.status, &nothing.json()["error"]["type"]), (404, &json!("invalid_request_error")));
    bench.stop().await;
}
