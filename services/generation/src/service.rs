//! The use case: drafts and completions over chains of providers, with limits, failover before the first token, and
//! everything that the record needs to know.

use std::sync::Arc;
use std::time::Duration;

use assay_domain::draft::{Finish, Generator, PromptId, ProviderCall, Spent};
use assay_domain::question::QueryType;
use assay_domain::{Code, Draft, Failure, Source};
use assay_telemetry::names::metrics as names;
use assay_telemetry::{content, spans};
use futures::channel::mpsc;
use futures::{SinkExt as _, Stream, StreamExt as _};
use tracing::Instrument as _;

use crate::determinism;
use crate::error::ProviderError;
use crate::filter::Filter;
use crate::fit::fit;
use crate::limits;
use crate::ports::{Chunk, Clock, DraftRequest, End, Job, Prompt, Provider, Shape};
use crate::prompts;
use assay_extractive as extractive;

/// Providers that are asked in turn.
pub type Chain = Vec<Arc<dyn Provider>>;

/// A part of a drafted answer.
#[derive(Debug, Clone, PartialEq)]
pub enum DraftEvent {
    /// Text to append.
    Delta(String),
    /// The finished draft; nothing follows.
    Done(Box<Draft>),
    /// What was spent on a draft that cannot be made; a failure follows.
    Spent(Box<Spent>),
}

/// Limits of one call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CallLimits {
    /// Estimated tokens of a prompt.
    pub prompt_tokens: u32,
    /// Tokens of a completion.
    pub completion_tokens: u32,
    /// Bytes of all sources together.
    pub source_bytes: usize,
    /// Time of one provider call.
    pub call: Duration,
}

/// Chains of the slots.
#[derive(Clone)]
pub struct Chains {
    /// Documentation and code.
    pub main: Chain,
    /// Conversation and account questions.
    pub conversational: Chain,
    /// Layer 3 of the routing.
    pub classify: Chain,
    /// Query rewriting.
    pub reformulate: Chain,
    /// Claims that the checks are not sure of.
    pub judge: Chain,
}

/// Writes drafts and short completions.
#[derive(Clone)]
pub struct Generation {
    chains: Chains,
    limits: CallLimits,
    clock: Arc<dyn Clock>,
}

impl std::fmt::Debug for Generation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Generation").field("limits", &self.limits).finish_non_exhaustive()
    }
}

/// A short completion.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Completion {
    /// The text; what it means depends on the call.
    pub text: String,
    /// Why there is no text.
    pub reason: String,
    /// Calls of a language model spent.
    pub model_calls: u32,
    /// Prompts used.
    pub prompts: Vec<PromptId>,
    /// Providers tried.
    pub trail: Vec<ProviderCall>,
}

/// What a judge said of some claims.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judged {
    /// The label of each claim, or why there is none.
    pub labels: Vec<Result<String, String>>,
    /// Whether no language model is configured.
    pub no_model: bool,
    /// The call and what it cost.
    pub done: Completion,
}

/// Which providers fill the slots.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Description {
    /// Main slot.
    pub main: String,
    /// Conversational slot.
    pub conversational: String,
    /// Every template.
    pub prompts: Vec<PromptId>,
    /// Whether any slot holds a language model.
    pub has_model: bool,
}

/// What a judge may say of a claim.
pub const JUDGEMENTS: [&str; 3] = ["SUPPORTED", "UNSUPPORTED", "UNSURE"];
/// Most tokens of a query or a label.
const SHORT_COMPLETION: u32 = 96;
/// Longest rewritten query, in characters.
const QUERY_CHARS: usize = 300;

// === impl Generation ===

impl Generation {
    /// A service over these chains; each holds at least one provider.
    #[must_use]
    pub fn new(chains: Chains, limits: CallLimits, clock: Arc<dyn Clock>) -> Self {
        Self { chains, limits, clock }
    }

    fn chain(&self, query_type: QueryType) -> &Chain {
        match query_type {
            QueryType::Retrieval | QueryType::CodeGeneration => &self.chains.main,
            QueryType::Conversational | QueryType::Platform => &self.chains.conversational,
        }
    }

