//! The check of a request: takes text, passes checked segments on, and judges the whole.
//!
//! What must come from outside is asked of the ports here and nowhere else: code of the parser, names of the index,
//! open claims of the reader.

use std::sync::Arc;

use assay_domain::draft::Spent;
use assay_domain::report::Attempt;
use assay_domain::{Block, CheckResult, CheckedSegment, Failure, Relevance, Terms};
use assay_grounding::{
    Facts, Judge, Policy, ResumePoint, Scorer, Scores, Segment, Segmenter, judge, reading, reading::Parsed,
};
use assay_reader::{Kind, Once, Reader as _};
use assay_rpc::{Context, clock};
use assay_telemetry::names::attributes;
use assay_telemetry::spans;
use tracing::Instrument as _;

use crate::code::Code;
use crate::commands::Commands;
use crate::error::Error;
use crate::limits::damaged;
use crate::open_checks::OpenCheck;
use crate::ports::{CodeQuery, LookupQuery, NotParsed};
use crate::scoring;
use crate::service::Shared;

/// The check of the drafts of one request, one after the other. Dropping it ends it.
#[derive(Debug)]
pub struct CheckRun {
    shared: Arc<Shared>,
    room: OpenCheck,
    judge: Arc<Judge>,
    /// Relevance from which sources can answer.
    bar: f64,
    /// What the parser is asked, but for the answer.
    code_query: CodeQuery,
    text: String,
    /// Cuts the text into segments, if they are wanted.
    gate: Option<Segmenter>,
    /// From where the draft is read for its next segment.
    resume: ResumePoint,
    /// What is known of the code so far.
    code: Option<Arc<Code>>,
    /// The reader of this request.
    reader: Once,
    /// What it said of the claims so far.
    scores: Scores,
    worked_ms: f64,
}

// === impl CheckRun ===

impl CheckRun {
    /// Opens the check of terms that keep the limits.
    pub(crate) async fn open(
        shared: Arc<Shared>,
        room: OpenCheck,
        policy: Policy,
        bar: f64,
        terms: Terms,
    ) -> Result<Self, Failure> {
        let started = clock::now();
        let code_query = CodeQuery {
            answer: String::new(),
            default_language: terms.default_language.clone(),
            wanted_language: terms.wanted_language.clone(),
        };
        let gate = terms.segments.then(Segmenter::new);
        let reader = Once::new(Arc::clone(&shared.reader));
        let scorer =
            (shared.options.reader.kind != Kind::None).then(|| Scorer::new(reader.identity().clone()));
        let read = move || {
            let damaged = damaged(&terms.sources);
            Judge::new(terms, policy).without(damaged).asking(scorer)
        };
        let judge = shared.slots.compute(read).await?;
        Ok(Self {
            shared,
            room,
            judge: Arc::new(judge),
            bar,
            code_query,
            text: String::new(),
            gate,
            resume: ResumePoint::default(),
            code: None,
            reader,
            scores: Scores::default(),
            worked_ms: clock::elapsed_ms(started),
        })
    }

    /// Whether the sources can answer the question.
    #[must_use]
    pub fn relevance(&self) -> Relevance {
        let probability = self.judge.relevance().unwrap_or_default();
        Relevance { probability, relevant: probability >= self.bar }
    }

    /// Begins another draft over the same sources, once the one before is finished.
    pub fn next(&mut self, attempt: Attempt) {
        Arc::make_mut(&mut self.judge).begin(attempt);
        self.gate = self.judge.terms().segments.then(Segmenter::new);
        self.resume = ResumePoint::default();
        self.code = None;
        self.scores = Scores::default();
    }

    /// Takes text of the draft; returns the segments that it closed, if they are wanted. Code is parsed before it is
    /// returned.
    ///
    /// # Errors
    /// `PAYLOAD_TOO_LARGE` if the answer grows beyond the limit, `RESOURCE_EXHAUSTED` if all checks together do.
    pub async fn feed(&mut self, context: &Context, text: &str) -> Result<Vec<CheckedSegment>, Failure> {
        let (size, limit) = (self.text.len() + text.len(), self.shared.options.answer_bytes);
        if size > limit {
            let (what, setting) = ("bytes of answer", "validation.answer_bytes");
            return Err(Error::TooLarge { what, size, limit, setting }.into());
        }
        self.room.hold(text.len())?;
        self.text.push_str(text);
        let closed = self.gate.as_mut().map(|gate| gate.push(text)).unwrap_or_default();
        self.checked(context, closed).await
    }

    /// Says that the draft is complete; returns the segments that this closed.
    ///
    /// # Errors
    /// `INTERNAL` for a defect of ours.
    pub async fn close(&mut self, context: &Context) -> Result<Vec<CheckedSegment>, Failure> {
        let closed = self.gate.take().map(Segmenter::finish).unwrap_or_default();
        self.checked(context, closed).await
    }

