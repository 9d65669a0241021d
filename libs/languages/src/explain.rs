//! Words for what a grammar only calls an error: what is missing, or what stands where it may not, told from the tokens
//! around the place.

use super::place::{last_words, tail};
use super::typical::{Place, typical};

/// A place and the words for it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Words {
    /// First byte.
    pub(super) at: usize,
    /// Bytes.
    pub(super) length: usize,
    /// What is wrong.
    pub(super) message: String,
}

/// Bytes before a place that are looked at.
const NEAR: usize = 4096;
/// Words that other languages begin statements with.
const FOREIGN: &[&str] = &[
    "let",
    "const",
    "var",
    "def",
    "function",
    "func",
    "fn",
    "while",
    "elif",
    "until",
    "foreach",
    "loop",
    "switch",
    "match",
    "unless",
    "then",
    "begin",
    "end",
    "echo",
    "local",
    "struct",
    "interface",
    "public",
    "private",
    "static",
    "int",
    "string",
    "void",
    "bool",
    "double",
    "float",
    "auto",
    "val",
    "namespace",
    "using",
];

/// What is wrong where `near` stands at `at`, in the language of this `name`; `skipped` is what the grammar skipped.
/// None if the tokens tell nothing more than the grammar.
pub(super) fn explain(
    name: &str,
    code: &str,
    at: usize,
    near: &str,
    skipped: std::ops::Range<usize>,
) -> Option<Words> {
    // What stands further off explains nothing.
    let before = tail(code.get(..at)?, NEAR);
    let last = last_token(before);
    let line = before.rsplit('\n').next().unwrap_or_default();
    let same_line = !line.trim().is_empty();
    let semicolons = matches!(name, "Rust" | "Java");
    let foreign = |word: &str| FOREIGN.contains(&word) && !own_words(name).contains(&word);
    if let Some(words) = loop_header(name, code, skipped.start)
        .or_else(|| typical(Place { name, code, at, near, before, last }))
    {
        return Some(words);
    }
    if matches!(near, "++" | "--") && matches!(name, "Python" | "Rust")
        || near == "+" && last == "+" && name == "Python"
    {
        let sign = near.chars().next().unwrap_or('+');
        let message = format!("'{sign}{sign}' is no operator of {name}; write '{sign}= 1'");
        return Some(Words { at, length: near.len(), message });
    }
    if name == "Python"
        && near == "="
        && ["if ", "elif ", "while "].iter().any(|word| line.trim_start().starts_with(word))
    {
        let message = "'=' assigns and cannot stand in a condition; compare with '=='".to_owned();
        return Some(Words { at, length: 1, message });
    }
    if matches!(name, "JavaScript" | "TypeScript")
        && near == "<"
        && let Some(words) = open_tag(code, skipped.clone())
    {
        return Some(words);
    }
    if name == "Go" {
        if near == "else" && !same_line {
            let message = "'else' must stand in the line of the '}' before it".to_owned();
            return Some(Words { at, length: 4, message });
        }
        if near == "import" || last == "import" {
            let start = code.get(..skipped.end).and_then(|text| text.rfind("import")).unwrap_or(at);
            let path = code.get(start + 6..).unwrap_or_default().lines().next().unwrap_or_default().trim();
            if path.starts_with(|c: char| c.is_alphabetic()) {
                let message = format!("the path of an import needs quotes: import \"{path}\"");
                return Some(Words { at: start, length: 6, message });
            }
        }
    }
    if name == "Python" && !same_line {
        let opener = match near.trim_end_matches(':') {
            word @ ("else" | "elif") => Some((word, "'if', loop or 'try'")),
            word @ ("except" | "finally") => Some((word, "'try'")),
            word @ "case" => Some((word, "'match'")),
            _ => None,
        };
        if let Some((word, opener)) = opener {
            return Some(Words {
                at,
                length: word.len(),
                message: format!("'{word}' has no {opener} before it at its indentation"),
            });
        }
    }
    let skipped_text = code.get(skipped.clone()).unwrap_or_default().trim_end();
    let after = code.get(skipped.start + skipped_text.len()..).unwrap_or_default();
    let next = after.trim_start();
    let gap = &after[..after.len() - next.len()];
    let ended = next.is_empty() || gap.contains('\n') || next.starts_with([')', ']', '}', ';', ',']);
    let tail = last_token(skipped_text);
    let end = skipped.start + skipped_text.len();
    // Nothing behind an operator, or behind a word that wants more.
    let wants = |token: &str| {
        operator(token)
            || matches!(
                token,
                "import" | "from" | "return" | "new" | "in" | "as" | "del" | "assert" | "raise" | "with"
            )
    };
    if ended && operator(tail) && !matches!(tail, "++" | "--")
        || !next.starts_with('(') && ended && !skipped_text.is_empty() && wants(tail) && tail != "return"
    {
        return Some(Words {
            at: end,
            length: 0,
            message: format!(
                "something is missing after '{}'",
                last_words(code.get(..end).unwrap_or_default())
            ),
        });
    }
    if same_line
        && operator(last)
        && near.starts_with([')', ']', '}', ';', ',', '=', '*', '/', '%', '|', '>'])
    {
        let message =
            format!("something is missing between '{last}' and '{near}', after '{}'", last_words(before));
        return Some(Words { at, length: near.len(), message });
    }
    // A value directly behind another one.
    if same_line
        && value_ends(last)
        && value_begins(near)
        && (foreign(last) || !matches!(last, "in" | "of" | "if" | "else" | "while"))
    {
        if foreign(last) && !matches!(innermost(before), Some('(' | '[')) {
            let start = at - (before.len() - before.trim_end().len()) - last.len();
            let message = format!("'{last}' is no word of {name}; found '{last} {near}'");
            return Some(Words { at: start, length: last.len(), message });
        }
        let text = last_words(before);
        let open = innermost(before);
        let enumerates = || {
            let (opener, _) = innermost_at(before)?;
            Some(last_words(&before[..opener]).contains("enum "))
        };
        let segment = before.rsplit(['{', '(', '[', ',', ';', '\n']).next().unwrap_or_default();
        let sign = match (open, name) {
            (Some('('), "Rust")
                if before.contains("fn ") && !segment.contains(':') && segment.trim() == last =>
            {
                "',' or ':'"
            }
            (Some('(' | '['), _) => "','",
            (Some('{'), "Python") => "','",
            (Some('{'), _) if segment.contains(':') => "','",
            (Some('{'), _) if enumerates() == Some(true) => "','",
            (Some('{'), "TypeScript") if segment.trim() == last => "':'",
            _ if name == "Python" => "an operator, ';' or a line end",
            _ if semicolons => "';' or an operator",
            _ => "an operator, ';' or a line end",
        };
        return Some(Words {
            at,
            length: near.len(),
            message: format!("{sign} is missing before '{near}', after '{text}'"),
        });
    }
    if !gap.contains('\n') && !gap.is_empty() && value_ends(tail) && value_begins(next) && name == "Python" {
        let near: String = next.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
        let message = format!(
            "an operator, ';' or a line end is missing before '{near}', after '{}'",
            last_words(code.get(..end).unwrap_or_default())
        );
        return Some(Words { at: end + gap.len(), length: near.len(), message });
    }
    // A statement that goes on into the next line.
    if semicolons
        && gap.contains('\n')
        && value_ends(tail)
        && !skipped_text.is_empty()
        && !tail.ends_with('}')
    {
        return Some(Words {
            at: end,
            length: 0,
            message: format!("';' is missing after '{}'", last_words(code.get(..end).unwrap_or_default())),
        });
    }
    None
}

