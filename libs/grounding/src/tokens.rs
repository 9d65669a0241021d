//! Cuts text into tokens for comparison: folded words with their stems, numbers, identifiers and paths.

use crate::language::{self, Language};
use crate::numbers;
use rust_stemmers::{Algorithm, Stemmer};
use std::hash::{BuildHasherDefault, Hasher};
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
fn hash_bytes(bytes: &[u8]) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for byte in bytes {
        hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
    }
    hash ^ (hash >> 32)
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

/// A token.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Token {
    /// As written.
    pub(crate) text: String,
    /// Lower case without accents.
    pub(crate) norm: String,
    /// Hash of the stem, of the number's value, or of the folded name.
    pub(crate) stem: u64,
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
    /// Whether punctuation that ends a clause stands before it.
    pub(crate) after_break: bool,
    /// Whether a sentence, a label or a quotation begins with it: a capital says nothing there.
    pub(crate) opens: bool,
    /// Byte offset in the text.
    pub(crate) start: usize,
}

impl Token {
    /// Whether it carries content: a word that is no function word, a number, a name.
    pub(crate) fn content(&self) -> bool {
        !self.stop
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

/// Cuts and stems text of one language.
pub(crate) struct Tokenizer {
    stemmer: Stemmer,
    english: bool,
    /// Stems by the hash of their word: most words of a text come again.
    known: std::cell::RefCell<Map<u64>>,
}

/// One of each language, which remember the stems of the texts they have seen.
pub(crate) struct Tokenizers {
    english: Tokenizer,
    spanish: Tokenizer,
}

impl Default for Tokenizers {
    fn default() -> Self {
        Self { english: Tokenizer::new(None), spanish: Tokenizer::new(Some(Language::Spanish)) }
    }
}

impl std::fmt::Debug for Tokenizers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Tokenizers").finish_non_exhaustive()
    }
}

impl Tokenizers {
    /// The one for a language; English where it is unknown.
    pub(crate) fn of(&self, language: Option<Language>) -> &Tokenizer {
        if language == Some(Language::Spanish) { &self.spanish } else { &self.english }
    }
}

/// What stands between two tokens.
struct Edge {
    after_break: bool,
    opens: bool,
}

/// Characters that may stand inside a token.
fn joins(c: char) -> bool {
    c.is_alphanumeric()
        || matches!(
            c,
            '_' | '.' | '/' | ':' | '-' | '\'' | '’' | '@' | '#' | '$' | '%' | '+' | '~' | '\\' | '€' | '°'
        )
}

impl Tokenizer {
    /// For a language; English where it is unknown.
    pub(crate) fn new(language: Option<Language>) -> Self {
        let algorithm = match language {
            Some(Language::Spanish) => Algorithm::Spanish,
            _ => Algorithm::English,
        };
        Self {
            stemmer: Stemmer::create(algorithm),
            english: language != Some(Language::Spanish),
            known: std::cell::RefCell::default(),
        }
    }

    /// The stem of a folded word; short words and words with other characters than letters are their own stem.
    pub(crate) fn stem<'w>(&'w self, word: &'w str) -> std::borrow::Cow<'w, str> {
        let word = if self.english { crate::lexicon::regular(word) } else { word };
        if word.chars().count() > 3 && word.chars().all(char::is_alphabetic) {
            self.stemmer.stem(word)
        } else {
            word.into()
        }
    }

    /// Hash of a folded word's stem.
    pub(crate) fn stem_hash(&self, word: &str) -> u64 {
        let own = hash(word);
        if let Ok(known) = self.known.try_borrow()
            && let Some(stem) = known.get(&own)
        {
            return *stem;
        }
        let stem = hash(&self.stem(word));
        if let Ok(mut known) = self.known.try_borrow_mut() {
            known.insert(own, stem);
        }
        stem
    }

