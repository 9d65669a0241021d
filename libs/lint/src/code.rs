//! `code-invalid`: code of documentation that the parser of its language rejects.

use std::collections::HashSet;

use assay_chunk::Format;
use assay_domain::LineRange;
use assay_domain::code::{Diagnostic, Severity};
use assay_languages::{AvapOptions, Fence, Outcome, canonical, fences, fill, parse};

use crate::{File, Finding, Place, Rule};

/// Attributes of rustdoc that say of a block that it need not compile.
const NOT_COMPILED: [&str; 2] = ["compile_fail", "ignore"];

/// What a piece of Rust may be taken from: a function, as rustdoc has it, a structure or a trait.
const AROUND: [&str; 3] = ["fn main() {", "struct S {", "trait T {"];

/// The programs of a file that are rejected.
pub(crate) fn invalid(file: &File) -> Vec<Finding> {
    match Format::of_path(&file.path) {
        Some(Format::Avap) => {
            error("avap", &file.text).map(|error| finding(file, 1, "avap", &error)).into_iter().collect()
        }
        Some(Format::Markdown) => {
            let fences = fences(&file.text, &|| false).unwrap_or_default();
            let judged = fences.iter().filter(|fence| is_judged(&file.text, fence));
            let rejected = judged.filter_map(|fence| {
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

/// Whether the fence does not say itself that its program is wrong.
fn is_judged(text: &str, fence: &Fence) -> bool {
    let info = text.get(fence.byte_start..).and_then(|block| block.lines().next()).unwrap_or_default();
    let words: HashSet<&str> = info.split([' ', ',', '{', '}']).collect();
    !NOT_COMPILED.iter().any(|word| words.contains(word))
}

/// The first error of a block; none where it may be a piece of something valid.
fn rejection(language: &str, code: &str) -> Option<Diagnostic> {
    let language = canonical(language);
    // Such a block mixes commands with what they print, and nothing tells them apart.
    if language == "bash" {
        return None;
    }
    error(&language, code)?;
    // Nobody can be sure what a placeholder stands for.
    if fill(&language, code).is_some() {
        return None;
    }
    // What is wrong behind the end is wrong in the last line.
    let last = u32::try_from(code.lines().count()).unwrap_or(u32::MAX).max(1);
    let placed = |error: Diagnostic, before| Diagnostic {
        line: error.line.saturating_sub(before).clamp(1, last),
        ..error
    };
    if language != "rust" {
        return error(&language, &closed(code)).map(|error| placed(error, 0));
    }
    let code = closed(&uncommented(code));
    let mut errors = AROUND.iter().map(|around| error(&language, &format!("{around}\n{code}}}")));
    let first = errors.next().flatten()?;
    errors.all(|error| error.is_some()).then(|| placed(first, 1))
}

fn error(language: &str, code: &str) -> Option<Diagnostic> {
    match parse(language, code, &AvapOptions::default(), &|| false) {
        Outcome::Parsed { valid: false, diagnostics } => {
            diagnostics.into_iter().find(|found| found.severity == Severity::Error)
        }
        _ => None,
    }
}

/// A program of Rust with the lines that rustdoc compiles and does not show: those behind `# `.
fn uncommented(code: &str) -> String {
    let shown = code.lines().map(|line| match line.trim_start() {
        "#" => "",
        hidden if hidden.starts_with("# ") => &hidden[2..],
        escaped if escaped.starts_with("##") => &escaped[1..],
        _ => line,
    });
    shown.collect::<Vec<_>>().join("\n")
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
