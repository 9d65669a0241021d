//! One conformance suite for every provider: the composer, both chat protocols against a scripted server, and a real
//! model server where one is given.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use std::time::Duration;

use assay_domain::draft::{Finish, Generator};
use assay_domain::{QueryType, Source};
use assay_generation::adapters::chat::Chat;
use assay_generation::adapters::extractive::Extractive;
use assay_generation::adapters::ollama::Ollama;
use assay_generation::error::ProviderError;
use assay_generation::options::ApiKey;
use assay_generation::ports::{Chunk, DraftRequest, End, Job, Prompt, Provider, Shape};
use assay_generation::prompts;
use assay_generation::slot;
use common::{Protocol, Reply, Server, doc};
use futures::StreamExt as _;

const WITHIN: Duration = Duration::from_secs(30);
const QUESTION: &str = "Is the end value of a loop included?";

fn sources() -> Vec<Source> {
    vec![doc(
        "loops",
        "# Loops\n\nThe end value of a loop is included, so a loop from 0 to 9 runs ten times.\n",
    )]
}

fn request() -> DraftRequest {
    DraftRequest { sources: sources(), ..DraftRequest::new(QueryType::Retrieval, QUESTION) }
}

fn job<'a>(prompt: &'a Prompt, request: Option<&'a DraftRequest>, shape: Shape<'a>) -> Job<'a> {
    Job { prompt, request, shape, completion_tokens: 64, context_tokens: 4096, seed: 7, within: WITHIN }
}

async fn collect(provider: &dyn Provider, job: Job<'_>) -> Result<(String, End), ProviderError> {
    let mut stream = provider.stream(job).await?;
    let mut text = String::new();
    while let Some(chunk) = stream.next().await {
        match chunk? {
            Chunk::Text(piece) => {
                assert!(!piece.is_empty(), "no provider sends empty pieces");
                text.push_str(&piece);
            }
            Chunk::End(end) => {
                assert!(stream.next().await.is_none(), "nothing follows the end");
                return Ok((text, end));
            }
        }
    }
    panic!("{}: the stream ended without an end or an error", provider.model());
}

/// What every provider promises.
async fn conforms(provider: &dyn Provider) -> String {
    let request = request();
    let prompt = prompts::draft(&request);
    let (first, end) = collect(provider, job(&prompt, Some(&request), Shape::Text)).await.unwrap();
    assert!(!first.trim().is_empty());
    assert_eq!(end.finish, Finish::Stop);
    assert_eq!(end.generator == Generator::Model, provider.is_model());
    let (second, _) = collect(provider, job(&prompt, Some(&request), Shape::Text)).await.unwrap();
    assert_eq!(first, second, "the same job gives the same text");
    let mut dropped = provider.stream(job(&prompt, Some(&request), Shape::Text)).await.unwrap();
    assert!(matches!(dropped.next().await, Some(Ok(Chunk::Text(_)))));
    drop(dropped);
    let labels: Vec<String> = QueryType::ALL.iter().map(ToString::to_string).collect();
    let classify = prompts::classify("Which label fits: how do I write a loop?", &labels);
    let labelled = collect(provider, job(&classify, None, Shape::OneOf(&labels))).await;
    if provider.is_model() {
        labelled.unwrap();
    } else {
        assert_eq!(labelled.unwrap_err(), ProviderError::NoModel);
    }
    provider.model().split_once(':').expect("a provider is named provider:model");
    first
}

fn openai(server: &str) -> Chat {
    Chat::new(slot::Protocol::OpenAi, "tiny-echo", server, &ApiKey::default(), true).unwrap()
}

/// The adapter of a protocol, at a server without a version path.
fn provider(protocol: Protocol, url: &str) -> Box<dyn Provider> {
    match protocol {
        Protocol::OpenAi => Box::new(openai(&format!("{url}/v1"))),
        Protocol::Ollama => Box::new(Ollama::new("llama3.2", url).unwrap()),
    }
}

