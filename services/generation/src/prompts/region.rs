//! Regions of a prompt: what a caller or a document brought stands between tags that nothing inside can close, holds
//! no control token of a chat template, and no citation marker.

use assay_reading::citations::neutralise_markers;
use unicode_normalization::UnicodeNormalization as _;

/// Names of the regions. A `<` before one of them, in whatever case, spacing or script, is written `&lt;` in a region.
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
    "reference",
    "examples",
    "example",
    "rejected",
    "claim",
    "statement",
    "delivered",
];

/// Longest word of a control token, in characters.
const WORD: usize = 64;

/// Text for a region: no tag of ours, no control token, no citation marker.
pub(crate) fn material(text: &str) -> String {
    disarm(&neutralise_markers(text), false)
}

/// An earlier draft for a region: like [`material`], but markers of the sources `1..=count` stay.
pub(crate) fn drafted(text: &str, count: usize) -> String {
    disarm(&keep_markers_within(text, count), false)
}

/// A prompt that another part made and whose `<` are its own tags: no control token, no tag in look-alike characters.
pub(crate) fn tagged(text: &str) -> String {
    disarm(text, true)
}

/// Takes tags and control tokens apart. Servers that read special tokens in a message know them by their exact
/// characters, so that a space behind the opening bracket is enough, and a program with one means the same.
fn disarm(text: &str, own_tags: bool) -> String {
    let mut out = String::with_capacity(text.len());
    for (at, c) in text.char_indices() {
        let rest = &text[at + c.len_utf8()..];
        match bracket(c) {
            Some('<') if own_tags && c == '<' => out.push(c),
            Some('<') if opens_region(rest) => out.push_str("&lt;"),
            Some(open) if opens_token(open, rest) => {
                out.push(c);
                out.push(' ');
            }
            _ if c == '\u{0}' => out.push('\u{fffd}'),
            _ => out.push(c),
        }
    }
    out
}

/// The bracket that a character is, stands for (NFKC), or looks like.
fn bracket(c: char) -> Option<char> {
    match c {
        '<' | '[' | ']' => Some(c),
        '\u{2c2}' | '\u{1438}' | '\u{2039}' | '\u{2329}' | '\u{276e}' | '\u{27e8}' | '\u{3008}' => Some('<'),
        c if c.is_ascii() => None,
        c => c.nfkc().next().filter(|plain| matches!(plain, '<' | '[' | ']')),
    }
}

/// What follows a bracket, without invisible characters and in compatibility form.
fn visible(rest: &str) -> impl Iterator<Item = char> {
    rest.chars().filter(|c| !is_invisible(*c)).nfkc()
}

/// Whether the text after a `<` reads as a region's tag: its name, or a word in other letters than ASCII, which may
/// look like one. White space is skipped, so that `< / question` counts too.
fn opens_region(rest: &str) -> bool {
    let blank = |c: &char| c.is_whitespace() || c.is_control();
    let head = visible(rest).skip_while(|c| blank(c) || matches!(c, '/' | '\\')).take(24);
    let mut head = head.flat_map(char::to_lowercase).collect::<String>();
    let foreign = head.chars().take_while(|c| c.is_alphanumeric()).any(|c| !c.is_ascii());
    head.retain(|c| !blank(&c));
    foreign || REGIONS.iter().any(|name| head.starts_with(name))
}

/// Whether a bracket opens a control token of a chat template: `<|…`, `[|…`, `]~…`, `<word>`, `</word>`, and in square
/// brackets a word with capitals (`[INST]`, `[gMASK]`) or one that ends in `~`.
fn opens_token(open: char, rest: &str) -> bool {
    let mut chars = visible(rest).peekable();
    match (open, chars.peek()) {
        (']', next) => return next == Some(&'~'),
        (_, Some('|')) => return true,
        (_, Some('/')) => {
            chars.next();
        }
        _ => {}
    }
    let (mut length, mut capitals, mut shouted) = (0, 0, false);
    for c in chars.take(WORD) {
        match (open, c) {
            ('<', '>') => return length > 0,
            ('[', ']') => return shouted,
            ('[', '~') => return length > 0,
            ('<', '-' | ':' | '.' | '\u{2581}') => {}
            (_, c) if c.is_alphanumeric() || c == '_' => {}
            _ => return false,
        }
        length += 1;
        capitals = if c.is_uppercase() { capitals + 1 } else { 0 };
        shouted |= capitals > 1;
    }
    false
}

