//! Cuts text into tokens for comparison: folded words with their stems, numbers, identifiers and paths.

use crate::flags;
use crate::idf;
use crate::language::Language;
use crate::lexicon;
use crate::numbers;
use crate::quantifiers::Quantifier;
use rust_stemmers::{Algorithm, Stemmer};
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::{Arc, LazyLock};
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// A set of word hashes, which need no second hashing.
pub(crate) type Set = std::collections::HashSet<u64, BuildHasherDefault<Same>>;
/// A map over word hashes.
pub(crate) type Map<V> = std::collections::HashMap<u64, V, BuildHasherDefault<Same>>;

/// Passes a hash through.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Same(u64);

impl Hasher for Same {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        self.0 = hash_bytes(bytes);
    }
    fn write_u64(&mut self, value: u64) {
        self.0 = value;
    }
}

/// FNV-1a, 64 bits, with a final mix.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Fnv {
    pub(crate) fn push(&mut self, byte: u8) {
        self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    }

    pub(crate) fn finish(self) -> u64 {
        self.0 ^ (self.0 >> 32)
    }
}

pub(crate) fn hash_bytes(bytes: &[u8]) -> u64 {
    let mut hash = Fnv::default();
    bytes.iter().for_each(|byte| hash.push(*byte));
    hash.finish()
}

/// Hash of a word.
pub(crate) fn hash(word: &str) -> u64 {
    hash_bytes(word.as_bytes())
}

/// Hash of two hashes in order.
pub(crate) fn pair(first: u64, second: u64) -> u64 {
    first.rotate_left(21).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ second
}

/// Kind of a token.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum TokenKind {
    /// A word.
    Word,
    /// A number in digits, with its value.
    Number(f64),
    /// A name of code: `addParam`, `max_rows`, `--flag`, `v1.2.3`.
    Name,
    /// A path or file name.
    Path,
    /// A web address.
    Url,
}

/// What is the same wherever a token is written so: made once for all places in the texts of an answer.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Word {
    /// As written.
    pub(crate) text: String,
    /// Lower case without accents.
    pub(crate) norm: String,
    /// Hash of the stem, of the number's value, or of the folded name.
    pub(crate) stem: u64,
    /// Hash of the folded word.
    pub(crate) folded: u64,
    /// Hash of the first five characters of the folded word.
    pub(crate) prefix: u64,
    /// What it is.
    pub(crate) kind: TokenKind,
    /// Whether it has no content of its own.
    pub(crate) stop: bool,
    /// Whether it begins with a capital.
    pub(crate) capital: bool,
    /// Whether it stands in inline code.
    pub(crate) code: bool,
    /// How rare it is.
    pub(crate) weight: f64,
    /// Whether a figure may begin with it: digits, a number word, or an article.
    pub(crate) counts: bool,
    /// What lists know of it; see [`crate::flags`].
    pub(crate) flags: u32,
    /// Stems that may stand for its stem, sorted; none where it has no content.
    pub(crate) others: &'static [u64],
    /// Whether a phrase may begin with it that reads as one word.
    leads: bool,
    /// Whether it stands for a phrase.
    pub(crate) phrase: bool,
}

/// A word that many tokens are: made for the texts of an answer, or known before.
#[derive(Debug, Clone)]
enum Shared {
    Made(Arc<Word>),
    Known(&'static Word),
}

impl std::ops::Deref for Shared {
    type Target = Word;

