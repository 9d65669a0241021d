//! The use case: one request from its limits to its record, whatever happens on the way.

use std::sync::Arc;
use std::time::{Duration, Instant};

use assay_domain::answer::{AnswerEvent, EventBody, Outcome};
use assay_domain::error::Code;
use assay_domain::evidence::Hit;
use assay_domain::question::{Delivery, HistoryEntry};
use assay_domain::{Answer, AuditId, AuditState, Failure, QueryType, Question, Role, Route};
use assay_graph::{Plan, Settlement};
use assay_redact::redact;
use assay_routing::PlatformPrefixes;
use assay_routing::topic::topic;
use assay_rpc::{Context, clock, entropy};
use assay_telemetry::names::metrics as names;
use assay_telemetry::spans;
use tokio::sync::mpsc::Sender;
use tokio_util::sync::CancellationToken;
use tracing::Instrument as _;

use crate::classify::{Classified, Classifier, HeadAlone};
use crate::delivery::Recorder;
use crate::driver::{Asked, Driver};
use crate::emit::Emitter;
use crate::error::{outbox_full, request_conflict, session_conflict};
use crate::options::Options;
use crate::ports::{Admission, Opened, Ports, RequestKey, SearchQuery, Turn};
use crate::record::{About, record, sha256};
use crate::settle::{settle, verdict_name};
use crate::texts;
use crate::trail::Trail;
use crate::{promises, query, traces};

/// Times that an append to a session is tried.
const SESSION_TRIES: u32 = 3;
/// How much earlier than its caller's a request's deadline is, at most.
const EARLY: Duration = Duration::from_millis(200);
/// Time for the last event of a stream whose client is slow.
const LAST_EVENT: Duration = Duration::from_secs(2);

/// Answers questions.
#[derive(Clone)]
pub struct Router {
    inner: Arc<Inner>,
}

struct Inner {
    ports: Ports,
    classifier: Classifier,
    options: Options,
    recorder: Arc<Recorder>,
}

/// A plan of an answer that nobody asked for yet.
#[derive(Debug, Clone, PartialEq)]
pub struct Explanation {
    /// How it would be routed; layer 3 is not asked.
    pub route: Route,
    /// What would be searched for; empty if nothing.
    pub query: String,
    /// The evidence that would be used.
    pub sources: Vec<Hit>,
    /// `provider:model` that would be asked; empty if nobody says.
    pub model_slot: String,
    /// The steps of the graph, in order.
    pub steps: Vec<&'static str>,
}

/// A request under way.
struct Request<'a> {
    context: &'a Context,
    question: &'a Question,
    audit_id: AuditId,
    unix_ms: u64,
    started: Instant,
    gone: CancellationToken,
}

// === impl Router ===

impl Router {
    /// A router over the given parts.
    #[must_use]
    pub fn new(options: Options, ports: Ports) -> Self {
        let classifier = Classifier::new(
            ports.retriever.clone(),
            ports.generator.clone(),
            PlatformPrefixes::with(&options.platform_prefixes),
            options.accept_probability,
            options.data_dir.clone(),
        );
        let recorder = Arc::new(Recorder::new(&ports));
        Self { inner: Arc::new(Inner { ports, classifier, options, recorder }) }
    }

    /// What brings its records to audit.
    pub(crate) fn recorder(&self) -> Arc<Recorder> {
        self.inner.recorder.clone()
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
        let context = self.inner.timely(&context);
        let unix_ms = clock::unix_ms();
        let audit_id = AuditId::from_parts(unix_ms, entropy::bytes10());
        let request = Request {
            context: &context,
            question: &question,
            audit_id,
            unix_ms,
            started: clock::now(),
            gone: gone.clone(),
        };
        let span = spans::answer(&audit_id);
        let session = question.session.as_ref().map_or("", |id| id.as_str());
        spans::asked_by(&span, &context.identity().principal, session);
        spans::input(&span, &question.text);
        let result = self.inner.admitted(&request, delivery, &mut emitter).instrument(span).await;
        let failure = match &result {
            Ok(answer) => answer.failure.clone(),
            Err(failure) => Some(failure.clone()),
        };
        if let Some(failure) = failure
            && !gone.is_cancelled()
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
        let question = Question::new(query);
        let unix_ms = clock::unix_ms();
        let request = Request {
            context,
            question: &question,
            audit_id: AuditId::from_parts(unix_ms, entropy::bytes10()),
            unix_ms,
            started: clock::now(),
            gone: CancellationToken::new(),
        };
        let mut emitter = Emitter::new(None, Delivery::Held);
        let answer = self.inner.unasked(&request, failure, count, &mut emitter).await?;
        Ok(answer.audit_id)
    }

