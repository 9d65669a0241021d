//! Claims that deny what the source affirms, or affirm what it denies.

mod excused;

use super::case::{NEAR_COPY, phrase};
use super::denials::{denials, denials_of};
use super::opposites::opposed;
use super::{Case, Finding, Kind, Rule};
use crate::flags;
use crate::index::Analysed;
use crate::negators::{denied, is_negator, negated};
use excused::other_case;
pub(super) use excused::{
    both_deny, denied_beside, elliptic, excepts, in_case, names_a_case, names_an_exception, needs_so,
    only_alike, optional_alike, required_alike, says_word, softly_negative,
};
use std::ops::Range;

/// Whether a further sentence of the sources denies the word that the claim denies, beside another word of the claim.
fn denied_elsewhere(case: &Case<'_>, target: usize) -> bool {
    let claim = case.claim;
    let token = &claim.tokens[target];
    case.further(token.stem).any(|words| {
        let out = |place: usize| {
            let near = words.tokens.iter().skip(place + 1).take(3).take_while(|next| !next.after_break);
            near.into_iter().any(|next| next.is(flags::SOFT) && !next.is(flags::CONDITIONAL))
        };
        let denies = |place: usize| {
            words.tokens[place].stem == token.stem && (negated(&words.tokens, place) || out(place))
        };
        let beside = || {
            (0..claim.tokens.len())
                .any(|at| at != target && claim.weights[at] > 0.0 && words.holds(claim.tokens[at].stem))
        };
        (0..words.tokens.len()).any(denies) && beside()
    })
}

/// Whether neither of two texts denies anything.
fn deny_nothing(claim: &Analysed, best: &Analysed) -> bool {
    !claim.tokens.iter().chain(&best.tokens).any(|token| token.negates)
}

/// A denial on one side only.
pub(super) struct Negation;

impl Rule for Negation {
    fn name(&self) -> &'static str {
        "negation"
    }

    fn judge(&self, case: &Case<'_>) -> Vec<Finding> {
        let (claim, Some(best)) = (case.claim, case.best(NEAR_COPY)) else { return Vec::new() };
        if deny_nothing(claim, best) {
            return Vec::new();
        }
        let finding = |(own, theirs): (Range<usize>, Range<usize>)| {
            let said = |words: &Analysed, at: Range<usize>| phrase(&words.tokens, at.start..=at.end - 1);
            Finding::contradicts(Kind::Negation, &said(claim, own), &said(best, theirs))
        };
        let needless = || {
            let whole = (0..claim.tokens.len(), 0..best.tokens.len());
            (needs_so(claim, best) == Some(false)).then_some(whole)
        };
        let differs = bare(claim, best).or_else(needless).or_else(|| {
            let aside =
                case.alignment.share < ALIGNED || optional_alike(claim, best) || only_alike(claim, best);
            if aside { None } else { claim_denies(case, best).or_else(|| source_denies(case, best)) }
        });
        differs.map(finding).into_iter().collect()
    }
}

/// Least aligned share of a claim that denies what the sentence affirms, or the other way round.
const ALIGNED: f64 = 0.55;
/// Aligned share from which a denial of something that only one text speaks of does not count.
const NEARLY_ALIKE: f64 = 0.8;

/// Whether a text denies something, of what both speak of where they are nearly alike.
fn denies(case: &Case<'_>, words: &Analysed, other: &Analysed) -> bool {
    if case.alignment.share < NEARLY_ALIKE {
        return denials(words) > 0;
    }
    // "Cannot board without a ticket" denies more than "can board without a ticket".
    let own = denials_of(words, other);
    own > 0 && own >= denials_of(other, words)
}

/// Where the claim denies what the sentence affirms.
fn claim_denies(case: &Case<'_>, best: &Analysed) -> Option<(Range<usize>, Range<usize>)> {
    let (claim, alignment) = (case.claim, &case.alignment);
    let aligned = |at: usize| alignment.pairs.iter().any(|(_, theirs)| *theirs == at);
    if denies(case, best, claim) || softly_negative(best, names_a_case(claim, alignment), aligned) {
        return None;
    }
    let excused = || {
        opposed(claim, best) || other_case(claim, best) || required_alike(claim, best) || denied_beside(case)
    };
    let mut places = (0..claim.tokens.len()).filter(|at| is_negator(&claim.tokens, *at));
    let found = places.find_map(|at| {
        let target = denied(&claim.tokens, at)?;
        // What both deny is no difference.
        let bare = |(mine, theirs): &&(usize, usize)| *mine == target && !negated(&best.tokens, *theirs);
        let (_, place) = alignment.pairs.iter().find(bare)?;
        let told = !in_case(&claim.tokens, at)
            && !denies_part(claim, at, target, best)
            && !denied_elsewhere(case, target);
        told.then(|| (at.min(target)..target.max(at) + 1, *place..*place + 1))
    });
    found.filter(|_| !excused())
}

