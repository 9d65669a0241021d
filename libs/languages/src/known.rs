//! Which languages there are: their names, and what reads each.

use super::{javascript, sitter};

/// What reads a language.
#[derive(Clone, Copy)]
pub(super) enum Backend {
    Avap,
    Json,
    Script(&'static javascript::Dialect),
    Shell,
    Sql,
    Toml,
    Yaml,
    Sitter(&'static sitter::Grammar),
}

pub(super) struct Entry {
    /// The one name.
    pub(super) name: &'static str,
    aliases: &'static [&'static str],
    pub(super) backend: Backend,
}

const LANGUAGES: &[Entry] = &[
    Entry { name: "avap", aliases: &[], backend: Backend::Avap },
    Entry { name: "bash", aliases: &["sh", "shell", "zsh", "ksh", "shellscript"], backend: Backend::Shell },
    Entry { name: "go", aliases: &["golang"], backend: Backend::Sitter(&sitter::GO) },
    Entry { name: "java", aliases: &[], backend: Backend::Sitter(&sitter::JAVA) },
    Entry {
        name: "javascript",
        aliases: &["js", "jsx", "mjs", "cjs", "node", "nodejs", "ecmascript"],
        backend: Backend::Script(&javascript::JAVASCRIPT),
    },
    Entry { name: "json", aliases: &[], backend: Backend::Json },
    Entry { name: "python", aliases: &["py", "py3", "python3"], backend: Backend::Sitter(&sitter::PYTHON) },
    Entry { name: "rust", aliases: &["rs"], backend: Backend::Sitter(&sitter::RUST) },
    Entry {
        name: "sql",
        aliases: &["mysql", "postgres", "postgresql", "psql", "sqlite", "plpgsql"],
        backend: Backend::Sql,
    },
    Entry { name: "toml", aliases: &[], backend: Backend::Toml },
    Entry { name: "tsx", aliases: &[], backend: Backend::Script(&javascript::TSX) },
    Entry {
        name: "typescript",
        aliases: &["ts", "mts", "cts"],
        backend: Backend::Script(&javascript::TYPESCRIPT),
    },
    Entry { name: "yaml", aliases: &["yml"], backend: Backend::Yaml },
];

/// Info strings of text that never is code.
const NOT_CODE: &[&str] = &["diff", "http", "mermaid", "patch"];

/// Info strings of plain output, which may hide a program.
const PLAIN: &[&str] = &[
    "text",
    "console",
    "output",
    "txt",
    "plaintext",
    "plain",
    "none",
    "terminal",
    "log",
    "shell-session",
    "shellsession",
    "pycon",
    "logs",
    "ascii",
    "tree",
];

/// Languages that carry data rather than a program.
const DATA: &[&str] = &["json", "toml", "yaml", "xml", "csv", "ini", "env", "dotenv", "properties"];

/// The language of a name, if there is a grammar for it.
pub(super) fn entry(language: &str) -> Option<&'static Entry> {
    let lower = language.trim().to_ascii_lowercase();
    LANGUAGES.iter().find(|entry| entry.name == lower || entry.aliases.contains(&lower.as_str()))
}

/// The languages with a grammar, in alphabetical order.
#[must_use]
pub fn names() -> Vec<&'static str> {
    LANGUAGES.iter().map(|entry| entry.name).collect()
}

/// The one name of a language: that of its grammar, or the given one in lower case where there is none.
#[must_use]
pub fn canonical(language: &str) -> String {
    entry(language).map_or_else(|| language.trim().to_ascii_lowercase(), |entry| entry.name.to_owned())
}

/// Whether an info string may stand on code at all.
pub(super) fn may_be_code(language: &str) -> bool {
    !NOT_CODE.contains(&language.trim().to_ascii_lowercase().as_str())
}

/// Whether an info string names a language, and not plain output.
#[must_use]
pub fn is_language(language: &str) -> bool {
    may_be_code(language) && !PLAIN.contains(&language.trim().to_ascii_lowercase().as_str())
}

/// Whether a language carries data rather than a program; data beside a program is not the wrong language.
#[must_use]
pub fn is_data(language: &str) -> bool {
    DATA.contains(&canonical(language).as_str())
}