    /// Plans an answer: route and evidence; no model call, no record.
    ///
    /// # Errors
    /// Limits of the question, and what the search says.
    pub async fn explain(&self, context: &Context, question: &Question) -> Result<Explanation, Failure> {
        self.inner.explain(context, question).await
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
        self.inner.classifier.classify(context, message, declared, history, model).await
    }

    /// Calls of a language model that one classification request may spend.
    pub(crate) fn classify_model_calls(&self) -> u32 {
        self.inner.options.classify_model_calls
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
        self.inner.classifier.head_alone(context, json, texts).await
    }
}

// === impl Inner ===

impl Inner {
    /// Limits, outbox, session; then the graph.
    async fn admitted(
        &self,
        request: &Request<'_>,
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
        let mut trail = Trail::default();
        if let Some(session) = &request.question.session {
            match self.ports.sessions.load(request.context.identity(), session, request.unix_ms).await {
                Ok(found) => {
                    trail.session = found;
                    trail.session_known = true;
                }
                Err(failure) if failure.code == Code::NotFound => {
                    let end = settlement(Outcome::Refused, failure.code);
                    trail.failure = Some(failure);
                    return self.finish(request, end, trail, emitter).await;
                }
                Err(failure) => {
                    tracing::warn!(%failure, "answering without the session");
                    trail.warn("the session could not be read; this answer knows nothing of earlier turns");
                }
            }
        }
        let (end, trail) = self.driver(request, emitter, trail).run(&self.plan(request)).await;
        self.finish(request, end, trail, emitter).await
    }

    /// The request's own deadline: within the configured one, and early enough that its end still reaches a caller who
    /// counts the same time.
    fn timely(&self, context: &Context) -> Context {
        let left = context.remaining().min(Duration::from_secs(self.options.deadline_seconds));
        context.capped(left - (left / 10).min(EARLY))
    }

    fn driver<'a>(&'a self, request: &'a Request<'_>, emitter: &'a mut Emitter, trail: Trail) -> Driver<'a> {
        let asked = Asked {
            ports: &self.ports,
            classifier: &self.classifier,
            options: &self.options,
            context: request.context,
            question: request.question,
            audit_id: request.audit_id,
            started: request.started,
        };
        Driver::new(asked, request.gone.clone(), emitter, trail)
    }

    fn plan(&self, request: &Request<'_>) -> Plan {
        let left = request.context.remaining() + request.started.elapsed();
        Plan {
            mode: request.question.mode,
            deadline_ms: left.as_millis().try_into().unwrap_or(u64::MAX),
            require_checks: self.options.profile == "strict",
            assess_relevance: self.options.assess_relevance,
            commit_first: self.options.stream_commit_first,
        }
    }

    /// Opens the request; the stored answer if the same request was answered before.
    async fn open(&self, request: &Request<'_>) -> Result<Option<Answer>, Failure> {
        let identity = request.context.identity();
        let opened = Opened {
            audit_id: request.audit_id,
            unix_ms: request.unix_ms,
            identity: identity.clone(),
            query_sha256: sha256(&request.question.text),
            request: request
                .question
                .request_id
                .map(|id| RequestKey { id, content_sha256: content(request.question) }),
        };
        loop {
            // Listened to before the look, so that no closing is missed between look and wait.
            let closed = self.recorder.closed();
            match self.ports.outbox.open(opened.clone(), request.unix_ms).await? {
                Admission::Opened => return Ok(None),
                Admission::Answered(answer) => return Ok(Some(*answer)),
                Admission::Conflict => return Err(request_conflict()),
                Admission::Full => return Err(outbox_full()),
                Admission::Running => tokio::select! {
                    () = request.gone.cancelled() => {
                        return Err(Failure::new(Code::Cancelled, "the client went away"));
                    }
                    waited = request.context.within(closed) => waited?,
                },
            }
        }
    }