    fn deref(&self) -> &Word {
        match self {
            Self::Made(word) => word,
            Self::Known(word) => word,
        }
    }
}

/// A token: a word, read through, and its place. What is asked of it again and again stands in it, once it is part of an
/// [`crate::index::Analysed`]; nobody needs to look for it in lists.
#[derive(Debug, Clone)]
pub(crate) struct Token {
    word: Shared,
    /// The word's stem.
    pub(crate) stem: u64,
    /// The word's kind.
    pub(crate) kind: TokenKind,
    /// Hash of the folded word.
    pub(crate) folded: u64,
    /// Whether it has no content of its own.
    pub(crate) stop: bool,
    /// Whether it begins with a capital.
    pub(crate) capital: bool,
    /// What lists know of the word; see [`crate::flags`].
    pub(crate) flags: u32,
    /// Whether it denies what follows; see [`crate::rules::mark`].
    pub(crate) negates: bool,
    /// Whether it is a proper name.
    pub(crate) entity: bool,
    /// Its quantifier or modal class.
    pub(crate) class: Option<Quantifier>,
    /// Whether punctuation that ends a clause stands before it.
    pub(crate) after_break: bool,
    /// Whether a sentence, a label or a quotation begins with it: a capital says nothing there.
    pub(crate) opens: bool,
    /// Byte offset in the text.
    pub(crate) start: usize,
}

impl std::ops::Deref for Token {
    type Target = Word;

    fn deref(&self) -> &Word {
        &self.word
    }
}

impl Token {
    /// Whether it carries content: a word that is no function word, a number, a name.
    pub(crate) fn content(&self) -> bool {
        !self.stop
    }

    /// Whether a list knows its word.
    pub(crate) fn is(&self, flag: u32) -> bool {
        self.flags & flag != 0
    }

    /// Whether it is the same as a token of content, or one that may stand for it; for tokens of content.
    pub(crate) fn means(&self, other: &Self) -> bool {
        self.stem == other.stem || self.others().binary_search(&other.stem).is_ok()
    }

    /// Stems that may stand for its own, sorted; none where it has no content.
    pub(crate) fn others(&self) -> &'static [u64] {
        if self.stem == self.word.stem { self.word.others } else { lexicon::synonyms(self.stem) }
    }

    /// Whether it is a name of code, a path or an address.
    pub(crate) fn named(&self) -> bool {
        matches!(self.kind, TokenKind::Name | TokenKind::Path | TokenKind::Url)
    }
}

/// Lower case, accents folded.
pub(crate) fn fold(word: &str) -> String {
    if word.is_ascii() {
        return word.to_ascii_lowercase();
    }
    word.nfkd().filter(|c| !is_combining_mark(*c)).flat_map(char::to_lowercase).collect()
}

/// Cuts and stems text of one language. What it has read once it knows again: most words of a text come again.
pub(crate) struct Tokenizer<'b> {
    stemmer: Stemmer,
    english: bool,
    /// Read by another tokenizer before.
    base: Option<&'b Readings>,
    own: std::cell::RefCell<Readings>,
}

/// One of each language.
pub(crate) struct Tokenizers<'b> {
    english: Tokenizer<'b>,
    spanish: Tokenizer<'b>,
}

/// What the tokenizers of both languages have read.
#[derive(Debug, Clone, Default)]
pub(crate) struct Vocabulary {
    english: Readings,
    spanish: Readings,
}

/// Runs of joining characters by their hash.
type Readings = Map<Reading>;

/// What a run of joining characters reads as.
#[derive(Debug, Clone)]
struct Reading {
    /// The run; none where its only word is written so.
    run: Option<Box<str>>,
    code: bool,
    call: bool,
    /// Its first word with its offset in it, and the others.
    word: Option<(usize, Arc<Word>)>,
    more: Vec<(usize, Arc<Word>)>,
    /// What it leaves behind.
    edge: Edge,
    /// Whether it is punctuation only, and adds to what stood before.
    bare: bool,
}

impl Reading {
    /// Whether it is a reading of a run.
    fn of(&self, run: &str, code: bool, call: bool) -> bool {
        let own = self.run.as_deref().or_else(|| self.word.as_ref().map(|(_, word)| word.text.as_str()));
        own == Some(run) && self.code == code && self.call == call
    }

    /// Writes its tokens, for a run that begins at `start`.
    fn read<'r>(
        &'r self,
        start: usize,
        edge: &mut Edge,
        out: &mut Vec<Token>,
        share: impl Fn(&'r Arc<Word>) -> Shared,
    ) {
        if self.bare {
            edge.after_break |= self.edge.after_break;
            edge.opens |= self.edge.opens;
            return;
        }
        let mut before = *edge;
        for (offset, word) in self.word.iter().chain(&self.more) {
            out.push(Token {
                stem: word.stem,
                kind: word.kind,
                folded: word.folded,
                stop: word.stop,
                capital: word.capital,
                flags: word.flags,
                negates: false,
                entity: false,
                class: None,
                word: share(word),
                after_break: before.after_break,
                opens: before.opens,
                start: start + offset,
            });
            before = Edge { after_break: false, opens: false };
        }
        *edge = self.edge;
    }
}