/// The words of a language among those that others begin statements with.
fn own_words(name: &str) -> &'static [&'static str] {
    match name {
        "JavaScript" => &["let", "const", "var", "function", "while", "switch", "static"],
        "TypeScript" => &[
            "let",
            "const",
            "var",
            "function",
            "while",
            "switch",
            "static",
            "string",
            "interface",
            "public",
            "private",
            "namespace",
            "void",
        ],
        "Go" => &["const", "var", "func", "switch", "struct", "interface", "int", "string", "bool"],
        "Rust" => &["let", "const", "fn", "while", "loop", "match", "struct", "static", "bool"],
        "Java" => &[
            "while",
            "switch",
            "interface",
            "public",
            "private",
            "static",
            "int",
            "void",
            "double",
            "float",
            "var",
        ],
        "Python" => &["def", "while", "match", "int", "float", "bool"],
        _ => &[],
    }
}

/// The first tag in what was skipped that is not closed.
fn open_tag(code: &str, skipped: std::ops::Range<usize>) -> Option<Words> {
    let text = code.get(skipped.clone())?;
    let mut open: Vec<(usize, &str)> = Vec::new();
    let mut ends = text.match_indices('>').map(|(at, _)| at).peekable();
    for (at, _) in text.match_indices('<') {
        let rest = &text[at + 1..];
        let closes = rest.starts_with('/');
        let name = rest.trim_start_matches('/');
        let name = name
            .split(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '.' | '-'))
            .next()
            .unwrap_or_default();
        if name.is_empty() {
            continue;
        }
        while ends.next_if(|end| *end < at).is_some() {}
        let end = ends.peek().copied().unwrap_or(text.len());
        if closes {
            match open.pop() {
                Some((_, opened)) if opened == name => {}
                Some((at, opened)) => {
                    let message = format!("'<{opened}>' is not closed before '</{name}>'");
                    return Some(Words { at: skipped.start + at, length: opened.len() + 1, message });
                }
                None => return None,
            }
        } else if !text[..end].ends_with('/') {
            open.push((at, name));
        }
    }
    let (at, name) = open.first()?;
    Some(Words {
        at: skipped.start + at,
        length: name.len() + 1,
        message: format!("'<{name}>' is not closed"),
    })
}

