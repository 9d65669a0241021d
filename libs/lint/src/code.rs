//! `code-invalid`: code of documentation that the parser of its language rejects.

use assay_documents::{Block, Format, Kind};
use assay_domain::LineRange;
use assay_domain::code::{Diagnostic, Severity};
use assay_languages::{AvapOptions, Outcome, canonical, fill, is_language, parse};

use crate::page::Page;
use crate::{File, Finding, Place, Rule};

/// Languages whose blocks are not judged. Shell mixes commands with what they print (14 of 14 findings in the etcd pages
/// were wrong); pieces of Rust stand alone nowhere (11 of 11 in the Rust Reference).
const NOT_JUDGED: [&str; 2] = ["bash", "rust"];

/// An AVAP file that is rejected.
pub(crate) fn invalid_file(file: &File) -> Option<Finding> {
    (Format::of_path(&file.path) == Some(Format::Avap)).then_some(())?;
    let error = error("avap", &file.text)?;
    Some(finding(&file.path, error.line.max(1), "avap", &error))
}

/// The programs of a page that are rejected.
pub(crate) fn invalid(page: &Page<'_>) -> Vec<Finding> {
    let rejected = page.blocks.iter().filter_map(|block| {
        let Kind::Code { language } = &block.kind else { return None };
        // Magic commands of notebooks and callouts of AsciiDoc are no code of the language.
        let magic = |line: &str| line.trim_start().starts_with(['%', '!', '?']);
        let callout = |line: &str| {
            line.trim_end()
                .strip_suffix(')')
                .and_then(|line| line.rsplit_once('('))
                .is_some_and(|(_, number)| number.parse::<u32>().is_ok())
        };
        match page.format {
            Format::Notebook if block.text.lines().any(magic) => return None,
            Format::AsciiDoc if block.text.lines().any(callout) => return None,
            _ => {}
        }
        let error = is_language(language).then(|| rejection(language, &block.text)).flatten()?;
        Some(finding(page.path, line_of(block, error.line), language, &error))
    });
    rejected.collect()
}

/// The line of the file that holds a line of a block of code, counted from 1.
fn line_of(block: &Block, line: u32) -> u32 {
    let at = block.starts.get(line.saturating_sub(1) as usize).or_else(|| block.starts.last());
    at.map_or(block.lines.first, |(_, line)| *line)
}

fn finding(path: &str, line: u32, language: &str, error: &Diagnostic) -> Finding {
    Finding {
        rule: Rule::CodeInvalid,
        place: Place { path: path.to_owned(), lines: LineRange::new(line, line) },
        message: format!("{language}: {} [{}]", error.message, error.code),
        related: Vec::new(),
    }
}

/// The first error of a block; none where it may be a piece of something valid.
fn rejection(language: &str, code: &str) -> Option<Diagnostic> {
    let language = canonical(language);
    if NOT_JUDGED.contains(&&*language) {
        return None;
    }
    error(&language, code)?;
    // Nobody can be sure what a placeholder stands for.
    if fill(&language, code).is_some() {
        return None;
    }
    // What is wrong behind the end is wrong in the last line.
    let last = u32::try_from(code.lines().count()).unwrap_or(u32::MAX).max(1);
    let error = error(&language, &closed(code))?;
    Some(Diagnostic { line: error.line.clamp(1, last), ..error })
}

fn error(language: &str, code: &str) -> Option<Diagnostic> {
    match parse(language, code, &AvapOptions::default(), &|| false) {
        Outcome::Parsed { valid: false, diagnostics } => {
            diagnostics.into_iter().find(|found| found.severity == Severity::Error)
        }
        _ => None,
    }
}

/// A program with the brackets closed that it leaves open: a piece may end anywhere.
fn closed(code: &str) -> String {
    let (mut open, mut quote, mut escaped) = (Vec::new(), false, false);
    for c in code.chars() {
        match c {
            '"' if !escaped => quote = !quote,
            '{' if !quote => open.push('}'),
            '[' if !quote => open.push(']'),
            '}' | ']' if !quote => drop(open.pop()),
            _ => {}
        }
        escaped = c == '\\' && !escaped;
    }
    let kept = if open.is_empty() { code } else { code.trim_end().trim_end_matches(',') };
    kept.chars().chain(['\n']).chain(open.into_iter().rev()).collect()
}
