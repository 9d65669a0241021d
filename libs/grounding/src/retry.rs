//! What a generator is told for its one retry, why an answer was rejected, and the pure citation policy; the same input
//! gives the same bytes.

use crate::citations::Scan;
use assay_domain::code::{BlockStatus, Severity};
use assay_domain::question::Mode;
use assay_domain::report::{Attempt, CheckName, CheckStatus, Finding, Report};
use std::fmt::Write as _;

/// Most lines of parser feedback.
const FEEDBACK_LINES: usize = 20;
/// Most bytes of parser feedback.
const FEEDBACK_BYTES: usize = 4096;

/// The instruction that goes before the retry: code first, then citations and claims. Empty if nothing failed. `failed`
/// names the check of each error of the report.
pub(crate) fn prompt(report: &Report, failed: &[CheckName], sources: usize) -> String {
    let mut out = String::new();
    let code = feedback(report);
    if !code.is_empty() {
        out.push_str("The code of your answer was rejected by its parser.\n<parser_feedback>\n");
        out.push_str(&code);
        out.push_str("</parser_feedback>\n");
        out.push_str(&reference(report));
        out.push_str("Correct each of these and repeat none of them.\n");
    }
    // The parser's own words have said what is wrong with the code.
    let others: Vec<&Finding> = failed
        .iter()
        .zip(&report.errors)
        .filter(|(check, _)| **check != CheckName::CodeSyntax)
        .map(|(_, error)| error)
        .collect();
    if !others.is_empty() {
        out.push_str(&citation_prompt(&others, sources));
    }
    if !out.is_empty() {
        out.push_str("Answer the question again, in full.\n");
    }
    out
}

/// One line a diagnostic, at most [`FEEDBACK_LINES`] lines and [`FEEDBACK_BYTES`] bytes.
fn feedback(report: &Report) -> String {
    let mut out = String::new();
    let mut lines = 0;
    let mut push = |line: String| {
        if lines < FEEDBACK_LINES && out.len() + line.len() < FEEDBACK_BYTES {
            lines += 1;
            out.push_str(&line);
            out.push('\n');
        }
    };
    for parsed in &report.blocks {
        let number = parsed.block.index.saturating_add(1);
        match &parsed.status {
            BlockStatus::WrongLanguage(found) => {
                push(format!("block {number}: written in {}, which was not asked for", escape(found)));
            }
            BlockStatus::Invalid => {
                for d in parsed.diagnostics.iter().filter(|d| d.severity == Severity::Error) {
                    let mut line = format!(
                        "block {number}, line {}, column {}: {} [{} {}]",
                        d.line,
                        d.column,
                        escape(&d.message),
                        d.category,
                        escape(&d.code)
                    );
                    if let Some(suggestion) = &d.suggestion {
                        let _ = write!(line, "; write {}", escape(suggestion));
                    }
                    push(line);
                }
            }
            _ => {}
        }
    }
    out
}

/// What the parser knows of the names that its suggestions hold: the help of its findings, each once, in text order.
fn reference(report: &Report) -> String {
    let mut lines: Vec<String> = Vec::new();
    let rejected = report.blocks.iter().filter(|parsed| parsed.status == BlockStatus::Invalid);
    for help in
        rejected.flat_map(|parsed| &parsed.diagnostics).filter_map(|diagnostic| diagnostic.help.as_deref())
    {
        let line = escape(help);
        let length: usize = lines.iter().map(|line| line.len() + 1).sum();
        if !lines.contains(&line) && lines.len() < FEEDBACK_LINES && length + line.len() < FEEDBACK_BYTES {
            lines.push(line);
        }
    }
    if lines.is_empty() {
        String::new()
    } else {
        format!("<reference>\n{}\n</reference>\n", lines.join("\n"))
    }
}

