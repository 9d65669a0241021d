//! A version is no quantity: 3.10 comes behind 3.9, and is not 3.1.

use super::case::{SAME_SUBJECT, phrase};
use super::figures::said_beside;
use super::{Case, Finding, Kind, Rule};
use crate::index::Analysed;
use crate::numbers::{Quantity, names_unit};
use crate::tokens::{Token, TokenKind};

/// Sentences that are asked for the version of a claim.
const SENTENCES: usize = 24;
/// Least letters of the name of a product, and how many of them are small: "EUR", "GPA" and "pH" measure.
const LETTERS: usize = 4;
const SMALL: usize = 2;

/// Whether a word says that a version follows.
fn announces(token: &Token) -> bool {
    matches!(token.norm.as_str(), "version" | "versions" | "versiones" | "release" | "releases" | "v" | "ver")
}

/// Whether a word may name a product.
fn may_name(token: &Token) -> bool {
    let small = || token.text.chars().filter(|c| c.is_lowercase()).count();
    token.capital
        && token.text.chars().all(char::is_alphabetic)
        && token.text.chars().count() >= LETTERS
        && small() >= SMALL
        && !names_unit(token)
}

/// Whether words behind a figure say that it is a version: "or newer".
fn counts_on(tokens: &[Token]) -> bool {
    matches!(tokens, [or, newer, ..] if matches!(or.norm.as_str(), "or" | "o" | "and" | "y") && !or.after_break
        && matches!(newer.norm.as_str(), "newer" | "later" | "posterior" | "posteriores"))
}

/// How a version is written, and what it is a version of.
struct Version<'a> {
    written: &'a str,
    /// Whether a word before it says that it is one.
    announced: bool,
    /// Whether words behind it do.
    counts_on: bool,
    name: Option<&'a Token>,
}

impl<'a> Version<'a> {
    /// A figure with one point in it behind a word for versions or the name of a product.
    fn of(words: &'a Analysed, figure: &Quantity) -> Option<Self> {
        let token = words.tokens.get(figure.first)?;
        let numeric = matches!(token.kind, TokenKind::Number(value) if value > 0.0);
        let (whole, part) = token.text.split_once('.')?;
        let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        if !numeric || figure.unit.is_some() || !digits(whole) || !digits(part) || figure.first != figure.last
        {
            return None;
        }
        let before = |at: usize| {
            let joined = words.tokens.get(at).is_some_and(|token| !token.after_break);
            at.checked_sub(1).filter(|_| joined).map(|at| (at, &words.tokens[at]))
        };
        let (at, first) = before(figure.first)?;
        let announced = announces(first);
        let name = if announced { before(at).map(|(_, name)| name) } else { Some(first) };
        let name = name.filter(|name| may_name(name));
        let counts_on = counts_on(words.tokens.get(figure.last + 1..).unwrap_or_default());
        (announced || name.is_some()).then_some(Self { written: &token.text, announced, counts_on, name })
    }

    /// Whether both are versions of one thing, and more than its capital says so of one of them: a score or a price may stand
    /// behind a name as well.
    fn alike(&self, other: &Self) -> bool {
        match (self.name, other.name) {
            (Some(one), Some(two)) => {
                one.stem == two.stem && [self, other].iter().any(|one| one.announced || one.counts_on)
            }
            _ => self.announced && other.announced,
        }
    }
}

/// A version that equals that of a sentence as a quantity, and is written otherwise.
pub(super) struct Versions;

impl Rule for Versions {
    fn name(&self) -> &'static str {
        "versions"
    }

    fn judge(&self, case: &Case<'_>) -> Vec<Finding> {
        let claim = case.claim;
        if case.first().is_none_or(|best| case.shared.max(said_beside(case, best)) < SAME_SUBJECT) {
            return Vec::new();
        }
        let parts = claim.quantities.iter().filter(|figure| figure.value.fract() != 0.0);
        let quote = |words: &Analysed, at: usize| phrase(&words.tokens, at.saturating_sub(1)..=at);
        let differs = parts.filter_map(|figure| {
            let (words, place) = written_otherwise(case, figure)?;
            Some(Finding::contradicts(Kind::Number, &quote(claim, figure.first), &quote(words, place)))
        });
        differs.take(1).collect()
    }
}

/// Where the evidence writes a version of the claim otherwise and no sentence as the claim does.
fn written_otherwise<'a>(case: &Case<'a>, figure: &Quantity) -> Option<(&'a Analysed, usize)> {
    let own = Version::of(case.claim, figure)?;
    let equal = |held: &&Quantity| held.value.to_bits() == figure.value.to_bits();
    let found = case.evidence.iter().find_map(|words| {
        let other = |held: &Quantity| {
            let version = Version::of(words, held)?;
            (own.alike(&version) && version.written != own.written).then_some(held.first)
        };
        Some((*words, words.quantities.iter().filter(equal).find_map(other)?))
    })?;
    let written = |words: &Analysed| {
        let mut equal = words.quantities.iter().filter(equal).filter_map(|held| Version::of(words, held));
        equal.any(|other| own.alike(&other) && other.written == own.written)
    };
    let places = case.index.places(crate::numbers::hash(figure.value)).iter().take(SENTENCES);
    let mut sentences = places.filter_map(|place| case.index.sentence(*place));
    let stands = sentences.any(|sentence| case.scope.holds(sentence) && written(&sentence.words));
    (!stands).then_some(found)
}
