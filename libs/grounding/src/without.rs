//! Rules and word lists that a run leaves out, to measure what they are worth: chosen once, before anything is judged.

use std::sync::OnceLock;

/// Rules by the stable word of their reasons.
const RULES: &[&str] = &[
    "addition",
    "binding",
    "direction",
    "entity",
    "exception",
    "exchange",
    "identifier",
    "negation",
    "number",
    "opposite",
    "order",
    "path",
    "quantifier",
    "unit",
    "word",
];

/// Word lists by name.
const LISTS: &[&str] =
    &["synonyms", "phrases", "opposites", "kinds", "forms", "apart", "weights", "idf", "novelty"];

static WITHOUT: OnceLock<String> = OnceLock::new();

/// Leaves out `rule:NAME` or `list:NAME` for the rest of the process.
///
/// # Errors
/// If nothing is called so, or something was left out before.
pub fn leave_out(part: &str) -> Result<(), String> {
    if !parts().iter().any(|known| known == part) {
        return Err(format!("nothing is called {part}: name one of {}", parts().join(", ")));
    }
    WITHOUT.set(part.to_owned()).map_err(|part| format!("{part} comes too late: a part is left out already"))
}

/// All parts that can be left out.
#[must_use]
pub fn parts() -> Vec<String> {
    let rules = RULES.iter().map(|rule| format!("rule:{rule}"));
    rules.chain(LISTS.iter().map(|list| format!("list:{list}"))).collect()
}

/// Whether a rule is used.
pub(crate) fn uses(rule: &str) -> bool {
    WITHOUT.get().is_none_or(|part| part.strip_prefix("rule:") != Some(rule))
}

/// A word list; empty where it is left out.
pub(crate) fn list(name: &str, text: &'static str) -> &'static str {
    let left_out = WITHOUT.get().is_some_and(|part| part.strip_prefix("list:") == Some(name));
    if left_out { "" } else { text }
}
