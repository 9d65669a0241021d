//! One thing in the place of another: what the sources say of the leader is said of the followers.
//!
//! Looks for a word of the claim that the clause which says the rest of it lacks. Where that has in its stead a word that
//! the claim lacks, and both stand in the sources in the same way, the claim has exchanged the two.

mod crossed;

use super::binding::clauses;
use super::negation::is_negator;
use super::standing::{determines, governs, is_code, joins, names};
use super::{Case, Mismatch, Strength, except, is_filler, phrase, sure};
use crate::flags;
use crate::index::Analysed;
use crate::lexicon::synonymous;
use crate::quantifiers::Quantifier;
use crate::tokens::{Token, TokenKind};
use std::cell::OnceCell;
use std::ops::Range;

/// Longest claim that is looked at, in tokens.
const LONGEST: usize = 24;
/// Least weight of a word that names a thing.
const NAMES: f64 = 1.0;
/// Least weight of what a claim takes from a clause.
const TAKEN: f64 = 2.0;
/// Sentences that are asked for a word.
const PLACES: usize = 12;
/// Least share of the weight beside the thing that the sentence must hold.
const REST: f64 = 0.7;
/// Least weight of that where the sentence alone tells the things apart.
const HEAVY: f64 = 4.0;
/// Least share of the claim that a clause must hold, and of the clause that the claim must say.
const CLAUSE: f64 = 0.6;
/// Least share of a claim beside what the sources deny.
const DENIED: f64 = 0.5;
/// Greatest share of that which a sentence about the claim's own thing may hold.
const OTHER: f64 = 0.65;
/// Most words of a claim that a sentence lacks.
const OPEN: usize = 4;
/// Most words of content of a thing that is denied.
const THING: usize = 3;

/// Words of a clause that takes over what another one says, sorted.
pub(crate) const ALSO: &[&str] =
    &["also", "ambos", "asimismo", "both", "even", "incluso", "likewise", "same", "tambien", "too"];

/// Looks for a thing in the place of another one; at most one is said.
pub(super) fn swapped(case: &Case<'_>, found: &mut Vec<Mismatch>) {
    let decided = |other: &Mismatch| other.sure || other.strength == Strength::Contradicts;
    if case.claim.tokens.len() > LONGEST || found.iter().any(decided) {
        return;
    }
    found.extend(case.evidence.iter().find_map(|sentence| {
        let sides = Sides::new(case, sentence);
        sides.denied().or_else(|| sides.foreign()).or_else(|| sides.crossed())
    }));
}

/// Claim and sentence, with what each has that the other lacks.
struct Sides<'a> {
    case: &'a Case<'a>,
    claim: &'a Analysed,
    best: &'a Analysed,
    /// Places of content of the claim that the sentence does not say, once somebody asked.
    open: OnceCell<Vec<usize>>,
    /// Places of content of the sentence that the claim does not say, once somebody asked.
    gone: OnceCell<Vec<usize>>,
}

/// Whether a text says a word of content, or one that begins alike.
fn says(words: &Analysed, token: &Token) -> bool {
    words.says_token(token) || !token.code && !token.named() && words.begins_like(token)
}

/// Places of content of a text that another one does not say.
fn lacking<'a>(one: &'a Analysed, two: &'a Analysed) -> impl Iterator<Item = usize> + 'a {
    let weighs = |at: &usize| one.tokens[*at].content() && one.weights[*at] > 0.0;
    (0..one.tokens.len()).filter(weighs).filter(|at| !says(two, &one.tokens[*at]))
}

impl<'a> Sides<'a> {
    fn new(case: &'a Case<'a>, best: &'a Analysed) -> Self {
        Self { case, claim: case.claim, best, open: OnceCell::new(), gone: OnceCell::new() }
    }

    fn open(&self) -> &[usize] {
        self.open.get_or_init(|| lacking(self.claim, self.best).collect())
    }

    fn gone(&self) -> &[usize] {
        self.gone.get_or_init(|| lacking(self.best, self.claim).collect())
    }

    /// Weight of the claim beside a word, and how much of it holds.
    fn beside(&self, at: Option<usize>, holds: impl Fn(&Token) -> bool) -> (f64, f64) {
        let own = at.map(|at| self.claim.tokens[at].stem);
        let (mut mass, mut held) = (0.0, 0.0);
        for (token, weight) in self.claim.tokens.iter().zip(&self.claim.weights) {
            if *weight <= 0.0 || own == Some(token.stem) {
                continue;
            }
            let holds = holds(token);
            if holds || !is_filler(token) {
                mass += weight;
            }
            if holds {
                held += weight;
            }
        }
        (mass, held)
    }

    /// Where the claim says a word.
    fn own(&self, token: &Token) -> Option<usize> {
        self.claim.tokens.iter().position(|own| own.content() && own.means(token))
    }

    /// A name of code that the sentence lacks, where that says the rest and has another one in its stead.
    fn foreign(&self) -> Option<Mismatch> {
        if !self.best.tokens.iter().any(is_code)
            || self.open().len() > OPEN
            || !self.gone().iter().any(|place| is_code(&self.best.tokens[*place]))
        {
            return None;
        }
        self.open().iter().find_map(|at| {
            let own = &self.claim.tokens[*at];
            if self.claim.weights[*at] < NAMES
                || !is_code(own)
                || !self.case.scope.has(self.case.index, own.stem)
            {
                return None;
            }
            let (mass, held) = self.beside(Some(*at), |token| self.best.says_token(token));
            let rival = |place: &&usize| {
                let other = &self.best.tokens[**place];
                is_code(other) && other.weight >= NAMES && apart(own, other) && shaped(own) == shaped(other)
            };
            let place = *self.gone().iter().find(rival)?;
            let clause = clauses(self.best).into_iter().find(|clause| clause.contains(&place))?;
            let told = held >= REST * mass
                && held >= HEAVY
                && self.held(*at, &clause) >= CLAUSE
                && !self.told_elsewhere(*at, held);
            told.then(|| self.against(*at..at + 1, self.best, place..place + 1))
        })
    }

