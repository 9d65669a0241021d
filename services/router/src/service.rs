//! The use case: one request from its limits to its record, whatever happens on the way.

use std::sync::Arc;
use std::time::Duration;

use assay_domain::answer::{AnswerEvent, EventBody, Outcome};
use assay_domain::error::Code;
use assay_domain::question::{Delivery, HistoryEntry};
use assay_domain::{Answer, AuditId, AuditState, Failure, QueryType, Question, Role};
use assay_graph::Plan;
use assay_routing::PlatformPrefixes;
use assay_rpc::Context;
use assay_telemetry::spans;
use tokio::sync::mpsc::Sender;
use tokio_util::sync::CancellationToken;
use tracing::Instrument as _;

use crate::admission::{acceptable, may_ask, unrecordable, unrecorded};
use crate::classify::{Classified, Classifier, HeadAlone, Heads};
use crate::collect::Collector;
use crate::delivery::Recorder;
use crate::driver::Driver;
use crate::emit::Emitter;
use crate::finish::{LAST_EVENT, replay, settlement};
use crate::journal::Journal;
use crate::options::{Options, Retry};
use crate::ports::{Forgotten, Ports, Trace};
use crate::record::CheckedAnswer;
use crate::state::{Request, Router};
use crate::told;

/// How much earlier than its caller's a request's deadline is, at most.
const EARLY: Duration = Duration::from_millis(200);

impl Router {
    /// A router over the given parts.
    #[must_use]
    pub fn new(options: Options, ports: Ports) -> Self {
        Self::with_heads(options, ports, Heads::default())
    }

    /// A router with heads that the operator chose.
    #[must_use]
    pub fn with_heads(options: Options, ports: Ports, heads: Heads) -> Self {
        let classifier = Classifier::new(
            ports.retriever.clone(),
            ports.generator.clone(),
            PlatformPrefixes::with(&options.platform_prefixes),
            options.accept_probability,
            options.data_dir.clone(),
            heads,
        );
        let recorder = Arc::new(Recorder::new(&ports));
        let collector = ports.messages.clone().map(|store| Arc::new(Collector::new(store, options.collect)));
        Self { ports, classifier: Arc::new(classifier), options: Arc::new(options), recorder, collector }
    }

    /// Answers a question. Events go to `sender` if there is one; the last is `settled` or `failed` unless the client
    /// went away, which `gone` tells. The future must not be dropped: a request that was opened is closed here.
    ///
    /// # Errors
    /// What kept the request from being opened or recorded. A request that was opened and failed is an answer with a
    /// failure; one whose session could not be appended to is an answer with `SESSION_CONFLICT`.
    pub async fn ask(
        &self,
        context: Context,
        question: Question,
        delivery: Delivery,
        sender: Option<Sender<AnswerEvent>>,
        gone: CancellationToken,
    ) -> Result<Answer, Failure> {
        let mut emitter = Emitter::new(sender, delivery);
        let request = Request::new(self.timely(&context), question, gone);
        let span = spans::answer(&request.audit_id);
        let session = request.question.session.as_ref().map_or("", |id| id.as_str());
        spans::asked_by(&span, &request.context.identity().principal, session);
        spans::input(&span, &request.question.text);
        let result = self.admitted(&request, delivery, &mut emitter).instrument(span).await;
        let failure = match &result {
            Ok(answer) => answer.failure.clone(),
            Err(failure) => Some(failure.clone()),
        };
        if let Some(failure) = failure
            && !request.gone.is_cancelled()
        {
            let _ = tokio::time::timeout(LAST_EVENT, emitter.emit(EventBody::Failed(failure))).await;
        }
        result
    }

    /// Records a request that was refused before it was asked; `count` requests of the same kind share the record.
    ///
    /// # Errors
    /// `OUTBOX_FULL`, or what the outbox says; nothing is recorded then.
    pub async fn refuse(
        &self,
        context: &Context,
        failure: Failure,
        query: &str,
        count: u32,
    ) -> Result<AuditId, Failure> {
        let request = Request::new(context.clone(), Question::new(query), CancellationToken::new());
        let mut emitter = Emitter::new(None, Delivery::Held);
        let answer = self.unasked(&request, failure, count, &mut emitter).await?;
        Ok(answer.audit_id)
    }

    /// Records the check of an answer of another system, since its caller wants that.
    ///
    /// # Errors
    /// `PERMISSION_DENIED` without the role `ask`; `OUTBOX_FULL`, or what the outbox says: nothing is recorded then.
    pub(crate) async fn record_check(
        &self,
        context: &Context,
        checked: CheckedAnswer,
    ) -> Result<(AuditId, AuditState), Failure> {
        let question = Question::new(&checked.question);
        let request = Request::new(context.clone(), question, CancellationToken::new());
        may_ask(request.context.identity())?;
        self.open_unnamed(&request).await?;
        let identity = context.identity();
        let record = checked.record(request.audit_id, request.unix_ms, identity.clone());
        self.recorder.close(&record, None).await?;
        Ok((record.audit_id, self.deliver(identity, &record).await))
    }