    /// Tokens of a text in order; inline code stands between backticks.
    pub(crate) fn tokens(&self, text: &str) -> Vec<Token> {
        let mut tokens = Vec::with_capacity(text.len() / 5);
        let mut code = false;
        let mut edge = Edge { after_break: true, opens: true };
        let mut chars = text.char_indices().peekable();
        while let Some((start, c)) = chars.next() {
            if c == '`' {
                code = !code;
                continue;
            }
            if !joins(c) {
                let opens = matches!(c, '—' | '|' | '!' | '?' | '…' | '"' | '“' | '«' | '•' | '*');
                edge.opens |= opens;
                edge.after_break |= opens || matches!(c, ',' | ';' | '(' | ')' | '–' | '\n' | '”');
                continue;
            }
            let mut end = start + c.len_utf8();
            while let Some((at, next)) = chars.peek().copied() {
                let grouped = next == ','
                    && text[..at].ends_with(|c: char| c.is_ascii_digit())
                    && text[at + 1..].starts_with(|c: char| c.is_ascii_digit());
                if !joins(next) && !grouped {
                    break;
                }
                end = at + next.len_utf8();
                chars.next();
            }
            let call = text[end..].starts_with('(')
                && !text[end..].starts_with("(s)")
                && !text[end..].starts_with("(es)");
            self.chunk(&text[start..end], start, code, call, &mut edge, &mut tokens);
        }
        tokens
    }

    /// Tokens of a run of joining characters.
    fn chunk(
        &self,
        chunk: &str,
        start: usize,
        code: bool,
        call: bool,
        edge: &mut Edge,
        out: &mut Vec<Token>,
    ) {
        let lead = chunk.len() - chunk.trim_start_matches([':', '\'', '’', '+', '%', '\\', '#', '°']).len();
        let body = &chunk[lead..];
        let trailing: &[char] = &['.', ':', '\'', '’', '-', '/', '~', '\\', '@', '$', '_'];
        let kept = body.trim_end_matches(trailing);
        let ended = &body[kept.len()..];
        let kept = kept.strip_suffix("'s").or_else(|| kept.strip_suffix("’s")).unwrap_or(kept);
        let (body, start) = (kept, start + lead);
        let mut body = body;
        let mut start = start;
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
        if body.is_empty() {
            edge.after_break |= !ended.is_empty();
            edge.opens |= ended.contains([':', '.', '-']);
            return;
        }
        let first = out.len();
        self.classify(body, start, code, call, out);
        if let Some(token) = out.get_mut(first) {
            (token.after_break, token.opens) = (edge.after_break, edge.opens);
        }
        let ends = ended.contains([':', '.']);
        *edge = Edge { after_break: ends, opens: ends };
    }

    fn classify(&self, body: &str, start: usize, code: bool, call: bool, out: &mut Vec<Token>) {
        if body.contains("://") {
            out.push(self.token(body, start, TokenKind::Url, code));
            return;
        }
        if let Some((value, unit)) = numbers::parse(body) {
            let digits = &body[..body.len() - unit.len()];
            out.push(self.token(digits, start, TokenKind::Number(value), code));
            if !unit.is_empty() {
                out.push(self.token(unit, start + digits.len(), TokenKind::Word, code));
            }
            return;
        }
        if is_path(body, code) {
            out.push(self.token(body, start, TokenKind::Path, code));
            return;
        }
        if is_name(body, code)
            || (call && body.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.')))
        {
            out.push(self.token(body, start, TokenKind::Name, code));
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
                    out.push(self.token(digits, place, TokenKind::Number(value), code));
                    if !unit.is_empty() {
                        out.push(self.token(unit, place + digits.len(), TokenKind::Word, code));
                    }
                }
                None => out.push(self.token(word, place, TokenKind::Word, code)),
            }
        }
    }

    fn token(&self, text: &str, start: usize, kind: TokenKind, code: bool) -> Token {
        let mut norm = fold(text).replace('’', "'");
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
        let stop = kind == TokenKind::Word
            && !code
            && (language::is_stop(&norm) || norm.ends_with("n't") || norm == "&");
        Token {
            prefix: hash(&norm[..cut]),
            stem,
            kind,
            stop,
            capital: text.chars().next().is_some_and(char::is_uppercase),
            code,
            after_break: false,
            opens: false,
            start,
            text: text.to_owned(),
            norm,
        }
    }
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
