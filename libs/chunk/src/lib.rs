//! Line-exact chunking: a file becomes passages whose text is exactly some of its lines.
//!
//! Pure and total: no I/O, no clock, no failure. Absent: tokens of an index, hashes, vectors.
//!
//! Every line with words (behind the front matter) is in exactly one passage. Passages are in file order and neither
//! begin nor end with a blank line. A block of code or a table of Markdown is never split. Where a format has markup
//! around its words, [`words`] gives those that are searched.

mod asciidoc;
mod avap;
mod code;
mod front_matter;
mod html;
mod lines;
mod markdown;
mod notebook;
mod outline;
mod pack;
mod pages;
mod plain;
mod rst;

use assay_domain::{LineRange, SourceKind};
use assay_text::{Language, detect};
use outline::{Cut, Outline, Worth};
use std::borrow::Cow;

pub use lines::Lines;
pub use pages::PAGE_BREAK;

/// Name and version of the chunker; an index made by another one is chunked again when it is next written.
pub const CHUNKER: &str = "assay-lines/2";

/// What a file is, told by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Markdown, also MDX.
    Markdown,
    /// Running text.
    Plain,
    /// reStructuredText.
    Rst,
    /// AsciiDoc.
    AsciiDoc,
    /// A saved page.
    Html,
    /// A Jupyter notebook.
    Notebook,
    /// Text that was taken from a PDF; its pages begin with [`PAGE_BREAK`].
    Pdf,
    /// AVAP source.
    Avap,
    /// Source in a language with a grammar here, or in any other named language.
    Code(&'static str),
}

impl Format {
    /// Format of a path by its extension; `None` for files that are not indexed.
    #[must_use]
    pub fn of_path(path: &str) -> Option<Self> {
        let name = path.rsplit('/').next()?;
        let (_, extension) = name.rsplit_once('.')?;
        let extension = extension.to_ascii_lowercase();
        let document = DOCUMENTS.iter().find(|(known, _)| *known == extension).map(|(_, format)| *format);
        let code =
            || LANGUAGES.iter().find(|(known, _)| *known == extension).map(|(_, name)| Self::Code(name));
        document.or_else(code)
    }

    /// Kind of the sources made from it.
    #[must_use]
    pub const fn kind(self) -> SourceKind {
        match self {
            Self::Avap | Self::Code(_) => SourceKind::Code,
            _ => SourceKind::Doc,
        }
    }

    /// Sizes of its passages.
    const fn limits(self) -> pack::Limits {
        match self {
            Self::Avap | Self::Code(_) => pack::CODE,
            Self::Html => pack::MARKED_UP,
            _ => pack::PROSE,
        }
    }
}

/// Extension and format of the other files that are indexed.
const DOCUMENTS: &[(&str, Format)] = &[
    ("md", Format::Markdown),
    ("mdx", Format::Markdown),
    ("markdown", Format::Markdown),
    ("txt", Format::Plain),
    ("text", Format::Plain),
    ("org", Format::Plain),
    ("rst", Format::Rst),
    ("adoc", Format::AsciiDoc),
    ("asciidoc", Format::AsciiDoc),
    ("html", Format::Html),
    ("htm", Format::Html),
    ("ipynb", Format::Notebook),
    ("pdf", Format::Pdf),
    ("avap", Format::Avap),
];