    /// `provider:model` that is asked first for this type of question; none if that is no language model.
    #[must_use]
    pub fn model(&self, query_type: QueryType) -> Option<&str> {
        self.chain(query_type).first().filter(|provider| provider.is_model()).map(|provider| provider.model())
    }

    /// Drafts an answer. The stream gives pieces of text and ends with the finished draft or with a failure; dropping
    /// it stops the provider. `budget` is the time the caller still has.
    pub fn draft(
        &self,
        request: DraftRequest,
        budget: Duration,
    ) -> impl Stream<Item = Result<DraftEvent, Failure>> + Send + use<> {
        let (sender, events) = mpsc::channel(1);
        let service = self.clone();
        // The work runs inside the stream, not in a task of its own: who drops the stream drops the work.
        let work = async move {
            let mut sender = sender;
            if let Err(failure) = service.write(request, budget, &mut sender).await {
                let _ = sender.send(Err(failure)).await;
            }
        };
        let work = futures::stream::once(work).filter_map(|()| std::future::ready(None));
        futures::stream::select(events, work)
    }

    async fn write(
        &self,
        request: DraftRequest,
        budget: Duration,
        events: &mut Events,
    ) -> Result<(), Failure> {
        let chain = self.chain(request.query_type);
        let asks_model = chain.iter().any(|provider| provider.is_model());
        let fitted = fit(request, self.limits.source_bytes, asks_model.then_some(self.limits.prompt_tokens))?;
        let (request, prompt) = (&fitted.request, fitted.prompt);
        let seed = determinism::seed(&request.question, &determinism::fingerprint(request.citable()));
        let mut attempt = Attempt::new(self, budget);
        let mut warnings = fitted.warnings;
        warnings.extend(prompts::warnings(request));
        let mut output = Output::new(Some(events));
        let job = Job {
            prompt: &prompt,
            request: Some(request),
            shape: Shape::Text,
            completion_tokens: self.limits.completion_tokens,
            context_tokens: self.limits.prompt_tokens.saturating_add(self.limits.completion_tokens),
            seed,
            within: self.limits.call,
        };
        let (provider, end) = match attempt.run(chain, job, &mut output).await {
            Ok(done) => done,
            Err(failure) => {
                let prompts = if attempt.model_calls > 0 { vec![prompt.id.clone()] } else { Vec::new() };
                let spent =
                    Spent { model_calls: attempt.model_calls, prompts, provider_trail: attempt.trail };
                let _ = events.send(Ok(DraftEvent::Spent(Box::new(spent)))).await;
                return Err(failure);
            }
        };
        if !output.close().await {
            return Ok(());
        }
        let (mut text, abstained) = (output.text, output.filter.abstained());
        let model = provider.is_model();
        let mut finish = end.finish;
        if model && finish == Finish::Length {
            let limit = self.limits.completion_tokens;
            warnings.push(format!("the answer was cut at max_completion_tokens = {limit}"));
        }
        if model && abstained {
            finish = Finish::Abstained;
        }
        if text.trim().is_empty() {
            let why = if abstained {
                None
            } else {
                Some(ProviderError::Protocol("the model returned no text".to_owned()))
            };
            match why {
                Some(error) => return Err(error.into_failure(provider.model())),
                None => text.clear(),
            }
        }
        let draft = Draft {
            text,
            generator: if model { Generator::Model } else { end.generator },
            model: provider.model().to_owned(),
            finish,
            prompts: if model { vec![prompt.id.clone()] } else { Vec::new() },
            provider_trail: attempt.trail,
            model_calls: attempt.model_calls,
            temperature: model.then_some(0.0),
            seed: (model && provider.takes_seed()).then_some(seed),
            prompt_tokens: end.prompt_tokens,
            completion_tokens: end.completion_tokens,
            warnings,
        };
        let _ = events.send(Ok(DraftEvent::Done(Box::new(draft)))).await;
        Ok(())
    }

