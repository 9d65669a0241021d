//! The code blocks of a Markdown answer: fences and indented code, with their language, text and place.

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

use super::{canonical, detect, is_code};

/// A code block as it stands in an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundBlock {
    /// Declared, given or detected language, by its one name.
    pub language: String,
    /// Whether the fence declared it.
    pub declared: bool,
    /// The program, without fence and container prefixes.
    pub code: String,
    /// First byte of the block, fence included.
    pub byte_start: usize,
    /// Byte after the block.
    pub byte_end: usize,
    /// Line of the answer that holds the first line of code, from 1.
    pub first_line: u32,
}

/// A block while it is read.
struct Open {
    /// What follows the fence; none for indented code.
    info: Option<String>,
    range: std::ops::Range<usize>,
    code: String,
    /// Where its first text stands.
    first: Option<usize>,
}

/// The blocks of an answer that are code, in text order. A block that declares nothing has the `default` language, else
/// the detected one, else it is no code.
#[must_use]
pub fn blocks(answer: &str, default: Option<&str>) -> Vec<FoundBlock> {
    let lines = LineTable::new(answer);
    let options = Options::ENABLE_TABLES | Options::ENABLE_FOOTNOTES | Options::ENABLE_TASKLISTS;
    let mut found = Vec::new();
    let mut open: Option<Open> = None;
    for (event, range) in Parser::new_ext(answer, options).into_offset_iter() {
        match event {
            Event::Start(Tag::CodeBlock(kind)) => {
                let info = match kind {
                    CodeBlockKind::Fenced(info) => Some(info.to_string()),
                    CodeBlockKind::Indented => None,
                };
                open = Some(Open { info, range, code: String::new(), first: None });
            }
            Event::Text(text) => {
                if let Some(open) = &mut open {
                    open.first.get_or_insert(range.start);
                    open.code.push_str(&text);
                }
            }
            Event::End(TagEnd::CodeBlock) => {
                let Some(Open { info, range, code, first }) = open.take() else { continue };
                let declared = info.as_deref().map(declared_language).filter(|language| !language.is_empty());
                let fenced = info.is_some();
                let Some((language, declared)) = language(declared, default, &code) else { continue };
                let first_line = match first {
                    Some(first) => lines.line_of(first),
                    None => lines.line_of(range.start) + u32::from(fenced),
                };
                found.push(FoundBlock {
                    language,
                    declared,
                    code,
                    byte_start: range.start,
                    byte_end: range.end,
                    first_line,
                });
            }
            _ => {}
        }
    }
    found
}

fn language(declared: Option<String>, default: Option<&str>, code: &str) -> Option<(String, bool)> {
    if let Some(language) = declared {
        return is_code(&language).then(|| (canonical(&language), true));
    }
    if let Some(language) = default.filter(|language| !language.trim().is_empty()) {
        return is_code(language).then(|| (canonical(language), false));
    }
    detect(code).map(|language| (language.to_owned(), false))
}

/// The language of an info string: its first word, without attributes such as `{.python #id}` or `js:title`.
fn declared_language(info: &str) -> String {
    let info = info.trim();
    // A class of Pandoc, `{.python}`, may stand behind an identity.
    let word = match info.strip_prefix('{').map(str::trim_start) {
        Some(attributes) => {
            let class = attributes.split([' ', '}']).find_map(|word| word.strip_prefix('.'));
            class.unwrap_or(attributes).trim_start_matches('.')
        }
        None => info.trim_start_matches('.'),
    };
    let end = word
        .find(|c: char| c.is_whitespace() || matches!(c, ',' | '{' | '}' | ':' | ';' | '='))
        .unwrap_or(word.len());
    let name = word[..end].to_ascii_lowercase();
    match name.strip_prefix("language-").or_else(|| name.strip_prefix("lang-")) {
        Some(language) => language.to_owned(),
        None => name,
    }
}

/// Offsets of line starts, for looking up lines.
struct LineTable(Vec<usize>);

impl LineTable {
    fn new(text: &str) -> Self {
        let mut starts = vec![0];
        starts.extend(text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at + 1));
        Self(starts)
    }

    fn line_of(&self, offset: usize) -> u32 {
        u32::try_from(self.0.partition_point(|start| *start <= offset)).unwrap_or(u32::MAX)
    }
}
