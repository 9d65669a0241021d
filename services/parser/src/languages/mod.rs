//! Languages: a name to its grammar, and a program to a verdict with diagnostics of one shape. Pure: knows nothing of
//! gRPC, and time only as a question that it asks while it works.
//!
//! Invariants
//! - Every reader and walk of ours takes time linear in the program, or is bounded in what it is asked about. So is what
//!   a grammar's scanner reads ahead; what it keeps of open brackets is not counted and ends at the deadline.
//! - Every one of them asks now and then whether to stop, or is bounded in size because it cannot.
//! - Lines are counted by one table (`place`) for every language.

mod avap;
mod blocks;
mod codes;
mod detect;
mod explain;
mod go;
mod java;
mod javascript;
mod json;
mod known;
mod place;
mod python;
mod quotes;
mod rust;
mod shell;
mod sitter;
mod sql;
mod toml;
mod typical;
mod walk;
mod watch;
mod yaml;

use assay_domain::code::{Diagnostic, Severity, with_line_feeds};

pub use blocks::{Fence, fences};
pub use codes::{Meaning, meaning};
pub use detect::detect;
use known::{Backend, entry};
pub use known::{canonical, is_code, is_data, names};
use place::Source;
use watch::{Halt, TooLarge, Watch};
pub use watch::{Stop, Stopped};

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
    /// The reader of the language cannot be ended while it reads, and so is not asked about as much.
    TooLarge {
        /// What is too large, such as "a YAML stream".
        what: &'static str,
        /// Its bytes.
        bytes: usize,
        /// The most bytes that are read.
        most: usize,
    },
}

fn is_valid(diagnostics: &[Diagnostic]) -> bool {
    !diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error)
}

/// Parses a program in a named language. `stop` is asked while it works.
#[must_use]
pub fn parse(language: &str, code: &str, options: &AvapOptions, stop: Stop<'_>) -> Outcome {
    match find(language, code, options, &Watch::new(stop)) {
        Ok(Some(diagnostics)) => Outcome::Parsed { valid: is_valid(&diagnostics), diagnostics },
        Ok(None) => Outcome::NoGrammar,
        Err(Halt::Stopped) => Outcome::Stopped,
        Err(Halt::Other(TooLarge { what, bytes, most })) => Outcome::TooLarge { what, bytes, most },
    }
}

/// The findings about a program; none if there is no grammar.
fn find(
    language: &str,
    code: &str,
    options: &AvapOptions,
    watch: &Watch<'_>,
) -> Result<Option<Vec<Diagnostic>>, Halt<TooLarge>> {
    let Some(entry) = entry(language) else { return Ok(None) };
    watch.ask()?;
    let lines = with_line_feeds(code);
    let found = match entry.backend {
        Backend::Avap => avap::parse(code, options, watch)?,
        Backend::Json => json::parse(&lines, watch)?,
        Backend::Shell => shell::parse(&lines, watch)?,
        // A carriage return alone is a mistake of its own there.
        Backend::Toml => toml::parse(code, watch)?,
        Backend::Yaml => yaml::parse(&lines, watch)?,
        Backend::Sql => sql::parse(&lines, watch)?,
        Backend::Sitter(grammar) => sitter::parse(grammar, &Source::new(&lines), watch)?,
    };
    Ok(Some(found))
}
