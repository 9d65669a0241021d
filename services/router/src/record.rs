//! From what happened to the audit record.

use assay_domain::answer::{Layer, Outcome, Route};
use assay_domain::draft::Draft;
use assay_domain::record::{RecordedAttempt, RecordedCitation, RecordedValidation};
use assay_domain::report::{CheckStatus, ClaimStatus, DefectKind, Report, Resolution, Verdict};
use assay_domain::{Answer, AuditId, Identity, LineRange, Mode, QueryType, Question, Record, Source};
use assay_graph::{Nth, Settlement};
use sha2::{Digest as _, Sha256};

use crate::answer::model;
use crate::bounds::{CITATIONS, bounded};
use crate::journal::{Attempted, Journal};

/// What a record needs beside answer and journal.
pub(crate) struct About<'a> {
    pub(crate) identity: &'a Identity,
    pub(crate) question: &'a Question,
    pub(crate) unix_ms: u64,
    /// The id under which the response reaches its caller; none if nobody gave one.
    pub(crate) response_id: Option<&'a str>,
    pub(crate) prefixes_sha256: String,
}

/// SHA-256 of a text, lower-case hex.
pub(crate) fn sha256(text: &str) -> String {
    hex::encode(Sha256::digest(text.as_bytes()))
}

/// Builds the record of a settled request.
pub(crate) fn record(about: &About<'_>, end: &Settlement, answer: &Answer, journal: &Journal) -> Record {
    let delivered = end.draft.and_then(|nth| journal.draft(nth));
    let result = delivered.and_then(|draft| draft.result.as_ref());
    let policy = result.map_or("", |result| result.policy.as_str());
    let checked = result.map(|result| &result.report);
    let report = checked.or(answer.report.as_ref());
    let draft: Option<&Draft> = delivered.and_then(|draft| draft.draft.as_ref());
    // What a model wrote is withheld from the reader of a rejection or an abstention, not from the reviewer.
    let text = match (end.outcome, delivered) {
        (Outcome::Rejected | Outcome::Abstained, Some(draft)) => draft.final_text().to_owned(),
        (Outcome::Answered | Outcome::Abstained, _) => answer.text.clone(),
        _ => String::new(),
    };
    let judged = matches!(end.outcome, Outcome::Answered | Outcome::Rejected);
    let mut errors = journal.errors.clone();
    errors.extend(end.code.map(|code| code.to_string()).filter(|code| !journal.errors.contains(code)));
    // The reason may quote the caller: it goes to the warnings, which are erased with the question; errors never are.
    let refusal = answer.failure.as_ref().filter(|_| end.outcome == Outcome::Refused);
    let refusal = refusal.map(|failure| failure.message.clone());
    let attempts = attempts(end, journal, !text.is_empty() && text == answer.text);
    let cited = report.map_or(0, |report| report.citations.len());
    let record = Record {
        audit_id: answer.audit_id,
        unix_ms: about.unix_ms,
        identity: about.identity.clone(),
        session_id: about.question.session.as_ref().map(ToString::to_string).unwrap_or_default(),
        request_id: about.question.request_id.map(|id| id.to_string()).unwrap_or_default(),
        response_id: about.response_id.map_or_else(|| answer.audit_id.to_string(), str::to_owned),
        query: about.question.text.clone(),
        answer_sha256: if text.is_empty() { String::new() } else { sha256(&text) },
        answer: text,
        outcome: end.outcome,
        route: journal.route.clone(),
        validation: report.map(|report| validation(report, policy, end.verdict.filter(|_| judged))),
        citations: report
            .map(|report| citations(report, |nth| answer.sources.get(nth).map(|hit| &hit.source)))
            .unwrap_or_default(),
        attempts,
        processing_ms: answer.timing.total_ms,
        validation_ms: journal.check_ms,
        model_version: model(journal),
        model_calls: journal.spent.model_calls,
        prompts: journal.spent.prompts.clone(),
        provider_trail: journal.spent.provider_trail.clone(),
        index_manifest: journal.index_manifest.clone(),
        parser_version: journal.parser_version.clone(),
        mode: about.question.mode,
        grounding: answer.grounding,
        temperature: draft.and_then(|draft| draft.temperature),
        seed: draft.and_then(|draft| draft.seed),
        context_relevant_first: journal.relevant_first,
        context_relevant: journal.relevant,
        retry_skipped: end.skipped.map(|skipped| skipped.as_str().to_owned()).unwrap_or_default(),
        platform_prefixes_sha256: about.prefixes_sha256.clone(),
        errors,
        warnings: answer.warnings.iter().chain(&editor(about.question)).cloned().chain(refusal).collect(),
    };
    bounded(assay_redact::record(record), cited)
}

/// The check of an answer of another system.
#[derive(Debug)]
pub(crate) struct CheckedAnswer {
    pub(crate) question: String,
    pub(crate) answer: String,
    pub(crate) query_type: QueryType,
    pub(crate) mode: Mode,
    pub(crate) policy: String,
    pub(crate) check_ms: f64,
    /// In the order of the markers.
    pub(crate) sources: Vec<Source>,
    pub(crate) report: Report,
}

