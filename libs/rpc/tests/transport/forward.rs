//! What is passed on to a service behind a door.

use std::sync::Arc;

use assay_domain::Identity;
use assay_proto::generation::DraftRequest;
use assay_rpc::front::{Admit, Admitted, Call};
use assay_rpc::methods::Methods;
use assay_rpc::{Limits, Outbound, Service};
use futures::future::BoxFuture;
use tonic::{Code, Status};

use crate::world::{Fake, Mode, SPEC, describe, limits, loopback, outbound, reformulate, to, until, within};

/// Lets everybody in, under the name that is the key.
struct Open;

impl Admit for Open {
    fn admit<'a>(&'a self, call: Call<'a>) -> BoxFuture<'a, Result<Admitted, Status>> {
        let key = call.headers.get("x-api-key").map_or("local", |key| key.to_str().unwrap());
        let identity = Identity { principal: key.into(), ..Identity::local() };
        let admitted = Admitted { identity, request_id: None, until_the_end: Box::new(()) };
        Box::pin(std::future::ready(Ok(admitted)))
    }
}

#[tokio::test]
async fn one_connection_carries_many_forwarded_calls() {
    let fake = Fake::default();
    let running = fake.listen(loopback(0), None).await;
    // A method that is not known is sent and passed on as a stream, whose end is a frame of its own.
    let unknowing = Outbound { methods: Methods::default(), ..outbound() };
    for methods in [outbound().methods, Methods::default()] {
        let behind = Outbound { methods, ..outbound() };
        let address = format!("http://{}", running.address().unwrap());
        let channels = vec![(SPEC.grpc, behind.channel("generation", &address).unwrap())];
        let own = Service::new(&SPEC, assay_proto::DESCRIPTORS).unwrap();
        let (limits, table) = (limits(), limits().connection_table());
        let door = assay_rpc::front::listen(own, loopback(0), channels, Arc::new(Open), limits, table);
        let door = door.await.unwrap();
        let mut caller = to(door.address().unwrap(), &unknowing);
        for call in 0..150 {
            let done = caller.reformulate(reformulate("why")).await;
            assert!(done.is_ok(), "call {call}: {done:?}");
        }
        for call in 0..60 {
            let (told, begun) = (
                caller.clone().describe(describe()).await,
                caller.draft(within(30.0, DraftRequest::default())).await,
            );
            assert!(told.is_ok() && begun.is_ok(), "call {call}: {told:?} {begun:?}");
            let first = begun.unwrap().into_inner().message().await;
            assert!(first.is_ok(), "call {call}: {first:?}");
        }
        door.drain().await;
    }
    running.drain().await;
}

#[tokio::test]
async fn requests_that_are_held_have_a_bound_together() {
    let fake = Fake::default();
    let running = fake.listen(loopback(0), None).await;
    let address = format!("http://{}", running.address().unwrap());
    let channels = vec![(SPEC.grpc, outbound().channel("generation", &address).unwrap())];
    let own = Service::new(&SPEC, assay_proto::DESCRIPTORS).unwrap();
    let limits = Limits { request_bytes: 1_000_000, ..limits() };
    let door = assay_rpc::front::listen(
        own,
        loopback(0),
        channels,
        Arc::new(Open),
        limits,
        limits.connection_table(),
    );
    let door = door.await.unwrap();
    let caller = to(door.address().unwrap(), &outbound());
    let large = "x".repeat(600_000);
    fake.0.set(Mode::Hang);
    let (mut first, text) = (caller.clone(), large.clone());
    let call = assay_rpc::task::detached(async move { first.reformulate(reformulate(&text)).await });
    until("the call arrives", async || fake.0.calls() == 1).await;
    let status = caller.clone().reformulate(reformulate(&large)).await.unwrap_err();
    assert_eq!(status.code(), Code::ResourceExhausted, "{status}");
    assert!(status.message().contains("limits.request_bytes"), "{status}");
    fake.0.set(Mode::Answer);
    caller.clone().reformulate(reformulate("small")).await.unwrap();
    fake.0.go.notify_waiters();
    call.await.unwrap().unwrap();
    caller.clone().reformulate(reformulate(&large)).await.unwrap();
    door.drain().await;
    running.drain().await;
}

#[tokio::test]
async fn one_principal_leaves_room_for_the_others() {
    let fake = Fake::default();
    let running = fake.listen(loopback(0), None).await;
    let address = format!("http://{}", running.address().unwrap());
    let channels = vec![(SPEC.grpc, outbound().channel("generation", &address).unwrap())];
    let own = Service::new(&SPEC, assay_proto::DESCRIPTORS).unwrap();
    let limits = Limits { request_bytes: 2 * assay_rpc::MAX_MESSAGE_BYTES, ..limits() };
    let door = assay_rpc::front::listen(
        own,
        loopback(0),
        channels,
        Arc::new(Open),
        limits,
        limits.connection_table(),
    );
    let door = door.await.unwrap();
    let caller = to(door.address().unwrap(), &outbound());
    let large = "x".repeat(assay_rpc::MAX_MESSAGE_BYTES / 3 * 2);
    let by = |name: &'static str, text: &str| {
        let mut request = reformulate(text);
        request.metadata_mut().insert("x-api-key", name.parse().unwrap());
        request
    };
    fake.0.set(Mode::Hang);
    let (mut first, request) = (caller.clone(), by("ada", &large));
    let call = assay_rpc::task::detached(async move { first.reformulate(request).await });
    until("the call arrives", async || fake.0.calls() == 1).await;
    fake.0.set(Mode::Answer);
    let status = caller.clone().reformulate(by("ada", &large)).await.unwrap_err();
    assert_eq!(status.code(), Code::ResourceExhausted, "{status}");
    assert!(status.message().contains("one principal"), "{status}");
    caller.clone().reformulate(by("bob", &large)).await.unwrap();
    fake.0.go.notify_waiters();
    call.await.unwrap().unwrap();
    caller.clone().reformulate(by("ada", &large)).await.unwrap();
    door.drain().await;
    running.drain().await;
}
