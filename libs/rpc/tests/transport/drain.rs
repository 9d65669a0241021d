//! The end of a process: what is under way ends, newcomers go elsewhere, and nobody is served twice.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use assay_rpc::{Channel, Limits, Service};
use tonic::Code;

use crate::world::{
    Fake, Mode, client, describe, limits, loopback, nobody, outbound, reformulate, to, until,
};

#[tokio::test]
async fn a_drain_lets_calls_end_and_takes_no_new_ones() {
    let fake = Fake::default();
    fake.0.set(Mode::Hang);
    let running = fake.listen(loopback(0), None).await;
    let address = running.address().unwrap();
    let mut caller = to(address, &outbound());
    let call = assay_rpc::task::detached(async move { caller.reformulate(reformulate("under way")).await });
    until("the call arrives", async || fake.0.calls() == 1).await;
    let drain = assay_rpc::task::detached(running.drain());
    until("newcomers are refused", async || {
        let newcomer = Channel::to(&format!("http://{address}"), None).unwrap();
        newcomer.reach(Duration::from_secs(1)).await.is_err()
    })
    .await;
    assert!(!drain.is_finished(), "it waits for the call");
    fake.0.set(Mode::Answer);
    fake.0.go.notify_waiters();
    assert_eq!(call.await.unwrap().unwrap().into_inner().query, "under way");
    drain.await.unwrap();
    assert_eq!(fake.0.dropped(), 0);
}

#[tokio::test]
async fn a_call_that_outlives_the_bound_is_cut() {
    let fake = Fake::default();
    fake.0.set(Mode::Hang);
    let limits = Limits { drain_seconds: 0, ..limits() };
    let running = fake.service().listen(loopback(0), limits).await.unwrap();
    let mut caller = to(running.address().unwrap(), &outbound());
    let call = assay_rpc::task::detached(async move { caller.reformulate(reformulate("too long")).await });
    until("the call arrives", async || fake.0.calls() == 1).await;
    running.drain().await;
    assert_eq!(call.await.unwrap().unwrap_err().code(), Code::Unavailable);
    until("the handler is dropped", async || fake.0.dropped() == 1).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn restart_under_load_loses_and_repeats_no_call() {
    let fake = Fake::default();
    let address = nobody().await;
    let mut running = fake.listen(address, None).await;
    let caller = to(address, &outbound());
    let (over, made) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
    let callers: Vec<_> = (0..8)
        .map(|_| {
            let (mut caller, over, made) = (caller.clone(), Arc::clone(&over), Arc::clone(&made));
            assay_rpc::task::detached(async move {
                while !over.load(Ordering::SeqCst) {
                    // Not declared idempotent: only a call that never left may be made again.
                    caller.reformulate(reformulate("counted")).await.unwrap();
                    made.fetch_add(1, Ordering::SeqCst);
                }
            })
        })
        .collect();
    for _ in 0..5 {
        let before = made.load(Ordering::SeqCst);
        until("calls go through", async || made.load(Ordering::SeqCst) > before + 100).await;
        running.drain().await;
        tokio::time::sleep(Duration::from_millis(100)).await;
        running = fake.listen(address, None).await;
    }
    over.store(true, Ordering::SeqCst);
    for caller in callers {
        caller.await.unwrap();
    }
    assert_eq!(fake.0.calls(), made.load(Ordering::SeqCst));
    running.drain().await;
}

#[tokio::test]
async fn health_says_when_a_service_is_ready() {
    let usable = Arc::new(AtomicBool::new(true));
    let running = probed(&usable).listen(loopback(0), limits()).await.unwrap();
    let channel =
        outbound().channel("generation", &format!("http://{}", running.address().unwrap())).unwrap();
    follows(&usable, channel).await;
    running.drain().await;
}

#[tokio::test]
async fn health_in_memory_says_when_a_service_is_ready() {
    let usable = Arc::new(AtomicBool::new(true));
    let (channel, running) = probed(&usable).in_memory(limits());
    follows(&usable, channel).await;
    running.drain().await;
}

/// A service whose storage is usable while the flag says so.
fn probed(usable: &Arc<AtomicBool>) -> Service {
    let usable = Arc::clone(usable);
    Fake::default().service().ready_when(move || {
        let usable = usable.load(Ordering::SeqCst);
        async move { if usable { Ok(()) } else { Err(assay_domain::Failure::internal("the disk is gone")) } }
    })
}

/// Health follows the storage, and only what needs the storage.
async fn follows(usable: &AtomicBool, channel: Channel) {
    use tonic_health::pb::health_client::HealthClient;
    use tonic_health::pb::{HealthCheckRequest, health_check_response::ServingStatus};
    let health = HealthClient::new(channel.clone());
    let status = async |service: &str| {
        let request = HealthCheckRequest { service: service.to_owned() };
        health.clone().check(request).await.unwrap().into_inner().status()
    };
    until("it is ready", async || status("ready").await == ServingStatus::Serving).await;
    usable.store(false, Ordering::SeqCst);
    until("it is not ready", async || status("ready").await == ServingStatus::NotServing).await;
    assert_eq!(status("").await, ServingStatus::Serving, "the process lives");
    assert_eq!(status(crate::world::SPEC.grpc).await, ServingStatus::NotServing);
    client(channel).describe(describe()).await.unwrap();
    usable.store(true, Ordering::SeqCst);
    until("it is ready again", async || status("ready").await == ServingStatus::Serving).await;
}
