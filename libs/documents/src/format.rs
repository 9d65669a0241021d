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
    text.lines()
        .any(|line| directive(line) || role(line) || line.trim_end().ends_with("``") || line.contains("`_"))
}

/// Whether a text has the macros of a manual page: lines that begin with `.` and two letters, or a roff comment.
fn looks_like_man(text: &str) -> bool {
    let macros = text.lines().take(200).filter(|line| {
        line.starts_with(".\\\"")
            || line.starts_with("'\\\"")
            || matches!(line.as_bytes(), [b'.', b'A'..=b'Z', b'A'..=b'Z' | b'a'..=b'z', ..])
    });
    macros.take(2).count() > 0
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
