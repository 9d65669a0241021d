//! How deep the brackets of a YAML stream stand inside each other. The reader's time grows with the product of depth
//! and length, so depth has a bound that no person reaches. Sees quotes, comments and block texts, nothing else.

use crate::watch::{Stopped, Watch};

/// Brackets inside each other that are read.
pub(super) const DEEPEST: usize = 100;

/// Where brackets begin to stand too deep inside each other.
pub(super) fn too_deep(code: &str, watch: &Watch<'_>) -> Result<Option<usize>, Stopped> {
    let mut scan = Scan { watch, depth: 0, quote: None, value: Value::Due };
    // How far a line is set in whose plain value, or whose block text, may go on in the lines below it.
    let mut plain = None;
    let mut block = None;
    let mut start = 0;
    for line in code.split_inclusive(['\n', '\r']) {
        watch.step()?;
        let (at, body) = (start, line.trim_end());
        start += line.len();
        let indent = body.len() - body.trim_start_matches([' ', '\t']).len();
        if body.is_empty() || block.is_some_and(|outer| indent > outer) {
            continue;
        }
        block = None;
        let inside = scan.depth > 0 || scan.quote.is_some();
        if !inside {
            if plain.is_some_and(|outer| indent > outer) {
                continue;
            }
            scan.value = Value::Due;
        }
        let end = match scan.line(body)? {
            End::TooDeep(found) => return Ok(Some(at + found)),
            End::Comment(end) => end,
        };
        plain = None;
        if scan.depth == 0 && scan.quote.is_none() {
            let body = body.get(..end).unwrap_or_default().trim_end();
            let column = column_of_key(body);
            block = Some(column).filter(|_| announces(body));
            plain = Some(column).filter(|_| scan.value == Value::Plain);
        }
    }
    Ok(None)
}

/// The column of what a line is about, behind the signs of lists; that of the last sign if only a text follows it.
fn column_of_key(line: &str) -> usize {
    let mut column = line.len() - line.trim_start_matches([' ', '\t']).len();
    let mut outer = column;
    while let Some(rest) = line.get(column..)
        && rest.starts_with(['-', '?'])
        && rest[1..].starts_with([' ', '\t'])
    {
        outer = column;
        column += 1 + (rest.len() - 1 - rest[1..].trim_start_matches([' ', '\t']).len());
    }
    let text = line.get(column..).is_some_and(|rest| rest.starts_with(['|', '>', '!', '&']));
    if text { outer } else { column }
}

/// Whether a line ends by announcing a block text, such as `key: |-`.
fn announces(line: &str) -> bool {
    let signs = |c: char| c.is_ascii_digit() || matches!(c, '+' | '-');
    let before = line.trim_end_matches(signs).strip_suffix(['|', '>']);
    before.is_some_and(|before| before.is_empty() || before.ends_with([' ', '\t']))
}

/// What of a value was seen last.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Value {
    /// One can begin.
    Due,
    /// One without quotes goes on.
    Plain,
    /// A quote or bracket is closed.
    Done,
}

enum End {
    /// At the end of the line or at its comment.
    Comment(usize),
    TooDeep(usize),
}

struct Scan<'a> {
    watch: &'a Watch<'a>,
    depth: usize,
    quote: Option<u8>,
    value: Value,
}

impl Scan<'_> {
    /// Follows the brackets of a line.
    fn line(&mut self, line: &str) -> Result<End, Stopped> {
        let bytes = line.as_bytes();
        let blank = |at: usize| matches!(bytes.get(at), None | Some(b' ' | b'\t'));
        let mut at = 0;
        while let Some(byte) = bytes.get(at).copied() {
            self.watch.step()?;
            at += 1;
            if let Some(open) = self.quote {
                match byte {
                    b'\\' if open == b'"' => at += 1,
                    b'\'' if open == byte && bytes.get(at) == Some(&open) => at += 1,
                    _ if byte == open => {
                        self.quote = None;
                        self.value = Value::Done;
                    }
                    _ => {}
                }
                continue;
            }
            self.value = match byte {
                b' ' | b'\t' => continue,
                b'#' if at == 1 || blank(at - 2) => return Ok(End::Comment(at - 1)),
                b'"' | b'\'' if self.value == Value::Due => {
                    self.quote = Some(byte);
                    Value::Done
                }
                b'[' | b'{' if self.depth > 0 || self.value == Value::Due => {
                    self.depth += 1;
                    if self.depth > DEEPEST {
                        return Ok(End::TooDeep(at - 1));
                    }
                    Value::Due
                }
                b']' | b'}' if self.depth > 0 => {
                    self.depth -= 1;
                    Value::Done
                }
                b',' if self.depth > 0 => Value::Due,
                b':' | b'-' | b'?' if self.depth > 0 || blank(at) => Value::Due,
                // A tag or anchor stands before its value.
                b'!' | b'&' if self.value == Value::Due => {
                    at += bytes[at..].iter().take_while(|byte| !matches!(byte, b' ' | b'\t')).count();
                    Value::Due
                }
                _ => Value::Plain,
            };
        }
        Ok(End::Comment(line.len()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(code: &str) -> Option<usize> {
        too_deep(code, &Watch::new(&|| false)).unwrap_or(None)
    }

    #[test]
    fn only_brackets_that_the_reader_would_open_are_counted() {
        let many = "[".repeat(DEEPEST + 1);
        for code in [
            format!("a: '{many}'\nb: \"{many}\\\"{many}\"\n"),
            format!("a: |\n  {many}\n\n  {many}\nb: >-\n {many}\n- |\n  {many}\n"),
            format!("a: b {many}\n# {many}\nc: x{many}\nd: e # {many}\n"),
            format!("a: b\n  {many}\n  '{many}\nc: d\n"),
            format!("[{}]\n", "[],".repeat(500)),
        ] {
            assert_eq!(found(&code), None, "{code}");
        }
        for code in [
            many.clone(),
            format!("a: {many}"),
            format!("--- {many}"),
            format!("a: b\n 'x\nc: {many}"),
            format!("- a: |\n    text\n  b: {many}"),
            format!("# a |\n  {many}"),
            format!("a: &b !c {many}"),
            format!("[a\n 'x, {many}"),
            "{a: ".repeat(DEEPEST + 1),
            "[\n".repeat(DEEPEST + 1),
        ] {
            assert!(found(&code).is_some(), "{code}");
        }
    }
}
