//! Quantifiers, bounds and modals that say more, or less, than those of the source.

use super::case::{NEAR_COPY, phrase};
use super::denials::{denials, deny_alike};
use super::exchange::before_not;
use super::negation::{names_an_exception, only_alike};
use super::opposites::opposed;
use super::{Case, Finding, Kind, Rule, Strength};
use crate::align::Alignment;
use crate::index::Analysed;
use crate::negators::negated;
use crate::quantifiers::{Quantifier, class, classes, obliges_by_having};
use crate::tokens::Token;

/// How much, how often and how binding, where the sentence says otherwise.
pub(super) struct Quantifiers;

impl Rule for Quantifiers {
    fn name(&self) -> &'static str {
        "quantifiers"
    }

    fn judge(&self, case: &Case<'_>) -> Vec<Finding> {
        let Some(best) = case.best(NEAR_COPY) else { return Vec::new() };
        if let Some(differs) = differs(case, best) {
            return vec![differs];
        }
        [bounds(case, best), more_than_only(case, best), added(case, best)].into_iter().flatten().collect()
    }
}

/// A class of the claim that conflicts with one of the sentence, about the same word or in the same place.
fn differs(case: &Case<'_>, best: &Analysed) -> Option<Finding> {
    let claim = case.claim;
    let (own, theirs) = (classes(&claim.tokens), classes(&best.tokens));
    let open = own.iter().filter(|(_, class)| !theirs.iter().any(|(_, other)| other == class));
    open.into_iter().find_map(|(at, class)| {
        let next = follower(&claim.tokens, *at);
        let rival = |(place, other): &&(usize, Quantifier)| {
            class.conflicts(*other)
                && !forbids(claim, *at, *class, best, *place, *other)
                && !mirrored(claim, *class, best, *other)
                && !own.iter().any(|(_, mine)| mine == other)
                && next != 0
                && negated(&claim.tokens, *at) == negated(&best.tokens, *place)
                && (follower(&best.tokens, *place) == next || in_same_gap(&case.alignment, *at, *place))
        };
        let (place, _) = theirs.iter().find(rival)?;
        let said = |words: &Analysed, at: usize| {
            let last = words.tokens.len() - 1;
            phrase(&words.tokens, at..=(at + 1).min(last))
        };
        Some(Finding::contradicts(Kind::Quantifier, &said(claim, *at), &said(best, *place)))
    })
}

/// Whether a sentence says somewhere of the same word what a quantifier or modal of the claim says of it.
pub(super) fn stands(claim: &Analysed, at: usize, best: &Analysed) -> bool {
    let about = follower(&claim.tokens, at);
    about != 0
        && (0..best.tokens.len()).any(|place| {
            class(&best.tokens, place) == class(&claim.tokens, at) && follower(&best.tokens, place) == about
        })
}

/// Whether both forbid: "must not" and "cannot" say the same; "never" for "always" turns with the word behind it.
fn forbids(
    claim: &Analysed,
    at: usize,
    own: Quantifier,
    best: &Analysed,
    place: usize,
    other: Quantifier,
) -> bool {
    use Quantifier::{All, May, Must, None, Should};
    let modal = |class: Quantifier| matches!(class, Must | May | Should);
    let not = |words: &Analysed, at: usize| negated(&words.tokens, at) || before_not(&words.tokens, at);
    let turned = matches!((own, other), (All, None) | (None, All));
    if turned && opposed(claim, best) {
        return true;
    }
    let free = |words: &Analysed, at: usize| obliges_by_having(&words.tokens[at]);
    (modal(own) && modal(other) && not(claim, at) && not(best, place) && free(claim, at) == free(best, place))
        || (turned && follower(&claim.tokens, at) != follower(&best.tokens, place))
}

