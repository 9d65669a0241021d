//! `assay audit explain`: in plain words why an answer was given, withheld or refused.

use std::fmt::Write as _;

use assay_domain::report::{CheckName, CheckStatus};
use assay_domain::{Outcome, Record, Verdict};
use assay_proto::audit as wire;

/// The explanation of a record, some lines.
pub(in crate::commands) fn explain(record: &Record, notes: &[wire::Note], erased: bool) -> String {
    let mut out = String::new();
    if erased {
        out.push_str("Question and answer were erased; what stays in the log is told.\n");
    } else {
        let _ = writeln!(out, "Asked: {}", record.query);
    }
    if let Some(route) = &record.route {
        let _ = writeln!(
            out,
            "It was treated as {} ({} decided, {:.0} %).",
            route.query_type,
            route.layer,
            100.0 * route.probability
        );
    }
    let _ = writeln!(out, "{}", ended(record));
    for check in record.validation.iter().flat_map(|validation| &validation.checks) {
        let what = match check.status {
            CheckStatus::Failed => "Failed",
            CheckStatus::Flagged => "Flagged",
            CheckStatus::NotChecked => "Not checked",
            CheckStatus::Passed | CheckStatus::NotApplicable => continue,
        };
        let because = if check.reason.is_empty() { String::new() } else { format!(" ({})", check.reason) };
        let _ = writeln!(out, "{what}: {}{because}.", meaning(check.name));
    }
    let (all, delivered) = (record.attempts.len(), record.attempts.iter().find(|attempt| attempt.delivered));
    let _ = match delivered {
        _ if all < 2 => Ok(()),
        Some(attempt) => writeln!(out, "It is attempt {} of {all}.", attempt.number),
        None => writeln!(out, "None of {all} attempts was delivered."),
    };
    if !record.retry_skipped.is_empty() {
        let _ = writeln!(out, "A second attempt was left out: {}.", record.retry_skipped);
    }
    for error in &record.errors {
        let _ = writeln!(out, "Error: {error}; docs/errors/{error}.md says more.");
    }
    for warning in &record.warnings {
        let _ = writeln!(out, "Warning: {warning}");
    }
    for note in notes {
        let who = if note.principal.is_empty() { "somebody" } else { &note.principal };
        let why = if note.reason.is_empty() { String::new() } else { format!(": {}", note.reason) };
        let _ = writeln!(out, "{who} said {}{why}", note.said);
    }
    out
}

fn ended(record: &Record) -> String {
    let verdict = record.validation.as_ref().and_then(|validation| validation.status);
    let by = if record.model_version.is_empty() {
        String::new()
    } else {
        format!(", written by {}", record.model_version)
    };
    match (record.outcome, verdict) {
        (Outcome::Answered, Some(Verdict::Pass)) => format!("It was answered{by}: no check doubted it."),
        (Outcome::Answered, Some(Verdict::Review)) => {
            format!(
                "It was answered{by}, for a person to look at: something was doubted or could not be checked."
            )
        }
        (Outcome::Answered, Some(Verdict::Reject)) => {
            format!("It was answered{by} although a check failed, since the mode is {}.", record.mode)
        }
        (Outcome::Answered, None) => format!("It was answered{by}; nothing was judged."),
        (Outcome::Rejected, _) => format!("The answer{by} was withheld: a check that has to pass failed."),
        (Outcome::Abstained, _) => "Nothing was answered: the sources do not hold the answer.".into(),
        (Outcome::Refused, _) => "The request was refused before any work.".into(),
        (Outcome::Cancelled, _) => "The caller went away.".into(),
        (Outcome::Aborted, _) => "The process died while it was answering.".into(),
        (Outcome::Checked, _) => "An answer of another system was checked.".into(),
        (Outcome::Failed, _) => "The request failed.".into(),
    }
}

/// What a check looks for, as the end of "Failed: …".
const fn meaning(name: CheckName) -> &'static str {
    match name {
        CheckName::CitationSyntax => "a citation marker is malformed, or a fence is open",
        CheckName::CitationCoverage => "a factual claim has no citation",
        CheckName::SourceExists => "a cited source does not exist",
        CheckName::LineRange => "cited lines do not exist",
        CheckName::ContentMatch => "a quotation differs from its source",
        CheckName::ClaimSupport => "the cited lines do not say what a claim says",
        CheckName::Identifiers => "a path, symbol or command is not known",
        CheckName::CodeSyntax => "the parser rejects the code",
        CheckName::ContextRelevance => "the evidence does not answer the question",
        CheckName::Numbers => "a figure is not in the given facts",
        CheckName::Markup => "the text holds active content, a remote image or a link that runs code",
    }
}
