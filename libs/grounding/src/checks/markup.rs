//! The check of active content: markup that runs, loads from elsewhere, or disguises what a reader sees.

use super::Case;
use super::outcome::{Outcome, counted, finding};
use crate::document::Active;
use assay_domain::report::{CheckName, CheckStatus, Finding};

/// What is active in an answer, in text order.
pub(super) fn active(case: &Case<'_>) -> Vec<Finding> {
    let (parsed, mut line, mut counted) = (case.parsed, 1, 0);
    let said = |active: &Active| {
        let at = active.range.start.max(counted);
        line += parsed.document.text[counted..at].matches('\n').count();
        counted = at;
        let place = parsed.offsets.span(active.range.clone());
        finding(CheckName::Markup.as_str(), format!("line {line} holds {}", active.what), Some(place))
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
