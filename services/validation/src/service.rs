//! The use case: open a check, feed it text, pass checked segments on, and judge the whole.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use assay_domain::draft::{PromptId, ProviderCall};
use assay_domain::question::limits;
use assay_domain::report::{Attempt, Evidence, Finding};
use assay_domain::{Block, Code as FailureCode, Failure, Mode, QueryType, Report, Source};
use assay_grounding::{
    Facts, Judge, Opinion, Policy, Segment, SegmentGate, SourceIndex, Terms, Trail, judge, reading, relevance,
};
use assay_rpc::{Context, clock, task};
use assay_telemetry::names::attributes;
use assay_telemetry::spans;
use tokio::sync::Semaphore;
use tracing::Instrument as _;

use crate::code::Code;
use crate::error::Error;
use crate::language;
use crate::options::Options;
use crate::ports::{CodeQuery, JudgePort, JudgeQuery, LookupPort, LookupQuery, NotParsed, ParserPort};

/// Longest question, in characters; texts from elsewhere may ask at length.
const QUESTION_CHARS: usize = 4 * limits::QUERY_CHARS;

/// What a check is told before the text.
#[derive(Debug, Clone, PartialEq)]
pub struct Order {
    /// The question; empty means that relevance is not judged.
    pub question: String,
    /// The type that decides which checks are required.
    pub query_type: QueryType,
    /// Strict or lenient.
    pub mode: Mode,
    /// First draft or retry.
    pub attempt: Attempt,
    /// Sources in marker order.
    pub sources: Vec<Source>,
    /// Facts given with the question.
    pub extra_context: String,
    /// Collection for look-ups; empty means the default.
    pub collection: String,
    /// Hold the answer against the given sources alone.
    pub sources_only: bool,
    /// Do not demand citations.
    pub citations_optional: bool,
    /// Attach citations to claims that one source clearly supports.
    pub attach: bool,
    /// Pass segments on as they close.
    pub segments: bool,
    /// Programming language of undeclared blocks; empty means detect.
    pub default_language: String,
    /// Programming language that was asked for; empty if none.
    pub wanted_language: String,
    /// Policy by name; empty means the configured one.
    pub policy: String,
    /// A policy of the caller's own, TOML; empty for none.
    pub policy_toml: String,
    /// Relevance that was judged before; none means judge now.
    pub context_relevance: Option<f64>,
}

/// A closed stretch of the answer with its own checks.
#[derive(Debug, Clone, PartialEq)]
pub struct CheckedSegment {
    /// The text, separators included; after attaching.
    pub text: String,
    /// Whether it may be sent.
    pub passed: bool,
    /// What failed.
    pub errors: Vec<Finding>,
}

/// What the checks said of an attempt.
#[derive(Debug, Clone, PartialEq)]
pub struct Done {
    /// The report.
    pub report: Report,
    /// Milliseconds that the checks worked, waiting for text left out.
    pub check_ms: f64,
    /// Version and grammar hash of the parser; empty if it was not asked.
    pub parser: String,
    /// Policy that was used, by name.
    pub policy: String,
    /// Calls of a language model spent on claims.
    pub model_calls: u32,
    /// Prompts used for them.
    pub prompts: Vec<PromptId>,
    /// Providers tried for them.
    pub trail: Vec<ProviderCall>,
}

/// Runs the checks.
#[derive(Clone)]
pub struct Validation {
    shared: Arc<Shared>,
}

struct Shared {
    options: Options,
    /// The operator's own policy, if there is one.
    policy: Option<Policy>,
    parser: Arc<dyn ParserPort>,
    lookup: Arc<dyn LookupPort>,
    judge: Option<Arc<dyn JudgePort>>,
    /// Answers that may be judged at the same time.
    processors: Arc<Semaphore>,
}

impl std::fmt::Debug for Validation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Validation").field("options", &self.shared.options).finish_non_exhaustive()
    }
}

// === impl Validation ===

impl Validation {
    /// Runs checks with these settings over these ports. The parser should be one that does not keep answers waiting;
    /// `policy` stands for the configured name, and without a judge nobody is asked about claims.
    #[must_use]
    pub fn new(
        options: Options,
        policy: Option<Policy>,
        parser: Arc<dyn ParserPort>,
        lookup: Arc<dyn LookupPort>,
        judge: Option<Arc<dyn JudgePort>>,
    ) -> Self {
        let one_each = || std::thread::available_parallelism().map_or(2, std::num::NonZero::get);
        let parallel = if options.parallel == 0 { one_each() } else { options.parallel };
        let processors = Arc::new(Semaphore::new(parallel));
        Self { shared: Arc::new(Shared { options, policy, parser, lookup, judge, processors }) }
    }

