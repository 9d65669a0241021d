//! One thing more and another one less: a claim that says the words of a sentence again, but for one, in whose place it has
//! another.
//!
//! Words are counted, not looked up: "it has no `break` and no `foreach`" lacks the second name of "no `break` and no
//! `continue`", though the sources have `foreach` elsewhere, and "a heap 1 km wide and 1 m high" lacks one of two metres.

use super::classes::is_class;
use super::names::holds_name;
use super::standing::{determines, is_code};
use super::{Case, Mismatch, Strength, contradiction, denials, is_unit};
use crate::align::Alignment;
use crate::flags;
use crate::index::Analysed;
use crate::lexicon::synonymous;
use crate::tokens::{Token, TokenKind};

/// Longest claim that is looked at, in tokens.
const LONGEST: usize = 48;
/// Least number of words of content that are the same.
const HELD: usize = 2;
/// Least weight of a noun, and of the one in whose place it stands.
const NOUN: f64 = 1.5;
/// Greatest share of the rest of the claim that another sentence with the claim's name of code may say.
const NAMED: f64 = 0.5;
/// The same for a noun that may be another word for what was named shortly before.
const RENAMED: f64 = 0.14;
/// Words in the same order from which on a claim says a sentence again whatever its own word is.
const WHOLE: usize = 8;
/// Sentences that are asked for a word.
const PLACES: usize = 12;

/// Words that a noun in the plural ends before, sorted.
const BEHIND: &[&str] =
    &["and", "are", "can", "de", "deben", "may", "must", "o", "of", "or", "per", "por", "pueden", "y"];

/// A claim, its best sentence, and the one word that each has of its own.
struct Slot<'a> {
    case: &'a Case<'a>,
    claim: &'a Analysed,
    best: &'a Analysed,
    at: usize,
    place: usize,
    /// Words of the claim, of content and others, that the sentence has in the same order.
    aligned: usize,
}

/// Looks for such a word in the best sentence; at most one is said.
pub(super) fn slots(case: &Case<'_>, alignment: &Alignment, found: &mut Vec<Mismatch>) {
    let Some(best) = case.evidence.first() else { return };
    if case.claim.tokens.len() > LONGEST || alignment.pairs.len() < 3 || found.iter().any(Mismatch::decides) {
        return;
    }
    let claim = case.claim;
    let Some((at, gone)) = left_over(claim, best, alignment) else { return };
    let slot = |place: usize| Slot { case, claim, best, at, place, aligned: alignment.pairs.len() };
    let mismatch = match gone.as_slice() {
        [place] => slot(*place).mismatch().or_else(|| slot(*place).named()),
        _ => gone.iter().find_map(|place| slot(*place).named()),
    };
    found.extend(mismatch.filter(|_| denials(claim) == denials(best)));
}

/// The only word of content of the claim that the sentence has not as often, and those of the sentence that the claim lacks.
fn left_over(claim: &Analysed, best: &Analysed, alignment: &Alignment) -> Option<(usize, Vec<usize>)> {
    let mut rest: Vec<usize> = (0..best.tokens.len())
        .filter(|place| best.tokens[*place].content() && !alignment.pairs.iter().any(|pair| pair.1 == *place))
        .collect();
    let (mut open, mut held) = (None, 0);
    for (at, token) in claim.tokens.iter().enumerate() {
        if !token.content() || claim.weights[at] <= 0.0 {
            continue;
        }
        held += 1;
        if alignment.pairs.binary_search_by_key(&at, |pair| pair.0).is_ok() {
            continue;
        }
        let place = |test: &dyn Fn(&Token) -> bool| rest.iter().position(|place| test(&best.tokens[*place]));
        let met = place(&|other| other.stem == token.stem)
            .or_else(|| place(&|other| token.means(other)))
            .or_else(|| place(&|other| token.prefix == other.prefix && !token.code && !token.named()));
        match met {
            Some(met) => drop(rest.remove(met)),
            None if open.is_none() => open = Some(at),
            None => return None,
        }
    }
    open.filter(|_| held > HELD).map(|at| (at, rest))
}

/// How the words beside two places are: those of the sides, determiners left out.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    /// Not the same.
    Other,
    /// Only one of the texts goes on.
    Open,
    /// The same, or both texts end.
    Same,
    /// The same word of content.
    Content,
}

