//! Finds where blocks of a growing text begin and end.

use super::Extent;

/// The block that a line opens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Opening {
    Fence(char, usize),
    Heading,
    Row,
    Item,
    Text,
    /// Too short to tell.
    Unknown,
}

pub(super) fn opening(line: &str) -> Opening {
    let bare = line.trim_start_matches([' ', '\t', '>']);
    let mark = bare.chars().next().unwrap_or(' ');
    let run = bare.chars().take_while(|c| *c == mark).count();
    let rest = &bare[run * mark.len_utf8()..];
    match mark {
        '`' | '~' if run >= 3 => Opening::Fence(mark, run),
        '`' | '~' if rest.is_empty() => Opening::Unknown,
        '#' if rest.starts_with(' ') && run <= 6 => Opening::Heading,
        '#' if rest.is_empty() => Opening::Unknown,
        '|' => Opening::Row,
        '-' | '*' | '+' if run == 1 && rest.starts_with([' ', '\t']) => fenced_item(rest),
        '-' | '*' | '+' if rest.is_empty() => Opening::Unknown,
        '0'..='9' => {
            let digits = bare.bytes().take_while(u8::is_ascii_digit).count();
            let mut behind = bare[digits..].chars();
            match (behind.next(), behind.next()) {
                (Some('.' | ')'), Some(' ' | '\t')) if digits <= 9 => Opening::Item,
                (None, _) | (Some('.' | ')'), None) => Opening::Unknown,
                _ => Opening::Text,
            }
        }
        _ => Opening::Text,
    }
}

/// A list item, unless its first line opens a fence.
fn fenced_item(rest: &str) -> Opening {
    match opening(rest) {
        Opening::Fence(mark, run) => Opening::Fence(mark, run),
        _ => Opening::Item,
    }
}

pub(super) fn line(text: &str, start: usize) -> &str {
    text[start..].split('\n').next().unwrap_or_default()
}

/// Whether the line that begins at `start` has ended.
pub(super) fn complete(text: &str, start: usize) -> bool {
    text[start..].contains('\n')
}

pub(super) fn line_end(text: &str, start: usize, done: bool) -> Option<usize> {
    match text[start..].find('\n') {
        Some(at) => Some(start + at + 1),
        None => done.then_some(text.len()),
    }
}

/// End of the line that closes a fence, or of the text.
pub(super) fn fence_end(text: &str, start: usize, mark: char, length: usize, done: bool) -> Option<usize> {
    let mut at = line_end(text, start, done)?;
    while at < text.len() {
        let current = line(text, at);
        let bare = current.trim_start_matches([' ', '\t', '>']).trim_end();
        let closes = bare.chars().all(|c| c == mark) && bare.chars().count() >= length;
        let end = line_end(text, at, done)?;
        if closes {
            return Some(end);
        }
        at = end;
    }
    done.then_some(text.len())
}

/// The white space behind an end belongs to the segment; what follows it must be known.
pub(super) fn behind(text: &str, end: usize, done: bool) -> Option<usize> {
    let rest = &text[end..];
    let next = rest.len() - rest.trim_start().len();
    if next == rest.len() {
        return done.then_some(text.len());
    }
    // Indentation belongs to the line that it begins.
    Some(end + rest[..next].rfind('\n').map_or(0, |at| at + 1))
}

/// How far the block of lines reaches that begins at `start`.
pub(super) fn region(text: &str, start: usize, done: bool) -> Extent {
    let mut at = start;
    let mut first = true;
    while at < text.len() {
        let current = line(text, at);
        let opened = opening(current);
        let blank = current.trim_matches([' ', '\t', '>', '\r']).is_empty();
        if !first
            && (blank && complete(text, at) || !blank && !matches!(opened, Opening::Text | Opening::Unknown))
        {
            return Extent { end: at, known: true };
        }
        if !first && !done && !complete(text, at) && (blank || opened == Opening::Unknown) {
            return Extent { end: at, known: false };
        }
        match text[at..].find('\n') {
            Some(end) => at += end + 1,
            None => break,
        }
        first = false;
    }
    Extent { end: text.len(), known: done }
}
