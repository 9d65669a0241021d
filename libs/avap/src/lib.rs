//! The AVAP front end: text to tree and diagnostics, command table, suggestions, example pool. Pure and total: any
//! text gives an answer, nothing is read from outside, no input can overflow a stack.
//!
//! Over 10,000 lines in one crate: a statement, its diagnostics, its fix and its layout read the same grammar and the same command
//! table, and two crates would state both twice.
//!
//! | file | holds |
//! |---|---|
//! | `lexer`, `layout` | text to tokens, tokens to lines |
//! | `expression`, `words` | expressions, and what is wrong with single tokens |
//! | `statement`, `header`, `call`, `condition`, `nested`, `failed` | one line to one statement with at most one error |
//! | `blocks` | openers and closers of the whole file |
//! | `foreign`, `suggest`, `meaning` | other languages, and what AVAP writes instead |
//! | `rules` | warnings that need the whole program |
//! | `format`, `assist` | the canonical layout; what an editor asks |
//! | `commands`, `explain`, `examples` | data: the command table, the explanations of the codes, the example pool |

mod assist;
mod blocks;
mod call;
mod commands;
mod condition;
mod diagnostic;
mod examples;
mod explain;
mod expression;
mod failed;
mod foreign;
mod format;
mod header;
mod layout;
mod lexer;
mod meaning;
mod nested;
mod parser;
mod rules;
mod statement;
mod suggest;
mod syntax;
mod words;

use std::sync::LazyLock;

use sha2::{Digest, Sha256};

pub use assist::{
    CallHelp, Completion, Hover, Proposal, ProposalKind, call_help, complete, definition, hover,
};
pub use commands::{Command, Param, ParamKind, Profile, Profiles, command, commands};
pub use diagnostic::{CODES, Category, Code, Diagnostic, Severity};
pub use examples::{Example, examples};
pub use explain::{Explanation, explain, explanations};
pub use foreign::guess_language;
pub use format::{Formatted, format};
pub use syntax::{BinaryOp, Expr, ExprId, ExprKind, Run, Span, Statement, StatementKind, Tree, UnaryOp};

/// What a program is held against.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// Unclosed blocks and wrong or extra closers are warnings, as the open server runs them.
    pub server_compat: bool,
    /// The profiles that are on.
    pub profiles: Profiles,
}

impl Default for Options {
    fn default() -> Self {
        Self { server_compat: false, profiles: Profile::defaults() }
    }
}

/// What is known about a program after parsing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parsed {
    /// Whether there is no error.
    pub valid: bool,
    /// Errors, warnings and hints in text order; at most one error a line.
    pub diagnostics: Vec<Diagnostic>,
    /// The commands that it uses, each once, in alphabetical order.
    pub commands_used: Vec<&'static str>,
    /// The tree; lines that failed are in it as [`StatementKind::Invalid`].
    pub tree: Tree,
    /// The profiles that were on.
    pub profiles: Profiles,
}

impl Parsed {
    /// The errors, one line of text each, in the form that retry prompts use.
    #[must_use]
    pub fn trace(&self) -> Vec<String> {
        self.diagnostics.iter().filter(|d| d.severity == Severity::Error).map(Diagnostic::render).collect()
    }
}

/// The most bytes of a program that are looked at; a longer one is refused with one diagnostic.
pub const MAX_BYTES: usize = u32::MAX as usize - 1;

/// Parses a program. Total: every text gives a tree and diagnostics.
#[must_use]
pub fn parse(code: &str, options: &Options) -> Parsed {
    parse_until(code, options, &|| false).unwrap_or_else(|| parsed("", options, parser::Outcome::default()))
}

/// As [`parse`], for callers who may not wait for the end: `stop` is asked now and then; `None` if it said so.
#[must_use]
pub fn parse_until(code: &str, options: &Options, stop: &dyn Fn() -> bool) -> Option<Parsed> {
    if code.len() > MAX_BYTES {
        let message = "syntax error: the program is too long";
        let outcome = parser::Outcome {
            findings: vec![diagnostic::Finding::syntax(Code::SPREAD, (0, 0), message)],
            ..parser::Outcome::default()
        };
        return Some(parsed("", options, outcome));
    }
    let outcome = parser::parse(code, options.profiles, options.server_compat, stop)?;
    if stop() {
        return None;
    }
    Some(parsed(code, options, outcome))
}

fn parsed(code: &str, options: &Options, outcome: parser::Outcome) -> Parsed {
    let diagnostics = diagnostic::locate(code, outcome.findings);
    Parsed {
        valid: !diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error),
        diagnostics,
        commands_used: commands::command_names(outcome.commands),
        tree: outcome.tree,
        profiles: options.profiles,
    }
}

/// The line ends of a text: line feeds, and carriage returns that no line feed follows.
fn line_ends(bytes: &[u8]) -> u32 {
    let mut ends = count(bytes, b'\n');
    let returns = count(bytes, b'\r');
    if returns > 0 {
        ends += returns - bytes.windows(2).filter(|pair| pair == b"\r\n").count();
    }
    u32::try_from(ends).unwrap_or(u32::MAX)
}

/// How often a byte occurs; in pieces that a byte can count, so that many are compared at once.
fn count(bytes: &[u8], wanted: u8) -> usize {
    let piece = |piece: &[u8]| piece.iter().fold(0_u8, |sum, byte| sum + u8::from(*byte == wanted));
    bytes.chunks(128).map(|bytes| usize::from(piece(bytes))).sum()
}

/// The words that cannot be used as names.
#[must_use]
pub fn keywords() -> &'static [&'static str] {
    commands::KEYWORDS
}

/// The helpers that may stand in any expression, each with one argument.
#[must_use]
pub fn helpers() -> &'static [&'static str] {
    commands::HELPERS
}

/// The version of the front end.
#[must_use]
pub fn version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}

static GRAMMAR_HASH: LazyLock<String> = LazyLock::new(|| {
    let mut hash = Sha256::new();
    let mut part = |text: &str| {
        hash.update((text.len() as u64).to_le_bytes());
        hash.update(text.as_bytes());
    };
    part(commands::TABLE_TEXT);
    for words in [
        commands::KEYWORDS,
        commands::HELPERS,
        commands::COMPARATORS,
        commands::SPECIAL_NAMES,
        commands::ENDPOINT_METHODS,
    ] {
        part(&words.join(" "));
    }
    for (code, title) in CODES {
        part(&code.text());
        part(title);
    }
    hex::encode(hash.finalize())
});

/// SHA-256, in hexadecimal, over the command table and the grammar's constants: two builds with the same hash accept
/// the same language as far as data decides it.
#[must_use]
pub fn grammar_hash() -> String {
    GRAMMAR_HASH.clone()
}
