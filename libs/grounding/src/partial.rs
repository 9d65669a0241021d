//! What remains of a rejected answer: the sentences whose own checks passed, as well-formed Markdown.

use crate::claims::Unit;
use crate::document::LeafKind;
use crate::reading::Parsed;
use assay_domain::code::BlockStatus;
use assay_domain::report::{Claim, ClaimKind, ClaimStatus, Report};
use std::collections::BTreeSet;

/// The passing sentences in order. Headings and lead-ins stay only where something passing follows them.
pub(crate) fn partial(parsed: &Parsed, report: &Report) -> String {
    let text = &*parsed.document.text;
    let checked = Checked::new(parsed, report);
    let mut out: Vec<(String, bool)> = Vec::new();
    // Blocks that only introduce; written once something follows.
    let mut waiting: Vec<String> = Vec::new();
    // The table that was read last.
    let mut read = None;
    let mut next = 0;
    for (index, leaf) in parsed.document.leaves.iter().enumerate() {
        // Units lie in the order of their leaves.
        let first = next;
        while parsed.units.get(next).is_some_and(|unit| unit.leaf <= index) {
            next += 1;
        }
        let units: Vec<usize> = (first..next).filter(|unit| parsed.units[*unit].leaf == index).collect();
        match &leaf.kind {
            // No reader is told what stands beside a text that is not kept.
            LeafKind::Aside => {}
            LeafKind::Heading if !units.iter().all(|unit| checked.states_nothing_wrong(*unit)) => {}
            LeafKind::Heading => {
                let line = text[leaf.range.clone()].trim();
                let level = level(line);
                // Headings above this one wait on; lead-ins have led to nothing.
                waiting.retain(|kept| (1..level).contains(&heading_level(kept)));
                waiting.push(format!("{} {}", "#".repeat(level), plain_heading(line)));
            }
            LeafKind::Code { language, code, .. } => {
                if checked.programs.contains(&leaf.range.start) {
                    let fence = "`".repeat(longest_run(code).max(2) + 1);
                    let language: String = language.chars().filter(|c| names_language(*c)).collect();
                    let body = code.trim_end_matches('\n');
                    flush(&mut waiting, &mut out);
                    out.push((format!("{fence}{language}\n{body}\n{fence}"), false));
                }
            }
            LeafKind::Cell { table, .. } => {
                if read != Some(*table) {
                    read = Some(*table);
                    if let Some(rows) = rows(&checked, index, *table) {
                        flush(&mut waiting, &mut out);
                        out.push((rows, false));
                    }
                }
            }
            LeafKind::Paragraph | LeafKind::Item => {
                let kept = sentences(&checked, &units);
                if !kept.is_empty() {
                    let item = leaf.list_depth > 0;
                    if !item {
                        // A lead-in leads to a list, a table or a program; what it led to is gone.
                        waiting.retain(|kept| heading_level(kept) > 0);
                    }
                    flush(&mut waiting, &mut out);
                    let indent = "  ".repeat(leaf.list_depth.saturating_sub(1));
                    out.push((if item { format!("{indent}- {kept}") } else { kept }, item));
                } else if let Some(unit) = units.last().map(|unit| &parsed.units[*unit])
                    && unit.text.ends_with(':')
                    && unit.kind == ClaimKind::Meta
                {
                    // What an earlier one led to is gone.
                    waiting.retain(|kept| heading_level(kept) > 0);
                    waiting.push(escape(&unit.text));
                }
            }
        }
    }
    join(&out)
}

/// What a report says of the places of an answer, ready to be asked again and again.
struct Checked<'a> {
    parsed: &'a Parsed,
    report: &'a Report,
    /// Where errors begin, in order, and the furthest that one of them up to there ends.
    faults: Vec<(usize, usize)>,
    /// Where programs begin that their parser accepts.
    programs: BTreeSet<usize>,
}

impl<'a> Checked<'a> {
    fn new(parsed: &'a Parsed, report: &'a Report) -> Self {
        let spans = report.errors.iter().filter_map(|error| error.span);
        let mut faults: Vec<(usize, usize)> = spans.map(|span| (span.byte_start, span.byte_end)).collect();
        faults.sort_unstable();
        let mut furthest = 0;
        for (_, end) in &mut faults {
            furthest = furthest.max(*end);
            *end = furthest;
        }
        let valid = report.blocks.iter().filter(|block| block.status == BlockStatus::Valid);
        Self { parsed, report, faults, programs: valid.map(|block| block.block.byte_start).collect() }
    }

    /// Whether an error stands in a claim.
    fn faulty(&self, claim: &Claim) -> bool {
        let before = self.faults.partition_point(|(start, _)| *start < claim.span.byte_end);
        before.checked_sub(1).is_some_and(|last| self.faults[last].1 > claim.span.byte_start)
    }

    /// Whether a label states nothing, or passes.
    fn states_nothing_wrong(&self, unit: usize) -> bool {
        let claim = self.report.claims.get(unit);
        claim.is_some_and(|claim| claim.kind == ClaimKind::Meta && !self.faulty(claim) || self.passes(claim))
    }

    /// Whether nothing is wrong with a sentence: a supported claim whose citations hold, or an honest refusal.
    fn passes(&self, claim: &Claim) -> bool {
        let sound = claim
            .citations
            .iter()
            .filter_map(|index| self.report.citations.get(usize::try_from(*index).ok()?))
            .all(|citation| citation.in_range);
        match claim.kind {
            ClaimKind::Factual => claim.status == ClaimStatus::Supported && sound && !self.faulty(claim),
            ClaimKind::Refusal => sound && !self.faulty(claim),
            _ => false,
        }
    }
}