    /// Opens the check of one attempt.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` for a policy nobody knows, a question that is too long or a relevance that is no
    /// probability, `PAYLOAD_TOO_LARGE` beyond the limits.
    pub async fn open(&self, order: Order) -> Result<Session, Failure> {
        let policy = match order.policy_toml.trim() {
            "" => self.policy(&order.policy)?,
            text => Policy::parse(text).map_err(Error::Policy)?,
        };
        self.check_sources(&order.question, &order.sources)?;
        let (size, limit) = (order.extra_context.len(), limits::EXTRA_CONTEXT_BYTES);
        if size > limit {
            return Err(Error::TooLarge {
                what: "bytes of extra_context",
                size,
                limit,
                setting: "extra_context",
            }
            .into());
        }
        if order.context_relevance.is_some_and(|relevance| !(0.0..=1.0).contains(&relevance)) {
            let message = "context_relevance is a probability, from 0 to 1".to_owned();
            return Err(Error::Invalid { field: "context_relevance", message }.into());
        }
        let started = clock::now();
        let code = CodeQuery {
            answer: String::new(),
            default_language: order.default_language.clone(),
            wanted_language: order.wanted_language.clone(),
        };
        let (collection, gate) = (order.collection.clone(), order.segments.then(SegmentGate::new));
        let judge = self.compute(move || Judge::new(terms(order), policy)).await?;
        Ok(Session {
            validation: self.clone(),
            judge: Arc::new(judge),
            collection,
            code_query: code,
            text: String::new(),
            gate,
            trail: Trail::default(),
            code: None,
            worked_ms: clock::elapsed_ms(started),
        })
    }

    /// Probability that sources can answer a question, and whether it passes the bar of the configured policy.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` for an empty or over-long question, `PAYLOAD_TOO_LARGE` beyond the limits.
    pub async fn relevance(&self, question: String, sources: Vec<Source>) -> Result<(f64, bool), Failure> {
        if question.trim().is_empty() {
            let message = "the question is empty; relevance is judged against a question".to_owned();
            return Err(Error::Invalid { field: "question", message }.into());
        }
        self.check_sources(&question, &sources)?;
        let bar = self.policy("")?.relevance_bar();
        let probability =
            self.compute(move || relevance::probability(&question, &SourceIndex::new(&sources))).await?;
        let probability = probability.unwrap_or_default();
        Ok((probability, probability >= bar))
    }

    fn policy(&self, name: &str) -> Result<Policy, Failure> {
        if let (true, Some(own)) = (name.is_empty(), &self.shared.policy) {
            return Ok(own.clone());
        }
        let name = if name.is_empty() { &self.shared.options.policy } else { name };
        Policy::shipped(name).ok_or_else(|| {
            let message = format!("there is no policy {name:?}; give strict, balanced or lenient");
            Error::Invalid { field: "policy", message }.into()
        })
    }

    fn check_sources(&self, question: &str, sources: &[Source]) -> Result<(), Failure> {
        let length = question.chars().count();
        if length > QUESTION_CHARS {
            let message =
                format!("the question has {length} characters; at most {QUESTION_CHARS} are accepted");
            return Err(Error::Invalid { field: "question", message }.into());
        }
        let options = &self.shared.options;
        let (size, limit) = (sources.len(), options.sources);
        if size > limit {
            return Err(
                Error::TooLarge { what: "sources", size, limit, setting: "validation.sources" }.into()
            );
        }
        let (size, limit) = (sources.iter().map(|source| source.text.len()).sum(), options.source_bytes);
        if size > limit {
            let (what, setting) = ("bytes of text in all sources", "validation.source_bytes");
            return Err(Error::TooLarge { what, size, limit, setting }.into());
        }
        Ok(())
    }

    /// Runs computing work beside the async threads, as many at a time as the settings say.
    async fn compute<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Failure> {
        let processors = Arc::clone(&self.shared.processors);
        let turn =
            processors.acquire_owned().await.map_err(|closed| Failure::internal(closed.to_string()))?;
        Ok(task::blocking(move || {
            // Held until the work ends, even if nobody waits for it any more.
            let _turn = turn;
            work()
        })
        .await?)
    }

