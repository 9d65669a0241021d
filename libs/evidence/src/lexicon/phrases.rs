//! Phrases that read as one word.

use super::{lines, place};
use crate::ablation::list;
use crate::index::Bits;
use crate::language::Language;
use crate::numbers::is_word;
use crate::tokens::{Map, Token, TokenKind, Tokenizer};
use std::sync::LazyLock;

/// Several words that read as one: `carry out = perform`; behind `_` no article follows.
pub(super) const PHRASES: [(Language, &str); 2] = [
    (Language::English, include_str!("../../data/phrases-en.txt")),
    (Language::Spanish, include_str!("../../data/phrases-es.txt")),
];

/// Several words that read as one.
#[derive(Debug, PartialEq)]
pub struct Phrase {
    /// Stems of the words behind the first.
    rest: Vec<u64>,
    /// Whether no article, number or name may follow: "log in with a key", but "the log in the folder"; "a built-in
    /// battery", but "built in 1931".
    closed: bool,
    /// The one word, folded.
    pub reads_as: &'static str,
}

/// Words that may stand inside a phrase of two words: "turn it off".
const BETWEEN: &[&str] =
    &["it", "them", "this", "that", "these", "those", "him", "her", "lo", "la", "los", "las"];

/// Words that stand before a noun: what stands before them is a preposition.
const ARTICLES: &[&str] = &[
    "the", "a", "an", "this", "that", "these", "those", "each", "every", "any", "all", "your", "its",
    "their", "our", "my", "his", "her", "which",
];

/// The phrases that begin with one stem.
#[derive(Debug, Default, PartialEq)]
pub struct Beginning {
    /// The longest first.
    phrases: Vec<Phrase>,
    /// A bit for the second word of each.
    seconds: Bits,
}

impl Beginning {
    /// The first phrase that stands at the start of some tokens, with the number of tokens that it takes. Its words stand one
    /// behind the other; between the two of one that has no more there may be a word.
    pub fn met(&self, tokens: &[Token]) -> Option<(&Phrase, usize)> {
        let near = tokens.get(1..)?;
        let near = near.get(..2).unwrap_or(near);
        if !near.iter().any(|token| self.seconds.may_hold(token.stem)) {
            return None;
        }
        let may_stand = |phrase: &&Phrase| match phrase.rest.as_slice() {
            [] => false,
            [second] => near.iter().any(|token| token.stem == *second),
            [second, third, ..] => {
                matches!(near, [one, two] if one.stem == *second && two.stem == *third)
            }
        };
        let mut stand = self.phrases.iter().filter(may_stand);
        stand.find_map(|phrase| Some((phrase, phrase.length(tokens)?)))
    }
}

impl Phrase {
    /// Number of tokens that it takes, where it begins with the first of them.
    fn length(&self, tokens: &[Token]) -> Option<usize> {
        let behind = tokens.get(1..)?;
        let held = |from: usize| {
            let met = self.rest.iter().zip(behind.get(from..).unwrap_or_default());
            met.filter(|(stem, token)| **stem == token.stem && !token.after_break && !token.code).count()
                == self.rest.len()
        };
        let split = || {
            self.rest.len() == 1
                && behind
                    .first()
                    .is_some_and(|token| !token.after_break && BETWEEN.contains(&token.norm.as_str()))
                && held(1)
        };
        let length = if held(0) { Some(1 + self.rest.len()) } else { split().then(|| 2 + self.rest.len()) };
        length.filter(|length| !begins_a_bound(&tokens[..*length], &tokens[*length..])).filter(|length| {
            let next = tokens.get(*length).filter(|next| self.closed && !next.after_break);
            let placed = |next: &Token| {
                next.code
                    || next.capital
                    || !matches!(next.kind, TokenKind::Word)
                    || ARTICLES.contains(&next.norm.as_str())
            };
            !next.is_some_and(placed)
        })
    }
}

/// Whether the last word of a phrase begins what bounds the figure behind it: "save up to 50 %", "covers over 200 countries",
/// "no longer than 90 minutes".
fn begins_a_bound(phrase: &[Token], behind: &[Token]) -> bool {
    let figure = |token: Option<&Token>| {
        token.is_some_and(|token| !matches!(token.kind, TokenKind::Word) || is_word(&token.norm))
    };
    match phrase.last().map(|last| last.norm.as_str()) {
        Some("up") => behind.first().is_some_and(|next| next.norm == "to") && figure(behind.get(1)),
        Some("over" | "under") => figure(behind.first()),
        Some("longer") => behind.first().is_some_and(|next| next.norm == "than"),
        _ => false,
    }
}

/// Phrases by the stem of their first word, the longest first.
static BEGINNINGS: LazyLock<[Map<Beginning>; 2]> = LazyLock::new(|| {
    PHRASES.map(|(language, text)| {
        let tokenizer = Tokenizer::new(Some(language));
        let mut table: Map<Beginning> = Map::default();
        for line in lines(list("phrases", text)) {
            let Some((words, reads_as)) = line.split_once('=') else { continue };
            let (words, reads_as) = (words.trim(), reads_as.trim());
            let (words, closed) = words.strip_suffix(" _").map_or((words, false), |words| (words, true));
            let mut stems = words.split_whitespace().map(|word| tokenizer.stem_hash(word));
            let Some(first) = stems.next() else { continue };
            let phrase = Phrase { rest: stems.collect(), closed, reads_as };
            table.entry(first).or_default().phrases.push(phrase);
        }
        for Beginning { phrases, seconds } in table.values_mut() {
            phrases.sort_by_key(|phrase| std::cmp::Reverse(phrase.rest.len()));
            *seconds = phrases.iter().filter_map(|phrase| phrase.rest.first().copied()).collect();
        }
        table
    })
});

/// Phrases that begin with a stem.
pub fn phrases(language: Option<Language>, stem: u64) -> Option<&'static Beginning> {
    BEGINNINGS[place(language)].get(&stem)
}