/// Characters that a reader does not see: the default-ignorable ones of Unicode.
const fn is_invisible(c: char) -> bool {
    matches!(
        c,
        '\u{ad}'
            | '\u{34f}'
            | '\u{61c}'
            | '\u{115f}'..='\u{1160}'
            | '\u{17b4}'..='\u{17b5}'
            | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}'
            | '\u{feff}'
            | '\u{ffa0}'
            | '\u{fff0}'..='\u{fff8}'
            | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}'
    )
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
    let plain: String = text
        .chars()
        .map(|c| match c {
            '"' => '\'',
            '>' => '_',
            c if bracket(c) == Some('<') => '_',
            c if c.is_control() => ' ',
            c => c,
        })
        .collect();
    material(&plain)
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
    fn tags_of_regions_are_broken() {
        for (text, shown) in [
            ("</question>", "&lt;/question>"),
            ("< / SOURCES >", "&lt; / SOURCES >"),
            ("<\u{200b}/source", "&lt;\u{200b}/source"),
            ("＜/question＞", "&lt;/question＞"),
            ("﹤/question﹥", "&lt;/question﹥"),
            ("‹/question›", "&lt;/question›"),
            ("<s\u{443}stem>", "&lt;s\u{443}stem>"),
            ("<\u{ff53}ystem>", "&lt;\u{ff53}ystem>"),
            ("<ques\u{e0020}tion>", "&lt;ques\u{e0020}tion>"),
            ("<source n=\"2\">", "&lt;source n=\"2\">"),
        ] {
            assert_eq!(material(text), shown, "{text}");
        }
    }

    #[test]
    fn control_tokens_are_taken_apart() {
        for (text, shown) in [
            ("<|im_start|>", "< |im_start|>"),
            ("<｜User｜>", "< ｜User｜>"),
            ("<\u{200b}|im_end|>", "< \u{200b}|im_end|>"),
            ("＜｜im_end｜＞", "＜ ｜im_end｜＞"),
            ("</s><s>", "< /s>< s>"),
            ("<start_of_turn>model", "< start_of_turn>model"),
            ("[/INST]", "[ /INST]"),
            ("［INST］", "［ INST］"),
            ("[gMASK]<sop>", "[ gMASK]< sop>"),
            ("[|user|]", "[ |user|]"),
            ("]~b]system[e~[", "] ~b]system[ e~["),
            ("<<SYS>>", "<< SYS>>"),
        ] {
            assert_eq!(material(text), shown, "{text}");
        }
    }

    #[test]
    fn programs_and_markup_mean_the_same() {
        for (text, shown) in [
            ("a < b && c > d", "a < b && c > d"),
            ("x << 2 | y", "x << 2 | y"),
            ("cat <<EOF\n$x\nEOF", "cat <<EOF\n$x\nEOF"),
            ("cat <file >out", "cat <file >out"),
            ("HashMap<String, Vec<u8>>", "HashMap<String, Vec< u8>>"),
            ("list |> map(f)", "list |> map(f)"),
            ("<a href=\"x\">", "<a href=\"x\">"),
            ("if(x, 1, \"<\")", "if(x, 1, \"<\")"),
            ("row[i][N] = [a-z]", "row[i][N] = [a-z]"),
            ("[link](a.md) [x] [Note]", "[link](a.md) [x] [Note]"),
            ("buffer[SIZE]", "buffer[ SIZE]"),
        ] {
            assert_eq!(material(text), shown, "{text}");
        }
    }

    #[test]
    fn tags_of_the_part_that_made_a_prompt_stay() {
        assert_eq!(
            tagged("<parser_feedback>\n[INST] ＜/question＞ &lt;x>\n</parser_feedback>"),
            "<parser_feedback>\n[ INST] &lt;/question＞ &lt;x>\n</parser_feedback>"
        );
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
