//! Outline of reStructuredText: sections by their adornment, blocks of code, paragraphs. Directives stay as text.

use crate::{Cut, Lines, Outline, plain};
use std::borrow::Cow;

/// Cut marks, heading paths and title.
pub(crate) fn outline(text: &str, lines: &Lines) -> Outline {
    let mut outline = plain::outline(text, lines);
    // Levels are in the order in which their adornments first come: the character, and whether it is above too.
    let mut levels: Vec<(char, bool)> = Vec::new();
    let line = |index: usize| lines.line(text, index);
    let mut index = 0;
    while index < lines.len() {
        let Some((title, style, last)) = section(line, index) else {
            index = code(&mut outline, line, index, lines.len());
            continue;
        };
        let level = levels.iter().position(|known| *known == style).unwrap_or_else(|| {
            levels.push(style);
            levels.len() - 1
        });
        outline.mark(index, Cut::Section);
        outline.keep_whole(index, last);
        outline.open_section(index, level + 1, title);
        index = last + 1;
    }
    outline
}

/// Title, style and last line of a section that begins at a line.
fn section<'t>(line: impl Fn(usize) -> &'t str, index: usize) -> Option<(&'t str, (char, bool), usize)> {
    let fits = |title: &str, adornment: &str| {
        adornment.chars().count() >= title.trim().chars().count().min(4) && !title.trim().is_empty()
    };
    if let Some(above) = adornment(line(index)) {
        let (title, below) = (line(index + 1), line(index + 2));
        let framed = adornment(below) == Some(above) && adornment(title).is_none() && fits(title, below);
        return framed.then_some((title, (above, true), index + 2));
    }
    let (title, below) = (line(index), line(index + 1));
    let own = !title.starts_with([' ', '\t']) && fits(title, below);
    // A paragraph that a rule follows is no title.
    let first = index == 0 || line(index - 1).trim().is_empty() || adornment(line(index - 1)).is_some();
    Some((title, (adornment(below)?, false), index + 1)).filter(|_| own && first)
}

/// The character of a line that repeats one character of punctuation.
fn adornment(line: &str) -> Option<char> {
    let line = line.trim_end();
    let first = line.chars().next().filter(char::is_ascii_punctuation)?;
    (line.len() >= 2 && line.chars().all(|c| c == first)).then_some(first)
}

/// Keeps the block of code together that a line introduces; gives the line to go on at.
fn code<'t>(outline: &mut Outline, line: impl Fn(usize) -> &'t str, index: usize, count: usize) -> usize {
    let head = line(index).trim();
    let directive =
        [".. code-block::", ".. code::", ".. sourcecode::"].iter().any(|name| head.starts_with(name));
    let literal = head.ends_with("::") && !head.starts_with("..");
    if !directive && !literal {
        return index + 1;
    }
    let indent = |text: &str| text.len() - text.trim_start().len();
    let inside = |next: &usize| line(*next).trim().is_empty() || indent(line(*next)) > indent(line(index));
    let end = (index + 1..count).find(|next| !inside(next)).unwrap_or(count);
    if let Some(last) = (index + 1..end).rev().find(|next| !line(*next).trim().is_empty()) {
        outline.keep_whole(index, last);
    }
    end
}

/// Words with code between single back-ticks, as the search knows it.
pub(crate) fn words(text: &str) -> Cow<'_, str> {
    if text.contains("``") { Cow::Owned(text.replace("``", "`")) } else { Cow::Borrowed(text) }
}

#[cfg(test)]
mod tests {
    use crate::{Format, chunk, words};

    fn places(text: &str) -> Vec<(u32, u32, Vec<String>)> {
        let chunks = chunk(Format::Rst, text).chunks;
        chunks.into_iter().map(|chunk| (chunk.lines.first, chunk.lines.last, chunk.headings)).collect()
    }

    #[test]
    fn adornments_make_sections_in_their_order() {
        let filler = "many words of a page ".repeat(20);
        let text = format!(
            "=====\nGuide\n=====\n\n{filler}\n\nInstall\n=======\n\n{filler}\n\nOn Linux\n~~~~~~~~\n\n{filler}\n\nUse\n===\n\n{filler}\n"
        );
        assert_eq!(chunk(Format::Rst, &text).title, "Guide");
        let path = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        assert_eq!(
            places(&text),
            [
                (1, 5, path(&["Guide"])),
                (7, 10, path(&["Guide", "Install"])),
                (12, 15, path(&["Guide", "Install", "On Linux"])),
                (17, 20, path(&["Guide", "Use"])),
            ]
        );
    }

    #[test]
    fn code_is_never_split_and_holds_no_title() {
        let code = "    x = 1\n\n    Title\n    =====\n\n".repeat(90);
        for head in [".. code-block:: python\n   :linenos:", "For example::"] {
            let text = format!("{head}\n\n{code}\nAfter it.\n");
            let found = chunk(Format::Rst, &text);
            assert_eq!(found.title, "");
            assert!(found.chunks.iter().any(|chunk| chunk.text.matches("x = 1").count() == 90), "{head}");
        }
    }

    #[test]
    fn rules_tables_and_short_lines_are_no_titles() {
        for text in [
            "A paragraph\nof two lines\n------------\n",
            "====\n",
            "-----\n\nText\n",
            "==  ==\nA   B\n==  ==\n",
        ] {
            assert_eq!(chunk(Format::Rst, text).title, "", "{text:?}");
        }
        assert_eq!(words(Format::Rst, "Set ``limit``."), "Set `limit`.");
    }
}
