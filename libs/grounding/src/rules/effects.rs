//! What more of one thing makes of another: "raising the coefficient reduces noise", "a shorter interval makes recovery
//! faster". A claim where the same turn of the one has the other turn of the other says the reverse.

use super::poles::same_thing;
use super::{Case, Mismatch, Strength, phrase, sure};
use crate::flags;
use crate::index::Analysed;

/// Longest claim that is looked at, in tokens.
const LONGEST: usize = 24;

/// What a word turns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Axis {
    Amount,
    Speed,
}

/// Which way a word turns what it belongs to.
fn turn(word: &str) -> Option<(Axis, bool)> {
    Some(match word {
        "more" | "higher" | "larger" | "bigger" | "greater" | "longer" | "increase" | "increases"
        | "increasing" | "raise" | "raises" | "raising" | "lengthening" | "lengthens" | "mas" | "mayor"
        | "mayores" | "aumenta" | "aumentar" | "aumentan" | "subir" | "sube" | "alargar" | "alarga" => {
            (Axis::Amount, true)
        }
        "less" | "fewer" | "lower" | "smaller" | "shorter" | "reduce" | "reduces" | "reducing"
        | "decrease" | "decreases" | "decreasing" | "lowering" | "lowers" | "shortening" | "shortens"
        | "menos" | "menor" | "menores" | "reducir" | "reducen" | "disminuye" | "disminuir" | "bajar"
        | "baja" | "acortar" | "acorta" => (Axis::Amount, false),
        "faster" | "quicker" | "speeds" | "accelerates" | "accelerate" | "acelera" | "aceleran" => {
            (Axis::Speed, true)
        }
        "slower" | "slows" | "slow" | "ralentiza" | "frena" => (Axis::Speed, false),
        _ => return None,
    })
}

/// Whether a folded word turns an amount or a speed.
pub(crate) fn turns(word: &str) -> bool {
    turn(word).is_some()
}

/// A word that turns something, where it stands.
type Turn = (usize, Axis, bool);

/// The first turn of an amount, and those behind it.
fn turns_of(words: &Analysed) -> Option<(Turn, Vec<Turn>)> {
    let turning = words.tokens.iter().enumerate().filter(|(_, token)| token.is(flags::EFFECT));
    let mut found = turning.filter_map(|(at, token)| {
        let (axis, up) = turn(&token.norm)?;
        let than =
            words.tokens.get(at + 1).is_some_and(|next| matches!(next.norm.as_str(), "than" | "que" | "de"));
        (!than).then_some((at, axis, up))
    });
    let first = found.next().filter(|(_, axis, _)| *axis == Axis::Amount)?;
    Some((first, found.collect()))
}

pub(super) fn effects(case: &Case<'_>, found: &mut Vec<Mismatch>) {
    let (claim, Some(best)) = (case.claim, case.evidence.first()) else { return };
    if claim.tokens.len() > LONGEST || ![claim, best].iter().all(|words| words.any_is(flags::EFFECT)) {
        return;
    }
    let (Some((cause, effects)), Some((reason, others))) = (turns_of(claim), turns_of(best)) else { return };
    // "A higher value" is one of what was spoken of before.
    let general = best.tokens.get(reason.0 + 1).is_some_and(|next| {
        matches!(
            next.norm.as_str(),
            "value" | "values" | "number" | "numbers" | "setting" | "valor" | "valores"
        )
    });
    if !super::deny_alike(claim, best) || !(general || same_thing(claim, cause.0, best, reason.0)) {
        return;
    }
    let mut reversed = None;
    for (at, axis, up) in effects {
        for (place, other, turned) in &others {
            if axis != *other || !same_thing(claim, at, best, *place) {
                continue;
            }
            if (cause.2 == up) == (reason.2 == *turned) {
                // Both turned round: less of the one makes less of the other, as more makes more.
                if cause.2 != reason.2 {
                    found.retain(|mismatch| mismatch.rule != "opposite");
                }
                return;
            }
            reversed.get_or_insert((at, *place));
        }
    }
    let told = found.iter().any(|other| other.strength == Strength::Contradicts);
    if let Some((at, place)) = reversed.filter(|_| !told) {
        let quote = |words: &Analysed, from: usize, to: usize| {
            phrase(&words.tokens, from..=(to + 2).min(words.tokens.len() - 1))
        };
        found.push(sure("direction", &quote(claim, cause.0, at), &quote(best, reason.0, place)));
    }
}
