//! Prints the blocks of files as JSON lines: `blocks FOLDER [PATH…]`; paths are below the folder, all files without any.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program for people")]

use std::path::{Path, PathBuf};

use assay_documents::{Block, Format, Kind, Style, read};
use serde_json::{Value, json};

fn main() {
    let mut arguments = std::env::args().skip(1);
    let Some(root) = arguments.next().map(PathBuf::from) else {
        eprintln!("usage: blocks FOLDER [PATH…]");
        std::process::exit(64);
    };
    let mut paths: Vec<String> = arguments.collect();
    if paths.is_empty() {
        walk(&root, &root, &mut paths);
        paths.sort();
    }
    let files = |path: &str| std::fs::read_to_string(root.join(path)).ok();
    for path in paths {
        let Ok(bytes) = std::fs::read(root.join(&path)) else { continue };
        let Ok(text) = String::from_utf8(bytes) else { continue };
        let Some(format) = Format::of_file(&path, &text) else { continue };
        let document = read(format, &path, &text, &files);
        println!(
            "{}",
            json!({"path": path, "title": document.title, "anchors": document.anchors.len(),
            "warnings": document.warnings.iter().map(|w| format!("{}: {:?}: {}", w.line, w.kind, w.message)).collect::<Vec<_>>()})
        );
        for (index, block) in document.blocks.iter().enumerate() {
            let headings = &document.sections[block.section].headings;
            println!("{}", shown(&path, index, block, headings));
        }
    }
}

fn shown(path: &str, index: usize, block: &Block, headings: &[String]) -> Value {
    let (kind, more) = match &block.kind {
        Kind::Heading { level } => ("heading", json!({ "level": level })),
        Kind::Paragraph => ("paragraph", json!({})),
        Kind::Item { depth, number, ticked } => {
            ("item", json!({ "depth": depth, "number": number, "ticked": ticked }))
        }
        Kind::Row { headers, cells, head } => {
            let cells: Vec<Value> =
                cells.iter().map(|cell| json!([cell.column, block.text[cell.text.clone()]])).collect();
            ("row", json!({ "headers": headers.to_vec(), "cells": cells, "head": head }))
        }
        Kind::Code { language } => ("code", json!({ "language": language })),
        Kind::Definition { term } => ("definition", json!({ "term": block.text[term.clone()] })),
        Kind::Admonition { label } => ("admonition", json!({ "label": label })),
        Kind::Caption => ("caption", json!({})),
    };
    let spans: Vec<Value> = block
        .spans
        .iter()
        .map(|span| {
            let style = match &span.style {
                Style::Link(target) => format!("link {target}"),
                Style::Image(target) => format!("image {target}"),
                style => format!("{style:?}").to_lowercase(),
            };
            json!([style, block.text[span.range.clone()]])
        })
        .collect();
    json!({ "path": path, "index": index, "kind": kind, "more": more, "lines": [block.lines.first, block.lines.last],
        "file": block.file.as_deref(), "headings": headings, "group": block.group, "lead": block.lead,
        "text": block.text, "spans": spans })
}

fn walk(root: &Path, folder: &Path, out: &mut Vec<String>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            walk(root, &path, out);
        } else if let Some(name) = path.strip_prefix(root).ok().and_then(Path::to_str) {
            out.push(name.to_owned());
        }
    }
}