/// The rows of a table, whose first cell is given, where their own cells passed, under its head; none if no row did.
fn rows(checked: &Checked<'_>, first: usize, table: usize) -> Option<String> {
    let Checked { parsed, report, .. } = checked;
    let mut lines: Vec<(usize, Vec<String>, bool)> = Vec::new();
    // Rows that state something, in order.
    let mut states: Vec<usize> = Vec::new();
    let mut next = parsed.units.partition_point(|unit| unit.leaf < first);
    for (index, leaf) in parsed.document.leaves.iter().enumerate().skip(first) {
        let LeafKind::Cell { table: of, row } = leaf.kind else { break };
        if of != table {
            break;
        }
        if lines.last().is_none_or(|(last, ..)| *last != row) {
            lines.push((row, Vec::new(), true));
        }
        let Some((_, cells, sound)) = lines.last_mut() else { continue };
        let unit = next;
        while parsed.units.get(next).is_some_and(|unit| unit.leaf <= index) {
            let factual = |claim: &Claim| claim.kind == ClaimKind::Factual;
            if report.claims.get(next).is_some_and(factual) && states.last() != Some(&row) {
                states.push(row);
            }
            next += 1;
        }
        let cell = (next > unit).then(|| report.claims.get(unit)).flatten();
        match cell {
            // Labels, and the head where no marker stands in it.
            None => {
                cells.push(escape_cell(&leaf.runs.iter().map(|run| run.text.as_str()).collect::<String>()))
            }
            Some(claim) if claim.kind == ClaimKind::Factual || claim.kind == ClaimKind::Refusal => {
                *sound &= checked.passes(claim);
                cells.push(cell_text(checked, unit));
            }
            Some(claim) => {
                *sound &= !checked.faulty(claim);
                cells.push(cell_text(checked, unit));
            }
        }
    }
    let states = |row: usize| states.binary_search(&row).is_ok();
    let (head, body) = lines.split_first()?;
    let kept: Vec<&(usize, Vec<String>, bool)> =
        body.iter().filter(|(row, _, sound)| *sound && states(*row)).collect();
    if kept.is_empty() {
        return None;
    }
    let line = |cells: &[String]| format!("| {} |", cells.join(" | "));
    let labels = if head.2 { head.1.clone() } else { vec![String::new(); head.1.len()] };
    let mut out = vec![line(&labels), format!("|{}", "---|".repeat(labels.len()))];
    out.extend(kept.iter().map(|(_, cells, _)| line(cells)));
    Some(out.join("\n"))
}

fn cell_text(checked: &Checked<'_>, unit: usize) -> String {
    let Some(claim) = checked.report.claims.get(unit) else { return String::new() };
    with_marks(words(&checked.parsed.units[unit]), claim, checked.report).replace('|', "\\|")
}

fn escape_cell(text: &str) -> String {
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    escape(&words).trim_start_matches('\\').replace('|', "\\|")
}

/// What may stand in the name of a language behind a fence.
fn names_language(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '+' | '#' | '.' | '-')
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
fn sentences(checked: &Checked<'_>, units: &[usize]) -> String {
    let mut kept: Vec<String> = Vec::new();
    for unit in units {
        let Some(claim) = checked.report.claims.get(*unit) else { continue };
        if !checked.passes(claim) {
            continue;
        }
        let sentence = with_marks(words(&checked.parsed.units[*unit]), claim, checked.report);
        kept.push(sentence);
    }
    kept.join(" ")
}

/// The words of a claim as Markdown. Where backticks stand among the words themselves nothing tells code apart.
fn words(unit: &Unit) -> String {
    if unit.text.contains('`') { escape(&unit.text) } else { escape_marked(&unit.marked_up) }
}

/// A sentence with the markers of its claim that hold, before its closing punctuation.
fn with_marks(mut sentence: String, claim: &Claim, report: &Report) -> String {
    let (mut marks, mut seen) = (String::new(), BTreeSet::new());
    for citation in
        claim.citations.iter().filter_map(|index| report.citations.get(usize::try_from(*index).ok()?))
    {
        if citation.in_range && seen.insert(citation.text.as_str()) {
            marks.push(' ');
            marks.push_str(&citation.text);
        }
    }
    let end = sentence.trim_end_matches(['.', '!', '?', ':', ';']).len();
    sentence.insert_str(end, &marks);
    sentence
}

/// Level of a heading as written; 2 for one that is underlined.
fn level(line: &str) -> usize {
    match line.bytes().take_while(|b| *b == b'#').count() {
        0 => 2,
        marks => marks.min(6),
    }
}

/// Level of a heading that waits; 0 for a lead-in, whose marks are escaped.
fn heading_level(waiting: &str) -> usize {
    waiting.bytes().take_while(|b| *b == b'#').count()
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
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    // "2. Close the file.": the mark of a list, if it were not escaped.
    let enumerator = (1..=9).contains(&digits) && text[digits..].starts_with(['.', ')']);
    for (at, c) in text.char_indices() {
        let leading = at == 0 && matches!(c, '#' | '>' | '-' | '+' | '|' | '=' | '~');
        let mark = enumerator && at == digits;
        if leading || mark || matches!(c, '\\' | '*' | '_' | '[' | ']' | '<' | '`' | '&' | '~') {
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
