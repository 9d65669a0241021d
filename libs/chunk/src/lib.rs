//! Line-exact chunking: a file becomes passages whose text is exactly some of its lines.
//!
//! Pure and total: no I/O, no clock, no failure. Absent: how formats are read (`assay-documents`), tokens of an index,
//! hashes, vectors.
//!
//! Each visible word is in exactly one passage. Passages are in file order and neither begin nor end with a line that
//! shows nothing. A block of code, a table, and a term with the first paragraph of its description are never parted.
//! A heading stays with the next block up to twice the size limit. [`words`] gives what is searched: the visible text.

mod avap;
mod code;
mod document;
mod outline;
mod pack;
mod plain;

use std::collections::BTreeSet;

use assay_documents::{Block, Document, NoFiles, Style, pages_and_paragraphs, read};
use assay_domain::LineRange;
use assay_text::{Language, detect};
use outline::{Cut, Outline, Path, Worth};

use assay_documents::{Format, Lines};

/// Names and versions of chunker and reading; an index made by others is made again when it is next written.
pub const CHUNKER: &str = "assay-lines/3 assay-blocks/1";

/// A passage of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chunk {
    /// Its lines.
    pub lines: LineRange,
    /// Headings, or enclosing code items, above most of it; outermost first.
    pub headings: Vec<String>,
    /// Id of the nearest of these headings as the page's site generator makes it; empty if there is none.
    pub anchor: String,
    /// `en`, `es`, a programming language, or empty.
    pub language: String,
    /// Exactly the bytes of its lines.
    pub text: String,
    /// What is searched and embedded: the visible text of its blocks, inline code between back-ticks; of code its text.
    pub words: String,
    /// Ids and relative targets of links and images in its lines: names that its author gave and the page does not show.
    pub names: String,
}

/// A chunked file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Chunked {
    /// Title from front matter or first heading; empty if there is neither.
    pub title: String,
    /// Tags from front matter.
    pub tags: Vec<String>,
    /// Its passages in file order.
    pub chunks: Vec<Chunk>,
}

/// Cuts the file at a path into passages.
#[must_use]
pub fn chunk(format: Format, path: &str, text: &str) -> Chunked {
    let lines = Lines::of(text);
    let document = is_document(format).then(|| read(format, path, text, &NoFiles));
    let blocks = document.as_ref().map(Shown::of);
    let outline = match (format, &document) {
        (_, Some(document)) => document::outline(text, &lines, document),
        (Format::Code(language), None) => code::outline(language, text, &lines),
        (_, None) => avap::outline(text, &lines),
    };
    let searched =
        |body: &str, range| blocks.as_ref().map_or_else(|| body.to_owned(), |blocks| blocks.words(range));
    let places = if format == Format::Pdf { pages_and_paragraphs(text) } else { Vec::new() };
    let whole = LineRange::new(1, lines.count());
    let document_language = blocks.as_ref().and_then(|blocks| detect(&blocks.words(whole)));
    let chunks = pack::pack(text, &lines, &outline, limits(format))
        .into_iter()
        .filter_map(|(first, last)| {
            let range = LineRange::new(number(first), number(last));
            let body = text.get(lines.bytes(range)?)?.to_owned();
            let words = searched(&body, range);
            if words.trim().is_empty() {
                return None;
            }
            let language = match format {
                Format::Avap => "avap".to_owned(),
                Format::Code("tsx") => "typescript".to_owned(),
                Format::Code(language) => language.to_owned(),
                _ => detect(&words).or(document_language).map_or("", Language::code).to_owned(),
            };
            let Path { mut headings, anchor } = outline.path_of(text, &lines, first, last);
            if let Some(page) = headings.first_mut().filter(|_| format == Format::Pdf) {
                *page = place_in_pdf(&places, first, last).unwrap_or_else(|| page.clone());
            }
            let names = blocks.as_ref().map_or_else(String::new, |blocks| blocks.names(range));
            Some(Chunk { lines: range, headings, anchor, language, text: body, words, names })
        })
        .collect();
    Chunked { title: outline.title, tags: outline.tags, chunks }
}

