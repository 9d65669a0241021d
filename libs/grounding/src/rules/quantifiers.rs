//! Quantifiers, bounds and modals that say more, or less, than those of the source.

use super::extent::said;
use super::negation::negated;
use super::{Case, Mismatch, Strength, contradiction, phrase};
use crate::align::Alignment;
use crate::flags;
use crate::index::Analysed;
use crate::quantifiers::{Quantifier, class, classes, obliges_by_having};
use crate::tokens::Token;

pub(super) fn quantifiers(
    case: &Case<'_>,
    best: &Analysed,
    alignment: &Alignment,
    shared: f64,
    found: &mut Vec<Mismatch>,
) {
    let claim = case.claim;
    let own = classes(&claim.tokens);
    let theirs = classes(&best.tokens);
    for (at, class) in &own {
        if theirs.iter().any(|(_, other)| other == class) {
            continue;
        }
        let next = follower(&claim.tokens, *at);
        let rival = theirs.iter().find(|(place, other)| {
            class.conflicts(*other)
                && !forbids(claim, *at, *class, best, *place, *other)
                && !mirrored(claim, *class, best, *other)
                && !own.iter().any(|(_, mine)| mine == other)
                && !within(claim, *at, best, *place)
                && next != 0
                && negated(&claim.tokens, *at) == negated(&best.tokens, *place)
                && (follower(&best.tokens, *place) == next || in_same_gap(alignment, *at, *place))
        });
        if let Some((place, _)) = rival {
            let (own, theirs) = (&claim.tokens[*at].text, &best.tokens[*place].text);
            // "Every" against "every" tells nobody anything; what stands behind them does.
            let same = own.eq_ignore_ascii_case(theirs);
            let mismatch =
                if same { said(claim, *at, best, *place) } else { contradiction("quantifier", own, theirs) };
            found.push(mismatch);
            return;
        }
    }
    bounds(claim, best, alignment, found);
    more_than_only(claim, best, alignment, found);
    added(case, best, alignment, shared, &own, found);
}

/// Whether a sentence says somewhere of the same word what a quantifier or modal of the claim says of it.
pub(super) fn stands(claim: &Analysed, at: usize, best: &Analysed) -> bool {
    let about = follower(&claim.tokens, at);
    about != 0
        && (0..best.tokens.len()).any(|place| {
            class(&best.tokens, place) == class(&claim.tokens, at) && follower(&best.tokens, place) == about
        })
}

/// Whether the claim speaks of all those that the source keeps something for: "all members may" where "only members may".
pub(super) fn within(claim: &Analysed, at: usize, best: &Analysed, place: usize) -> bool {
    let all = matches!(class(&claim.tokens, at), Some(Quantifier::All | Quantifier::Any));
    all && class(&best.tokens, place) == Some(Quantifier::Only)
        && follower(&claim.tokens, at) == follower(&best.tokens, place)
        && super::exclusive::of_people(&claim.tokens, at)
}

/// Adverbs of how often.
pub(crate) const OFTEN: &[&str] = &[
    "always",
    "generally",
    "normally",
    "occasionally",
    "often",
    "rarely",
    "seldom",
    "sometimes",
    "typically",
    "usually",
    "siempre",
    "normalmente",
    "generalmente",
    "habitualmente",
    "ocasionalmente",
    "raramente",
    "suele",
    "suelen",
];

