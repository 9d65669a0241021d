//! Notebooks, as a reader sees them.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use assay_documents::{Block, Format, Kind, NoFiles, read, read_part};

fn blocks(text: &str) -> Vec<Block> {
    read(Format::Notebook, "book.ipynb", text, &NoFiles).blocks
}

fn shown(text: &str) -> Vec<(u32, u32, String)> {
    blocks(text).into_iter().map(|block| (block.lines.first, block.lines.last, block.text)).collect()
}

const BOOK: &str = r##"{
 "cells": [
  {
   "cell_type": "markdown",
   "metadata": {"tags": ["hidden"]},
   "source": [
    "# Loading \"data\"\n",
    "\n",
    "Rows **come**\n",
    "first:"
   ]
  },
  {
   "cell_type": "code",
   "outputs": [{"data": {"image/png": "iVBOR", "text/plain": ["\u001b[31m7\u001b[0m"]}}, {"text": "one\ntwo\n"}],
   "source": [
    "import table\n",
    "\n",
    "table.load(path)"
   ]
  },
  {"cell_type": "raw", "source": "raw"}
 ],
 "metadata": {"kernelspec": {"name": "k", "language": "Python"}}
}
"##;

#[test]
fn cells_are_blocks_at_their_lines() {
    let found = blocks(BOOK);
    let lines: Vec<(u32, u32, &str)> =
        found.iter().map(|block| (block.lines.first, block.lines.last, block.text.as_str())).collect();
    assert_eq!(
        lines,
        [
            (7, 7, "Loading \"data\""),
            (9, 10, "Rows come first:"),
            (17, 19, "import table\n\ntable.load(path)"),
            (15, 15, "7"),
            (15, 15, "one\ntwo"),
        ]
    );
    assert_eq!(found[1].starts, [(0, 9), (10, 10)]);
    assert_eq!(found[2].kind, Kind::Code { language: "python".into() });
    assert_eq!(
        (found[2].lead, found[3].lead, &found[3].kind),
        (Some(1), Some(2), &Kind::Code { language: String::new() })
    );
}

#[test]
fn a_notebook_on_one_line_is_read() {
    let text = r##"{"cells":[{"source":"# Top\n\nWords.","cell_type":"markdown"}]}"##;
    assert_eq!(shown(text), [(1, 1, "Top".into()), (1, 1, "Words.".into())]);
}

#[test]
fn long_outputs_are_left_out() {
    let text = format!(
        r#"{{"cells":[{{"cell_type":"code","source":"x","outputs":[{{"text":"{}"}}]}}]}}"#,
        "a\\n".repeat(30)
    );
    assert_eq!(shown(&text), [(1, 1, "x".into())]);
}

#[test]
fn what_is_no_notebook_is_running_text() {
    assert_eq!(shown("not JSON\n"), [(1, 1, "not JSON".into())]);
}

#[test]
fn lines_of_a_notebook_are_read_as_cells() {
    let part: String = BOOK.lines().skip(6).take(13).map(|line| format!("{line}\n")).collect();
    let found = read_part(Format::Notebook, &part).blocks;
    let lines: Vec<(u32, &str)> =
        found.iter().map(|block| (block.lines.first, block.text.as_str())).collect();
    assert_eq!(
        lines,
        [(1, "Loading \"data\""), (3, "Rows come first:"), (11, "import table\n\ntable.load(path)")]
    );
}

#[test]
fn hostile_notebooks_end() {
    for text in [
        "[".repeat(100_000),
        format!("{{\"cells\":[{}{{\"source\":\"x\",\"cell_type\":\"code\"}}]}}", ",".repeat(100_000)),
        format!(
            "{{\"cells\":[{{\"cell_type\":\"markdown\",\"source\":[{}\"x\"]}}]}}",
            "\"\\n\",".repeat(20_000)
        ),
        "{\"cells\":[{\"source\":\"\\".to_owned(),
        "\"é\\é\"\0".repeat(1000),
    ] {
        for block in blocks(&text) {
            assert!(block.lines.first == 1 && block.lines.last == 1);
        }
    }
}
