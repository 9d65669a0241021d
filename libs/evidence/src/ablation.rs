//! Parts that a run leaves out, to measure what they are worth: chosen once, before anything is judged.

use std::sync::OnceLock;

/// Word lists by name.
pub const LISTS: &[&str] = &["synonyms", "phrases", "opposites", "kinds", "forms", "apart", "weights", "idf"];

static ABLATED: OnceLock<String> = OnceLock::new();

/// Leaves out parts for the rest of the process, several with commas between: `list:NAME`, and what else the caller knows.
///
/// # Errors
/// If something was left out before.
pub fn leave_out(parts: &str) -> Result<(), String> {
    ABLATED.set(parts.to_owned()).map_err(|part| format!("{part} comes too late: a part is left out already"))
}

/// Whether a part is left out, by its kind and name: `list`, `idf`.
#[must_use]
pub fn leaves_out(kind: &str, name: &str) -> bool {
    let is = |part: &str| part.split_once(':') == Some((kind, name));
    ABLATED.get().is_some_and(|parts| parts.split(',').any(is))
}

/// A word list; empty where it is left out.
pub(crate) fn list(name: &str, text: &'static str) -> &'static str {
    if leaves_out("list", name) { "" } else { text }
}