    /// The same for work that looks up between two claims and ends where the caller has gone or has no time left.
    async fn compute_while_wanted<T: Send + 'static>(
        &self,
        context: &Context,
        work: impl FnOnce(&dyn Fn() -> bool) -> Option<T> + Send + 'static,
    ) -> Result<T, Failure> {
        let (gone, deadline) = (Arc::new(AtomicBool::new(false)), context.deadline());
        let _waiting = Waiting(Arc::clone(&gone));
        let stop = move || gone.load(Ordering::Relaxed) || clock::now() >= deadline;
        let done = self.compute(move || if stop() { None } else { work(&stop) }).await?;
        done.ok_or_else(|| {
            let text = "the request ran out of time while its claims were judged; allow more or ask less";
            Failure::new(FailureCode::DeadlineExceeded, text)
        })
    }
}

/// Says that nobody waits any more, when it is dropped.
struct Waiting(Arc<AtomicBool>);

impl Drop for Waiting {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// What a judge said, and what that cost.
#[derive(Debug, Default)]
struct Heard {
    opinions: Vec<Opinion>,
    model_calls: u32,
    prompts: Vec<PromptId>,
    trail: Vec<ProviderCall>,
}

/// What the pure checks judge by. Bytes that are not what their hash says are not what the index holds.
fn terms(order: Order) -> Terms {
    let whole = |source: &Source| source.sha256.is_empty() || source.sha256 == sha256(&source.text);
    let damaged =
        order.sources.iter().enumerate().filter(|(_, source)| !whole(source)).map(|(at, _)| at).collect();
    Terms {
        question: order.question,
        query_type: order.query_type,
        attempt: order.attempt,
        sources: order.sources,
        damaged,
        extra_context: order.extra_context,
        sources_only: order.sources_only,
        citations_optional: order.citations_optional,
        attach: order.attach,
        context_relevance: order.context_relevance,
    }
}

/// Whether a segment may hold code, or end what holds some: fences, indented lines, HTML, quotations.
fn may_hold_code(segment: &Segment) -> bool {
    let text = segment.text.as_str();
    segment.code
        || text.contains(['\t', '<', '>'])
        || ["```", "~~~", "    "].iter().any(|mark| text.contains(mark))
}

/// Why the parser could not be asked, as its span says it.
fn said(not: &NotParsed) -> String {
    format!("unavailable: {}", not.reason)
}

/// SHA-256 of a text, lower-case hex.
fn sha256(text: &str) -> String {
    use sha2::Digest as _;
    hex::encode(sha2::Sha256::digest(text.as_bytes()))
}

/// The check of one attempt. Dropping it ends it.
#[derive(Debug)]
pub struct Session {
    validation: Validation,
    judge: Arc<Judge>,
    collection: String,
    /// What the parser is asked, but for the answer.
    code_query: CodeQuery,
    text: String,
    /// Cuts the text into segments, if they are wanted.
    gate: Option<SegmentGate>,
    /// From where the draft is read for its next segment.
    trail: Trail,
    /// What is known of the code so far.
    code: Option<Arc<Code>>,
    worked_ms: f64,
}

// === impl Session ===

impl Session {
    /// Takes text of the draft; returns the segments that it closed, if they are wanted. Code is parsed before it is
    /// returned.
    ///
    /// # Errors
    /// `PAYLOAD_TOO_LARGE` if the answer grows beyond the limit.
    pub async fn feed(&mut self, context: &Context, text: &str) -> Result<Vec<CheckedSegment>, Failure> {
        let (size, limit) = (self.text.len() + text.len(), self.validation.shared.options.answer_bytes);
        if size > limit {
            let (what, setting) = ("bytes of answer", "validation.answer_bytes");
            return Err(Error::TooLarge { what, size, limit, setting }.into());
        }
        self.text.push_str(text);
        let closed = self.gate.as_mut().map(|gate| gate.push(text)).unwrap_or_default();
        self.checked(context, closed).await
    }

    /// Says that the draft is complete; returns the segments that this closed.
    ///
    /// # Errors
    /// `INTERNAL` for a defect of ours.
    pub async fn close(&mut self, context: &Context) -> Result<Vec<CheckedSegment>, Failure> {
        let closed = self.gate.take().map(SegmentGate::finish).unwrap_or_default();
        self.checked(context, closed).await
    }

    /// Judges the whole.
    ///
    /// # Errors
    /// `INTERNAL` for a defect of ours. A peer that is down is no error: its checks are not checked.
    pub async fn finish(self, context: &Context) -> Result<Done, Failure> {
        let terms = self.judge.terms();
        let span = spans::judge(terms.query_type.as_str(), &terms.attempt);
        spans::input(&span, &self.text);
        self.report(context).instrument(span).await
    }

