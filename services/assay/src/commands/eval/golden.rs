//! `assay eval golden`: what a golden file covers, and whether its reference lines are still there.

use std::collections::BTreeMap;
use std::path::Path;

use assay_domain::Failure;
use assay_evaluation::golden;
use assay_proto::evaluation::{GoldenItem, ReferenceLines};
use serde::Serialize;
use sha2::{Digest as _, Sha256};

use super::args::GoldenFile;
use super::folder::pretty;
use crate::batch;
use crate::exit;
use crate::flags::Global;

/// What a golden file covers.
#[derive(Debug, Default, Serialize)]
struct Coverage {
    questions: usize,
    sha256: String,
    answerable: BTreeMap<&'static str, u64>,
    expected_types: BTreeMap<String, u64>,
    languages: BTreeMap<String, u64>,
    categories: BTreeMap<String, u64>,
    constructs: BTreeMap<String, u64>,
    tags: BTreeMap<String, u64>,
    with_turns: usize,
    with_reference: usize,
    with_lines: usize,
    /// Reference lines that are not there or are others now, a sentence each; none without `--pages`.
    #[serde(skip_serializing_if = "Option::is_none")]
    stale: Option<Vec<String>>,
}

/// Looks at a golden file.
///
/// # Errors
/// A file that cannot be read.
pub(super) fn golden(global: &Global, args: &GoldenFile) -> Result<u8, Failure> {
    let (false, Some(path)) = (args.schema, &args.golden) else {
        print!("{}", pretty(&golden::schema())?);
        return Ok(0);
    };
    let items = golden::read(&batch::read(path)?)?;
    let mut coverage = coverage(&items);
    coverage.stale = args.pages.as_deref().map(|pages| stale(pages, &items));
    let failed = coverage.stale.as_ref().is_some_and(|stale| !stale.is_empty());
    if global.json {
        print!("{}", pretty(&coverage)?);
    } else {
        print(&coverage);
    }
    Ok(exit::note(if failed { exit::INVALID } else { 0 }))
}

fn coverage(items: &[GoldenItem]) -> Coverage {
    let mut all = Coverage {
        questions: items.len(),
        sha256: golden::sha256(items.iter()),
        with_turns: items.iter().filter(|item| !item.turns.is_empty()).count(),
        with_reference: items.iter().filter(|item| !item.reference.is_empty()).count(),
        with_lines: items.iter().filter(|item| !item.contexts.is_empty()).count(),
        ..Coverage::default()
    };
    let count = |counts: &mut BTreeMap<String, u64>, name: &str| {
        *counts.entry(if name.is_empty() { "(none)".into() } else { name.to_owned() }).or_default() += 1;
    };
    for item in items {
        let kind = match item.answerable {
            Some(true) => "answerable",
            Some(false) => "unanswerable",
            None => "(none)",
        };
        *all.answerable.entry(kind).or_default() += 1;
        count(&mut all.expected_types, &item.expected_type);
        count(&mut all.languages, &item.language);
        count(&mut all.categories, &item.category);
        item.constructs.iter().for_each(|name| count(&mut all.constructs, name));
        item.tags.iter().for_each(|name| count(&mut all.tags, name));
    }
    all
}

/// What is wrong with reference lines.
fn stale(pages: &Path, items: &[GoldenItem]) -> Vec<String> {
    let mut texts: BTreeMap<&str, Result<String, String>> = BTreeMap::new();
    let mut stale = Vec::new();
    for (item, lines) in items.iter().flat_map(|item| item.contexts.iter().map(move |lines| (item, lines))) {
        let text = texts.entry(&lines.path).or_insert_with(|| {
            std::fs::read_to_string(pages.join(&lines.path)).map_err(|error| error.to_string())
        });
        let wrong = match text {
            Ok(text) => changed(text, lines),
            Err(error) => Some(error.clone()),
        };
        stale.extend(wrong.map(|wrong| {
            format!("{}: {}:{}-{}: {wrong}", item.id, lines.path, lines.first_line, lines.last_line)
        }));
    }
    stale
}

fn changed(text: &str, lines: &ReferenceLines) -> Option<String> {
    let count = text.lines().count();
    if lines.last_line as usize > count {
        return Some(format!("the file has {count} lines"));
    }
    let (skip, take) = (lines.first_line.saturating_sub(1), lines.last_line + 1 - lines.first_line);
    let named: Vec<&str> = text.lines().skip(skip as usize).take(take as usize).collect();
    let found = hex::encode(Sha256::digest(named.join("\n")));
    (!lines.sha256.is_empty() && lines.sha256 != found).then(|| "the lines have changed".into())
}

fn print(coverage: &Coverage) {
    println!("{} questions, SHA-256 {}", coverage.questions, coverage.sha256);
    println!(
        "{} with a reference, {} with lines, {} with earlier turns",
        coverage.with_reference, coverage.with_lines, coverage.with_turns
    );
    let answerable = coverage.answerable.iter().map(|(name, count)| format!("{name} {count}"));
    println!("answerable: {}", answerable.collect::<Vec<_>>().join(", "));
    for (name, counts) in [
        ("expected types", &coverage.expected_types),
        ("languages", &coverage.languages),
        ("categories", &coverage.categories),
        ("constructs", &coverage.constructs),
        ("tags", &coverage.tags),
    ] {
        if !counts.is_empty() {
            let each = counts.iter().map(|(name, count)| format!("{name} {count}"));
            println!("{name}: {}", each.collect::<Vec<_>>().join(", "));
        }
    }
    match coverage.stale.as_deref() {
        None => {}
        Some([]) => println!("every reference line is there"),
        Some(stale) => stale.iter().for_each(|line| println!("{line}")),
    }
}
