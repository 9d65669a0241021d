//! Languages: a name to its grammar, and a program to a verdict with diagnostics of one shape. Pure: knows nothing of
//! gRPC, and time only as a question that it asks while it works.

mod avap;
mod blocks;
mod codes;
mod detect;
mod explain;
mod go;
mod java;
mod javascript;
mod json;
mod python;
mod quotes;
mod rust;
mod shell;
mod sitter;
mod sql;
mod toml;
mod walk;
mod yaml;

use assay_domain::code::{Category, Diagnostic, Severity};

pub use blocks::{FoundBlock, blocks};
pub use codes::{Meaning, meaning};
pub use detect::detect;

/// How AVAP is read.
pub type AvapOptions = assay_avap::Options;

/// What came of parsing a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// It was parsed.
    Parsed {
        /// Whether there is no error.
        valid: bool,
        /// Findings in text order.
        diagnostics: Vec<Diagnostic>,
    },
    /// There is no grammar for the language.
    NoGrammar,
    /// The caller said stop before the end.
    Stopped,
}

impl Outcome {
    fn parsed(diagnostics: Vec<Diagnostic>) -> Self {
        let valid = !diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error);
        Self::Parsed { valid, diagnostics }
    }
}

/// Asked now and then while a program is parsed; `true` ends it.
pub type Stop<'a> = &'a dyn Fn() -> bool;

#[derive(Clone, Copy)]
enum Backend {
    Avap,
    Json,
    Shell,
    Sql,
    Toml,
    Yaml,
    Sitter(&'static sitter::Grammar),
}

struct Entry {
    name: &'static str,
    aliases: &'static [&'static str],
    backend: Backend,
}

const LANGUAGES: &[Entry] = &[
    Entry { name: "avap", aliases: &[], backend: Backend::Avap },
    Entry { name: "bash", aliases: &["sh", "shell", "zsh", "ksh", "shellscript"], backend: Backend::Shell },
    Entry { name: "go", aliases: &["golang"], backend: Backend::Sitter(&sitter::GO) },
    Entry { name: "java", aliases: &[], backend: Backend::Sitter(&sitter::JAVA) },
    Entry {
        name: "javascript",
        aliases: &["js", "jsx", "mjs", "cjs", "node", "nodejs", "ecmascript"],
        backend: Backend::Sitter(&sitter::JAVASCRIPT),
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
    Entry { name: "tsx", aliases: &[], backend: Backend::Sitter(&sitter::TSX) },
    Entry {
        name: "typescript",
        aliases: &["ts", "mts", "cts"],
        backend: Backend::Sitter(&sitter::TYPESCRIPT),
    },
    Entry { name: "yaml", aliases: &["yml"], backend: Backend::Yaml },
];

/// Info strings that mark text which is no code.
const NOT_CODE: &[&str] = &[
    "text",
    "console",
    "output",
    "diff",
    "http",
    "mermaid",
    "txt",
    "plaintext",
    "plain",
    "none",
    "terminal",
    "log",
    "shell-session",
    "shellsession",
    "patch",
    "pycon",
    "logs",
    "ascii",
    "tree",
];

/// Languages that carry data rather than a program.
const DATA: &[&str] = &["json", "toml", "yaml", "xml", "csv", "ini", "env", "dotenv", "properties"];

fn entry(language: &str) -> Option<&'static Entry> {
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

/// Whether a declared language is code at all.
#[must_use]
pub fn is_code(language: &str) -> bool {
    !NOT_CODE.contains(&language.trim().to_ascii_lowercase().as_str())
}

/// Whether a language carries data rather than a program; data beside a program is not the wrong language.
#[must_use]
pub fn is_data(language: &str) -> bool {
    DATA.contains(&canonical(language).as_str())
}

/// Parses a program in a named language. `stop` is asked while a large program is parsed.
#[must_use]
pub fn parse(language: &str, code: &str, options: &AvapOptions, stop: Stop<'_>) -> Outcome {
    let Some(entry) = entry(language) else { return Outcome::NoGrammar };
    if stop() {
        return Outcome::Stopped;
    }
    match entry.backend {
        Backend::Avap => Outcome::parsed(avap::parse(code, options)),
        Backend::Json => Outcome::parsed(json::parse(code)),
        Backend::Shell => Outcome::parsed(shell::parse(code)),
        Backend::Toml => Outcome::parsed(toml::parse(code)),
        Backend::Yaml => Outcome::parsed(yaml::parse(code)),
        Backend::Sql => sql::parse(code, stop).map_or(Outcome::Stopped, Outcome::parsed),
        Backend::Sitter(grammar) => {
            sitter::parse(grammar, code, stop).map_or(Outcome::Stopped, Outcome::parsed)
        }
    }
}

/// A byte offset as line and column, both from 1, the column in Unicode scalar values.
fn position(code: &str, offset: usize) -> (u32, u32) {
    let mut offset = offset.min(code.len());
    while !code.is_char_boundary(offset) {
        offset -= 1;
    }
    let before = &code[..offset];
    let start = before.rfind('\n').map_or(0, |at| at + 1);
    let line = before.bytes().filter(|byte| *byte == b'\n').count() + 1;
    let column = before[start..].chars().count() + 1;
    (u32::try_from(line).unwrap_or(u32::MAX), u32::try_from(column).unwrap_or(u32::MAX))
}

/// An error over a byte range; its end is cut to the first line.
fn error(
    code: &str,
    range: std::ops::Range<usize>,
    id: String,
    category: Category,
    message: String,
) -> Diagnostic {
    let (line, column) = position(code, range.start);
    let text = code.get(range).unwrap_or_default();
    let width = text.chars().take_while(|c| !matches!(c, '\n' | '\r')).count();
    Diagnostic {
        line,
        column,
        end_column: column.saturating_add(u32::try_from(width).unwrap_or(u32::MAX)),
        severity: Severity::Error,
        category,
        code: id,
        message,
        suggestion: None,
        help: None,
    }
}

/// The first line of a text, at most 40 characters of it, for messages.
fn clip(text: &str) -> String {
    let line = text.trim_start().lines().next().unwrap_or_default().trim_end();
    if line.chars().count() <= 40 {
        return line.to_owned();
    }
    let mut out: String = line.chars().take(39).collect();
    out.push('…');
    out
}
