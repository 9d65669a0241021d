//! Outline of text that was taken from pages: a form feed begins each, and each line may be cut.

use crate::{Cut, Lines, Outline};

/// Stands before the first line of a page.
pub const PAGE_BREAK: char = '\u{c}';

/// Cut marks; the heading of a line is its page.
pub(crate) fn outline(text: &str, lines: &Lines) -> Outline {
    let mut outline = Outline::of(lines);
    let mut page = 0_u32;
    for line in 0..lines.len() {
        if lines.line(text, line).starts_with(PAGE_BREAK) {
            page += 1;
            outline.mark(line, Cut::Section);
            outline.open_section(line, 1, &format!("Page {page}"));
        }
    }
    // A number is no title.
    outline.title.clear();
    outline
}

#[cfg(test)]
mod tests {
    use crate::{Format, chunk};

    #[test]
    fn passages_name_their_page() {
        let filler = "A sentence of a page.\n".repeat(20);
        let text = format!("\u{c}{filler}\u{c}\n\u{c}{filler}");
        let found = chunk(Format::Pdf, &text);
        let places: Vec<_> = found
            .chunks
            .iter()
            .map(|chunk| (chunk.lines.first, chunk.lines.last, chunk.headings.concat()))
            .collect();
        assert_eq!(places, [(1, 20, "Page 1".to_owned()), (22, 41, "Page 3".to_owned())]);
        assert_eq!(found.title, "");
    }
}
