//! How much, how often and how bindingly a claim says something, held against what the sources say of the same thing in
//! other words.
//!
//! [`super::quantifiers`] compares near copies, word beside word. Here the claim may be worded anew: the words that say what
//! it is about, its core, must stand in a sentence, most of them near the word that is compared, and nothing in the
//! evidence that is about as near may agree with the claim.

use super::quantifiers::follower;
use super::{Case, Mismatch, contradiction, exclusive, is_filler, is_unit, negation, phrase};
use crate::flags;
use crate::index::Analysed;
use crate::lexicon::synonymous;
use crate::quantifiers::{Quantifier, class};
use crate::tokens::Token;
use std::ops::Range;

/// Least likeness of what a sentence says to what the claim says.
const LIKE: f64 = 0.6;
/// The same where the sentence denies it without a word for how often.
const DENIED: f64 = 0.75;
/// By how much it must be more like the claim than what agrees with the claim.
const CLEARLY: f64 = 0.12;
/// Tokens on either side of a word that are near it.
const REACH: usize = 9;
/// Words that say nothing of the matter.
const EMPTY: u32 = flags::META | flags::HEDGE | flags::REFERENCE;

/// Words that begin a sentence whose subject stands in the one before.
const POINTING: &[&str] = &["he", "it", "she", "these", "they", "this"];

/// A sentence of the evidence, with the one before where its subject stands there.
#[derive(Clone, Copy)]
pub(super) struct Statement<'a> {
    /// Its words.
    pub(super) words: &'a Analysed,
    before: Option<&'a Analysed>,
}

/// What a claim is about: its words of content that say nothing of how much or how bindingly.
pub(super) struct Core<'a> {
    /// The claim.
    pub(super) claim: &'a Analysed,
    places: Vec<usize>,
    mass: f64,
    statements: Vec<Statement<'a>>,
}

impl<'a> Core<'a> {
    fn new(case: &Case<'a>) -> Self {
        let claim = case.claim;
        let says = |at: &usize| {
            let token = &claim.tokens[*at];
            claim.weights[*at] > 0.0 && !token.is(EMPTY) && token.class.is_none()
        };
        let places: Vec<usize> = (0..claim.tokens.len()).filter(says).collect();
        let mut statements: Vec<Statement<'a>> =
            case.evidence.iter().map(|words| Statement { words, before: None }).collect();
        if let Some(first) = statements.first_mut() {
            first.before = before(case, first.words);
        }
        let mut core = Self { claim, places, mass: 0.0, statements };
        // What fills a sentence counts only where the evidence has it.
        core.places.retain(|at| {
            let token = &claim.tokens[*at];
            !(is_filler(token) || is_unit(claim, *at))
                || core.statements.iter().any(|statement| statement.words.says_token(token))
        });
        core.mass = core.places.iter().map(|at| claim.weights[*at]).sum();
        core
    }

    /// Whether one of its words is the token, or may stand for it.
    pub(super) fn says(&self, token: &Token) -> bool {
        self.places.iter().any(|at| self.claim.tokens[*at].means(token))
    }

    /// Share of its weight that some words hold, without what stands at some places of the claim.
    fn share(&self, held: impl Fn(&Token) -> bool, without: &Range<usize>) -> f64 {
        let (mut all, mut met) = (0.0, 0.0);
        for at in self.places.iter().filter(|at| !without.contains(at)) {
            all += self.claim.weights[*at];
            if held(&self.claim.tokens[*at]) {
                met += self.claim.weights[*at];
            }
        }
        if all > 0.0 { met / all } else { 0.0 }
    }

    /// How like what stands around a place of a sentence is to the claim without some of its words: the mean of what the
    /// sentence has of the core and of what stands near the place.
    pub(super) fn likeness(&self, statement: Statement<'_>, place: usize, without: &Range<usize>) -> f64 {
        let before = |token: &Token| statement.before.is_some_and(|before| before.says_token(token));
        let tokens = &statement.words.tokens[around(&statement.words.tokens, place)];
        let segment = &statement.words.tokens[segment(&statement.words.tokens, place)];
        let among = |tokens: &[Token], token: &Token| {
            before(token) || tokens.iter().any(|other| other.content() && token.means(other))
        };
        let all = self.share(|token| statement.words.says_token(token) || before(token), without);
        let near = self.share(|token| among(tokens, token), without);
        let beside = self.share(|token| among(segment, token), without);
        all / 2.0 + (near + beside) / 4.0
    }

    /// Number of its words that a sentence has.
    pub(super) fn met(&self, statement: Statement<'_>) -> usize {
        self.places.iter().filter(|at| statement.words.says_token(&self.claim.tokens[**at])).count()
    }