    /// Erases what is kept of somebody, in every store and in the log, even where one of them fails.
    ///
    /// # Errors
    /// `PERMISSION_DENIED` without the role `erase`; what audit and the stores say: what was erased stays erased, and the call can be repeated.
    pub(crate) async fn forget(&self, context: &Context, whose: &Trace) -> Result<Forgotten, Failure> {
        let identity = context.identity();
        if !identity.has(Role::Erase) {
            let text = "erasing needs the role erase";
            return Err(Failure::new(Code::PermissionDenied, text).field("roles"));
        }
        if let Some(collector) = &self.collector {
            // What waits to be written would come after the erasure.
            collector.round().await;
        }
        let mut forgotten = Forgotten::default();
        let mut failed = None;
        for store in &self.ports.traces {
            let swept = async {
                forgotten.undelivered += store.undelivered(&identity.tenant, whose).await?;
                let rows = store.forget(&identity.tenant, whose).await?;
                *forgotten.rows.entry(store.name()).or_default() += rows;
                forgotten.backups.extend(store.forget_backups().await?);
                Ok::<_, Failure>(())
            };
            failed = swept.await.err().or(failed);
        }
        let erased = self.ports.ledger.erase(context, whose).await?;
        forgotten.payloads = erased.count;
        forgotten.backups.extend(erased.backups);
        failed.map_or(Ok(forgotten), Err)
    }

    /// The settings that decide answers, by their names.
    pub(crate) fn settings(&self) -> [(&'static str, String); 9] {
        let options = &self.options;
        [
            ("accept_probability", options.accept_probability.to_string()),
            ("assess_relevance", options.assess_relevance.to_string()),
            ("code_language", options.code_language.clone()),
            ("few_shot", options.few_shot.to_string()),
            ("head", self.classifier.chosen_head().to_owned()),
            ("profile", options.profile.clone()),
            ("retry", options.retry.as_str().to_owned()),
            ("search_depth", options.search_depth.to_string()),
            ("stream_commit_first", options.stream_commit_first.to_string()),
        ]
    }

    /// Classifies a message; `model` says whether layer 3 may be asked.
    ///
    /// # Errors
    /// A defect of the built-in seed messages.
    pub(crate) async fn classify(
        &self,
        context: &Context,
        message: &str,
        declared: Option<QueryType>,
        history: &[HistoryEntry],
        model: bool,
    ) -> Result<Classified, Failure> {
        self.classifier.classify(context, message, declared, history, model).await
    }

    /// Classifies texts with a head that the caller sent.
    ///
    /// # Errors
    /// If the head cannot be read or is for another embedding model, or nothing embeds.
    pub(crate) async fn head_alone(
        &self,
        context: &Context,
        json: String,
        texts: Vec<String>,
    ) -> Result<Vec<HeadAlone>, Failure> {
        self.classifier.head_alone(context, json, texts).await
    }

    /// Limits, outbox, session; then the graph.
    async fn admitted(
        &self,
        request: &Request,
        delivery: Delivery,
        emitter: &mut Emitter,
    ) -> Result<Answer, Failure> {
        if let Err(failure) = acceptable(request, delivery) {
            return self.unasked(request, failure, 1, emitter).await;
        }
        match self.open(request).await {
            Ok(None) => {}
            Ok(Some(answer)) => {
                replay(&answer, emitter).await;
                return Ok(answer);
            }
            // Only the outbox says this of an opening, and it would say it again of the refusal.
            Err(failure) if unrecordable(failure.code) => return Err(unrecorded(failure)),
            Err(failure) => return self.unasked(request, failure, 1, emitter).await,
        }
        let mut journal = Journal::default();
        if let Some(session) = &request.question.session {
            match self.ports.sessions.load(request.context.identity(), session, request.unix_ms).await {
                Ok(found) => {
                    journal.session = found;
                    journal.session_known = true;
                }
                Err(failure) if failure.code == Code::NotFound => {
                    let end = settlement(Outcome::Refused, failure.code);
                    journal.failure = Some(failure);
                    return self.finish(request, end, journal, emitter).await;
                }
                Err(failure) => {
                    tracing::warn!(%failure, "answering without the session");
                    journal.warn("the session could not be read; this answer knows nothing of earlier turns");
                }
            }
        }
        // Of a session that is not stored yet there is only what its client tells.
        if journal.session.version == 0 {
            journal.session = told::session(&request.question.prior);
        }
        let plan = self.plan(request, emitter);
        let (end, journal) = Driver::new(self, request, emitter, journal).run(&plan).await;
        self.finish(request, end, journal, emitter).await
    }

    /// The request's own deadline: within the configured one, and early enough that its end still reaches a caller who
    /// counts the same time.
    fn timely(&self, context: &Context) -> Context {
        let left = context.remaining().min(Duration::from_secs(self.options.deadline_seconds));
        context.capped(left - (left / 10).min(EARLY))
    }

    fn plan(&self, request: &Request, emitter: &Emitter) -> Plan {
        let left = request.context.remaining() + request.started.elapsed();
        Plan {
            mode: request.question.mode,
            deadline_ms: left.as_millis().try_into().unwrap_or(u64::MAX),
            require_checks: self.options.profile == "strict",
            assess_relevance: self.options.assess_relevance,
            commit_first: self.options.stream_commit_first && emitter.takes_segments(),
            retries: self.options.retry != Retry::None,
        }
    }
}
