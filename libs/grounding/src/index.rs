//! The sources of an answer, cut and tokenised once: every claim is then held against the same tables.

use crate::flags;
use crate::language::{self, Language};
use crate::numbers::{self, Quantity};
use crate::rules;
use crate::sentences;
use crate::tokens::{Map, Set, Token, TokenKind, Tokenizer, Tokenizers, Vocabulary, pair};
use assay_domain::evidence::{LineRange, Source};
use std::ops::Range;
use std::sync::OnceLock;

/// Longest sentence, in tokens; a longer one is cut, so that aligning stays cheap.
const SENTENCE_TOKENS: usize = 80;

/// Text that was tokenised for comparison.
#[derive(Debug, Clone)]
pub(crate) struct Analysed {
    /// Tokens in order.
    pub(crate) tokens: Vec<Token>,
    /// Figures in order.
    pub(crate) quantities: Vec<Quantity>,
    /// Weight of each token.
    pub(crate) weights: Vec<f64>,
    /// Sum of the weights.
    pub(crate) mass: f64,
    /// Stems of content tokens and hashes of figures, sorted.
    pub(crate) stems: Vec<u64>,
    /// A bit for each of them: what has none is not among them.
    sieve: u64,
    /// Folded words between single spaces, with one at each end.
    pub(crate) flat: String,
    /// Its language, if it tells.
    pub(crate) language: Option<Language>,
}

impl Analysed {
    /// Tokenises a text whose inline code stands between backticks.
    pub(crate) fn new(text: &str, language: Option<Language>) -> Self {
        Self::of(Tokenizer::new(language).tokens(text), language, true)
    }

    /// A claim: words that only say where it comes from ("according to passage 2") weigh nothing.
    pub(crate) fn claim(text: &str, language: Option<Language>, tokenizers: &Tokenizers<'_>) -> Self {
        let mut words = Self::of(tokenizers.of(language).tokens(text), language, true);
        for at in 0..words.tokens.len() {
            let token = &words.tokens[at];
            let numbered =
                words.tokens.get(at + 1).is_some_and(|next| matches!(next.kind, TokenKind::Number(_)));
            let refers = token.is(flags::REFERENCE) || (numbered && token.is(flags::NUMBERED));
            if !refers {
                continue;
            }
            words.weights[at] = 0.0;
            let mut next = at + 1;
            while let Some(token) = words.tokens.get(next) {
                match token.kind {
                    TokenKind::Number(_) | TokenKind::Path => words.weights[next] = 0.0,
                    _ if token.stop => {}
                    _ => break,
                }
                next += 1;
            }
        }
        words.mass = words.weights.iter().sum();
        words
    }

    fn of(mut tokens: Vec<Token>, language: Option<Language>, flattened: bool) -> Self {
        rules::mark(&mut tokens);
        let quantities = numbers::quantities(&tokens);
        let weights: Vec<f64> = tokens.iter().map(|token| token.weight).collect();
        let mut stems: Vec<u64> = Vec::with_capacity(tokens.len() + 2 * quantities.len());
        stems.extend(tokens.iter().filter(|token| token.content()).map(|token| token.stem));
        stems.extend(quantities.iter().map(|quantity| numbers::hash(quantity.value)));
        stems.extend(quantities.iter().filter_map(|quantity| quantity.grouped).map(numbers::hash));
        stems.sort_unstable();
        stems.dedup();
        let sieve = stems.iter().fold(0, |sieve, stem| sieve | bit(*stem));
        let mut flat = String::new();
        if flattened {
            // About as much as the text.
            flat.reserve(
                tokens.last().map_or(1, |last| last.start + last.norm.len() + 2)
                    - tokens.first().map_or(0, |first| first.start),
            );
            flat.push(' ');
            for token in &tokens {
                flat.push_str(&token.norm);
                flat.push(' ');
            }
        }
        Self { mass: weights.iter().sum(), tokens, quantities, weights, stems, sieve, flat, language }
    }

    /// A stretch of it by itself, with the weights that its tokens have here; `flat` is left empty.
    pub(crate) fn part(&self, range: Range<usize>) -> Self {
        let tokens = self.tokens.get(range.clone()).unwrap_or_default().to_vec();
        let mut part = Self::of(tokens, self.language, false);
        if let Some(weights) = self.weights.get(range) {
            part.weights = weights.to_vec();
            part.mass = part.weights.iter().sum();
        }
        part
    }

