//! What remains of a rejected answer: the sentences whose own checks passed, as well-formed Markdown.

use crate::document::LeafKind;
use crate::reading::Parsed;
use assay_domain::code::BlockStatus;
use assay_domain::report::{Claim, ClaimKind, ClaimStatus, Report};

/// The passing sentences in order. Headings and lead-ins stay only where something passing follows them.
pub(crate) fn partial(parsed: &Parsed<'_>, report: &Report) -> String {
    let text = parsed.document.text;
    let mut out: Vec<(String, bool)> = Vec::new();
    // Blocks that only introduce; written once something follows.
    let mut waiting: Vec<String> = Vec::new();
    for (index, leaf) in parsed.document.leaves.iter().enumerate() {
        let units: Vec<usize> =
            (0..parsed.units.len()).filter(|unit| parsed.units[*unit].leaf == index).collect();
        match &leaf.kind {
            LeafKind::Heading => {
                let line = text[leaf.range.clone()].trim();
                waiting.retain(|kept| !kept.starts_with('#'));
                waiting.push(format!("{} {}", "#".repeat(level(line)), plain_heading(line)));
            }
            LeafKind::Code { language, code, .. } => {
                let valid = report.blocks.iter().any(|block| {
                    block.block.byte_start == leaf.range.start && block.status == BlockStatus::Valid
                });
                if valid {
                    let fence = "`".repeat(longest_run(code).max(2) + 1);
                    let body = code.trim_end_matches('\n');
                    flush(&mut waiting, &mut out);
                    out.push((format!("{fence}{language}\n{body}\n{fence}"), false));
                }
            }
            LeafKind::Cell { .. } => {
                let kept = sentences(parsed, report, &units);
                if !kept.is_empty() {
                    flush(&mut waiting, &mut out);
                    out.push((format!("- {kept}"), true));
                }
            }
            LeafKind::Paragraph | LeafKind::Item => {
                let kept = sentences(parsed, report, &units);
                if !kept.is_empty() {
                    flush(&mut waiting, &mut out);
                    let item = leaf.list_depth > 0;
                    let indent = "  ".repeat(leaf.list_depth.saturating_sub(1));
                    out.push((if item { format!("{indent}- {kept}") } else { kept }, item));
                } else if let Some(unit) = units.last().map(|unit| &parsed.units[*unit])
                    && unit.text.ends_with(':')
                    && unit.kind == ClaimKind::Meta
                {
                    waiting.push(escape(&unit.text));
                }
            }
        }
    }
    join(&out)
}

fn flush(waiting: &mut Vec<String>, out: &mut Vec<(String, bool)>) {
    out.extend(waiting.drain(..).map(|line| (line, false)));
}

/// Blocks with an empty line between them; list items follow one another directly.
fn join(blocks: &[(String, bool)]) -> String {
    let mut text = String::new();
    let mut item_before = false;
    for (block, item) in blocks {
        if !text.is_empty() {
            text.push_str(if *item && item_before { "\n" } else { "\n\n" });
        }
        text.push_str(block);
        item_before = *item;
    }
    text
}

/// Passing sentences of a block in one line, with the markers that hold.
fn sentences(parsed: &Parsed<'_>, report: &Report, units: &[usize]) -> String {
    let mut kept: Vec<String> = Vec::new();
    for unit in units {
        let Some(claim) = report.claims.get(*unit) else { continue };
        if !passes(claim, report) {
            continue;
        }
        let mut sentence = escape_marked(&parsed.units[*unit].marked_up);
        let mut marks = String::new();
        for citation in
            claim.citations.iter().filter_map(|index| report.citations.get(usize::try_from(*index).ok()?))
        {
            if citation.in_range && !marks.contains(&citation.text) {
                marks.push(' ');
                marks.push_str(&citation.text);
            }
        }
        let end = sentence.trim_end_matches(['.', '!', '?', ':', ';']).len();
        sentence.insert_str(end, &marks);
        kept.push(sentence);
    }
    kept.join(" ")
}

/// Whether nothing is wrong with a sentence: a supported claim whose citations hold, or an honest refusal.
fn passes(claim: &Claim, report: &Report) -> bool {
    let sound = claim
        .citations
        .iter()
        .filter_map(|index| report.citations.get(usize::try_from(*index).ok()?))
        .all(|citation| citation.in_range);
    let inside = |start: usize, end: usize| start < claim.span.byte_end && end > claim.span.byte_start;
    let faulty = report.errors.iter().any(|error| {
        error.kind != "citation_coverage"
            && error.span.is_some_and(|span| inside(span.byte_start, span.byte_end))
    });
    match claim.kind {
        ClaimKind::Factual => claim.status == ClaimStatus::Supported && sound && !faulty,
        ClaimKind::Refusal => !faulty,
        _ => false,
    }
}

/// Level of a heading as written; 2 for one that is underlined.
fn level(line: &str) -> usize {
    match line.bytes().take_while(|b| *b == b'#').count() {
        0 => 2,
        marks => marks.min(6),
    }
}

fn plain_heading(line: &str) -> String {
    let first = line.lines().next().unwrap_or_default();
    escape(first.trim_matches(['#', ' ']))
}

fn longest_run(code: &str) -> usize {
    code.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}

/// Text in which nothing is markup.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 4);
    for (at, c) in text.chars().enumerate() {
        let leading = at == 0 && matches!(c, '#' | '>' | '-' | '+' | '|' | '=' | '~');
        if leading || matches!(c, '\\' | '*' | '_' | '[' | ']' | '<' | '`') {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

/// The same, inline code between backticks kept.
fn escape_marked(text: &str) -> String {
    let parts: Vec<&str> = text.split('`').collect();
    if parts.len().is_multiple_of(2) {
        return escape(text);
    }
    let mut out = String::with_capacity(text.len() + 4);
    for (at, part) in parts.iter().enumerate() {
        if at % 2 == 1 {
            out.push('`');
            out.push_str(part);
            out.push('`');
        } else if at == 0 {
            out.push_str(&escape(part));
        } else {
            // Not at the start of the block: only inline markup matters.
            out.push_str(&escape(&format!("x{part}"))[1..]);
        }
    }
    out
}
