//! Corpus lint: AVAP in documents is parsed before it is indexed. What is wrong is counted, not refused.

use crate::corpus::FileLint;
use assay_chunk::{Format, Lines};
use pulldown_cmark::{CodeBlockKind, Event, Parser, Tag, TagEnd};

/// Counts the AVAP blocks of a document and names the first lines of the invalid ones.
pub(super) fn lint(format: Format, text: &str) -> FileLint {
    let blocks = match format {
        Format::Avap => vec![(1, text.to_owned())],
        Format::Markdown => fences(text),
        _ => Vec::new(),
    };
    let invalid_lines = blocks.iter().filter(|(_, code)| !is_valid(code)).map(|(line, _)| *line).collect();
    FileLint { blocks: u32::try_from(blocks.len()).unwrap_or(u32::MAX), invalid_lines }
}

/// First line of the code and the code of every fence that is marked as AVAP.
fn fences(text: &str) -> Vec<(u32, String)> {
    let lines = Lines::of(text);
    let mut out = Vec::new();
    let mut open: Option<(u32, String)> = None;
    for (event, span) in Parser::new(text).into_offset_iter() {
        match event {
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info))) => {
                let language = info.split([' ', ',', '{']).next().unwrap_or("");
                if language.eq_ignore_ascii_case("avap") {
                    let line = u32::try_from(lines.line_of(span.start) + 2).unwrap_or(u32::MAX);
                    open = Some((line, String::new()));
                }
            }
            Event::Text(piece) => {
                if let Some((_, code)) = &mut open {
                    code.push_str(&piece);
                }
            }
            Event::End(TagEnd::CodeBlock) => out.extend(open.take()),
            _ => {}
        }
    }
    out
}

fn is_valid(code: &str) -> bool {
    assay_avap::parse(code, &assay_avap::Options::default()).valid
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_avap_blocks_are_parsed_and_invalid_ones_are_named() {
        let text = "# T\n\n```avap\naddVar(x, 1)\n```\n\n```python\nx = [\n```\n\n- item\n\n  ```avap title=\"a\"\n  if (\n  ```\n";
        let found = lint(Format::Markdown, text);
        assert_eq!((found.blocks, found.invalid_lines), (2, vec![14]));
        assert_eq!(lint(Format::Plain, text), FileLint::default());
    }
}