    async fn report(mut self, context: &Context) -> Result<Done, Failure> {
        let started = clock::now();
        let text = Arc::new(std::mem::take(&mut self.text));
        let (judge, answer) = (Arc::clone(&self.judge), Arc::clone(&text));
        let needs = self.validation.compute(move || judge.needs(&answer)).await?;
        let (code, known) = futures::join!(
            self.final_code(context, &text, &needs.blocks),
            self.look_up(context, needs.paths, needs.names)
        );
        let heard = self.hear(context, &text).await?;
        let opinions = heard.opinions;
        let (parser, facts) = (code.parser.clone(), Facts { blocks: code.blocks.clone(), known, opinions });
        let judge = Arc::clone(&self.judge);
        let judged = move |stop: &dyn Fn() -> bool| judge.judge_unless(&text, &facts, stop);
        let report = self.validation.compute_while_wanted(context, judged).await?;
        let checks = report.checks.iter().map(|check| (check.name.as_str(), check.status.as_str()));
        spans::verdict(&tracing::Span::current(), report.verdict.as_str(), checks, report.support);
        let check_ms = self.worked_ms + clock::elapsed_ms(started);
        let policy = self.judge.policy().name.clone();
        let (model_calls, prompts, trail) = (heard.model_calls, heard.prompts, heard.trail);
        Ok(Done { report, check_ms, parser, policy, model_calls, prompts, trail })
    }

    /// Asks the judge, if there is one, about the claims that the fitted models are not sure of; all at the same time
    /// and within one time.
    async fn hear(&self, context: &Context, text: &Arc<String>) -> Result<Heard, Failure> {
        let shared = &self.validation.shared;
        let Some(port) = shared.judge.clone() else { return Ok(Heard::default()) };
        let (judge, answer, most) = (Arc::clone(&self.judge), Arc::clone(text), shared.options.judge_claims);
        let open = move |stop: &dyn Fn() -> bool| judge.uncertain_unless(&answer, most, stop);
        let uncertain = self.validation.compute_while_wanted(context, open).await?;
        let context = context.capped(Duration::from_secs_f64(shared.options.judge_timeout));
        let calls = uncertain.iter().map(|claim| {
            let query = JudgeQuery { claim: claim.text.clone(), sources: self.passages(&claim.evidence) };
            let (port, context) = (&port, &context);
            async move { port.judge(context, query).await }
        });
        let said = futures::future::join_all(calls).await;
        let mut heard = Heard::default();
        for (claim, said) in uncertain.iter().zip(said) {
            let word = match said {
                Ok(judgement) => {
                    heard.model_calls += judgement.model_calls;
                    heard.trail.extend(judgement.trail);
                    for prompt in judgement.prompts {
                        if !heard.prompts.contains(&prompt) {
                            heard.prompts.push(prompt);
                        }
                    }
                    judgement.supported.ok_or(judgement.reason)
                }
                Err(failure) => {
                    tracing::warn!(target: "assay", %failure, "the judge of claims did not answer");
                    Err(failure.code.as_str().to_owned())
                }
            };
            heard.opinions.push(Opinion::of_judge(claim, word));
        }
        Ok(heard)
    }

    /// Evidence as the sources that a judge reads.
    fn passages(&self, evidence: &[Evidence]) -> Vec<Source> {
        let sources = &self.judge.terms().sources;
        let passage = |evidence: &Evidence| {
            let place = usize::try_from(evidence.source).ok()?.checked_sub(1)?;
            let source = sources.get(place)?;
            Some(Source {
                text: evidence.text.clone(),
                lines: evidence.lines,
                sha256: String::new(),
                ..source.clone()
            })
        };
        evidence.iter().filter_map(passage).collect()
    }