    /// Whether a content stem or figure stands in it.
    pub(crate) fn holds(&self, stem: u64) -> bool {
        self.sieve & bit(stem) != 0 && self.stems.binary_search(&stem).is_ok()
    }

    /// Whether the stem of a token of any text, or a word that may stand for it, is in it.
    pub(crate) fn says_token(&self, token: &Token) -> bool {
        self.holds(token.stem) || token.others().iter().any(|other| self.holds(*other))
    }

    /// Whether a stem, or a word that may stand for it, is in it.
    pub(crate) fn says(&self, stem: u64) -> bool {
        self.holds(stem) || crate::lexicon::synonyms(stem).iter().any(|other| self.holds(*other))
    }

    /// Hashes of neighbouring token pairs.
    pub(crate) fn bigrams(&self) -> impl Iterator<Item = u64> + '_ {
        self.tokens.windows(2).map(|two| pair(two[0].stem, two[1].stem))
    }

    /// Hashes of three neighbouring tokens.
    pub(crate) fn trigrams(&self) -> impl Iterator<Item = u64> + '_ {
        self.tokens.windows(3).map(|three| pair(pair(three[0].stem, three[1].stem), three[2].stem))
    }
}

/// A sentence of a source.
#[derive(Debug, Clone)]
pub(crate) struct Sentence {
    /// Index of its source, from 0.
    pub(crate) source: usize,
    /// Lines of the file.
    pub(crate) lines: LineRange,
    /// Byte range in the source's text.
    pub(crate) range: Range<usize>,
    /// Its tokens.
    pub(crate) words: Analysed,
}

/// A source with its tables.
#[derive(Debug, Clone)]
pub(crate) struct Passage {
    /// Its text.
    pub(crate) text: String,
    /// Its path.
    path: String,
    /// Its path and text in lower case, once somebody asked.
    lower: OnceLock<String>,
    /// Indices of its sentences.
    pub(crate) sentences: Range<usize>,
    /// Its language, if it tells.
    pub(crate) language: Option<Language>,
    /// Content stems and figures.
    pub(crate) stems: Set,
    /// Folded words, and perhaps others.
    words: Sieve,
    /// Five-character prefixes of content words.
    pub(crate) prefixes: Set,
    /// Neighbouring tokens.
    pub(crate) bigrams: Set,
    /// Three neighbouring tokens.
    pub(crate) trigrams: Set,
    /// Folded words between single spaces.
    pub(crate) flat: String,
}

impl Passage {
    /// Its path and text in lower case.
    pub(crate) fn lower(&self) -> &str {
        self.lower.get_or_init(|| format!("{}\n{}", self.path, self.text).to_lowercase())
    }

    /// Whether the words of a text stand in it one after the other.
    pub(crate) fn quotes(&self, words: &Analysed) -> bool {
        words.tokens.iter().all(|token| self.words.may_hold(token.folded)) && self.flat.contains(&words.flat)
    }
}

/// All sources of an answer, ready for comparison. Build it once per attempt; building is linear in the text.
#[derive(Debug, Clone, Default)]
pub struct SourceIndex {
    pub(crate) passages: Vec<Passage>,
    pub(crate) sentences: Vec<Sentence>,
    /// By stem: where its sentences begin in `places`, and how many they are.
    postings: Map<(u32, u32)>,
    /// Sentences that hold a stem, in order, stem after stem.
    places: Vec<u32>,
    /// What its words read as.
    pub(crate) vocabulary: Vocabulary,
    /// Which prefixes, pairs and threes of words some source may hold.
    pub(crate) prefixes: Sieve,
    pub(crate) bigrams: Sieve,
    pub(crate) trigrams: Sieve,
}

/// A bit of a word's hash.
fn bit(hash: u64) -> u64 {
    1 << (hash % 64)
}

/// A set that may say yes by mistake, and never no: one look at it spares looking into every source.
#[derive(Debug, Clone, Default)]
pub(crate) struct Sieve {
    /// A power of two of them; none in an empty set.
    bits: Vec<u64>,
}

impl Sieve {
    /// For texts of so many bytes: one bit in eight is set, about.
    pub(crate) fn of_bytes(bytes: usize) -> Self {
        Self { bits: vec![0; (bytes / 48).next_power_of_two().max(16)] }
    }

