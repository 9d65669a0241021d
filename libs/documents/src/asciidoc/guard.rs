//! Rejects input on which the parser takes more than linear time; such a page is read as plain text.

use std::collections::HashMap;

use crate::anchors;

/// Largest page, and all that one page includes: the parser's time grows with the square of some blocks.
pub(super) const MAX_BYTES: usize = 1 << 20;
/// Largest page with the values of its attributes.
const MAX_EXPANDED: usize = 4 << 20;
/// Longest value of an attribute, as the parser is told.
const MAX_VALUE: usize = 4 << 10;
/// Longest run of lines without a blank one: quotes, links and backticks cost the square of a paragraph.
const MAX_RUN: usize = 32 << 10;
/// Marks of styles in such a run.
const MAX_MARKS: usize = 4_000;
/// Headings with one id: a free number is searched from the first for each.
const MAX_REPEATS: u32 = 500;
/// Callouts of a page: each costs the length of its code.
const MAX_CALLOUTS: usize = 1_000;
/// Attribute lines in a row: all are read again for each.
const MAX_ATTRIBUTES: usize = 40;
/// Lines in which a table may follow its attributes.
const REACH: usize = 20;

/// The text with the same lines: without front matter, byte order mark, lone carriage returns and huge column counts.
pub(super) fn prepared(text: &str, front: usize) -> String {
    let text = text.trim_start_matches('\u{feff}');
    let any = text.contains("separator");
    let lines: Vec<&str> = text.split('\n').collect();
    let mut out = String::with_capacity(text.len());
    let mut table = lines.len() + REACH;
    let mut near = vec![false; lines.len()];
    for (at, line) in lines.iter().enumerate().rev() {
        let line = line.trim_start();
        if line.starts_with("include::") || line.get(1..).is_some_and(|rest| rest.starts_with("===")) {
            table = at;
        }
        if let Some(near) = near.get_mut(at) {
            *near = table - at <= REACH || lines.len() - at <= REACH;
        }
    }
    for (at, (line, near)) in lines.iter().zip(near).enumerate() {
        if at > 0 {
            out.push('\n');
        }
        if at < front {
            continue;
        }
        let line = line.strip_suffix('\r').unwrap_or(line);
        let line = if line.contains('\r') { line.replace('\r', " ") } else { line.to_owned() };
        out.push_str(&columns(&line, near, any));
    }
    out
}

/// A line without counts of columns beyond 999. An attribute could hide one from here, so those of tables go.
fn columns(line: &str, near: bool, any: bool) -> String {
    let attributes = line.trim_start().starts_with('[');
    let attributes_hide = attributes && near && line.contains('{');
    let all = attributes && line.contains("cols");
    if !attributes_hide && !has_long_number(line) {
        return line.to_owned();
    }
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(at) = rest.find(|c: char| c.is_ascii_digit()) {
        let (before, tail) = rest.split_at_checked(at).unwrap_or((rest, ""));
        let end = tail.find(|c: char| !c.is_ascii_digit()).unwrap_or(tail.len());
        let (digits, after) = tail.split_at_checked(end).unwrap_or((tail, ""));
        out.push_str(before);
        let long = digits.len() > 3 && (all || attributes_hide || spans(after, any));
        out.push_str(if long { "999" } else { digits });
        rest = after;
    }
    out.push_str(rest);
    if attributes_hide { out.replace('{', " ") } else { out }
}

fn has_long_number(line: &str) -> bool {
    line.as_bytes().windows(4).any(|four| four.iter().all(u8::is_ascii_digit))
}

/// Whether what follows a number makes it the columns of a table's cell.
fn spans(after: &str, any: bool) -> bool {
    let rest =
        after.strip_prefix('.').map_or(after, |rest| rest.trim_start_matches(|c: char| c.is_ascii_digit()));
    let Some(rest) = rest.strip_prefix('+') else { return false };
    let rest = rest.trim_start_matches(['<', '>', '^', '.']);
    let rest = rest.strip_prefix(|c: char| c.is_ascii_lowercase()).unwrap_or(rest);
    rest.starts_with(['|', '!']) || (any && !rest.is_empty())
}

/// Lengths of the values of attributes, as far as pages were looked at.
pub(super) type Lengths = HashMap<String, usize>;

/// Why the parser must not see a text; none if it may.
pub(super) fn refusal(text: &str, lengths: &mut Lengths) -> Option<&'static str> {
    if text.len() > MAX_BYTES {
        return Some("it is larger than 1 MiB");
    }
    let (mut all, mut run, mut marks, mut attributes, mut callouts) = (0, 0, 0, 0, 0);
    let mut ids: HashMap<String, u32> = HashMap::new();
    for line in text.lines().map(str::trim) {
        let length = expanded(line, lengths);
        all += length;
        (run, marks) = if line.is_empty() { (0, 0) } else { (run + length, marks + styles(line)) };
        attributes = if line.starts_with('[') { attributes + 1 } else { 0 };
        callouts +=
            line.match_indices('<').filter(|(at, _)| is_callout(line.get(at + 1..).unwrap_or(""))).count();
        if all > MAX_EXPANDED {
            return Some("its attributes make it larger than 4 MiB");
        }
        if run > MAX_RUN || marks > MAX_MARKS {
            return Some("more than 32 KiB, or 4,000 marks, come without a blank line");
        }
        if attributes > MAX_ATTRIBUTES || callouts > MAX_CALLOUTS {
            return Some("it has too many attribute lines in a row, or too many callouts");
        }
        if line.starts_with(['=', '#']) {
            let id = anchors::slug(line.trim_start_matches(['=', '#']).trim());
            let repeats = ids.entry(id).or_insert(0);
            *repeats += 1;
            if *repeats > MAX_REPEATS {
                return Some("too many headings have the same words");
            }
        }
    }
    None
}

/// Length of a line with the values of its attributes; one that sets an attribute is kept in mind.
fn expanded(line: &str, lengths: &mut Lengths) -> usize {
    let mut length = line.len();
    for name in line.split('{').skip(1).filter_map(|rest| rest.split_once('}')).map(|(name, _)| name) {
        length += lengths.get(&name.to_lowercase()).copied().unwrap_or(0);
    }
    let entry =
        line.rsplit('|').next().unwrap_or(line).strip_prefix(':').and_then(|rest| rest.split_once(':'));
    if let Some((name, _)) = entry {
        // The longest value of a name counts, and its further lines are taken as long as the first may be.
        let more = if line.ends_with(['\\', '+']) { MAX_VALUE } else { length };
        let longest = lengths.entry(name.to_lowercase()).or_insert(0);
        *longest = (*longest).max(more.min(MAX_VALUE));
    }
    length
}

fn styles(line: &str) -> usize {
    line.bytes()
        .filter(|byte| matches!(byte, b'*' | b'_' | b'`' | b'#' | b'+' | b'^' | b'~' | b'"' | b'\''))
        .count()
}

fn is_callout(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_digit() || c == '.') || text.starts_with("!--")
}
