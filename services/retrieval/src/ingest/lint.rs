//! Corpus lint: AVAP in documents is parsed before it is indexed. What is wrong is counted, not refused.

use crate::corpus::FileLint;
use assay_documents::{Format, Kind, NoFiles, read};

/// Counts the AVAP blocks of a document and names the first lines of the invalid ones.
pub(super) fn lint(format: Format, path: &str, text: &str) -> FileLint {
    let blocks = match format {
        Format::Avap => vec![(1, text.to_owned())],
        Format::Code(_) => Vec::new(),
        _ if !text.to_ascii_lowercase().contains("avap") => Vec::new(),
        _ => fences(format, path, text),
    };
    let invalid_lines = blocks.iter().filter(|(_, code)| !is_valid(code)).map(|(line, _)| *line).collect();
    FileLint { blocks: u32::try_from(blocks.len()).unwrap_or(u32::MAX), invalid_lines }
}

/// First line of the code and the code of every block that is marked as AVAP.
fn fences(format: Format, path: &str, text: &str) -> Vec<(u32, String)> {
    let blocks = read(format, path, text, &NoFiles).blocks.into_iter();
    let avap = blocks.filter(|block| matches!(&block.kind, Kind::Code { language } if language == "avap"));
    avap.map(|block| (block.line_at(0), block.text)).collect()
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
        let found = lint(Format::Markdown, "a.md", text);
        assert_eq!((found.blocks, found.invalid_lines), (2, vec![14]));
        assert_eq!(lint(Format::Plain, "a.txt", text), FileLint::default());
    }
}
