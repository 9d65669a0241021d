//! Rule `direction`: the claim swaps who does what to whom.

use super::case::{SAME_SUBJECT, SAME_WORDS, phrase};
use super::opposites::{pairs, sides};
use super::{Case, Finding, Kind, Rule};
use crate::flags;
use crate::index::Analysed;
use crate::lists;
use crate::share::plain_share;
use crate::tokens::TokenKind;

/// The same words with their sides turned round.
pub(super) struct Direction;

impl Rule for Direction {
    fn name(&self) -> &'static str {
        "direction"
    }

    fn judge(&self, case: &Case<'_>) -> Vec<Finding> {
        let Some(best) = case.best(SAME_WORDS) else { return Vec::new() };
        if alike_turned(case.claim, best) {
            return Vec::new();
        }
        swapped(case, best).or_else(|| exchanged(case, best)).into_iter().collect()
    }
}

/// Whether the sides of what both say may stand the other way round, or the texts say too little of the same.
fn alike_turned(claim: &Analysed, best: &Analysed) -> bool {
    // "A before B" and "B after A" say the same.
    let converse = || {
        let mut turned = pairs(claim, best).into_iter();
        turned.any(|(at, _)| lists::RELATIONAL.contains(&claim.tokens[at].norm.as_str()))
    };
    let passive = |words: &Analysed| words.any_is(flags::PASSIVE);
    passive(claim) != passive(best)
        || plain_share(best, claim) < SAME_SUBJECT
        || converse()
        || inverted(claim) != inverted(best)
        || goes(claim, best)
        || goes(best, claim)
}

/// "The rows are skipped", "se omiten las filas": the sides of a verb in the passive stand the other way round.
fn inverted(words: &Analysed) -> bool {
    words.tokens.iter().any(|token| token.norm == "se")
        || words.tokens.windows(2).any(|two| {
            matches!(two[0].norm.as_str(), "is" | "are" | "was" | "were" | "be" | "been" | "being")
                && (two[1].norm.ends_with("ed")
                    || two[1].norm.ends_with("en")
                    || two[1].norm != crate::lexicon::regular(words.language, &two[1].norm))
        })
}

/// "A copies it to B" and "B gets a copy from A".
fn goes(one: &Analysed, two: &Analysed) -> bool {
    let says = |words: &Analysed, list: &[&str]| {
        words.tokens.iter().any(|token| list.contains(&token.norm.as_str()))
    };
    let (source, goal): (&[&str], &[&str]) = (&["from", "desde"], &["to", "into", "hasta", "al"]);
    says(one, source) && !says(two, source) && says(two, goal) && !says(one, goal)
}

/// The same two things in each other's place.
fn swapped(case: &Case<'_>, best: &Analysed) -> Option<Finding> {
    let (claim, alignment) = (case.claim, &case.alignment);
    if [claim, best].iter().any(|words| words.tokens.iter().any(|token| token.norm == "se")) {
        return None;
    }
    let stems = |words: &Analysed, range: std::ops::Range<usize>| -> Vec<u64> {
        let content = words.tokens[range].iter().filter(|token| token.content());
        content.map(|token| token.stem).collect()
    };
    let figure = |words: &Analysed, range: std::ops::Range<usize>| {
        words.tokens[range].iter().any(|token| matches!(token.kind, TokenKind::Number(_)))
    };
    let all_in = |one: &[u64], two: &[u64]| one.iter().all(|stem| two.contains(stem));
    alignment.gaps.iter().enumerate().find_map(|(first, gap)| {
        let (mine, theirs) = (stems(claim, gap.claim.clone()), stems(best, gap.source.clone()));
        let mixed = figure(claim, gap.claim.clone()) != figure(best, gap.source.clone());
        let short = |stems: &[u64]| (1..=2).contains(&stems.len());
        if !short(&mine) || !short(&theirs) || mixed || mine[0] == theirs[0] {
            return None;
        }
        alignment.gaps[first + 1..].iter().find_map(|other| {
            let (behind, behind_theirs) =
                (stems(claim, other.claim.clone()), stems(best, other.source.clone()));
            let crossed = behind.len() <= 2
                && behind_theirs.len() <= 2
                && all_in(&mine, &behind_theirs)
                && all_in(&behind_theirs, &mine)
                && all_in(&behind, &theirs)
                && all_in(&theirs, &behind);
            let between = &claim.tokens[gap.claim.end..other.claim.start];
            let listed = between.iter().all(|token| !token.content())
                && between
                    .iter()
                    .any(|token| matches!(token.norm.as_str(), "and" | "or" | "y" | "o" | "e" | "u"));
            let said = phrase(&claim.tokens, gap.claim.start..=other.claim.end.saturating_sub(1));
            let held = phrase(&best.tokens, gap.source.start..=other.source.end.saturating_sub(1));
            (crossed && !listed).then(|| Finding::contradicts(Kind::Direction, &said, &held))
        })
    })
}

/// The two sides of a relation exchanged.
fn exchanged(case: &Case<'_>, best: &Analysed) -> Option<Finding> {
    let claim = case.claim;
    if inverted(claim) {
        return None;
    }
    case.alignment.pairs.iter().find_map(|&(at, place)| {
        let token = &claim.tokens[at];
        let joins =
            matches!(token.norm.as_str(), "and" | "or" | "y" | "o" | "the" | "a" | "an" | "of" | "de");
        let relates = token.content() && !joins && !matches!(token.kind, TokenKind::Number(_));
        let (left, right) = sides(&claim.tokens, at);
        let turned = left != 0 && right != 0 && left != right && (right, left) == sides(&best.tokens, place);
        let said = |words: &Analysed, at: usize| {
            phrase(&words.tokens, at.saturating_sub(2)..=(at + 2).min(words.tokens.len() - 1))
        };
        (relates && turned)
            .then(|| Finding::contradicts(Kind::Direction, &said(claim, at), &said(best, place)))
    })
}
