//! Performs the effects of the graph and feeds it events; what to do next is never decided here.

use std::time::Instant;

use assay_domain::Question;
use assay_domain::answer::EventBody;
use assay_domain::draft::Generator;
use assay_domain::error::Code;
use assay_domain::evidence::{Hit, LineRange, Source, SourceKind};
use assay_domain::report::Attempt;
use assay_domain::{AuditId, Failure, QueryType};
use assay_graph::fuse::fuse;
use assay_graph::{Assessment, Effect, Event, Nth, Plan, Round, Settlement, State, What, step};
use assay_rpc::{Context, clock};
use assay_telemetry::spans::{self, Lasting};
use sha2::{Digest as _, Sha256};
use tokio_util::sync::CancellationToken;
use tracing::Instrument as _;

use crate::classify::Classifier;
use crate::draft::{Running, complete};
use crate::emit::Emitter;
use crate::options::Options;
use crate::ports::{Brief, CheckInput, CheckOrder, CheckSession, Examples, Found, Ports, SearchQuery};
use crate::trail::Trail;
use crate::{query, traces};

/// What a request is asked of and with.
#[derive(Clone, Copy)]
pub(crate) struct Asked<'a> {
    pub(crate) ports: &'a Ports,
    pub(crate) classifier: &'a Classifier,
    pub(crate) options: &'a Options,
    pub(crate) context: &'a Context,
    pub(crate) question: &'a Question,
    pub(crate) audit_id: AuditId,
    pub(crate) started: Instant,
}

/// One request on its way through the graph.
pub(crate) struct Driver<'a> {
    asked: Asked<'a>,
    gone: CancellationToken,
    emitter: &'a mut Emitter,
    trail: Trail,
    running: Option<Running>,
    sources_said: bool,
}

// === impl Asked ===

impl Asked<'_> {
    async fn find(
        self,
        round: Round,
        topic: Option<&str>,
        second: String,
    ) -> Result<(Vec<String>, Found), Failure> {
        let rewritten = query::rewrite(&self.question.text, topic);
        let (main, further) = match round {
            Round::First => (rewritten.query, rewritten.further),
            Round::Second => (second, Vec::new()),
        };
        let query = SearchQuery {
            query: main.clone(),
            further: further.clone(),
            collection: self.question.collection.clone(),
            limit: self.options.search_depth,
        };
        let found = self.ports.retriever.search(self.context, query).await?;
        Ok((vec![main], found))
    }

    async fn examples(self) -> Result<Examples, Failure> {
        let language = self.wanted_language();
        self.ports
            .retriever
            .examples(self.context, &self.question.text, &language, self.options.few_shot)
            .await
    }

    fn about_code(self) -> bool {
        self.options.code_collections.contains(&self.question.collection)
    }

    /// Language that code is asked for in: the one that the question names, else that of the collection.
    fn wanted_language(self) -> String {
        let named = query::language(&self.question.text).map(str::to_owned);
        named.unwrap_or_else(|| self.default_language())
    }

    fn default_language(self) -> String {
        if self.about_code() { self.options.code_language.clone() } else { String::new() }
    }
}

// === impl Driver ===

impl<'a> Driver<'a> {
    pub(crate) fn new(
        asked: Asked<'a>,
        gone: CancellationToken,
        emitter: &'a mut Emitter,
        trail: Trail,
    ) -> Self {
        Self { asked, gone, emitter, trail, running: None, sources_said: false }
    }

