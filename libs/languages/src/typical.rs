//! Mistakes that are typical of one language, told from the line that they stand in and the one before it.

use super::explain::{Words, innermost_at};
use super::place::last_words;

/// A place that a grammar has no rule for.
#[derive(Clone, Copy)]
pub(super) struct Place<'a> {
    /// The language.
    pub(super) name: &'a str,
    pub(super) code: &'a str,
    /// Where what has no place begins.
    pub(super) at: usize,
    /// The word or sign that stands there.
    pub(super) near: &'a str,
    /// What stands before it, not all of it.
    pub(super) before: &'a str,
    /// The last word or sign of that.
    pub(super) last: &'a str,
}

impl<'a> Place<'a> {
    /// The part of the line that stands before the place.
    fn lead(&self) -> &'a str {
        self.before.rsplit('\n').next().unwrap_or_default()
    }

    /// The whole line.
    fn line(&self) -> &'a str {
        let start = self.at - self.lead().len();
        let rest = self.code.get(start..).unwrap_or_default();
        rest.split('\n').next().unwrap_or_default().trim_end()
    }

    /// What stands in the lines before this one, without the blanks at its end; and where it ends.
    fn above(&self) -> (&'a str, usize) {
        let above = &self.before[..self.before.len() - self.lead().len()];
        let text = above.trim_end();
        (text, self.at - self.lead().len() - (above.len() - text.len()))
    }

    fn here(&self, message: String) -> Words {
        Words { at: self.at, length: self.near.len(), message }
    }
}

/// What is wrong, if it is typical of the language.
pub(super) fn typical(place: Place<'_>) -> Option<Words> {
    match place.name {
        "Python" => python(place),
        "JavaScript" | "TypeScript" => head(place).or_else(|| script(place)),
        "Go" => go(place),
        "Java" => head(place).or_else(|| statement_end(place)),
        "Rust" => statement_end(place),
        _ => None,
    }
}

fn python(place: Place<'_>) -> Option<Words> {
    let (above, end) = place.above();
    let inside = innermost_at(place.before).map(|(_, open)| open);
    if place.near == "=" && inside.is_some() && place.lead().contains(" if ") {
        let message = "'=' assigns and cannot stand in a condition; compare with '=='".to_owned();
        return Some(place.here(message));
    }
    // The key of an entry whose neighbour lacks its comma.
    let key = place.lead().trim();
    let quoted = key.len() > 1 && key.starts_with(['"', '\'']) && key.ends_with(['"', '\'']);
    let open = above.is_empty() || above.ends_with([',', '{', '(', '[', ':']);
    (place.near == ":" && inside == Some('{') && quoted && !open).then(|| Words {
        at: end,
        length: 0,
        message: format!("',' is missing after '{}'", last_words(above)),
    })
}

/// A head without its bracket.
fn head(place: Place<'_>) -> Option<Words> {
    let head = matches!(place.last, "if" | "while" | "for" | "switch") && place.near != "(";
    (head && !place.lead().trim().is_empty())
        .then(|| place.here(format!("'(' is missing after '{}'", place.last)))
}

fn script(place: Place<'_>) -> Option<Words> {
    let rest = place.code.get(place.at..).unwrap_or_default();
    if rest.strip_prefix('=').is_some_and(|rest| rest.starts_with(' ') && rest.trim_start().starts_with('>'))
    {
        return Some(place.here("'= >' is no sign; write '=>'".to_owned()));
    }
    let line = place.line();
    let declared =
        ["const ", "let ", "var ", "export "].iter().any(|word| line.trim_start().starts_with(word));
    let arrow = declared
        && line.ends_with('{')
        && !line.contains("=>")
        && ["= (", "= async ("].iter().any(|head| line.contains(head));
    arrow.then(|| Words {
        at: place.at - place.lead().len() + line.len() - 1,
        length: 1,
        message: "'=>' is missing before '{'".to_owned(),
    })
}

fn go(place: Place<'_>) -> Option<Words> {
    let heads = ["for ", "if ", "func ", "switch "];
    let headless = |line: &str| {
        let line = line.trim_start();
        heads.iter().any(|word| line.starts_with(word)) && !line.contains('{') && !line.ends_with([',', '('])
    };
    let missing = |at: usize, text: &str| {
        let message = format!("'{{' is missing after '{}'", last_words(text));
        Some(Words { at, length: 0, message })
    };
    if place.lead().trim().is_empty() {
        let (above, end) = place.above();
        if headless(above.rsplit('\n').next().unwrap_or_default()) {
            return missing(end, above);
        }
        if headless(place.line()) {
            let end = place.at - place.lead().len() + place.line().len();
            return missing(end, place.line());
        }
    }
    let (opener, _) = innermost_at(place.before)?;
    let line = place.line();
    let field = line.ends_with(',') && place.before[..opener].trim_end().ends_with("struct");
    field.then(|| Words {
        at: place.at - place.lead().len() + line.len() - 1,
        length: 1,
        message: "a field of a struct ends with its line; ',' cannot stand here".to_owned(),
    })
}

/// A statement in the line above that lacks its end.
fn statement_end(place: Place<'_>) -> Option<Words> {
    let (above, end) = place.above();
    let line = above.rsplit('\n').next().unwrap_or_default().trim_start();
    let head = ["if ", "if(", "for ", "for(", "while ", "while(", "else", "switch", "@", "#"];
    let statement = match place.name {
        "Rust" => line.starts_with("let "),
        _ => line.contains(" = ") || line.starts_with("return "),
    };
    let value = line.ends_with(|c: char| c.is_alphanumeric() || matches!(c, ')' | ']' | '"' | '\'' | '_'));
    let begins = place.near.starts_with(|c: char| c.is_alphabetic() || c == '_');
    (place.lead().trim().is_empty()
        && statement
        && value
        && begins
        && !head.iter().any(|word| line.starts_with(word))
        && innermost_at(place.before).is_none_or(|(_, open)| open == '{'))
    .then(|| Words { at: end, length: 0, message: format!("';' is missing after '{}'", last_words(above)) })
}

/// The head of a block without its brace, where a brace later closes nothing: where the head ends.
pub(super) fn headless(name: &str, lines: &[&str]) -> Option<usize> {
    let heads: &[&str] = match name {
        "Go" => &["func ", "if ", "for ", "switch "],
        "Rust" => &["fn ", "pub fn ", "impl ", "async fn ", "pub async fn "],
        "JavaScript" | "TypeScript" => {
            &["function ", "class ", "async function ", "export function ", "export class "]
        }
        _ => return None,
    };
    let mut start = 0;
    for (at, line) in lines.iter().enumerate() {
        let text = line.trim_end();
        let next = lines.get(at + 1).map_or("", |next| next.trim_start());
        let ends = !text.ends_with([',', '(', ';', '=', '+', '-', '|', '&', '>', '<', '`']);
        if heads.iter().any(|head| text.trim_start().starts_with(head))
            && !text.contains(['{', ';'])
            && ends
            && !next.starts_with(['{', '-', '.'])
            && !next.starts_with("where")
        {
            return Some(start + text.len());
        }
        start += line.len();
    }
    None
}