    /// Checks closed segments of the text so far.
    async fn checked(
        &mut self,
        context: &Context,
        closed: Vec<Segment>,
    ) -> Result<Vec<CheckedSegment>, Failure> {
        let Some(last) = closed.last() else { return Ok(Vec::new()) };
        let started = clock::now();
        let so_far = self.text.get(..last.range.end).unwrap_or(&self.text).to_owned();
        let sources = self.judge.terms().sources.len();
        // Prose adds no block, and what there was is known.
        let mut blocks = match closed.iter().any(may_hold_code) {
            true => reading::read(&so_far, sources).blocks,
            false => Vec::new(),
        };
        let known = self.code.as_ref().is_some_and(|code| code.covers(&blocks));
        if !blocks.is_empty() && !known {
            let code = match self.code.as_ref().and_then(|code| code.unavailable.as_deref()) {
                // A parser that failed this attempt once is not asked again: one failure an attempt.
                Some(reason) => Arc::new(Code::unavailable(std::mem::take(&mut blocks), reason)),
                None => self.parse(context, &so_far, std::mem::take(&mut blocks)).await,
            };
            self.code = Some(code);
        }
        let (judge, code) = (Arc::clone(&self.judge), self.code.clone());
        let mut trail = std::mem::take(&mut self.trail);
        let check = move |stop: &dyn Fn() -> bool| -> Option<(Trail, Vec<judge::CheckedSegment>)> {
            let blocks = code.as_ref().map(|code| code.blocks.as_slice()).unwrap_or_default();
            let checked = judge.segments_behind(&mut trail, &so_far, &closed, blocks, stop)?;
            Some((trail, checked))
        };
        let (trail, checked) = self.validation.compute_while_wanted(context, check).await?;
        self.trail = trail;
        self.worked_ms += clock::elapsed_ms(started);
        let segment =
            |judge::CheckedSegment { text, passed, errors }| CheckedSegment { text, passed, errors };
        Ok(checked.into_iter().map(segment).collect())
    }

    /// The code of the complete answer: as it was parsed while it was written, or parsed now.
    async fn final_code(&self, context: &Context, text: &str, blocks: &[Block]) -> Arc<Code> {
        match &self.code {
            Some(code) if code.covers(blocks) => Arc::clone(code),
            Some(code) => match &code.unavailable {
                Some(reason) => Arc::new(Code::unavailable(blocks.to_vec(), reason)),
                None => self.parse(context, text, blocks.to_vec()).await,
            },
            None => self.parse(context, text, blocks.to_vec()).await,
        }
    }

    /// Asks the parser for every block of a text, in one call; nobody is asked where there is no code.
    async fn parse(&self, context: &Context, text: &str, blocks: Vec<Block>) -> Arc<Code> {
        if blocks.is_empty() {
            return Arc::new(Code::default());
        }
        let query = CodeQuery { answer: text.to_owned(), ..self.code_query.clone() };
        let span = spans::parse(blocks.len());
        let asked = self.validation.shared.parser.parse_answer(context, query);
        let parsed = asked.instrument(span.clone()).await;
        spans::set(
            &span,
            attributes::CODE_STATUS,
            parsed.as_ref().map_or_else(said, |_| "checked".to_owned()),
        );
        Arc::new(match parsed {
            Ok(answer) => Code::of(blocks, answer),
            Err(not) => Code::unavailable(blocks, &not.reason),
        })
    }

    /// What is known of names that the evidence does not hold: the commands of the language first, then the index, in
    /// one call; the reason if it was asked and nobody answered.
    async fn look_up(
        &self,
        context: &Context,
        paths: Vec<String>,
        names: Vec<String>,
    ) -> Result<Vec<judge::Fact>, String> {
        let spoken = language::Commands::of(self.judge.terms(), &self.code_query);
        let (commands, names): (Vec<String>, Vec<String>) =
            names.into_iter().partition(|name| spoken.knows(name));
        let fact = |name| judge::Fact { name, exists: true, near: Vec::new() };
        let mut facts: Vec<judge::Fact> = commands.into_iter().map(fact).collect();
        if self.judge.sources_are_all() {
            facts.extend(names.into_iter().map(|name| {
                let near = spoken.near(&name);
                judge::Fact { name, exists: false, near }
            }));
            return Ok(facts);
        }
        for mut fact in self.ask_index(context, paths, names).await? {
            if !fact.exists && fact.near.is_empty() {
                fact.near = spoken.near(&fact.name);
            }
            facts.push(fact);
        }
        Ok(facts)
    }

    async fn ask_index(
        &self,
        context: &Context,
        paths: Vec<String>,
        names: Vec<String>,
    ) -> Result<Vec<judge::Fact>, String> {
        if paths.is_empty() && names.is_empty() {
            return Ok(Vec::new());
        }
        let query = LookupQuery { collection: self.collection.clone(), paths, names };
        let known = self.validation.shared.lookup.look_up(context, query).await.map_err(|failure| {
            tracing::warn!(target: "assay", %failure, "names of an answer could not be looked up");
            failure.code.as_str().to_owned()
        })?;
        let paths =
            known.paths.into_iter().map(|f| judge::Fact { name: f.path, exists: f.exists, near: f.near });
        let names =
            known.names.into_iter().map(|f| judge::Fact { name: f.name, exists: f.exists, near: f.near });
        Ok(paths.chain(names).collect())
    }
}
