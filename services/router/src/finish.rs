//! The end of a request: answer and record, the log, the session, the last event.

use std::time::Duration;

use assay_domain::answer::{EventBody, Outcome};
use assay_domain::error::Code;
use assay_domain::question::HistoryEntry;
use assay_domain::{Answer, AuditState, Failure, Identity, QueryType, Record};
use assay_graph::Settlement;
use assay_redact::redact;
use assay_routing::topic::topic;
use assay_rpc::{Context, clock};
use assay_telemetry::names::metrics as names;
use assay_telemetry::spans;
use tracing::Instrument as _;

use crate::answer::{settle, verdict_name};
use crate::emit::Emitter;
use crate::error::session_conflict;
use crate::journal::Journal;
use crate::ports::Turn;
use crate::record::{About, record};
use crate::state::{Request, Router};
use crate::{invariants, texts, traces};

/// Times that an append to a session is tried.
const SESSION_TRIES: u32 = 3;
/// Time for the last event of a stream whose client is slow.
pub(crate) const LAST_EVENT: Duration = Duration::from_secs(2);

impl Router {
    /// Sends a closed record to the log; one that does not arrive waits in the outbox.
    pub(crate) async fn deliver(&self, identity: &Identity, record: &Record) -> AuditState {
        // The append has its own budget: neither the request's deadline nor its client's leaving cuts it short.
        let background = Context::background(identity.clone(), Duration::from_millis(self.options.append_ms));
        let span = spans::record(&record.audit_id);
        match self.recorder.store(&background, record).instrument(span).await {
            Ok(_) => AuditState::Stored,
            Err(failure) => {
                tracing::warn!(%failure, audit_id = %record.audit_id, "the record waits in the outbox");
                self.recorder.announce();
                AuditState::Queued
            }
        }
    }

    /// Records, delivers, remembers; then the last event.
    pub(crate) async fn finish(
        &self,
        request: &Request,
        end: Settlement,
        mut journal: Journal,
        emitter: &mut Emitter,
    ) -> Result<Answer, Failure> {
        journal.timing.total_ms = clock::elapsed_ms(request.started);
        let settled = settle(request.audit_id, &request.question, &end, &journal);
        let mut answer = settled.answer;
        if self.options.stream_commit_first
            && let Some(draft) = end.draft.and_then(|nth| journal.draft(nth))
        {
            answer.warnings.extend(draft.withheld_segments.iter().map(|text| texts::withheld(text)));
        }
        let identity = request.context.identity();
        let about = About {
            response_id: request.context.request_id(),
            identity,
            question: &request.question,
            unix_ms: request.unix_ms,
            prefixes_sha256: self.classifier.prefixes_sha256(),
        };
        let record = record(&about, &end, &answer, &journal);
        let settles = matches!(end.outcome, Outcome::Answered | Outcome::Abstained | Outcome::Rejected);
        let kept = (settles && request.question.request_id.is_some()).then(|| answer.clone());
        self.recorder.close(&record, kept).await?;

        answer.audit = self.deliver(identity, &record).await;
        self.count(request, &answer, &journal);
        if end.outcome == Outcome::Answered && journal.session_known {
            answer.failure = self.remember(request, &mut answer, &journal).await.err();
            if answer.failure.is_some() {
                // The answer is recorded, and kept for its request id; its caller asks again.
                return Ok(answer);
            }
        }
        if settles && !request.gone.is_cancelled() {
            let last = async {
                emitter.reconcile(&settled.followed, &segments(&end, &journal)).await;
                emitter.emit(settled_event(&answer, &settled.followed)).await;
            };
            let left = request.context.remaining().max(LAST_EVENT);
            tokio::select! {
                biased;
                () = request.gone.cancelled() => {}
                _ = tokio::time::timeout(left, last) => {}
            }
        }
        Ok(answer)
    }