    /// Rewrites a question as a search query: with the model of its slot, or locally when there is none or it fails.
    /// `hint` is used as it is.
    pub async fn reformulate(
        &self,
        question: &str,
        hint: &str,
        referred_topic: &str,
        budget: Duration,
    ) -> Completion {
        let prompt = prompts::reformulate(question, hint, referred_topic);
        let mut done = self.complete(&self.chains.reformulate, &prompt, Shape::Query(question), budget).await;
        let query: String = done
            .text
            .lines()
            .map(|line| line.trim().trim_matches(['"', '`', '\'']).trim())
            .find(|line| !line.is_empty())
            .unwrap_or_default()
            .chars()
            .take(QUERY_CHARS)
            .collect();
        let topic = format!("{question} {referred_topic}");
        done.text = if query.is_empty() { extractive::reformulate(topic.trim()) } else { query };
        done
    }

    /// Classifies with the model of its slot: the label, or an empty text and the reason. Never fails.
    pub async fn classify(&self, prompt: &str, labels: &[String], budget: Duration) -> Completion {
        let prompt = prompts::classify(prompt, labels);
        let mut done = self.complete(&self.chains.classify, &prompt, Shape::OneOf(labels), budget).await;
        if done.reason.is_empty() {
            match label_in(&done.text, labels) {
                Some(label) => done.text = label,
                None => {
                    done.reason = "the model's reply names none of the labels".to_owned();
                    done.text.clear();
                }
            }
        }
        done
    }

    /// Asks the model of its slot whether sources state claims, in one call: of each one of [`JUDGEMENTS`], or the reason
    /// why there is none. Never fails; without a model there is no judgement.
    pub async fn judge(&self, claims: &[String], sources: &[Source], budget: Duration) -> Judged {
        let chain = &self.chains.judge;
        let refused = |reason: &str, no_model| Judged {
            labels: vec![Err(reason.to_owned()); claims.len()],
            no_model,
            done: Completion { reason: reason.to_owned(), ..Completion::default() },
        };
        if chain.iter().all(|provider| !provider.is_model()) {
            return refused("no language model is configured", true);
        }
        if let Err(failure) = limits::check_sources(sources, self.limits.source_bytes) {
            return refused(&failure.message, false);
        }
        let labels = JUDGEMENTS.map(str::to_owned);
        let prompt = prompts::judge(claims, sources, &labels);
        let shape = if claims.len() == 1 { Shape::OneOf(&labels) } else { Shape::Text };
        let done = self.complete(chain, &prompt, shape, budget).await;
        let none = match done.reason.as_str() {
            "" => "the model's reply names none of the labels",
            reason => reason,
        };
        let said = match claims.len() {
            1 => vec![label_in(&done.text, &labels)],
            count => labels_in(&done.text, &labels, count),
        };
        let labels = said.into_iter().map(|label| label.ok_or_else(|| none.to_owned())).collect();
        Judged { labels, no_model: false, done }
    }

    async fn complete(
        &self,
        chain: &Chain,
        prompt: &Prompt,
        shape: Shape<'_>,
        budget: Duration,
    ) -> Completion {
        let mut attempt = Attempt::new(self, budget);
        let mut output = Output::new(None);
        let local = chain.iter().all(|provider| !provider.is_model());
        let fits = if local { Ok(()) } else { limits::check_prompt(prompt, self.limits.prompt_tokens) };
        // Of several things a line each.
        let wanted = if shape == Shape::Text { 4 * SHORT_COMPLETION } else { SHORT_COMPLETION };
        let result = match fits {
            Ok(()) => {
                let job = Job {
                    prompt,
                    request: None,
                    shape,
                    completion_tokens: wanted.min(self.limits.completion_tokens),
                    context_tokens: self.limits.prompt_tokens.saturating_add(self.limits.completion_tokens),
                    seed: determinism::seed(&prompt.user, &determinism::fingerprint(&[])),
                    within: self.limits.call,
                };
                attempt.run(chain, job, &mut output).await.map(drop)
            }
            Err(failure) => Err(failure),
        };
        output.close().await;
        let mut text = output.text;
        let reason = match &result {
            Ok(()) => String::new(),
            Err(failure) => {
                text.clear();
                failure.message.clone()
            }
        };
        let prompts = if attempt.model_calls > 0 { vec![prompt.id.clone()] } else { Vec::new() };
        Completion { text, reason, model_calls: attempt.model_calls, prompts, trail: attempt.trail }
    }