    /// Runs the request to its settlement.
    pub(crate) async fn run(mut self, plan: &Plan) -> (Settlement, Trail) {
        let mut state = State::Received;
        let mut events = std::collections::VecDeque::from([What::Start]);
        loop {
            let what = match events.pop_front() {
                Some(what) => what,
                None => self.guarded(&[]).await.pop().unwrap_or(What::Gone),
            };
            let event = Event {
                at_ms: self.asked.started.elapsed().as_millis().try_into().unwrap_or(u64::MAX),
                what,
            };
            let (next, effects) = step(plan, state, event);
            state = next;
            if let [Effect::Settle(settlement)] = effects.as_slice() {
                let settlement = *settlement;
                if let Some(mut running) = self.running.take() {
                    running.cut(&mut self.trail);
                }
                self.trail.timing.total_ms = clock::elapsed_ms(self.asked.started);
                return (settlement, self.trail);
            }
            if !effects.is_empty() {
                events.extend(self.guarded(&effects).await);
            }
        }
    }

    /// Performs effects, or goes on with the running draft if there are none, until the client goes or time is up.
    async fn guarded(&mut self, effects: &[Effect]) -> Vec<What> {
        let (gone, deadline) = (self.gone.clone(), self.asked.context.deadline());
        tokio::select! {
            biased;
            () = gone.cancelled() => vec![What::Gone],
            () = tokio::time::sleep_until(deadline.into()) => vec![What::Deadline],
            whats = self.perform(effects) => whats,
        }
    }

    async fn perform(&mut self, effects: &[Effect]) -> Vec<What> {
        match effects {
            [] => match self.running.as_mut() {
                Some(running) => {
                    let since = clock::now();
                    let what = running.next(&mut self.trail, self.emitter).await;
                    self.trail.timing.draft_ms += clock::elapsed_ms(since);
                    vec![what]
                }
                // Nothing runs and nothing is due: a defect, which must not hang.
                None => vec![What::Deadline],
            },
            [Effect::Search(round), Effect::FewShot] => {
                let since = clock::now();
                let (asked, topic) = (self.asked, self.trail.topic.as_deref());
                let (found, examples) = tokio::join!(
                    traces::retrieve(&asked.question.text, asked.find(*round, topic, String::new())),
                    traces::examples(asked.examples())
                );
                self.trail.timing.search_ms += clock::elapsed_ms(since);
                vec![self.found(*round, found), self.exampled(examples)]
            }
            effects => {
                let mut whats = Vec::new();
                for effect in effects {
                    whats.extend(self.one(*effect).await);
                }
                whats
            }
        }
    }

    async fn one(&mut self, effect: Effect) -> Option<What> {
        let since = clock::now();
        match effect {
            Effect::Classify => {
                let what = self.classify().instrument(spans::classify()).await;
                self.trail.timing.route_ms += clock::elapsed_ms(since);
                Some(what)
            }
            Effect::Search(round) => {
                let further = self.trail.queries.get(1).cloned().unwrap_or_default();
                let topic = self.trail.topic.clone();
                let find = self.asked.find(round, topic.as_deref(), further);
                let found = traces::retrieve(&self.asked.question.text, find).await;
                self.trail.timing.search_ms += clock::elapsed_ms(since);
                Some(self.found(round, found))
            }
            Effect::FewShot => {
                let examples = traces::examples(self.asked.examples()).await;
                Some(self.exampled(examples))
            }
            Effect::AssessRelevance => Some(self.judge().instrument(spans::relevance()).await),
            Effect::Reformulate => Some(self.reformulate().instrument(spans::reformulate()).await),
            Effect::Draft { draft, attempt } => self.start(draft, attempt).await,
            Effect::Interrupt => {
                if let Some(running) = &mut self.running {
                    running.cut(&mut self.trail);
                }
                None
            }
            Effect::Check { draft, attempt } => {
                let of = |running: &&Running| running.nth == draft && running.attempt == attempt;
                let live =
                    self.running.as_ref().filter(of).map(|running| tracing::Span::clone(&running.judged));
                let span = live.unwrap_or_else(|| spans::check(draft.number()));
                let what = self.check(draft, attempt).instrument(span).await;
                self.trail.timing.check_ms += clock::elapsed_ms(since);
                Some(what)
            }
            Effect::Retract(_) => {
                self.emitter.retract().await;
                None
            }
            Effect::Settle(_) => None,
        }
    }

