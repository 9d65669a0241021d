//! Takes sources apart: sentences, list items, table rows and code fences, each with the headings above it.
//!
//! What a reader sees counts, in every format; struck-out sentences are left out.

mod inline;
mod reader;

use assay_domain::evidence::{LineRange, Source, SourceKind};
use assay_text::Language;

use self::reader::Reader;

/// What kind of text a unit was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// A sentence of a paragraph.
    Sentence,
    /// The first sentence of a list item; the number of its list and its depth from 1.
    Item { list: usize, depth: usize },
    /// A table row; the number of its table.
    Row { table: usize },
}

/// The smallest piece that an answer takes over.
#[derive(Debug, Clone)]
pub(crate) struct Unit {
    /// Index of the source.
    pub(crate) source: usize,
    /// Number of the block (paragraph, item, row or fence), increasing over all sources.
    pub(crate) block: usize,
    /// Number of the sentence in its block, from 0.
    pub(crate) ordinal: usize,
    /// Number of the section.
    pub(crate) section: usize,
    /// Number of the unit in its section, from 0.
    pub(crate) in_section: usize,
    /// What it was.
    pub(crate) shape: Shape,
    /// Its lines of the source's text, from 1.
    pub(crate) lines: LineRange,
    /// The words.
    pub(crate) text: String,
}

impl Unit {
    /// Whether it introduces what follows.
    pub(crate) fn leads(&self) -> bool {
        let text = self.text.trim_end_matches(['*', '_']);
        text.ends_with(':') || text.ends_with("...") || text.ends_with('…')
    }
}

/// A code block of a source.
#[derive(Debug, Clone)]
pub(crate) struct Fence {
    /// Index of the source.
    pub(crate) source: usize,
    /// Number of the block.
    pub(crate) block: usize,
    /// Number of the section.
    pub(crate) section: usize,
    /// Its lines of the source's text, from 1.
    pub(crate) lines: LineRange,
    /// First word of the info string.
    pub(crate) language: String,
    /// The program, with its last line break.
    pub(crate) code: String,
}

/// A stretch of text under one heading.
#[derive(Debug, Clone)]
pub(crate) struct Section {
    /// Headings above it, outermost first, including the document's title.
    pub(crate) headings: Vec<String>,
}

impl Section {
    /// The nearest heading.
    pub(crate) fn nearest(&self) -> &str {
        self.headings.last().map_or("", String::as_str)
    }
}

/// All sources, taken apart.
#[derive(Debug, Clone, Default)]
pub(crate) struct Passages {
    /// In reading order, source by source.
    pub(crate) units: Vec<Unit>,
    /// In reading order.
    pub(crate) fences: Vec<Fence>,
    /// In reading order.
    pub(crate) sections: Vec<Section>,
    /// One for each source.
    pub(crate) languages: Vec<Language>,
    /// Path of each source, or its id where it has none: passages of one file answer together.
    pub(crate) documents: Vec<String>,
}

impl Passages {
    /// Takes the sources apart. A source of kind code is one fence.
    pub(crate) fn of(sources: &[Source]) -> Self {
        let mut passages = Self::default();
        let mut blocks = 0;
        for (index, source) in sources.iter().enumerate() {
            let document = if source.path.is_empty() { &source.id } else { &source.path };
            passages.documents.push(document.clone());
            let language = Language::of_tag(&source.language).or_else(|| assay_text::detect(&source.text));
            passages.languages.push(language.unwrap_or(Language::English));
            let mut reader = Reader::new(index, source, &mut passages, blocks);
            if source.kind == SourceKind::Code {
                let lines = u32::try_from(source.text.lines().count()).unwrap_or(u32::MAX);
                reader.fence(source.language.clone(), source.text.clone(), LineRange::new(1, lines));
            } else {
                reader.read();
            }
            blocks = reader.block + 2;
        }
        passages
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn passages(text: &str) -> Passages {
        let mut source = Source::given("s", SourceKind::Doc, text, 10);
        source.path = "a.md".into();
        Passages::of(&[source])
    }

    fn texts(passages: &Passages) -> Vec<&str> {
        passages.units.iter().map(|unit| unit.text.as_str()).collect()
    }

    #[test]
    fn links_lose_their_address_and_sentences_keep_their_words() {
        let found =
            passages("# Types\n\nA _counter_ is a [monotonic\ncounter](https://example.org/x). It grows.\n");
        assert_eq!(texts(&found), ["A *counter* is a monotonic counter.", "It grows."]);
        assert_eq!(found.sections[found.units[0].section].nearest(), "Types");
    }

    #[test]
    fn front_matter_images_and_footnote_marks_are_left_out() {
        let found = passages(
            "---\ntitle: X\n---\n\n![a](b.svg)\n\n<div hidden>no</div>\n\nText here[^1].\n\n[^1]: A note.\n",
        );
        assert_eq!(texts(&found), ["Text here.", "A note."]);
    }

    #[test]
    fn a_citation_marker_without_definition_is_neutralised() {
        let found = passages("Plain words [^7] here.");
        assert_eq!(texts(&found), ["Plain words [7] here."]);
    }

    #[test]
    fn items_rows_and_fences_are_told_apart() {
        let found = passages(
            "Steps:\n\n1. Run `a`.\n2. Stop.\n\n```sh\nls\n```\n\n| N | V |\n|---|---|\n| x | 1 |\n",
        );
        assert_eq!(texts(&found), ["Steps:", "Run `a`.", "Stop.", "x – V: 1"]);
        assert!(matches!(found.units[1].shape, Shape::Item { depth: 1, .. }));
        assert!(matches!(found.units[3].shape, Shape::Row { .. }));
        assert_eq!((found.fences[0].language.as_str(), found.fences[0].code.as_str()), ("sh", "ls\n"));
        assert_eq!(found.fences[0].block, found.units[2].block + 1);
    }

    #[test]
    fn a_mark_without_its_partner_in_the_sentence_goes() {
        let found = passages("**Note. This is** so.");
        assert_eq!(texts(&found), ["Note.", "This is so."]);
    }

    #[test]
    fn html_code_becomes_inline_code() {
        let found = passages("Use <code>a\\_b</code> here.");
        assert_eq!(texts(&found), ["Use `a_b` here."]);
    }
}
