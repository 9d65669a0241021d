//! Jupyter notebooks: the sources of their cells, where they are in the file as it is stored.
//!
//! A passage is lines of JSON. Outputs and metadata are in no passage unless they are short.

use crate::{Cut, Lines, Outline, Worth, plain};
use std::borrow::Cow;
use tree_sitter::{Node, Parser};

/// Longest gap between the sources of two cells, in bytes, that a passage goes over.
pub(crate) const MAX_GAP_BYTES: usize = 512;

/// Cut marks, heading paths and title; a file without cells is plain text.
pub(crate) fn outline(text: &str, lines: &Lines) -> Outline {
    let mut parser = Parser::new();
    let tree =
        parser.set_language(&tree_sitter_json::LANGUAGE.into()).ok().and_then(|()| parser.parse(text, None));
    let mut outline = Outline { worth: vec![Worth::Out; lines.len()], ..Outline::of(lines) };
    let root = tree.as_ref().and_then(|tree| tree.root_node().named_child(0));
    let cells = root.and_then(|root| value(root, "cells", text));
    let mut before: Option<Node<'_>> = None;
    for cell in cells.iter().flat_map(|cells| children(*cells)) {
        let Some(source) = value(cell, "source", text) else { continue };
        let strings = if source.kind() == "string" { vec![source] } else { children(source) };
        let (Some(first), Some(last)) = (strings.first(), strings.last()) else { continue };
        if let Some(before) = before
            && first.start_byte() - before.end_byte() <= MAX_GAP_BYTES
        {
            fill(&mut outline, before.end_position().row + 1, first.start_position().row, Worth::Bare);
        }
        fill(&mut outline, first.start_position().row, last.end_position().row + 1, Worth::Text);
        outline.mark(first.start_position().row, Cut::Block);
        let is_prose = value(cell, "cell_type", text).is_some_and(|kind| string(kind, text) == "markdown");
        if is_prose {
            headings(&mut outline, &strings, text);
        }
        before = Some(*last);
    }
    if before.is_some() { outline } else { plain::outline(text, lines) }
}

/// Opens the sections of a Markdown cell; a string is a line of it, or all of them.
fn headings(outline: &mut Outline, strings: &[Node<'_>], text: &str) {
    let mut in_fence = false;
    for node in strings {
        let row = node.start_position().row;
        for line in string(*node, text).lines() {
            in_fence ^= line.trim_start().starts_with("```");
            let name = line.trim_start_matches('#');
            let level = line.len() - name.len();
            if !in_fence && (1..=6).contains(&level) && name.starts_with(' ') {
                outline.mark(row, Cut::Section);
                outline.open_section(row, level, name.trim().trim_end_matches('#'));
            }
        }
    }
}

/// Sets what lines are, the last one excluded.
fn fill(outline: &mut Outline, first: usize, end: usize, worth: Worth) {
    for old in outline.worth.iter_mut().take(end).skip(first) {
        *old = worth;
    }
}

/// Value of a key of an object.
fn value<'t>(object: Node<'t>, key: &str, text: &str) -> Option<Node<'t>> {
    children(object)
        .into_iter()
        .find(|pair| pair.child_by_field_name("key").is_some_and(|name| string(name, text) == key))?
        .child_by_field_name("value")
}

fn children(node: Node<'_>) -> Vec<Node<'_>> {
    node.named_children(&mut node.walk()).collect()
}

/// Content of a string; empty for what is none.
fn string(node: Node<'_>, text: &str) -> String {
    text.get(node.byte_range()).and_then(|json| serde_json::from_str(json).ok()).unwrap_or_default()
}

/// Words of the strings in lines of JSON; lines without any are words themselves.
pub(crate) fn words(text: &str) -> Cow<'_, str> {
    let mut out = String::new();
    for line in text.lines() {
        let line = line.trim().trim_start_matches("\"source\":").trim().trim_end_matches(',');
        let values: Vec<serde_json::Value> = serde_json::from_str(&format!("[{line}]")).unwrap_or_default();
        for value in &values {
            let inner = value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice);
            out.extend(inner.iter().filter_map(serde_json::Value::as_str));
        }
    }
    if out.is_empty() { Cow::Borrowed(text) } else { Cow::Owned(out) }
}

#[cfg(test)]
mod tests {
    use crate::{Format, chunk, words};

    fn places(text: &str) -> Vec<(u32, u32, String)> {
        let chunks = chunk(Format::Notebook, text).chunks;
        chunks
            .into_iter()
            .map(|chunk| (chunk.lines.first, chunk.lines.last, chunk.headings.join(" > ")))
            .collect()
    }

    /// A notebook as Jupyter stores it; the second cell has this output.
    fn notebook(output: &str) -> String {
        format!(
            r##"{{
 "cells": [
  {{
   "cell_type": "markdown",
   "metadata": {{}},
   "source": [
    "# Loading \"data\"\n",
    "\n",
    "Rows come first."
   ]
  }},
  {{
   "cell_type": "code",
   "outputs": [{{"data": {{"image/png": "{output}"}}}}],
   "source": [
    "import table\n",
    "table.load(path)"
   ]
  }}
 ],
 "nbformat": 4
}}
"##
        )
    }

    #[test]
    fn short_cells_share_a_passage_over_their_lines() {
        let text = notebook("");
        assert_eq!(chunk(Format::Notebook, &text).title, "Loading \"data\"");
        assert_eq!(places(&text), [(7, 17, "Loading \"data\"".to_owned())]);
        let found = chunk(Format::Notebook, &text).chunks.remove(0);
        assert_eq!(
            words(Format::Notebook, &found.text),
            "# Loading \"data\"\n\nRows come first.import table\ntable.load(path)"
        );
    }

    #[test]
    fn outputs_are_in_no_passage() {
        let heading = "Loading \"data\"".to_owned();
        assert_eq!(places(&notebook(&"iVBOR".repeat(200))), [(7, 9, heading.clone()), (16, 17, heading)]);
    }

    #[test]
    fn a_notebook_stored_as_one_line_is_one_passage() {
        let text = r##"{"cells": [{"cell_type": "markdown", "source": "# Top\n\nWords."}]}"##;
        assert_eq!(places(text), [(1, 1, "Top".to_owned())]);
        assert!(words(Format::Notebook, text).contains("Words."));
    }

    #[test]
    fn headings_inside_fences_are_no_sections() {
        let cell = r###""```\n", "# comment\n", "```\n", "## Use""###;
        let text = format!(r#"{{"cells": [{{"cell_type": "markdown", "source": [{cell}]}}]}}"#);
        assert_eq!(places(&text), [(1, 1, "Use".to_owned())]);
    }

    #[test]
    fn what_is_no_notebook_is_plain_text() {
        assert_eq!(places("{\"cells\": [\n\n]}\n"), [(1, 3, String::new())]);
        assert_eq!(places("not JSON\n"), [(1, 1, String::new())]);
    }
}