    // --- routing and evidence ---

    async fn classify(&mut self) -> What {
        let asked = self.asked.classifier.classify(
            self.asked.context,
            &self.asked.question.text,
            self.asked.question.declared_type,
            &self.trail.session.history,
            true,
        );
        let classified = match asked.await {
            Ok(classified) => classified,
            Err(failure) => {
                // Only a broken program gets here; documentation is the safe reading of any question.
                tracing::error!(%failure, "classification failed");
                self.trail.errors.push(failure.code.to_string());
                return What::Routed(QueryType::Retrieval);
            }
        };
        if classified.ignored {
            self.trail.warn("the declared type PLATFORM was ignored: it needs the role `platform`");
        }
        if classified.unembedded {
            self.trail.warn("embeddings were not available: the type was decided from the words alone");
        }
        self.trail.model_calls += classified.model_calls;
        self.trail.topic = classified.topic;
        let route = classified.route;
        self.trail.route = Some(route.clone());
        let query_type = route.query_type;
        traces::routed(&route);
        self.emitter.emit(EventBody::Routed { route, audit_id: self.asked.audit_id }).await;
        What::Routed(query_type)
    }

    fn found(&mut self, round: Round, found: Result<(Vec<String>, Found), Failure>) -> What {
        let (queries, found) = match found {
            Ok(found) => found,
            Err(failure) => {
                tracing::warn!(%failure, "search failed");
                self.trail.errors.push(failure.code.to_string());
                let code =
                    if failure.code == Code::Unavailable { Code::SearchUnavailable } else { failure.code };
                self.trail.failure = Some(Failure { code, ..failure });
                return What::SearchFailed(code);
            }
        };
        for query in queries {
            if !self.trail.queries.contains(&query) {
                self.trail.queries.push(query);
            }
        }
        for leg in &found.degraded {
            self.trail.warn(format!("a leg of the search was not available: {leg}"));
        }
        self.trail.hits = match round {
            Round::First => found.hits,
            Round::Second => fuse(&self.trail.hits, &found.hits, self.asked.options.search_depth as usize),
        };
        self.trail.index_manifest = found.index_manifest;
        What::Found { hits: self.trail.hits.len().try_into().unwrap_or(u32::MAX), relevant: None }
    }

    fn exampled(&mut self, examples: Result<Examples, Failure>) -> What {
        let degraded = match examples {
            Ok(examples) => {
                self.trail.examples = examples.sources;
                examples.degraded
            }
            Err(failure) => {
                tracing::debug!(%failure, "no examples");
                true
            }
        };
        if degraded {
            self.trail.warn("few_shot_injection: degraded");
        }
        What::Examples
    }

    async fn judge(&mut self) -> What {
        let sources: Vec<Source> = self.trail.hits.iter().map(|hit| hit.source.clone()).collect();
        let judged = self
            .asked
            .ports
            .validator
            .relevance(self.asked.context, &self.asked.question.text, sources)
            .await;
        traces::judged(&judged);
        let relevant = match judged {
            Ok(relevance) => {
                self.trail.relevance = Some(relevance.probability);
                Some(relevance.relevant)
            }
            Err(failure) => {
                tracing::debug!(%failure, "relevance was not judged");
                None
            }
        };
        if self.trail.relevant_first.is_none() {
            self.trail.relevant_first = relevant;
        }
        self.trail.relevant = relevant;
        What::Judged(relevant)
    }

    async fn reformulate(&mut self) -> What {
        if self.trail.relevant_first.is_none() {
            self.trail.relevant_first = Some(false);
            self.trail.relevant = Some(false);
        }
        let question = &self.asked.question.text;
        let topic = self.trail.topic.clone().unwrap_or_default();
        let asked = self
            .asked
            .ports
            .generator
            .reformulate(self.asked.context, question, &query::hint(question), &topic)
            .await;
        let mut text = String::new();
        if let Ok(reformulated) = asked {
            self.trail.model_calls += reformulated.model_calls;
            self.trail.used_prompts(reformulated.prompts);
            self.trail.provider_trail.extend(reformulated.provider_trail);
            text = reformulated.query.trim().chars().take(1_000).collect();
        }
        if text.is_empty() {
            text = query::broaden(question, self.trail.topic.as_deref());
        }
        self.trail.queries.truncate(1);
        self.trail.queries.push(text);
        What::Reformulated
    }

