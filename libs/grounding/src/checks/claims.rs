//! The check of claims against their sources, and of the sources against the question.

use super::Case;
use super::citations::exceeds;
use super::outcome::{Outcome, clip, counted, finding};
use super::plain;
use crate::assess::Note;
use assay_domain::report::{CheckName, CheckStatus, Claim, ClaimKind, ClaimStatus, Finding};

/// Judged factual claims with their status.
pub(super) fn claims<'c>(case: &'c Case<'_>) -> impl Iterator<Item = (usize, ClaimStatus)> + 'c {
    case.assessed.judged.iter().enumerate().filter_map(|(at, judged)| Some((at, judged.as_ref()?.status)))
}

/// What is wrong with a claim.
pub(super) fn said(case: &Case<'_>, at: usize) -> Finding {
    let (Some(claim), Some(Some(judged))) =
        (case.parsed.reading.claims.get(at), case.assessed.judged.get(at))
    else {
        return finding(CheckName::ClaimSupport.as_str(), "", None);
    };
    let what = match judged.status {
        ClaimStatus::Contradicted => "contradicted",
        ClaimStatus::Unsupported => "unsupported",
        ClaimStatus::SupportedElsewhere => "supported elsewhere",
        _ => "not checked",
    };
    let detail = format!("{what} ({}): {}", judged.reason, clip(&claim.text));
    finding(CheckName::ClaimSupport.as_str(), detail, Some(claim.span))
}

pub(super) fn claim_support(case: &Case<'_>) -> Outcome {
    let outcome = of_claims(case);
    let unread = plain::unread(case);
    if unread.is_empty() {
        return outcome;
    }
    match outcome.status {
        CheckStatus::Failed => Outcome { notes: [outcome.notes, unread].concat(), ..outcome },
        CheckStatus::NotChecked if !case.judge.holds_claims() => outcome,
        _ => {
            let reason = counted(unread.len(), "sentence of a plain block", "sentences of plain blocks");
            let findings = [outcome.findings, unread].concat();
            Outcome {
                notes: outcome.notes,
                ..Outcome::with(CheckStatus::Flagged, format!("{reason} not in the sources"), findings)
            }
        }
    }
}

fn of_claims(case: &Case<'_>) -> Outcome {
    if !case.judge.holds_claims() {
        let factual = |claim: &Claim| claim.kind == ClaimKind::Factual;
        let says = case.parsed.reading.claims.iter().any(factual) || plain::says(case);
        return if says {
            Outcome::new(CheckStatus::NotChecked, "there are no sources")
        } else {
            Outcome::absent("there is no factual claim")
        };
    }
    let of = |wanted: ClaimStatus| -> Vec<usize> {
        claims(case).filter(|(_, status)| *status == wanted).map(|(at, _)| at).collect()
    };
    if claims(case).next().is_none() {
        return Outcome::absent("there is no factual claim");
    }
    let (contradicted, unsupported) = (of(ClaimStatus::Contradicted), of(ClaimStatus::Unsupported));
    let (elsewhere, open) = (of(ClaimStatus::SupportedElsewhere), of(ClaimStatus::NotChecked));
    // What was not judged says nothing about how much of the answer is good.
    let total = claims(case).count() - open.len();
    let policy = case.judge.policy();
    let too_many = unsupported.len() >= policy.unsupported_count
        && exceeds(unsupported.len(), total, policy.unsupported_share);
    let bad = contradicted.len() + unsupported.len();
    let fails = !contradicted.is_empty() || too_many || (total > 0 && unsupported.len() == total);
    let told =
        |lists: [&[usize]; 3]| -> Vec<Finding> { lists.concat().iter().map(|at| said(case, *at)).collect() };
    let mut outcome = if fails {
        let reason = format!("{bad} of {} unsupported or contradicted", counted(total, "claim", "claims"));
        Outcome {
            notes: told([&elsewhere, &[], &[]]),
            ..Outcome::with(CheckStatus::Failed, reason, told([&contradicted, &unsupported, &[]]))
        }
    } else if !unsupported.is_empty() || !elsewhere.is_empty() {
        let all = counted(total, "claim", "claims");
        let another = "supported by another source than the cited one";
        let reason = match (unsupported.len(), elsewhere.len()) {
            (some, 0) => format!("{some} of {all} unsupported"),
            (0, some) => format!("{some} of {all} {another}"),
            (some, others) => format!("{some} of {all} unsupported, {others} {another}"),
        };
        Outcome::with(CheckStatus::Flagged, reason, told([&unsupported, &elsewhere, &[]]))
    } else if let Some(first) = open.first() {
        let judged = case.assessed.judged.get(*first).and_then(Option::as_ref);
        let reason = judged.map(|judged| judged.reason.clone()).unwrap_or_default();
        Outcome::new(CheckStatus::NotChecked, reason)
    } else {
        Outcome::passed()
    };
    outcome.notes.extend(open.iter().map(|at| said(case, *at)));
    scored(case, &mut outcome, total);
    for index in &case.assessed.idle {
        if let Some(citation) = case.parsed.reading.citations.get(*index) {
            let detail =
                format!("{} does not support what it stands beside; another marker does", citation.text);
            outcome.notes.push(finding(CheckName::ClaimSupport.as_str(), detail, Some(citation.span)));
        }
    }
    outcome
}

/// What the reader leaves to say: a claim of which it gave no reading is no pass.
fn scored(case: &Case<'_>, outcome: &mut Outcome, total: usize) {
    let told = |note: &Note| {
        let claim = case.parsed.reading.claims.get(note.claim);
        let text = claim.map(|claim| clip(&claim.text)).unwrap_or_default();
        let span = claim.map(|claim| claim.span);
        finding(CheckName::ClaimSupport.as_str(), format!("{}: {text}", note.detail), span)
    };
    let unscored = &case.assessed.unscored;
    if outcome.status == CheckStatus::Passed
        && let Some(first) = unscored.first()
    {
        let all = counted(total, "claim", "claims");
        outcome.status = CheckStatus::NotChecked;
        outcome.reason = format!("{} of {all} {}", unscored.len(), first.detail);
    }
    outcome.notes.extend(unscored.iter().map(told));
}

pub(super) fn context_relevance(case: &Case<'_>, relevance: Option<f64>) -> Outcome {
    let Some(probability) = relevance else { return Outcome::absent("there is no question") };
    let bar = case.judge.policy().relevance_bar();
    if probability >= bar {
        return Outcome::passed();
    }
    let reason = format!("the sources answer the question with probability {probability:.2}, below {bar:.2}");
    let finding =
        finding(CheckName::ContextRelevance.as_str(), "the sources may not answer the question", None);
    Outcome::with(CheckStatus::Flagged, reason, vec![finding])
}