/// What is said of how much or how often in a rewording: the one adverb of each text against the other's, and "all" against
/// "only some".
pub(super) fn amounts(case: &Case<'_>, found: &mut Vec<Mismatch>) {
    let (claim, Some(best)) = (case.claim, case.evidence.first()) else { return };
    if found.iter().any(|other| other.rule == "quantifier")
        || super::denials(claim) + super::denials(best) > 0
    {
        return;
    }
    let often = |words: &Analysed| {
        let mut places = (0..words.tokens.len()).filter(|at| words.tokens[*at].is(flags::OFTEN));
        let first = places.next();
        first.filter(|_| places.next().is_none())
    };
    if let (Some(at), Some(place)) = (often(claim), often(best))
        && let (Some(own), Some(other)) = (class(&claim.tokens, at), class(&best.tokens, place))
        && own.conflicts(other)
    {
        found.push(contradiction("quantifier", &claim.tokens[at].text, &best.tokens[place].text));
        return;
    }
    // "All jobs are listed" where the source says "only failed jobs".
    let (own, theirs) = (classes(&claim.tokens), classes(&best.tokens));
    let only = theirs.iter().find(|(_, class)| *class == Quantifier::Only);
    // "They also receive features" where the source says "they only receive fixes".
    let also = own.iter().find(|(_, class)| *class == Quantifier::Also);
    if let (Some((at, _)), Some((place, _))) = (also, only)
        && own.iter().all(|(_, class)| *class != Quantifier::Only)
        && theirs.iter().all(|(_, class)| *class != Quantifier::Also)
        && follower(&claim.tokens, *at) != 0
        && follower(&claim.tokens, *at) == follower(&best.tokens, *place)
    {
        let quote =
            |words: &Analysed, at: usize| phrase(&words.tokens, at..=(at + 2).min(words.tokens.len() - 1));
        found.push(contradiction("quantifier", &quote(claim, *at), &quote(best, *place)));
        return;
    }
    let all = own.iter().find(|(_, class)| matches!(class, Quantifier::All | Quantifier::Any));
    if let (Some((at, _)), Some((place, _))) = (all, only)
        && !own.iter().chain(&theirs).any(|(_, class)| matches!(class, Quantifier::Also))
        && own.iter().all(|(_, class)| *class != Quantifier::Only)
        && theirs.iter().all(|(_, class)| !matches!(class, Quantifier::All | Quantifier::Any))
        && follower(&claim.tokens, *at) != 0
        && best.says(follower(&claim.tokens, *at))
        && restricts(case, best, *place)
    {
        let held = phrase(&best.tokens, *place..=(*place + 2).min(best.tokens.len() - 1));
        found.push(contradiction(
            "quantifier",
            &phrase(&claim.tokens, *at..=(*at + 1).min(claim.tokens.len() - 1)),
            &held,
        ));
    }
}