/// Whether a bound is turned round together with what holds within it: "up to 10 without a permit" and "more than 10 needs a
/// permit", "up to 5 V" and "a higher voltage destroys it".
pub(super) fn mirrored(claim: &Analysed, own: Quantifier, best: &Analysed, other: Quantifier) -> bool {
    use Quantifier::{AtLeast, AtMost};
    let bounds = matches!((own, other), (AtMost, AtLeast) | (AtLeast, AtMost));
    let beyond = best.tokens.iter().any(|token| {
        matches!(
            token.norm.as_str(),
            "above"
                | "beyond"
                | "higher"
                | "larger"
                | "greater"
                | "mayor"
                | "mayores"
                | "superior"
                | "otherwise"
                | "others"
                | "demas"
                | "resto"
        )
    });
    bounds && (beyond || denials(claim) > 0 && denials(best) == 0 || !deny_alike(claim, best))
}

/// "Reads and writes" where the source says "only reads".
fn more_than_only(case: &Case<'_>, best: &Analysed) -> Option<Finding> {
    let (claim, alignment) = (case.claim, &case.alignment);
    let only =
        |words: &Analysed| classes(&words.tokens).into_iter().find(|(_, class)| *class == Quantifier::Only);
    let (None, Some((place, _)), true) = (only(claim), only(best), alignment.share >= 0.5) else {
        return None;
    };
    let open = |at: usize| alignment.pairs.binary_search_by_key(&at, |pair| pair.0).is_err();
    // What the source allows alone is in the claim, and something else is joined to it.
    let allowed = alignment.pairs.iter().any(|(_, theirs)| *theirs > place && best.tokens[*theirs].content());
    let joined = (1..claim.tokens.len()).find(|at| {
        let token = &claim.tokens[*at];
        let joins = |back: usize| {
            at.checked_sub(back).and_then(|at| claim.tokens.get(at)).is_some_and(|token| {
                matches!(token.norm.as_str(), "and" | "or" | "y" | "e" | "o" | "also" | "tambien" | "plus")
            })
        };
        token.content() && open(*at) && !best.says(token.stem) && (joins(1) || joins(2))
    });
    let at = joined.filter(|_| allowed && deny_alike(claim, best))?;
    let held = phrase(&best.tokens, place..=(place + 3).min(best.tokens.len() - 1));
    Some(Finding::contradicts(Kind::Quantifier, &phrase(&claim.tokens, at - 1..=at), &held))
}

/// Where the words that bound a figure begin, with what turns them: "not be larger than".
fn bound_start(words: &Analysed, figure: &crate::numbers::Quantity) -> usize {
    let turns = |at: &usize| words.tokens[*at].norm == "be" || words.tokens[*at].is(crate::flags::DENIES);
    let start = figure.first.saturating_sub(2);
    start - (start.saturating_sub(2)..start).rev().take_while(turns).count()
}

/// The same figure, bounded from the other side.
fn bounds(case: &Case<'_>, best: &Analysed) -> Option<Finding> {
    let claim = case.claim;
    let aside = case.alignment.share < NEAR_COPY || denials(claim) > 0 && denials(best) == 0;
    if aside || !deny_alike(claim, best) {
        return None;
    }
    claim.quantities.iter().filter(|figure| figure.bound.is_some()).find_map(|figure| {
        let mut equal = best.quantities.iter().filter(|other| other.equals(figure));
        let other = equal.next().filter(|_| equal.next().is_none())?;
        let said = phrase(&claim.tokens, bound_start(claim, figure)..=figure.last);
        let held = phrase(&best.tokens, bound_start(best, other)..=other.last);
        (other.bound.is_some() && other.bound != figure.bound)
            .then(|| Finding::contradicts(Kind::Quantifier, &said, &held))
    })
}