    /// Judges the whole draft.
    ///
    /// # Errors
    /// `INTERNAL` for a defect of ours. A peer that is down is no error: its checks are not checked.
    pub async fn finish(&mut self, context: &Context) -> Result<CheckResult, Failure> {
        let terms = self.judge.terms();
        let span = spans::judge(terms.query_type.as_str(), &terms.attempt);
        spans::input(&span, &self.text);
        self.report(context).instrument(span).await
    }

    async fn report(&mut self, context: &Context) -> Result<CheckResult, Failure> {
        let started = clock::now();
        let text = Arc::new(std::mem::take(&mut self.text));
        self.room.release(text.len());
        let (judge, answer) = (Arc::clone(&self.judge), Arc::clone(&text));
        let read = move || {
            let draft = judge.read(answer.as_str());
            (judge.needs(&draft), Arc::new(draft))
        };
        let (needs, draft) = self.shared.slots.compute(read).await?;
        let (code, known) = futures::join!(
            self.final_code(context, &text, &needs.blocks),
            self.look_up(context, needs.paths, needs.names)
        );
        self.score(context, &draft).await?;
        let (parser, scores) = (code.parser.clone(), std::mem::take(&mut self.scores));
        let facts = Facts { blocks: code.blocks.clone(), known, scores };
        let judge = Arc::clone(&self.judge);
        let judged = move |stop: &dyn Fn() -> bool| judge.judge_unless(&draft, &facts, stop);
        let report = self.shared.slots.compute_while_wanted(context, judged).await?;
        let checks = report.checks.iter().map(|check| (check.name.as_str(), check.status.as_str()));
        spans::verdict(&tracing::Span::current(), report.verdict.as_str(), checks, report.support);
        let check_ms = std::mem::take(&mut self.worked_ms) + clock::elapsed_ms(started);
        let policy = self.judge.policy().name.clone();
        Ok(CheckResult { report, check_ms, parser_version: parser, policy, spent: Spent::default() })
    }

    /// Asks the reader about claims that words leave open.
    async fn score(&mut self, context: &Context, draft: &Arc<Parsed>) -> Result<(), Failure> {
        let shared = Arc::clone(&self.shared);
        let (judge, draft, scores) = (Arc::clone(&self.judge), Arc::clone(draft), self.scores.clone());
        let ask = move |stop: &dyn Fn() -> bool| judge.asks(&draft, &scores, stop);
        let asks = shared.slots.compute_while_wanted(context, ask).await?;
        scoring::read(&self.reader, context, &shared.options, asks, &mut self.scores).await;
        Ok(())
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
        let (so_far, closed) = (Arc::new(so_far), Arc::new(closed));
        self.score_segments(context, &so_far, &closed).await?;
        let (judge, code) = (Arc::clone(&self.judge), self.code.clone());
        let mut resume = std::mem::take(&mut self.resume);
        let scores = self.scores.clone();
        let check = move |stop: &dyn Fn() -> bool| -> Option<(ResumePoint, Vec<CheckedSegment>)> {
            let blocks = code.as_ref().map(|code| code.blocks.as_slice()).unwrap_or_default();
            let checked = judge.segments_behind(&mut resume, &so_far, &closed, blocks, &scores, stop)?;
            Some((resume, checked))
        };
        let (resume, checked) = self.shared.slots.compute_while_wanted(context, check).await?;
        self.resume = resume;
        self.worked_ms += clock::elapsed_ms(started);
        Ok(checked)
    }

    /// Asks the reader about the claims of closed segments, so that none is passed on that it contradicts.
    async fn score_segments(
        &mut self,
        context: &Context,
        so_far: &Arc<String>,
        closed: &Arc<Vec<Segment>>,
    ) -> Result<(), Failure> {
        let shared = Arc::clone(&self.shared);
        if shared.options.reader.kind == Kind::None {
            return Ok(());
        }
        let (judge, so_far, closed) = (Arc::clone(&self.judge), Arc::clone(so_far), Arc::clone(closed));
        let (resume, scores) = (self.resume.clone(), self.scores.clone());
        let ask = move |stop: &dyn Fn() -> bool| judge.segment_asks(&resume, &so_far, &closed, &scores, stop);
        let asks = shared.slots.compute_while_wanted(context, ask).await?;
        scoring::read(&self.reader, context, &shared.options, asks, &mut self.scores).await;
        Ok(())
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
        let asked = self.shared.parser.parse_answer(context, query);
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
        let spoken = Commands::of(self.judge.terms(), &self.code_query);
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
        let query = LookupQuery { collection: self.judge.terms().collection.clone(), paths, names };
        let known = self.shared.lookup.look_up(context, query).await.map_err(|failure| {
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