/// Words of ranges of lines of a file that are searched and embedded, as [`Chunk::words`] has them.
#[must_use]
pub fn words(format: Format, path: &str, text: &str, ranges: &[LineRange]) -> Vec<String> {
    if !is_document(format) {
        let lines = Lines::of(text);
        let body = |range: &LineRange| lines.bytes(*range).and_then(|bytes| text.get(bytes)).unwrap_or("");
        return ranges.iter().map(|range| body(range).to_owned()).collect();
    }
    let document = read(format, path, text, &NoFiles);
    let blocks = Shown::of(&document);
    ranges.iter().map(|range| blocks.words(*range)).collect()
}

/// Pages and paragraphs of some lines of the text of a PDF, as a citation names them.
fn place_in_pdf(places: &[Option<(u32, u32)>], first: usize, last: usize) -> Option<String> {
    let ((page, first), (last_page, last)) = ((*places.get(first)?)?, (*places.get(last)?)?);
    Some(match (page == last_page, first == last) {
        (true, true) => format!("Page {page}, paragraph {first}"),
        (true, false) => format!("Page {page}, paragraphs {first}–{last}"),
        (false, _) => format!("Page {page}, paragraph {first} – page {last_page}, paragraph {last}"),
    })
}

/// Whether a file of a format is read into blocks; code has its own outline.
const fn is_document(format: Format) -> bool {
    !matches!(format, Format::Avap | Format::Code(_))
}

/// Sizes of the passages of a format.
const fn limits(format: Format) -> pack::Limits {
    match format {
        Format::Avap | Format::Code(_) => pack::CODE,
        Format::Html => pack::MARKED_UP,
        _ => pack::PROSE,
    }
}

/// The blocks of a file in order of their lines, to be asked for ranges.
struct Shown<'d> {
    /// Blocks with the greatest last line up to each.
    blocks: Vec<(&'d Block, u32)>,
    /// Ids, each with its line, in order of lines.
    anchors: Vec<(u32, &'d str)>,
}

impl<'d> Shown<'d> {
    fn of(document: &'d Document) -> Self {
        let mut own: Vec<&Block> = document.blocks.iter().filter(|block| block.file.is_none()).collect();
        own.sort_by_key(|block| block.lines.first);
        let mut last = 0;
        let blocks = own.into_iter().map(|block| {
            last = last.max(block.lines.last);
            (block, last)
        });
        let mut anchors: Vec<_> = document.anchors.iter().map(|(id, line)| (*line, id.as_str())).collect();
        anchors.sort_unstable();
        Self { blocks: blocks.collect(), anchors }
    }

    fn inside(&self, range: LineRange) -> impl Iterator<Item = &'d Block> {
        let first = self.blocks.partition_point(|(_, last)| *last < range.first);
        let behind = self.blocks.iter().skip(first).map(|(block, _)| *block);
        behind.take_while(move |block| block.lines.first <= range.last)
    }

    /// What the author named in some lines without showing it: ids, relative targets of links and images.
    fn names(&self, range: LineRange) -> String {
        let first = self.anchors.partition_point(|(line, _)| *line < range.first);
        let ids = self.anchors.iter().skip(first).take_while(|(line, _)| *line <= range.last);
        let spans = self.inside(range).flat_map(|block| block.spans_in(block.bytes_in(range)));
        let targets = spans.filter_map(|span| match &span.style {
            Style::Link(target) | Style::Image(target) if !target.contains(':') => Some(target.as_str()),
            _ => None,
        });
        let mut seen = BTreeSet::new();
        let names = ids.map(|(_, id)| *id).chain(targets).filter(|name| seen.insert(*name));
        names.collect::<Vec<_>>().join("\n")
    }

    /// The visible text in some lines, a block below the other, inline code between back-ticks.
    fn words(&self, range: LineRange) -> String {
        let texts = self.inside(range).map(|block| block.marked(block.bytes_in(range)).0);
        texts.filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n")
    }
}

