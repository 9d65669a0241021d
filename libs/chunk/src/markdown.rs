//! Outline of a Markdown file: sections, blocks, and what must not be cut.

use crate::{Cut, Lines, Outline, Worth, front_matter};
use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd};

/// Cut marks, heading paths and title of a Markdown file.
pub(crate) fn outline(text: &str, lines: &Lines) -> Outline {
    let front = front_matter::read(text, lines);
    let mut outline = Outline {
        title: front.title,
        tags: front.tags,
        worth: vec![Worth::Out; front.lines],
        ..Outline::of(lines)
    };
    let mut heading: Option<(usize, HeadingLevel, String)> = None;
    let mut depth = 0_usize;
    // The parser sees the text behind the front matter, which it would take for a ruler and a heading.
    let offset = front_end(text, front.lines);
    let options = Options::ENABLE_TABLES | Options::ENABLE_FOOTNOTES | Options::ENABLE_STRIKETHROUGH;
    let body = text.get(offset..).unwrap_or("");
    for (event, span) in Parser::new_ext(body, options).into_offset_iter() {
        let first = lines.line_of(offset + span.start);
        match event {
            Event::Start(tag) => {
                outline.mark(first, if depth == 0 { Cut::Block } else { inner(&tag) });
                let last = lines.line_of(offset + span.end.saturating_sub(1).max(span.start));
                match &tag {
                    // Blocks that must stay whole.
                    Tag::CodeBlock(_) | Tag::Table(_) => outline.keep_whole(first, last),
                    Tag::Heading { level, .. } if depth == 0 => {
                        outline.mark(first, Cut::Section);
                        // The underline of a heading stays with it.
                        outline.keep_whole(first, last);
                        heading = Some((first, *level, String::new()));
                    }
                    _ => {}
                }
                depth += 1;
            }
            Event::End(end) => {
                depth = depth.saturating_sub(1);
                if let (TagEnd::Heading(_), 0, Some((line, level, name))) =
                    (end, depth, heading.take_if(|_| depth == 0))
                {
                    outline.open_section(line, level as usize, &name);
                }
            }
            Event::Text(piece) | Event::Code(piece) => {
                if let Some((_, _, name)) = &mut heading {
                    name.push_str(&piece);
                }
            }
            Event::SoftBreak | Event::HardBreak => {
                if let Some((_, _, name)) = &mut heading {
                    name.push(' ');
                }
            }
            Event::Rule if depth == 0 => outline.mark(first, Cut::Block),
            _ => {}
        }
    }
    outline
}

/// Quality of a cut before an inner block.
fn inner(tag: &Tag<'_>) -> Cut {
    match tag {
        Tag::Item | Tag::CodeBlock(_) | Tag::Table(_) | Tag::List(_) | Tag::BlockQuote(_) => Cut::Inner,
        _ => Cut::Line,
    }
}

/// Byte behind the first `count` lines.
pub(crate) fn front_end(text: &str, count: usize) -> usize {
    text.split_inclusive('\n').take(count).map(str::len).sum()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use crate::{Format, chunk};

    fn chunks(text: &str) -> Vec<(u32, u32, Vec<String>)> {
        chunk(Format::Markdown, text)
            .chunks
            .into_iter()
            .map(|chunk| (chunk.lines.first, chunk.lines.last, chunk.headings))
            .collect()
    }

    fn words(count: usize) -> String {
        vec!["words"; count].join(" ")
    }

    #[test]
    fn sections_become_passages_with_their_heading_path() {
        let text = format!("# Top\n\n{0}\n\n## One\n\n{0}\n\n## Two\n\n{0}\n", words(60));
        assert_eq!(
            chunks(&text),
            [
                (1, 3, vec!["Top".to_owned()]),
                (5, 7, vec!["Top".into(), "One".into()]),
                (9, 11, vec!["Top".into(), "Two".into()]),
            ]
        );
    }

    #[test]
    fn a_bare_title_joins_the_section_below_it() {
        let text = format!("# Top\n\n## One\n\n{}\n", words(60));
        assert_eq!(chunks(&text), [(1, 5, vec!["Top".to_owned(), "One".to_owned()])]);
    }

    #[test]
    fn a_fence_is_never_split_and_stays_with_its_introduction() {
        let code = vec!["x = 1"; 400].join("\n");
        let text =
            format!("# A\n\n{}\n\nFor example:\n\n```avap\n{code}\n\n{code}\n```\n\nAfter.\n", words(150));
        let found = chunk(Format::Markdown, &text).chunks;
        let fence = found.iter().find(|chunk| chunk.text.contains("```avap")).unwrap();
        assert_eq!(fence.text.matches("```").count(), 2);
    }

    #[test]
    fn headings_inside_fences_and_quotes_are_no_sections() {
        let text = "# Top\n\n```\n# not a heading\n```\n\n> # quoted\n\nEnd.\n";
        assert_eq!(chunks(text), [(1, 9, vec!["Top".to_owned()])]);
    }

    #[test]
    fn a_long_list_is_cut_between_items() {
        let text = (0..60).map(|n| format!("- item {n} {}\n  continued\n", words(8))).collect::<String>();
        let found = chunk(Format::Markdown, &text).chunks;
        assert!(found.len() > 1);
        assert!(found.iter().all(|chunk| chunk.text.starts_with("- item")));
    }

    #[test]
    fn front_matter_gives_the_title_and_is_no_passage() {
        let text = "---\ntitle: Data model\nsort_rank: 2\n---\n\nEvery time series is named.\n";
        let found = chunk(Format::Markdown, text);
        assert_eq!(found.title, "Data model");
        assert_eq!(found.chunks.len(), 1);
        assert_eq!(found.chunks[0].lines.first, 6);
    }
}
