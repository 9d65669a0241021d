//! Scans the citation markers of an answer and their defects; total and linear.
//!
//! A marker is `[^N]`, narrowed to lines as `[^N:14]` or `[^N:14-18]`. Scanning follows CommonMark: code, HTML, link
//! addresses, image texts and footnote definition lines hold no marker.

use crate::document::Document;
use assay_domain::evidence::LineRange;
use assay_domain::report::{Citation, CitationOrigin, Defect, DefectKind, Resolution};
use assay_text::Offsets;
use std::ops::Range;

/// Result of a scan.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Scan {
    /// Markers with a number, in text order, out-of-range ones included; not yet bound to claims.
    pub citations: Vec<Citation>,
    /// Defects of form, in text order.
    pub defects: Vec<Defect>,
}

/// Scans an answer that has `sources` sources.
#[must_use]
pub fn scan(answer: &str, sources: usize) -> Scan {
    let document = Document::parse(answer);
    let offsets = Offsets::new(answer);
    resolve(&document, &offsets, &marks(&document), sources)
}

/// A marker, well-formed or not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Mark {
    /// Bytes in the answer, brackets included.
    pub(crate) range: Range<usize>,
    /// Number and lines, or the name of the defect.
    pub(crate) body: Result<(u32, Option<LineRange>), &'static str>,
}

/// Markers, well-formed or not, in text order.
pub(crate) fn marks(document: &Document) -> Vec<Mark> {
    let text = &*document.text;
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut behind = 0;
    for open in &document.open {
        let mut at = open.start.max(behind);
        while let Some(step) = text.get(at..open.end).and_then(|rest| rest.find('[')) {
            at += step;
            let start = at;
            at += 1;
            if bytes.get(at) != Some(&b'^') || escaped(bytes, start) || document.in_definition(start) {
                continue;
            }
            let Some(end) = closing(document, at + 1) else { continue };
            if let Some(body) = read(&text[at + 1..end]) {
                found.push(Mark { range: start..end + 1, body });
                at = end + 1;
                behind = at;
                if at >= open.end {
                    break;
                }
            }
        }
    }
    found
}

/// Whether an odd number of backslashes precedes a byte.
fn escaped(bytes: &[u8], at: usize) -> bool {
    bytes[..at].iter().rev().take_while(|b| **b == b'\\').count() % 2 == 1
}

/// Offset of a marker's closing bracket: on the same line, before any opening bracket, unescaped, outside code.
fn closing(document: &Document, from: usize) -> Option<usize> {
    let bytes = document.text.as_bytes();
    let mut at = from;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'\n' | b'\r' => return None,
            b'[' if document.is_open(at) => return None,
            b'\\' if bytes.get(at + 1) == Some(&b']') => return None,
            b'\\' => at += 1,
            b']' if document.is_open(at) => return Some(at),
            _ => {}
        }
        at += 1;
    }
    None
}

/// Parses the body of a marker; `None` if the bracket is plain text.
fn read(body: &str) -> Option<Result<(u32, Option<LineRange>), &'static str>> {
    let Some(first) = body.chars().next() else { return Some(Err("the marker is empty")) };
    match first {
        '+' | '-' => Some(Err("a marker's number has no sign")),
        '0'..='9' => Some(number_and_lines(body)),
        c if c.is_numeric() => Some(Err("a marker's number uses the digits 0 to 9")),
        _ => None,
    }
}

/// Parses `N`, `N:first` or `N:first-last`.
fn number_and_lines(body: &str) -> Result<(u32, Option<LineRange>), &'static str> {
    let (number, lines) = match body.split_once(':') {
        Some((number, lines)) => (number, Some(lines)),
        None => (body, None),
    };
    if number == "0" {
        return Err("sources are numbered from 1");
    }
    let number = decimal(number)?;
    let Some(lines) = lines else { return Ok((number, None)) };
    let (first, last) = lines.split_once('-').unwrap_or((lines, lines));
    Ok((number, Some(LineRange::new(decimal(first)?, decimal(last)?))))
}

/// Parses ASCII digits without leading zeros that fit 32 bits; `0` is allowed.
fn decimal(digits: &str) -> Result<u32, &'static str> {
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return Err("a marker holds one number, or a number and lines as in [^2:14-18]");
    }
    if digits.len() > 1 && digits.starts_with('0') {
        return Err("a marker's number has no leading zero");
    }
    digits.parse().map_err(|_| "the number is too large")
}

/// Turns marks into citations and defects; adds the defects of the structure.
pub(crate) fn resolve(document: &Document, offsets: &Offsets, marks: &[Mark], sources: usize) -> Scan {
    let mut scan = Scan::default();
    for mark in marks {
        let span = offsets.span(mark.range.clone());
        let text = document.text[mark.range.clone()].to_owned();
        match &mark.body {
            Ok((marker, lines)) => {
                let in_range = usize::try_from(*marker).is_ok_and(|marker| marker <= sources);
                if !in_range {
                    let detail = format!("{text} is not among the {sources} sources");
                    scan.defects.push(Defect { kind: DefectKind::OutOfRange, span, detail });
                }
                scan.citations.push(Citation {
                    marker: *marker,
                    text,
                    span,
                    lines: *lines,
                    in_range,
                    claim: None,
                    origin: CitationOrigin::Written,
                    resolution: Resolution::NotChecked,
                });
            }
            Err(reason) => {
                let detail = format!("{text} is no citation: {reason}");
                scan.defects.push(Defect { kind: DefectKind::Malformed, span, detail });
            }
        }
    }
    for (kind, start) in &document.unclosed {
        let detail = match kind {
            DefectKind::UnclosedHtml => "an HTML comment is opened here and never closed",
            _ => "a code fence is opened here and never closed",
        };
        let width = document.text[*start..].chars().next().map_or(0, char::len_utf8);
        let span = offsets.span(*start..*start + width);
        scan.defects.push(Defect { kind: *kind, span, detail: detail.to_owned() });
    }
    scan.defects.sort_by_key(|defect| defect.span.byte_start);
    scan
}

/// Text without anything that could be read as a citation marker: the caret of `[^` before a digit, a sign or `]`
/// goes. A character class such as `[^a-z]` stays.
#[must_use]
pub fn neutralise_markers(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        out.push(c);
        if c != '[' {
            continue;
        }
        // A row of carets goes as one, so that dropping the first cannot make a marker of the next.
        let mut carets = 0usize;
        while chars.peek() == Some(&'^') {
            chars.next();
            carets += 1;
        }
        let marker = carets > 0 && chars.peek().is_some_and(|&next| opens_marker(next));
        if !marker {
            out.extend(std::iter::repeat_n('^', carets));
        }
    }
    out
}

/// Whether a marker's body can begin with this character.
#[must_use]
pub fn opens_marker(c: char) -> bool {
    c.is_numeric() || matches!(c, '+' | '-' | '\u{2212}' | ']')
}
