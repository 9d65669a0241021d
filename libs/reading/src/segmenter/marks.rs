//! Skips the markers after a sentence or block, which belong to it.

use super::blocks::{behind, complete, line, line_end};

/// Longest marker, in bytes: what is longer is text.
const LONGEST: usize = 1000;

/// Skips `[^…]` markers and the white space behind them; says whether the last one may be incomplete.
pub(super) fn skip_marks(text: &str, mut at: usize) -> (usize, bool) {
    loop {
        let rest = &text[at..];
        if rest.is_empty() || rest == "[" {
            return (at, true);
        }
        if !rest.starts_with("[^") {
            return (at, false);
        }
        let ends = |byte: &u8| matches!(byte, b']' | b'\n');
        let Some(end) = rest.bytes().take(LONGEST).position(|byte| ends(&byte)) else {
            return (at, rest.len() < LONGEST);
        };
        if rest.as_bytes()[end] == b'\n' {
            return (at, false);
        }
        let behind = &rest[end + 1..];
        at += end + 1 + (behind.len() - behind.trim_start().len());
    }
}

/// A paragraph of markers alone belongs to the block before it.
pub(super) fn after_marks(text: &str, end: usize, done: bool) -> Option<usize> {
    let end = behind(text, end, done)?;
    let next = line(text, end);
    if !next.trim_start().starts_with("[^") && next.trim() != "[" {
        return Some(end);
    }
    if !complete(text, end) && !done {
        return None;
    }
    let lead = next.len() - next.trim_start().len();
    let (at, _) = skip_marks(next, lead);
    if at > lead && next[at..].trim_matches([' ', '.', ',', ')', '\r']).is_empty() {
        behind(text, line_end(text, end, done)?, done)
    } else {
        Some(end)
    }
}
