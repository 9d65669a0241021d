//! Compiles patterns over sentences of English and Spanish.
//!
//! The Unicode classes `\s`, `\w`, `\W` and `\d` are hundreds of ranges each; compiling them would be most of the latency
//! of a process's first answer. The patterns match Latin text only, so their classes are cut down to it.

use regex::Regex;

/// White space.
const SPACE: &str = r"\t\n\r \u{a0}";
/// Letters of Latin alphabets, digits and the underscore.
const WORD: &str = r"0-9A-Z_a-zªµºÀ-ÖØ-öø-ɏ";
/// What is neither letter nor digit in prose: ASCII, Latin-1, general punctuation, symbols and emoji.
const NO_WORD: &str = concat!(
    r"\x00-/:-@\[-\^`\{-©«-´¶-¹»-¿×÷",
    r"\u{2000}-\u{206f}\u{20a0}-\u{20bf}\u{2190}-\u{2bff}\u{3000}-\u{3004}\u{3008}-\u{3020}\u{fe0f}\u{1f000}-\u{1faff}",
);

/// Compiles a pattern with the Latin classes; `None` where its syntax is wrong.
#[must_use]
pub fn pattern(text: &str) -> Option<Regex> {
    let classes = [(r"\s", SPACE), (r"\w", WORD), (r"\W", NO_WORD), (r"\d", "0-9")];
    let mut out = String::with_capacity(4 * text.len());
    let mut rest = text;
    let mut inside = false;
    while let Some(c) = rest.chars().next() {
        let class = classes.iter().find(|(name, _)| rest.starts_with(name));
        match class {
            // Within brackets the class is a part of another.
            Some((_, ranges)) if inside => out.push_str(ranges),
            Some((_, ranges)) => {
                out.push('[');
                out.push_str(ranges);
                out.push(']');
            }
            None => {
                out.push(c);
                inside = (inside || c == '[') && c != ']';
            }
        }
        let mut taken = class.map_or(c.len_utf8(), |(name, _)| name.len());
        // What a backslash makes plain opens and closes nothing.
        if class.is_none()
            && c == '\\'
            && let Some(next) = rest[taken..].chars().next()
        {
            out.push(next);
            taken += next.len_utf8();
        }
        rest = &rest[taken..];
    }
    Regex::new(&out).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn character_classes_equal_unicode_for_latin_prose() {
        let prose =
            "The pool's «límite» is 2 — “no more” than €5 (≤ 3); ¿por qué?\t_x_ naïve, Straße… 😀 ½\u{a0}º\n";
        for class in [r"\s", r"\w", r"\W", r"\d", r"[\s¿]", r"[^\d]", r"[\w\[\]x]"] {
            let (Some(ours), Ok(theirs)) = (pattern(class), Regex::new(class)) else { panic!("{class}") };
            for c in prose.chars() {
                let text = c.to_string();
                assert_eq!(ours.is_match(&text), theirs.is_match(&text), "{class} {c:?}");
            }
        }
    }
}
