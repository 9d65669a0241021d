//! Rules and word lists that a run leaves out, to measure what they are worth: chosen once, before anything is judged.

use crate::rules;
use assay_evidence::ablation;

/// Leaves out parts for the rest of the process: `rule:NAME` and `list:NAME`, several with commas between.
///
/// # Errors
/// If nothing is called so, or something was left out before.
pub fn leave_out(parts: &str) -> Result<(), String> {
    let known = self::parts();
    if let Some(other) = parts.split(',').find(|part| !known.iter().any(|known| known == part)) {
        return Err(format!("nothing is called {other}: name one of {}", known.join(", ")));
    }
    ablation::leave_out(parts)
}

/// All parts that can be left out.
#[must_use]
pub fn parts() -> Vec<String> {
    let rules = rules::names().map(|rule| format!("rule:{rule}"));
    rules.chain(ablation::LISTS.iter().map(|list| format!("list:{list}"))).collect()
}

/// Whether a rule is used.
pub(crate) fn uses(rule: &str) -> bool {
    !ablation::leaves_out("rule", rule)
}
