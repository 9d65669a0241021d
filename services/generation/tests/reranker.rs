//! A reranker on disk beside the composer: which one is asked, what it changes, what is said where it says nothing.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;
#[path = "../../../libs/models/tests/small/made.rs"]
#[allow(dead_code)]
mod made;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use assay_domain::{Code, Draft, Identity, Question};
use assay_generation::adapters::extractive::Extractive;
use assay_generation::adapters::onnx::Onnx;
use assay_generation::error::ProviderError;
use assay_generation::ports::{Chunk, DraftRequest, Job, Provider as _, Reranker, Shape};
use assay_generation::{Options, compose, prompts};
use assay_models::store::{self, Entry, Held, Kind, Recorded};
use assay_proto::common::QueryType;
use assay_proto::generation::draft_response::Part;
use assay_proto::generation::generation_service_client::GenerationServiceClient;
use assay_proto::generation::{self as wire};
use assay_rpc::{Context, Limits, Peers};
use assay_wire::{FromWire as _, ToWire as _};
use async_trait::async_trait;
use common::doc;
use futures::StreamExt as _;
use made::{Model, Output};

const INCLUDED: &str = "Is the end value of a loop included?";
const LOOPS: &str = "The end value of a loop is included, so a loop from 0 to 9 runs ten times";
const RANGES: &str = "The end value of a loop over ranges is included as well";

/// Writes a reranker that likes a word, records it in the lock file and returns its digest.
fn reranker(models: &Path, kind: Kind, word: &str) -> String {
    let folder = models.join("small");
    std::fs::create_dir_all(&folder).unwrap();
    Model { output: Output::Input, own: &[], all: &[(word, [1.0])], config: "{}" }.write(&folder);
    let files = ["model.onnx", "tokenizer.json"].map(|file| {
        let store::Digest { bytes, sha256 } = store::digest(&folder.join(file)).unwrap();
        (file.to_owned(), Recorded { from: file.to_owned(), bytes, sha256 })
    });
    let digest = files[0].1.sha256.clone();
    let (hub, revision) = ("someone/small".to_owned(), "c0ffee".to_owned());
    let entry = Entry { hub, revision, kind, license: None, files: BTreeMap::from(files) };
    Held::open(models).unwrap().record("small", entry).unwrap();
    digest
}

fn options(models: &Path) -> Options {
    Options { models_dir: models.to_owned(), model_cores: 1, warm: false, ..Options::default() }
}

async fn ask(options: Options, question: &str) -> Draft {
    let service = compose(options, &Peers::none()).await.unwrap();
    let (channel, _running) = service.in_memory(Limits::default());
    let request = wire::DraftRequest {
        question: Some(Question::new(question).to_wire()),
        query_type: QueryType::Retrieval.into(),
        sources: [("loops", LOOPS), ("ranges", RANGES)].map(|(id, text)| doc(id, text).to_wire()).to_vec(),
        ..wire::DraftRequest::default()
    };
    let context = Context::new(Identity::local(), Duration::from_secs(60));
    let mut stream =
        GenerationServiceClient::new(channel).draft(context.request(request)).await.unwrap().into_inner();
    while let Some(reply) = stream.message().await.unwrap() {
        if let Part::Done(done) = reply.part.unwrap() {
            return Draft::from_wire(done).unwrap();
        }
    }
    panic!("the stream ended without a draft");
}

fn trail(draft: &Draft) -> Vec<(&str, &str)> {
    draft.provider_trail.iter().map(|call| (call.model.as_str(), call.outcome.as_str())).collect()
}

#[tokio::test]
async fn the_first_reranker_orders_the_answer_and_is_recorded() {
    let models = tempfile::tempdir().unwrap();
    let alone = ask(options(models.path()), INCLUDED).await;
    assert_eq!(trail(&alone), [("extractive:composer-2", "ok")]);
    for (word, start) in [("ranges", RANGES), ("times", LOOPS)] {
        let digest = reranker(models.path(), Kind::Rerank, word);
        let draft = ask(options(models.path()), INCLUDED).await;
        assert!(draft.text.starts_with(start), "{word}: {}", draft.text);
        let model = format!("rerank:small@{digest}");
        assert_eq!(trail(&draft), [(model.as_str(), "ok"), ("extractive:composer-2", "ok")]);
        let off = Options { reranker_model: "off".into(), ..options(models.path()) };
        let off = ask(off, INCLUDED).await;
        assert_eq!((&off.text, trail(&off)), (&alone.text, trail(&alone)));
    }
}

