//! Checks of the markers: their form, the claims without one, and where they lead.

use super::Case;
use super::names::{exists, near};
use super::outcome::{Outcome, clip, counted, finding};
use crate::assess;
use crate::assess::Broken;
use assay_domain::SourceKind;
use assay_domain::report::{Attempt, CheckName, CheckStatus, Claim, ClaimKind, ClaimStatus, Finding};
use std::collections::BTreeSet;

pub(super) fn syntax(case: &Case<'_>) -> Outcome {
    if case.judge.terms().sources.is_empty() {
        return Outcome::absent("there are no sources");
    }
    let defects = &case.parsed.reading.defects;
    if !defects.is_empty() {
        let findings =
            defects.iter().map(|d| finding(d.kind.as_str(), d.detail.clone(), Some(d.span))).collect();
        let reason = counted(defects.len(), "defect of form", "defects of form");
        return Outcome::with(CheckStatus::Failed, reason, findings);
    }
    Outcome::passed()
}

pub(super) fn coverage(case: &Case<'_>) -> Outcome {
    let terms = case.judge.terms();
    if terms.citations_optional {
        return Outcome::absent("citations are not required");
    }
    if terms.sources.is_empty() {
        return Outcome::absent("there are no sources");
    }
    let reading = &case.parsed.reading;
    let units = &case.parsed.units;
    // Labels and lead-ins are judged, and need no marker.
    let wants = |at: usize| units.get(at).is_some_and(|unit| unit.kind == ClaimKind::Factual && !unit.exempt);
    let factual: Vec<(usize, &Claim)> =
        reading.claims.iter().enumerate().filter(|(at, _)| wants(*at)).collect();
    if factual.is_empty() {
        return Outcome::absent("there is no factual claim");
    }
    let editor = |at: usize| {
        let unit = units.get(at);
        unit.is_some_and(|unit| assess::editor_places(case.judge, &unit.editor).iter().any(Option::is_some))
    };
    let own =
        |at: usize| reading.claims.get(at).is_some_and(|claim| !claim.citations.is_empty()) || editor(at);
    // A marker in a table row cites the whole row.
    let row = |at: usize| units.get(at).and_then(|unit| unit.row);
    let rows: BTreeSet<(usize, usize)> =
        (0..units.len()).filter_map(|cell| row(cell).filter(|_| own(cell))).collect();
    // A claim that lost a marker which led nowhere, and that another place supports, is flagged for that and not uncited.
    let upheld = |at: usize| {
        let judged = case.assessed.judged.get(at).and_then(Option::as_ref);
        case.assessed.stripped.binary_search(&at).is_ok()
            && judged.is_some_and(|judged| judged.status == ClaimStatus::Supported)
    };
    let cited = |at: usize| own(at) || upheld(at) || row(at).is_some_and(|row| rows.contains(&row));
    let uncited: Vec<&Claim> =
        factual.iter().filter(|(at, _)| !cited(*at)).map(|(_, claim)| *claim).collect();
    if uncited.is_empty() {
        return Outcome::passed();
    }
    let policy = case.judge.policy();
    let none = reading.citations.is_empty() && !(0..units.len()).any(editor);
    let fails = none
        || (uncited.len() >= policy.uncited_count
            && exceeds(uncited.len(), factual.len(), policy.uncited_share));
    let kind = CheckName::CitationCoverage.as_str();
    let findings = uncited
        .iter()
        .map(|claim| {
            finding(kind, format!("no source is cited for: {}", clip(&claim.text)), Some(claim.span))
        })
        .collect();
    let reason =
        format!("{} of {} without a citation", uncited.len(), counted(factual.len(), "claim", "claims"));
    Outcome::with(if fails { CheckStatus::Failed } else { CheckStatus::Flagged }, reason, findings)
}

#[allow(clippy::cast_precision_loss)]
pub(super) fn exceeds(part: usize, whole: usize, share: f64) -> bool {
    part as f64 > share * whole as f64
}