    // --- drafts and checks ---

    async fn start(&mut self, nth: Nth, attempt: Attempt) -> Option<What> {
        // A draft and its check run side by side, each until its own end.
        let (span, judged) = (spans::draft(nth.number()), spans::check(nth.number()));
        let since = clock::now();
        if nth == Nth::First {
            self.gather_sources();
        }
        self.emitter.attempt(nth.number());
        if !self.sources_said {
            self.sources_said = true;
            self.emitter.emit(EventBody::Sources(self.trail.sources.clone())).await;
        }
        let order = self.order(attempt);
        let brief = self.brief(nth, attempt);
        let (writer, check) = tokio::join!(
            self.asked.ports.generator.draft(self.asked.context, brief).instrument(span.clone()),
            self.asked.ports.validator.check(self.asked.context, order).instrument(judged.clone())
        );
        self.trail.draft_mut(nth);
        let check = check.inspect_err(|failure| tracing::warn!(%failure, "the checks could not start")).ok();
        self.trail.timing.draft_ms += clock::elapsed_ms(since);
        match writer {
            Ok(writer) => {
                let writer = Some(writer);
                self.running = Some(Running {
                    nth,
                    attempt,
                    writer,
                    check,
                    asked: None,
                    span: Lasting::new(span),
                    judged: Lasting::new(judged),
                });
                None
            }
            Err(failure) => {
                spans::failed(&span, failure.code.as_str());
                self.trail.errors.push(failure.code.to_string());
                let code = if failure.code == Code::Unavailable {
                    Code::GenerationUnavailable
                } else {
                    failure.code
                };
                self.trail.failure = Some(Failure { code, ..failure });
                Some(What::DraftFailed(code))
            }
        }
    }

    async fn check(&mut self, nth: Nth, attempt: Attempt) -> What {
        let live = self.running.take().filter(|running| running.nth == nth && running.attempt == attempt);
        let (session, again) = match live {
            Some(Running { check: Some(session), .. }) => (Some(session), false),
            Some(Running { check: None, .. }) => (None, false),
            None => (self.reopen(nth, attempt).await, true),
        };
        let Some(session) = session else { return self.not_checked(nth, again) };
        let attempted = self.trail.draft_mut(nth);
        if again {
            attempted.segments.clear();
        }
        let emitter = if again { None } else { Some(&mut *self.emitter) };
        let Some(mut result) = complete(session, attempted, emitter).await else {
            return self.not_checked(nth, again);
        };
        result.report.lower();
        if attempted.draft.as_ref().is_some_and(|draft| draft.generator == Generator::Fixed) {
            result.report.lower_fixed();
        }
        traces::checked(&result);
        let assessment = Assessment::of(&result.report);
        attempted.first_verdict.get_or_insert(result.report.verdict);
        self.trail.check_ms += result.check_ms;
        self.trail.model_calls += result.model_calls;
        self.trail.used_prompts(result.prompts.clone());
        self.trail.provider_trail.extend(result.provider_trail.iter().cloned());
        if !result.parser_version.is_empty() {
            self.trail.parser_version.clone_from(&result.parser_version);
        }
        if self.trail.relevance.is_none() {
            self.trail.relevance = result.report.context_relevance;
        }
        self.trail.draft_mut(nth).result = Some(result);
        What::Checked(assessment)
    }

