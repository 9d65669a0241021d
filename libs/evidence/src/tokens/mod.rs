//! Cuts text into tokens for comparison: folded words with their stems, numbers, identifiers and paths.

mod figures;
mod known;
mod reading;
mod word;

use crate::language::Language;
use crate::{flags, lexicon, numbers};
use assay_text::Stemmer;
pub use assay_text::fold;
pub use assay_text::hash::{Fnv, Map, Set, hash, hash_bytes, pair};
use assay_text::runs::{Edge, Runs};
pub use assay_text::shape::TokenKind;
use known::known;
use reading::{Reading, Readings};
use std::borrow::Cow;
pub use word::{Token, Word};

/// Runs that are asked for one right behind the other: words of lists lie far apart in memory, and so they need not wait for
/// each other.
const TOGETHER: usize = 32;

/// Cuts and stems text of one language. What it has read once it knows again: most words of a text come again.
pub struct Tokenizer<'b> {
    stemmer: Stemmer,
    english: bool,
    /// Read by another tokenizer before.
    base: Option<&'b Readings>,
    own: std::cell::RefCell<Readings>,
}

/// One of each language.
pub struct Tokenizers<'b> {
    english: Tokenizer<'b>,
    spanish: Tokenizer<'b>,
}

/// What the tokenizers of both languages have read.
#[derive(Debug, Clone, Default)]
pub struct Vocabulary {
    english: Readings,
    spanish: Readings,
}

impl Default for Tokenizers<'_> {
    fn default() -> Self {
        Self { english: Tokenizer::new(None), spanish: Tokenizer::new(Some(Language::Spanish)) }
    }
}

impl std::fmt::Debug for Tokenizers<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Tokenizers").finish_non_exhaustive()
    }
}

impl<'b> Tokenizers<'b> {
    /// Tokenizers that know what others have read.
    pub fn over(known: &'b Vocabulary) -> Self {
        Self {
            english: Tokenizer { base: Some(&known.english), ..Tokenizer::new(None) },
            spanish: Tokenizer { base: Some(&known.spanish), ..Tokenizer::new(Some(Language::Spanish)) },
        }
    }

    /// The one for a language; English where it is unknown.
    pub fn of(&self, language: Option<Language>) -> &Tokenizer<'b> {
        if language == Some(Language::Spanish) { &self.spanish } else { &self.english }
    }

    /// What they have read.
    pub fn into_vocabulary(self) -> Vocabulary {
        Vocabulary { english: self.english.own.into_inner(), spanish: self.spanish.own.into_inner() }
    }
}

impl<'b> Tokenizer<'b> {
    /// For a language; English where it is unknown.
    pub fn new(language: Option<Language>) -> Self {
        Self {
            stemmer: Stemmer::new(language.unwrap_or(Language::English)),
            english: language != Some(Language::Spanish),
            base: None,
            own: std::cell::RefCell::default(),
        }
    }

    /// Makes room for the words of a text of so many bytes.
    pub fn expect(&self, bytes: usize) {
        if let Ok(mut own) = self.own.try_borrow_mut() {
            own.reserve(bytes / 25);
        }
    }

    /// The stem of a folded word; short words and words with other characters than letters are their own stem.
    pub fn stem<'w>(&'w self, word: &'w str) -> Cow<'w, str> {
        let (mut word, whole) = lexicon::base(self.language(), word);
        if !self.english
            && !whole
            && let Some(verb) = lexicon::infinitive(word)
        {
            word = verb;
        }
        if whole { word.into() } else { self.stemmer.stem(word) }
    }

    /// Hash of a folded word's stem.
    pub fn stem_hash(&self, word: &str) -> u64 {
        hash(&self.stem(word))
    }

    fn language(&self) -> Option<Language> {
        (!self.english).then_some(Language::Spanish)
    }

    /// Tokens of a text in order; inline code stands between backticks.
    pub fn tokens(&self, text: &str) -> Vec<Token> {
        let mut tokens = Vec::with_capacity(text.len() / 5);
        let mut own = self.own.try_borrow_mut().ok();
        let kept = known(self.language());
        let mut runs = Runs::of(text);
        let mut edge = Edge { after_break: true, opens: true };
        let mut together = Vec::with_capacity(TOGETHER.min(text.len() / 4 + 1));
        loop {
            together.clear();
            together.extend(runs.by_ref().take(TOGETHER).map(|run| (run, None)));
            if together.is_empty() {
                break;
            }
            for (run, known) in together.iter_mut().filter(|(run, _)| run.plain()) {
                *known = kept.get(run.key, run.text);
            }
            for (run, known) in &together {
                edge.after_break |= run.before.after_break;
                edge.opens |= run.before.opens;
                if let Some(known) = *known {
                    known.read(run.start, &mut edge, &mut tokens);
                    continue;
                }
                let is_it = |known: &&Reading| known.of(run.text, run.code, run.call);
                let before = self.base.and_then(|base| base.get(&run.key)).filter(is_it);
                let before = before.or_else(|| own.as_ref()?.get(&run.key).filter(is_it));
                if let Some(known) = before {
                    known.read(run.start, &mut edge, &mut tokens);
                    continue;
                }
                let reading = self.reading(run.text, run.code, run.call);
                let left = if run.plain() { kept.keep(run.key, run.text, reading) } else { Some(reading) };
                if let Some(reading) = left {
                    reading.read(run.start, &mut edge, &mut tokens);
                    if let Some(own) = own.as_mut() {
                        own.entry(run.key).or_insert(reading);
                    }
                } else if let Some(known) = kept.get(run.key, run.text) {
                    known.read(run.start, &mut edge, &mut tokens);
                }
            }
        }
        read_figures(&mut tokens, text);
        self.read_phrases(&mut tokens);
        tokens
    }

