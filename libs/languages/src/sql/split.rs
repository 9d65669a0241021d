//! A script of SQL to its statements: quotes, comments, brackets and the bodies of routines are seen, nothing else.

use std::ops::Range;

use crate::watch::{Stopped, Watch};

/// Bytes of a delimiter that a script may name.
const LONGEST_DELIMITER: usize = 16;

/// A script, cut.
#[derive(Debug, Default)]
pub(super) struct Script {
    /// Where each statement stands, without its semicolon.
    pub(super) statements: Vec<Range<usize>>,
    /// A quote, comment or bracket that is not closed, or closes nothing: where, what, and whether it opens.
    pub(super) unpaired: Option<(usize, String, bool)>,
}

/// Cuts a script at the semicolons that end statements. `escapes`: a backslash escapes in every quoted text.
pub(super) fn split(code: &str, escapes: bool, watch: &Watch<'_>) -> Result<Script, Stopped> {
    let bytes = code.as_bytes();
    let mut script = Script::default();
    let mut at = 0;
    let mut start = None;
    let mut brackets: Vec<(u8, usize)> = Vec::new();
    let mut body = Body::default();
    let mut delimiter = ";".to_owned();
    while at < bytes.len() {
        watch.step()?;
        let from = at;
        match bytes[at] {
            b if b.is_ascii_whitespace() => {
                at += 1;
                continue;
            }
            b'-' if bytes.get(at + 1) == Some(&b'-') => {
                at = line_end(bytes, at);
                continue;
            }
            // Comments of MySQL; operators of Postgres begin with the same sign.
            b'#' if at == 0
                || bytes[..at].trim_ascii_end().len() < at && bytes.get(at + 1) == Some(&b' ') =>
            {
                at = line_end(bytes, at);
                continue;
            }
            b'/' if bytes.get(at + 1) == Some(&b'*') => match comment(bytes, at) {
                Some(end) => {
                    at = end;
                    continue;
                }
                None => return Ok(open(script, start, at, "/*", code.len())),
            },
            quote @ (b'\'' | b'"' | b'`') => {
                let escapes = escapes || quote == b'\'' && at > 0 && matches!(bytes[at - 1], b'E' | b'e');
                match quoted(bytes, at, escapes) {
                    Some(end) => at = end,
                    None => {
                        let text = char::from(quote).to_string();
                        return Ok(open(script, start, at, &text, code.len()));
                    }
                }
            }
            b'$' if let Some(tag) = dollar_tag(bytes, at) => {
                let (tag, rest) = code[at..].split_at(tag);
                match rest.find(tag) {
                    Some(inner) => at += tag.len() + inner + tag.len(),
                    None => return Ok(open(script, start, at, tag, code.len())),
                }
            }
            _ if delimiter != ";" && code[at..].starts_with(&delimiter) => {
                script.statements.extend(start.take().map(|start| start..at));
                at += delimiter.len();
                continue;
            }
            b';' if delimiter == ";" && (brackets.is_empty() || start.is_none()) && !body.open() => {
                script.statements.extend(start.take().map(|start| start..at));
                body = Body::default();
                at += 1;
                continue;
            }
            // A statement that ends inside of a bracket.
            b';' if delimiter == ";" && !body.open() => break,
            open @ (b'(' | b'[') => {
                brackets.push((open, at));
                at += 1;
            }
            close @ (b')' | b']') => {
                let wanted = if close == b')' { b'(' } else { b'[' };
                match brackets.pop() {
                    Some((open, _)) if open == wanted => {}
                    Some((open, place)) if brackets.iter().any(|(open, _)| *open == wanted) => {
                        script.unpaired = Some((place, char::from(open).to_string(), true));
                        break;
                    }
                    _ => {
                        script.unpaired = Some((at, char::from(close).to_string(), false));
                        break;
                    }
                }
                at += 1;
            }
            b if b.is_ascii_alphabetic() || b == b'_' || b >= 0x80 => {
                while bytes
                    .get(at)
                    .is_some_and(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'$') || *b >= 0x80)
                {
                    at += 1;
                }
                let word = code.get(from..at).unwrap_or_default().to_ascii_uppercase();
                if start.is_none() && word == "DELIMITER" {
                    let end = line_end(bytes, at);
                    delimiter = code.get(at..end).unwrap_or_default().trim().to_owned();
                    if delimiter.is_empty() || delimiter.len() > LONGEST_DELIMITER {
                        delimiter = ";".to_owned();
                    }
                    at = end;
                    continue;
                }
                body.word(&word);
            }
            _ => {
                at += 1;
                while !code.is_char_boundary(at) {
                    at += 1;
                }
            }
        }
        start.get_or_insert(from);
    }
    if script.unpaired.is_none()
        && let Some((open, place)) = brackets.pop()
    {
        script.unpaired = Some((place, char::from(open).to_string(), true));
    }
    let end = code.trim_end().len().max(start.unwrap_or(0));
    script.statements.extend(start.map(|start| start..end));
    Ok(script)
}

