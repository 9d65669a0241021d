//! A check that nobody waits for any more ends at its next claim: its caller has gone, or has no time left.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use std::sync::LazyLock;
use std::time::Duration;

use assay_domain::{Code, Identity};
use assay_proto::validation::Open;
use assay_proto::validation::check_request::Part;
use assay_proto::validation::check_response::Part as Reply;
use assay_rpc::Context;
use assay_wire::from_status;
use common::{SOURCE, doc, finish, message, open, serve, served, text};
use tokio::sync::Mutex;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tracing::field::{Field, Visit};
use tracing_subscriber::layer::{Context as LogContext, Layer, SubscriberExt as _};

/// Longest that anything here is waited for.
const PATIENCE: Duration = Duration::from_secs(60);
/// How often a caller goes before it must have gone while claims were judged.
const ATTEMPTS: usize = 40;

/// Passes on that a check ended between two claims.
struct Ended(UnboundedSender<()>);

struct Message(bool);

impl Visit for Message {
    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        self.0 |= field.name() == "message" && format!("{value:?}").contains("ended between two claims");
    }
}

impl<S: tracing::Subscriber> Layer<S> for Ended {
    fn on_event(&self, event: &tracing::Event<'_>, _: LogContext<'_, S>) {
        let mut message = Message(false);
        event.record(&mut message);
        if message.0 {
            let _ = self.0.send(());
        }
    }
}

/// The checks of this process that ended so. Whoever holds it is alone.
static ENDED: LazyLock<Mutex<UnboundedReceiver<()>>> = LazyLock::new(|| {
    let (sender, receiver) = unbounded_channel();
    tracing::subscriber::set_global_default(tracing_subscriber::registry().with(Ended(sender))).unwrap();
    Mutex::new(receiver)
});

/// Sources and an answer that takes long to judge: many claims of two clauses each, none of which stands as it is.
fn long() -> (Open, String) {
    let source = |n: usize| {
        let text: String = (0..20).map(|k| format!("Row {k} of table {n} is read by worker {k}. ")).collect();
        doc(&format!("{n}.md"), &text)
    };
    let sources: Vec<_> = (0..30).map(source).collect();
    let claim = |n: usize| format!("Worker {n} reads the row of table {} late, and row {n} is one. ", n % 30);
    (open(&sources), (0..1500).map(claim).collect())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn expired_check_ends_at_its_next_claim() {
    let mut ended = ENDED.lock().await;
    let (bench, running) = serve().await;
    let (order, answer) = long();
    // Too little time to begin at first; more and more, until it is over while claims are judged.
    let mut budget = Duration::from_millis(20);
    loop {
        let parts = vec![Part::Open(order.clone()), text(&answer), finish()];
        let hurried = Context::new(Identity::local(), budget);
        let failure =
            bench.send_within(&hurried, parts).await.err().expect("it is stopped before it is done");
        assert_eq!(from_status(&failure).code, Code::DeadlineExceeded);
        // Its turn is over: what it says about its end is said.
        served(&bench).await;
        if ended.try_recv().is_ok() {
            break;
        }
        budget = budget * 3 / 2;
    }
    running.drain().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn abandoned_check_ends_at_its_next_claim() {
    let mut ended = ENDED.lock().await;
    let (bench, running) = serve().await;
    let (order, answer) = long();
    let mut given_up = false;
    for _ in 0..ATTEMPTS {
        let order = Open { segments: true, ..order.clone() };
        let parts = [Part::Open(order), text(&format!("{SOURCE} Then")), text(&answer), finish()];
        let patient = Context::new(Identity::local(), Duration::from_secs(300));
        let mut client = bench.client.clone();
        let parts = futures::stream::iter(parts.map(message));
        let mut replies = client.check(patient.request(parts)).await.unwrap().into_inner();
        let first = replies.message().await.unwrap().unwrap();
        assert!(matches!(first.part, Some(Reply::Segment(_))));
        // The rest is on its way, or being judged now: only then is there something to end.
        drop(replies);
        tokio::time::timeout(PATIENCE, served(&bench)).await.expect("it goes on for nobody");
        given_up = ended.try_recv().is_ok();
        if given_up {
            break;
        }
    }
    assert!(given_up, "no check was ended between two claims");
    running.drain().await;
}
