//! A noun that replaces another one between copied neighbours.

use super::{CLAUSE, Slot, WEIGHT};
use crate::align::Gap;
use crate::flags;
use crate::index::{Analysed, POSTINGS};
use crate::language::Language;
use crate::lexicon::{rivals, synonymous};
use crate::negators::is_negator;
use crate::quantifiers;
use crate::rules::exchange::fails;
use crate::rules::{Finding, Kind};
use crate::spelling::differ_by;
use crate::tokens::{Token, TokenKind};
use std::ops::Range;

impl Slot<'_> {
    /// A noun of another place of the sources, or another word of one kind, where the sentence has its own.
    pub(super) fn exchanged(&self) -> Option<Finding> {
        let (at, place) = (lone(self.claim, &self.gap.claim)?, lone(self.source, &self.gap.source)?);
        let (one, two) = (&self.claim.tokens[at], &self.source.tokens[place]);
        let bound = |words: &Analysed, range: &Range<usize>| {
            range.clone().any(|at| {
                is_negator(&words.tokens, at)
                    || fails(&words.tokens, at)
                    || quantifiers::class(&words.tokens, at).is_some()
            })
        };
        let plain = |token: &Token| token.kind == TokenKind::Word && !token.code && !token.is(flags::COUNTS);
        if !plain(one)
            || !plain(two)
            || one.prefix == two.prefix
            || one.means(two)
            || one.norm.contains(two.norm.as_str())
            || two.norm.contains(one.norm.as_str())
            || differ_by(&one.norm, &two.norm, 1)
            || synonymous(one.stem, two.stem)
            || bound(self.claim, &self.gap.claim)
            || bound(self.source, &self.gap.source)
        {
            return None;
        }
        let (holds, says) = (self.source.says(one.stem), self.claim.says(two.stem));
        let kind = rivals(one.stem, two.stem) && !holds && self.clause() >= CLAUSE;
        let (long, alone) = (self.long(), self.alone());
        // A claim that goes on calling the thing by its word has not called it otherwise here.
        let kept = self.taken_over(one.stem, two.stem) && (long || alone);
        let known = self.case.scope.has(self.case.index, one.stem) || (says && kept && long);
        let foreign = !known && long && self.foreign(at);
        let described = foreign && described(self.claim, at) && described(self.source, place);
        let nouns = described || noun(self.claim, at) && noun(self.source, place);
        let apart = (!(holds || says) || kept)
            && one.weight.min(two.weight) >= WEIGHT
            && nouns
            && (known || foreign && self.clause() >= CLAUSE)
            && (long || !self.case.nearby(one.stem) || self.together(one.stem, two.stem))
            && (long || self.clause() >= CLAUSE);
        (kind || apart && !self.called(one.stem, two.stem))
            .then(|| Finding::contradicts(Kind::Exchange, &one.text, &two.text))
    }

    /// Whether no source and not the question knows a word: where all beside it is the same at length, it is no other word for the
    /// one in whose place it stands.
    fn foreign(&self, at: usize) -> bool {
        let token = &self.claim.tokens[at];
        !self.case.scope.says_token(self.case.index, token)
            && !self.case.scope.begins(self.case.index, token.prefix)
            && !self.case.question.is_some_and(|question| question.says_token(token))
    }

    /// A name of code where the sentence has another one.
    pub(super) fn renamed(&self) -> Option<Finding> {
        let (at, place) = (lone(self.claim, &self.gap.claim)?, lone(self.source, &self.gap.source)?);
        let (one, two) = (&self.claim.tokens[at], &self.source.tokens[place]);
        let name = |token: &Token| token.kind != TokenKind::Path && is_code(token);
        // What is a part of the other one may be short for it, unless the sources have both.
        let part = one.norm.contains(two.norm.as_str()) || two.norm.contains(one.norm.as_str());
        let both = || self.case.scope.has(self.case.index, one.stem);
        (name(one) && name(two) && self.taken_over(one.stem, two.stem) && (!part || both()))
            .then(|| Finding::contradicts(Kind::Identifier, &one.text, &two.text))
    }

    /// Whether a sentence calls the one thing by the other word: "the monitor is a process".
    fn called(&self, one: u64, two: u64) -> bool {
        let places = self.case.index.places(one).iter().take(POSTINGS);
        places.filter_map(|place| self.case.index.sentence(*place)).any(|sentence| {
            let tokens = &sentence.words.tokens;
            let at = |stem: u64| tokens.iter().position(|token| token.stem == stem);
            let (Some(mine), Some(theirs)) = (at(one), at(two)) else { return false };
            let between = &tokens[mine.min(theirs)..mine.max(theirs)];
            between.len() <= 5
                && between.iter().any(|token| {
                    matches!(token.norm.as_str(), "is" | "are" | "es" | "son" | "or" | "o" | "called")
                })
        })
    }

    /// Whether everything of content that the claim says beside the place is the same.
    fn alone(&self) -> bool {
        let weighs = |gap: &&Gap| self.claim.weights[gap.claim.clone()].iter().any(|weight| *weight > 0.0);
        self.alignment.gaps.iter().filter(weighs).all(|gap| gap == self.gap)
    }

    /// Whether the claim has one word more often than the sentence, and the other one more seldom: neither has only moved.
    fn taken_over(&self, one: u64, two: u64) -> bool {
        let often =
            |words: &Analysed, stem: u64| words.tokens.iter().filter(|token| token.stem == stem).count();
        often(self.claim, one) > often(self.source, one) && often(self.source, two) > often(self.claim, two)
    }

    /// Whether some sentence of the sources speaks of both: then they are two things.
    fn together(&self, one: u64, two: u64) -> bool {
        let (one, two) = (self.case.index.places(one), self.case.index.places(two));
        let (few, many) = if one.len() < two.len() { (one, two) } else { (two, one) };
        few.iter().take(POSTINGS).any(|place| many.binary_search(place).is_ok())
    }
}

