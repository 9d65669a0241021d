//! Texts in quotes and comments that are not closed, found by reading the program once.

use super::explain::Words;
use super::watch::{Stopped, Watch};

/// The first text in quotes that its line leaves open, if `holds` says that the grammar has a mistake in that line.
pub(super) fn open_text(
    name: &str,
    code: &str,
    holds: &dyn Fn(usize) -> bool,
    watch: &Watch<'_>,
) -> Result<Option<Words>, Stopped> {
    let bytes = code.as_bytes();
    let mut at = 0;
    let find = |from: usize, text: &str| {
        code.get(from..).and_then(|rest| rest.find(text)).map(|length| from + length)
    };
    while let Some(byte) = bytes.get(at) {
        watch.step()?;
        let triple = |quote: &str| code.get(at..).is_some_and(|rest| rest.starts_with(quote));
        let multi = match *byte {
            b'#' if name == "Python" => {
                at = find(at, "\n").unwrap_or(bytes.len());
                continue;
            }
            b'/' if name != "Python" && triple("//") => {
                at = find(at, "\n").unwrap_or(bytes.len());
                continue;
            }
            b'/' if name != "Python" && triple("/*") => {
                let Some(end) = find(at + 2, "*/") else {
                    return Ok(Some(Words {
                        at,
                        length: 2,
                        message: "the comment is not closed: '*/' is missing".to_owned(),
                    }));
                };
                at = end + 2;
                continue;
            }
            b'"' if triple("\"\"\"") && matches!(name, "Python" | "Java") => Some("\"\"\""),
            b'\'' if triple("'''") && name == "Python" => Some("'''"),
            b'`' if matches!(name, "Go" | "JavaScript" | "TypeScript") => Some("`"),
            // Lifetimes and characters.
            b'\'' if name == "Rust" => {
                at += 1;
                continue;
            }
            b'r' | b'b' | b'c' if name == "Rust" => return Ok(None),
            b'"' if name == "Rust" => Some("\""),
            b'"' | b'\'' => None,
            _ => {
                at += 1;
                continue;
            }
        };
        let (quote, length) = match multi {
            Some(quote) => (quote, quote.len()),
            None => (if *byte == b'"' { "\"" } else { "'" }, 1),
        };
        let start = at;
        // The place of a template that is open.
        let mut hole = None;
        let templates = quote == "`" && name != "Go";
        at += length;
        loop {
            watch.step()?;
            if templates {
                match bytes.get(at) {
                    Some(b'$') if bytes.get(at + 1) == Some(&b'{') => hole = hole.or(Some(at)),
                    Some(b'}') => hole = None,
                    Some(b'\n' | b'`') | None => {
                        if let Some(hole) = hole.take()
                            && holds(hole)
                            && !code
                                .get(hole..)
                                .and_then(|text| text.lines().next())
                                .is_some_and(|line| line.contains('}'))
                        {
                            let message = "'${' is not closed: '}' is missing".to_owned();
                            return Ok(Some(Words { at: hole, length: 2, message }));
                        }
                    }
                    Some(_) => {}
                }
            }
            match bytes.get(at) {
                Some(b'\\') if !(name == "Go" && quote == "`") => at += 2,
                Some(b'\n') if multi.is_none() => {
                    if holds(start) {
                        let message =
                            format!("the text that begins with {quote} is not closed: a {quote} is missing");
                        return Ok(Some(Words { at: start, length: 1, message }));
                    }
                    break;
                }
                None => {
                    let message =
                        format!("the text that begins with {quote} is not closed: {quote} is missing");
                    return Ok(Some(Words { at: start, length, message }));
                }
                Some(_) if code.get(at..).is_some_and(|rest| rest.starts_with(quote)) => {
                    at += length;
                    break;
                }
                Some(_) => at += 1,
            }
        }
    }
    Ok(None)
}