    /// Whether a sentence that has the claim's own thing says much of the rest too.
    fn told_elsewhere(&self, at: usize, here: f64) -> bool {
        let places = self.case.index.places(self.claim.tokens[at].stem).iter().take(PLACES);
        places
            .filter_map(|place| self.case.index.sentences.get(usize::try_from(*place).ok()?))
            .filter(|sentence| self.case.scope.holds(sentence))
            .any(|sentence| self.beside(Some(at), |token| sentence.words.says_token(token)).1 > OTHER * here)
    }

    /// Whether something is excepted behind a place that the claim speaks of: "but not on trams, except folding bikes".
    fn excepted(&self, from: usize) -> bool {
        let tokens = &self.best.tokens;
        let takes_out =
            |at: &usize| tokens[*at].class == Some(Quantifier::Only) || except::excepts(tokens, *at);
        let excepts = (from + 1..tokens.len()).find(takes_out);
        excepts.is_some_and(|excepts| {
            let fresh = |token: &&Token| {
                token.content() && tokens[..excepts].iter().all(|said| said.stem != token.stem)
            };
            tokens[excepts + 1..].iter().filter(fresh).any(|token| self.claim.says_token(token))
        })
    }

    /// "X, not Y": the claim has Y.
    fn denied(&self) -> Option<Mismatch> {
        let (claim, tokens) = (self.claim, &self.best.tokens);
        let excludes = |at: usize| {
            let token = &claim.tokens[at];
            let apart = matches!(token.norm.as_str(), "fuera" | "out" | "outside");
            apart || is_negator(&claim.tokens, at) || token.is(flags::SOFT)
        };
        let mut denials = (2..tokens.len().saturating_sub(1))
            .filter(|at| matches!(tokens[*at].norm.as_str(), "not" | "no"))
            .peekable();
        if denials.peek().is_none() || (0..claim.tokens.len()).any(excludes) {
            return None;
        }
        denials.find_map(|at| {
            let opens = tokens[at].after_break || joins(&tokens[at - 1]);
            let end = (at + 1..tokens.len()).find(|at| tokens[*at].after_break).unwrap_or(tokens.len());
            let things: Vec<usize> = (at + 1..end).filter(|at| tokens[*at].content()).collect();
            let bare = |at: usize| tokens[at].content() || determines(&tokens[at]) || governs(&tokens[at]);
            if !opens || !(at + 1..end).all(bare) || !(1..=THING).contains(&things.len()) {
                return None;
            }
            let said_before =
                |place: usize| tokens[..at].iter().any(|token| token.stem == tokens[place].stem);
            let place = *things.iter().find(|place| names(self.best, **place) && !said_before(**place))?;
            if !things.iter().all(|place| claim.says_token(&tokens[*place])) || self.excepted(at) {
                return None;
            }
            let mine = self.own(&tokens[place])?;
            let rival = |x: &&usize| **x < at && names(self.best, **x) && apart(&tokens[**x], &tokens[place]);
            let instead = *self.gone().iter().rfind(rival)?;
            let (mass, held) = self.beside(Some(mine), |token| self.best.says_token(token));
            (held >= DENIED * mass && held >= TAKEN)
                .then(|| self.against(mine..mine + 1, self.best, instead..end))
        })
    }

    /// Share of the claim beside a word that a clause says.
    fn held(&self, at: usize, clause: &Range<usize>) -> f64 {
        let tokens = &self.best.tokens[clause.clone()];
        let (mass, held) = self.beside(Some(at), |token| {
            tokens.iter().any(|other| other.content() && (token.means(other) || token.prefix == other.prefix))
        });
        if mass > 0.0 { held / mass } else { 0.0 }
    }

    fn against(&self, mine: Range<usize>, source: &Analysed, theirs: Range<usize>) -> Mismatch {
        let rule = match &self.claim.tokens[mine.start] {
            token if token.kind == TokenKind::Path => "path",
            token if is_code(token) => "identifier",
            _ => "binding",
        };
        let quote =
            |words: &Analysed, range: Range<usize>| phrase(&words.tokens, range.start..=range.end - 1);
        sure(rule, &quote(self.claim, mine), &quote(source, theirs))
    }
}

/// Whether a clause takes over what another one says.
pub(super) fn also(words: &Analysed, clause: &Range<usize>) -> bool {
    words.tokens[clause.clone()].iter().any(|token| token.is(flags::ALSO))
}

/// Whether a figure stands at a place.
fn counts(words: &Analysed, at: usize) -> bool {
    matches!(words.tokens[at].kind, TokenKind::Number(_))
        || words.quantities.iter().any(|figure| figure.first == at)
}

/// Whether a thing is named at a place.
fn thing(words: &Analysed, at: usize) -> bool {
    !counts(words, at) && words.tokens[at].weight >= NAMES && names(words, at)
}

/// What a name of code is written as: a flag, a path, or neither.
fn shaped(token: &Token) -> (bool, bool) {
    (token.norm.starts_with("--"), token.kind == TokenKind::Path)
}

/// Whether two words name things that are not the same.
fn apart(one: &Token, two: &Token) -> bool {
    one.prefix != two.prefix
        && !synonymous(one.stem, two.stem)
        && !one.norm.contains(two.norm.as_str())
        && !two.norm.contains(one.norm.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_sorted_for_look_up() {
        assert!(ALSO.is_sorted());
    }
}
