//! Names in a text: the identifiers that are searched, and the exact names that a look-up asks for.

use super::word;
use std::collections::BTreeSet;

/// Longest name that is kept, in bytes.
const MAX_NAME_BYTES: usize = 120;

/// Identifiers of a text, folded, sorted, without repeats: words with an identifier's shape anywhere, and every
/// word between back-ticks (inline code and fences).
#[must_use]
pub fn identifiers(text: &str) -> Vec<String> {
    let mut out = BTreeSet::new();
    for (place, segment) in text.split('`').enumerate() {
        // Fences have three ticks on each side, inline code one: inside either, the count of ticks is odd.
        let code = place % 2 == 1;
        word::for_each(segment, |word| {
            if code || has_identifier_shape(word) {
                out.insert(word::fold(word));
            }
        });
    }
    out.remove("");
    out.into_iter().collect()
}

/// A word with an underscore, an inner dot between letters, or a hump.
fn has_identifier_shape(word: &str) -> bool {
    word.contains('_') || (word::parts(word).len() >= 2 && !word.contains(['\'', '’', ',']))
}

/// Every name of a text exactly as written, sorted, without repeats: runs of letters, digits, `_` and `$`, and
/// such runs joined by `.`, `-`, `/`, `:` (`storage.tsdb.path`, `std::fs`, `guides/basic-auth.md`).
#[must_use]
pub fn names(text: &str) -> Vec<String> {
    let mut out = BTreeSet::new();
    for piece in text.split(|c: char| !(is_name_char(c) || is_joint(c))) {
        let joined = piece.trim_matches(is_joint);
        if joined.is_empty() || joined.len() > MAX_NAME_BYTES {
            continue;
        }
        if joined.contains(is_joint) {
            out.insert(joined);
        }
        out.extend(joined.split(is_joint).filter(|run| !run.is_empty()));
    }
    out.into_iter().map(str::to_owned).collect()
}

fn is_name_char(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

fn is_joint(c: char) -> bool {
    matches!(c, '.' | '-' | '/' | ':')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_words_and_shaped_words_are_identifiers() {
        let found = identifiers("Call `addVar` or set `limit` in the maxRetries of tls_config, e.g. here.");
        assert_eq!(found, ["addvar", "limit", "maxretries", "tls_config"]);
        assert_eq!(identifiers("```avap\nreturn(x)\n```\nplain words"), ["avap", "return", "x"]);
    }

    #[test]
    fn names_keep_case_and_joined_forms() {
        let found = names("Use `--storage.tsdb.path` with std::fs::read (see docs/guide.md).");
        for name in ["storage.tsdb.path", "tsdb", "std::fs::read", "docs/guide.md", "Use"] {
            assert!(found.iter().any(|known| known == name), "{name} in {found:?}");
        }
        assert!(!found.iter().any(|known| known == "use"));
    }
}