/// Extension and language of the code files that are indexed.
const LANGUAGES: &[(&str, &str)] = &[
    ("rs", "rust"),
    ("py", "python"),
    ("js", "javascript"),
    ("mjs", "javascript"),
    ("cjs", "javascript"),
    ("jsx", "javascript"),
    ("ts", "typescript"),
    ("mts", "typescript"),
    ("tsx", "tsx"),
    ("go", "go"),
    ("java", "java"),
    ("c", "c"),
    ("h", "c"),
    ("cc", "cpp"),
    ("cpp", "cpp"),
    ("hpp", "cpp"),
    ("cs", "csharp"),
    ("rb", "ruby"),
    ("php", "php"),
    ("swift", "swift"),
    ("kt", "kotlin"),
    ("scala", "scala"),
    ("lua", "lua"),
    ("r", "r"),
    ("jl", "julia"),
    ("hs", "haskell"),
    ("ex", "elixir"),
    ("exs", "elixir"),
    ("clj", "clojure"),
    ("dart", "dart"),
    ("zig", "zig"),
    ("sh", "bash"),
    ("bash", "bash"),
    ("sql", "sql"),
    ("toml", "toml"),
    ("yaml", "yaml"),
    ("yml", "yaml"),
    ("json", "json"),
    ("proto", "protobuf"),
    ("tf", "terraform"),
    ("css", "css"),
    ("xml", "xml"),
];

/// A passage of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chunk {
    /// Its lines.
    pub lines: LineRange,
    /// Headings, or enclosing code items, above most of it; outermost first.
    pub headings: Vec<String>,
    /// `en`, `es`, a programming language, or empty.
    pub language: String,
    /// Exactly the bytes of its lines.
    pub text: String,
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

/// Cuts a file into passages.
#[must_use]
pub fn chunk(format: Format, text: &str) -> Chunked {
    let lines = Lines::of(text);
    let outline = match format {
        Format::Markdown => markdown::outline(text, &lines),
        Format::Plain => plain::outline(text, &lines),
        Format::Rst => rst::outline(text, &lines),
        Format::AsciiDoc => asciidoc::outline(text, &lines),
        Format::Html => html::outline(text, &lines),
        Format::Notebook => notebook::outline(text, &lines),
        Format::Pdf => pages::outline(text, &lines),
        Format::Avap => avap::outline(text, &lines),
        Format::Code(language) => code::outline(language, text, &lines),
    };
    let document_language = detect(&words(format, text));
    let chunks = pack::pack(text, &lines, &outline, format.limits())
        .into_iter()
        .filter_map(|(first, last)| {
            let range = LineRange::new(number(first), number(last));
            let body = text.get(lines.bytes(range)?)?.to_owned();
            let searched = words(format, &body);
            if searched.trim().is_empty() {
                return None;
            }
            let language = match format {
                Format::Avap => "avap".to_owned(),
                Format::Code("tsx") => "typescript".to_owned(),
                Format::Code(language) => language.to_owned(),
                _ => {
                    let detected = detect(&searched).or(document_language);
                    detected.map_or("", Language::code).to_owned()
                }
            };
            Some(Chunk {
                lines: range,
                headings: outline.path_of(text, &lines, first, last),
                language,
                text: body,
            })
        })
        .collect();
    Chunked { title: outline.title, tags: outline.tags, chunks }
}

/// Words of a passage that are searched and embedded: its text without markup, code between back-ticks.
#[must_use]
pub fn words(format: Format, text: &str) -> Cow<'_, str> {
    match format {
        Format::Html => Cow::Owned(html::words(text)),
        Format::Notebook => notebook::words(text),
        Format::Rst => rst::words(text),
        _ => Cow::Borrowed(text),
    }
}

/// Bytes that the front matter of a Markdown file takes, both rulers included; 0 without any.
#[must_use]
pub fn front_matter_bytes(text: &str) -> usize {
    let lines = Lines::of(text);
    markdown::front_end(text, front_matter::read(text, &lines).lines)
}

