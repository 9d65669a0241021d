//! The check of active content: markup that runs, loads from elsewhere, or disguises what a reader sees.

use super::Case;
use super::outcome::{Outcome, counted, finding};
use crate::document::Active;
use crate::readable::shows_nothing;
use assay_domain::report::{CheckName, CheckStatus, Finding};

/// Longest piece of active content that a finding quotes, in characters.
const QUOTE: usize = 80;

/// What is active in an answer, in text order.
pub(super) fn active(case: &Case<'_>) -> Vec<Finding> {
    let parsed = case.parsed;
    let said = |active: &Active| {
        let text = &parsed.document.text[active.range.start..];
        // What shows nothing, or turns what follows, would do so in the message as well.
        let line = text.chars().take_while(|c| *c != '\n').take(QUOTE);
        let written: String = line.filter(|c| !shows_nothing(*c)).collect();
        let place = parsed.offsets.span(active.range.clone());
        finding(CheckName::Markup.as_str(), format!("{}: {written}", active.what), Some(place))
    };
    parsed.document.active.iter().map(said).collect()
}

pub(super) fn markup(case: &Case<'_>) -> Outcome {
    let findings = active(case);
    if findings.is_empty() {
        return Outcome::absent("there is no active content");
    }
    let reason = counted(findings.len(), "piece of active content", "pieces of active content");
    Outcome::with(CheckStatus::Failed, reason, findings)
}
