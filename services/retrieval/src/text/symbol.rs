//! Symbols of code as terms: operators (`?`, `::`, `..=`) and words with a sigil (`&str`, `--flag`, `'static`).

use std::collections::BTreeSet;

/// Longest run of symbols that is a term; longer ones are rules and drawings.
const MOST_SYMBOLS: usize = 3;

/// Symbols of the inline code of a text, sorted, without repeats. Fences are left out: every operator of a language
/// stands in them, so that none tells passages apart.
pub(super) fn of_passage(text: &str) -> BTreeSet<String> {
    let mut out = BTreeSet::new();
    for code in inline_code(text) {
        scan(code, &mut |symbol| {
            out.insert(symbol.text());
        });
    }
    out
}

/// Symbols of a query. Between back-ticks all count; elsewhere punctuation does not: a run counts that stands alone,
/// begins a word, or has two signs or more between words.
pub(super) fn of_query(query: &str) -> BTreeSet<String> {
    let mut out = BTreeSet::new();
    for (place, segment) in query.split('`').enumerate() {
        let code = place % 2 == 1;
        for piece in segment.split_whitespace() {
            let alone = !piece.contains(is_word);
            scan(piece, &mut |symbol| {
                let between = symbol.run.len() >= 2 && symbol.inside;
                if code || alone || symbol.word.is_some() || between {
                    out.insert(symbol.text());
                }
            });
        }
    }
    out
}

/// A run of symbols in a text.
struct Symbol<'t> {
    run: &'t str,
    /// The word that it begins, where no word stands before it.
    word: Option<&'t str>,
    /// Whether words stand on both sides.
    inside: bool,
}

impl Symbol<'_> {
    fn text(&self) -> String {
        format!("{}{}", self.run, super::word::fold(self.word.unwrap_or_default()))
    }
}

/// Calls `each` with every symbol of a piece of code. One sign that joins words (`a.b`, `a-b`, `a/b`, `it's`) is none.
fn scan<'t>(code: &'t str, each: &mut dyn FnMut(Symbol<'t>)) {
    let mut rest = code;
    let mut before = false;
    while let Some(first) = rest.chars().next() {
        let end_of = |part: &str, belongs: fn(char) -> bool| part.find(|c| !belongs(c)).unwrap_or(part.len());
        let end = if is_word(first) {
            end_of(rest, is_word)
        } else if is_symbol(first) {
            let end = end_of(rest, is_symbol);
            let (run, behind) = rest.split_at(end);
            let word = behind.get(..end_of(behind, is_word)).filter(|word| !word.is_empty());
            let inside = before && word.is_some();
            let joins = inside && matches!(run, "." | "-" | "/" | "'" | ":");
            if run.len() <= MOST_SYMBOLS && !joins {
                each(Symbol { run, word: word.filter(|_| !before), inside });
            }
            end
        } else {
            first.len_utf8()
        };
        before = is_word(first);
        rest = rest.get(end..).unwrap_or_default();
    }
}

/// Code between single back-ticks, outside fences.
fn inline_code(text: &str) -> impl Iterator<Item = &str> {
    let mut fenced = false;
    text.lines()
        .filter(move |line| {
            let fence = line.trim_start().starts_with("```") || line.trim_start().starts_with("~~~");
            fenced ^= fence;
            !fence && !fenced
        })
        .flat_map(|line| {
            line.split('`').enumerate().filter(|(place, _)| place % 2 == 1).map(|(_, code)| code)
        })
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn is_symbol(c: char) -> bool {
    c.is_ascii_punctuation() && !matches!(c, '(' | ')' | '[' | ']' | '{' | '}' | '"' | '`' | ',' | ';' | '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn query(text: &str) -> Vec<String> {
        of_query(text).into_iter().collect()
    }

    #[test]
    fn symbols_of_inline_code_are_terms_and_those_of_fences_not() {
        let text = "Use `?` or `&str`, `std::fs`, `--flag`, `'static` and `a.b`.\n\n```rust\nlet x = y?;\n```\n`..=` ends.";
        let found: Vec<String> = of_passage(text).into_iter().collect();
        assert_eq!(found, ["&str", "'static", "--flag", "..=", "::", "?"]);
    }

    #[test]
    fn punctuation_of_a_question_is_no_symbol() {
        assert_eq!(query("What does it do? Well-known, isn't it: yes."), Vec::<String>::new());
        assert_eq!(query("what does ? do"), ["?"]);
        assert_eq!(query("what is `?`?"), ["?"]);
        assert_eq!(query("&str vs String and std::fs with --Verbose"), ["&str", "--verbose", "::"]);
        assert_eq!(query("a..=b, 'static"), ["'static", "..="]);
    }

    #[test]
    fn no_symbol_holds_white_space_or_is_long() {
        for text in ["`a\u{a0}&\u{3000}b`", "`-----`", "`====>`", "`&É`"] {
            for symbol in of_passage(text) {
                assert!(!symbol.contains(char::is_whitespace) && symbol == symbol.to_lowercase(), "{symbol}");
                assert!(
                    symbol.chars().filter(char::is_ascii_punctuation).count() <= MOST_SYMBOLS,
                    "{symbol}"
                );
            }
        }
    }
}