/// Whether a token is a name of code: in backticks, or written as no word is.
fn is_code(token: &Token) -> bool {
    token.code || token.named() && token.norm.chars().any(|c| matches!(c, '_' | '/' | '-'))
}

/// The only word of content of a stretch.
fn lone(words: &Analysed, range: &Range<usize>) -> Option<usize> {
    let mut content = range.clone().filter(|at| words.tokens[*at].content());
    let first = content.next()?;
    content.next().is_none().then_some(first)
}

/// Words that stand before nouns.
const ARTICLES: &[&str] = &[
    "the", "a", "an", "this", "its", "each", "every", "their", "any", "no", "of", "el", "la", "los", "las",
    "un", "una", "del", "al", "cada", "su", "sus", "de",
];
/// Prepositions that stand before a noun without an article.
const BARE: &[&str] =
    &["about", "between", "by", "for", "from", "in", "into", "on", "per", "with", "without"];
/// Words that a noun ends before.
const BEHIND: &[&str] = &[
    "is", "are", "was", "were", "has", "have", "can", "may", "must", "will", "of", "to", "in", "for", "from",
    "with", "by", "on", "at", "and", "or", "that", "which", "when", "if", "es", "son", "de", "en", "con",
    "se", "para", "por", "puede", "debe", "que", "y", "o", "no", "tiene",
];
/// Words of a statement that follow its subject and no other verb.
const FINITE: &[&str] = &["are", "can", "do", "have", "may", "must", "were", "will"];
/// How words end that are no nouns.
const ENDINGS: &[&str] = &["ing", "ly", "ed", "mente", "ando", "iendo", "ado", "ada", "ido", "ida"];

/// Whether a word stands as a noun does: behind a word that stands before nouns, and before one that ends them.
fn noun(words: &Analysed, at: usize) -> bool {
    let token = &words.tokens[at];
    let before =
        at.checked_sub(1).filter(|_| !token.after_break).map(|before| words.tokens[before].norm.as_str());
    let next = words.tokens.get(at + 1);
    let closed = next.is_none_or(|next| next.after_break || BEHIND.contains(&next.norm.as_str()));
    let follows = |word: &str| ARTICLES.contains(&word) || BARE.contains(&word);
    closed && !verbal(token) && before.is_some_and(follows)
}

/// Whether a word is the noun of what stands before it: "the remote target", "the `chunkenc` package", "long texts are".
fn described(words: &Analysed, at: usize) -> bool {
    let token = &words.tokens[at];
    let Some(before) = at.checked_sub(1).filter(|_| !token.after_break) else { return false };
    let other = &words.tokens[before];
    let next = words.tokens.get(at + 1).filter(|next| !next.after_break);
    let ends = |list: &[&str]| next.is_none_or(|next| list.contains(&next.norm.as_str()));
    if other.stop || other.norm.ends_with('s') || words.language == Some(Language::Spanish) || verbal(token) {
        return false;
    }
    if token.norm.ends_with('s') {
        return next.is_some() && ends(FINITE);
    }
    let first = before.checked_sub(1).filter(|_| !other.after_break);
    ends(BEHIND) && first.is_some_and(|first| ARTICLES.contains(&words.tokens[first].norm.as_str()))
}

/// Whether a word ends as no noun does.
fn verbal(token: &Token) -> bool {
    ENDINGS.iter().any(|ending| token.norm.ends_with(ending))
}