impl Slot<'_> {
    fn own(&self) -> &Token {
        &self.claim.tokens[self.at]
    }

    fn other(&self) -> &Token {
        &self.best.tokens[self.place]
    }

    /// What stands left and right of the words.
    fn sides(&self) -> (Side, Side) {
        let side =
            |step: isize| match (beside(self.claim, self.at, step), beside(self.best, self.place, step)) {
                (Some(mine), Some(theirs)) => {
                    let (mine, theirs) = (&self.claim.tokens[mine], &self.best.tokens[theirs]);
                    match mine.stem == theirs.stem || mine.content() && mine.means(theirs) {
                        true if mine.content() => Side::Content,
                        true => Side::Same,
                        false => Side::Other,
                    }
                }
                (None, None) => Side::Same,
                _ => Side::Open,
            };
        (side(-1), side(1))
    }

    /// A name of code in the place of another one.
    fn named(&self) -> Option<Mismatch> {
        let (own, other) = (self.own(), self.other());
        let code = |token: &Token| is_code(token) || token.named();
        let (left, right) = self.sides();
        let beside = |side: Side| matches!(side, Side::Same | Side::Content);
        let fits = code(own)
            && code(other)
            && (own.kind == TokenKind::Path) == (other.kind == TokenKind::Path)
            && beside(left)
            && right != Side::Other
            && !own.norm.contains(other.norm.as_str())
            && !self
                .best
                .tokens
                .iter()
                .any(|token| token.stem != own.stem && holds_name(&token.norm, &own.norm))
            && self.told_elsewhere() < NAMED;
        let rule = if own.kind == TokenKind::Path { "path" } else { "identifier" };
        fits.then(|| contradiction(rule, &own.text, &other.text))
    }

    /// Anything else, where all that the sentence says is said again.
    fn mismatch(&self) -> Option<Mismatch> {
        let (own, other) = (self.own(), self.other());
        let (left, right) = self.sides();
        if [left, right].iter().any(|side| matches!(side, Side::Other | Side::Open)) {
            return None;
        }
        if let (TokenKind::Number(mine), TokenKind::Number(theirs)) = (own.kind, other.kind) {
            let digits = |token: &Token| token.norm.bytes().all(|byte| byte.is_ascii_digit());
            let apart = (mine - theirs).abs() > f64::EPSILON && digits(own) && digits(other);
            return apart.then(|| contradiction("number", &own.text, &other.text));
        }
        if is_unit(self.claim, self.at) && is_unit(self.best, self.place) {
            return (left == Side::Content).then(|| contradiction("unit", &own.text, &other.text));
        }
        let plain = |token: &Token| token.kind == TokenKind::Word && !token.code && !token.is(flags::COUNTS);
        let apart = plain(own)
            && plain(other)
            && own.prefix != other.prefix
            && !synonymous(own.stem, other.stem)
            && !own.norm.contains(other.norm.as_str())
            && !other.norm.contains(own.norm.as_str())
            && super::names::distance(&own.norm, &other.norm) > 1;
        if !apart {
            return None;
        }
        if own.entity && other.entity {
            return Some(contradiction("entity", &own.text, &other.text));
        }
        let determined = |words: &Analysed, at: usize| {
            at > 0 && !words.tokens[at].after_break && determines(&words.tokens[at - 1])
        };
        let single = determined(self.claim, self.at)
            && determined(self.best, self.place)
            && closes(self.claim, self.at)
            && closes(self.best, self.place);
        let plural = |words: &Analysed, at: usize| {
            let next = words.tokens.get(at + 1);
            let word = words.tokens[at].norm.as_str();
            word.ends_with('s')
                && !word.ends_with("ss")
                && next.is_none_or(|next| BEHIND.binary_search(&next.norm.as_str()).is_ok())
        };
        let several = left == Side::Content && plural(self.claim, self.at) && plural(self.best, self.place);
        let nouns = (single || several) && !is_class(own) && own.weight.min(other.weight) >= NOUN;
        let renames = || super::nearby(self.case, own.stem) && self.told_elsewhere() >= RENAMED;
        if !nouns || renames() {
            return None;
        }
        // A word that no source has is none of their other things: in few words it may be a part of what is meant, or its whole.
        let foreign = self.aligned < WHOLE && self.case.index.places(own.stem).is_empty();
        let strength = if foreign { Strength::Added } else { Strength::Contradicts };
        Some(Mismatch { strength, ..contradiction("exchange", &own.text, &other.text) })
    }

    /// The greatest share of the rest of the claim that another sentence with its own word says.
    fn told_elsewhere(&self) -> f64 {
        let own = self.own().stem;
        let weighed = |test: &dyn Fn(&Token) -> bool| -> f64 {
            let words = self.claim.tokens.iter().zip(&self.claim.weights);
            words
                .filter(|(token, weight)| **weight > 0.0 && token.stem != own && test(token))
                .map(|(_, weight)| *weight)
                .sum()
        };
        let all = weighed(&|_| true);
        let index = self.case.index;
        let others = index.places(own).iter().take(PLACES).filter_map(|place| index.sentence(*place));
        let held = others
            .filter(|sentence| {
                !std::ptr::eq(&raw const sentence.words, self.best) && self.case.scope.holds(sentence)
            })
            .map(|sentence| weighed(&|token| sentence.words.says_token(token)))
            .fold(0.0, f64::max);
        if all > 0.0 { held / all } else { 0.0 }
    }
}

/// Whether no noun follows a word that may be one: another word of content there makes it a modifier.
fn closes(words: &Analysed, at: usize) -> bool {
    words.tokens.get(at + 1).is_none_or(|next| next.after_break || !next.content())
}

/// The place beside another one in its clause, determiners left out.
fn beside(words: &Analysed, at: usize, step: isize) -> Option<usize> {
    let mut here = at;
    loop {
        if step < 0 && words.tokens[here].after_break {
            return None;
        }
        here = here.checked_add_signed(step)?;
        let token = words.tokens.get(here)?;
        if step > 0 && token.after_break {
            return None;
        }
        if !determines(token) {
            return Some(here);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_sorted_for_look_up() {
        assert!(BEHIND.is_sorted());
    }
}
