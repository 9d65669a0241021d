//! A draft while it is written: text flows from the generator into its check, checked segments flow to the client.

use std::time::Instant;

use assay_domain::Failure;
use assay_domain::draft::{Finish, Generator, ProviderCall};
use assay_domain::error::Code;
use assay_domain::report::{Attempt, CheckName};
use assay_graph::{Nth, What};
use assay_redact::redact;
use assay_rpc::clock;
use assay_telemetry::spans::{self, Lasting};
use futures::StreamExt as _;
use futures::stream::BoxStream;

use crate::emit::Emitter;
use crate::ports::{CheckInput, CheckOutput, CheckResult, CheckSession, CheckedSegment, Written};
use crate::trail::{Attempted, Trail};

/// Longest draft, in bytes; a generator that writes more is stopped.
const MAX_BYTES: usize = 256 * 1024;

/// A draft that is being written.
pub(crate) struct Running {
    pub(crate) nth: Nth,
    pub(crate) attempt: Attempt,
    /// None once it was interrupted or has ended.
    pub(crate) writer: Option<BoxStream<'static, Result<Written, Failure>>>,
    /// None if the checks are down.
    pub(crate) check: Option<CheckSession>,
    /// Lasts until the draft's last piece.
    pub(crate) span: Lasting,
    /// Lasts until the report on it.
    pub(crate) judged: Lasting,
    /// The model that was asked, until its call is on the record.
    pub(crate) asked: Option<(String, Instant)>,
}

enum Piece {
    Written(Option<Result<Written, Failure>>),
    Checked(Option<Result<CheckOutput, Failure>>),
}

impl Running {
    /// Stops the writer. What was asked of a model is spent although its end never came.
    pub(crate) fn cut(&mut self, trail: &mut Trail) {
        self.writer = None;
        self.span = Lasting::none();
        if let Some((model, since)) = self.asked.take() {
            trail.model_calls += 1;
            let elapsed_ms = u64::try_from(since.elapsed().as_millis()).unwrap_or(u64::MAX);
            trail.provider_trail.push(ProviderCall { model, outcome: "cut".into(), elapsed_ms });
        }
    }

    /// Goes on until something happens that the graph wants to know.
    pub(crate) async fn next(&mut self, trail: &mut Trail, emitter: &mut Emitter) -> What {
        loop {
            let Some(writer) = self.writer.as_mut() else { return What::DraftFailed(Code::Internal) };
            let piece = match self.check.as_mut() {
                Some(check) => tokio::select! {
                    checked = check.output.next() => Piece::Checked(checked),
                    written = writer.next() => Piece::Written(written),
                },
                None => Piece::Written(writer.next().await),
            };
            let what = match piece {
                Piece::Written(written) => self.written(written, trail),
                Piece::Checked(Some(Ok(CheckOutput::Segment(segment)))) => {
                    take_segment(segment, trail.draft_mut(self.nth), Some(&mut *emitter)).await
                }
                // A report before the draft is complete is not to be trusted, nor is a check that ends.
                Piece::Checked(other) => {
                    if let Some(Err(failure)) = other {
                        tracing::warn!(%failure, "the checks went away while a draft was written");
                    }
                    self.check = None;
                    None
                }
            };
            if let Some(what) = what {
                return what;
            }
        }
    }

    fn written(&mut self, written: Option<Result<Written, Failure>>, trail: &mut Trail) -> Option<What> {
        let attempted = trail.draft_mut(self.nth);
        match written {
            Some(Ok(Written::Asked(model))) => {
                attempted.model.clone_from(&model);
                self.asked = Some((model, clock::now()));
                None
            }
            Some(Ok(Written::Spent(spent))) => {
                self.asked = None;
                trail.model_calls += spent.model_calls;
                trail.used_prompts(spent.prompts);
                trail.provider_trail.extend(spent.provider_trail);
                None
            }
            Some(Ok(Written::Delta(text))) => {
                self.feed(attempted, &text);
                (attempted.text.len() > MAX_BYTES).then_some(What::DraftFailed(Code::ResourceExhausted))
            }
            Some(Ok(Written::Done(draft))) => {
                self.writer = None;
                self.asked = None;
                if let Some(rest) = draft.text.strip_prefix(attempted.text.as_str()) {
                    let rest = rest.to_owned();
                    self.feed(attempted, &rest);
                }
                let abstained = draft.finish == Finish::Abstained;
                // Words of ours need no check; a model's do, whatever it calls them.
                let ours = abstained && draft.generator != Generator::Model;
                let empty = attempted.text.trim().is_empty();
                spans::output(&self.span, &attempted.text);
                self.span = Lasting::none();
                let draft = *draft;
                attempted.draft = Some(draft.clone());
                trail.model_calls += draft.model_calls;
                trail.used_prompts(draft.prompts);
                trail.provider_trail.extend(draft.provider_trail);
                draft.warnings.into_iter().for_each(|warning| trail.warn(warning));
                if empty && !abstained {
                    return Some(What::DraftFailed(Code::GenerationUnavailable));
                }
                Some(if ours { What::Abstained } else { What::Drafted })
            }
            Some(Err(failure)) => {
                tracing::warn!(%failure, "no draft");
                // A generator that went away is one that does not answer.
                let code = match failure.code {
                    Code::Unavailable | Code::Cancelled => Code::GenerationUnavailable,
                    code => code,
                };
                spans::failed(&self.span, code.as_str());
                self.cut(trail);
                trail.errors.push(code.to_string());
                trail.failure = Some(Failure { code, ..failure });
                Some(What::DraftFailed(code))
            }
            None => Some(What::DraftFailed(Code::GenerationUnavailable)),
        }
    }

    fn feed(&mut self, attempted: &mut Attempted, text: &str) {
        attempted.text.push_str(text);
        if let Some(check) = &self.check
            && !text.is_empty()
            && check.input.send(CheckInput::Text(text.to_owned())).is_err()
        {
            self.check = None;
        }
    }
}

/// Completes a check and waits for its report. Segments go out through `emitter` if there is one.
pub(crate) async fn complete(
    mut check: CheckSession,
    attempted: &mut Attempted,
    mut emitter: Option<&mut Emitter>,
) -> Option<CheckResult> {
    if check.input.send(CheckInput::Finish).is_err() {
        return None;
    }
    drop(check.input);
    while let Some(output) = check.output.next().await {
        match output {
            Ok(CheckOutput::Segment(segment)) => {
                take_segment(segment, attempted, emitter.as_deref_mut()).await;
            }
            Ok(CheckOutput::Done(result)) => return Some(*result),
            Err(failure) => {
                tracing::warn!(failure = %redact(&failure.message), "the checks could not run");
                return None;
            }
        }
    }
    None
}

async fn take_segment(
    segment: CheckedSegment,
    attempted: &mut Attempted,
    emitter: Option<&mut Emitter>,
) -> Option<What> {
    let what = if segment.passed {
        match emitter {
            Some(emitter) if !attempted.withheld => {
                emitter.segment(&segment.text).await.then_some(What::SegmentSent)
            }
            _ => None,
        }
    } else {
        // What follows a withheld segment would stand out of its place; the end says what stands.
        attempted.withheld = true;
        // A draft that is checked twice names it once.
        if !attempted.withheld_segments.contains(&segment.text) {
            attempted.withheld_segments.push(segment.text.clone());
        }
        let code = segment.errors.iter().any(|error| error.kind == CheckName::CodeSyntax.as_str());
        Some(What::SegmentFailed { code })
    };
    attempted.segments.push(segment.text);
    what
}
