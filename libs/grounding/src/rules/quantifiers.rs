//! Quantifiers and modals that say more, or less, than those of the source.

use super::{Case, Mismatch, Strength, contradiction};
use crate::align::Alignment;
use crate::index::Analysed;
use crate::lists;
use crate::lists::Quantifier;
use crate::tokens::Token;

pub(super) fn quantifiers(
    case: &Case<'_>,
    best: &Analysed,
    alignment: &Alignment,
    shared: f64,
    found: &mut Vec<Mismatch>,
) {
    let claim = case.claim;
    if shared < 0.6 {
        return;
    }
    let own = classes(&claim.tokens);
    let theirs = classes(&best.tokens);
    for (at, class) in &own {
        if theirs.iter().any(|(_, other)| other == class) {
            continue;
        }
        let next = follower(&claim.tokens, *at);
        let rival = theirs.iter().find(|(place, other)| {
            class.conflicts(*other)
                && !own.iter().any(|(_, mine)| mine == other)
                && next != 0
                && (follower(&best.tokens, *place) == next || in_same_gap(alignment, *at, *place))
        });
        if let Some((place, _)) = rival
            && super::denials(claim) == super::denials(best)
        {
            found.push(contradiction("quantifier", &claim.tokens[*at].text, &best.tokens[*place].text));
            return;
        }
        let word = &claim.tokens[*at];
        let extra = (0..claim.tokens.len())
            .filter(|i| {
                claim.tokens[*i].content() && i != at && !alignment.pairs.iter().any(|(mine, _)| mine == i)
            })
            .count();
        let close = alignment.share >= 0.85 && shared >= 0.85 && extra == 0;
        let absent = !case
            .evidence
            .iter()
            .any(|sentence| classes(&sentence.tokens).iter().any(|(_, other)| other == class));
        if close && absent && lists::STRENGTHENERS.contains(&word.norm.as_str()) && *class != Quantifier::None
        {
            let reason = format!("quantifier: the claim says \"{}\", which the source does not", word.text);
            found.push(Mismatch { strength: Strength::Added, rule: "quantifier", reason });
            return;
        }
    }
}

pub(super) fn classes(tokens: &[Token]) -> Vec<(usize, Quantifier)> {
    let next = |at: usize| tokens.get(at + 1).map_or("", |token: &Token| token.norm.as_str());
    (0..tokens.len())
        .filter(|at| tokens[*at].bounds)
        .filter_map(|at| lists::quantifier(&tokens[at].norm, next(at)).map(|class| (at, class)))
        .collect()
}

/// Stem of the content word behind a token, which is what it is about.
pub(super) fn follower(tokens: &[Token], at: usize) -> u64 {
    let plain =
        |token: &&Token| token.content() && !matches!(token.kind, crate::tokens::TokenKind::Number(_));
    tokens[at + 1..].iter().take(6).find(plain).map_or(0, |token| token.stem)
}

pub(super) fn in_same_gap(alignment: &Alignment, at: usize, place: usize) -> bool {
    alignment.gaps.iter().any(|gap| gap.claim.contains(&at) && gap.source.contains(&place))
}