/// Readings of common words, English and Spanish, made once a process.
static COMMON: LazyLock<[Readings; 2]> = LazyLock::new(|| {
    [None, Some(Language::Spanish)].map(|language| {
        let tokenizer = Tokenizer::new(language);
        let mut readings = Readings::default();
        lexicon::common(language, |word| {
            readings.entry(key(word, false, false)).or_insert_with(|| tokenizer.reading(word, false, false));
        });
        readings
    })
});

/// Hash of a run, in code or before a parenthesis.
fn key(run: &str, code: bool, call: bool) -> u64 {
    keyed(hash(run), code, call)
}

fn keyed(hash: u64, code: bool, call: bool) -> u64 {
    hash ^ (u64::from(code) << 1 | u64::from(call))
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
    pub(crate) fn over(known: &'b Vocabulary) -> Self {
        Self {
            english: Tokenizer { base: Some(&known.english), ..Tokenizer::new(None) },
            spanish: Tokenizer { base: Some(&known.spanish), ..Tokenizer::new(Some(Language::Spanish)) },
        }
    }

    /// The one for a language; English where it is unknown.
    pub(crate) fn of(&self, language: Option<Language>) -> &Tokenizer<'b> {
        if language == Some(Language::Spanish) { &self.spanish } else { &self.english }
    }

    /// What they have read.
    pub(crate) fn into_vocabulary(self) -> Vocabulary {
        Vocabulary { english: self.english.own.into_inner(), spanish: self.spanish.own.into_inner() }
    }
}

/// What stands between two tokens.
#[derive(Debug, Clone, Copy)]
struct Edge {
    after_break: bool,
    opens: bool,
}

/// Classes of ASCII characters: what may stand inside a token, and what ends a clause or opens one.
const JOINS: u8 = 1;
const BREAKS: u8 = 2;
const OPENS: u8 = 4;
static ASCII: [u8; 128] = classes();

const fn classes() -> [u8; 128] {
    let mut table = [0; 128];
    let mut byte = 0_u8;
    while byte < 128 {
        table[byte as usize] = match byte {
            b'_' | b'.' | b'/' | b':' | b'-' | b'\'' | b'@' | b'#' | b'$' | b'%' | b'+' | b'~' | b'\\' => {
                JOINS
            }
            b'|' | b'!' | b'?' | b'"' | b'*' => BREAKS | OPENS,
            b',' | b';' | b'(' | b')' | b'\n' => BREAKS,
            _ if byte.is_ascii_alphanumeric() => JOINS,
            _ => 0,
        };
        byte += 1;
    }
    table
}

/// Class of a character.
fn class(c: char) -> u8 {
    if let Some(class) = u32::from(c).try_into().ok().and_then(|place: usize| ASCII.get(place)) {
        return *class;
    }
    match c {
        '’' | '€' | '°' => JOINS,
        '—' | '…' | '“' | '«' | '•' => BREAKS | OPENS,
        '–' | '”' => BREAKS,
        c if c.is_alphanumeric() => JOINS,
        _ => 0,
    }
}

impl<'b> Tokenizer<'b> {
    /// For a language; English where it is unknown.
    pub(crate) fn new(language: Option<Language>) -> Self {
        let algorithm = match language {
            Some(Language::Spanish) => Algorithm::Spanish,
            _ => Algorithm::English,
        };
        Self {
            stemmer: Stemmer::create(algorithm),
            english: language != Some(Language::Spanish),
            base: None,
            own: std::cell::RefCell::default(),
        }
    }

    /// Makes room for the words of a text of so many bytes.
    pub(crate) fn expect(&self, bytes: usize) {
        if let Ok(mut own) = self.own.try_borrow_mut() {
            own.reserve(bytes / 25);
        }
    }

