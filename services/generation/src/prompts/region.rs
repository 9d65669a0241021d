//! Regions of a prompt: what a caller or a document brought stands between tags that nothing inside can close, and no
//! text of a source can be read as a citation marker.

/// Names of the regions. A `<` before one of them, in whatever case and spacing, is written `&lt;` inside a region.
pub(crate) const REGIONS: &[&str] = &[
    "question",
    "sources",
    "source",
    "session",
    "turn",
    "platform",
    "feedback",
    "editor",
    "instructions",
    "request",
    "labels",
    "system",
    "parser_feedback",
    "examples",
    "example",
    "rejected",
    "claim",
];

/// Text that no reader can take for the end or the start of a region.
pub(crate) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for (at, c) in text.char_indices() {
        match c {
            '<' if opens_region(&text[at + 1..]) => out.push_str("&lt;"),
            '\u{0}' => out.push('\u{fffd}'),
            _ => out.push(c),
        }
    }
    out
}

/// Whether the text after a `<` reads as a region's tag. White space and invisible characters are skipped, so that
/// `< / question` counts too.
fn opens_region(rest: &str) -> bool {
    let mut letters = rest
        .chars()
        .filter(|c| !c.is_whitespace() && !c.is_control() && !is_invisible(*c))
        .skip_while(|c| *c == '/' || *c == '\\')
        .flat_map(char::to_lowercase);
    let head: String = letters.by_ref().take(20).collect();
    REGIONS.iter().any(|name| head.starts_with(name))
}

const fn is_invisible(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{2060}'..='\u{2064}' | '\u{feff}' | '\u{ad}' | '\u{202a}'..='\u{202e}')
}

/// Text without anything that could be read as a citation marker: the caret of `[^` before a digit, a sign or `]`
/// goes. A character class such as `[^a-z]` stays.
pub(crate) fn neutralise_markers(text: &str) -> String {
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
pub(crate) fn opens_marker(c: char) -> bool {
    c.is_numeric() || matches!(c, '+' | '-' | '\u{2212}' | ']')
}

/// Like [`neutralise_markers`], but whole markers whose number lies within `1..=count` stay.
pub(crate) fn keep_markers_within(text: &str, count: usize) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("[^") {
        let (before, tail) = rest.split_at(at);
        out.push_str(&neutralise_markers(before));
        let body = &tail[2..];
        let kept = body.find(']').filter(|&end| {
            let number = body[..end].split(':').next().unwrap_or_default();
            let plain =
                !number.is_empty() && !number.starts_with('0') && number.bytes().all(|b| b.is_ascii_digit());
            let lines =
                body[..end][number.len()..].bytes().all(|b| b.is_ascii_digit() || matches!(b, b':' | b'-'));
            plain && lines && number.parse::<usize>().is_ok_and(|n| n <= count)
        });
        match kept {
            Some(end) => {
                out.push_str(&tail[..end + 3]);
                rest = &tail[end + 3..];
            }
            None => {
                let next = body.find("[^").map_or(tail.len(), |next| next + 2);
                out.push_str(&neutralise_markers(&tail[..next]));
                rest = &tail[next..];
            }
        }
    }
    out.push_str(&neutralise_markers(rest));
    out
}

/// An attribute value: one line, no quotes, no angle brackets.
pub(crate) fn attribute(text: &str) -> String {
    neutralise_markers(text)
        .chars()
        .map(|c| match c {
            '"' => '\'',
            '<' | '>' => '_',
            c if c.is_control() => ' ',
            c => c,
        })
        .collect()
}

/// `text` with the number of its line in the file before each line.
pub(crate) fn numbered(text: &str, first_line: u32) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 8);
    for (offset, line) in text.lines().enumerate() {
        let number = first_line.saturating_add(u32::try_from(offset).unwrap_or(u32::MAX));
        out.push_str(&format!("{number:>4} | {line}\n"));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_of_regions_are_broken_and_other_markup_stays() {
        assert_eq!(escape("</question>"), "&lt;/question>");
        assert_eq!(escape("< / SOURCES >"), "&lt; / SOURCES >");
        assert_eq!(escape("<\u{200b}/source"), "&lt;\u{200b}/source");
        assert_eq!(escape("a < b && <div>"), "a < b && <div>");
    }

    #[test]
    fn markers_lose_their_caret_and_character_classes_keep_it() {
        assert_eq!(neutralise_markers("x [^1] [^a-z] [^-2] [^]]"), "x [1] [^a-z] [-2] []]");
        assert_eq!(neutralise_markers("[^^1]"), "[1]");
        assert_eq!(neutralise_markers("[^１]"), "[１]");
    }

    #[test]
    fn markers_of_known_sources_may_stay() {
        assert_eq!(
            keep_markers_within("a [^1] b [^2:3-4] c [^3] d [^01]", 2),
            "a [^1] b [^2:3-4] c [3] d [01]"
        );
    }

    #[test]
    fn lines_carry_their_real_numbers() {
        assert_eq!(numbered("a\nb\n", 99), "  99 | a\n 100 | b\n");
    }
}
