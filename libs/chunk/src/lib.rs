//! Line-exact chunking: a file becomes passages whose text is exactly some of its lines.
//!
//! Pure and total: no I/O, no clock, no failure. Absent: tokens of an index, hashes, vectors.
//!
//! Every non-blank line of a file (behind its front matter) lies in exactly one passage, passages are in file order,
//! and no passage begins or ends with a blank line. A fence or a table is never split.

mod avap;
mod code;
mod front_matter;
mod lines;
mod markdown;
mod pack;
mod plain;

use assay_domain::{LineRange, SourceKind};
use assay_text::{Language, detect};

pub use lines::Lines;

/// Name and version of the chunker; an index made by another one is chunked again when it is next written.
pub const CHUNKER: &str = "assay-lines/1";

/// What a file is, told by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Markdown, also MDX.
    Markdown,
    /// Running text.
    Plain,
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
        Some(match extension.as_str() {
            "md" | "mdx" | "markdown" => Self::Markdown,
            "txt" | "text" | "rst" | "adoc" | "org" => Self::Plain,
            "avap" => Self::Avap,
            other => Self::Code(LANGUAGES.iter().find(|(known, _)| *known == other)?.1),
        })
    }

    /// Kind of the sources made from it.
    #[must_use]
    pub const fn kind(self) -> SourceKind {
        match self {
            Self::Markdown | Self::Plain => SourceKind::Doc,
            Self::Avap | Self::Code(_) => SourceKind::Code,
        }
    }
}

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
    ("html", "html"),
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
        Format::Avap => avap::outline(text, &lines),
        Format::Code(language) => code::outline(language, text, &lines),
    };
    let limits = if matches!(format, Format::Markdown | Format::Plain) { pack::PROSE } else { pack::CODE };
    let document_language = detect(text);
    let chunks = pack::pack(text, &lines, &outline, limits)
        .into_iter()
        .filter_map(|(first, last)| {
            let range = LineRange::new(number(first), number(last));
            let body = text.get(lines.bytes(range)?)?.to_owned();
            let language = match format {
                Format::Markdown | Format::Plain => {
                    detect(&body).or(document_language).map_or("", Language::code).to_owned()
                }
                Format::Avap => "avap".to_owned(),
                Format::Code("tsx") => "typescript".to_owned(),
                Format::Code(language) => language.to_owned(),
            };
            Some(Chunk {
                lines: range,
                headings: outline.path_of(text, &lines, first, last),
                language,
                text: body,
            })
        })
        .collect();
    Chunked { title: outline.title, chunks }
}

/// What a chunker knows of a file before it is packed: where it may be cut, and what stands above each line.
#[derive(Debug, Clone, Default)]
struct Outline {
    /// Title of the document.
    title: String,
    /// Whether and how well the file may be cut before each line.
    cuts: Vec<Cut>,
    /// Lines that are no part of any passage (front matter), from the start of the file.
    skip: usize,
    /// Paths: first line (from 0) from which each counts, ascending.
    paths: Vec<(usize, Vec<String>)>,
}

impl Outline {
    fn path_at(&self, line: usize) -> &[String] {
        let behind = self.paths.partition_point(|(first, _)| *first <= line);
        behind.checked_sub(1).and_then(|at| self.paths.get(at)).map_or(&[], |(_, path)| path)
    }

    /// The path that covers most bytes of the given lines; the first of equals.
    fn path_of(&self, text: &str, lines: &Lines, first: usize, last: usize) -> Vec<String> {
        let mut weights: Vec<(&[String], usize)> = Vec::new();
        for line in first..=last {
            let path = self.path_at(line);
            let weight = lines.line(text, line).len();
            match weights.iter_mut().find(|(known, _)| *known == path) {
                Some((_, sum)) => *sum += weight,
                None => weights.push((path, weight)),
            }
        }
        let most = weights.iter().map(|(_, weight)| *weight).max().unwrap_or(0);
        weights.iter().find(|(_, weight)| *weight == most).map_or_else(Vec::new, |(path, _)| path.to_vec())
    }
}

/// How well a file may be cut before a line; a higher one is preferred.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Cut {
    /// Inside a fence or a table.
    Never,
    /// Inside a paragraph or a statement.
    Line,
    /// Before an inner block: a list item, a member of a class.
    Inner,
    /// Before a top-level block.
    Block,
    /// Before a heading.
    Section,
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
        let skip = if format == Format::Markdown { front_matter::read(text, &lines).lines } else { 0 };
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
        "end\r",
        "emoji 🦀 ñ",
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
            for format in [Format::Markdown, Format::Plain, Format::Avap, Format::Code("rust"), Format::Code("python"), Format::Code("sql")] {
                check_cover(format, &text);
            }
        }
    }

    #[test]
    fn formats_are_told_by_extension() {
        assert_eq!(Format::of_path("docs/a.MD"), Some(Format::Markdown));
        assert_eq!(Format::of_path("x/y.avap"), Some(Format::Avap));
        assert_eq!(Format::of_path("src/lib.rs"), Some(Format::Code("rust")));
        assert_eq!(Format::of_path("a.png"), None);
        assert_eq!(Format::of_path("Makefile"), None);
    }

    #[test]
    fn an_empty_file_has_no_passage() {
        assert_eq!(chunk(Format::Markdown, "\n \n").chunks, []);
        assert_eq!(chunk(Format::Markdown, "").chunks, []);
    }
}