    /// The stem of a folded word; short words and words with other characters than letters are their own stem.
    pub(crate) fn stem<'w>(&'w self, word: &'w str) -> std::borrow::Cow<'w, str> {
        let word = lexicon::regular(self.language(), word);
        if word.chars().count() > 3 && word.chars().all(char::is_alphabetic) {
            // Folding took the accent that the stemmer looks for: "eliminacion" goes with "eliminar".
            if !self.english
                && let Some(head) = word.strip_suffix("cion")
            {
                return self.stemmer.stem(&format!("{head}ción")).into_owned().into();
            }
            self.stemmer.stem(word)
        } else {
            word.into()
        }
    }

    /// Hash of a folded word's stem.
    pub(crate) fn stem_hash(&self, word: &str) -> u64 {
        if self.english {
            let regular = lexicon::regular(None, word);
            if let Some(stem) = crate::stem::english(regular.as_bytes(), hash_bytes) {
                return stem;
            }
        }
        hash(&self.stem(word))
    }

    fn language(&self) -> Option<Language> {
        (!self.english).then_some(Language::Spanish)
    }

    /// Tokens of a text in order; inline code stands between backticks.
    pub(crate) fn tokens(&self, text: &str) -> Vec<Token> {
        let mut tokens = Vec::with_capacity(text.len() / 5);
        let mut own = self.own.try_borrow_mut().ok();
        let common: &'static Readings = &COMMON[usize::from(!self.english)];
        let mut code = false;
        let mut edge = Edge { after_break: true, opens: true };
        let mut at = 0;
        let bytes = text.as_bytes();
        while let Some(byte) = bytes.get(at) {
            let start = at;
            let class = match ASCII.get(usize::from(*byte)) {
                Some(class) => {
                    at += 1;
                    *class
                }
                None => {
                    let Some(c) = text[at..].chars().next() else { break };
                    at += c.len_utf8();
                    class(c)
                }
            };
            if class & JOINS == 0 {
                code ^= *byte == b'`';
                edge.opens |= class & OPENS != 0;
                edge.after_break |= class & BREAKS != 0;
                continue;
            }
            let hash;
            (at, hash) = run_end(text, start, at);
            let behind = &bytes[at..];
            let call =
                behind.first() == Some(&b'(') && !behind.starts_with(b"(s)") && !behind.starts_with(b"(es)");
            let run = &text[start..at];
            let key = keyed(hash, code, call);
            if let Some(known) = common.get(&key).filter(|known| known.of(run, code, call)) {
                known.read(start, &mut edge, &mut tokens, |word| Shared::Known(word));
                continue;
            }
            let made = |word: &Arc<Word>| Shared::Made(Arc::clone(word));
            if let Some(known) =
                self.base.and_then(|base| base.get(&key)).filter(|known| known.of(run, code, call))
            {
                known.read(start, &mut edge, &mut tokens, made);
                continue;
            }
            if let Some(own) = own.as_mut() {
                let known = own.entry(key).or_insert_with(|| self.reading(run, code, call));
                if known.of(run, code, call) {
                    known.read(start, &mut edge, &mut tokens, made);
                    continue;
                }
            }
            self.reading(run, code, call).read(start, &mut edge, &mut tokens, made);
        }
        self.read_phrases(&mut tokens);
        tokens
    }

    /// Makes phrases read as their one word: its stem stands on the first word with content, and the others say nothing.
    fn read_phrases(&self, tokens: &mut [Token]) {
        let mut at = 0;
        while let Some(first) = tokens.get(at) {
            let mut length = 1;
            if first.leads {
                let phrases = lexicon::phrases(self.language(), first.stem);
                let met = phrases.iter().find_map(|phrase| Some((phrase, phrase.length(&tokens[at..])?)));
                if let Some((phrase, long)) = met {
                    length = long;
                    self.read_as(phrase, &mut tokens[at..at + long]);
                }
            }
            at += length;
        }
    }