    /// Appends the turn to its session by compare-and-set.
    async fn remember(
        &self,
        request: &Request,
        answer: &mut Answer,
        journal: &Journal,
    ) -> Result<(), Failure> {
        let Some(id) = &request.question.session else { return Ok(()) };
        let identity = request.context.identity();
        let entry =
            HistoryEntry { query_type: answer.route.query_type, topic: topic(&request.question.text) };
        let turn = Turn {
            question: redact(&request.question.text),
            answer: answer.text.clone(),
            sources: journal.plain_sources(),
        };
        let mut version = journal.session.version;
        for _ in 0..SESSION_TRIES {
            let now = clock::unix_ms();
            match self.ports.sessions.append(identity, id, version, entry.clone(), turn.clone(), now).await {
                Ok(true) => return Ok(()),
                Ok(false) => match self.ports.sessions.load(identity, id, now).await {
                    Ok(session) => version = session.version,
                    Err(failure) => return not_remembered(answer, &failure),
                },
                Err(failure) => return not_remembered(answer, &failure),
            }
        }
        Err(session_conflict())
    }

    fn count(&self, request: &Request, answer: &Answer, journal: &Journal) {
        let kind = journal.query_type().map_or("NONE", QueryType::as_str);
        let verdict = verdict_name(answer.verdict);
        metrics::counter!(names::ANSWERS_TOTAL, "outcome" => answer.outcome.as_str(), "query_type" => kind)
            .increment(1);
        metrics::counter!(names::VERDICTS_TOTAL, "verdict" => verdict, "query_type" => kind).increment(1);
        metrics::histogram!(names::ANSWER_SECONDS, "query_type" => kind)
            .record(answer.timing.total_ms / 1000.0);
        if let Some(route) = &journal.route {
            let layer = route.layer.as_str();
            metrics::counter!(names::ROUTES_TOTAL, "layer" => layer).increment(1);
            metrics::histogram!(names::ROUTE_PROBABILITY, "layer" => layer).record(route.probability);
        }
        traces::settled(answer, journal);
        let (identity, prefixes) = (request.context.identity(), self.classifier.prefixes());
        for rule in invariants::broken(&request.question, identity, prefixes, answer, journal) {
            metrics::counter!(names::CONTRACT_VIOLATIONS_TOTAL, "rule" => rule).increment(1);
            tracing::error!(target: "assay::router", rule, audit_id = %answer.audit_id, "a rule of the contract was not kept");
        }
        tracing::info!(
            target: "assay::router",
            audit_id = %answer.audit_id,
            outcome = answer.outcome.as_str(),
            query_type = kind,
            verdict,
            ms = answer.timing.total_ms,
            "settled"
        );
    }
}

/// An end without a draft.
pub(crate) fn settlement(outcome: Outcome, code: Code) -> Settlement {
    Settlement { outcome, draft: None, verdict: None, code: Some(code), skipped: None }
}

fn segments(end: &Settlement, journal: &Journal) -> Vec<String> {
    end.draft.and_then(|nth| journal.draft(nth)).map(|draft| draft.segments.clone()).unwrap_or_default()
}

fn not_remembered(answer: &mut Answer, failure: &Failure) -> Result<(), Failure> {
    tracing::warn!(%failure, "the session was not written");
    answer
        .warnings
        .push("the session could not be written; later questions will not know this answer".into());
    Ok(())
}

/// A stored answer as events.
pub(crate) async fn replay(answer: &Answer, emitter: &mut Emitter) {
    emitter.emit(EventBody::Routed { route: answer.route.clone(), audit_id: answer.audit_id }).await;
    emitter.attempt(answer.attempts);
    emitter.emit(EventBody::Sources(answer.sources.clone())).await;
    let partial = answer.rejection.as_ref().map_or("", |rejection| &rejection.partial_response);
    let followed = if answer.text.is_empty() { partial } else { &answer.text };
    emitter.reconcile(followed, &[]).await;
    emitter.emit(settled_event(answer, followed)).await;
}

/// The last event: the answer; the text of a rejection is what the client holds (contract §7).
fn settled_event(answer: &Answer, followed: &str) -> EventBody {
    let mut answer = answer.clone();
    if answer.outcome == Outcome::Rejected {
        followed.clone_into(&mut answer.text);
    }
    EventBody::Settled(Box::new(answer))
}