fn number(index: usize) -> u32 {
    u32::try_from(index + 1).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use super::*;
    use proptest::prelude::*;

    /// Passages in file order, equal to their lines, and every visible word in exactly one of them.
    fn check_cover(format: Format, text: &str) {
        let lines = Lines::of(text);
        let chunked = chunk(format, "", text);
        let mut before = 0;
        for chunk in &chunked.chunks {
            assert!(chunk.lines.is_well_formed() && chunk.lines.first > before, "{:?}", chunk.lines);
            before = chunk.lines.last;
            assert_eq!(chunk.text, text[lines.bytes(chunk.lines).unwrap()]);
        }
        let whole = words(format, "", text, &[LineRange::new(1, lines.count())]).concat();
        let count = |text: &str| {
            let mut words: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
            words.sort();
            words
        };
        let parts: Vec<&str> = chunked.chunks.iter().map(|chunk| chunk.words.as_str()).collect();
        assert_eq!(count(&parts.join("\n")), count(&whole), "{format:?} {text:?}");
    }

    const FORMATS: &[Format] = &[
        Format::Markdown,
        Format::Plain,
        Format::Rst,
        Format::AsciiDoc,
        Format::Html,
        Format::Man,
        Format::Notebook,
        Format::Pdf,
        Format::Avap,
        Format::Code("rust"),
        Format::Code("python"),
        Format::Code("sql"),
    ];

    const PIECES: &[&str] = &[
        "# Title",
        "## Part",
        "Setext",
        "======",
        "---",
        "",
        "",
        "   ",
        "A paragraph of some words that is \
         long enough to count for something in the packing of passages.",
        "- item one",
        "  - inner item",
        "1. first",
        "```avap",
        "```",
        "    indented",
        "| a | b |",
        "|---|---|",
        "| 1 | 2 |",
        "> quote",
        "<div>",
        "</div>",
        "<!-- comment",
        "-->",
        "title: x",
        "function f(a) {",
        "}",
        "if a:",
        "\u{feff}bom",
        "\u{c}A page.",
        "end\r",
        "emoji 🦀 ñ",
        "== Part",
        "----",
        ".. code-block:: python",
        "Example::",
        "<p>Words <b>in</b> a page.</p>",
        "<script>",
        "</script>",
        "<pre",
        ".SH NAME",
        "\"cells\": [",
        "{\"cell_type\": \"markdown\", \"source\": [\"# A\"]},",
    ];

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]
        #[test]
        fn each_visible_word_is_in_one_passage(
            picks in proptest::collection::vec(0..PIECES.len(), 0..90),
            last_newline in any::<bool>(),
        ) {
            let mut text = picks.iter().map(|pick| PIECES[*pick]).collect::<Vec<_>>().join("\n");
            if last_newline {
                text.push('\n');
            }
            for format in FORMATS {
                check_cover(*format, &text);
            }
        }

        #[test]
        fn no_text_is_too_strange(text in "\\PC*|[<>/!a-z\\-\"=\n ]{0,200}|[{}\\[\\]\",:a-z\n\\\\ ]{0,200}") {
            for format in FORMATS {
                check_cover(*format, &text);
            }
        }
    }

    #[test]
    fn the_page_tells_the_sizes() {
        let page = include_str!("../../../docs/ingest.md");
        for (limits, what) in [(pack::PROSE, " bytes of prose"), (pack::CODE, " of code")] {
            let (kilo, rest) = (limits.most / 1000, limits.most % 1000);
            let told = format!("{} to {kilo},{rest:03}{what}", limits.least);
            assert!(page.contains(&told), "the page does not say {told}");
        }
        assert_eq!(pack::MARKED_UP.most, 2 * pack::PROSE.most);
    }

    #[test]
    fn the_chunker_names_the_reading() {
        assert!(CHUNKER.ends_with(assay_documents::READING));
    }

    #[test]
    fn a_passage_of_a_pdf_names_page_and_paragraph() {
        for (text, place) in [
            ("\u{c}The first.\nIt is short.\n\nThe second.\n", "Page 1, paragraphs 1–2"),
            ("\u{c}\u{c}The first.\n", "Page 2, paragraph 1"),
            ("\u{c}The first.\n\u{c}The second.\n", "Page 1, paragraph 1 – page 2, paragraph 1"),
        ] {
            let found = chunk(Format::Pdf, "a.pdf", text).chunks;
            assert_eq!(found.iter().map(|chunk| chunk.headings.concat()).collect::<Vec<_>>(), [place]);
        }
    }

    #[test]
    fn an_empty_file_has_no_passage() {
        for format in FORMATS {
            assert_eq!(chunk(*format, "", "\n \n").chunks, []);
            assert_eq!(chunk(*format, "", "").chunks, []);
        }
    }
}
