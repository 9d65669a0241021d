//! Front matter: the block between `---` or `+++` at the start of a page, of which title and tags are understood.

use crate::Lines;

/// What the front matter says.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct FrontMatter {
    /// Value of `title:`; empty if there is none.
    pub(crate) title: String,
    /// Values of `tags:`, in order.
    pub(crate) tags: Vec<String>,
    /// Lines it takes, both marks included; 0 if there is no front matter.
    pub(crate) lines: usize,
}

/// Longest front matter, in lines; anything longer is text between two rulers.
const MAX_LINES: usize = 200;

/// Reads the front matter of a file: YAML between `---`, or TOML between `+++`.
pub(crate) fn read(text: &str, lines: &Lines) -> FrontMatter {
    let none = FrontMatter::default();
    let mark = lines.line(text, 0).trim_start_matches('\u{feff}').trim_end();
    let (sign, is_toml) = match mark {
        "---" => (':', false),
        "+++" => ('=', true),
        _ => return none,
    };
    let is_end = |line: &str| line == mark || !is_toml && line == "...";
    let end = (1..lines.len().min(MAX_LINES)).find(|line| is_end(lines.line(text, *line).trim_end()));
    let Some(end) = end else { return none };
    // Every line must look like a mapping, a list entry, a comment or a continuation.
    let mapping = |line: &str| {
        line.trim().is_empty()
            || line.starts_with([' ', '\t', '-', '#', '[', ']', '}', '"', '\''])
            || line.split_once(sign).is_some_and(|(key, _)| !key.is_empty() && !key.trim_end().contains(' '))
    };
    if !(1..end).all(|line| mapping(lines.line(text, line))) {
        return none;
    }
    let value = |key: &str| {
        (1..end).find_map(|line| {
            let rest = lines.line(text, line).strip_prefix(key)?.trim_start().strip_prefix(sign)?;
            Some((line, rest.trim()))
        })
    };
    let folded = |(line, title): (usize, &str)| match title {
        ">" | ">-" | "|" | "|-" if line + 1 < end => plain(lines.line(text, line + 1)),
        title => plain(title),
    };
    let title = value("title").map(folded).unwrap_or_default();
    let tags = value("tags").map_or_else(Vec::new, |(line, list)| {
        // In one line, with or without brackets, or each on a line of its own.
        let below = (line + 1..end).map_while(|line| lines.line(text, line).trim().strip_prefix("- "));
        let inline = list.trim_start_matches('[').trim_end_matches(']').split(',');
        inline.chain(below).map(plain).filter(|tag| !tag.is_empty()).collect()
    });
    FrontMatter { title, tags, lines: end + 1 }
}

/// A value without quotes around it.
fn plain(value: &str) -> String {
    value.trim().trim_matches(['"', '\'']).trim().to_owned()
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
    fn tags_are_read_in_every_form() {
        for block in ["tags: [guide, \"how to\"]", "tags: guide, how to", "tags:\n  - guide\n  - 'how to'"] {
            let text = format!("---\n{block}\ntitle: T\n---\n");
            assert_eq!(read(&text, &Lines::of(&text)).tags, ["guide", "how to"], "{block}");
        }
    }

    #[test]
    fn rulers_and_open_blocks_are_text() {
        check("---\nSome words here: yes\n---\n", "", 0);
        check("---\ntitle: x\n", "", 0);
        check("# Title\n", "", 0);
        check("", "", 0);
    }
}
