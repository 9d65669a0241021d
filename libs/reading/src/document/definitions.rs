//! Footnote definition lines: found, and hidden from the parser.

use std::borrow::Cow;
use std::ops::Range;

/// Lines that, behind their container's prefix, begin with `[^label]:`.
pub(super) fn definition_lines(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive(['\n', '\r']) {
        let body = line.trim_end_matches(['\n', '\r']);
        let prefix = container_prefix(body);
        if is_definition(&body[prefix..]) {
            found.push(start + prefix..start + body.len());
        }
        start += line.len();
    }
    found
}

/// Length of the quote marks, list marks and white space that a line begins with.
fn container_prefix(line: &str) -> usize {
    let bytes = line.as_bytes();
    let mut at = if line.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    loop {
        while bytes.get(at).is_some_and(|b| matches!(b, b' ' | b'\t')) {
            at += 1;
        }
        let blank = |at: usize| bytes.get(at).is_some_and(|b| matches!(b, b' ' | b'\t'));
        match bytes.get(at) {
            Some(b'>') => at += 1,
            Some(b'-' | b'*' | b'+') if blank(at + 1) => at += 1,
            Some(b'0'..=b'9') => {
                let digits = bytes[at..].iter().take_while(|b| b.is_ascii_digit()).count();
                let mark = bytes.get(at + digits).is_some_and(|b| matches!(b, b'.' | b')'));
                if digits > 9 || !mark || !blank(at + digits + 1) {
                    return at;
                }
                at += digits + 1;
            }
            _ => return at,
        }
    }
}

/// Whether a line without its prefix is a footnote definition: a caret label that is not empty, and a colon.
fn is_definition(line: &str) -> bool {
    let Some(label) = line.strip_prefix("[^") else { return false };
    let Some(end) = label.find([']', '[', '\\', ' ', '\t']) else { return false };
    end > 0 && label[end..].starts_with("]:")
}

/// Hides the brackets of definition labels, byte for byte, so that the parser sees no reference definition in them; and the
/// indentation of lines behind an empty line that go on with a definition, so that it sees prose there. Fenced lines keep it:
/// they are code.
pub(super) fn mask<'a>(text: &'a str, definitions: &[Range<usize>]) -> Cow<'a, str> {
    if definitions.is_empty() {
        return text.into();
    }
    let mut masked = text.as_bytes().to_vec();
    for (at, line) in definitions.iter().enumerate() {
        masked[line.start] = b'x';
        if let Some(end) = text[line.clone()].find("]:") {
            masked[line.start + end] = b'x';
        }
        let next = definitions.get(at + 1).map_or(text.len(), |next| next.start);
        for indent in indented(&text[..next], line.end) {
            masked[indent].fill(b'x');
        }
    }
    String::from_utf8(masked).map_or(text.into(), Cow::Owned)
}

/// The indentation of the lines of prose that go on with the definition that ends at a place.
fn indented(text: &str, end: usize) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut start = end;
    let mut fence: Option<&str> = None;
    for line in text[end..].split_inclusive(['\n', '\r']) {
        let indent = line.len() - line.trim_start_matches([' ', '\t']).len();
        let blank = line.trim().is_empty();
        let deep = line.starts_with('\t') || indent >= 4;
        let mark = ["```", "~~~"].into_iter().find(|mark| line.trim_start().starts_with(mark));
        match (blank, deep) {
            (true, _) => {}
            (false, false) => break,
            (false, true) if fence.is_some() || mark.is_some() => {
                fence = match fence {
                    Some(open) if mark == Some(open) => None,
                    open => open.or(mark),
                };
            }
            (false, true) => found.push(start..start + indent),
        }
        start += line.len();
    }
    found
}
