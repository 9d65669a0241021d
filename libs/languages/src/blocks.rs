//! The code blocks of a Markdown answer: fences and indented code, with their text and place; and, asked for apart since
//! it takes a parse, the language of those that declare none.

use assay_domain::code::with_line_feeds;
use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

use super::detect::hidden;
use super::known::{is_language, may_be_code};
use super::place::Source;
use super::watch::{Stop, Stopped, Watch};
use super::{canonical, detect};

/// A block as it stands in an answer, before anything looks at what it holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fence {
    /// The language that the fence declares, as it is written there; none for indented code too.
    pub declared: Option<String>,
    /// The program, without fence and container prefixes; its lines end in line feeds.
    pub code: String,
    /// First byte of the block, fence included.
    pub byte_start: usize,
    /// Byte after the block.
    pub byte_end: usize,
    /// Line of the answer that holds the first line of code, from 1.
    pub first_line: u32,
}

impl Fence {
    /// Whether it is code, or could turn out to be, where undeclared blocks have the `default` language.
    #[must_use]
    pub fn may_be_code(&self, default: &str) -> bool {
        let default = named(default).filter(|_| self.declared.is_none());
        self.declared_language().or(default).is_some_and(is_language) || !self.code.trim().is_empty()
    }

    /// Whether its info string says that it is output, or something else that is no program.
    #[must_use]
    pub fn is_plain(&self) -> bool {
        self.declared.as_deref().is_some_and(|name| !is_language(name))
    }

    /// The language that the fence declares; none for plain output.
    #[must_use]
    pub fn declared_language(&self) -> Option<&str> {
        self.declared.as_deref().filter(|name| is_language(name))
    }

    /// The language by its one name: the declared one, else the `default` where nothing is declared, else the detected
    /// one; none if the block is no code. `stop` is asked while it works.
    ///
    /// # Errors
    /// [`Stopped`] if `stop` said so.
    pub fn language(&self, default: &str, stop: Stop<'_>) -> Result<Option<String>, Stopped> {
        let default = named(default).filter(|_| self.declared.is_none());
        match self.declared_language().or(default) {
            Some(language) => Ok(is_language(language).then(|| canonical(language))),
            None if self.declared.as_deref().is_some_and(|name| !may_be_code(name)) => Ok(None),
            None if self.declared.is_some() => Ok(hidden(&self.code, stop)?.map(str::to_owned)),
            None => Ok(detect(&self.code, stop)?.map(str::to_owned)),
        }
    }
}

fn named(language: &str) -> Option<&str> {
    Some(language).filter(|language| !language.trim().is_empty())
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

/// The blocks of an answer, in text order. `stop` is asked while it works.
///
/// # Errors
/// [`Stopped`] if `stop` said so.
pub fn fences(answer: &str, stop: Stop<'_>) -> Result<Vec<Fence>, Stopped> {
    let watch = Watch::new(stop);
    watch.ask()?;
    let answer = &*with_line_feeds(answer);
    let source = Source::new(answer);
    let line_of = |offset: usize| u32::try_from(source.line_of(offset) + 1).unwrap_or(u32::MAX);
    let options = Options::ENABLE_TABLES | Options::ENABLE_FOOTNOTES | Options::ENABLE_TASKLISTS;
    let mut found = Vec::new();
    let mut open: Option<Open> = None;
    for (event, range) in Parser::new_ext(answer, options).into_offset_iter() {
        watch.step()?;
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
                let first_line = match first {
                    Some(first) => line_of(first),
                    None => line_of(range.start) + u32::from(info.is_some()),
                };
                let declared = info.as_deref().map(declared_language).filter(|language| !language.is_empty());
                let (byte_start, byte_end) = (range.start, range.end);
                found.push(Fence { declared, code, byte_start, byte_end, first_line });
            }
            _ => {}
        }
    }
    Ok(found)
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
