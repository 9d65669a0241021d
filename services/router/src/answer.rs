//! From what happened to the answer that leaves.

use assay_domain::answer::Layer;
use assay_domain::answer::{Grounding, Outcome, Rejection, TokenUsage};
use assay_domain::code::{CodeStatus, ValidationStatus, Worst, code_status};
use assay_domain::draft::Generator;
use assay_domain::error::Code;
use assay_domain::evidence::SourceKind;
use assay_domain::report::{Report, Verdict};
use assay_domain::verdict::waits_for_review;
use assay_domain::{Answer, AuditId, AuditState, Failure, QueryType, Question, Route};
use assay_graph::{Nth, Settlement};

use crate::journal::{Attempted, Journal};
use crate::texts;
use crate::unchecked;

/// The answer, and the text that a client who follows the events ends with.
pub(crate) struct Settled {
    pub(crate) answer: Answer,
    pub(crate) followed: String,
}

/// Builds the answer of a settled request.
pub(crate) fn settle(audit_id: AuditId, question: &Question, end: &Settlement, journal: &Journal) -> Settled {
    let delivered = end.draft.and_then(|nth| journal.draft(nth));
    let checked = delivered.is_some_and(|draft| draft.result.is_some());
    let report = delivered.and_then(|draft| match &draft.result {
        // What a model said beside its refusal is not delivered, in the report neither.
        _ if end.outcome == Outcome::Abstained => None,
        Some(result) => Some(result.report.clone()),
        None if end.outcome == Outcome::Answered => {
            Some(unchecked::report(journal.query_type(), draft.final_text()))
        }
        None => None,
    });
    let written = delivered.map(|draft| draft.final_text().to_owned()).unwrap_or_default();
    let failure = end.code.map(|code| failure(code, journal));
    let mut rejection = None;
    let (text, followed) = match end.outcome {
        // A segment is text that stood its checks: what nobody checked comes with the settled answer alone.
        Outcome::Answered if !checked => (written, String::new()),
        Outcome::Answered => (written.clone(), written),
        Outcome::Abstained if composed(delivered) => (written.clone(), written),
        Outcome::Abstained => {
            let text =
                texts::no_answer(question, journal.query_type(), delivered.is_some(), &journal.queries);
            (text.clone(), text)
        }
        Outcome::Rejected => {
            let body = reject(question, report.as_ref(), journal);
            let partial = body.partial_response.clone();
            rejection = Some(body);
            (String::new(), partial)
        }
        _ => (String::new(), String::new()),
    };
    let delivers = matches!(end.outcome, Outcome::Answered | Outcome::Rejected | Outcome::Abstained);
    let (validation_status, code_status) =
        statuses(end, journal, delivered.filter(|_| end.outcome == Outcome::Answered));
    let mut warnings = journal.warnings.clone();
    if end.outcome == Outcome::Answered {
        if !checked {
            warnings.push(unchecked::WARNING.to_owned());
        }
        let queued = waits_for_review(end.verdict, report.as_ref().map_or(&[], |report| &report.checks));
        warnings
            .extend(end.verdict.and_then(|verdict| texts::verdict_warning(&question.text, verdict, queued)));
    }
    if let Some(skipped) = end.skipped {
        warnings.push(format!("retry_skipped={}", skipped.as_str()));
    }
    let generator = match delivered.and_then(|draft| draft.draft.as_ref()) {
        Some(_) if end.outcome == Outcome::Abstained && !composed(delivered) => Some(Generator::Fixed),
        draft => draft.map(|draft| draft.generator),
    };
    let answer = Answer {
        audit_id,
        outcome: end.outcome,
        text,
        route: journal.route.clone().unwrap_or_else(unrouted),
        sources: if delivers { journal.sources.clone() } else { Vec::new() },
        report: if delivers { report } else { None },
        verdict: end.verdict,
        validation_status,
        code_status,
        context_relevant: journal.relevant,
        attempts: u32::try_from(journal.drafts.len()).unwrap_or(u32::MAX),
        audit: AuditState::Queued,
        timing: journal.timing,
        generator,
        model: model(journal),
        grounding: grounding(end.outcome, generator, journal),
        index_manifest: journal.index_manifest.clone(),
        warnings,
        rejection,
        failure,
        usage: usage(journal),
        examples: u32::try_from(journal.examples.len()).unwrap_or(u32::MAX),
    };
    Settled { answer, followed }
}

/// Whether a draft is the composer's: words of ours or of the evidence, and no model's.
fn composed(draft: Option<&Attempted>) -> bool {
    draft
        .and_then(|draft| draft.draft.as_ref())
        .is_some_and(|draft| draft.generator != Generator::Model && !draft.text.trim().is_empty())
}

