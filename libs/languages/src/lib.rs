//! Languages: a name to its grammar, and a program to a verdict with diagnostics of one shape. Pure: knows nothing of
//! gRPC, and time only as a question that it asks while it works.
//!
//! Invariants
//! - Every reader and walk of ours takes time linear in the program, or is bounded in what it is asked about. So is what
//!   a grammar's scanner reads ahead; what it keeps of open brackets is not counted and ends at the deadline.
//! - Every one of them asks now and then whether to stop, or is bounded in size because it cannot.
//! - No program overflows a stack of [`stack_bytes`]: readers recurse to a bounded depth, or are refused what is deeper.
//!   `services/parser/tests/worst.rs` feeds every reader its worst programs at these bounds.
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
mod placeholders;
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
pub use detect::{detect, hidden};
use known::{Backend, entry};
pub use known::{canonical, is_data, is_language, names};
use place::Source;
pub use placeholders::{Filled, fill};
use watch::{Halt, TooLarge, Watch};
pub use watch::{Stop, Stopped};

/// How AVAP is read.
pub type AvapOptions = assay_avap::Options;

/// Stack that reading a program of so many bytes takes at most. A generated grammar that reads in several ways at once
/// recurses over its tokens, some hundred bytes a level; everything else stays below the first 16 MiB.
#[must_use]
pub const fn stack_bytes(program_bytes: usize) -> usize {
    16 * 1024 * 1024 + 256 * program_bytes
}

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
    /// The program exceeds a bound of the reader of its language and was not read.
    TooLarge {
        /// What is counted, such as "bytes of YAML".
        what: &'static str,
        /// How many the program has.
        size: usize,
        /// The most that are read.
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
        Err(Halt::Other(TooLarge { what, size, most })) => Outcome::TooLarge { what, size, most },
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
        Backend::Script(dialect) => javascript::parse(dialect, &Source::new(&lines), watch)?,
        Backend::Sitter(grammar) => sitter::parse(grammar, &Source::new(&lines), watch)?,
    };
    Ok(Some(found))
}