    fn read_as(&self, phrase: &lexicon::Phrase, tokens: &mut [Token]) {
        let head = tokens.iter().position(Token::content).unwrap_or(0);
        let one = self.word(phrase.reads_as, TokenKind::Word, false);
        for (at, token) in tokens.iter_mut().enumerate() {
            if at == head {
                // A denial is part of what the one word says: "at no cost" is "free".
                let flags = (token.flags & !flags::DENIES | one.flags) & !flags::STOP;
                (token.stem, token.stop, token.flags) = (one.stem, one.stop, flags);
                let word = Word {
                    text: token.text.clone(),
                    norm: token.norm.clone(),
                    phrase: true,
                    folded: token.folded,
                    capital: token.capital,
                    flags,
                    ..Word::clone(&one)
                };
                token.word = Shared::Made(Arc::new(word));
            } else if token.content() || token.is(flags::DENIES) {
                let flags = token.flags & !flags::DENIES | flags::STOP;
                (token.stop, token.flags) = (true, flags);
                let word = Word { stop: true, flags, weight: 0.0, others: &[], ..Word::clone(token) };
                token.word = Shared::Made(Arc::new(word));
            }
        }
    }

    /// Reads a run of joining characters.
    fn reading(&self, run: &str, code: bool, call: bool) -> Reading {
        let (mut word, mut more) = (None, Vec::new());
        // "2 %" and "65 °C" are measures, with a space or without one.
        let measure = matches!(run.trim_end_matches(['.', ':']), "%" | "°C" | "°F");
        let bare =
            if measure { run } else { run.trim_start_matches([':', '\'', '’', '+', '%', '\\', '#', '°']) };
        let lead = run.len() - bare.len();
        let body = &run[lead..];
        let trailing: &[char] = &['.', ':', '\'', '’', '-', '/', '~', '\\', '@', '$', '_'];
        let kept = body.trim_end_matches(trailing);
        let ended = &body[kept.len()..];
        let kept = kept.strip_suffix("'s").or_else(|| kept.strip_suffix("’s")).unwrap_or(kept);
        let (mut body, mut start) = (kept, lead);
        // A dash, dot or slash in front is part of a flag, a path or a hidden file only.
        if let Some(rest) = body.strip_prefix(['-', '.', '/', '~', '@', '$', '_']) {
            let keeps = match body.as_bytes().first() {
                Some(b'-') => {
                    let flag = body.trim_start_matches('-');
                    flag.starts_with(|c: char| c.is_ascii_alphabetic())
                        || (flag.starts_with(|c: char| c.is_ascii_digit()) && !flag.contains('-'))
                }
                _ => rest.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '.' | '/' | '_')),
            };
            if !keeps {
                let bare = body.trim_start_matches(['-', '.', '/', '~', '@', '$', '_']);
                start += body.len() - bare.len();
                body = bare;
            }
        }
        let edge = if body.is_empty() {
            Edge { after_break: !ended.is_empty(), opens: ended.contains([':', '.', '-']) }
        } else {
            if !call && plain(body) {
                word = Some((start, self.word(body, TokenKind::Word, code)));
            } else {
                self.classify(body, start, code, call, &mut more);
                if !more.is_empty() {
                    word = Some(more.remove(0));
                }
            }
            let ends = ended.contains([':', '.']);
            Edge { after_break: ends, opens: ends }
        };
        let only = more.is_empty() && word.as_ref().is_some_and(|(_, word)| word.text == run);
        Reading { run: (!only).then(|| run.into()), code, call, word, more, edge, bare: body.is_empty() }
    }

    fn classify(&self, body: &str, start: usize, code: bool, call: bool, out: &mut Vec<(usize, Arc<Word>)>) {
        if body == "%" {
            out.push((start, self.word(body, TokenKind::Word, code)));
            return;
        }
        if body.contains("://") {
            out.push((start, self.word(body, TokenKind::Url, code)));
            return;
        }
        if let Some((value, unit)) = numbers::parse(body) {
            let digits = &body[..body.len() - unit.len()];
            out.push((start, self.word(digits, TokenKind::Number(value), code)));
            if !unit.is_empty() {
                out.push((start + digits.len(), self.word(unit, TokenKind::Word, code)));
            }
            return;
        }
        if is_path(body, code) {
            out.push((start, self.word(body, TokenKind::Path, code)));
            return;
        }
        if is_name(body, code)
            || (call && body.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.')))
        {
            out.push((start, self.word(body, TokenKind::Name, code)));
            return;
        }
        let mut at = 0;
        for part in body.split(['-', '/', ':', '.', '+', '%', '#', '@', '$', '~', '\\', '_']) {
            let place = start + at;
            at += part.len() + 1;
            let word = part
                .strip_suffix("'s")
                .or_else(|| part.strip_suffix("’s"))
                .unwrap_or(part)
                .trim_matches(['\'', '’']);
            if word.is_empty() {
                continue;
            }
            match numbers::parse(word) {
                Some((value, unit)) => {
                    let digits = &word[..word.len() - unit.len()];
                    out.push((place, self.word(digits, TokenKind::Number(value), code)));
                    if !unit.is_empty() {
                        out.push((place + digits.len(), self.word(unit, TokenKind::Word, code)));
                    }
                }
                None => out.push((place, self.word(word, TokenKind::Word, code))),
            }
        }
    }

    fn word(&self, text: &str, kind: TokenKind, code: bool) -> Arc<Word> {
        let mut norm = fold(text);
        if !norm.is_ascii() && norm.contains('’') {
            norm = norm.replace('’', "'");
        }
        // The plural of an abbreviation: "HSAs".
        if let Some(one) = text.strip_suffix('s')
            && one.len() > 1
            && one.chars().all(|c| c.is_ascii_uppercase())
        {
            norm.truncate(one.len());
        }
        let stem = match kind {
            TokenKind::Number(value) => numbers::hash(value),
            TokenKind::Word => self.stem_hash(&norm),
            _ => {
                norm = norm.trim_start_matches("./").trim_end_matches("()").to_owned();
                hash(&norm)
            }
        };
        let cut = norm.char_indices().nth(5).map_or(norm.len(), |(at, _)| at);
        let folded = hash(&norm);
        let flags = flags::of(folded, &norm);
        let stop = kind == TokenKind::Word
            && !code
            && (flags & flags::STOP != 0 || norm.ends_with("n't") || norm == "&");
        Arc::new(Word {
            folded,
            prefix: hash(&norm[..cut]),
            stem,
            kind,
            stop,
            capital: text.chars().next().is_some_and(char::is_uppercase),
            code,
            weight: idf::weight(kind, stop, stem),
            counts: numbers::counts(kind, &norm),
            flags,
            others: if stop { &[] } else { lexicon::synonyms(stem) },
            phrase: false,
            leads: kind == TokenKind::Word && !code && !lexicon::phrases(self.language(), stem).is_empty(),
            text: text.to_owned(),
            norm,
        })
    }
}