/// A word that makes the claim stronger and that no sentence beside it has: one more reason to doubt, none to decide, unless the
/// sentence limits what the claim says of all.
fn added(case: &Case<'_>, best: &Analysed) -> Option<Finding> {
    let claim = case.claim;
    // "Only open if not active" where the source says "open unless active".
    let unless = |words: &Analysed| denials(claim) > 0 && names_an_exception(words);
    let own = classes(&claim.tokens);
    let (at, class) = own.iter().find(|(at, class)| {
        let strong = matches!(class, Quantifier::All | Quantifier::Only | Quantifier::Must);
        let held = |words: &Analysed| {
            let limited = || only_alike(claim, words) || unless(words) || denials(words) > denials(claim);
            classes(&words.tokens).iter().any(|(_, other)| other == class)
                || (*class == Quantifier::Only && limited())
        };
        let close = case.alignment.share >= CLOSE && case.shared >= CLOSE && extra(case, *at) <= 1;
        strong && close && !held(best) && !case.evidence.iter().any(|sentence| held(sentence))
    })?;
    let text = &claim.tokens[*at].text;
    // "All children pay nothing" where the source says "children under twelve".
    let taken = |place: usize| case.alignment.pairs.iter().any(|(_, theirs)| *theirs == place);
    let limit = (0..best.tokens.len()).find(|place| !taken(*place) && limits(best, *place));
    Some(match limit.filter(|_| *class == Quantifier::All && extra(case, *at) == 0) {
        Some(place) => {
            let held = phrase(&best.tokens, place..=(place + 2).min(best.tokens.len() - 1));
            Finding::contradicts(Kind::Quantifier, text, &held)
        }
        None => Finding::puts_in(Strength::Added, Kind::Quantifier, text),
    })
}

/// Least share of a claim that adds a strong word to a sentence it repeats.
const CLOSE: f64 = 0.8;

/// Content words of the claim beside one that the sentence does not have.
fn extra(case: &Case<'_>, at: usize) -> usize {
    let own = |place: &usize| case.claim.tokens[*place].content() && *place != at && !case.aligned(*place);
    (0..case.claim.tokens.len()).filter(own).count()
}

/// Number of quantifier and modal classes of a claim that none of the sentences has.
pub(crate) fn bound_words_missing<'a>(
    claim: &Analysed,
    sentences: impl Iterator<Item = &'a Analysed>,
) -> usize {
    let held: Vec<Quantifier> =
        sentences.flat_map(|sentence| classes(&sentence.tokens)).map(|(_, class)| class).collect();
    let own = classes(&claim.tokens);
    own.iter().filter(|(_, class)| *class != Quantifier::Also && !held.contains(class)).count()
}

/// Whether a word of the source limits what it speaks of.
fn limits(words: &Analysed, at: usize) -> bool {
    let bound = class(&words.tokens, at);
    let limiting =
        matches!(words.tokens[at].norm.as_str(), "most" | "some" | "mayoria" | "algunos" | "algunas");
    limiting
        || words.tokens[at].is(crate::flags::EXCEPTS)
        || matches!(bound, Some(Quantifier::Only | Quantifier::AtMost | Quantifier::Some | Quantifier::Few))
        || words.quantities.iter().any(|figure| figure.first == at && figure.bound.is_some())
}

/// Stem of the content word behind a quantifier or modal, which is what it is about.
fn follower(tokens: &[Token], at: usize) -> u64 {
    let plain = |place: &usize| {
        let token = &tokens[*place];
        token.content()
            && !matches!(token.kind, crate::tokens::TokenKind::Number(_))
            && !(*place == at + 1 && matches!(token.norm.as_str(), "second" | "third" | "fourth"))
            && class(tokens, *place).is_none()
    };
    (at + 1..tokens.len()).take(6).find(plain).map_or(0, |place| tokens[place].stem)
}

fn in_same_gap(alignment: &Alignment, at: usize, place: usize) -> bool {
    alignment.gaps.iter().any(|gap| {
        gap.claim.contains(&at)
            && gap.source.contains(&place)
            && gap.claim.len() <= 4
            && gap.source.len() <= 5
    })
}