fn open(mut script: Script, start: Option<usize>, at: usize, what: &str, end: usize) -> Script {
    script.unpaired = Some((at, what.to_owned(), true));
    script.statements.extend(start.map(|start| start..end));
    script
}

/// Follows the blocks in the body of a routine or trigger, whose semicolons end nothing.
#[derive(Debug, Default)]
struct Body {
    created: bool,
    routine: bool,
    depth: u32,
    first: bool,
    ended: bool,
}

impl Body {
    fn open(&self) -> bool {
        self.routine && self.depth > 0
    }

    fn word(&mut self, word: &str) {
        if !self.first {
            self.first = true;
            self.created = matches!(word, "CREATE" | "ALTER");
        }
        let ended = std::mem::replace(&mut self.ended, word == "END");
        match word {
            "TRIGGER" | "FUNCTION" | "PROCEDURE" | "EVENT" if self.created => self.routine = true,
            "BEGIN" => self.depth += 1,
            "CASE" if ended => {}
            "CASE" if self.depth > 0 => self.depth += 1,
            // `END IF`, `END LOOP` and their like end no block.
            "IF" | "LOOP" | "WHILE" | "REPEAT" | "FOR" if ended => self.depth += 1,
            "END" => self.depth = self.depth.saturating_sub(1),
            _ => {}
        }
    }
}

fn line_end(bytes: &[u8], at: usize) -> usize {
    bytes[at..].iter().position(|byte| *byte == b'\n').map_or(bytes.len(), |length| at + length)
}

/// The byte after a comment; comments stand inside each other.
fn comment(bytes: &[u8], mut at: usize) -> Option<usize> {
    let mut depth = 0_u32;
    loop {
        match (bytes.get(at)?, bytes.get(at + 1)) {
            (b'/', Some(b'*')) => {
                depth += 1;
                at += 2;
            }
            (b'*', Some(b'/')) => {
                depth -= 1;
                at += 2;
                if depth == 0 {
                    return Some(at);
                }
            }
            _ => at += 1,
        }
    }
}

/// The byte after a quoted text; a doubled quote is one of its characters.
fn quoted(bytes: &[u8], start: usize, escapes: bool) -> Option<usize> {
    let quote = bytes[start];
    let mut at = start + 1;
    loop {
        match *bytes.get(at)? {
            b'\\' if escapes => at += 2,
            byte if byte == quote => {
                if bytes.get(at + 1) != Some(&quote) {
                    return Some(at + 1);
                }
                at += 2;
            }
            _ => at += 1,
        }
    }
}

/// The length of `$tag$`, if one stands here.
fn dollar_tag(bytes: &[u8], at: usize) -> Option<usize> {
    if at > 0 && (bytes[at - 1].is_ascii_alphanumeric() || bytes[at - 1] == b'_') {
        return None;
    }
    let name =
        bytes[at + 1..].iter().take(64).take_while(|b| b.is_ascii_alphanumeric() || **b == b'_').count();
    let numbered = bytes.get(at + 1).is_some_and(u8::is_ascii_digit);
    (!numbered && bytes.get(at + 1 + name) == Some(&b'$')).then_some(name + 2)
}
