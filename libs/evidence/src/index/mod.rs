//! The sources of an answer, cut and tokenised once: every claim is then held against the same tables.

mod analysed;
pub(crate) mod bloom;
mod postings;
mod sentences;
mod shown;

use crate::language;
use crate::language::Language;
use crate::readable::beyond_latin;
use crate::text;
use crate::tokens::{Map, Set, Token, Tokenizers, Vocabulary, pair};
pub use analysed::{Analysed, Plain};
use assay_domain::evidence::{LineRange, Source};
pub use bloom::{Bits, BloomFilter, bit};
pub use postings::POSTINGS;
use shown::Shown;
use std::ops::Range;
use std::sync::OnceLock;

/// Longest sentence, in tokens; a longer one is cut, so that aligning stays cheap.
const SENTENCE_TOKENS: usize = 80;
/// Bytes of a sentence, about: so much room is made beforehand.
const SENTENCE_BYTES: usize = 80;
/// Number of sources up to which each is asked in its turn.
const MANY: usize = 24;

/// A sentence of a source.
#[derive(Debug, Clone)]
pub struct Sentence {
    /// Index of its source, from 0.
    pub source: usize,
    /// Lines of the file.
    pub lines: LineRange,
    /// Byte range in the source's text.
    pub range: Range<usize>,
    /// Its tokens.
    pub words: Analysed,
}

/// A source with its tables.
#[derive(Debug, Clone)]
pub struct Passage {
    /// Its text.
    pub text: String,
    /// Its path.
    path: String,
    /// Its path and text in lower case, once somebody asked.
    lower: OnceLock<String>,
    /// Indices of its sentences.
    pub sentences: Range<usize>,
    /// Its language, if it tells.
    pub language: Option<Language>,
    /// Whether it holds letters of another alphabet than the Latin one.
    pub beyond_latin: bool,
    /// Folded words, and perhaps others.
    words: BloomFilter,
    /// Five-character prefixes of content words.
    pub prefixes: Set,
    /// Neighbouring tokens.
    pub bigrams: Set,
    /// Three neighbouring tokens.
    pub trigrams: Set,
    /// Folded words between single spaces.
    pub flat: String,
    /// Where the words of each sentence begin in it, once somebody asked.
    flat_starts: OnceLock<Vec<usize>>,
}

impl Passage {
    /// Its path and text in lower case.
    pub fn lower(&self) -> &str {
        self.lower.get_or_init(|| format!("{}\n{}", self.path, self.text).to_lowercase())
    }

    /// Where something stands in its path and text in lower case.
    pub fn lower_places<'a>(&'a self, said: &'a str) -> impl Iterator<Item = usize> + 'a {
        text::places(self.lower(), said)
    }

    /// Where folded words between single spaces, with one at each end, stand in it one after the other.
    pub fn flat_places<'a>(&'a self, words: &'a str) -> impl Iterator<Item = usize> + 'a {
        text::places(&self.flat, words)
    }

    /// Whether such words do.
    pub fn says(&self, words: &str) -> bool {
        self.flat_places(words).next().is_some()
    }

    /// Whether the words of a text stand in it one after the other.
    pub fn quotes(&self, words: &Analysed) -> bool {
        words.rarest().is_none_or(|rarest| self.words.may_hold(rarest))
            && words.tokens.iter().all(|token| self.words.may_hold(token.folded))
            && self.says(&words.flat)
    }
}

/// Tables of all sources in one.
#[derive(Debug, Clone, Default)]
pub struct Joined {
    /// What their words begin with.
    pub prefixes: Set,
    /// Their pairs of neighbouring words.
    pub bigrams: Set,
    /// Their threes of neighbouring words.
    pub trigrams: Set,
}

/// All sources of an answer, ready for comparison. Build it once per attempt; building is linear in the text.
#[derive(Debug, Clone, Default)]
pub struct SourceIndex {
    /// The sources, in marker order.
    pub passages: Vec<Passage>,
    /// Their sentences, source after source.
    pub sentences: Vec<Sentence>,
    /// By stem: where its sentences begin in `places`, and how many they are.
    postings: Map<(u32, u32)>,
    /// Sentences that hold a stem, in order, stem after stem.
    places: Vec<u32>,
    /// Sentences that have figures, in order.
    figured: Vec<u32>,
    /// The tables of many sources in one, once somebody asked.
    joined: OnceLock<Joined>,
    /// What its words read as.
    pub vocabulary: Vocabulary,
    /// What words of some source may begin with.
    pub prefixes: BloomFilter,
    /// Which pairs of neighbouring words some source may hold.
    pub bigrams: BloomFilter,
    /// Which threes of them.
    pub trigrams: BloomFilter,
}