    /// Which providers fill the slots.
    #[must_use]
    pub fn describe(&self) -> Description {
        let name =
            |chain: &Chain| chain.first().map(|provider| provider.model().to_owned()).unwrap_or_default();
        let chains = [
            &self.chains.main,
            &self.chains.conversational,
            &self.chains.classify,
            &self.chains.reformulate,
            &self.chains.judge,
        ];
        Description {
            main: name(&self.chains.main),
            conversational: name(&self.chains.conversational),
            prompts: prompts::ALL.iter().map(prompts::Template::prompt_id).collect(),
            has_model: chains.iter().any(|chain| chain.iter().any(|provider| provider.is_model())),
        }
    }

    /// Loads every model once. What fails is logged: the first request then says it again.
    pub async fn warm(&self) {
        let mut seen = std::collections::BTreeSet::new();
        for provider in
            [&self.chains.main, &self.chains.conversational].into_iter().filter_map(|chain| chain.first())
        {
            if !seen.insert(provider.model().to_owned()) {
                continue;
            }
            match provider.warm().await {
                Ok(()) => tracing::info!(target: "assay", model = provider.model(), "model is ready"),
                Err(error) => {
                    tracing::warn!(target: "assay", model = provider.model(), error = error.logged(), "model could not be loaded")
                }
            }
        }
    }
}

type Events = mpsc::Sender<Result<DraftEvent, Failure>>;

/// Where the text of an attempt goes.
struct Output<'e> {
    text: String,
    /// What the running call wrote, unfiltered; kept only where its span may show it.
    raw: String,
    filter: Filter,
    events: Option<&'e mut Events>,
}

impl<'e> Output<'e> {
    fn new(events: Option<&'e mut Events>) -> Self {
        Self { text: String::new(), raw: String::new(), filter: Filter::new(), events }
    }

    /// Takes a piece; false when nobody listens any more.
    async fn take(&mut self, piece: String, model: bool) -> bool {
        if content::enabled() {
            self.raw.push_str(&piece);
        }
        let shown = if model { self.filter.push(&piece) } else { piece };
        self.show(shown).await
    }

    /// Gives what was held back; false when nobody listens any more.
    async fn close(&mut self) -> bool {
        let rest = self.filter.finish();
        self.show(rest).await
    }

    async fn show(&mut self, shown: String) -> bool {
        if shown.is_empty() {
            return true;
        }
        self.text.push_str(&shown);
        match self.events.as_mut() {
            Some(events) => events.send(Ok(DraftEvent::Delta(shown))).await.is_ok(),
            None => true,
        }
    }
}

/// One walk along a chain.
struct Attempt<'a> {
    service: &'a Generation,
    /// Time on the clock after which the caller no longer waits.
    deadline_ms: u64,
    trail: Vec<ProviderCall>,
    model_calls: u32,
}

impl<'a> Attempt<'a> {
    fn new(service: &'a Generation, budget: Duration) -> Self {
        let deadline_ms = service.clock.now_ms().saturating_add(millis(budget));
        Self { service, deadline_ms, trail: Vec::new(), model_calls: 0 }
    }

