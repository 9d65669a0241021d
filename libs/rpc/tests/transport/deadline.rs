//! Deadlines and cancellation reach the far end.

use std::time::Duration;

use assay_proto::generation::{DescribeRequest, DraftRequest};
use tonic::Code;

use crate::world::{Fake, Mode, describe, loopback, outbound, to, until, within};

#[tokio::test]
async fn slow_peer_hits_the_deadline_and_is_stopped() {
    let fake = Fake::default();
    fake.0.set(Mode::Hang);
    let running = fake.listen(loopback(0), None).await;
    let mut caller = to(running.address().unwrap(), &outbound());
    let status = caller.describe(within(0.2, DescribeRequest::default())).await.unwrap_err();
    // The server's own clock may be the first to say it, in tonic's words.
    assert!(
        status.code() == Code::DeadlineExceeded || status.message().contains("Timeout expired"),
        "{status}"
    );
    until("the handler is dropped", async || fake.0.dropped() == 1).await;
    assert_eq!(fake.0.calls(), 1, "a late call is not made again");
    running.drain().await;
}

#[tokio::test]
async fn the_time_that_is_left_travels() {
    let fake = Fake::default();
    let running = fake.listen(loopback(0), None).await;
    let mut caller = to(running.address().unwrap(), &outbound());
    caller.describe(within(7.0, DescribeRequest::default())).await.unwrap();
    let left = fake.0.left.lock().unwrap().unwrap();
    assert!(left <= Duration::from_secs(7) && left > Duration::from_secs(1), "{left:?}");
    running.drain().await;
}

#[tokio::test]
async fn vanished_caller_ends_the_work_of_the_peer() {
    let fake = Fake::default();
    fake.0.set(Mode::Hang);
    let running = fake.listen(loopback(0), None).await;
    let caller = to(running.address().unwrap(), &outbound());
    let mut gone = caller.clone();
    let call = assay_rpc::task::detached(async move { gone.describe(describe()).await });
    until("the call arrives", async || fake.0.calls() == 1).await;
    call.abort();
    until("the handler is dropped", async || fake.0.dropped() == 1).await;
    // The connection and its other calls do not suffer.
    fake.0.set(Mode::Answer);
    caller.clone().describe(describe()).await.unwrap();
    running.drain().await;
}

#[tokio::test]
async fn dropped_stream_ends_at_the_peer() {
    let fake = Fake::default();
    let running = fake.listen(loopback(0), None).await;
    let mut caller = to(running.address().unwrap(), &outbound());
    let mut stream = caller.draft(within(30.0, DraftRequest::default())).await.unwrap().into_inner();
    assert!(stream.message().await.unwrap().is_some());
    assert_eq!(fake.0.dropped(), 0);
    drop(stream);
    until("the stream is dropped", async || fake.0.dropped() == 1).await;
    running.drain().await;
}

#[tokio::test]
async fn a_stream_ends_with_the_deadline_at_both_ends() {
    let fake = Fake::default();
    let running = fake.listen(loopback(0), None).await;
    let mut caller = to(running.address().unwrap(), &outbound());
    let mut stream = caller.draft(within(0.3, DraftRequest::default())).await.unwrap().into_inner();
    assert!(stream.message().await.unwrap().is_some());
    let status = stream.message().await.unwrap_err();
    assert_eq!(status.code(), Code::DeadlineExceeded, "{status}");
    drop(stream);
    until("the stream is dropped", async || fake.0.dropped() == 1).await;
    running.drain().await;
}