    /// Checks a finished draft once more, judged as something else.
    async fn reopen(&mut self, nth: Nth, attempt: Attempt) -> Option<CheckSession> {
        let (asked, order) = (self.asked, self.order(attempt));
        let text = self.trail.draft(nth)?.text.clone();
        let session = asked.ports.validator.check(asked.context, order).await.ok()?;
        session.input.send(CheckInput::Text(text)).ok()?;
        Some(session)
    }

    fn not_checked(&mut self, nth: Nth, again: bool) -> What {
        if !again {
            self.trail.draft_mut(nth).result = None;
        }
        self.trail.errors.push(Code::ValidationUnavailable.to_string());
        self.trail.warn("validation was not available: nothing in this answer was checked");
        What::CheckFailed
    }

    fn order(&self, attempt: Attempt) -> CheckOrder {
        let query_type = self.trail.query_type().unwrap_or(QueryType::Retrieval);
        let code = query_type == QueryType::CodeGeneration;
        CheckOrder {
            question: self.asked.question.text.clone(),
            query_type,
            mode: self.asked.question.mode,
            attempt,
            sources: self.trail.plain_sources(),
            extra_context: self.asked.question.extra_context.clone(),
            collection: self.asked.question.collection.clone(),
            sources_only: !query_type.searches(),
            default_language: self.asked.default_language(),
            wanted_language: if code { self.asked.wanted_language() } else { String::new() },
            profile: self.asked.options.profile.clone(),
            context_relevance: self.trail.relevance,
        }
    }

    fn brief(&self, nth: Nth, attempt: Attempt) -> Brief {
        let query_type = self.trail.query_type().unwrap_or(QueryType::Retrieval);
        let rejected = (nth == Nth::Second).then(|| self.trail.draft(Nth::First)).flatten();
        let remembers = query_type == QueryType::Conversational;
        Brief {
            question: self.asked.question.clone(),
            query_type,
            sources: self.trail.plain_sources(),
            examples: self.trail.examples.clone(),
            turns: if remembers { self.trail.session.turns.clone() } else { Vec::new() },
            attempt,
            rejected_draft: rejected.map(|first| first.text.clone()).unwrap_or_default(),
            retry_prompt: rejected
                .and_then(|first| first.result.as_ref())
                .map(|result| result.report.retry_prompt.clone())
                .unwrap_or_default(),
            context_relevant: self.trail.relevant,
        }
    }

    /// Sources in marker order: what was found, or what the previous answer stood on, then the caller's editor.
    fn gather_sources(&mut self) {
        let plain = |source| Hit { source, score: 0.0, bm25: None, knn: None };
        self.trail.sources = match self.trail.query_type() {
            Some(QueryType::Retrieval | QueryType::CodeGeneration) => {
                let editor = editor_sources(self.asked.question);
                self.trail.hits.iter().cloned().chain(editor.into_iter().map(plain)).collect()
            }
            Some(QueryType::Conversational) => {
                let last = self.trail.session.turns.last();
                last.map(|turn| turn.sources.iter().cloned().map(plain).collect()).unwrap_or_default()
            }
            _ => Vec::new(),
        };
    }
}

/// The caller's selection and editor as citable sources, with the editor's own line numbers.
fn editor_sources(question: &Question) -> Vec<Source> {
    let mut sources = Vec::new();
    let (editor, selected) = (&question.editor_content, &question.selected_text);
    if !selected.trim().is_empty() {
        let before = editor.find(selected.as_str()).map_or("", |at| &editor[..at]);
        let first = u32::try_from(before.matches('\n').count()).unwrap_or(0).saturating_add(1);
        sources.push(Source::given("editor:selection", SourceKind::Editor, selected.clone(), first));
    }
    if !editor.trim().is_empty() {
        sources.push(Source::given("editor", SourceKind::Editor, editor.clone(), 1));
    }
    for source in &mut sources {
        source.path = "editor".into();
        source.title = "editor".into();
        source.sha256 = hex::encode(Sha256::digest(source.text.as_bytes()));
        debug_assert!(LineRange::is_well_formed(source.lines));
    }
    sources
}