    /// Asks the providers in turn until one ends well. Text goes to `take`, which says whether anybody still listens.
    async fn run<'c>(
        &mut self,
        chain: &'c Chain,
        job: Job<'_>,
        output: &mut Output<'_>,
    ) -> Result<(&'c Arc<dyn Provider>, End), Failure> {
        let mut last = Failure::new(Code::GenerationUnavailable, "no provider is configured").field("main");
        for provider in chain {
            let start = self.service.clock.now_ms();
            self.model_calls += u32::from(provider.is_model());
            let mut begun = false;
            let span = span_of(provider.as_ref(), job);
            output.raw.clear();
            let result = self.call(provider, job, &mut begun, output).instrument(span.clone()).await;
            let elapsed_ms = self.service.clock.now_ms().saturating_sub(start);
            span.in_scope(|| ended(provider.as_ref(), &span, &result, &output.raw, elapsed_ms));
            self.trail.extend(result.as_ref().ok().and_then(|end| end.reranked.clone()));
            let outcome = result.as_ref().map_or_else(ProviderError::label, |_| "ok".to_owned());
            self.trail.push(ProviderCall { model: provider.model().to_owned(), outcome, elapsed_ms });
            match result {
                Ok(end) => return Ok((provider, end)),
                Err(error) => {
                    tracing::warn!(target: "assay", model = provider.model(), error = error.logged(), "a provider failed");
                    let next = error.fails_over() && !begun;
                    last = self.failure(error, provider.model());
                    if !next {
                        break;
                    }
                }
            }
        }
        Err(last)
    }

    /// A time-out that came from the caller's own deadline blames no setting of ours.
    fn failure(&self, error: ProviderError, model: &str) -> Failure {
        let expired = self.service.clock.now_ms() >= self.deadline_ms;
        match error {
            ProviderError::Timeout(_) if expired => Failure::new(
                Code::DeadlineExceeded,
                format!("the request ran out of time while {model} was writing"),
            ),
            error => error.into_failure(model),
        }
    }

    async fn call(
        &self,
        provider: &Arc<dyn Provider>,
        job: Job<'_>,
        begun: &mut bool,
        output: &mut Output<'_>,
    ) -> Result<End, ProviderError> {
        let now = self.service.clock.now_ms();
        let limit = self.service.limits.call.min(Duration::from_millis(self.deadline_ms.saturating_sub(now)));
        let late = || ProviderError::Timeout(millis(limit));
        if limit.is_zero() {
            return Err(late());
        }
        let model = provider.is_model();
        let work = async {
            let mut stream = provider.stream(Job { within: limit, ..job }).await?;
            let mut bytes = 0usize;
            // A server that ignores its completion limit is stopped at sixteen bytes a token.
            let most = (job.completion_tokens as usize).saturating_mul(16);
            while let Some(chunk) = stream.next().await {
                match chunk? {
                    Chunk::Text(piece) => {
                        *begun = true;
                        bytes += piece.len();
                        if !output.take(piece, model).await {
                            return Err(ProviderError::Cut);
                        }
                        if model && bytes > most {
                            return Ok(End {
                                generator: Generator::Model,
                                finish: Finish::Length,
                                prompt_tokens: None,
                                completion_tokens: None,
                                reranked: None,
                            });
                        }
                    }
                    Chunk::End(end) => return Ok(end),
                }
            }
            Err(ProviderError::Cut)
        };
        tokio::time::timeout(limit, work).await.map_err(|_| late())?
    }
}

/// The span of a call: a model's, or that of composing without one.
fn span_of(provider: &dyn Provider, job: Job<'_>) -> tracing::Span {
    if !provider.is_model() {
        return spans::extract(&job.prompt.id.id);
    }
    let (service, model) = provider.model().split_once(':').unwrap_or(("", provider.model()));
    let span = spans::chat(&spans::Call {
        provider: service,
        model,
        prompt: &job.prompt.id.id,
        max_tokens: job.completion_tokens,
        temperature: 0.0,
        seed: provider.takes_seed().then_some(job.seed),
    });
    spans::asked(&span, &[("system", &job.prompt.system), ("user", &job.prompt.user)]);
    span
}