    fn place(&self, hash: u64) -> Option<usize> {
        let last = self.bits.len().checked_sub(1)?;
        usize::try_from(hash >> 6 & u64::try_from(last).unwrap_or_default()).ok()
    }

    pub(crate) fn add(&mut self, hash: u64) {
        if let Some(word) = self.place(hash).and_then(|place| self.bits.get_mut(place)) {
            *word |= bit(hash);
        }
    }

    /// Whether a hash may be in it.
    pub(crate) fn may_hold(&self, hash: u64) -> bool {
        self.place(hash).and_then(|place| self.bits.get(place)).is_some_and(|word| word & bit(hash) != 0)
    }
}

impl SourceIndex {
    /// Reads the sources, in marker order.
    #[must_use]
    pub fn new(sources: &[Source]) -> Self {
        let mut index = Self::default();
        let sieve = Sieve::of_bytes(sources.iter().map(|source| source.text.len()).sum());
        (index.prefixes, index.bigrams, index.trigrams) = (sieve.clone(), sieve.clone(), sieve);
        let tokenizers = Tokenizers::default();
        for (number, source) in sources.iter().enumerate() {
            index.add(number, source, &tokenizers);
        }
        index.post();
        index.vocabulary = tokenizers.into_vocabulary();
        index
    }

    /// Tokenises a further text; words of the sources are known.
    pub(crate) fn analyse(&self, text: &str, language: Option<Language>) -> Analysed {
        Analysed::of(Tokenizers::over(&self.vocabulary).of(language).tokens(text), language, true)
    }

    /// Sentences that hold a content stem or figure, in order.
    pub(crate) fn places(&self, stem: u64) -> &[u32] {
        let Some((start, count)) = self.postings.get(&stem) else { return &[] };
        let start = usize::try_from(*start).unwrap_or(usize::MAX);
        usize::try_from(*count)
            .ok()
            .and_then(|count| self.places.get(start..start.checked_add(count)?))
            .unwrap_or_default()
    }

    /// Writes down which sentences hold which stem.
    fn post(&mut self) {
        let stems = self.sentences.iter().map(|sentence| sentence.words.stems.len()).sum();
        self.postings.reserve(stems / 2);
        for stem in self.sentences.iter().flat_map(|sentence| &sentence.words.stems) {
            self.postings.entry(*stem).or_default().1 += 1;
        }
        let mut start = 0;
        for (from, count) in self.postings.values_mut() {
            *from = start;
            start += *count;
            *count = 0;
        }
        self.places = vec![0; stems];
        for (place, sentence) in self.sentences.iter().enumerate() {
            for stem in &sentence.words.stems {
                let Some((start, count)) = self.postings.get_mut(stem) else { continue };
                if let Ok(slot) = usize::try_from(*start + *count) {
                    self.places[slot] = u32::try_from(place).unwrap_or(u32::MAX);
                }
                *count += 1;
            }
        }
    }

    /// Number of sources.
    #[must_use]
    pub fn len(&self) -> usize {
        self.passages.len()
    }

