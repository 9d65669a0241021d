//! What the sources say of one of two things side by side, said of the other: "the yellow sockets are for computers" where
//! the blue ones are, and the yellow one is for the modem.
//!
//! A clause of the sources has the claim's thing and nothing else that the claim says; another one of the same sentence
//! has all that the claim says of it, and in the same place a thing that the claim lacks. Nothing here needs the
//! words of the claim to stand in the order of the sources.

use super::binding::clauses;
use super::negation::is_negator;
use super::standing::{Standing, joins, names};
use super::swapped::also;
use super::{Case, Mismatch, denials_in, is_filler, phrase, sure};
use crate::flags;
use crate::index::Analysed;
use crate::lexicon::synonymous;
use crate::tokens::{Token, TokenKind};
use std::ops::Range;

/// Longest claim that is looked at, in tokens: each has a bit of a mask.
const LONGEST: usize = 30;
/// Most clauses of a sentence.
const CLAUSES: usize = 8;
/// Least weight of a thing.
const THING: f64 = 1.0;
/// Least weight of what the claim takes from the other clause.
const TAKEN: f64 = 2.0;
/// How much more it must weigh than what neither clause says.
const MORE: f64 = 3.0;
/// Least share of that clause beside its thing which the claim must say.
const RESTATED: f64 = 0.9;
/// Greatest share of it that another sentence with the claim's thing may hold.
const OTHER: f64 = 0.35;
/// Sentences that are asked for a thing.
const PLACES: usize = 12;
/// Tokens before a thing in which it may be taken out of what is said.
const REACH: usize = 4;

/// A clause of the sources, with the words of the claim that it says.
struct Clause<'a> {
    words: &'a Analysed,
    range: Range<usize>,
    said: u32,
    denials: usize,
}

/// A claim whose words are held against clauses.
struct Parallels<'a> {
    case: &'a Case<'a>,
    claim: &'a Analysed,
    /// The words of the claim that weigh something.
    weighs: u32,
    denials: usize,
}

/// Looks for a thing in the place of the one beside it; at most one is said.
pub(super) fn parallels(case: &Case<'_>, found: &mut Vec<Mismatch>) {
    let claim = case.claim;
    // A claim that joins things names more than one of them.
    if claim.tokens.len() > LONGEST || found.iter().any(Mismatch::decides) || claim.tokens.iter().any(joins) {
        return;
    }
    let mut weighs = 0;
    for at in 0..claim.tokens.len() {
        let token = &claim.tokens[at];
        if token.content() && claim.weights[at] > 0.0 && !is_filler(token) {
            weighs |= 1 << at;
        }
    }
    let parallels = Parallels { case, claim, weighs, denials: super::denials(claim) };
    found.extend(parallels.mismatch());
}

/// Whether two words are the same, may stand for one another, or begin alike.
fn alike(one: &Token, two: &Token) -> bool {
    one.means(two) || one.prefix == two.prefix && !one.code && !one.named()
}

/// Whether two words name things that are not the same.
fn apart(one: &Token, two: &Token) -> bool {
    one.prefix != two.prefix
        && !synonymous(one.stem, two.stem)
        && !one.norm.contains(two.norm.as_str())
        && !two.norm.contains(one.norm.as_str())
}

impl<'a> Parallels<'a> {
    fn mismatch(&self) -> Option<Mismatch> {
        let sentences = self.case.evidence.iter().filter(|words| self.bears(words));
        sentences.map(|words| self.clauses(words)).find_map(|clauses| self.between(&clauses))
    }

    /// Whether a sentence says so much of the claim that one of its clauses may: asked first, for it is cheap.
    fn bears(&self, words: &Analysed) -> bool {
        let open = |at: &usize| {
            let own = &self.claim.tokens[*at];
            !words.says_token(own) && words.tokens.iter().all(|token| token.prefix != own.prefix)
        };
        let lacks: f64 = self.places(self.weighs).filter(open).map(|at| self.claim.weights[at]).sum();
        self.weight(self.weighs) >= TAKEN.max((1.0 + MORE) * lacks)
    }