#[tokio::test]
async fn the_composer_conforms_and_cites_what_it_copies() {
    let text = conforms(&Extractive).await;
    assert_eq!(text, "The end value of a loop is included, so a loop from 0 to 9 runs ten times [^1].");
}

#[tokio::test]
async fn every_protocol_conforms_against_the_scripted_server() {
    for protocol in Protocol::ALL {
        let server = Server::start(protocol, vec![Reply::Pieces(vec!["Ten ", "times", " [^1]."])]).await;
        let provider = provider(protocol, &server.url);
        assert_eq!(conforms(provider.as_ref()).await, "Ten times [^1].");
    }
}

#[tokio::test]
async fn a_real_model_server_conforms() {
    let Some(url) = assay_testkit::external::from_environment("ASSAY_TEST_LLM_URL") else { return };
    let provider = openai(&format!("{}/v1", url.trim_end_matches('/').trim_end_matches("/v1")));
    let text = conforms(&provider).await;
    assert!(text.contains("[^1]"), "{text}");
    let request = request();
    let prompt = prompts::draft(&request);
    let (_, end) = collect(&provider, job(&prompt, Some(&request), Shape::Text)).await.unwrap();
    assert!(end.prompt_tokens > Some(50) && end.completion_tokens > Some(2), "{end:?}");
    provider.warm().await.unwrap();
    // The schema is enforced: whatever the model would say, a label comes out.
    let labels: Vec<String> = QueryType::ALL.iter().map(ToString::to_string).collect();
    let classify = prompts::classify("how do I write a loop?", &labels);
    let (text, _) = collect(&provider, job(&classify, None, Shape::OneOf(&labels))).await.unwrap();
    let said: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert!(labels.iter().any(|label| said["label"] == label.as_str()), "{text}");
    // A prompt beyond the model's context is the caller's limit, not an outage.
    let huge = Prompt { user: "word ".repeat(20_000), ..prompt.clone() };
    let error = collect(&provider, job(&huge, None, Shape::Text)).await.unwrap_err();
    assert_eq!(error.into_failure("m").code, assay_domain::Code::PayloadTooLarge);
}

#[tokio::test]
async fn requests_carry_temperature_seed_and_limits() {
    let request = request();
    let prompt = prompts::draft(&request);
    let server = Server::start(Protocol::OpenAi, vec![Reply::Pieces(vec!["x"])]).await;
    collect(&openai(&format!("{}/v1/", server.url)), job(&prompt, None, Shape::Text)).await.unwrap();
    let sent = &server.requests()[0];
    assert_eq!(
        (&sent["model"], &sent["temperature"], &sent["seed"], &sent["max_tokens"]),
        (&"tiny-echo".into(), &0.0.into(), &7.into(), &64.into())
    );
    assert_eq!(
        (&sent["stream"], &sent["messages"][1]["content"]),
        (&true.into(), &prompt.user.as_str().into())
    );

    let server = Server::start(Protocol::Ollama, vec![Reply::Pieces(vec!["x"])]).await;
    collect(&Ollama::new("llama3.2:3b", &server.url).unwrap(), job(&prompt, None, Shape::Text))
        .await
        .unwrap();
    let sent = &server.requests()[0];
    assert_eq!(sent["model"], "llama3.2:3b");
    let options = &sent["options"];
    assert_eq!(
        (&options["temperature"], &options["seed"], &options["num_predict"], &options["num_ctx"]),
        (&0.0.into(), &7.into(), &64.into(), &4096.into())
    );
}

#[tokio::test]
async fn model_name_that_ends_like_a_setting_is_sent_verbatim() {
    let server = Server::start(Protocol::OpenAi, vec![Reply::Pieces(vec!["x"])]).await;
    let provider = Chat::new(
        slot::Protocol::OpenAi,
        "mistral-high",
        &format!("{}/v1", server.url),
        &ApiKey::default(),
        true,
    )
    .unwrap();
    let request = request();
    let prompt = prompts::draft(&request);
    collect(&provider, job(&prompt, None, Shape::Text)).await.unwrap();
    assert_eq!(server.requests()[0]["model"], "mistral-high");
}

