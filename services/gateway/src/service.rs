//! Asking: the settled answer, or events that always end with exactly one `settled` or `failed`.

use std::sync::Arc;
use std::time::Duration;

use assay_domain::answer::EventBody;
use assay_domain::question::Delivery;
use assay_domain::{Answer, AnswerEvent, Code, Failure, Question};
use assay_rpc::{Context, task};
use futures::StreamExt as _;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};
use tokio::time::timeout_at;
use tokio_stream::wrappers::ReceiverStream;

use crate::authorize::Caller;
use crate::limits::{AskPermit, AskPermits};
use crate::options::{Options, seconds};
use crate::ports::{Engine, Events, Refused};

/// The router ends a request at its deadline and says so; this much later the gateway says it in its place.
const GRACE: Duration = Duration::from_millis(500);

/// Events that may wait for a slow client before the work itself waits.
const WAITING_EVENTS: usize = 32;

/// Asks questions for callers.
pub(crate) struct Asking {
    engine: Arc<dyn Engine>,
    slots: Arc<Semaphore>,
    permits: AskPermits,
    budget: Duration,
}

/// A question under way: a place in the server, and one of its caller's.
pub(crate) struct Slot {
    _server: OwnedSemaphorePermit,
    _caller: Option<AskPermit>,
}

impl Asking {
    pub(crate) fn new(engine: Arc<dyn Engine>, options: &Options) -> Self {
        let slots = Arc::new(Semaphore::new(options.concurrent_requests));
        let permits =
            AskPermits::new(if options.auth.is_required() { options.rates.concurrent_asks } else { 0 });
        Self { engine, slots, permits, budget: seconds(options.request_seconds) }
    }

    /// The settled answer. Dropping the future cancels the work.
    pub(crate) async fn ask(
        &self,
        caller: impl Into<Caller>,
        question: &Question,
    ) -> Result<Answer, Refused> {
        let caller = caller.into();
        let _slot = self.slot(&caller)?;
        let context = self.context(caller);
        let bound = context.deadline() + GRACE;
        let asked = timeout_at(bound.into(), self.engine.ask(&context, question)).await;
        asked.unwrap_or_else(|_| Err(Refused::by_peer(late(), None)))
    }

    /// The answer as events. Dropping the stream cancels the work.
    pub(crate) async fn ask_stream(
        &self,
        caller: impl Into<Caller>,
        question: &Question,
        delivery: Delivery,
    ) -> Result<ReceiverStream<AnswerEvent>, Refused> {
        let caller = caller.into();
        let slot = self.slot(&caller)?;
        let context = self.context(caller);
        let bound = context.deadline() + GRACE;
        let events = timeout_at(bound.into(), self.engine.ask_stream(&context, question, delivery))
            .await
            .unwrap_or_else(|_| Err(Refused::by_peer(late(), None)))?;
        let (sender, receiver) = mpsc::channel(WAITING_EVENTS);
        task::spawn(pump(events, sender, bound.into(), slot));
        Ok(ReceiverStream::new(receiver))
    }

    /// Begins a question that is answered elsewhere; it counts as long as what is returned lives.
    ///
    /// # Errors
    /// `resource_exhausted` naming the limit.
    pub(crate) fn permit(&self, caller: &Caller) -> Result<Slot, Failure> {
        self.slot(caller)
    }

    fn context(&self, caller: Caller) -> Context {
        Context::new(caller.identity, self.budget).with_request_id(&caller.request_id)
    }

    fn slot(&self, caller: &Caller) -> Result<Slot, Failure> {
        let permit = self.permits.begin(&caller.identity)?;
        let server = Arc::clone(&self.slots).try_acquire_owned().map_err(|_| {
            let text = "as many questions are under way as the setting concurrent_requests allows; try again shortly";
            Failure::new(Code::ResourceExhausted, text).field("concurrent_requests")
        })?;
        Ok(Slot { _server: server, _caller: permit })
    }
}

fn late() -> Failure {
    Failure::new(Code::DeadlineExceeded, "the request ran out of time; allow more or ask less")
        .field("request_seconds")
}

/// Carries events to the client. It ends, and with it the work, when the client has gone, when the last event was
/// sent, or when time is up, be it that nothing came or that the client took nothing.
async fn pump(
    mut events: Events,
    client: mpsc::Sender<AnswerEvent>,
    bound: tokio::time::Instant,
    _slot: Slot,
) {
    let mut sequence = 0;
    let mut attempt = 0;
    loop {
        let next = tokio::select! {
            biased;
            () = client.closed() => return,
            next = timeout_at(bound, events.next()) => next,
        };
        let event = match next {
            Ok(Some(Ok(event))) => event,
            Ok(Some(Err(failure))) => failed(sequence, attempt, failure),
            Ok(None) => {
                let text = "the answer broke off before it was settled; ask again";
                failed(sequence, attempt, Failure::new(Code::Unavailable, text))
            }
            Err(_) => failed(sequence, attempt, late()),
        };
        sequence = event.sequence.saturating_add(1);
        attempt = event.attempt;
        let last = matches!(event.body, EventBody::Settled(_) | EventBody::Failed(_));
        // The last word may wait in the channel; any other must be taken before time is up.
        let sent = timeout_at(bound + GRACE, client.send(event)).await;
        if last || !matches!(sent, Ok(Ok(()))) {
            return;
        }
    }
}

