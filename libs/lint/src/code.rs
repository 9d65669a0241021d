//! `code-invalid`: code of documentation that the parser of its language rejects.

use assay_chunk::Format;
use assay_domain::LineRange;
use assay_domain::code::{Diagnostic, Severity};
use assay_languages::{AvapOptions, Outcome, canonical, fences, fill, parse};

use crate::{File, Finding, Place, Rule};

/// Languages whose blocks are not judged. Shell mixes commands with what they print (14 of 14 findings in the etcd pages
/// were wrong); pieces of Rust stand alone nowhere (11 of 11 in the Rust Reference).
const NOT_JUDGED: [&str; 2] = ["bash", "rust"];

/// The programs of a file that are rejected.
pub(crate) fn invalid(file: &File) -> Vec<Finding> {
    match Format::of_path(&file.path) {
        Some(Format::Avap) => {
            error("avap", &file.text).map(|error| finding(file, 1, "avap", &error)).into_iter().collect()
        }
        Some(Format::Markdown) => {
            let fences = fences(&file.text, &|| false).unwrap_or_default();
            let rejected = fences.iter().filter_map(|fence| {
                let language = fence.declared_language()?;
                Some(finding(file, fence.first_line, language, &rejection(language, &fence.code)?))
            });
            rejected.collect()
        }
        _ => Vec::new(),
    }
}

fn finding(file: &File, first: u32, language: &str, error: &Diagnostic) -> Finding {
    let line = first.saturating_add(error.line.saturating_sub(1));
    Finding {
        rule: Rule::CodeInvalid,
        place: Place { path: file.path.clone(), lines: LineRange::new(line, line) },
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
