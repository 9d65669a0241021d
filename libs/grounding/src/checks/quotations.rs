//! The check of quotations against the sources.

use super::Case;
use super::outcome::{Outcome, clip, counted, finding};
use assay_domain::report::{CheckName, CheckStatus, ClaimKind};

/// Fewest words of a quotation that is held against its source.
const QUOTED_WORDS: usize = 4;

pub(super) fn content_match(case: &Case<'_>) -> Outcome {
    let index = case.judge.index();
    if index.is_empty() {
        return Outcome::absent("there are no sources");
    }
    let (mut any, mut findings) = (false, Vec::new());
    for (unit, claim) in case.parsed.units.iter().zip(&case.parsed.reading.claims) {
        if unit.kind == ClaimKind::Code {
            continue;
        }
        for quotation in quotations(&unit.marked_up) {
            let words = index.analyse(quotation, None);
            if words.tokens.len() < QUOTED_WORDS {
                continue;
            }
            any = true;
            if !index.passages.iter().any(|passage| passage.quotes(&words)) {
                let detail = format!("no source holds this quotation: {}", clip(quotation));
                findings.push(finding(CheckName::ContentMatch.as_str(), detail, Some(claim.span)));
            }
        }
    }
    match (any, findings.len()) {
        (false, _) => Outcome::absent("there is no quotation"),
        (true, 0) => Outcome::passed(),
        (true, n) => Outcome::with(
            CheckStatus::Flagged,
            counted(n, "quotation differs", "quotations differ"),
            findings,
        ),
    }
}

/// Texts between quotation marks.
fn quotations(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(open) = rest.find(['"', '“', '«']) {
        let mark = rest[open..].chars().next().unwrap_or('"');
        let from = open + mark.len_utf8();
        let close = match mark {
            '“' => '”',
            '«' => '»',
            _ => '"',
        };
        let Some(end) = rest[from..].find(close).map(|n| from + n) else { break };
        found.push(&rest[from..end]);
        rest = &rest[end + close.len_utf8()..];
    }
    found
}
