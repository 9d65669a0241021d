//! Several addresses of one name.

use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use assay_rpc::Outbound;
use assay_rpc::channel::Lookup;

use crate::world::{Client, Fake, Mode, client, describe, loopback, nobody, outbound, reformulate, until};

/// A name that leads wherever the test says.
#[derive(Clone, Default)]
struct Name(Arc<Mutex<Vec<SocketAddr>>>);

impl Name {
    fn of(addresses: &[SocketAddr]) -> Self {
        Self(Arc::new(Mutex::new(addresses.to_vec())))
    }

    fn set(&self, addresses: &[SocketAddr]) {
        *self.0.lock().unwrap() = addresses.to_vec();
    }

    fn lookup(&self) -> Lookup {
        let name = self.clone();
        Arc::new(move |_, _| {
            let found = name.0.lock().unwrap().clone();
            Box::pin(async move { Ok(found) })
        })
    }

    fn client(&self) -> Client {
        let outbound = Outbound { lookup: self.lookup(), ..outbound() };
        client(outbound.channel("generation", "http://generation:7103").unwrap())
    }
}

async fn who(caller: &mut Client) -> String {
    caller.describe(describe()).await.unwrap().into_inner().main
}

/// Calls until everybody of `names` has answered, and nobody else does any more.
async fn answered_by(caller: &mut Client, names: &[&str]) {
    let wanted: BTreeSet<String> = names.iter().map(|name| (*name).to_owned()).collect();
    for _ in 0..200 {
        let mut seen = BTreeSet::new();
        for _ in 0..20 {
            seen.insert(who(caller).await);
        }
        if seen == wanted {
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    panic!("never answered by {wanted:?} alone");
}

#[tokio::test]
async fn calls_go_to_every_address_and_follow_the_name() {
    let (one, two, three) = (Fake::called("one"), Fake::called("two"), Fake::called("three"));
    let (a, b, c) = (
        one.listen(loopback(0), None).await,
        two.listen(loopback(0), None).await,
        three.listen(loopback(0), None).await,
    );
    let [a_at, b_at, c_at] = [&a, &b, &c].map(|running| running.address().unwrap());
    let name = Name::of(&[a_at, b_at]);
    let mut caller = name.client();
    answered_by(&mut caller, &["one", "two"]).await;
    name.set(&[b_at, c_at]);
    answered_by(&mut caller, &["two", "three"]).await;
    // A name that leads nowhere for a moment takes nothing away.
    name.set(&[]);
    answered_by(&mut caller, &["two", "three"]).await;
    for running in [a, b, c] {
        running.drain().await;
    }
}

#[tokio::test]
async fn a_dead_address_is_skipped() {
    let fake = Fake::called("alive");
    let running = fake.listen(loopback(0), None).await;
    let name = Name::of(&[nobody().await, running.address().unwrap(), nobody().await]);
    let mut caller = name.client();
    for _ in 0..50 {
        caller.reformulate(reformulate("x")).await.unwrap();
    }
    assert_eq!(fake.0.calls(), 50);
    running.drain().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn idempotent_calls_survive_the_death_of_one_of_two() {
    let (one, two) = (Fake::called("one"), Fake::called("two"));
    // A death and not a drain: what is under way is cut at once.
    let limits = assay_rpc::Limits { drain_seconds: 0, ..crate::world::limits() };
    let a = one.service().listen_with(loopback(0), limits, None).await.unwrap();
    let b = two.listen(loopback(0), None).await;
    let mut caller = Name::of(&[a.address().unwrap(), b.address().unwrap()]).client();
    answered_by(&mut caller, &["one", "two"]).await;
    // Whoever reaches the first is held there until its death.
    one.0.set(Mode::Hang);
    let (on_one, on_two) = (one.0.calls(), two.0.calls());
    let callers: Vec<_> = (0..8)
        .map(|_| {
            let mut caller = caller.clone();
            assay_rpc::task::detached(async move { who(&mut caller).await })
        })
        .collect();
    let arrived = || (one.0.calls() - on_one, two.0.calls() - on_two);
    until("every call arrives", async || arrived().0 + arrived().1 == 8).await;
    let (held, answered) = arrived();
    assert!(held > 0, "some wait at the first");
    a.drain().await;
    for caller in callers {
        assert_eq!(caller.await.unwrap(), "two");
    }
    assert_eq!(arrived().1, answered + held, "each held call is made again, once");
    answered_by(&mut caller, &["two"]).await;
    b.drain().await;
}

#[tokio::test]
async fn a_name_that_leads_nowhere_yet_is_waited_for() {
    let fake = Fake::called("late");
    let running = fake.listen(loopback(0), None).await;
    let name = Name::default();
    let mut caller = name.client();
    let call = assay_rpc::task::detached(async move { caller.reformulate(reformulate("late")).await });
    tokio::task::yield_now().await;
    name.set(&[running.address().unwrap()]);
    call.await.unwrap().unwrap();
    assert_eq!(fake.0.calls(), 1);
    running.drain().await;
}
