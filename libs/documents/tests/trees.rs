//! Real documentation sets: every block is true to its lines, and shows no markup.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::disallowed_methods)]

use std::collections::{BTreeMap, HashSet};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use assay_documents::{Block, Document, Format, Kind, Style, read};

/// Least share of the words of a tree that stand in the lines of their block. The others are titles of what a reference
/// names, words that a directive or macro shows, and words that entities or styles cut in two.
const LEAST_IN_PLACE: f64 = 0.99;

/// A file that was read.
struct Page {
    tree: String,
    path: String,
    text: String,
    document: Document,
}

/// Every page of every tree, read once; none without the development data.
static PAGES: LazyLock<Option<Vec<Page>>> = LazyLock::new(pages);

fn pages() -> Option<Vec<Page>> {
    let root = std::env::var_os("ASSAY_SHARED")
        .map_or_else(|| PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared")), PathBuf::from)
        .join("data/documents");
    if !root.exists() {
        let line = format!("SKIPPED: there are no documentation sets at {}\n", root.display());
        std::io::stderr().write_all(line.as_bytes()).unwrap();
        return None;
    }
    let mut pages = Vec::new();
    for tree in std::fs::read_dir(&root).unwrap().flatten() {
        let folder = tree.path();
        let mut paths = Vec::new();
        walk(&folder, &mut paths);
        let files = |path: &str| std::fs::read_to_string(folder.join(path)).ok();
        for path in paths {
            let Ok(text) = std::fs::read_to_string(&path) else { continue };
            let path = path.strip_prefix(&folder).unwrap().to_str().unwrap().to_owned();
            let Some(format) = Format::of_file(&path, &text) else { continue };
            if matches!(format, Format::Code(_) | Format::Avap) {
                continue;
            }
            let document = read(format, &path, &text, &files);
            let tree = tree.file_name().to_string_lossy().into_owned();
            pages.push(Page { tree, path, text, document });
        }
    }
    Some(pages)
}

fn walk(folder: &Path, out: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() { walk(&path, out) } else { out.push(path) }
    }
}

/// Words of letters and digits, three characters and more, in lower case.
fn words(text: &str) -> impl Iterator<Item = String> + '_ {
    let split = text.split(|c: char| !c.is_alphanumeric());
    split.filter(|word| word.chars().count() > 2).map(str::to_lowercase)
}

/// The lines of a block as the file has them.
fn raw(page: &Page, block: &Block) -> String {
    let (first, last) = (block.lines.first as usize, block.lines.last as usize);
    page.text.lines().skip(first - 1).take(last + 1 - first).collect::<Vec<_>>().join("\n")
}

#[test]
fn every_block_finds_its_words_in_its_lines() {
    let Some(pages) = &*PAGES else { return };
    let mut trees: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for page in pages {
        let count = page.text.lines().count().max(1);
        for block in page.document.blocks.iter().filter(|block| block.file.is_none()) {
            let lines = block.lines;
            assert!(lines.is_well_formed() && lines.last as usize <= count, "{}: {lines}", page.path);
            // Fonts of a manual page stand before their words.
            let raw = ["\\fB", "\\fI", "\\fR", "\\fP"]
                .iter()
                .fold(raw(page, block), |raw, font| raw.replace(font, " "));
            let there: HashSet<String> = words(&raw).collect();
            let (found, all) = trees.entry(&page.tree).or_default();
            for word in words(&block.text) {
                *all += 1;
                *found += usize::from(there.contains(&word));
            }
        }
    }
    for (tree, (found, all)) in trees {
        let share = found as f64 / all as f64;
        assert!(share >= LEAST_IN_PLACE, "{tree}: {found} of {all} words stand in their lines");
    }
}

/// Marks of a format that a rendered page does not show.
fn markup(format: Format) -> &'static [&'static str] {
    match format {
        Format::Rst => &[".. code-block", ":ref:`", ":doc:`", ":class:`", ".. note::", ":alt:", "::\n"],
        Format::AsciiDoc => &["[cols=", "ifdef::", "include::", "xref:", "[source"],
        Format::Markdown => &["{{<", "{{%", "<div", ":::note", ":::tip", "[!NOTE]", "[!INCLUDE", "<!--"],
        Format::Html => &["<div", "<p>", "&nbsp;", "<!--"],
        Format::Man => &["\\fB", "\\fR", ".SH"],
        _ => &[],
    }
}

#[test]
fn visible_text_holds_no_markup() {
    let Some(pages) = &*PAGES else { return };
    let mut seen = Vec::new();
    for page in pages {
        let format = Format::of_file(&page.path, &page.text).unwrap();
        for block in page.document.blocks.iter().filter(|block| !matches!(block.kind, Kind::Code { .. })) {
            // Pages about a format show its marks as inline code.
            let code = block.spans.iter().filter(|span| span.style == Style::Code);
            let (mut shown, mut from) = (String::new(), 0);
            for range in code.map(|span| &span.range).filter(|range| !range.is_empty()) {
                shown.push_str(block.text.get(from..range.start).unwrap_or(""));
                from = from.max(range.end);
            }
            shown.push_str(block.text.get(from..).unwrap_or(""));
            if let Some(mark) = markup(format).iter().find(|mark| shown.contains(**mark)) {
                seen.push(format!("{}/{}:{}: {mark}: {shown:.120}", page.tree, page.path, block.lines));
            }
        }
    }
    assert_eq!(seen, Vec::<String>::new());
}