fn unrouted() -> Route {
    Route {
        query_type: QueryType::Retrieval,
        layer: Layer::Fallback,
        probability: 0.0,
        accepted: false,
        reason: "the request ended before it was routed".into(),
    }
}

/// What the drafts cost. A draft of a model that did not say, or that was cut off, makes the sum unknown.
fn usage(journal: &Journal) -> Option<TokenUsage> {
    journal.drafts.iter().try_fold(TokenUsage::default(), |sum, attempted| {
        let draft = attempted.draft.as_ref()?;
        if draft.model_calls == 0 {
            return Some(sum);
        }
        Some(TokenUsage {
            prompt_tokens: sum.prompt_tokens + u64::from(draft.prompt_tokens?),
            completion_tokens: sum.completion_tokens + u64::from(draft.completion_tokens?),
        })
    })
}

/// `provider:model` of the latest draft that has one.
pub(crate) fn model(journal: &Journal) -> String {
    let named = |attempted: &Attempted| {
        let asked = Some(&attempted.model).filter(|model| !model.is_empty());
        attempted.draft.as_ref().map(|draft| &draft.model).or(asked).cloned()
    };
    journal.drafts.iter().rev().find_map(named).unwrap_or_default()
}

/// The words of the part that failed, where they belong to this code.
fn failure(code: Code, journal: &Journal) -> Failure {
    if let Some(failure) = journal.failure.as_ref().filter(|failure| failure.code == code) {
        return failure.clone();
    }
    let text = match code {
        Code::DeadlineExceeded => {
            "the request ran out of time; allow more (deadline, at most 120 s) or ask less"
        }
        Code::SearchUnavailable => "no search leg answers; look at the retrieval service",
        Code::GenerationUnavailable => "no model provider answers; look at the generation service",
        Code::ValidationUnavailable => "the checks cannot run and the profile `strict` demands them",
        Code::Cancelled => "the client went away",
        _ => "the request could not be answered",
    };
    Failure::new(code, text)
}

/// Statuses of the delivered code, with the other attempt beside it (contract §5).
fn statuses(
    end: &Settlement,
    journal: &Journal,
    delivered: Option<&Attempted>,
) -> (ValidationStatus, CodeStatus) {
    let Some(draft) = delivered else { return code_status(Worst::None, Worst::None, "") };
    let other = match end.draft {
        Some(Nth::First) => journal.draft(Nth::Second),
        _ => journal.draft(Nth::First).filter(|_| end.draft == Some(Nth::Second)),
    };
    let (worst, reason) = draft.worst();
    code_status(worst, other.map_or(Worst::None, |other| other.worst().0), &reason)
}

fn reject(question: &Question, report: Option<&Report>, journal: &Journal) -> Rejection {
    let empty = |text: &str| if text.is_empty() { None } else { Some(text.to_owned()) };
    Rejection {
        reason: report.map_or_else(String::new, |report| texts::rejection_reason(&question.text, report)),
        suggestion: report
            .and_then(|report| empty(&report.suggestion))
            .unwrap_or_else(|| texts::suggestion(&question.text).to_owned()),
        partial_response: report.map(|report| report.partial_response.clone()).unwrap_or_default(),
        searched: journal.searched(),
        errors: report.map(|report| report.errors.clone()).unwrap_or_default(),
        warnings: report.map(|report| report.warnings.clone()).unwrap_or_default(),
    }
}

/// What an answer rests on (contract §4): documentation only if something was found there.
pub(crate) fn grounding(outcome: Outcome, generator: Option<Generator>, journal: &Journal) -> Grounding {
    if !matches!(outcome, Outcome::Answered | Outcome::Rejected) || generator == Some(Generator::Fixed) {
        return Grounding::None;
    }
    match journal.query_type() {
        Some(QueryType::Retrieval | QueryType::CodeGeneration) => {
            let editor = |kind| kind == SourceKind::Editor;
            if journal.sources.iter().any(|hit| !editor(hit.source.kind)) {
                Grounding::Documentation
            } else if journal.sources.is_empty() {
                Grounding::None
            } else {
                Grounding::CallerContext
            }
        }
        Some(QueryType::Conversational) if journal.session.turns.is_empty() => Grounding::None,
        // Turns of no session were told by the caller.
        Some(QueryType::Conversational) if journal.session.version == 0 => Grounding::CallerContext,
        Some(QueryType::Conversational) => Grounding::Session,
        Some(QueryType::Platform) => Grounding::CallerContext,
        None => Grounding::None,
    }
}

/// The verdict that metrics count.
pub(crate) fn verdict_name(verdict: Option<Verdict>) -> &'static str {
    verdict.map_or("NONE", Verdict::as_str)
}