fn failed(sequence: u64, attempt: u32, failure: Failure) -> AnswerEvent {
    AnswerEvent { sequence, attempt, body: EventBody::Failed(failure) }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::panic)]
    use super::*;
    use assay_domain::Identity;
    use async_trait::async_trait;
    use futures::stream;

    /// Plays the given events, then ends.
    struct Script(Vec<Result<AnswerEvent, Failure>>);

    #[async_trait]
    impl Engine for Script {
        async fn ask(&self, _: &Context, _: &Question) -> Result<Answer, Refused> {
            std::future::pending().await
        }
        async fn ask_stream(&self, _: &Context, _: &Question, _: Delivery) -> Result<Events, Refused> {
            Ok(stream::iter(self.0.clone()).boxed())
        }
        async fn refuse(&self, _: &Context, _: &Failure, _: &str, _: u32) -> Result<String, Failure> {
            std::future::pending().await
        }
    }

    fn segment(sequence: u64) -> Result<AnswerEvent, Failure> {
        Ok(AnswerEvent { sequence, attempt: 1, body: EventBody::Segment("x".into()) })
    }

    async fn heard(script: Vec<Result<AnswerEvent, Failure>>) -> Vec<AnswerEvent> {
        let asking = Asking::new(Arc::new(Script(script)), &Options::default());
        asking
            .ask_stream(Identity::local(), &Question::new("q"), Delivery::Verified)
            .await
            .unwrap()
            .collect()
            .await
    }

    #[tokio::test]
    async fn broken_stream_ends_with_failed_and_the_next_number() {
        let events = heard(vec![segment(0), segment(1)]).await;
        let last = events.last().unwrap();
        assert_eq!((events.len(), last.sequence, last.attempt), (3, 2, 1));
        assert!(matches!(&last.body, EventBody::Failed(failure) if failure.code == Code::Unavailable));
    }

    #[tokio::test]
    async fn a_failure_of_the_transport_is_the_last_event() {
        let events = heard(vec![segment(0), Err(Failure::new(Code::Internal, "x")), segment(1)]).await;
        assert_eq!(events.len(), 2);
        assert!(matches!(&events[1].body, EventBody::Failed(failure) if failure.code == Code::Internal));
    }

    #[tokio::test]
    async fn nothing_follows_the_last_event() {
        let end = AnswerEvent { sequence: 1, attempt: 1, body: EventBody::Failed(Failure::internal("x")) };
        let events = heard(vec![segment(0), Ok(end.clone()), segment(2)]).await;
        assert_eq!(events.len(), 2);
        assert_eq!(events[1], end);
    }

    #[tokio::test]
    async fn a_silent_router_is_given_up_at_the_deadline() {
        let options = Options { request_seconds: 0.01, ..Options::default() };
        let asking = Asking::new(Arc::new(Script(vec![])), &options);
        let refused = asking.ask(Identity::local(), &Question::new("q")).await.unwrap_err();
        assert_eq!(refused.failure.code, Code::DeadlineExceeded);
    }

    #[tokio::test]
    async fn one_question_too_many_is_refused_and_names_the_setting() {
        let options = Options { concurrent_requests: 1, ..Options::default() };
        let asking = Asking::new(Arc::new(Script(vec![])), &options);
        let local = Caller::from(Identity::local());
        let slot = asking.slot(&local).unwrap();
        let failure = asking.ask(Identity::local(), &Question::new("q")).await.unwrap_err().failure;
        assert_eq!((failure.code, failure.field.as_str()), (Code::ResourceExhausted, "concurrent_requests"));
        drop(slot);
        assert!(asking.slot(&local).is_ok());
    }

    #[tokio::test]
    async fn a_principal_cannot_take_every_place_where_authentication_is_on() {
        let mut options = Options::default();
        options.rates.concurrent_asks = 1;
        let ada = Caller::from(Identity::local());
        let eve = Caller::from(Identity { principal: "eve".into(), ..Identity::local() });
        let open = Asking::new(Arc::new(Script(vec![])), &options);
        let _both = (open.slot(&ada).unwrap(), open.slot(&ada).unwrap());
        options.auth.keys_file = "keys.toml".into();
        let locked = Asking::new(Arc::new(Script(vec![])), &options);
        let first = locked.slot(&ada).unwrap();
        assert_eq!(locked.slot(&ada).err().unwrap().field, "concurrent_asks");
        assert!(locked.slot(&eve).is_ok());
        drop(first);
        assert!(locked.slot(&ada).is_ok());
    }
}
