//! Joins words that are hyphenated at a line end.

use std::collections::HashSet;

use super::layout::Line;

/// Words of a file, to tell `co-operate` from a word that was parted.
#[derive(Debug, Default)]
pub(super) struct Words {
    known: HashSet<String>,
}

impl Words {
    /// Words inside the lines; those at line ends say nothing.
    pub(super) fn of(pages: &[Vec<Line>]) -> Self {
        let inside = |line: &Line| -> Vec<String> {
            let words: Vec<&str> = line.text.split_whitespace().collect();
            let kept = words.len().saturating_sub(1);
            words.into_iter().take(kept).map(bare).filter(|word| word.len() > 3).collect()
        };
        Self { known: pages.iter().flatten().flat_map(inside).collect() }
    }

    /// Appends a line to a text: with a space, or as the rest of a word that a hyphen has parted.
    ///
    /// The hyphen stays where the file has the word with it elsewhere and not without it.
    pub(super) fn join(&self, text: &mut String, next: &str) {
        let next = next.trim_start();
        let stem = text.strip_suffix(['-', '\u{2010}', '\u{ad}']).unwrap_or("");
        let first = stem.rsplit(char::is_whitespace).next().unwrap_or("");
        let second = next.split(char::is_whitespace).next().unwrap_or("");
        let hyphened = bare(&format!("{first}-{second}"));
        let whole = bare(&format!("{first}{second}"));
        let may_go_on = next.starts_with(char::is_lowercase) || self.known.contains(&whole);
        if !stem.ends_with(char::is_alphabetic) || !may_go_on {
            if !text.is_empty() && !next.is_empty() {
                text.push(' ');
            }
            text.push_str(next);
            return;
        }
        // A word with a hyphen already was parted at its next one.
        let keeps = first.contains('-') && !self.known.contains(&whole)
            || self.known.contains(&hyphened) && !self.known.contains(&whole);
        if !keeps {
            let length = stem.len();
            text.truncate(length);
        }
        text.push_str(next);
    }
}

/// A word without the marks around it, in lower case.
fn bare(word: &str) -> String {
    word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase()
}
