//! Checks that are open and wait for text: they take room, and one caller cannot take all of it.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use std::time::Duration;

use assay_domain::{Code, Identity};
use assay_proto::validation::check_request::Part;
use assay_proto::validation::{CheckRequest, CheckResponse};
use assay_rpc::Context;
use assay_validation::Options;
use assay_wire::from_status;
use common::{Bench, SOURCE, doc, message, open, plain, start};
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Status, Streaming};

/// A check that waits for text as long as it is held.
struct Open {
    _parts: mpsc::Sender<CheckRequest>,
    replies: Streaming<CheckResponse>,
}

async fn opened(bench: &Bench, principal: &str, source: &str) -> Result<Open, Status> {
    let identity = Identity { principal: principal.into(), ..Identity::local() };
    let context = Context::new(identity, Duration::from_secs(60));
    let (parts, received) = mpsc::channel(2);
    parts.send(message(Part::Open(open(&[doc("a.md", source)])))).await.unwrap();
    let request = context.request(ReceiverStream::new(received));
    let replies = bench.client.clone().check(request).await?.into_inner();
    Ok(Open { _parts: parts, replies })
}

fn told(status: &Status) -> (Code, String) {
    let failure = from_status(status);
    (failure.code, failure.field)
}

#[tokio::test]
async fn open_checks_are_bounded_and_each_caller_gets_half() {
    let bench = start(Options { open_checks: 4, ..plain() }, None, None).await;
    let first = opened(&bench, "ada", SOURCE).await.unwrap();
    let _second = opened(&bench, "ada", SOURCE).await.unwrap();
    let refused = opened(&bench, "ada", SOURCE).await.err().unwrap();
    assert_eq!(told(&refused), (Code::ResourceExhausted, "validation.open_checks".into()));
    let _other = opened(&bench, "eve", SOURCE).await.unwrap();
    drop(first);
    tokio::time::timeout(Duration::from_secs(30), async {
        while opened(&bench, "ada", SOURCE).await.is_err() {
            tokio::task::yield_now().await;
        }
    })
    .await
    .expect("a check that has ended leaves its room");
}

#[tokio::test]
async fn the_text_of_open_checks_has_a_bound() {
    let options = Options { source_bytes: 3_000, answer_bytes: 1_000, open_bytes: 8_000, ..plain() };
    let bench = start(options, None, None).await;
    let mut first = opened(&bench, "ada", &SOURCE.repeat(100)).await.unwrap();
    let mut second = opened(&bench, "ada", &SOURCE.repeat(100)).await.unwrap();
    // Whichever is read first takes the room; the other one is told.
    let refused = tokio::select! {
        told = first.replies.message() => told.unwrap_err(),
        told = second.replies.message() => told.unwrap_err(),
    };
    assert_eq!(told(&refused), (Code::ResourceExhausted, "validation.open_bytes".into()));
}
