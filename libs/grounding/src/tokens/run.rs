//! Where a token begins and ends: which characters join, and which end a clause or open one.

use super::hash::Fnv;

/// Classes of ASCII characters: what may stand inside a token, and what ends a clause or opens one.
pub(super) const JOINS: u8 = 1;

pub(super) const BREAKS: u8 = 2;

pub(super) const OPENS: u8 = 4;

pub(super) static ASCII: [u8; 128] = classes();

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
        '’' | '€' | '°' => JOINS,
        '—' | '…' | '“' | '«' | '•' => BREAKS | OPENS,
        '–' | '”' => BREAKS,
        c if c.is_alphanumeric() => JOINS,
        _ => 0,
    }
}

/// End of the run of joining characters that begins at `start` and goes on at `at`, and its hash; a comma between digits
/// joins too.
pub(super) fn run_end(text: &str, start: usize, mut at: usize) -> (usize, u64) {
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
