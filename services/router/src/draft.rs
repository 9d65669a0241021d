//! A draft while it is written: text flows from the generator into its check, and both say what happened.

use std::time::Instant;

use assay_domain::draft::{Draft, Finish, Generator, ProviderCall};
use assay_domain::error::Code;
use assay_domain::report::{Attempt, CheckName};
use assay_domain::{CheckResult, CheckedSegment, Failure};
use assay_graph::{Assessment, EventKind, Nth};
use assay_redact::redact;
use assay_rpc::clock;
use assay_telemetry::spans::{self, Lasting};
use futures::StreamExt as _;
use futures::stream::BoxStream;
use tracing::Instrument as _;

use crate::journal::Journal;
use crate::ports::{CheckInput, CheckOutput, CheckSession, Written};
use crate::state::{Request, Router};
use crate::{evidence, orders, traces};

/// Longest draft, in bytes; a generator that writes more is stopped.
const MAX_BYTES: usize = 256 * 1024;

/// The draft that is written and the check that runs beside it.
#[derive(Default)]
pub(crate) struct Running {
    nth: Option<Nth>,
    /// None once it was interrupted or has ended.
    writer: Option<Writer>,
    /// The check over the sources; none before it is opened and once it broke off.
    check: Option<Check>,
    /// Lasts from the start of the check of a draft until its report.
    judged: Option<Lasting>,
    /// The segment that passed last.
    passed: String,
}

struct Writer {
    pieces: BoxStream<'static, Result<Written, Failure>>,
    /// Lasts until the last piece.
    span: Lasting,
    /// The model that was asked, until its call is on the record.
    asked: Option<(String, Instant)>,
}

struct Check {
    session: CheckSession,
    /// Whether it has no draft under way, so that one may begin.
    idle: bool,
}

enum Piece {
    Written(Option<Result<Written, Failure>>),
    Checked(Option<Result<CheckOutput, Failure>>),
}

// === impl Running: what is started and ended ===

impl Running {
    /// Starts to write a draft.
    pub(crate) async fn write(
        &mut self,
        router: &Router,
        request: &Request,
        journal: &mut Journal,
        nth: Nth,
        attempt: Attempt,
    ) -> Option<EventKind> {
        let (since, span) = (clock::now(), spans::draft(nth.number()));
        let brief = orders::draft(router, request, journal, nth, attempt);
        let started = router.ports.generator.draft(&request.context, brief).instrument(span.clone()).await;
        journal.draft_mut(nth);
        journal.timing.draft_ms += clock::elapsed_ms(since);
        self.nth = Some(nth);
        match started {
            Ok(pieces) => {
                self.writer = Some(Writer { pieces, span: Lasting::new(span), asked: None });
                None
            }
            Err(failure) => {
                spans::failed(&span, failure.code.as_str());
                Some(EventKind::DraftFailed(journal.fail(failure)))
            }
        }
    }

    /// Opens the check over the sources and has them judged against the question.
    pub(crate) async fn assess(
        &mut self,
        router: &Router,
        request: &Request,
        journal: &mut Journal,
    ) -> EventKind {
        let span = spans::relevance();
        let terms = orders::relevance(router, request, journal);
        let said = async {
            let mut session = router.ports.validator.check(&request.context, terms).await?;
            match session.output.next().await {
                Some(Ok(CheckOutput::Relevance(relevance))) => Ok((session, relevance)),
                Some(Err(failure)) => Err(failure),
                Some(Ok(_)) | None => {
                    Err(Failure::internal("validation did not say whether the sources answer"))
                }
            }
        };
        let (session, relevance) = match said.instrument(span.clone()).await {
            Ok((session, relevance)) => (Some(session), Ok(relevance)),
            Err(failure) => (None, Err(failure)),
        };
        traces::judged(&span, &relevance);
        self.check = session.map(|session| Check { session, idle: true });
        let relevance =
            relevance.inspect_err(|failure| tracing::debug!(%failure, "relevance was not judged"));
        evidence::judged(journal, relevance.ok())
    }

    /// Ends the check: other sources are coming.
    pub(crate) fn end_check(&mut self) {
        self.check = None;
    }

