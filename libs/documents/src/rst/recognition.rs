//! Where inline markup begins and ends: the recognition rules of Docutils.

use std::ops::Range;

use super::text::Text;

/// Characters before a mark in which the name of a role or of a reference is looked for.
const NAME: usize = 200;

/// Whether markup may begin at a byte, with its content at another; it always may where other markup ended.
pub(super) fn begins(text: &Text, start: usize, content: usize, ended: usize) -> bool {
    let before = text.before(start).filter(|_| start > ended);
    let after = text.after(content);
    let opener = |c: char| {
        c.is_whitespace()
            || matches!(c, '\'' | '"' | '(' | '[' | '{' | '<' | '-' | '/' | ':')
            || (!c.is_ascii() && !c.is_alphanumeric())
    };
    let pairs = [
        ('\'', '\''),
        ('"', '"'),
        ('(', ')'),
        ('[', ']'),
        ('{', '}'),
        ('<', '>'),
        ('«', '»'),
        ('“', '”'),
        ('‘', '’'),
    ];
    let quoted = || before.zip(after).is_some_and(|pair| pairs.contains(&pair));
    before.is_none_or(opener) && after.is_some_and(|c| !c.is_whitespace()) && !quoted()
}

/// Whether markup may end before a byte.
pub(super) fn ends(text: &Text, at: usize) -> bool {
    text.after(at).is_none_or(|c| {
        c.is_whitespace()
            || matches!(
                c,
                '\'' | '"' | ')' | ']' | '}' | '>' | '-' | '/' | '\\' | ':' | '.' | ',' | ';' | '!' | '?'
            )
            || (!c.is_ascii() && !c.is_alphanumeric())
    })
}

/// The byte at which the content ends that begins at a byte.
pub(super) fn end(text: &Text, inside: usize, mark: &str, close: &str) -> Option<usize> {
    let rest = text.text.get(inside..)?;
    if mark == "[" {
        // A label is short and of one line.
        return rest
            .char_indices()
            .take(NAME)
            .take_while(|(_, c)| *c != '\n')
            .find(|(_, c)| *c == ']')
            .map(|(at, _)| inside + at);
    }
    let closes = |at: &usize| {
        let (at, after) = (inside + at, inside + at + close.len());
        let spaced = text.before(at).is_none_or(char::is_whitespace);
        let escapes = text.get(inside..at).bytes().rev().take_while(|byte| *byte == b'\\').count();
        let free = mark == "``" || escapes % 2 == 0;
        at > inside && !spaced && free && self::after(text, after, mark)
    };
    let mut from = 0;
    while let Some(at) = rest.get(from..)?.find(close).map(|at| from + at) {
        if closes(&at) {
            return Some(inside + at);
        }
        from = at + 1;
    }
    None
}

/// Whether what comes after a closing mark lets it close.
fn after(text: &Text, at: usize, mark: &str) -> bool {
    let rest = text.text.get(at..).unwrap_or("");
    let underscores = rest.len() - rest.trim_start_matches('_').len();
    match mark {
        "`" if underscores == 0 => {
            let role = role_after(rest).map_or(0, |name| name.len() + 2);
            ends(text, at) || (role > 0 && ends(text, at + role))
        }
        "`" | "|" => underscores <= 2 && ends(text, at + underscores),
        _ => ends(text, at),
    }
}

/// Name of a role that follows: `:name:`.
pub(super) fn role_after(rest: &str) -> Option<&str> {
    let end = rest.char_indices().take(NAME).find(|(_, c)| !role_char(*c) && *c != ':');
    let whole = rest.get(..end.map_or(rest.len().min(NAME), |(at, _)| at))?;
    whole.strip_prefix(':')?.strip_suffix(':').filter(|name| !name.is_empty() && !name.ends_with(':'))
}

/// Bytes of `:name:` before a byte.
pub(super) fn role_before(text: &Text, at: usize, from: usize) -> Option<Range<usize>> {
    let before = text.get(from..at).strip_suffix(':')?;
    let name =
        before.char_indices().rev().take(NAME).take_while(|(_, c)| role_char(*c) || *c == ':').last()?.0;
    let start = before.get(name..)?.find(':')? + name;
    let inside = before.get(start + 1..)?;
    (!inside.is_empty() && !inside.starts_with(':')).then_some(from + start..at)
}

fn role_char(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '+')
}

/// The byte at which the name before a `_` begins: words with single marks between them.
pub(super) fn name_before(text: &Text, at: usize, from: usize) -> usize {
    let before = text.get(from..at);
    let mut start = at;
    let mut mark = true;
    for (byte, c) in before.char_indices().rev().take(NAME) {
        match c {
            c if c.is_alphanumeric() => {
                start = from + byte;
                mark = false;
            }
            '-' | '.' | '_' | '+' | ':' if !mark => mark = true,
            _ => break,
        }
    }
    start
}
