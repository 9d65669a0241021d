//! Layer 1: deterministic rules in their order of priority. A higher one always wins.

pub mod chat;
pub mod platform;
pub mod prefixes;

use assay_domain::identity::{Identity, Role};
use assay_domain::question::QueryType;
use regex::Regex;

pub use prefixes::PlatformPrefixes;

use crate::neutral::neutral;
use assay_text::normalize;

/// What the rules say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Decision {
    /// The type.
    pub query_type: QueryType,
    /// The rule that decided.
    pub rule: Rule,
    /// Why, in a phrase.
    pub reason: &'static str,
}

/// Rules of layer 1, in their order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rule {
    /// The caller declared the type.
    Declared,
    /// A registered platform prefix.
    PlatformPrefix,
    /// An account and something that it is measured by.
    PlatformSignal,
    /// A greeting, thanks, or the previous answer once more.
    Words,
}

impl Rule {
    /// Its name in the routing contract; none for one that the contract leaves to us.
    #[must_use]
    pub const fn contract(self) -> Option<&'static str> {
        match self {
            Self::Declared => Some("RC-00"),
            Self::PlatformPrefix => Some("RC-01"),
            Self::PlatformSignal => Some("RC-02"),
            Self::Words => None,
        }
    }
}

/// Whether a declared type is ignored because the caller lacks the role for it (RC-00).
#[must_use]
pub fn declaration_ignored(declared: Option<QueryType>, identity: &Identity) -> bool {
    declared == Some(QueryType::Platform) && !identity.has(Role::Platform)
}

/// Decides a message by rules; none if only a classifier can. The history is not an argument: no rule may see it.
#[must_use]
pub fn decide(
    message: &str,
    declared: Option<QueryType>,
    identity: &Identity,
    prefixes: &PlatformPrefixes,
) -> Option<Decision> {
    let decided = |query_type, rule, reason| Some(Decision { query_type, rule, reason });
    if let Some(query_type) = declared
        && !declaration_ignored(declared, identity)
    {
        return decided(query_type, Rule::Declared, "declared by the caller (RC-00)");
    }
    if identity.has(Role::Platform) && prefixes.matches(message) {
        return decided(QueryType::Platform, Rule::PlatformPrefix, "registered platform prefix (RC-01)");
    }
    let subject = normalize(&prefixes.strip(&neutral(message)));
    if platform::signal(&subject) {
        return decided(QueryType::Platform, Rule::PlatformSignal, "account and metric named (RC-02)");
    }
    // What follows a line break is something to talk about: not the previous answer.
    if !message.trim().contains('\n')
        && let Some(reason) = chat::signal(&subject)
    {
        return decided(QueryType::Conversational, Rule::Words, reason);
    }
    None
}

/// Compiles patterns over folded text; one that does not compile is left out and its table's test fails.
fn compile(patterns: &[&str]) -> Vec<Regex> {
    patterns.iter().filter_map(|pattern| pattern_of(pattern)).collect()
}

/// A pattern over folded text. Its classes mean ASCII: folding has taken accents off, and the tables of Unicode would
/// make every start slow.
pub(crate) fn pattern_of(pattern: &str) -> Option<Regex> {
    let ascii = pattern
        .replace(r"\b", r"(?-u:\b)")
        .replace(r"\w", "[a-z0-9_]")
        .replace(r"\W", "[^a-z0-9_]")
        .replace(r"\s", "[ ]")
        .replace(r"\S", "[^ ]")
        .replace(r"\d", "[0-9]");
    Regex::new(&ascii).ok()
}

fn matches(patterns: &[Regex], text: &str) -> bool {
    patterns.iter().any(|pattern| pattern.is_match(text))
}