    /// The place of the evidence that is most like the claim and says otherwise, unless one about as like agrees.
    ///
    /// `judge` says of a place: `Some(true)` it agrees, `Some(false)` it says otherwise, `None` it says nothing of the kind.
    pub(super) fn otherwise(
        &self,
        without: &Range<usize>,
        least: f64,
        judge: impl Fn(Statement<'a>, usize) -> Option<bool>,
    ) -> Option<(Statement<'a>, usize)> {
        let mut agrees = 0.0_f64;
        let mut against: Option<(f64, Statement<'a>, usize)> = None;
        for statement in &self.statements {
            for place in 0..statement.words.tokens.len() {
                let Some(same) = judge(*statement, place) else { continue };
                let likeness = self.likeness(*statement, place, without);
                if same {
                    agrees = agrees.max(likeness);
                } else if against.is_none_or(|(best, ..)| likeness > best) && self.met(*statement) >= 2 {
                    against = Some((likeness, *statement, place));
                }
            }
        }
        let (likeness, statement, place) = against?;
        // A sentence that says more of the claim and nothing of the kind is what the claim comes from.
        let nearest = self.statements.iter().map(|other| {
            self.share(|token| other.words.says_token(token), without)
        });
        let nearest = nearest.fold(0.0, f64::max);
        let own = self.share(|token| statement.words.says_token(token), without);
        (likeness >= least && likeness > agrees + CLEARLY && own + CLEARLY >= nearest)
            .then_some((statement, place))
    }
}

/// The sentence before the best one, where that one begins with a pronoun.
fn before<'a>(case: &Case<'a>, best: &Analysed) -> Option<&'a Analysed> {
    best.tokens.first().filter(|token| POINTING.contains(&token.norm.as_str()))?;
    let own = case.index.sentences.get(case.place)?;
    let before = case.index.sentences.get(case.place.checked_sub(1)?)?;
    (before.source == own.source && case.scope.holds(before)).then_some(&before.words)
}

/// The tokens near a place, as far as no word sets another statement against it.
fn around(tokens: &[Token], place: usize) -> Range<usize> {
    let turns = |at: usize| {
        matches!(
            tokens[at].norm.as_str(),
            "but" | "while" | "whereas" | "pero" | "mientras" | "sino" | "whilst"
        )
    };
    let start = (place.saturating_sub(REACH)..place).rev().take_while(|at| !turns(*at)).last().unwrap_or(place);
    let end = (place + 1..tokens.len().min(place + REACH + 1)).take_while(|at| !turns(*at)).last();
    start..end.unwrap_or(place) + 1
}

/// The tokens from one punctuation mark to the next.
fn segment(tokens: &[Token], place: usize) -> Range<usize> {
    let start = (0..=place).rev().find(|at| tokens[*at].after_break).unwrap_or(0);
    let end = (place + 1..tokens.len()).find(|at| tokens[*at].after_break);
    start..end.unwrap_or(tokens.len())
}

/// All of it.
pub(super) fn extents(case: &Case<'_>, found: &mut Vec<Mismatch>) {
    let speaks = |mismatch: &Mismatch| matches!(mismatch.rule, "quantifier" | "negation");
    let marked = |words: &Analysed| {
        words.tokens.iter().any(|token| token.class.is_some())
            || words.quantities.iter().any(|figure| figure.bound.is_some())
    };
    if !marked(case.claim) || found.iter().any(speaks) {
        return;
    }
    let core = Core::new(case);
    if core.places.is_empty() {
        return;
    }
    let rules = [exclusive::opened, exclusive::closed, super::duty::duties, amounts];
    if let Some(mismatch) = rules.iter().find_map(|rule| rule(&core)) {
        found.push(mismatch);
    }
}

/// Adverbs that say how often, or how far.
const ADVERBS: &[&str] = &[
    "always", "barely", "constantemente", "constantly", "continuamente", "continuously", "frecuentemente",
    "frequently", "generally", "generalmente", "habitualmente", "hardly", "jamas", "menudo", "mostly", "never",
    "normally", "normalmente", "nunca", "ocasionalmente", "occasionally", "often", "raramente", "rarely",
    "scarcely", "seldom", "siempre", "sometimes", "suele", "suelen", "typically", "usually", "veces",
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
fn amounts(core: &Core<'_>) -> Option<Mismatch> {
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
            if let Some(theirs) = amount(tokens, place) {
                let adverb = adverbial(tokens, place);
                let none = own == Quantifier::None || theirs == Quantifier::None;
                let close = || core.likeness(statement, place, &without) >= DENIED;
                let compared = if none {
                    alike(place) || ((often && adverb || theirs == Quantifier::None) && close())
                } else {
                    alike(place) && often == adverb
                };
                return compared.then(|| !own.conflicts(theirs));
            }
            // What the source only denies does not happen now and then.
            let partly = matches!(own, Quantifier::Some | Quantifier::Many | Quantifier::Few | Quantifier::Most);
            if partly && negation::is_negator(tokens, place) {
                let target = &tokens[negation::denied(tokens, place)?];
                let subject = tokens[..place].iter().rev().take(4).filter(|token| token.content());
                let same = core.says(target)
                    && (often || subject.into_iter().any(|token| synonymous(token.stem, noun)))
                    && core.likeness(statement, place, &without) >= DENIED;
                return same.then_some(false);
            }
            None
        };
        let (statement, place) = core.otherwise(&without, LIKE, judge)?;
        Some(said(claim, at, statement.words, place))
    })
}

/// A contradiction between two places, each with what stands right behind it.
pub(super) fn said(claim: &Analysed, at: usize, source: &Analysed, place: usize) -> Mismatch {
    let quote = |words: &Analysed, at: usize| {
        let last = words.tokens.len().saturating_sub(1);
        let end = (at + 1..=(at + 3).min(last)).take_while(|next| !words.tokens[*next].after_break).last();
        phrase(&words.tokens, at..=end.unwrap_or(at))
    };
    contradiction("quantifier", &quote(claim, at), &quote(source, place))
}