impl SourceIndex {
    /// Reads the sources, in marker order.
    #[must_use]
    pub fn new(sources: &[Source]) -> Self {
        let mut index = Self::default();
        let bytes = sources.iter().map(|source| source.text.len()).sum();
        let bits = BloomFilter::of_bytes(bytes);
        (index.prefixes, index.bigrams, index.trigrams) = (bits.clone(), bits.clone(), bits);
        let tokenizers = Tokenizers::default();
        index.sentences.reserve(bytes / SENTENCE_BYTES);
        for (number, source) in sources.iter().enumerate() {
            index.add(number, source, &tokenizers);
        }
        index.post();
        index.vocabulary = tokenizers.into_vocabulary();
        index
    }

    /// Tokenises a further text; words of the sources are known.
    pub fn analyse(&self, text: &str, language: Option<Language>) -> Analysed {
        Analysed::of(Tokenizers::over(&self.vocabulary).of(language).tokens(text), language, true)
    }

    /// The tables of all sources in one, where they are so many that asking each in its turn takes long.
    pub fn joined(&self) -> Option<&Joined> {
        let join = || {
            let mut all = Joined::default();
            for passage in &self.passages {
                all.prefixes.extend(&passage.prefixes);
                all.bigrams.extend(&passage.bigrams);
                all.trigrams.extend(&passage.trigrams);
            }
            all
        };
        (self.passages.len() > MANY).then(|| self.joined.get_or_init(join))
    }

    /// The sentences in which a stretch of the folded words of a source begins and ends, with where the first of them begins.
    pub fn sentences_at(
        &self,
        passage: &Passage,
        place: usize,
        length: usize,
    ) -> Option<(&Sentence, usize, &Sentence)> {
        let sentences = self.sentences.get(passage.sentences.clone())?;
        let starts = passage.flat_starts.get_or_init(|| {
            let mut start = 0;
            let begin = |sentence: &Sentence| {
                let own = start;
                // The space before its first word is that behind the last of the one before.
                start += sentence.words.flat.len() - 1;
                own
            };
            sentences.iter().map(begin).collect()
        });
        let at = |place: usize| starts.partition_point(|start| *start <= place).checked_sub(1);
        let (first, last) = (at(place)?, at((place + length).saturating_sub(2).max(place))?);
        Some((sentences.get(first)?, starts[first], sentences.get(last)?))
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
        let shown = Shown::of(source);
        let read = &shown.text;
        let language = match source.language.as_str() {
            "en" => Some(Language::English),
            "es" => Some(Language::Spanish),
            _ => language::detect(read),
        };
        let tokenizer = tokenizers.of(language);
        tokenizer.expect(source.text.len());
        // About a word in six bytes: room for all, so that no table grows.
        let room = || Set::with_capacity_and_hasher(source.text.len() / 6, Default::default());
        let first = self.sentences.len();
        let mut passage = Passage {
            text: read.clone(),
            path: source.path.clone(),
            lower: OnceLock::new(),
            sentences: first..first,
            language,
            beyond_latin: !read.is_ascii() && read.contains(beyond_latin),
            words: BloomFilter::of_bytes(source.text.len()),
            prefixes: room(),
            bigrams: room(),
            trigrams: room(),
            flat: String::with_capacity(source.text.len() + 2),
            flat_starts: OnceLock::new(),
        };
        passage.flat.push(' ');
        let mut behind: Option<(u64, u64)> = None;
        let line = |at: usize| source.lines.first.saturating_add(shown.line_at(at));
        for range in shown.sentences.iter().cloned() {
            let text = &read[range.clone()];
            let mut parts = parted(tokenizer.tokens(text)).into_iter().peekable();
            while let Some(part) = parts.next() {
                let Some(start) = part.first().map(|first| first.start) else { break };
                let next = parts.peek().and_then(|next| next.first()).map_or(text.len(), |token| token.start);
                let end = start.max(text[..next].trim_end().len());
                let range = range.start + start..range.start + end;
                let (one, other) = (line(range.start), line(range.end.saturating_sub(1).max(range.start)));
                let lines = LineRange::new(one.min(other), one.max(other));
                let words = Analysed::of(part, language, true);
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
                self.sentences.push(Sentence { source: number, lines, range, words });
            }
        }
        passage.sentences.end = self.sentences.len();
        self.passages.push(passage);
    }
}

/// The tokens of a sentence, cut where it is too long.
fn parted(tokens: Vec<Token>) -> Vec<Vec<Token>> {
    if tokens.len() <= SENTENCE_TOKENS {
        return vec![tokens];
    }
    let mut rest = tokens.into_iter();
    let mut parts = Vec::new();
    while rest.len() > 0 {
        parts.push(rest.by_ref().take(SENTENCE_TOKENS).collect());
    }
    parts
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
            .map(|s| (index.passages[0].text[s.range.clone()].to_owned(), s.lines.first, s.lines.last))
            .collect()
    }

    #[test]
    fn sentences_of_a_source_know_their_lines_in_the_file() {
        assert_eq!(
            lines("# Title\n\nIt skips rows. It\nstops early.\n- one\n- two\n"),
            [
                ("Title".to_owned(), 10, 10),
                ("It skips rows.".to_owned(), 12, 12),
                ("It stops early.".to_owned(), 12, 13),
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