/// Whether a body is nothing but ASCII letters without a hump, as most are: then it is a word and nothing else.
fn plain(body: &str) -> bool {
    let mut lower = false;
    body.bytes().all(|byte| {
        let hump = lower && byte.is_ascii_uppercase();
        lower = byte.is_ascii_lowercase();
        byte.is_ascii_alphabetic() && !hump
    })
}

/// End of the run of joining characters that begins at `start` and goes on at `at`, and its hash; a comma between digits
/// joins too.
fn run_end(text: &str, start: usize, mut at: usize) -> (usize, u64) {
    let bytes = text.as_bytes();
    let mut hash = Fnv::default();
    bytes[start..at].iter().for_each(|byte| hash.push(*byte));
    while let Some(byte) = bytes.get(at) {
        match ASCII.get(usize::from(*byte)) {
            Some(class) => {
                let joins = class & JOINS != 0
                    || (*byte == b','
                        && bytes[..at].last().is_some_and(u8::is_ascii_digit)
                        && bytes.get(at + 1).is_some_and(u8::is_ascii_digit));
                if !joins {
                    break;
                }
                hash.push(*byte);
                at += 1;
            }
            None => match text[at..].chars().next() {
                Some(c) if class(c) & JOINS != 0 => {
                    let end = at + c.len_utf8();
                    bytes[at..end].iter().for_each(|byte| hash.push(*byte));
                    at = end;
                }
                _ => break,
            },
        }
    }
    (at, hash.finish())
}

