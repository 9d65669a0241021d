//! Claims that deny what the source affirms, or affirm what it denies.

mod excused;
mod words;

use super::opposites::opposed;
use super::{Case, Mismatch, contradiction, phrase, sure};
use crate::align::Alignment;
use crate::flags;
use crate::index::Analysed;
use crate::lexicon::synonymous;
pub(crate) use excused::CONDITIONAL;
use excused::other_case;
pub(super) use excused::{
    both_deny, denied_beside, elliptic, excepts, in_case, names_a_case, needs_so, only_alike, optional_alike,
    required_alike, says_word, softly_negative,
};
use std::ops::Range;
pub(super) use words::{denied, is_negator, negated, reads_as_negator};

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

pub(super) fn negation(case: &Case<'_>, alignment: &Alignment, found: &mut Vec<Mismatch>) {
    let (claim, Some(best)) = (case.claim, case.evidence.first()) else { return };
    if deny_nothing(claim, best) {
        return;
    }
    if let Some((own, theirs)) = bare(claim, best) {
        found.push(sure(
            "negation",
            &phrase(&claim.tokens, own.start..=own.end - 1),
            &phrase(&best.tokens, theirs.start..=theirs.end - 1),
        ));
        return;
    }
    if needs_so(claim, best) == Some(false) {
        let whole = |words: &Analysed| phrase(&words.tokens, 0..=words.tokens.len() - 1);
        found.push(contradiction("negation", &whole(claim), &whole(best)));
        return;
    }
    if alignment.share < 0.55 || optional_alike(claim, best) || only_alike(claim, best) {
        return;
    }
    // Where the two are nearly alike a denial of something else does not count.
    let any = |words: &Analysed, other: &Analysed| {
        // "Cannot board without a ticket" denies more than "can board without a ticket".
        if alignment.share >= 0.8 {
            let own = super::denials_of(words, other);
            own > 0 && own >= super::denials_of(other, words)
        } else {
            super::denials(words) > 0
        }
    };
    // The claim denies what the source affirms.
    if !any(best, claim)
        && !softly_negative(best, names_a_case(claim, alignment), |at| {
            alignment.pairs.iter().any(|(_, theirs)| *theirs == at)
        })
    {
        for at in (0..claim.tokens.len()).filter(|at| is_negator(&claim.tokens, *at)) {
            let Some(target) = denied(&claim.tokens, at) else { continue };
            // What both deny is no difference.
            let bare = |(mine, theirs): &(usize, usize)| *mine == target && !negated(&best.tokens, *theirs);
            if alignment.pairs.iter().any(bare)
                && !in_case(&claim.tokens, at)
                && !denies_part(claim, at, target, best)
                && !opposed(claim, best)
                && !other_case(claim, best)
                && !required_alike(claim, best)
                && !denied_elsewhere(case, target)
                && !denied_beside(case)
            {
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
    if excepts(claim, best)
        || any(claim, best)
        || softly_negative(claim, true, |at| says_word(best, &claim.tokens[at]))
    {
        return;
    }
    for at in (0..best.tokens.len()).filter(|at| is_negator(&best.tokens, *at)) {
        let Some(target) = denied(&best.tokens, at) else { continue };
        let said =
            alignment.pairs.iter().find(|(mine, theirs)| *theirs == target && !negated(&claim.tokens, *mine));
        // "See it but not change it" denies nothing of those who change it elsewhere in the sentence.
        let elsewhere = (0..best.tokens.len()).any(|place| {
            place != target
                && best.tokens[place].stem == best.tokens[target].stem
                && !negated(&best.tokens, place)
        });
        // "Without execute permission" denies the permission, and "no se puede ausentar más de la mitad" allows up to half.
        let elsewhere =
            elsewhere || denies_part(best, at, target, claim) || (denies_more(best, at) && at_most(claim));
        if let (Some((mine, _)), false, false) = (said, opposed(claim, best), elsewhere) {
            found.push(contradiction(
                "negation",
                &claim.tokens[*mine].text,
                &phrase(&best.tokens, at..=target),
            ));
            return;
        }
    }
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
    if own.len().abs_diff(theirs.len()) != 1 || super::except::any(claim) != super::except::any(best) {
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

/// A word that the source only denies and the claim only affirms, or the other way round, where the claim says little more
/// than the sentence does.
pub(super) fn turned(case: &Case<'_>, shared: f64, found: &mut Vec<Mismatch>) {
    let (claim, Some(best)) = (case.claim, case.evidence.first()) else { return };
    if deny_nothing(claim, best) {
        return;
    }
    let spoken = found.iter().any(|mismatch| mismatch.rule == "negation");
    // Where each denies something that the other speaks of they may well say the same.
    let both = super::denials_of(claim, best) > 0 && super::denials_of(best, claim) > 0;
    let alike = optional_alike(claim, best)
        || only_alike(claim, best)
        || required_alike(claim, best)
        || (super::denials_of(claim, best) > 0 && denied_beside(case));
    if spoken || both || shared < TURNED || other_case(claim, best) || alike {
        return;
    }
    for (one, two, mine) in [(claim, *best, true), (*best, claim, false)] {
        for at in (0..one.tokens.len()).filter(|at| is_negator(&one.tokens, *at)) {
            let Some(target) = denied(&one.tokens, at).filter(|target| *target > at) else { continue };
            let token = &one.tokens[target];
            if in_case(&one.tokens, at)
                || denies_part(one, at, target, two)
                || (mine && denied_elsewhere(case, target))
                || (!mine && denies_more(one, at) && at_most(two))
                || (!mine && excepts(claim, best))
            {
                continue;
            }
            let places = |words: &Analysed| -> Vec<usize> {
                (0..words.tokens.len())
                    .filter(|place| {
                        words.tokens[*place].content() && synonymous(words.tokens[*place].stem, token.stem)
                    })
                    .collect()
            };
            let (own, other) = (places(one), places(two));
            let denies = |words: &Analysed, places: &[usize]| {
                places.iter().all(|place| negated(&words.tokens, *place))
            };
            let affirms =
                |words: &Analysed, places: &[usize]| places.iter().all(|place| !near_negator(words, *place));
            // What stands beside the word in the one clause must stand in the other text too.
            let clause = beside(one, target);
            let met = clause.iter().filter(|place| two.says(one.tokens[**place].stem)).count();
            let close = clause.len() >= 2 && met * 4 >= clause.len() * 3;
            let excused = softly_negative(two, true, |place| one.holds(two.tokens[place].stem))
                || super::opposites::opposed(one, two);
            if !other.is_empty() && close && denies(one, &own) && affirms(two, &other) && !excused {
                let said = phrase(&one.tokens, at..=target);
                let held = &two.tokens[other[0]].text;
                found.push(if mine {
                    contradiction("negation", &said, held)
                } else {
                    contradiction("negation", held, &said)
                });
                return;
            }
        }
    }
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

/// Least share of a claim's plain words that the sentence must hold for [`turned`].
const TURNED: f64 = 0.8;

/// Whether a denial stands anywhere in the clause of a word.
fn near_negator(words: &Analysed, at: usize) -> bool {
    let clause = clause(words, at);
    clause.into_iter().any(|place| is_negator(&words.tokens, place))
}

/// The stretch between punctuation in which a word stands.
fn clause(words: &Analysed, at: usize) -> std::ops::Range<usize> {
    let start = (0..=at).rev().find(|place| words.tokens[*place].after_break).unwrap_or(0);
    let end = (at + 1..words.tokens.len()).find(|place| words.tokens[*place].after_break);
    start..end.unwrap_or(words.tokens.len())
}

/// Content words of the clause of a word.
fn beside(words: &Analysed, at: usize) -> Vec<usize> {
    clause(words, at).filter(|place| words.tokens[*place].content()).collect()
}
