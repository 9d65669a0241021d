//! Every kind of reader keeps one contract: as many readings as pairs, in order, probabilities, or a reason.
#![allow(clippy::unwrap_used, clippy::panic)]

mod server;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use assay_domain::{Code, Identity};
use assay_reader::{Embedded, InBox, Kind, Missing, Once, Options, Protocol, Reader, Served, Window, open};
use assay_rpc::Context;
use server::Server;

const RETRIES: &str =
    "Uploads > Retries\n`--retries N` sets how often a failed upload is tried again. The default is 3.";
const SAID: &str = "`--retries N` sets how often a failed upload is tried again.";
const UNSAID: &str = "Uploads are encrypted on the client.";

fn shipped() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../models/reader")
}

fn embedded() -> InBox {
    let bytes = |name: &str| &*Box::leak(std::fs::read(shipped().join(name)).unwrap().into_boxed_slice());
    InBox(Some(Embedded { model: bytes("model.onnx"), tokenizer: bytes("tokenizer.json") }))
}

fn served(protocol: Protocol, url: String) -> Options {
    let url = if protocol == Protocol::OpenAi { format!("{url}/v1") } else { url };
    let served = Served { protocol, url, model: "judge".into(), ..Served::default() };
    Options { kind: Kind::Served, served, ..Options::default() }
}

fn context() -> Context {
    Context::new(Identity::local(), Duration::from_secs(60))
}

fn pairs(texts: &[&str]) -> Vec<(Window, String)> {
    texts.iter().map(|text| (Window::of(RETRIES), (*text).to_owned())).collect()
}

/// What holds of every kind that reads.
async fn keeps_the_contract(reader: Arc<dyn Reader>) {
    let identity = reader.identity().clone();
    assert!(!identity.name.is_empty() && !identity.version.is_empty(), "{identity:?}");
    assert_eq!(identity.sha256.is_empty(), identity.kind == "served", "{identity:?}");
    let asked = pairs(&[SAID, UNSAID, SAID]);
    let read = reader.read(&context(), &asked).await;
    let read: Vec<_> = read.into_iter().map(Result::unwrap).collect();
    assert_eq!(read.len(), 3);
    for reading in &read {
        let all = [reading.says, reading.open, reading.denies];
        assert!(all.iter().all(|share| (0.0..=1.0).contains(share)), "{reading:?}");
        assert!((all.iter().sum::<f64>() - 1.0).abs() < 1e-5, "{reading:?}");
    }
    assert_eq!(read[0], read[2], "a reading is the same beside any other pair");
    assert_eq!(reader.read(&context(), &asked[..1]).await, [Ok(read[0])]);
    assert!(read[0].says > 0.5 && read[1].says < 0.5, "{identity:?}: {read:?}");
    let questions = pairs(&["How often is a failed upload tried again?", "How do I rotate the log file?"]);
    let answers = reader.answers(&context(), &questions).await;
    let answers: Vec<f64> = answers.into_iter().map(Result::unwrap).collect();
    assert!(answers.iter().all(|share| (0.0..=1.0).contains(share)), "{answers:?}");
    assert!(answers[0] > answers[1], "{identity:?}: {answers:?}");
    assert_eq!(reader.read(&context(), &[]).await, []);
    let late = Context::new(Identity::local(), Duration::ZERO);
    assert_eq!(reader.read(&late, &asked).await, vec![Err(Missing::Timeout); 3]);
    assert_eq!(Missing::Timeout.to_string(), "reader_timeout");
    let once = Once::new(reader);
    assert_eq!(once.read(&context(), &asked).await, read.into_iter().map(Ok).collect::<Vec<_>>());
}

#[tokio::test]
async fn reader_of_the_box_keeps_the_contract() {
    keeps_the_contract(open(&Options { in_box: embedded(), ..Options::default() }).unwrap()).await;
}

#[tokio::test]
async fn reader_of_a_folder_keeps_the_contract() {
    let options = Options { kind: Kind::Folder, folder: shipped(), ..Options::default() };
    let reader = open(&options).unwrap();
    assert_eq!(reader.identity().sha256, assay_reader::shipped().sha256);
    keeps_the_contract(reader).await;
}

#[tokio::test]
async fn served_readers_keep_the_contract() {
    for protocol in [Protocol::OpenAi, Protocol::Ollama] {
        let server = Server::start().await;
        keeps_the_contract(open(&served(protocol, server.url())).unwrap()).await;
    }
}

#[tokio::test]
async fn no_reader_says_so_of_every_pair() {
    let reader = open(&Options { kind: Kind::None, ..Options::default() }).unwrap();
    let asked = pairs(&[SAID, UNSAID]);
    assert_eq!(reader.read(&context(), &asked).await, vec![Err(Missing::Absent); 2]);
    assert_eq!(reader.answers(&context(), &asked).await, vec![Err(Missing::Absent); 2]);
    assert_eq!(reader.identity().kind, "none");
}

#[test]
fn settings_that_cannot_work_are_refused_with_their_name() {
    let none = Options { kind: Kind::None, ..Options::default() };
    let url = |url: &str| Options {
        kind: Kind::Served,
        served: Served { url: url.into(), model: "m".into(), ..Served::default() },
        ..Options::default()
    };
    let missing = tempfile::tempdir().unwrap();
    for (field, options) in [
        ("reader.kind", Options::default()),
        ("reader.folder", Options { kind: Kind::Folder, ..Options::default() }),
        (
            "reader.folder",
            Options { kind: Kind::Folder, folder: missing.path().into(), ..Options::default() },
        ),
        ("reader.served.url", url("")),
        ("reader.served.url", url("localhost:11434")),
        (
            "reader.served.model",
            Options { served: Served { url: "http://h".into(), ..Served::default() }, ..url("") },
        ),
        ("reader.served.pairs", Options { served: Served { pairs: 0, ..Served::default() }, ..none.clone() }),
        ("reader.timeout", Options { timeout: f64::NAN, ..none.clone() }),
    ] {
        let failure = open(&options).unwrap_err();
        assert_eq!((failure.code, failure.field.as_str()), (Code::Configuration, field), "{failure}");
    }
}