/// Whether an "only" of the source limits to something that the claim leaves out.
fn restricts(case: &Case<'_>, best: &Analysed, place: usize) -> bool {
    let around = (place.saturating_sub(3)..place).chain(place + 1..(place + 4).min(best.tokens.len()));
    around.into_iter().any(|at| best.tokens[at].content() && !case.claim.says(best.tokens[at].stem))
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
    let not = |words: &Analysed, at: usize| {
        negated(&words.tokens, at) || super::exchange::before_not(&words.tokens, at)
    };
    let turned = matches!((own, other), (All, None) | (None, All));
    if turned && super::opposites::opposed(claim, best) {
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
    bounds
        && (beyond
            || super::except::speaks_of_exception(claim, best)
            || super::denials(claim) > 0 && super::denials(best) == 0
            || !super::deny_alike(claim, best))
}

/// "Reads and writes" where the source says "only reads".
fn more_than_only(claim: &Analysed, best: &Analysed, alignment: &Alignment, found: &mut Vec<Mismatch>) {
    let only =
        |words: &Analysed| classes(&words.tokens).into_iter().find(|(_, class)| *class == Quantifier::Only);
    let (None, Some((place, _)), true) = (only(claim), only(best), alignment.share >= 0.5) else { return };
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
    if let (true, Some(at), true) = (allowed, joined, super::deny_alike(claim, best)) {
        let held = phrase(&best.tokens, place..=(place + 3).min(best.tokens.len() - 1));
        found.push(contradiction("quantifier", &phrase(&claim.tokens, at - 1..=at), &held));
    }
}

/// Where the words that bound a figure begin, with what turns them: "not be larger than".
fn bound_start(words: &Analysed, figure: &crate::numbers::Quantity) -> usize {
    let turns = |at: &usize| words.tokens[*at].norm == "be" || words.tokens[*at].is(crate::flags::DENIES);
    let start = figure.first.saturating_sub(2);
    start - (start.saturating_sub(2)..start).rev().take_while(turns).count()
}

/// The same figure, bounded from the other side.
fn bounds(claim: &Analysed, best: &Analysed, alignment: &Alignment, found: &mut Vec<Mismatch>) {
    if alignment.share < 0.7 || claim.quantities.iter().all(|figure| figure.bound.is_none()) {
        return;
    }
    let aside = super::bounds::refuses(claim) != super::bounds::refuses(best)
        || super::denials(claim) > 0 && super::denials(best) == 0
        || super::except::speaks_of_exception(claim, best);
    if aside || !super::deny_alike(claim, best) {
        return;
    }
    for figure in claim.quantities.iter().filter(|figure| figure.bound.is_some()) {
        let equal: Vec<_> = best.quantities.iter().filter(|other| other.equals(figure)).collect();
        if let [other] = equal.as_slice()
            && other.bound.is_some()
            && other.bound != figure.bound
        {
            let said = phrase(&claim.tokens, bound_start(claim, figure)..=figure.last);
            let held = phrase(&best.tokens, bound_start(best, other)..=other.last);
            found.push(contradiction("quantifier", &said, &held));
            return;
        }
    }
}

/// A word that makes the claim stronger and that no sentence beside it has: one more reason to doubt, none to decide.
fn added(
    case: &Case<'_>,
    best: &Analysed,
    alignment: &Alignment,
    shared: f64,
    own: &[(usize, Quantifier)],
    found: &mut Vec<Mismatch>,
) {
    let claim = case.claim;
    // "Only open if not active" where the source says "open unless active".
    let unless = |words: &Analysed| super::denials(claim) > 0 && super::except::any(words);
    for (at, class) in own {
        let strong = matches!(class, Quantifier::All | Quantifier::Only | Quantifier::Must);
        let extra = (0..claim.tokens.len())
            .filter(|i| {
                claim.tokens[*i].content() && i != at && !alignment.pairs.iter().any(|(mine, _)| mine == i)
            })
            .count();
        let close = alignment.share >= 0.8 && shared >= 0.8 && extra <= 1;
        let held = |words: &Analysed| {
            classes(&words.tokens).iter().any(|(_, other)| other == class)
                || (*class == Quantifier::Only
                    && (super::negation::only_alike(claim, words)
                        || unless(words)
                        || super::denials(words) > super::denials(claim)))
        };
        if strong && close && !held(best) && !case.evidence.iter().any(|sentence| held(sentence)) {
            // "All children pay nothing" where the source says "children under twelve".
            let limit = (0..best.tokens.len()).find(|place| {
                !alignment.pairs.iter().any(|(_, theirs)| theirs == place) && limits(best, *place)
            });
            if let (Quantifier::All, Some(place), true) = (class, limit, extra == 0) {
                let held = phrase(&best.tokens, place..=(place + 2).min(best.tokens.len() - 1));
                let contradicted = contradiction("quantifier", &claim.tokens[*at].text, &held);
                found.push(Mismatch { sure: true, ..contradicted });
                return;
            }
            let reason = format!(
                "quantifier: the claim says \"{}\", which the source does not",
                claim.tokens[*at].text
            );
            found.push(Mismatch { strength: Strength::Added, rule: "quantifier", reason, sure: false });
            return;
        }
    }
}

/// Whether a word of the source limits what it speaks of.
fn limits(words: &Analysed, at: usize) -> bool {
    let bound = class(&words.tokens, at);
    let limiting =
        matches!(words.tokens[at].norm.as_str(), "most" | "some" | "mayoria" | "algunos" | "algunas");
    limiting
        || super::except::excepts(&words.tokens, at)
        || matches!(bound, Some(Quantifier::Only | Quantifier::AtMost | Quantifier::Some | Quantifier::Few))
        || words.quantities.iter().any(|figure| figure.first == at && figure.bound.is_some())
}

/// Stem of the content word behind a quantifier or modal, which is what it is about.
pub(super) fn follower(tokens: &[Token], at: usize) -> u64 {
    let plain = |place: &usize| {
        let token = &tokens[*place];
        token.content()
            && !matches!(token.kind, crate::tokens::TokenKind::Number(_))
            && !(*place == at + 1 && matches!(token.norm.as_str(), "second" | "third" | "fourth"))
            && class(tokens, *place).is_none()
    };
    (at + 1..tokens.len()).take(6).find(plain).map_or(0, |place| tokens[place].stem)
}

pub(super) fn in_same_gap(alignment: &Alignment, at: usize, place: usize) -> bool {
    alignment.gaps.iter().any(|gap| {
        gap.claim.contains(&at)
            && gap.source.contains(&place)
            && gap.claim.len() <= 4
            && gap.source.len() <= 5
    })
}
