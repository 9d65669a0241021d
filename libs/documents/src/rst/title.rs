//! Titles of sections and the lines that adorn them.

use super::line::{Line, numbered, texts};

/// A title and its adornment.
#[derive(Debug, Clone, Copy)]
pub(super) struct Title<'a> {
    /// The line of its text.
    pub(super) text: Line<'a>,
    /// The mark of its adornment, and whether it also stands above.
    pub(super) style: (char, bool),
    /// How many lines it takes.
    pub(super) lines: usize,
}

/// The mark that a whole line repeats.
pub(super) fn adornment(text: &str) -> Option<char> {
    let mark = text.chars().next().filter(char::is_ascii_punctuation)?;
    text.bytes().all(|byte| char::from(byte) == mark).then_some(mark)
}

/// The title that begins at the first line.
pub(super) fn title<'a>(lines: &[Line<'a>]) -> Option<Title<'a>> {
    let first = lines.first().filter(|line| !line.blank())?;
    let second = lines.get(1).filter(|line| !line.blank())?;
    let over = adornment(first.text);
    match over {
        Some(mark) => {
            let under = lines.get(2).filter(|line| adornment(line.text) == Some(mark))?;
            let fits = under.text == first.text && (first.text.len() >= 4 || wide(second.text, first.text));
            let text = Line::new(second.text.trim_start(), second.number);
            fits.then_some(Title { text, style: (mark, true), lines: 3 })
        }
        None => {
            let mark = adornment(second.text)?;
            let fits = first.indent() == 0 && (second.text.len() >= 4 || wide(first.text, second.text));
            fits.then_some(Title { text: *first, style: (mark, false), lines: 2 })
        }
    }
}

/// Whether an adornment is as wide as its title.
fn wide(title: &str, adornment: &str) -> bool {
    title.trim().chars().count() <= adornment.len()
}

/// The first title of another page, as written.
pub(super) fn of_page(path: &str, text: &str) -> Option<String> {
    let head: String = text.split_inclusive('\n').take(200).collect();
    if path.ends_with(".md") {
        return head.lines().find_map(|line| line.strip_prefix("# ")).map(|title| title.trim().to_owned());
    }
    let texts = texts(&head);
    let lines = numbered(&texts);
    let title = (0..lines.len()).find_map(|at| title(lines.get(at..)?))?;
    Some(title.text.text.trim().to_owned())
}
