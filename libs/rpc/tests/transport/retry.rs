//! What is made again, and what never is.

use std::net::SocketAddr;
use std::sync::atomic::Ordering;
use std::time::Duration;

use assay_proto::generation::{DescribeRequest, ReformulateRequest};
use assay_rpc::channel::Retry;
use assay_rpc::{Channel, Outbound};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tonic::Code;

use crate::proxy::Proxy;
use crate::world::{
    Fake, Mode, client, describe, limits, loopback, nobody, outbound, reformulate, to, until, within,
};

#[tokio::test]
async fn unsent_call_of_any_method_waits_for_the_peer() {
    let address = nobody().await;
    let channel = outbound().channel("generation", &format!("http://{address}")).unwrap();
    // The peer is known to be out of reach before the call begins.
    assert_eq!(channel.reach(Duration::from_secs(5)).await.unwrap_err().code(), Code::Unavailable);
    let mut caller = client(channel);
    let call = assay_rpc::task::detached(async move { caller.reformulate(reformulate("late")).await });
    let fake = Fake::default();
    let running = fake.listen(address, None).await;
    assert_eq!(call.await.unwrap().unwrap().into_inner().query, "late");
    assert_eq!(fake.0.calls(), 1);
    running.drain().await;
}

#[tokio::test]
async fn unavailable_is_made_again_only_where_the_protocol_declares_it() {
    let fake = Fake::default();
    fake.0.set(Mode::Unavailable);
    let running = fake.listen(loopback(0), None).await;
    let mut caller = to(running.address().unwrap(), &outbound());
    let status = caller.reformulate(reformulate("once")).await.unwrap_err();
    assert_eq!((status.code(), status.message()), (Code::Unavailable, "not today"));
    assert_eq!(fake.0.calls(), 1, "a call with effects is made once");
    let status = caller.describe(describe()).await.unwrap_err();
    assert_eq!((status.code(), status.message()), (Code::Unavailable, "not today"));
    assert_eq!(fake.0.calls(), 1 + 3, "one that may be repeated is sent three times");
    running.drain().await;
}

#[tokio::test]
async fn lost_call_is_repeated_only_if_declared_idempotent() {
    let fake = Fake::default();
    let running = fake.listen(loopback(0), None).await;
    let wire = Proxy::to(running.address().unwrap()).await;
    let caller = to(wire.address, &outbound());

    fake.0.set(Mode::Hang);
    let mut first = caller.clone();
    let call = assay_rpc::task::detached(async move { first.describe(describe()).await });
    until("the call arrives", async || fake.0.calls() == 1).await;
    fake.0.set(Mode::Answer);
    wire.cut();
    call.await.unwrap().unwrap();
    assert_eq!(fake.0.calls(), 2);

    fake.0.set(Mode::Hang);
    let mut second = caller.clone();
    let call = assay_rpc::task::detached(async move { second.reformulate(reformulate("once")).await });
    until("the call arrives", async || fake.0.calls() == 3).await;
    fake.0.set(Mode::Answer);
    wire.cut();
    let status = call.await.unwrap().unwrap_err();
    assert_eq!(status.code(), Code::Unavailable);
    assert!(status.message().contains("broke"), "{status}");
    assert_eq!(fake.0.calls(), 3);
    // The wire is as good as before.
    caller.clone().reformulate(reformulate("again")).await.unwrap();
    running.drain().await;
}

/// A server that reads the first call of its first connection and answers with `frame`; later connections are wires to
/// `target`.
async fn says_first(frame: &'static [u8], target: SocketAddr) -> SocketAddr {
    let listener = TcpListener::bind(loopback(0)).await.unwrap();
    let address = listener.local_addr().unwrap();
    assay_rpc::task::detached(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        // SETTINGS, and the acknowledgement of the client's.
        stream.write_all(&[0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 4, 1, 0, 0, 0, 0]).await.unwrap();
        let (mut seen, mut buffer) = (Vec::new(), [0; 4096]);
        while !seen.windows(6).any(|bytes| bytes == b"secret") {
            let count = stream.read(&mut buffer).await.unwrap();
            seen.extend_from_slice(&buffer[..count]);
        }
        stream.write_all(frame).await.unwrap();
        let mut far = TcpStream::connect(target).await.unwrap();
        let (mut near, _) = listener.accept().await.unwrap();
        let _ = tokio::io::copy_bidirectional(&mut near, &mut far).await;
        drop(stream);
    });
    address
}

