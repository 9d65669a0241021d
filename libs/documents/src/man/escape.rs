//! Escapes of roff: one after the other, with what each of them shows.

use std::borrow::Cow;

use super::chars;

/// Longest argument of an escape; a longer one is no escape.
const MAX_ARGUMENT: usize = 256;

/// What an escape does to the text.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Piece<'t> {
    /// Shows text.
    Text(Cow<'t, str>),
    /// Shows a space that no line break replaces.
    Space,
    /// Changes the font.
    Font(Font),
    /// Goes back to the font before.
    FontBefore,
    /// Joins the next input line without a space.
    Glue,
    /// Goes on at the next line of the file.
    NextLine,
    /// Moves back: what follows stands in the margin.
    Margin,
    /// Ends the line: a comment.
    Comment,
    /// Shows nothing.
    Nothing,
}

/// A font, as far as a reader tells fonts apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Font {
    /// The font of running text.
    #[default]
    Roman,
    /// Bold.
    Bold,
    /// Italic or underlined.
    Italic,
    /// Of one width.
    Constant,
}

/// Font of a name as `\f` and `.ft` take it; none for the font before.
pub(super) fn font(name: &str) -> Option<Font> {
    Some(match name {
        "P" | "" => return None,
        "B" | "3" | "BI" | "4" | "HB" => Font::Bold,
        "I" | "2" | "HI" => Font::Italic,
        _ if name.starts_with('C') || matches!(name, "V" | "VB" | "L" | "LB") => Font::Constant,
        _ => Font::Roman,
    })
}

/// Reads the escape whose text follows a backslash; gives it and the bytes it takes of that text.
pub(super) fn next(after: &str) -> (Piece<'_>, usize) {
    let Some(name) = after.chars().next() else { return (Piece::Nothing, 0) };
    let behind = after.get(name.len_utf8()..).unwrap_or("");
    let shown = |text: &'static str| (Piece::Text(Cow::Borrowed(text)), name.len_utf8());
    match name {
        '-' => shown("-"),
        'e' | 'E' | '\\' => shown("\\"),
        '.' => shown("."),
        // It is an acute accent to roff, and an apostrophe to those who write it.
        '\'' => shown("'"),
        '`' => shown("`"),
        '_' => shown("_"),
        't' => shown("\t"),
        ' ' | '~' | '0' => (Piece::Space, 1),
        '\n' => (Piece::NextLine, 1),
        'c' => (Piece::Glue, 1),
        '"' | '#' => (Piece::Comment, 1),
        '(' | '[' | 'C' | 'N' => character(name, after, behind),
        'f' | 'F' => {
            let (argument, taken) = argument(behind);
            let piece = if name == 'F' {
                Piece::Nothing
            } else {
                font(argument).map_or(Piece::FontBefore, Piece::Font)
            };
            (piece, 1 + taken)
        }
        's' => (Piece::Nothing, 1 + size(behind)),
        // What the next character is drawn over is not read.
        'z' => (Piece::Nothing, 1 + behind.chars().next().map_or(0, char::len_utf8)),
        'h' => {
            let (argument, taken) = delimited(behind);
            let piece = match argument.trim_start_matches(['+', '|']) {
                _ if argument.starts_with('-') => Piece::Margin,
                "0" | "" => Piece::Nothing,
                _ => Piece::Space,
            };
            (piece, 1 + taken)
        }
        'o' => {
            let (argument, taken) = delimited(behind);
            (
                argument
                    .chars()
                    .next_back()
                    .map_or(Piece::Nothing, |last| Piece::Text(last.to_string().into())),
                1 + taken,
            )
        }
        'v' | 'w' | 'l' | 'L' | 'X' | 'D' | 'x' | 'R' | 'S' | 'H' | 'A' | 'B' | 'b' | 'Z' => {
            (Piece::Nothing, 1 + delimited(behind).1)
        }
        '*' | 'n' | 'm' | 'M' | 'g' | 'k' | 'V' | 'Y' | '$' | 'O' => {
            let sign = usize::from(name == 'n' && behind.starts_with(['+', '-']));
            (Piece::Nothing, 1 + sign + argument(behind.get(sign..).unwrap_or("")).1)
        }
        '&' | '|' | '^' | '%' | ':' | '/' | ',' | ')' | '{' | '}' | 'p' | 'r' | 'u' | 'd' | 'a' | '!'
        | '?' => (Piece::Nothing, name.len_utf8()),
        other => (Piece::Text(other.to_string().into()), other.len_utf8()),
    }
}

fn character<'t>(name: char, after: &'t str, behind: &'t str) -> (Piece<'t>, usize) {
    let (argument, taken) = match name {
        'C' | 'N' => {
            let (argument, taken) = delimited(behind);
            (argument, 1 + taken)
        }
        _ => argument(after),
    };
    if name == 'N' {
        let shown = argument.parse().ok().and_then(char::from_u32).map(|c| Piece::Text(c.to_string().into()));
        return (shown.unwrap_or(Piece::Nothing), taken);
    }
    (chars::named(argument).map_or(Piece::Nothing, Piece::Text), taken)
}

/// Argument in one of the forms `x`, `(xx` and `[xxx]`, and the bytes it takes.
pub(super) fn argument(text: &str) -> (&str, usize) {
    let mut chars = text.char_indices();
    match chars.next() {
        Some((_, '[')) => match near(text).find(']') {
            Some(end) => (text.get(1..end).unwrap_or(""), end + 1),
            None => ("", 1),
        },
        Some((_, '(')) => {
            let end = chars.nth(1).map_or(text.len(), |(at, c)| at + c.len_utf8());
            (text.get(1..end).unwrap_or(""), end)
        }
        Some((_, first)) => (text.get(..first.len_utf8()).unwrap_or(""), first.len_utf8()),
        None => ("", 0),
    }
}

/// Argument between two equal marks, and the bytes it takes.
fn delimited(text: &str) -> (&str, usize) {
    let Some(mark) = text.chars().next() else { return ("", 0) };
    let inside = text.get(mark.len_utf8()..).unwrap_or("");
    match near(inside).find(mark) {
        Some(end) => (inside.get(..end).unwrap_or(""), end + 2 * mark.len_utf8()),
        None => ("", 0),
    }
}

/// Bytes of a size: `-1`, `12`, `(12`, `[12]`, `'12'`, each with or without a sign.
fn size(text: &str) -> usize {
    let sign = usize::from(text.starts_with(['+', '-']));
    let rest = text.get(sign..).unwrap_or("");
    sign + match rest.as_bytes() {
        [b'\'', ..] => delimited(rest).1,
        // Of the sizes without a mark, those from 10 to 39 have two digits.
        [b'1'..=b'3', b'0'..=b'9', ..] if sign == 0 => 2,
        [] => 0,
        _ => argument(rest).1,
    }
}

fn near(text: &str) -> &str {
    let end = (0..=MAX_ARGUMENT.min(text.len())).rev().find(|at| text.is_char_boundary(*at));
    text.get(..end.unwrap_or(0)).unwrap_or("")
}

/// The text that a string with escapes shows, without its fonts.
pub(super) fn plain(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        out.push_str(rest.get(..at).unwrap_or(""));
        let after = rest.get(at + 1..).unwrap_or("");
        let (piece, taken) = next(after);
        match piece {
            Piece::Text(text) => out.push_str(&text),
            Piece::Space => out.push(' '),
            Piece::Comment => return out,
            _ => {}
        }
        rest = after.get(taken..).unwrap_or("");
    }
    out.push_str(rest);
    out
}