fn number(index: usize) -> u32 {
    u32::try_from(index + 1).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use super::*;
    use proptest::prelude::*;

    /// Every non-blank line behind `skip` in exactly one chunk, chunk text equal to its lines, file order.
    fn check_cover(format: Format, text: &str) {
        let lines = Lines::of(text);
        let chunked = chunk(format, text);
        let skip = match format {
            Format::Markdown => front_matter::read(text, &lines).lines,
            // What holds markup alone is in no passage.
            Format::Html | Format::Notebook => lines.len(),
            _ => 0,
        };
        let mut covered = vec![0_u8; lines.len()];
        let mut before = 0;
        for chunk in &chunked.chunks {
            assert!(chunk.lines.is_well_formed() && chunk.lines.first > before, "{:?}", chunk.lines);
            before = chunk.lines.last;
            assert_eq!(chunk.text, text[lines.bytes(chunk.lines).unwrap()]);
            for line in chunk.lines.first..=chunk.lines.last {
                covered[line as usize - 1] += 1;
            }
        }
        for (line, count) in covered.iter().enumerate() {
            let blank = lines.line(text, line).trim().is_empty();
            if line >= skip && !blank {
                assert_eq!(*count, 1, "line {} of {text:?}", line + 1);
            }
            assert!(*count <= 1);
        }
    }

    const FORMATS: &[Format] = &[
        Format::Markdown,
        Format::Plain,
        Format::Rst,
        Format::AsciiDoc,
        Format::Html,
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
        "### Deep",
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
        "~~~",
        "    indented",
        "| a | b |",
        "|---|---|",
        "| 1 | 2 |",
        "> quote",
        "> ```",
        "<div>",
        "</div>",
        "<!-- comment",
        "-->",
        "[ref]: https://example.org",
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
        "<h2>Part</h2>",
        "<p>Words <b>in</b> a page.</p>",
        "<script>",
        "</script>",
        "<pre",
        "\"cells\": [",
        "{\"cell_type\": \"markdown\", \"source\": [\"# A\"]},",
        "\"bare\\n\",",
    ];

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]
        #[test]
        fn every_format_covers_each_line_once(
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
                let _ = words(*format, &text);
            }
        }
    }

    #[test]
    fn formats_are_told_by_extension() {
        assert_eq!(Format::of_path("docs/a.MD"), Some(Format::Markdown));
        assert_eq!(Format::of_path("x/y.avap"), Some(Format::Avap));
        assert_eq!(Format::of_path("src/lib.rs"), Some(Format::Code("rust")));
        assert_eq!(Format::of_path("a.html"), Some(Format::Html));
        assert_eq!(Format::of_path("a.png"), None);
        assert_eq!(Format::of_path("Makefile"), None);
    }

    #[test]
    fn the_page_lists_every_ending() {
        let page = include_str!("../../../docs/ingest.md");
        let rows = page.lines().skip_while(|line| !line.starts_with("| format |")).skip(2);
        let mut listed = 0;
        for row in rows.take_while(|line| line.starts_with('|')) {
            let endings =
                row.split('|').nth(2).unwrap().split(',').map(|ending| ending.trim().trim_matches('`'));
            for ending in endings {
                assert!(Format::of_path(&format!("a.{ending}")).is_some(), "{ending}");
                listed += 1;
            }
        }
        assert_eq!(listed, DOCUMENTS.len() + LANGUAGES.len());
        for (limits, what) in [(pack::PROSE, " bytes of prose"), (pack::CODE, " of code")] {
            let (kilo, rest) = (limits.most / 1000, limits.most % 1000);
            let told = format!("{} to {kilo},{rest:03}{what}", limits.least);
            assert!(page.contains(&told), "the page does not say {told}");
        }
        assert_eq!(pack::MARKED_UP.most, 2 * pack::PROSE.most);
        assert!(page.contains(&format!("more than {} bytes between two cells", notebook::MAX_GAP_BYTES)));
    }

    #[test]
    fn front_matter_ends_behind_its_second_ruler() {
        assert_eq!(front_matter_bytes("---\ntitle: é\n---\n# A\n"), "---\ntitle: é\n---\n".len());
        assert_eq!(front_matter_bytes("# A\n---\nb: c\n---\n"), 0);
    }

    #[test]
    fn an_empty_file_has_no_passage() {
        for format in FORMATS {
            assert_eq!(chunk(*format, "\n \n").chunks, []);
            assert_eq!(chunk(*format, "").chunks, []);
        }
    }
}
