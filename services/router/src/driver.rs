//! Performs the effects of the graph and feeds it events; what to do next is never decided here.

use std::collections::VecDeque;

use assay_domain::answer::EventBody;
use assay_graph::{Effect, Event, EventKind, Nth, Plan, Settlement, State, step};
use assay_rpc::clock;

use crate::draft::Running;
use crate::emit::Emitter;
use crate::journal::Journal;
use crate::state::{Request, Router};
use crate::{evidence, route};

/// One request on its way through the graph.
pub(crate) struct Driver<'a> {
    router: &'a Router,
    request: &'a Request,
    emitter: &'a mut Emitter,
    journal: Journal,
    running: Running,
}

// === impl Driver ===

impl<'a> Driver<'a> {
    pub(crate) fn new(
        router: &'a Router,
        request: &'a Request,
        emitter: &'a mut Emitter,
        journal: Journal,
    ) -> Self {
        Self { router, request, emitter, journal, running: Running::default() }
    }

    /// Runs the request to its settlement.
    pub(crate) async fn run(mut self, plan: &Plan) -> (Settlement, Journal) {
        let (mut state, mut events) = (State::Received, VecDeque::from([EventKind::Start]));
        loop {
            let Some(kind) = events.pop_front() else {
                events.extend(self.guarded(&[]).await);
                continue;
            };
            let at_ms = self.request.started.elapsed().as_millis().try_into().unwrap_or(u64::MAX);
            let (next, effects) = step(plan, state, Event { at_ms, kind });
            state = next;
            if let Some(Effect::Settle(settlement)) = effects.last() {
                self.running.cut(&mut self.journal);
                return (*settlement, self.journal);
            }
            if !effects.is_empty() {
                events.extend(self.guarded(&effects).await);
            }
        }
    }

    /// Performs effects, or goes on with what runs if there are none, until the client goes or time is up.
    async fn guarded(&mut self, effects: &[Effect]) -> Vec<EventKind> {
        let (gone, deadline) = (self.request.gone.clone(), self.request.context.deadline());
        tokio::select! {
            biased;
            () = gone.cancelled() => vec![EventKind::Gone],
            () = tokio::time::sleep_until(deadline.into()) => vec![EventKind::Deadline],
            events = self.work(effects) => events,
        }
    }

    async fn work(&mut self, effects: &[Effect]) -> Vec<EventKind> {
        if effects.is_empty() {
            return vec![self.go_on().await];
        }
        let mut events = Vec::new();
        for effect in effects {
            events.extend(self.perform(*effect).await);
        }
        events
    }

    /// Waits for what the running draft or its check says next.
    async fn go_on(&mut self) -> EventKind {
        let (since, writing) = (clock::now(), self.running.is_writing());
        let kind = self.running.next(&mut self.journal).await;
        let timing = &mut self.journal.timing;
        *(if writing { &mut timing.draft_ms } else { &mut timing.check_ms }) += clock::elapsed_ms(since);
        kind
    }

    async fn perform(&mut self, effect: Effect) -> Option<EventKind> {
        let (router, request, journal) = (self.router, self.request, &mut self.journal);
        match effect {
            Effect::Classify => Some(route::classify(router, request, journal, self.emitter).await),
            Effect::Search(round) => Some(evidence::search(router, request, journal, round).await),
            Effect::Gather => Some(evidence::gather(router, request, journal).await),
            Effect::AssessRelevance => {
                journal.sources = evidence::sources(&request.question, journal);
                Some(self.running.assess(router, request, journal).await)
            }
            Effect::Reformulate => {
                self.running.end_check();
                Some(evidence::reformulate(router, request, journal).await)
            }
            Effect::Draft { draft, attempt } => {
                self.emitter.attempt(draft.number());
                if draft == Nth::First {
                    journal.sources = evidence::sources(&request.question, journal);
                    self.emitter.emit(EventBody::Sources(journal.sources.clone())).await;
                }
                self.running.write(router, request, journal, draft, attempt).await
            }
            Effect::Check { draft, attempt } => {
                self.running.check(router, request, journal, draft, attempt).await
            }
            Effect::SendSegment => {
                self.emitter.segment(self.running.passed()).await;
                None
            }
            Effect::Interrupt => {
                self.running.cut(journal);
                None
            }
            Effect::FinishCheck => {
                self.running.finish();
                None
            }
            Effect::Recheck { draft, attempt } => {
                self.running.recheck(router, request, journal, draft, attempt).await
            }
            Effect::Retract(_) => {
                self.emitter.retract().await;
                None
            }
            Effect::Settle(_) => None,
        }
    }
}
