//! Where a token begins and ends: which characters join, and which end a clause or open one.

use super::hash::Fnv;

/// Classes of ASCII characters: what may stand inside a token, and what ends a clause or opens one.
pub(super) const JOINS: u8 = 1;

pub(super) const BREAKS: u8 = 2;

pub(super) const OPENS: u8 = 4;

pub(super) static ASCII: [u8; 128] = classes();

/// Whether a byte is an ASCII character that may stand inside a token.
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

/// Class of a character.
pub(super) fn class(c: char) -> u8 {
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

/// Whether a mark at a place joins two figures: "500–750", "24×36", "1⁄4".
fn joins_figures(text: &str, at: usize, mark: char) -> bool {
    let bytes = text.as_bytes();
    let digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    matches!(mark, '–' | '×' | '⁄') && at > 0 && digit(at - 1) && digit(at + mark.len_utf8())
}

/// End of the run of joining characters that begins at `start` and goes on at `at`, and its hash; a comma between digits
/// joins too.
pub(super) fn run_end(text: &str, start: usize, mut at: usize) -> (usize, u64) {
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

/// Whether a digit stands on each side of a byte.
fn between_digits(bytes: &[u8], at: usize) -> bool {
    bytes[..at].last().is_some_and(u8::is_ascii_digit) && bytes.get(at + 1).is_some_and(u8::is_ascii_digit)
}