/// Defects with their kinds, the valid range, and the rules for citing.
fn citation_prompt(findings: &[&Finding], sources: usize) -> String {
    let mut out = String::from("These defects were found in your answer:\n");
    for finding in findings.iter().take(FEEDBACK_LINES) {
        let _ = writeln!(out, "- {}: {}", finding.kind, escape(&finding.detail));
    }
    match sources {
        0 => out.push_str("There is no source to cite; write no marker.\n"),
        1 => out.push_str("The only valid marker is [^1].\n"),
        _ => {
            let _ = writeln!(out, "Valid markers are [^1] to [^{sources}].");
        }
    }
    out.push_str(
        "Invent no source and renumber none. Say only what a source says, and cite it. Rather drop a marker, or a sentence, than invent one.\n",
    );
    out
}

/// Text on one line that cannot close or open a region of a prompt.
fn escape(text: &str) -> String {
    // Most texts have none of it; what is not ASCII may be a control character.
    let plain = |byte: u8| matches!(byte, b' '..=b'~') && !matches!(byte, b'<' | b'>' | b'&');
    if text.bytes().all(plain) {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

/// Why an answer was rejected, in a sentence.
#[must_use]
pub fn reason(report: &Report) -> String {
    let failed: Vec<String> = report
        .checks
        .iter()
        .filter(|check| check.status == CheckStatus::Failed)
        .map(|check| format!("{}: {}", check.name, check.reason))
        .collect();
    if failed.is_empty() { "the answer did not stand".to_owned() } else { failed.join("; ") }
}

/// What follows from the form of the citations alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CitationPolicy {
    /// The answer may stand.
    Ok,
    /// Draft again with this instruction.
    Retry {
        /// What to tell the generator.
        prompt: String,
    },
    /// The budget is spent.
    GiveUp {
        /// What is wrong, in text order.
        errors: Vec<Finding>,
    },
}

/// The pure citation policy: lenient mode and a scan without defects are fine, a first strict draft is retried. A scan
/// that found nothing is fine too; coverage is a check of its own.
#[must_use]
pub fn validate(scan: &Scan, sources: usize, mode: Mode, attempt: Attempt) -> CitationPolicy {
    if scan.defects.is_empty() || mode == Mode::Lenient {
        return CitationPolicy::Ok;
    }
    let errors: Vec<Finding> = scan
        .defects
        .iter()
        .map(|defect| Finding {
            kind: defect.kind.as_str().to_owned(),
            detail: defect.detail.clone(),
            span: Some(defect.span),
        })
        .collect();
    match attempt {
        Attempt::First => {
            let findings: Vec<&Finding> = errors.iter().collect();
            CitationPolicy::Retry {
                prompt: citation_prompt(&findings, sources) + "Answer the question again, in full.\n",
            }
        }
        Attempt::Retry => CitationPolicy::GiveUp { errors },
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::panic)]
    use super::*;
    use crate::citations::scan;

    #[test]
    fn first_strict_draft_is_retried_and_the_second_given_up() {
        let found = scan("A [^0] b [^4].", 2);
        let CitationPolicy::Retry { prompt } = validate(&found, 2, Mode::Strict, Attempt::First) else {
            panic!("no retry")
        };
        assert_eq!(
            prompt,
            "These defects were found in your answer:\n\
             - malformed: [^0] is no citation: sources are numbered from 1\n\
             - out_of_range: [^4] is not among the 2 sources\n\
             Valid markers are [^1] to [^2].\n\
             Invent no source and renumber none. Say only what a source says, and cite it. Rather drop a marker, or a sentence, than invent one.\n\
             Answer the question again, in full.\n"
        );
        let CitationPolicy::GiveUp { errors } = validate(&found, 2, Mode::Strict, Attempt::Retry) else {
            panic!("no end")
        };
        assert_eq!(errors.len(), 2);
        assert_eq!(validate(&found, 2, Mode::Lenient, Attempt::First), CitationPolicy::Ok);
        assert_eq!(validate(&scan("No marker.", 2), 2, Mode::Strict, Attempt::First), CitationPolicy::Ok);
    }
}