#[tokio::test]
async fn every_way_to_fail_is_told_apart() {
    for protocol in Protocol::ALL {
        for (reply, expected, fails_over) in [
            (Reply::Status(500, r#"{"error":{"message":"boom"}}"#), "http 500", true),
            (Reply::Status(503, "busy"), "http 503", true),
            (Reply::Status(404, r#"{"error":"model not found"}"#), "http 404", false),
            (Reply::Status(429, "slow down"), "http 429", false),
            (Reply::Unended(vec!["half an"]), "cut", true),
            (Reply::Broken(vec!["half an"]), "transport", true),
        ] {
            let server = Server::start(protocol, vec![reply.clone()]).await;
            let provider = provider(protocol, &server.url);
            let request = request();
            let prompt = prompts::draft(&request);
            let error = collect(provider.as_ref(), job(&prompt, None, Shape::Text)).await.unwrap_err();
            assert_eq!(
                (error.label().as_str(), error.fails_over()),
                (expected, fails_over),
                "{reply:?}: {error}"
            );
        }
    }
}

#[tokio::test]
async fn redirects_are_not_followed() {
    for protocol in Protocol::ALL {
        let other = Server::start(protocol, vec![Reply::Pieces(vec!["stolen"])]).await;
        let target = format!("{}{}", other.url, protocol.path());
        let server = Server::start(protocol, vec![Reply::Redirect(target)]).await;
        let provider = provider(protocol, &server.url);
        let request = request();
        let prompt = prompts::draft(&request);
        let error = collect(provider.as_ref(), job(&prompt, None, Shape::Text)).await.unwrap_err();
        assert_eq!(error.label(), "http 307");
        let failure = error.into_failure("m");
        assert!(failure.message.contains("redirect"), "{failure}");
        assert!(provider.warm().await.is_err());
        assert_eq!((server.requests().len(), other.requests().len()), (2, 0));
    }
}

#[tokio::test]
async fn an_error_line_of_ollama_is_an_error() {
    let app = axum::Router::new().route(
        "/api/chat",
        axum::routing::post(|| async {
            "{\"message\":{\"content\":\"a\"},\"done\":false}\n{\"error\":\"out of memory\"}\n"
        }),
    );
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    assay_rpc::task::spawn(async move {
        let _ = axum::serve(listener, app).await;
    });
    let request = request();
    let prompt = prompts::draft(&request);
    let error = collect(&Ollama::new("m", &url).unwrap(), job(&prompt, None, Shape::Text)).await.unwrap_err();
    assert!(
        matches!(&error, ProviderError::Status { status: 500, body } if body == "out of memory"),
        "{error}"
    );
}

#[tokio::test]
async fn a_server_that_is_not_there_is_a_transport_error() {
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let request = request();
    let prompt = prompts::draft(&request);
    for provider in [Box::new(openai(&url)) as Box<dyn Provider>, Box::new(Ollama::new("m", &url).unwrap())] {
        let error = collect(provider.as_ref(), job(&prompt, None, Shape::Text)).await.unwrap_err();
        assert!(matches!(error, ProviderError::Transport(_)), "{error}");
        assert!(provider.warm().await.is_err());
    }
}

#[tokio::test]
async fn dropping_a_stream_closes_the_connection() {
    for protocol in Protocol::ALL {
        let mut server = Server::start(protocol, vec![Reply::Hang(vec!["one "])]).await;
        let provider = provider(protocol, &server.url);
        let request = request();
        let prompt = prompts::draft(&request);
        let mut stream = provider.stream(job(&prompt, None, Shape::Text)).await.unwrap();
        assert_eq!(stream.next().await.unwrap().unwrap(), Chunk::Text("one ".into()));
        drop(stream);
        server.gone.recv().await.unwrap();
    }
}