    /// A request that ends before any work still leaves its record, unless the outbox takes none.
    async fn unasked(
        &self,
        request: &Request<'_>,
        failure: Failure,
        count: u32,
        emitter: &mut Emitter,
    ) -> Result<Answer, Failure> {
        let opened = Opened {
            audit_id: request.audit_id,
            unix_ms: request.unix_ms,
            identity: request.context.identity().clone(),
            query_sha256: sha256(&request.question.text),
            request: None,
        };
        match self.ports.outbox.open(opened, request.unix_ms).await {
            Ok(Admission::Full) => return Err(unrecorded(outbox_full())),
            Ok(_) => {}
            Err(failure) => return Err(unrecorded(failure)),
        }
        let outcome = match failure.code {
            Code::Cancelled => Outcome::Cancelled,
            Code::DeadlineExceeded => Outcome::Failed,
            _ => Outcome::Refused,
        };
        let end = settlement(outcome, failure.code);
        let mut trail = Trail { failure: Some(failure), ..Trail::default() };
        if count > 1 {
            trail.warn(format!("requests={count}"));
        }
        self.finish(request, end, trail, emitter).await
    }

    /// Records, delivers, remembers; then the last event.
    async fn finish(
        &self,
        request: &Request<'_>,
        end: Settlement,
        mut trail: Trail,
        emitter: &mut Emitter,
    ) -> Result<Answer, Failure> {
        trail.timing.total_ms = clock::elapsed_ms(request.started);
        let settled = settle(request.audit_id, request.question, &end, &trail);
        let mut answer = settled.answer;
        if self.options.stream_commit_first
            && let Some(draft) = end.draft.and_then(|nth| trail.draft(nth))
        {
            answer.warnings.extend(draft.withheld_segments.iter().map(|text| texts::withheld(text)));
        }
        let identity = request.context.identity();
        let about = About {
            response_id: request.context.request_id(),
            identity,
            question: request.question,
            unix_ms: request.unix_ms,
            prefixes_sha256: self.classifier.prefixes_sha256(),
        };
        let record = record(&about, &end, &answer, &trail);
        let settles = matches!(end.outcome, Outcome::Answered | Outcome::Abstained | Outcome::Rejected);
        let kept = (settles && request.question.request_id.is_some()).then(|| answer.clone());
        self.recorder.close(&record, kept).await?;

        // The append has its own budget: neither the request's deadline nor its client's leaving cuts it short.
        let background = Context::background(identity.clone(), Duration::from_millis(self.options.append_ms));
        let span = spans::record(&request.audit_id);
        answer.audit = match self.recorder.store(&background, &record).instrument(span).await {
            Ok(_) => AuditState::Stored,
            Err(failure) => {
                tracing::warn!(%failure, audit_id = %request.audit_id, "the record waits in the outbox");
                self.recorder.announce();
                AuditState::Queued
            }
        };
        self.count(request, &answer, &trail);
        if end.outcome == Outcome::Answered && trail.session_known {
            answer.failure = self.remember(request, &mut answer, &trail).await.err();
            if answer.failure.is_some() {
                // The answer is recorded, and kept for its request id; its caller asks again.
                return Ok(answer);
            }
        }
        if settles && !request.gone.is_cancelled() {
            let last = async {
                emitter.reconcile(&settled.followed, &segments(&end, &trail)).await;
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
        request: &Request<'_>,
        answer: &mut Answer,
        trail: &Trail,
    ) -> Result<(), Failure> {
        let Some(id) = &request.question.session else { return Ok(()) };
        let identity = request.context.identity();
        let entry =
            HistoryEntry { query_type: answer.route.query_type, topic: topic(&request.question.text) };
        let turn = Turn {
            question: redact(&request.question.text),
            answer: answer.text.clone(),
            sources: trail.plain_sources(),
        };
        let mut version = trail.session.version;
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

    fn count(&self, request: &Request<'_>, answer: &Answer, trail: &Trail) {
        let kind = trail.query_type().map_or("NONE", QueryType::as_str);
        let verdict = verdict_name(answer.verdict);
        metrics::counter!(names::ANSWERS_TOTAL, "outcome" => answer.outcome.as_str(), "query_type" => kind)
            .increment(1);
        metrics::counter!(names::VERDICTS_TOTAL, "verdict" => verdict, "query_type" => kind).increment(1);
        metrics::histogram!(names::ANSWER_SECONDS, "query_type" => kind)
            .record(answer.timing.total_ms / 1000.0);
        traces::settled(answer, trail);
        let (identity, prefixes) = (request.context.identity(), self.classifier.prefixes());
        for rule in promises::broken(request.question, identity, prefixes, answer, trail) {
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

    async fn explain(&self, context: &Context, question: &Question) -> Result<Explanation, Failure> {
        question.check_limits()?;
        let session = match &question.session {
            Some(id) => self.ports.sessions.load(context.identity(), id, clock::unix_ms()).await?,
            None => crate::ports::Session::default(),
        };
        let classified = self
            .classifier
            .classify(context, &question.text, question.declared_type, &session.history, false)
            .await?;
        let (mut query, mut sources) = (String::new(), Vec::new());
        if classified.route.query_type.searches() {
            let rewritten = query::rewrite(&question.text, classified.topic.as_deref());
            query.clone_from(&rewritten.query);
            let search = SearchQuery {
                query: rewritten.query,
                further: rewritten.further,
                collection: question.collection.clone(),
                limit: self.options.search_depth,
            };
            sources = self.ports.retriever.search(context, search).await?.hits;
        }
        let steps = match classified.route.query_type {
            QueryType::Retrieval => vec!["classify", "search", "judge relevance", "draft", "check", "settle"],
            QueryType::CodeGeneration => vec!["classify", "search and examples", "draft", "check", "settle"],
            QueryType::Conversational | QueryType::Platform => vec!["classify", "draft", "check", "settle"],
        };
        // A plan without the model's name is still a plan.
        let model_slot =
            self.ports.generator.model(context, classified.route.query_type).await.unwrap_or_default();
        Ok(Explanation { route: classified.route, query, sources, model_slot, steps })
    }
}

/// What is refused before any work.
fn acceptable(request: &Request<'_>, delivery: Delivery) -> Result<(), Failure> {
    if !request.context.identity().has(Role::Ask) {
        let text = "asking needs the role `ask`; have it granted to this key";
        return Err(Failure::new(Code::PermissionDenied, text).field("roles"));
    }
    if delivery == Delivery::Draft {
        let text = "raw draft delivery is not allowed here; ask for VERIFIED or HELD";
        return Err(Failure::new(Code::PermissionDenied, text).field("delivery"));
    }
    request.question.check_limits()
}

/// Whether a failure to open a request says that nothing can be recorded either.
fn unrecordable(code: Code) -> bool {
    matches!(code, Code::OutboxFull | Code::Unavailable | Code::StorageCorrupt | Code::Internal)
}

/// Counts a refusal that leaves no record.
fn unrecorded(failure: Failure) -> Failure {
    metrics::counter!(names::REFUSALS_UNRECORDED_TOTAL, "code" => failure.code.as_str()).increment(1);
    tracing::error!(%failure, "a request was refused and left no record");
    failure
}

pub(crate) fn settlement(outcome: Outcome, code: Code) -> Settlement {
    Settlement { outcome, draft: None, verdict: None, code: Some(code), skipped: None }
}

/// SHA-256 over everything that was asked.
fn content(question: &Question) -> String {
    let declared = question.declared_type.map_or("", QueryType::as_str);
    let session = question.session.as_ref().map_or("", |id| id.as_str());
    let parts = [
        question.text.as_str(),
        declared,
        session,
        &question.collection,
        question.mode.as_str(),
        &question.editor_content,
        &question.selected_text,
        &question.extra_context,
    ];
    sha256(&parts.iter().map(|part| format!("{}:{part}", part.len())).collect::<String>())
}

fn segments(end: &Settlement, trail: &Trail) -> Vec<String> {
    end.draft.and_then(|nth| trail.draft(nth)).map(|draft| draft.segments.clone()).unwrap_or_default()
}

fn not_remembered(answer: &mut Answer, failure: &Failure) -> Result<(), Failure> {
    tracing::warn!(%failure, "the session was not written");
    answer
        .warnings
        .push("the session could not be written; later questions will not know this answer".into());
    Ok(())
}

/// A stored answer as events.
async fn replay(answer: &Answer, emitter: &mut Emitter) {
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