    /// Makes phrases read as their one word: its stem stands on the first word with content, and the others say nothing.
    fn read_phrases(&self, tokens: &mut [Token]) {
        let mut at = 0;
        while let Some(first) = tokens.get(at) {
            let mut length = 1;
            if let Some(beginning) = first.leads
                && let Some((phrase, long)) = beginning.met(&tokens[at..])
            {
                length = long;
                self.read_as(phrase, &mut tokens[at..at + long]);
            }
            at += length;
        }
    }

    fn read_as(&self, phrase: &lexicon::Phrase, tokens: &mut [Token]) {
        let head = tokens.iter().position(Token::content).unwrap_or(0);
        let one = self.word(phrase.reads_as, TokenKind::Word, false);
        let says = flags::DENIES | flags::SOFT | flags::BOUNDS;
        for (at, token) in tokens.iter_mut().enumerate() {
            if at == head {
                // What it denies or bounds is part of what the one word says: "at no cost" is "free", "every day" "daily".
                let flags = token.flags & !says & !flags::STOP & !flags::COUNTS | one.flags & !flags::WRITTEN;
                token.becomes(Word {
                    text: token.text.clone(),
                    norm: token.norm.clone(),
                    phrase: Some(phrase.reads_as),
                    folded: token.folded,
                    capital: token.capital,
                    flags,
                    ..Word::clone(&one)
                });
            } else if token.content() || token.is(says) {
                let flags = token.flags & !says | flags::STOP;
                let word = Word { stop: true, flags, weight: 0.0, others: &[], kin: 0, ..Word::clone(token) };
                token.becomes(word);
            }
        }
    }
}

/// Makes a figure of several tokens read as one: "50 000", "4 1/2", "59 ½". It stands in the first, and the others say nothing.
fn read_figures(tokens: &mut [Token], text: &str) {
    let mut whole = 0;
    for at in 1..tokens.len() {
        let (Some(first), Some(token)) = (tokens.get(whole), tokens.get(at)) else { return };
        let figures = (first.kind, token.kind);
        let (TokenKind::Number(value), TokenKind::Number(more)) = figures else {
            whole = at;
            continue;
        };
        let before = &tokens[at - 1];
        let spaced = token.follows(before, text);
        let value = if token.after_break || value < 1.0 || value.fract() != 0.0 {
            None
        } else if let Some(part) = numbers::part_of_one(token) {
            // A year and the number of a chapter have no parts.
            let named = whole.checked_sub(1).is_some_and(|at| tokens[at].capital && !tokens[at].opens);
            (value < 100.0 && !named && (spaced || token.is(flags::JOINED))).then_some(value + part)
        } else {
            // "5 200-calorie meals", "2 400g tins": two figures.
            let apart = tokens.get(at + 1).is_some_and(|next| {
                next.is(flags::JOINED) && (first.text.len() == 1 || !numbers::names_unit(next))
            });
            let groups = tokens[whole..=at].iter().all(Token::is_group) && token.text.len() == 3;
            (groups && spaced && !apart).then_some(value * 1e3 + more)
        };
        let Some(value) = value else {
            whole = at;
            continue;
        };
        let token = &mut tokens[at];
        let flags = token.flags | flags::STOP | flags::FIGURE;
        token.becomes(Word { stop: true, flags, weight: 0.0, others: &[], kin: 0, ..Word::clone(token) });
        token.kind = TokenKind::Word;
        let first = &mut tokens[whole];
        first.kind = TokenKind::Number(value);
        first.read_as_stem(numbers::hash(value));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<String> {
        Tokenizer::new(None)
            .tokens(text)
            .into_iter()
            .map(|token| match token.kind {
                TokenKind::Word => format!("w:{}", token.norm),
                TokenKind::Number(value) => format!("n:{value}"),
                TokenKind::Name => format!("i:{}", token.norm),
                TokenKind::Path => format!("p:{}", token.norm),
                TokenKind::Url => format!("u:{}", token.norm),
            })
            .collect()
    }

    #[test]
    fn words_numbers_names_and_paths_are_told_apart() {
        assert_eq!(kinds("OpenTSDB's"), ["i:opentsdb"]);
        assert_eq!(kinds("It's thread-safe, isn't it?"), ["w:it", "w:thread", "w:safe", "w:isn't", "w:it"]);
        assert_eq!(
            kinds("1,200 rows, 10MB, 50% or 2.5 s."),
            ["n:1200", "w:rows", "n:10", "w:mb", "n:50", "w:%", "w:or", "n:2.5", "w:s"]
        );
        assert_eq!(kinds("Call addParam() with max_rows."), ["w:call", "i:addparam", "w:with", "i:max_rows"]);
        assert_eq!(
            kinds("See docs/a.md, ./x.csv and /etc/hosts."),
            ["w:see", "p:docs/a.md", "p:x.csv", "w:and", "p:/etc/hosts"]
        );
        assert_eq!(kinds("read/write and TCP/IP"), ["w:read", "w:write", "w:and", "w:tcp", "w:ip"]);
        assert_eq!(kinds("https://a.b/c. Next"), ["u:https://a.b/c", "w:next"]);
        assert_eq!(kinds("version 1.2.3 or v2"), ["w:version", "i:1.2.3", "w:or", "i:v2"]);
        assert_eq!(kinds("use --dry-run, e.g. now"), ["w:use", "i:--dry-run", "w:e", "w:g", "w:now"]);
        assert_eq!(kinds("cañón"), ["w:canon"]);
    }
}
