//! What the parsers of SQL let pass and no dialect means: clauses with nothing in them, and two statements without a
//! semicolon between them. Looks at words, never into quotes or comments.

use std::ops::Range;

/// Words after which a clause goes on.
const OPEN_ENDED: &[&str] =
    &["WHERE", "HAVING", "BY", "AND", "OR", "NOT", "LIMIT", "FROM", "JOIN", "BETWEEN", "LIKE", "INTO", "SET"];
/// Words that begin the next clause.
const CLAUSES: &[&str] =
    &["FROM", "WHERE", "GROUP", "ORDER", "HAVING", "LIMIT", "UNION", "EXCEPT", "INTERSECT", "ON"];
/// Words that begin a statement at the start of a line.
const STARTERS: &[&str] =
    &["CREATE", "ALTER", "DROP", "INSERT", "COMMENT", "GRANT", "REVOKE", "SELECT", "UPDATE", "DELETE"];

/// A word or sign.
#[derive(Debug, Clone)]
pub(super) struct Token {
    /// Where it stands.
    pub(super) range: Range<usize>,
    /// In upper case; a quoted text is its quote alone.
    pub(super) text: String,
    first_of_line: bool,
    depth: u32,
}

/// The words and signs of a statement.
pub(super) fn tokens(text: &str) -> Vec<Token> {
    let bytes = text.as_bytes();
    let mut out = Vec::new();
    let (mut at, mut depth, mut line) = (0, 0_u32, true);
    while let Some(byte) = bytes.get(at) {
        let from = at;
        let word = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'$') || b >= 0x80;
        match *byte {
            b'\n' => {
                line = true;
                at += 1;
                continue;
            }
            b if b.is_ascii_whitespace() => {
                at += 1;
                continue;
            }
            b'-' if bytes.get(at + 1) == Some(&b'-') => {
                at += bytes[at..].iter().position(|b| *b == b'\n').unwrap_or(bytes.len() - at);
                continue;
            }
            b'/' if bytes.get(at + 1) == Some(&b'*') => {
                at = text[at + 2..].find("*/").map_or(bytes.len(), |end| at + end + 4);
                continue;
            }
            quote @ (b'\'' | b'"' | b'`') => {
                at += 1;
                while at < bytes.len() && bytes[at] != quote {
                    at += 1;
                }
                at = (at + 1).min(bytes.len());
                out.push(Token {
                    range: from..at,
                    text: char::from(quote).to_string(),
                    first_of_line: line,
                    depth,
                });
                line = false;
                continue;
            }
            b'$' if bytes.get(at + 1) == Some(&b'$') => {
                at = text[at + 2..].find("$$").map_or(bytes.len(), |end| at + end + 4);
                out.push(Token { range: from..at, text: "$$".to_owned(), first_of_line: line, depth });
                line = false;
                continue;
            }
            b if word(b) => {
                while bytes.get(at).copied().is_some_and(word) {
                    at += 1;
                }
            }
            b => {
                depth = match b {
                    b'(' => depth + 1,
                    b')' => depth.saturating_sub(1),
                    _ => depth,
                };
                at += if bytes[at..].starts_with(b"==") { 2 } else { 1 };
            }
        }
        let written = text.get(from..at).unwrap_or_default().to_ascii_uppercase();
        out.push(Token { range: from..at, text: written, first_of_line: line, depth });
        line = false;
    }
    out
}

/// A clause that holds nothing, in a statement about rows: where, and in which words.
pub(super) fn empty_clause(tokens: &[Token]) -> Option<(Range<usize>, String)> {
    let first = tokens.first()?.text.as_str();
    if !matches!(first, "SELECT" | "WITH" | "INSERT" | "UPDATE" | "DELETE") {
        return None;
    }
    tokens.iter().enumerate().find_map(|(at, token)| {
        if !OPEN_ENDED.contains(&token.text.as_str())
            || at > 0 && matches!(tokens[at - 1].text.as_str(), "." | "AS")
        {
            return None;
        }
        let next = tokens.get(at + 1);
        let name = match token.text.as_str() {
            "BY" if at > 0 => format!("{} BY", tokens[at - 1].text),
            other => other.to_owned(),
        };
        let message = match next {
            None => format!("something is missing after '{name}'"),
            Some(next) if next.text == ")" || CLAUSES.contains(&next.text.as_str()) => {
                format!("something is missing between '{name}' and '{}'", next.text)
            }
            Some(_) => return None,
        };
        Some((token.range.clone(), message))
    })
}

/// A line inside of a statement that begins another one.
pub(super) fn second_statement(tokens: &[Token]) -> Option<(Range<usize>, String)> {
    let first = tokens.first()?.text.as_str();
    if !super::GOVERNING.contains(&first) {
        return None;
    }
    let routine = tokens.iter().take(6).any(|t| {
        matches!(
            t.text.as_str(),
            "FUNCTION"
                | "PROCEDURE"
                | "TRIGGER"
                | "EVENT"
                | "RULE"
                | "SCHEMA"
                | "EXPLAIN"
                | "DO"
                | "COPY"
                | "PREPARE"
                | "POLICY"
        )
    });
    if routine && !tokens.iter().any(|token| token.text == "$$" || token.text == "'") {
        return None;
    }
    let (at, token) = tokens.iter().enumerate().skip(2).find(|(at, token)| {
        let before = tokens[at - 1].text.as_str();
        token.first_of_line
            && token.depth == 0
            && STARTERS.contains(&token.text.as_str())
            && !matches!(before, "AS" | "," | "ON" | "FOR" | "THEN" | "OR" | "DO" | "INSTEAD" | "ALSO")
            && tokens.get(at + 1).is_some_and(|next| next.text.chars().all(|c| c.is_ascii_alphabetic() || c == '*'))
            // A change within ALTER begins a line, too.
            && !(first == "ALTER" && matches!(token.text.as_str(), "ALTER" | "DROP"))
    })?;
    let before = &tokens[at - 1].range;
    Some((before.end..before.end, format!("';' is missing before '{}' in the next line", token.text)))
}

/// What a refused statement lacks, where its words tell: the end of a `CASE`, the `BY` of an order.
pub(super) fn lacking(tokens: &[Token]) -> Option<(Range<usize>, String)> {
    let mut cases = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        match token.text.as_str() {
            "CASE" if at == 0 || tokens[at - 1].text != "END" => cases.push(token),
            "END" => {
                cases.pop();
            }
            word @ ("ORDER" | "GROUP") => {
                let next = tokens.get(at + 1).map_or("", |next| next.text.as_str());
                let before = at.checked_sub(1).map_or("", |before| tokens[before].text.as_str());
                if !matches!(next, "BY" | "SIBLINGS" | "(" | "," | "." | "=" | ")")
                    && !matches!(before, "." | "WITHIN" | "AS" | ",")
                {
                    return Some((token.range.clone(), format!("'BY' is missing after '{word}'")));
                }
            }
            _ => {}
        }
    }
    let case = cases.last()?;
    Some((case.range.clone(), "'CASE' is not closed: 'END' is missing".to_owned()))
}