/// A `for` header in brackets that has too few parts.
fn loop_header(name: &str, code: &str, at: usize) -> Option<Words> {
    if !matches!(name, "JavaScript" | "TypeScript" | "Java") {
        return None;
    }
    let text = code.get(at..)?;
    let inner = text.strip_prefix("for")?.trim_start().strip_prefix('(')?;
    let mut depth = 0_u32;
    let mut parts = 1;
    for c in inner.chars().take(NEAR).take_while(|c| *c != '\n') {
        match c {
            '(' => depth += 1,
            ')' if depth == 0 => break,
            ')' => depth -= 1,
            ';' if depth == 0 => parts += 1,
            _ => {}
        }
    }
    let head = inner.split(['\n', '{']).next().unwrap_or_default();
    let message = match parts {
        2 => "'for (…)' takes three parts between two ';', here are 2",
        1 if head.contains(',') && head.contains('=') && !head.contains([':', '[']) => {
            "'for (…)' takes three parts between two ';', here is 1"
        }
        _ => return None,
    };
    Some(Words { at, length: 3, message: message.to_owned() })
}

/// The bracket that is open at the end of a text.
fn innermost(text: &str) -> Option<char> {
    innermost_at(text).map(|(_, open)| open)
}

/// The bracket that is open at the end of a text, and where it stands.
pub(super) fn innermost_at(text: &str) -> Option<(usize, char)> {
    let mut closed = 0_u32;
    for (at, c) in text.char_indices().rev().take(NEAR) {
        match c {
            ')' | ']' | '}' => closed += 1,
            '(' | '[' | '{' if closed == 0 => return Some((at, c)),
            '(' | '[' | '{' => closed -= 1,
            _ => {}
        }
    }
    None
}

fn operator(token: &str) -> bool {
    !token.is_empty() && token.chars().all(|c| "=+-*/%<>&|^!:,.".contains(c)) && !token.ends_with(':')
        || matches!(token, ":" | "::")
}

fn value_ends(token: &str) -> bool {
    token.ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | ')' | ']' | '}' | '"' | '\'' | '`'))
}

fn value_begins(token: &str) -> bool {
    token.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '"' | '\'' | '`' | '$'))
}

/// The word or run of signs that a text ends with.
fn last_token(text: &str) -> &str {
    let text = text.trim_end();
    let word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$');
    let Some(last) = text.chars().next_back() else { return "" };
    let start = if word(last) {
        text.rfind(|c| !word(c)).map_or(0, |at| at + text[at..].chars().next().map_or(1, char::len_utf8))
    } else if "=+-*/%<>&|^!:".contains(last) {
        text.rfind(|c| !"=+-*/%<>&|^!:".contains(c))
            .map_or(0, |at| at + text[at..].chars().next().map_or(1, char::len_utf8))
    } else {
        text.len() - last.len_utf8()
    };
    &text[start..]
}