    /// Starts the check of the draft that is written from now on, over sources that it has already if it is open.
    pub(crate) async fn check(
        &mut self,
        router: &Router,
        request: &Request,
        journal: &mut Journal,
        nth: Nth,
        attempt: Attempt,
    ) -> Option<EventKind> {
        let span = spans::check(nth.number());
        self.nth = Some(nth);
        self.judged = Some(Lasting::new(span.clone()));
        if let Some(check) = self.check.as_mut().filter(|check| check.idle)
            && check.session.input.send(CheckInput::Next(attempt)).is_ok()
        {
            check.idle = false;
            return None;
        }
        let terms = orders::check(router, request, journal, attempt);
        match router.ports.validator.check(&request.context, terms).instrument(span).await {
            Ok(session) => {
                self.check = Some(Check { session, idle: false });
                None
            }
            Err(failure) => Some(self.unchecked(journal, Some(failure))),
        }
    }

    /// Checks a complete draft once more, judged as something else.
    pub(crate) async fn recheck(
        &mut self,
        router: &Router,
        request: &Request,
        journal: &mut Journal,
        nth: Nth,
        attempt: Attempt,
    ) -> Option<EventKind> {
        let failed = self.check(router, request, journal, nth, attempt).await;
        let attempted = journal.draft_mut(nth);
        attempted.segments.clear();
        self.send(CheckInput::Text(attempted.text.clone()));
        self.finish();
        failed
    }

    /// Tells the check that its draft is complete.
    pub(crate) fn finish(&self) {
        self.send(CheckInput::Finish);
    }

    /// Stops the writer. What was asked of a model is spent although its end never came.
    pub(crate) fn cut(&mut self, journal: &mut Journal) {
        let Some(Writer { asked: Some((model, since)), .. }) = self.writer.take() else { return };
        journal.spent.model_calls += 1;
        let elapsed_ms = u64::try_from(since.elapsed().as_millis()).unwrap_or(u64::MAX);
        journal.spent.provider_trail.push(ProviderCall { model, outcome: "cut".into(), elapsed_ms });
    }

    /// Whether a draft is being written.
    pub(crate) fn is_writing(&self) -> bool {
        self.writer.is_some()
    }

    /// The segment that passed last.
    pub(crate) fn passed(&self) -> &str {
        &self.passed
    }

    /// What cannot be sent was to a check that is over, and says so itself.
    fn send(&self, input: CheckInput) {
        if let Some(check) = &self.check {
            let _ = check.session.input.send(input);
        }
    }
}

// === impl Running: what happens ===

impl Running {
    /// Goes on until something happens that the graph wants to know.
    pub(crate) async fn next(&mut self, journal: &mut Journal) -> EventKind {
        loop {
            let piece = match (&mut self.writer, &mut self.check) {
                (Some(writer), Some(check)) => tokio::select! {
                    checked = check.session.output.next() => Piece::Checked(checked),
                    written = writer.pieces.next() => Piece::Written(written),
                },
                (Some(writer), None) => Piece::Written(writer.pieces.next().await),
                (None, Some(check)) => Piece::Checked(check.session.output.next().await),
                // A defect must not hang: only the deadline ends a request in every state.
                (None, None) => {
                    tracing::error!("a draft or check was awaited while none runs");
                    return EventKind::Deadline;
                }
            };
            let what = match piece {
                Piece::Written(Some(Ok(written))) => self.written(written, journal),
                Piece::Written(Some(Err(failure))) => Some(self.broken(failure, journal)),
                Piece::Written(None) => Some(EventKind::DraftFailed(Code::GenerationUnavailable)),
                Piece::Checked(Some(Ok(CheckOutput::Segment(segment)))) => self.segment(segment, journal),
                Piece::Checked(Some(Ok(CheckOutput::Done(result)))) if self.writer.is_none() => {
                    Some(self.report(*result, journal))
                }
                // A report before the draft is complete is not to be trusted, nor is a check that ends or says more.
                Piece::Checked(other) => Some(self.unchecked(journal, other.and_then(Result::err))),
            };
            if let Some(what) = what {
                return what;
            }
        }
    }

