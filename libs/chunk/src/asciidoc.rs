//! Outline of AsciiDoc: titles of one line, delimited blocks of code and tables, paragraphs.

use crate::{Cut, Lines, Outline, plain};

/// Cut marks, heading paths and title.
pub(crate) fn outline(text: &str, lines: &Lines) -> Outline {
    let mut outline = plain::outline(text, lines);
    let mut index = 0;
    while index < lines.len() {
        let line = lines.line(text, index).trim_end();
        if is_verbatim(line)
            && let Some(end) = (index + 1..lines.len()).find(|end| lines.line(text, *end).trim_end() == line)
        {
            outline.keep_whole(index, end);
            index = end;
        } else if let Some((level, name)) = title(line) {
            outline.mark(index, Cut::Section);
            outline.open_section(index, level, name);
        }
        index += 1;
    }
    outline
}

/// Level and name of a section title.
fn title(line: &str) -> Option<(usize, &str)> {
    let name = line.trim_start_matches('=');
    let level = line.len() - name.len();
    let name = name.strip_prefix(' ')?.trim();
    ((1..=6).contains(&level) && !name.is_empty()).then_some((level, name))
}

/// Whether a line opens a block whose lines are taken as they are: a listing, a literal, a comment, a pass, a table.
fn is_verbatim(line: &str) -> bool {
    let repeats = |of: char| line.len() >= 4 && line.chars().all(|c| c == of);
    ['-', '.', '/', '+'].into_iter().any(repeats) || line == "|===" || line == "```"
}

#[cfg(test)]
mod tests {
    use crate::{Format, chunk};

    #[test]
    fn titles_make_sections() {
        let filler = "many words of a page ".repeat(20);
        let text =
            format!("= Guide\n:toc:\n\n{filler}\n\n== Install\n\n{filler}\n\n=== On Linux\n{filler}\n");
        let found = chunk(Format::AsciiDoc, &text);
        assert_eq!(found.title, "Guide");
        let places: Vec<_> = found
            .chunks
            .iter()
            .map(|chunk| (chunk.lines.first, chunk.lines.last, chunk.headings.join(" > ")))
            .collect();
        assert_eq!(
            places,
            [
                (1, 4, "Guide".to_owned()),
                (6, 8, "Guide > Install".to_owned()),
                (10, 11, "Guide > Install > On Linux".to_owned()),
            ]
        );
    }

    #[test]
    fn a_listing_is_never_split_and_holds_no_title() {
        let code = "x = 1\n\n== no title\n\n".repeat(90);
        for delimiter in ["----", "....", "|===", "```"] {
            let text = format!("[source,ruby]\n{delimiter}\n{code}{delimiter}\n\nAfter it.\n");
            let found = chunk(Format::AsciiDoc, &text);
            assert_eq!(found.title, "", "{delimiter}");
            assert!(
                found.chunks.iter().any(|chunk| chunk.text.matches("x = 1").count() == 90),
                "{delimiter}"
            );
        }
        assert_eq!(chunk(Format::AsciiDoc, "----\n== Open block\n").title, "Open block");
    }
}
