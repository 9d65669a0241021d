//! Exact rules: what a claim says otherwise than the sentence it is held against, each with a reason that a person can read.
//!
//! A rule looks at one [`Case`] and at nothing that another rule found. What it finds either contradicts the claim (the sentence
//! holds something else in that place) or adds to it (no source holds it); [`decisive`] says which finding decides alone, all of
//! them are measures of the fitted models. `tools/train/ablate` prints what each rule is worth.
//!
//! Rules run for every claim against up to three sentences, and again for its parts: what can be known of a word is found once, when
//! it is read ([`crate::tokens`], [`crate::flags`]).

mod case;
mod copied;
mod denials;
mod differing;
mod direction;
mod exchange;
mod figures;
mod finding;
mod names;
mod negation;
mod opposites;
mod parts;
mod quantifiers;
mod unheld;
mod versions;

pub(crate) use case::Case;
pub(crate) use denials::denials;
pub(crate) use finding::{Effect, Finding, Kind, Strength, decisive, hardest};
pub(crate) use parts::parts;
pub(crate) use quantifiers::bound_words_missing;

use crate::ablation;

/// A rule.
trait Rule: Sync {
    /// Its name, in `tools/train/ablate` too.
    fn name(&self) -> &'static str;

    /// What it finds in a claim and the sentences that bear on it.
    fn judge(&self, case: &Case<'_>) -> Vec<Finding>;
}

/// All rules; of findings that are equally hard the first one is told.
const RULES: &[&dyn Rule] = &[
    &exchange::Exchange,
    &figures::Figures,
    &versions::Versions,
    &names::Names,
    &negation::Negation,
    &quantifiers::Quantifiers,
    &direction::Direction,
    &copied::Copied,
    &unheld::Unheld,
];

/// Names of all rules.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    RULES.iter().map(|rule| rule.name())
}

/// What the rules find, hardest first.
pub(crate) fn findings(case: &Case<'_>) -> Vec<Finding> {
    let used = RULES.iter().filter(|rule| ablation::uses(rule.name()));
    let mut found: Vec<Finding> = used.flat_map(|rule| rule.judge(case)).collect();
    found.sort_by_key(|finding| std::cmp::Reverse(finding.strength));
    found
}