impl CheckedAnswer {
    /// Builds its record.
    pub(crate) fn record(self, audit_id: AuditId, unix_ms: u64, identity: Identity) -> Record {
        let report = &self.report;
        let route = Route {
            query_type: self.query_type,
            layer: Layer::Declared,
            probability: 1.0,
            accepted: true,
            reason: String::new(),
        };
        let record = Record {
            response_id: audit_id.to_string(),
            query: self.question,
            answer_sha256: sha256(&self.answer),
            answer: self.answer,
            route: Some(route),
            validation: Some(validation(report, &self.policy, Some(report.verdict))),
            citations: citations(report, |nth| self.sources.get(nth)),
            processing_ms: self.check_ms,
            validation_ms: self.check_ms,
            mode: self.mode,
            ..Record::new(audit_id, unix_ms, identity, Outcome::Checked)
        };
        bounded(assay_redact::record(record), report.citations.len())
    }
}

/// The caller's editor is audited as digest and size.
fn editor(question: &Question) -> Vec<String> {
    [("editor_content", &question.editor_content), ("selected_text", &question.selected_text)]
        .into_iter()
        .filter(|(_, text)| !text.is_empty())
        .map(|(field, text)| format!("{field}: {} bytes, sha256 {}", text.len(), sha256(text)))
        .collect()
}

fn validation(report: &Report, policy: &str, status: Option<Verdict>) -> RecordedValidation {
    let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    let resolved = report
        .citations
        .iter()
        .filter(|c| matches!(c.resolution, Resolution::Exact | Resolution::Moved))
        .count();
    let malformed = report
        .defects
        .iter()
        .filter(|defect| matches!(defect.kind, DefectKind::Malformed | DefectKind::OutOfRange))
        .count();
    let dangling = report
        .citations
        .iter()
        .filter(|c| {
            c.in_range
                && (c.resolution == Resolution::Dangling
                    || c.lines.is_some_and(|lines| !lines.is_well_formed()))
        })
        .count();
    let bad = |status| matches!(status, ClaimStatus::Unsupported | ClaimStatus::Contradicted);
    RecordedValidation {
        status,
        citations_validated: count(resolved),
        citations_failed: count(malformed + dangling),
        hallucinations_detected: count(report.claims.iter().filter(|claim| bad(claim.status)).count()),
        confidence_score: report.support,
        checks: report.checks.clone(),
        models: report.models.clone(),
        policy: policy.to_owned(),
    }
}

fn citations<'a>(report: &Report, source: impl Fn(usize) -> Option<&'a Source>) -> Vec<RecordedCitation> {
    report
        .citations
        .iter()
        .take(CITATIONS)
        .map(|citation| {
            let claim = citation.claim.and_then(|index| report.claims.get(index as usize));
            let source =
                usize::try_from(citation.marker).ok().and_then(|marker| source(marker.checked_sub(1)?));
            let lines = citation.lines.or_else(|| source.map(|source| source.lines));
            let broken = !citation.in_range || citation.resolution == Resolution::Dangling;
            let status = match claim.map(|claim| claim.status) {
                _ if broken => "INVALID",
                Some(ClaimStatus::Supported) => "VALID",
                Some(ClaimStatus::SupportedElsewhere) => "FLAGGED",
                Some(ClaimStatus::Unsupported | ClaimStatus::Contradicted) => "INVALID",
                _ => "NOT_CHECKED",
            };
            RecordedCitation {
                claim: claim.map(|claim| claim.text.clone()).unwrap_or_default(),
                source: source
                    .map(
                        |source| if source.path.is_empty() { source.id.clone() } else { source.path.clone() },
                    )
                    .unwrap_or_default(),
                line_range: lines.map(|lines| lines.to_string()).unwrap_or_default(),
                sha256: source.map(|source| cited_sha256(source, citation.lines)).unwrap_or_default(),
                validation_status: status.to_owned(),
                semantic_score: claim.and_then(|claim| claim.support),
            }
        })
        .collect()
}

/// Hash of the lines that a citation names, so that they can be found again; of the whole passage if it names none.
fn cited_sha256(source: &Source, lines: Option<LineRange>) -> String {
    lines.and_then(|lines| source.text_of(lines)).map_or_else(|| source.sha256.clone(), sha256)
}

fn attempts(end: &Settlement, journal: &Journal, delivers: bool) -> Vec<RecordedAttempt> {
    [Nth::First, Nth::Second]
        .into_iter()
        .filter_map(|nth| Some((nth, journal.draft(nth)?)))
        .map(|(nth, draft)| RecordedAttempt {
            number: nth.number(),
            verdict: draft
                .first_verdict
                .or_else(|| draft.result.as_ref().map(|result| result.report.verdict)),
            defects: defects(draft),
            text_sha256: sha256(&draft.text),
            delivered: delivers && end.draft == Some(nth),
        })
        .collect()
}

fn defects(draft: &Attempted) -> Vec<String> {
    let Some(result) = &draft.result else { return Vec::new() };
    let wrong = |status| matches!(status, CheckStatus::Failed | CheckStatus::Flagged);
    result
        .report
        .checks
        .iter()
        .filter(|check| wrong(check.status))
        .map(|check| format!("{} {}", check.name, check.status))
        .collect()
}