#[tokio::test]
async fn a_reranker_is_not_asked_where_nothing_answers() {
    let models = tempfile::tempdir().unwrap();
    reranker(models.path(), Kind::Rerank, "ranges");
    let draft = ask(options(models.path()), "How do I bake bread?").await;
    assert_eq!(draft.finish, assay_domain::draft::Finish::Abstained);
    assert_eq!(trail(&draft), [("extractive:composer-2", "ok")]);
}

#[tokio::test]
async fn a_reranker_that_cannot_be_used_stops_the_start() {
    let models = tempfile::tempdir().unwrap();
    let refused = async |options: Options| compose(options, &Peers::none()).await.err().unwrap();
    let named = Options { reranker_model: "small".into(), ..options(models.path()) };
    reranker(models.path(), Kind::Entailment, "ranges");
    let other = refused(named.clone()).await;
    assert!(other.message.contains("of kind entailment; name one of kind rerank"), "{other}");
    reranker(models.path(), Kind::Rerank, "ranges");
    std::fs::write(models.path().join("small/model.onnx"), "other bytes").unwrap();
    for options in [named.clone(), options(models.path())] {
        let changed = refused(options).await;
        assert_eq!((changed.code, changed.field.as_str()), (Code::Configuration, "reranker_model"));
        assert!(changed.message.contains("was changed") && changed.message.contains("off"), "{changed}");
    }
    // A service whose slots hold language models alone asks no reranker.
    let main = Options { main: "llama3.2".into(), ..named };
    assert!(compose(main, &Peers::none()).await.is_ok());
}

#[tokio::test]
async fn without_time_left_a_reranker_says_nothing() {
    let models = tempfile::tempdir().unwrap();
    reranker(models.path(), Kind::Rerank, "ranges");
    let model = Onnx::open(&options(models.path())).unwrap().unwrap();
    let passages = ["ranges".to_owned(), "loops".to_owned()];
    let within = |time| model.score("q", &passages, time);
    assert_eq!(within(Duration::from_secs(60)).await, Ok(vec![1.0, 0.0]));
    assert_eq!(within(Duration::ZERO).await, Err(ProviderError::Timeout(0)));
}

/// A reranker that says the same whatever it is asked, and keeps the time that it was given.
struct Scripted(Result<Vec<f32>, ProviderError>, Mutex<Duration>);

#[async_trait]
impl Reranker for Scripted {
    fn model(&self) -> &str {
        "rerank:late@0"
    }

    async fn score(&self, _: &str, _: &[String], within: Duration) -> Result<Vec<f32>, ProviderError> {
        *self.1.lock().unwrap() = within;
        self.0.clone()
    }
}

#[tokio::test]
async fn unusable_scores_keep_the_order_and_are_recorded() {
    let sources = vec![doc("loops", LOOPS), doc("ranges", RANGES)];
    let request = DraftRequest { sources, ..DraftRequest::new(assay_domain::QueryType::Retrieval, INCLUDED) };
    let prompt = prompts::draft(&request);
    let job = Job {
        prompt: &prompt,
        request: Some(&request),
        shape: Shape::Text,
        completion_tokens: 64,
        context_tokens: 4096,
        seed: 7,
        within: Duration::from_secs(8),
    };
    let answer = async |composer: Extractive| {
        let chunks: Vec<Chunk> = composer.stream(job).await.unwrap().map(Result::unwrap).collect().await;
        let Some((Chunk::End(end), texts)) = chunks.split_last() else { panic!("{chunks:?}") };
        (texts.to_vec(), end.clone())
    };
    let (alone, _) = answer(Extractive::default()).await;
    let bad = ProviderError::Protocol(String::new()).label();
    for (said, outcome) in [
        (Err(ProviderError::Timeout(4000)), "timeout"),
        (Ok(vec![1.0]), bad.as_str()),
        (Ok(vec![f32::NAN; 2]), bad.as_str()),
    ] {
        let reranker = Arc::new(Scripted(said, Mutex::default()));
        let (texts, end) = answer(Extractive::new(Some(reranker.clone()))).await;
        assert_eq!(texts, alone);
        let call = end.reranked.expect("the call is told");
        assert_eq!((call.model.as_str(), call.outcome.as_str()), ("rerank:late@0", outcome));
        assert_eq!(*reranker.1.lock().unwrap(), Duration::from_secs(4), "half of the answer's time");
    }
}