/// Markers that lead nowhere, of the kind that a check looks for.
pub(super) fn broken(case: &Case<'_>, name: CheckName) -> Vec<Finding> {
    let of_kind = |broken: &Broken| matches!(broken, Broken::Source(_)) == (name == CheckName::SourceExists);
    let citations = case.parsed.reading.citations.iter().zip(&case.assessed.broken);
    citations
        .filter_map(|(citation, broken)| Some((citation, broken.as_ref().filter(|broken| of_kind(broken))?)))
        .map(|(citation, broken)| finding(name.as_str(), broken.detail(), Some(citation.span)))
        .collect()
}

/// The flags of markers that were taken out, of the kind that a check looks for.
pub(super) fn removed(case: &Case<'_>, name: CheckName) -> Vec<Finding> {
    let of_kind = |broken: &&Broken| matches!(broken, Broken::Source(_)) == (name == CheckName::SourceExists);
    let removed = case.removed.iter().filter(of_kind);
    removed.map(|broken| finding("citation_removed", format!("removed: {}", broken.detail()), None)).collect()
}

/// Places in the caller's editor that do not exist: of an editor that was not given, or lines that it does not have.
fn broken_editor(case: &Case<'_>, name: CheckName) -> Vec<Finding> {
    let given = case.judge.terms().sources.iter().any(|source| source.kind == SourceKind::Editor);
    if given == (name == CheckName::SourceExists) {
        return Vec::new();
    }
    let units = case.parsed.units.iter().zip(&case.parsed.reading.claims);
    let mut found = Vec::new();
    for (unit, claim) in units {
        let places = assess::editor_places(case.judge, &unit.editor);
        for (lines, _) in unit.editor.iter().zip(&places).filter(|(_, place)| place.is_none()) {
            let detail = match name {
                CheckName::SourceExists => format!("editor:L{lines} cites an editor, and none was given"),
                _ => format!("editor:L{lines}: the editor does not have these lines"),
            };
            found.push(finding(name.as_str(), detail, Some(claim.span)));
        }
    }
    found
}

pub(super) fn source_exists(case: &Case<'_>) -> Outcome {
    if case.judge.terms().sources.is_empty() {
        return Outcome::absent("there are no sources");
    }
    let name = CheckName::SourceExists;
    let mut failed = broken(case, name);
    failed.extend(broken_editor(case, name));
    let mut flagged = removed(case, name);
    let mentions = case.mentions();
    let mut open = None;
    for mention in mentions.iter().filter(|mention| mention.cited) {
        match exists(case, &mention.name) {
            Ok(true) => {}
            Ok(false) => {
                let detail = format!("{} is not in the index{}", mention.name, near(case, &mention.name));
                let finding = finding(name.as_str(), detail, Some(mention.span));
                let first = case.judge.terms().attempt == Attempt::First;
                if first { failed.push(finding) } else { flagged.push(finding) }
            }
            Err(reason) => open = Some(reason.to_owned()),
        }
    }
    let anything = !case.parsed.reading.citations.is_empty() || mentions.iter().any(|mention| mention.cited);
    resolved(failed, flagged, open, anything)
}

pub(super) fn line_range(case: &Case<'_>) -> Outcome {
    if case.judge.terms().sources.is_empty() {
        return Outcome::absent("there are no sources");
    }
    let name = CheckName::LineRange;
    let narrowed = case.parsed.reading.citations.iter().any(|citation| citation.lines.is_some());
    let mut failed = broken(case, name);
    failed.extend(broken_editor(case, name));
    let narrowed = narrowed || case.parsed.units.iter().any(|unit| !unit.editor.is_empty());
    resolved(failed, removed(case, name), None, narrowed)
}

fn resolved(failed: Vec<Finding>, flagged: Vec<Finding>, open: Option<String>, anything: bool) -> Outcome {
    if !failed.is_empty() {
        let reason = counted(failed.len(), "citation leads nowhere", "citations lead nowhere");
        return Outcome { notes: flagged, ..Outcome::with(CheckStatus::Failed, reason, failed) };
    }
    if !flagged.is_empty() {
        let reason = counted(flagged.len(), "citation led nowhere", "citations led nowhere");
        return Outcome::with(CheckStatus::Flagged, reason, flagged);
    }
    match open {
        Some(reason) => Outcome::new(CheckStatus::NotChecked, reason),
        None if anything => Outcome::passed(),
        None => Outcome::absent("there is nothing to resolve"),
    }
}
