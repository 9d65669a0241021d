//! Claims that deny what the source affirms, or affirm what it denies.

use super::opposites::opposed;
use super::{Case, Mismatch, contradiction, phrase};
use crate::align::Alignment;
use crate::index::Analysed;
use crate::lists;
use crate::tokens::Token;

/// Whether a token denies what follows it; "not only" and "no more than" do not.
pub(super) fn is_negator(tokens: &[Token], at: usize) -> bool {
    let token = &tokens[at];
    if !token.denies {
        return false;
    }
    let next = tokens.get(at + 1).map_or("", |token| token.norm.as_str());
    let softened =
        matches!(next, "only" | "solo" | "more" | "less" | "later" | "fewer" | "mas" | "menos" | "matter");
    !softened
}

/// Whether a content token stands in the reach of a negator: up to four tokens behind it in the same clause.
pub(super) fn negated(tokens: &[Token], at: usize) -> bool {
    let mut seen = at;
    for _ in 0..5 {
        if tokens[seen].after_break || seen == 0 {
            return false;
        }
        seen -= 1;
        if tokens[seen].norm == "but" || tokens[seen].norm == "pero" {
            return false;
        }
        if is_negator(tokens, seen) {
            return true;
        }
    }
    false
}

/// The first content token behind a negator, in reach.
pub(super) fn denied(tokens: &[Token], at: usize) -> Option<usize> {
    let behind = (at + 1..tokens.len().min(at + 6))
        .take_while(|next| !tokens[*next].after_break)
        .find(|next| tokens[*next].content() && tokens[*next].norm != "longer");
    // "changes nothing": what it denies stands before it.
    let object = matches!(tokens[at].norm.as_str(), "nothing" | "nobody" | "none" | "nada" | "nadie");
    if object { (at.saturating_sub(3)..at).rev().find(|before| tokens[*before].content()) } else { behind }
}

/// Whether a word outside the aligned ones denies by its meaning.
pub(super) fn softly_negative(analysed: &Analysed, aligned: impl Fn(usize) -> bool) -> bool {
    analysed.tokens.iter().enumerate().any(|(at, token)| {
        let denies = lists::SOFT_NEGATORS.contains(&token.norm.as_str())
            || (token.norm.len() > 6 && (token.norm.starts_with("un") || token.norm.starts_with("non")));
        denies && !aligned(at)
    })
}

pub(super) fn negation(case: &Case<'_>, alignment: &Alignment, found: &mut Vec<Mismatch>) {
    let (claim, Some(best)) = (case.claim, case.evidence.first()) else { return };
    if alignment.share < 0.55 {
        return;
    }
    let any = |analysed: &Analysed| (0..analysed.tokens.len()).any(|at| is_negator(&analysed.tokens, at));
    // The claim denies what the source affirms.
    if !any(best) && !softly_negative(best, |at| alignment.pairs.iter().any(|(_, theirs)| *theirs == at)) {
        for at in (0..claim.tokens.len()).filter(|at| is_negator(&claim.tokens, *at)) {
            let Some(target) = denied(&claim.tokens, at) else { continue };
            if alignment.pairs.iter().any(|(mine, _)| *mine == target) && !opposed(claim, best) {
                found.push(contradiction(
                    "negation",
                    &phrase(&claim.tokens, at..=target),
                    &claim.tokens[target].text,
                ));
                return;
            }
        }
    }
    // The source denies what the claim affirms.
    if any(claim) || softly_negative(claim, |at| best.holds(claim.tokens[at].stem)) {
        return;
    }
    for at in (0..best.tokens.len()).filter(|at| is_negator(&best.tokens, *at)) {
        let Some(target) = denied(&best.tokens, at) else { continue };
        let said = alignment.pairs.iter().find(|(_, theirs)| *theirs == target);
        if let (Some((mine, _)), false) = (said, opposed(claim, best)) {
            found.push(contradiction(
                "negation",
                &claim.tokens[*mine].text,
                &phrase(&best.tokens, at..=target),
            ));
            return;
        }
    }
}
