//! Ids of headings as site generators make them from their words.

use std::collections::HashMap;

use unicode_normalization::char::is_combining_mark;

/// Ids that a page has given so far.
#[derive(Debug, Clone, Default)]
pub(crate) struct Anchors {
    repeats: HashMap<String, u32>,
}

impl Anchors {
    /// The id of a heading by its words, unique on the page: `-1` and so on for repeats.
    pub(crate) fn of_heading(&mut self, name: &str) -> String {
        let slug = slug(name);
        match self.repeats.get_mut(&slug) {
            None => {
                self.repeats.insert(slug.clone(), 0);
                slug
            }
            Some(repeats) => {
                *repeats += 1;
                let mut number = *repeats;
                let mut unique = format!("{slug}-{number}");
                while self.repeats.contains_key(&unique) {
                    number += 1;
                    unique = format!("{slug}-{number}");
                }
                self.repeats.insert(unique.clone(), 0);
                unique
            }
        }
    }
}

/// The id that GitHub makes of a heading: lower case, `-` for a space, no punctuation but `-` and `_`.
#[must_use]
pub fn slug(heading: &str) -> String {
    let kept = |c: &char| c.is_alphanumeric() || is_combining_mark(*c) || matches!(c, '-' | '_' | ' ');
    let kept = heading.trim().chars().filter(kept).flat_map(char::to_lowercase);
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

/// The id that Python-Markdown makes of a heading: ASCII words, runs of spaces and `-` as one `-`.
pub(crate) fn collapsed(heading: &str) -> String {
    use unicode_normalization::UnicodeNormalization;
    let kept = |c: &char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | ' ');
    let plain: String = heading.nfkd().filter(kept).flat_map(char::to_lowercase).collect();
    plain.split([' ', '-']).filter(|part| !part.is_empty()).collect::<Vec<_>>().join("-")
}

/// The id that Docutils and Sphinx make of a heading: ASCII letters and digits, runs of anything else as one `-`.
pub(crate) fn docutils(heading: &str) -> String {
    use unicode_normalization::UnicodeNormalization;
    let plain: String = heading.nfkd().filter(char::is_ascii).flat_map(char::to_lowercase).collect();
    let parts = plain.split(|c: char| !c.is_ascii_alphanumeric()).filter(|part| !part.is_empty());
    let id = parts.collect::<Vec<_>>().join("-");
    id.trim_start_matches(|c: char| c.is_ascii_digit() || c == '-').to_owned()
}
