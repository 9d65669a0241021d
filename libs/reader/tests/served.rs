//! A served reader: what it is asked, what it costs, and what it says where its server does not.
#![allow(clippy::unwrap_used, clippy::panic, clippy::disallowed_methods)]

mod server;

use std::sync::Arc;
use std::time::Duration;

use assay_domain::Identity;
use assay_reader::{Kind, Missing, Once, Options, Protocol, Reader, Served, Window, open};
use assay_rpc::Context;
use assay_testkit::script_server::ScriptServer;
use server::Server;

fn context() -> Context {
    Context::new(Identity::local(), Duration::from_secs(60))
}

fn reader(url: String, change: impl FnOnce(&mut Served)) -> Arc<dyn Reader> {
    let mut served =
        Served { protocol: Protocol::OpenAi, url, model: "judge".into(), parallel: 1, ..Served::default() };
    change(&mut served);
    open(&Options { kind: Kind::Served, served, ..Options::default() }).unwrap()
}

fn pairs(count: usize) -> Vec<(Window, String)> {
    (0..count).map(|at| (Window::of("The default is 3."), format!("Statement {at}."))).collect()
}

#[tokio::test]
async fn one_window_and_one_statement_are_asked_with_fixed_words() {
    for (protocol, path, limit) in [
        (Protocol::OpenAi, "/chat/completions", "/max_tokens"),
        (Protocol::Ollama, "/api/chat", "/options/num_predict"),
    ] {
        let server = ScriptServer::start(&[(200, "{}")]).await.unwrap();
        let reader = reader(server.url(), |served| served.protocol = protocol);
        let said = reader.read(&context(), &pairs(1)).await;
        assert_eq!(said, [Err(Missing::Failed("reader_no_logprobs"))]);
        let [asked] = server.asked().try_into().unwrap();
        assert_eq!(asked.path, path);
        let body: serde_json::Value = serde_json::from_str(&asked.body).unwrap();
        let user = body.pointer("/messages/1/content").unwrap();
        assert_eq!(user, "Document: The default is 3.\nClaim: Statement 0.");
        assert_eq!(body.pointer("/logprobs").unwrap(), true);
        assert_eq!(body.pointer(limit).unwrap(), 1);
    }
}

#[tokio::test]
async fn probability_is_that_of_yes_among_yes_and_no() {
    let reply = |top: &str| {
        format!(
            r#"{{"choices": [{{"logprobs": {{"content": [{{"token": "Yes", "logprob": -0.5, "top_logprobs": [{top}]}}]}}}}]}}"#
        )
    };
    let half = reply(
        r#"{"token": "Yes", "logprob": -0.5}, {"token": " no", "logprob": -0.5}, {"token": "Maybe", "logprob": -1}"#,
    );
    let sure = reply("");
    let none = r#"{"choices": [{"logprobs": {"content": [{"token": "Well", "logprob": -0.1}]}}]}"#;
    let script = [(200, half.as_str()), (200, &sure), (200, none), (200, "no JSON"), (400, "too long")];
    let server = ScriptServer::start(&script).await.unwrap();
    let read = reader(server.url(), |_| {}).read(&context(), &pairs(5)).await;
    let says: Vec<Result<f64, Missing>> = read.into_iter().map(|one| one.map(|own| own.says)).collect();
    let words =
        ["reader_no_label", "reader_no_reply", "reader_refused"].map(|word| Err(Missing::Failed(word)));
    assert_eq!(says[..2], [Ok(0.5), Ok(1.0)]);
    assert_eq!(says[2..], words);
}

#[tokio::test]
async fn request_reads_each_pair_once_and_keeps_to_the_budget() {
    let server = Server::start().await;
    let once = Once::new(reader(format!("{}/v1", server.url()), |served| served.pairs = 3));
    let asked = pairs(2);
    let twice = [asked.clone(), asked.clone()].concat();
    assert!(once.read(&context(), &twice).await.iter().all(Result::is_ok));
    assert!(once.read(&context(), &asked).await.iter().all(Result::is_ok));
    assert_eq!(server.calls(), 2, "each pair once");
    let more = once.read(&context(), &pairs(5)).await;
    let known = more.iter().filter(|one| one.is_ok()).count();
    assert_eq!((known, server.calls()), (3, 3), "{more:?}");
    assert!(more[3..].iter().all(|one| *one == Err(Missing::Budget)), "{more:?}");
}

#[tokio::test]
async fn server_that_fails_is_left_alone_until_a_probe() {
    let server = ScriptServer::start(&[(500, ""), (503, "")]).await.unwrap();
    let reader = reader(server.url(), |served| {
        (served.breaker_threshold, served.breaker_cooldown) = (2, 3600.0);
    });
    let said = reader.read(&context(), &pairs(4)).await;
    let unreachable = Err(Missing::Failed("reader_unreachable"));
    assert_eq!(said[..2], [unreachable.clone(), unreachable]);
    assert_eq!(said[2..], vec![Err(Missing::CircuitOpen); 2]);
    assert_eq!(server.asked().len(), 2, "an open circuit asks nobody");
}

#[tokio::test]
async fn server_that_never_answers_costs_no_more_than_the_time() {
    let server = ScriptServer::start(&[]).await.unwrap();
    let reader = reader(server.url(), |_| {});
    let short = Context::new(Identity::local(), Duration::from_millis(50));
    assert_eq!(reader.read(&short, &pairs(2)).await, vec![Err(Missing::Timeout); 2]);
}

/// A real model, where somebody serves one: `ASSAY_TEST_CHAT_URL` with the version, `ASSAY_TEST_CHAT_MODEL`.
#[tokio::test]
async fn real_model_tells_a_copy_from_another_subject() {
    let (Some(url), Some(model)) =
        (std::env::var("ASSAY_TEST_CHAT_URL").ok(), std::env::var("ASSAY_TEST_CHAT_MODEL").ok())
    else {
        use std::io::Write as _;
        let _ = writeln!(
            std::io::stderr(),
            "SKIPPED: ASSAY_TEST_CHAT_URL and ASSAY_TEST_CHAT_MODEL name no model"
        );
        return;
    };
    let reader = reader(url, |served| served.model = model);
    let window = Window::of("A failed upload is tried again three times. Then the command ends with code 2.");
    let asked = ["A failed upload is tried again three times.", "Elephants live in Africa and eat grass."];
    let asked = asked.map(|text| (window.clone(), text.to_owned()));
    let read = reader.read(&context(), &asked).await;
    let says: Vec<f64> = read.into_iter().map(|one| one.unwrap().says).collect();
    assert!(says[0] > says[1], "{says:?}");
}