#[tokio::test]
async fn refused_stream_is_repeated_for_any_method() {
    // GOAWAY without error, last stream 0; and RST_STREAM of stream 1 with REFUSED_STREAM, then that GOAWAY.
    const GOODBYE: &[u8] = &[0, 0, 8, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    const REFUSED: &[u8] =
        &[0, 0, 4, 3, 0, 0, 0, 0, 1, 0, 0, 0, 7, 0, 0, 8, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    for frame in [GOODBYE, REFUSED] {
        let fake = Fake::default();
        let running = fake.listen(loopback(0), None).await;
        let address = says_first(frame, running.address().unwrap()).await;
        let mut caller = to(address, &outbound());
        let answer = caller.reformulate(reformulate("secret")).await.unwrap();
        assert_eq!(answer.into_inner().query, "secret");
        assert_eq!(fake.0.calls(), 1);
        running.drain().await;
    }
}

#[tokio::test]
async fn call_read_by_a_dying_peer_is_not_repeated() {
    // GOAWAY after an error, last stream 0: nothing is known of what was read.
    const BROKEN: &[u8] = &[0, 0, 8, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2];
    let fake = Fake::default();
    let running = fake.listen(loopback(0), None).await;
    let address = says_first(BROKEN, running.address().unwrap()).await;
    let status = to(address, &outbound()).reformulate(reformulate("secret")).await.unwrap_err();
    assert_eq!(status.code(), Code::Unavailable, "{status}");
    assert_eq!(fake.0.calls(), 0);
    running.drain().await;
}

#[tokio::test]
async fn absent_peer_costs_its_patience_once() {
    let retry = Retry { patience_seconds: 1.0, ..outbound().retry };
    let outbound = Outbound { retry, ..outbound() };
    let address = nobody().await;
    let mut caller = to(address, &outbound);
    caller.describe(describe()).await.unwrap_err();
    // A channel that has its patience still before it.
    let mut fresh = to(address, &outbound);
    let waiting = assay_rpc::task::detached(async move { fresh.describe(describe()).await });
    for _ in 0..100 {
        let status = caller.describe(describe()).await.unwrap_err();
        assert_eq!(status.code(), Code::Unavailable);
        assert!(status.message().contains("refused"), "the cause is told: {status}");
        assert!(!status.message().contains("127.0.0.1"), "where it was is nobody's business: {status}");
    }
    assert!(!waiting.is_finished(), "a hundred calls end before one that is patient");
    waiting.abort();
}

#[tokio::test]
async fn the_deadline_of_the_call_ends_the_waiting() {
    let patient =
        |patience_seconds| Outbound { retry: Retry { patience_seconds, ..outbound().retry }, ..outbound() };
    let address = nobody().await;
    let mut caller = to(address, &patient(10.0));
    let mut other = to(address, &patient(2.0));
    let waiting = assay_rpc::task::detached(async move { other.describe(describe()).await });
    let status = caller.describe(within(0.3, DescribeRequest::default())).await.unwrap_err();
    assert_eq!(status.code(), Code::Unavailable, "a peer that never was reached is unavailable: {status}");
    assert!(!waiting.is_finished(), "it ends before one of two seconds' patience");
    waiting.abort();
}

#[tokio::test]
async fn repeats_stay_within_the_budget() {
    let fake = Fake::default();
    fake.0.set(Mode::Unavailable);
    let running = fake.listen(loopback(0), None).await;
    let retry = Retry { budget_burst: 2, budget_share: 0.0, ..outbound().retry };
    let mut caller = to(running.address().unwrap(), &Outbound { retry, ..outbound() });
    for _ in 0..5 {
        caller.describe(describe()).await.unwrap_err();
    }
    assert_eq!(fake.0.calls(), 5 + 2);
    running.drain().await;
}

#[tokio::test]
async fn returned_peer_is_found_without_a_waiting_call() {
    let address = nobody().await;
    let retry = Retry { patience_seconds: 0.05, ..outbound().retry };
    let channel =
        Outbound { retry, ..outbound() }.channel("generation", &format!("http://{address}")).unwrap();
    let mut caller = client(channel);
    caller.describe(describe()).await.unwrap_err();
    let fake = Fake::default();
    let running = fake.listen(address, None).await;
    until("the peer is found", async || caller.describe(describe()).await.is_ok()).await;
    running.drain().await;
}

#[tokio::test]
async fn within_the_process_nothing_waits_and_nothing_is_made_again() {
    let fake = Fake::default();
    fake.0.set(Mode::Unavailable);
    let (channel, running) = fake.service().in_memory(limits());
    let mut caller = client(channel);
    caller.describe(describe()).await.unwrap_err();
    assert_eq!(fake.0.calls(), 1);
    running.drain().await;
    let status = caller.describe(describe()).await.unwrap_err();
    assert_eq!(status.code(), Code::Unavailable);
    assert!(status.message().contains("stopped"), "{status}");
}

#[tokio::test]
async fn message_over_the_limit_is_refused_on_either_side() {
    let fake = Fake::default();
    let running = fake.listen(loopback(0), None).await;
    let mut caller = to(running.address().unwrap(), &outbound());
    let question = "x".repeat(assay_rpc::MAX_MESSAGE_BYTES + 1);
    let status = caller
        .reformulate(within(30.0, ReformulateRequest { question, ..Default::default() }))
        .await
        .unwrap_err();
    assert_eq!(status.code(), Code::OutOfRange, "{status}");
    assert_eq!(fake.0.calls(), 0, "nothing of it was sent");
    fake.0.set(Mode::TooMuch);
    assert_eq!(caller.describe(describe()).await.unwrap_err().code(), Code::OutOfRange);
    assert_eq!(fake.0.calls.load(Ordering::SeqCst), 1, "it is not made again");
    running.drain().await;
}

#[tokio::test]
async fn channel_of_a_command_fails_at_once_without_peer() {
    let channel = Channel::to(&format!("http://{}", nobody().await), None).unwrap();
    let status = client(channel).describe(describe()).await.unwrap_err();
    assert_eq!(status.code(), Code::Unavailable);
}