    fn clauses(&self, words: &'a Analysed) -> Vec<Clause<'a>> {
        let clauses = clauses(words).into_iter().take(CLAUSES);
        clauses
            .map(|range| Clause {
                words,
                said: self.said(&words.tokens[range.clone()]),
                denials: denials_in(words, range.clone()),
                range,
            })
            .collect()
    }

    /// The words of the claim that some tokens say.
    fn said(&self, tokens: &[Token]) -> u32 {
        self.places(self.weighs)
            .filter(|at| tokens.iter().any(|token| token.content() && alike(token, &self.claim.tokens[*at])))
            .fold(0, |said, at| said | 1 << at)
    }

    fn places(&self, mask: u32) -> impl Iterator<Item = usize> {
        (0..self.claim.tokens.len()).filter(move |at| mask & 1 << at != 0)
    }

    fn weight(&self, mask: u32) -> f64 {
        self.places(mask).map(|at| self.claim.weights[at]).sum()
    }

    /// A thing of one of some clauses, with what one of the others says of another thing.
    fn between(&self, clauses: &[Clause<'a>]) -> Option<Mismatch> {
        clauses.iter().filter(|one| !also(one.words, &one.range)).find_map(|one| {
            clauses.iter().find_map(|two| {
                let taken = two.said & !one.said;
                // Of the first clause the claim says the thing alone.
                let things = one.said & !two.said;
                let mut own = self.places(things);
                let at = own.next()?;
                let stem = self.claim.tokens[at].stem;
                if own.any(|at| self.claim.tokens[at].stem != stem)
                    || two.denials != self.denials
                    || self.weight(taken) < TAKEN.max(MORE * self.weight(self.weighs & !one.said & !two.said))
                {
                    return None;
                }
                self.exchanged(at, one, two, taken)
            })
        })
    }

    /// The claim's thing, as a clause has it, and what stands in its place in the other one.
    fn exchanged(&self, at: usize, one: &Clause<'a>, two: &Clause<'a>, taken: u32) -> Option<Mismatch> {
        let own = &self.claim.tokens[at];
        let thing = |words: &Analysed, at: usize| {
            let token = &words.tokens[at];
            token.content()
                && token.weight >= THING
                && !matches!(token.kind, TokenKind::Number(_))
                && names(words, at)
        };
        let place = one
            .range
            .clone()
            .find(|place| one.words.tokens[*place].stem == own.stem && thing(one.words, *place))?;
        let standing = Standing::of(one.words, place);
        let rival = two.range.clone().find(|place| {
            let other = &two.words.tokens[*place];
            thing(two.words, *place)
                && apart(own, other)
                && !self.claim.says_token(other)
                && !self.claim.tokens.iter().any(|token| token.content() && alike(token, other))
                && !one.words.tokens[one.range.clone()]
                    .iter()
                    .any(|token| token.content() && alike(token, other))
                && !takes_up(two.words, *place)
                && standing.alike(&Standing::of(two.words, *place)).is_some()
        })?;
        if !self.restates(two, rival)
            || !self.says_more(one, place, two)
            || self.taken_out(at)
            || self.told_elsewhere(own, two.words, taken)
        {
            return None;
        }
        let rule = if own.kind == TokenKind::Path {
            "path"
        } else if super::standing::is_code(own) {
            "identifier"
        } else {
            "binding"
        };
        let said = phrase(&self.claim.tokens, 0..=self.claim.tokens.len() - 1);
        let held = phrase(&two.words.tokens, two.range.start..=two.range.end - 1);
        Some(sure(rule, &said, &held))
    }

    /// Whether the claim says nearly all that a clause says beside a thing.
    fn restates(&self, clause: &Clause<'a>, thing: usize) -> bool {
        let (mut mass, mut held) = (0.0, 0.0);
        for at in clause.range.clone().filter(|at| *at != thing) {
            let token = &clause.words.tokens[at];
            if token.content() && !is_filler(token) {
                mass += token.weight;
                if self.claim.tokens.iter().any(|own| own.content() && alike(own, token)) {
                    held += token.weight;
                }
            }
        }
        held >= RESTATED * mass
    }

    /// Whether a clause says something of its thing that the claim does not, or denies it where the other does not.
    fn says_more(&self, one: &Clause<'a>, place: usize, two: &Clause<'a>) -> bool {
        let more = |at: usize| {
            let token = &one.words.tokens[at];
            at != place && token.content() && !is_filler(token) && !self.claim.says_token(token)
        };
        one.denials != two.denials || one.range.clone().any(more)
    }

    /// Whether the claim takes its thing out of what it says: "unless", "without", "instead of" stand shortly before it.
    fn taken_out(&self, at: usize) -> bool {
        let tokens = &self.claim.tokens;
        (at.saturating_sub(REACH)..at)
            .any(|before| is_negator(tokens, before) || tokens[before].is(flags::SOFT))
    }

    /// Whether another sentence with the claim's thing says much of what it takes.
    fn told_elsewhere(&self, own: &Token, words: &Analysed, taken: u32) -> bool {
        let bar = OTHER * self.weight(taken);
        self.case.index.places(own.stem).iter().take(PLACES).any(|place| {
            self.case.index.sentence(*place).is_some_and(|sentence| {
                let held = |at: &usize| sentence.words.says_token(&self.claim.tokens[*at]);
                !std::ptr::eq(&raw const sentence.words, words)
                    && self.case.scope.holds(sentence)
                    && self.places(taken).filter(held).map(|at| self.claim.weights[at]).sum::<f64>() > bar
            })
        })
    }
}

/// Whether a thing belongs to what was named before it: "its rate".
fn takes_up(words: &Analysed, at: usize) -> bool {
    let tokens = &words.tokens;
    (at.saturating_sub(2)..at)
        .any(|before| matches!(tokens[before].norm.as_str(), "its" | "it" | "their" | "su" | "sus"))
}