/// Extensions that make a dotted word a file name.
const EXTENSIONS: &[&str] = &[
    "avap", "bash", "bin", "c", "cc", "cfg", "conf", "cpp", "cs", "css", "csv", "db", "env", "gif", "go",
    "gz", "h", "hpp", "html", "ini", "java", "jpg", "js", "json", "jsonl", "jsx", "key", "kt", "lock", "log",
    "lua", "md", "pdf", "pem", "php", "png", "prom", "proto", "py", "rb", "rs", "rst", "sh", "sql", "svg",
    "tar", "tex", "toml", "ts", "tsv", "tsx", "txt", "xml", "yaml", "yml", "zip",
];

/// Whether a word is a path or a file name.
fn is_path(body: &str, code: bool) -> bool {
    let last = body.rsplit('/').next().unwrap_or(body);
    let file = last.rsplit_once('.').is_some_and(|(stem, extension)| {
        !stem.is_empty() && EXTENSIONS.binary_search(&extension.to_ascii_lowercase().as_str()).is_ok()
    });
    let rooted =
        body.starts_with('/') || body.starts_with("./") || body.starts_with("../") || body.starts_with("~/");
    let slashes = body.matches('/').count();
    let plain = body.chars().all(|c| c.is_alphanumeric() || matches!(c, '/' | '_' | '.' | '-' | '~'));
    let lettered = body.starts_with(char::is_alphabetic) && body.split('/').all(|part| part.len() > 1);
    file || (rooted && body.len() > 2) || (slashes >= 1 && code) || (slashes >= 2 && plain && lettered)
}

/// Whether a word is written as a name of code.
fn is_name(body: &str, code: bool) -> bool {
    let mut lower_before = false;
    let mut hump = false;
    for c in body.chars() {
        if lower_before && c.is_uppercase() {
            hump = true;
        }
        lower_before = c.is_lowercase();
    }
    let inner = body.trim_matches('_');
    let letters = body.chars().any(char::is_alphabetic);
    letters
        && (hump && !body.contains('-') && body.chars().count() > 4
            || (inner.contains('_') && !inner.contains('/'))
            || body.contains("::")
            || (body.starts_with('-')
                && body.trim_start_matches('-').len() > 1
                && (body.starts_with("--") || code))
            || model_name(body)
            || (body.starts_with(['$', '@']) && body[1..].starts_with(char::is_alphabetic))
            || (inner.contains('.') && dotted(inner))
            || version(body))
        || (!letters && body.matches('.').count() >= 2 && version(body))
}

/// `TX-40`, `IP54`, `HMAC-SHA256`, `0x44`: capitals and digits together.
fn model_name(body: &str) -> bool {
    let parts = || body.split('-');
    let capital = |part: &str| part.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit());
    let hexadecimal = body
        .strip_prefix("0x")
        .is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_hexdigit()));
    hexadecimal
        || body.len() > 2
            && body.contains(|c: char| c.is_ascii_digit())
            && body.contains(|c: char| c.is_ascii_uppercase())
            && parts().all(|part| !part.is_empty() && capital(part))
}

/// `a.b` with parts that are longer than those of an abbreviation.
fn dotted(body: &str) -> bool {
    body.split('.').all(|part| {
        part.chars().count() >= 2 && part.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '-')
    })
}

/// `1.2.3`, `v2`, `v1.2-rc.1`.
fn version(body: &str) -> bool {
    let digits = body.strip_prefix(['v', 'V']).unwrap_or(body);
    digits.starts_with(|c: char| c.is_ascii_digit())
        && (digits.len() < body.len()
            || digits.split('-').next().is_some_and(|number| number.matches('.').count() >= 2))
        && digits.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '+'))
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
    fn the_extensions_are_sorted_for_look_up() {
        assert!(EXTENSIONS.is_sorted());
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
