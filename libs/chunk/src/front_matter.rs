//! Front matter: the `---` block at the start of a Markdown file, of which only the title is understood.

use crate::Lines;

/// What the front matter says.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct FrontMatter {
    /// Value of `title:`; empty if there is none.
    pub(crate) title: String,
    /// Lines it takes, both `---` included; 0 if there is no front matter.
    pub(crate) lines: usize,
}

/// Longest front matter, in lines; anything longer is text between two rulers.
const MAX_LINES: usize = 200;

/// Reads the front matter of a file.
pub(crate) fn read(text: &str, lines: &Lines) -> FrontMatter {
    let none = FrontMatter::default();
    if lines.line(text, 0).trim_start_matches('\u{feff}').trim_end() != "---" {
        return none;
    }
    let end = (1..lines.len().min(MAX_LINES))
        .find(|line| matches!(lines.line(text, *line).trim_end(), "---" | "..."));
    let Some(end) = end else { return none };
    // Every line must look like a mapping, a list entry, a comment or a continuation.
    let mapping = |line: &str| {
        line.trim().is_empty()
            || line.starts_with([' ', '\t', '-', '#'])
            || line.split_once(':').is_some_and(|(key, _)| !key.is_empty() && !key.contains(' '))
    };
    if !(1..end).all(|line| mapping(lines.line(text, line))) {
        return none;
    }
    let title = (1..end)
        .find_map(|line| lines.line(text, line).strip_prefix("title:"))
        .map(|value| value.trim().trim_matches(['"', '\'']).trim().to_owned())
        .unwrap_or_default();
    FrontMatter { title, lines: end + 1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, title: &str, lines: usize) {
        let found = read(text, &Lines::of(text));
        assert_eq!((found.title.as_str(), found.lines), (title, lines), "{text:?}");
    }

    #[test]
    fn the_title_is_read_and_the_block_counted() {
        check("---\ntitle: \"Getting started\"\nsort_rank: 1\n---\n# Hi\n", "Getting started", 4);
        check("---\r\ntitle: A: b\r\n---\r\n", "A: b", 3);
        check("---\nsort_rank: 1\n---\n", "", 3);
    }

    #[test]
    fn rulers_and_open_blocks_are_text() {
        check("---\nSome words here: yes\n---\n", "", 0);
        check("---\ntitle: x\n", "", 0);
        check("# Title\n", "", 0);
        check("", "", 0);
    }
}
