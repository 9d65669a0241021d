//! The check of names that nothing at hand holds.

use super::Case;
use super::outcome::{Outcome, counted, finding};
use crate::spelling;
use assay_domain::report::{CheckName, CheckStatus};

/// Most names offered in place of an unknown one.
const NEAR: usize = 3;

/// Whether a name exists, or why nobody knows.
pub(super) fn exists<'c>(case: &'c Case<'_>, name: &str) -> Result<bool, &'c str> {
    if case.judge.sources_are_all() {
        // No index is asked; a language may know the name all the same.
        let known = case.facts.known.as_deref().unwrap_or_default();
        return Ok(known.iter().any(|fact| fact.name == name && fact.exists));
    }
    let known = case.facts.known.as_ref().map_err(String::as_str)?;
    known.iter().find(|fact| fact.name == name).map(|fact| fact.exists).ok_or("not_looked_up")
}

/// Known names that are spelled like an unknown one: those that the index offers, else those of the sources.
pub(super) fn near(case: &Case<'_>, name: &str) -> String {
    let facts = case.facts.known.as_deref().unwrap_or_default();
    let of_index = facts.iter().find(|fact| fact.name == name).map(|fact| fact.near.clone());
    let near = match of_index.filter(|near| !near.is_empty()) {
        Some(near) => near,
        None => spelling::nearest(name, case.names().iter().copied(), NEAR),
    };
    match near.iter().take(NEAR).map(String::as_str).collect::<Vec<_>>().split_last() {
        None => String::new(),
        Some((last, [])) => format!("; perhaps {last}"),
        Some((last, others)) => format!("; perhaps {} or {last}", others.join(", ")),
    }
}

pub(super) fn identifiers(case: &Case<'_>) -> Outcome {
    let mentions = case.mentions();
    let (mut open, mut path, mut findings) = (None, false, Vec::new());
    for mention in mentions.iter().filter(|mention| !mention.cited) {
        match exists(case, &mention.name) {
            Ok(true) => {}
            Ok(false) => {
                path |= mention.path;
                let place = if case.judge.sources_are_all() { "sources" } else { "sources and index" };
                let near = near(case, &mention.name);
                let detail = format!("{} is unknown to {place}{near}", mention.name);
                findings.push(finding(CheckName::Identifiers.as_str(), detail, Some(mention.span)));
            }
            Err(reason) => open = Some(reason.to_owned()),
        }
    }
    let mut reason = counted(findings.len(), "unknown name", "unknown names");
    if let (false, Some(why)) = (findings.is_empty(), &open) {
        reason = format!("{reason}; others were not checked ({why})");
    }
    match (findings.is_empty(), open) {
        (false, _) if path => Outcome::with(CheckStatus::Failed, reason, findings),
        (false, _) => Outcome::with(CheckStatus::Flagged, reason, findings),
        (true, Some(reason)) => Outcome::new(CheckStatus::NotChecked, reason),
        (true, None) => Outcome::passed(),
    }
}