/// Puts on a span, and counts, how its call ended.
fn ended(
    provider: &dyn Provider,
    span: &tracing::Span,
    result: &Result<End, ProviderError>,
    written: &str,
    elapsed_ms: u64,
) {
    if !provider.is_model() {
        return spans::output(span, written);
    }
    let model = provider.model().to_owned();
    let outcome = result.as_ref().map_or_else(ProviderError::label, |_| "ok".to_owned());
    #[allow(clippy::cast_precision_loss, reason = "milliseconds of a call fit")]
    let seconds = elapsed_ms as f64 / 1000.0;
    metrics::histogram!(names::MODEL_CALL_SECONDS, "model" => model.clone()).record(seconds);
    metrics::counter!(names::MODEL_CALLS_TOTAL, "model" => model.clone(), "outcome" => outcome.clone())
        .increment(1);
    match result {
        Ok(end) => {
            spans::answered(span, written);
            spans::used(
                span,
                end.prompt_tokens.map(u64::from),
                end.completion_tokens.map(u64::from),
                reason(end.finish),
            );
            for (direction, tokens) in [("input", end.prompt_tokens), ("output", end.completion_tokens)] {
                let counter = metrics::counter!(names::MODEL_TOKENS_TOTAL, "model" => model.clone(), "direction" => direction);
                counter.increment(tokens.map_or(0, u64::from));
            }
        }
        Err(_) => spans::failed(span, &outcome),
    }
}

/// Why a model stopped, as the GenAI conventions name it.
fn reason(finish: Finish) -> &'static str {
    match finish {
        Finish::Length => "length",
        Finish::Stop | Finish::Abstained => "stop",
    }
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

/// The label of each of so many claims out of lines such as `2: SUPPORTED`; none for a claim with no line, or with two that
/// differ.
fn labels_in(reply: &str, labels: &[String], count: usize) -> Vec<Option<String>> {
    let mut found: Vec<Vec<String>> = vec![Vec::new(); count];
    for line in reply.lines() {
        let line = line.trim_start_matches(|c: char| !c.is_ascii_digit());
        let digits = line.len() - line.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let number = line[..digits].parse::<usize>().ok().and_then(|number| number.checked_sub(1));
        let place = number.and_then(|number| found.get_mut(number));
        if let (Some(own), Some(label)) = (place, label_in(&line[digits..], labels)) {
            own.push(label);
        }
    }
    let one = |mut own: Vec<String>| {
        own.dedup();
        if own.len() == 1 { own.pop() } else { None }
    };
    found.into_iter().map(one).collect()
}

/// The label that a reply names: as JSON, as the whole reply, or as the only label in it.
fn label_in(reply: &str, labels: &[String]) -> Option<String> {
    let said = serde_json::from_str::<serde_json::Value>(reply.trim())
        .ok()
        .and_then(|value| value.get("label").and_then(|label| label.as_str().map(str::to_owned)))
        .unwrap_or_else(|| reply.to_owned());
    let bare = said.trim().trim_matches(|c: char| !c.is_alphanumeric()).to_uppercase();
    if let Some(label) = labels.iter().find(|label| label.to_uppercase() == bare) {
        return Some(label.clone());
    }
    let upper = said.to_uppercase();
    let words: Vec<&str> = upper.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
    let mut named = labels.iter().filter(|label| words.contains(&label.to_uppercase().as_str()));
    let first = named.next()?;
    named.next().is_none().then(|| first.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_claim_has_the_label_of_its_own_line() {
        let labels = JUDGEMENTS.map(str::to_owned);
        let reply = "Sure:\n1: SUPPORTED\n- 2) unsupported.\n3: SUPPORTED or UNSURE\n5: SUPPORTED\n4: UNSURE\n4: SUPPORTED\n";
        let said = labels_in(reply, &labels, 4);
        assert_eq!(said, [Some("SUPPORTED".into()), Some("UNSUPPORTED".into()), None, None]);
    }

    #[test]
    fn label_is_read_from_json_word_or_sentence() {
        let labels: Vec<String> = QueryType::ALL.iter().map(ToString::to_string).collect();
        for (reply, label) in [
            (r#"{"label": "PLATFORM"}"#, Some("PLATFORM")),
            (" retrieval.\n", Some("RETRIEVAL")),
            ("The label is CODE_GENERATION", Some("CODE_GENERATION")),
            ("RETRIEVAL or PLATFORM", None),
            ("no idea", None),
        ] {
            assert_eq!(label_in(reply, &labels).as_deref(), label, "{reply}");
        }
    }
}
