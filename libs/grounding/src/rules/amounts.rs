//! How many and how often, in other words than the source's: "sometimes" where it says "never".

use super::extent::{Core, Statement, said};
use super::quantifiers::follower;
use super::{Mismatch, negation};
use crate::lexicon::synonymous;
use crate::quantifiers::{Quantifier, class};
use crate::tokens::Token;

/// Least likeness of what a sentence says to what the claim says.
const LIKE: f64 = 0.6;
/// The same where the sentence denies it without a word for how often.
const DENIED: f64 = 0.75;

/// Adverbs that say how often, or how far.
const ADVERBS: &[&str] = &[
    "always",
    "barely",
    "constantemente",
    "constantly",
    "continuamente",
    "continuously",
    "frecuentemente",
    "frequently",
    "generally",
    "generalmente",
    "habitualmente",
    "hardly",
    "jamas",
    "menudo",
    "mostly",
    "never",
    "normally",
    "normalmente",
    "nunca",
    "ocasionalmente",
    "occasionally",
    "often",
    "raramente",
    "rarely",
    "scarcely",
    "seldom",
    "siempre",
    "sometimes",
    "suele",
    "suelen",
    "typically",
    "usually",
    "veces",
];

/// Whether a mark speaks of how often and not of how many.
fn adverbial(tokens: &[Token], at: usize) -> bool {
    let word = &tokens[at];
    let in_cases = tokens.get(at + 1).is_some_and(|next| {
        matches!(next.norm.as_str(), "cases" | "times" | "casos" | "ocasiones" | "momentos")
    });
    in_cases || ADVERBS.contains(&word.norm.as_str())
}

/// How much a word says, if anything.
fn amount(tokens: &[Token], at: usize) -> Option<Quantifier> {
    use Quantifier::{All, Few, Many, Most, None, Some as Part};
    class(tokens, at).filter(|class| matches!(class, All | Few | Many | Most | None | Part))
}

/// Words for how often, and for how much of what is denied: "sometimes" where the sources say "never".
pub(super) fn amounts(core: &Core<'_>) -> Option<Mismatch> {
    let claim = core.claim;
    let denies = (0..claim.tokens.len()).any(|at| negation::is_negator(&claim.tokens, at));
    (0..claim.tokens.len()).find_map(|at| {
        let own = amount(&claim.tokens, at)?;
        let often = adverbial(&claim.tokens, at);
        if denies && !(own == Quantifier::None && often) {
            return None;
        }
        let noun = follower(&claim.tokens, at);
        let behind = (at + 1..claim.tokens.len()).find(|next| noun != 0 && claim.tokens[*next].stem == noun);
        let without = if often { at..at + 1 } else { at..behind.unwrap_or(at) + 1 };
        let judge = |statement: Statement<'_>, place: usize| {
            let tokens = &statement.words.tokens;
            let alike = |place: usize| {
                let other = follower(tokens, place);
                noun != 0 && other != 0 && synonymous(noun, other)
            };
            // "Some rules are looked at" where the source says "later rules are not looked at".
            let told_of = |tokens: &[Token], place: usize| {
                let mut before = tokens[..place].iter().rev().take(4);
                let behind = claim.tokens[at + 1..].iter().take(4);
                let own: Vec<&Token> = behind.filter(|token| !token.after_break && !token.negates).collect();
                before.any(|token| own.iter().any(|own| own.stem == token.stem && own.norm.len() > 3))
            };
            if let Some(theirs) = amount(tokens, place) {
                let adverb = adverbial(tokens, place);
                let none = own == Quantifier::None || theirs == Quantifier::None;
                let close = || core.likeness(statement, place, &without) >= DENIED;
                let compared = if none {
                    alike(place)
                        || (((often && (adverb || theirs == Quantifier::None)) || told_of(tokens, place))
                            && close())
                } else {
                    alike(place) && often == adverb
                };
                return compared.then(|| !own.conflicts(theirs));
            }
            // What the source only denies does not happen now and then.
            let partly =
                matches!(own, Quantifier::Some | Quantifier::Many | Quantifier::Few | Quantifier::Most);
            if partly && negation::is_negator(tokens, place) {
                let target = &tokens[negation::denied(tokens, place)?];
                let same = core.says(target)
                    && (often || told_of(tokens, place))
                    && core.likeness(statement, place, &without) >= DENIED;
                return same.then_some(false);
            }
            None
        };
        let (statement, place) = core.otherwise(&without, LIKE, judge)?;
        Some(said(claim, at, statement.words, place))
    })
}

/// Whether a text says without what, or except for what, it denies something.
fn excepts(tokens: &[Token]) -> bool {
    tokens.iter().enumerate().any(|(at, token)| {
        let word = token.norm.as_str();
        matches!(word, "without" | "until" | "but" | "other" | "than" | "sin" | "hasta" | "mas")
            || super::except::excepts(tokens, at)
    })
}

/// What the claim lets be in one case and the sources in none: "only with `detail`" where they say "never".
pub(super) fn never(core: &Core<'_>) -> Option<Mismatch> {
    let claim = core.claim;
    if (0..claim.tokens.len()).any(|at| negation::is_negator(&claim.tokens, at)) {
        return None;
    }
    (0..claim.tokens.len()).filter(|at| class(&claim.tokens, *at) == Some(Quantifier::Only)).find_map(|at| {
        let about = super::exclusive::focus(&claim.tokens, at);
        let (first, last) = (
            about.iter().min().map_or(at, |first| *first.min(&at)),
            about.iter().max().map_or(at, |last| *last.max(&at)),
        );
        let judge = |statement: Statement<'_>, place: usize| {
            let tokens = &statement.words.tokens;
            match class(tokens, place)? {
                Quantifier::Only | Quantifier::Some | Quantifier::May => Some(true),
                Quantifier::None if !excepts(tokens) => Some(false),
                _ => None,
            }
        };
        let (statement, place) = core.otherwise(&(first..last + 1), DENIED, judge)?;
        Some(said(claim, at, statement.words, place))
    })
}

/// Words for how large something is, or how much of it there is.
const MEASURES: &[&str] = &[
    "age", "amount", "amounts", "cantidad", "duration", "edad", "length", "longitud", "number", "numero",
    "quantity", "size", "sizes", "tamano", "weight",
];

/// What the claim lets be of any size where the sources bound it.
pub(super) fn unbounded(core: &Core<'_>) -> Option<Mismatch> {
    let claim = core.claim;
    (0..claim.tokens.len().saturating_sub(1)).find_map(|at| {
        let any = class(&claim.tokens, at) == Some(Quantifier::Any);
        if !any || !MEASURES.contains(&claim.tokens[at + 1].norm.as_str()) {
            return None;
        }
        let judge = |statement: Statement<'_>, place: usize| {
            let words = statement.words;
            if matches!(class(&words.tokens, place), Some(Quantifier::Any | Quantifier::All)) {
                return Some(true);
            }
            let bounded =
                words.quantities.iter().any(|figure| figure.first == place && figure.bound.is_some());
            (bounded || class(&words.tokens, place) == Some(Quantifier::Only)).then_some(false)
        };
        let (statement, place) = core.otherwise(&(at..at + 2), DENIED, judge)?;
        let from = place.saturating_sub(2);
        Some(said(claim, at, statement.words, from))
    })
}
