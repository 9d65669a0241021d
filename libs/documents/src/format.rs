//! What a file is, told by its name and, where that leaves it open, by its text.

use assay_domain::SourceKind;

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
    /// A manual page, in the macros `man` or `mdoc`.
    Man,
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
        let (stem, extension) = name.rsplit_once('.')?;
        let extension = extension.to_ascii_lowercase();
        if matches!(extension.as_bytes(), [b'1'..=b'9']) && !stem.is_empty() {
            return Some(Self::Man);
        }
        let document = DOCUMENTS.iter().find(|(known, _)| *known == extension).map(|(_, format)| *format);
        let code =
            || LANGUAGES.iter().find(|(known, _)| *known == extension).map(|(_, name)| Self::Code(name));
        document.or_else(code)
    }

    /// Format of a file by its name and its text: `.txt` is reStructuredText where it has its marks, as in Django, and a
    /// file that ends in a digit is a manual page only with the macros of one.
    #[must_use]
    pub fn of_file(path: &str, text: &str) -> Option<Self> {
        match Self::of_path(path)? {
            Self::Plain if path.to_ascii_lowercase().ends_with(".txt") && looks_like_rst(text) => {
                Some(Self::Rst)
            }
            Self::Man if !looks_like_man(text) => None,
            format => Some(format),
        }
    }

    /// Format of a source, which may be a part of its file; Markdown without a path or with one of no known format.
    #[must_use]
    pub fn of_source(path: &str, text: &str) -> Self {
        match Self::of_path(path) {
            Some(Self::Plain) => Self::of_file(path, text).unwrap_or(Self::Plain),
            Some(format) => format,
            None => Self::Markdown,
        }
    }

    /// Kind of the sources made from it.
    #[must_use]
    pub const fn kind(self) -> SourceKind {
        match self {
            Self::Avap | Self::Code(_) => SourceKind::Code,
            _ => SourceKind::Doc,
        }
    }
}

/// Whether a text has marks that only reStructuredText has: directives, roles, targets, literal blocks.
fn looks_like_rst(text: &str) -> bool {
    let directive = |line: &str| {
        line.trim_start().strip_prefix(".. ").is_some_and(|rest| {
            rest.starts_with(['_', '|'])
                || rest.split_once("::").is_some_and(|(name, _)| {
                    !name.is_empty()
                        && name
                            .chars()
                            .all(|c| c.is_alphanumeric() || matches!(c, '-' | ':' | '_' | '.' | '+'))
                })
        })
    };
    let role = |line: &str| {
        line.match_indices(":`").any(|(at, _)| {
            let before = &line[..at];
            let name = before
                .rsplit(|c: char| !(c.is_alphanumeric() || matches!(c, '-' | ':')))
                .next()
                .unwrap_or("");
            name.starts_with(':') && name.len() > 1
        })
    };
    let literal = |line: &str| {
        let inside = line.trim_end().strip_suffix("``");
        inside.is_some_and(|inside| !inside.ends_with('`') && inside.contains("``"))
    };
    let reference = |line: &str| {
        let open = line.find('`').unwrap_or(line.len());
        line.match_indices("`_").any(|(at, mark)| {
            let after = line.get(at + mark.len()..).unwrap_or("").trim_start_matches('_').chars().next();
            at > open && after.is_none_or(|c| !c.is_alphanumeric())
        })
    };
    text.lines().any(|line| directive(line) || role(line) || literal(line) || reference(line))
}

/// Whether a text has the marks of a manual page near its top: a comment of roff, a title, a heading, or the name of the
/// page that it stands for.
fn looks_like_man(text: &str) -> bool {
    const MARKS: [&str; 9] = [".\\\"", "'\\\"", ".so ", ".TH ", ".SH", ".Dd", ".Dt ", ".Sh ", ".ig"];
    text.lines().take(200).any(|line| MARKS.iter().any(|mark| line.starts_with(mark)))
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
    ("rest", Format::Rst),
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn formats_are_told_by_ending() {
        for (path, format) in [
            ("docs/a.MD", Some(Format::Markdown)),
            ("x/y.avap", Some(Format::Avap)),
            ("src/lib.rs", Some(Format::Code("rust"))),
            ("a.html", Some(Format::Html)),
            ("tool.1", Some(Format::Man)),
            ("a.png", None),
            ("Makefile", None),
        ] {
            assert_eq!(Format::of_path(path), format, "{path}");
        }
    }

    #[test]
    fn the_page_lists_every_ending() {
        let page = include_str!("../../../docs/ingest.md");
        let rows = page.lines().skip_while(|line| !line.starts_with("| format |")).skip(2);
        let mut listed = 0;
        for row in rows.take_while(|line| line.starts_with('|')) {
            let endings = row.split('|').nth(2).unwrap().split(',');
            for ending in endings.map(|ending| ending.trim().trim_matches('`')) {
                assert!(Format::of_path(&format!("a.{ending}")).is_some(), "{ending}");
                listed += 1;
            }
        }
        // A row names the digits 1 to 9.
        assert_eq!(listed, DOCUMENTS.len() + LANGUAGES.len() + 9);
    }
}
