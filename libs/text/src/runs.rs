//! Cuts a text into runs: stretches without white space or separating punctuation, each one word or several.

use crate::hash::Fnv;

/// Class bits of a character: part of a run, end of a clause, start of a sentence.
const JOINS: u8 = 1;

const BREAKS: u8 = 2;

const OPENS: u8 = 4;

static ASCII: [u8; 128] = classes();

/// Whether a byte is an ASCII character that may be part of a run.
static JOINING: [bool; 256] = {
    let (table, mut joining, mut byte) = (classes(), [false; 256], 0);
    while byte < table.len() {
        joining[byte] = table[byte] & JOINS != 0;
        byte += 1;
    }
    joining
};

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

/// The text between two tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Edge {
    /// Whether it holds punctuation that ends a clause.
    pub after_break: bool,
    /// Whether a sentence, a label or a quotation begins after it, so that a capital says nothing.
    pub opens: bool,
}

/// A run of characters that join.
#[derive(Debug, Clone, Copy)]
pub struct Run<'t> {
    /// As written.
    pub text: &'t str,
    /// Byte offset in the text.
    pub start: usize,
    /// Hash of the text and of the two flags.
    pub key: u64,
    /// Whether it is inside inline code.
    pub code: bool,
    /// Whether `(` follows, except in the plural endings "(s)" and "(es)".
    pub call: bool,
    /// The text between it and the run before.
    pub before: Edge,
}

impl Run<'_> {
    /// Whether it is outside inline code and no call.
    #[must_use]
    pub fn plain(&self) -> bool {
        !self.code && !self.call
    }
}

/// Iterates over the runs of a text, in order; backticks enclose inline code.
#[derive(Debug)]
pub struct Runs<'t> {
    text: &'t str,
    at: usize,
    code: bool,
}

impl<'t> Runs<'t> {
    /// Reads a text from its start.
    #[must_use]
    pub fn of(text: &'t str) -> Self {
        Self { text, at: 0, code: false }
    }
}

impl<'t> Iterator for Runs<'t> {
    type Item = Run<'t>;

    fn next(&mut self) -> Option<Run<'t>> {
        let (text, bytes) = (self.text, self.text.as_bytes());
        let mut before = Edge { after_break: false, opens: false };
        loop {
            let start = self.at;
            let byte = *bytes.get(start)?;
            let class = match ASCII.get(usize::from(byte)) {
                Some(class) => {
                    self.at += 1;
                    *class
                }
                None => {
                    let c = text[start..].chars().next()?;
                    self.at += c.len_utf8();
                    class(c)
                }
            };
            if class & JOINS == 0 {
                self.code ^= byte == b'`';
                before.opens |= class & OPENS != 0;
                before.after_break |= class & BREAKS != 0;
                continue;
            }
            let (end, hash) = run_end(text, start, self.at);
            self.at = end;
            let behind = &bytes[end..];
            let call =
                behind.first() == Some(&b'(') && !behind.starts_with(b"(s)") && !behind.starts_with(b"(es)");
            let (code, text) = (self.code, &text[start..end]);
            let key = hash ^ (u64::from(code) << 1 | u64::from(call));
            return Some(Run { text, start, key, code, call, before });
        }
    }
}

/// Class of a character.
fn class(c: char) -> u8 {
    if let Some(class) = u32::from(c).try_into().ok().and_then(|place: usize| ASCII.get(place)) {
        return *class;
    }
    match c {
        '’' | '€' | '°' | '−' | '˚' | '℃' | '℉' => JOINS,
        '—' | '…' | '“' | '«' | '•' => BREAKS | OPENS,
        '–' | '”' => BREAKS,
        c if c.is_alphanumeric() => JOINS,
        _ => 0,
    }
}

/// Whether a mark at a byte offset joins two figures: "500–750", "24×36", "1⁄4".
fn joins_figures(text: &str, at: usize, mark: char) -> bool {
    let bytes = text.as_bytes();
    let digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    matches!(mark, '–' | '×' | '⁄') && at > 0 && digit(at - 1) && digit(at + mark.len_utf8())
}

/// End and hash of the run that begins at `start` and is known up to `at`; a comma between digits joins too.
fn run_end(text: &str, start: usize, mut at: usize) -> (usize, u64) {
    let bytes = text.as_bytes();
    let mut hash = Fnv::default();
    bytes[start..at].iter().for_each(|byte| hash.push(*byte));
    loop {
        while let Some(byte) = bytes.get(at).filter(|byte| JOINING[usize::from(**byte)]) {
            hash.push(*byte);
            at += 1;
        }
        let length = match bytes.get(at) {
            Some(b',') if between_digits(bytes, at) => 1,
            Some(byte) if !byte.is_ascii() => match text[at..].chars().next() {
                Some(c) if class(c) & JOINS != 0 || joins_figures(text, at, c) => c.len_utf8(),
                _ => break,
            },
            _ => break,
        };
        bytes[at..at + length].iter().for_each(|byte| hash.push(*byte));
        at += length;
    }
    (at, hash.finish())
}

/// Whether the bytes before and after a byte are digits.
fn between_digits(bytes: &[u8], at: usize) -> bool {
    bytes[..at].last().is_some_and(u8::is_ascii_digit) && bytes.get(at + 1).is_some_and(u8::is_ascii_digit)
}