    /// Whether there are no sources.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.passages.is_empty()
    }

    fn add(&mut self, number: usize, source: &Source, tokenizers: &Tokenizers<'_>) {
        let language = match source.language.as_str() {
            "en" => Some(Language::English),
            "es" => Some(Language::Spanish),
            _ => language::detect(&source.text),
        };
        let tokenizer = tokenizers.of(language);
        tokenizer.expect(source.text.len());
        // About a word in six bytes: room for all, so that no table grows.
        let room = || Set::with_capacity_and_hasher(source.text.len() / 6, Default::default());
        let first = self.sentences.len();
        let mut passage = Passage {
            text: source.text.clone(),
            path: source.path.clone(),
            lower: OnceLock::new(),
            sentences: first..first,
            language,
            stems: room(),
            words: Sieve::of_bytes(source.text.len()),
            prefixes: room(),
            bigrams: room(),
            trigrams: room(),
            flat: String::from(" "),
        };
        let mut behind: Option<(u64, u64)> = None;
        let (mut line, mut counted) = (0_u32, 0);
        for range in source_sentences(&source.text) {
            let text = &source.text[range.clone()];
            line += newlines(&source.text[counted..range.start]);
            counted = range.start;
            let mut tokens = tokenizer.tokens(text);
            while !tokens.is_empty() {
                let rest = tokens.split_off(tokens.len().min(SENTENCE_TOKENS));
                let (start, end) = (tokens[0].start, rest.first().map_or(text.len(), |token| token.start));
                let lines = LineRange::new(
                    source.lines.first.saturating_add(line + newlines(&text[..start])),
                    source.lines.first.saturating_add(line + newlines(text[..end].trim_end())),
                );
                let range = range.start + start..range.start + text[..end].trim_end().len().max(start);
                let words = Analysed::of(std::mem::replace(&mut tokens, rest), language, true);
                for token in &words.tokens {
                    passage.words.add(token.folded);
                    if token.content() {
                        passage.prefixes.insert(token.prefix);
                        self.prefixes.add(token.prefix);
                    }
                    if let Some((one, two)) = behind {
                        let (bigram, trigram) = (pair(two, token.stem), pair(pair(one, two), token.stem));
                        passage.bigrams.insert(bigram);
                        passage.trigrams.insert(trigram);
                        self.bigrams.add(bigram);
                        self.trigrams.add(trigram);
                        behind = Some((two, token.stem));
                    } else {
                        behind = Some((0, token.stem));
                    }
                }
                passage.flat.push_str(&words.flat[1..]);
                passage.stems.extend(&words.stems);
                self.sentences.push(Sentence { source: number, lines, range, words });
            }
        }
        passage.sentences.end = self.sentences.len();
        self.passages.push(passage);
    }
}

fn newlines(text: &str) -> u32 {
    u32::try_from(text.bytes().filter(|b| *b == b'\n').count()).unwrap_or(u32::MAX)
}

/// Sentences of Markdown or plain text: list marks, headings, table rows, blank lines and short lines end one too.
fn source_sentences(text: &str) -> Vec<Range<usize>> {
    let mut breaks = Vec::new();
    let mut at = 0;
    let mut before = "";
    for line in text.split_inclusive('\n') {
        let bare = line.trim();
        let marked = bare.starts_with(['-', '*', '#', '|', '>', '`', '+', '~'])
            || bare.split_once(['.', ')']).is_some_and(|(number, _)| {
                !number.is_empty() && number.len() < 4 && number.bytes().all(|b| b.is_ascii_digit())
            });
        let ended = before.ends_with(['.', '!', '?', ':', '"', '”', '»', ')', '`', '|', '{', '}', ';']);
        let fresh = bare.starts_with(|c: char| !c.is_lowercase()) && (ended || before.len() < 60);
        let indented = line.starts_with("    ") || line.starts_with('\t');
        if at > 0
            && (bare.is_empty()
                || before.is_empty()
                || marked
                || fresh
                || indented
                || before.starts_with(['#', '|']))
        {
            breaks.push(at);
        }
        before = bare;
        at += line.len();
    }
    let mut ranges = sentences::split(text, &[], &breaks);
    ranges.retain_mut(|range| {
        let part = &text[range.clone()];
        range.start += part.len() - part.trim_start().len();
        range.end = range.start + part.trim().len();
        range.start < range.end
    });
    ranges
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use assay_domain::evidence::SourceKind;

    fn lines(text: &str) -> Vec<(String, u32, u32)> {
        let source = Source::given("1", SourceKind::Doc, text, 10);
        let index = SourceIndex::new(&[source]);
        index
            .sentences
            .iter()
            .map(|s| (text[s.range.clone()].to_owned(), s.lines.first, s.lines.last))
            .collect()
    }

    #[test]
    fn sentences_of_a_source_know_their_lines_in_the_file() {
        assert_eq!(
            lines("# Title\n\nIt skips rows. It\nstops early.\n- one\n- two\n"),
            [
                ("Title".to_owned(), 10, 10),
                ("It skips rows.".to_owned(), 12, 12),
                ("It\nstops early.".to_owned(), 12, 13),
                ("one".to_owned(), 14, 14),
                ("two".to_owned(), 15, 15),
            ]
        );
    }

    #[test]
    fn an_overlong_sentence_is_cut() {
        let text = "word ".repeat(500);
        let found = lines(&text);
        assert_eq!(found.len(), 7);
        assert!(found.iter().all(|(_, first, last)| (*first, *last) == (10, 10)));
    }
}