    fn written(&mut self, written: Written, journal: &mut Journal) -> Option<EventKind> {
        let (nth, writer) = (self.nth?, self.writer.as_mut()?);
        match written {
            Written::Asked(model) => {
                journal.draft_mut(nth).model.clone_from(&model);
                writer.asked = Some((model, clock::now()));
                None
            }
            Written::Spent(spent) => {
                writer.asked = None;
                journal.spent.add(spent);
                None
            }
            Written::Delta(text) => {
                let length = self.feed(text, nth, journal);
                (length > MAX_BYTES).then_some(EventKind::DraftFailed(Code::ResourceExhausted))
            }
            Written::Done(draft) => Some(self.drafted(*draft, nth, journal)),
        }
    }

    fn drafted(&mut self, draft: Draft, nth: Nth, journal: &mut Journal) -> EventKind {
        let writer = self.writer.take();
        let rest = draft.text.strip_prefix(journal.draft_mut(nth).text.as_str()).unwrap_or_default();
        self.feed(rest.to_owned(), nth, journal);
        let attempted = journal.draft_mut(nth);
        if let Some(writer) = &writer {
            spans::output(&writer.span, &attempted.text);
        }
        let written = assay_graph::Written {
            by_model: draft.generator == Generator::Model,
            abstained: draft.finish == Finish::Abstained,
            empty: attempted.text.trim().is_empty(),
        };
        journal.spent.add(draft.spent());
        draft.warnings.iter().for_each(|warning| journal.warn(warning));
        journal.draft_mut(nth).draft = Some(draft);
        EventKind::Drafted(written)
    }

    fn broken(&mut self, failure: Failure, journal: &mut Journal) -> EventKind {
        tracing::warn!(%failure, "no draft");
        if let Some(writer) = &self.writer {
            spans::failed(&writer.span, failure.code.as_str());
        }
        self.cut(journal);
        EventKind::DraftFailed(journal.fail(failure))
    }

    /// Appends text to the draft and to what its check has; returns how long it is now.
    fn feed(&self, text: String, nth: Nth, journal: &mut Journal) -> usize {
        let attempted = journal.draft_mut(nth);
        attempted.text.push_str(&text);
        if !text.is_empty() {
            self.send(CheckInput::Text(text));
        }
        attempted.text.len()
    }

    fn segment(&mut self, segment: CheckedSegment, journal: &mut Journal) -> Option<EventKind> {
        let attempted = journal.draft_mut(self.nth?);
        attempted.segments.push(segment.text.clone());
        if segment.passed {
            self.passed = segment.text;
            return (!self.passed.is_empty()).then_some(EventKind::SegmentPassed);
        }
        // A draft that is checked twice names it once.
        if !attempted.withheld_segments.contains(&segment.text) {
            attempted.withheld_segments.push(segment.text);
        }
        let code = segment.errors.iter().any(|error| error.kind == CheckName::CodeSyntax.as_str());
        Some(EventKind::SegmentFailed { code })
    }

    fn report(&mut self, mut result: CheckResult, journal: &mut Journal) -> EventKind {
        let (Some(nth), Some(judged)) = (self.nth, self.judged.take()) else { return EventKind::CheckFailed };
        if let Some(check) = &mut self.check {
            check.idle = true;
        }
        let attempted = journal.draft_mut(nth);
        result.report.lower();
        if attempted.draft.as_ref().is_some_and(|draft| draft.generator == Generator::Fixed) {
            result.report.lower_fixed();
        }
        traces::checked(&judged, &result);
        let assessment = Assessment::of(&result.report);
        attempted.first_verdict.get_or_insert(result.report.verdict);
        journal.check_ms += result.check_ms;
        journal.spent.add(result.spent.clone());
        if !result.parser_version.is_empty() {
            journal.parser_version.clone_from(&result.parser_version);
        }
        if journal.relevance.is_none() {
            journal.relevance = result.report.context_relevance;
        }
        journal.draft_mut(nth).result = Some(result);
        EventKind::Checked(assessment)
    }

    /// The check is not to be had, or no longer.
    fn unchecked(&mut self, journal: &mut Journal, why: Option<Failure>) -> EventKind {
        let why = why.map_or_else(|| "it ended early".to_owned(), |failure| redact(&failure.message));
        tracing::warn!(failure = %why, "the checks could not run");
        (self.check, self.judged) = (None, None);
        journal.errors.push(Code::ValidationUnavailable.to_string());
        EventKind::CheckFailed
    }
}