/// Where the sentence denies what the claim affirms.
fn source_denies(case: &Case<'_>, best: &Analysed) -> Option<(Range<usize>, Range<usize>)> {
    let (claim, alignment) = (case.claim, &case.alignment);
    if excepts(claim, best)
        || denies(case, claim, best)
        || softly_negative(claim, true, |at| says_word(best, &claim.tokens[at]))
        || opposed(claim, best)
    {
        return None;
    }
    (0..best.tokens.len()).filter(|at| is_negator(&best.tokens, *at)).find_map(|at| {
        let target = denied(&best.tokens, at)?;
        let said = |(mine, theirs): &&(usize, usize)| *theirs == target && !negated(&claim.tokens, *mine);
        let (mine, _) = alignment.pairs.iter().find(said)?;
        // "See it but not change it" denies nothing of those who change it elsewhere in the sentence.
        let elsewhere = (0..best.tokens.len()).any(|place| {
            place != target
                && best.tokens[place].stem == best.tokens[target].stem
                && !negated(&best.tokens, place)
        });
        // "Without execute permission" denies the permission, and "no se puede ausentar más de la mitad" allows up to half.
        let allows = denies_part(best, at, target, claim) || (denies_more(best, at) && at_most(claim));
        (!elsewhere && !allows).then(|| (*mine..*mine + 1, at.min(target)..target.max(at) + 1))
    })
}

/// The one denial in which two texts differ whose words are the same in the same order otherwise, with the word that it stands
/// on, and that word in the other text: "no se puede entrar sin entrada" and "se puede entrar sin entrada".
fn bare(claim: &Analysed, best: &Analysed) -> Option<(Range<usize>, Range<usize>)> {
    let denying = |words: &Analysed| -> Vec<usize> {
        (0..words.tokens.len()).filter(|at| is_negator(&words.tokens, *at)).collect()
    };
    let plain = |words: &Analysed| -> Vec<usize> {
        (0..words.tokens.len())
            .filter(|at| words.tokens[*at].content() && !words.tokens[*at].negates)
            .collect()
    };
    let (own, theirs) = (denying(claim), denying(best));
    if own.len().abs_diff(theirs.len()) != 1 || names_an_exception(claim) != names_an_exception(best) {
        return None;
    }
    let (mine, others) = (plain(claim), plain(best));
    let same = |(at, place): (&usize, &usize)| claim.tokens[*at].stem == best.tokens[*place].stem;
    if mine.len() < 2 || mine.len() != others.len() || !mine.iter().zip(&others).all(same) {
        return None;
    }
    let in_claim = own.len() > theirs.len();
    let (one, more, two, fewer) =
        if in_claim { (claim, &own, best, &theirs) } else { (best, &theirs, claim, &own) };
    let alike = |(at, place): (&usize, &usize)| one.tokens[*at].folded == two.tokens[*place].folded;
    let before = more.iter().zip(fewer).take_while(|pair| alike(*pair)).count();
    let (at, rest) = more[before..].split_first()?;
    let target = denied(&one.tokens, *at).filter(|target| target > at)?;
    if in_case(&one.tokens, *at) || !rest.iter().zip(&fewer[before..]).all(alike) {
        return None;
    }
    let (places, counterparts) = if in_claim { (&mine, &others) } else { (&others, &mine) };
    let counterpart = *counterparts.get(places.iter().position(|place| *place == target)?)?;
    let (whole, word) = (*at..target + 1, counterpart..counterpart + 1);
    Some(if in_claim { (whole, word) } else { (word, whole) })
}

/// Whether the sources deny elsewhere what a negator of the claim does.
pub(super) fn denies_so(case: &Case<'_>, at: usize) -> bool {
    denied(&case.claim.tokens, at).is_some_and(|target| denied_elsewhere(case, target))
}

/// Whether what is denied is more than something: "no se puede ausentar más de la mitad".
fn denies_more(words: &Analysed, at: usize) -> bool {
    let word = |at: usize| words.tokens.get(at).map_or("", |token| token.norm.as_str());
    let reach = (at + 1..words.tokens.len().min(at + 8)).take_while(|more| !words.tokens[*more].after_break);
    reach.into_iter().any(|more| {
        matches!(word(more + 1), "de" | "than")
            && crate::numbers::compares(word(more)) == Some(crate::numbers::Bound::Least)
    })
}

/// Whether a text says that something is the most.
fn at_most(words: &Analysed) -> bool {
    use crate::quantifiers::{Quantifier, classes};
    classes(&words.tokens).iter().any(|(_, class)| *class == Quantifier::AtMost)
}

/// Whether what is denied goes on with a word that the other text does not have: "without execute permission".
fn denies_part(one: &Analysed, at: usize, target: usize, two: &Analysed) -> bool {
    let noun = matches!(one.tokens[at].norm.as_str(), "without" | "sin" | "no" | "ningun" | "ninguna");
    let next = one.tokens.get(target + 1);
    noun && next.is_some_and(|next| next.content() && !next.after_break && !two.says(next.stem))
}
