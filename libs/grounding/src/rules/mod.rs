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

/// The name of a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RuleName {
    /// One place of a near copy that says something else.
    Exchange,
    /// One place of a verbatim copy, whatever else the claim says.
    Copied,
    /// A figure of another value for the same thing.
    Figures,
    /// An identifier or a path in the place of another.
    Names,
    /// A denial on one side only.
    Negation,
    /// How much, how often, how binding.
    Quantifiers,
    /// The same words with their sides turned round.
    Direction,
    /// A figure or a name that no source holds.
    Unheld,
    /// A version written otherwise: 3.1 for 3.10.
    Versions,
}

impl RuleName {
    /// Every rule.
    pub(crate) const ALL: [Self; 9] = [
        Self::Exchange,
        Self::Copied,
        Self::Figures,
        Self::Names,
        Self::Negation,
        Self::Quantifiers,
        Self::Direction,
        Self::Unheld,
        Self::Versions,
    ];

    /// Its name in `tools/train/ablate`.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Exchange => "exchange",
            Self::Copied => "copied",
            Self::Figures => "figures",
            Self::Names => "names",
            Self::Negation => "negation",
            Self::Quantifiers => "quantifiers",
            Self::Direction => "direction",
            Self::Unheld => "unheld",
            Self::Versions => "versions",
        }
    }
}

/// A rule.
trait Rule: Sync {
    /// Its name.
    fn name(&self) -> RuleName;

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

/// What the rules find, hardest first.
pub(crate) fn findings(case: &Case<'_>) -> Vec<Finding> {
    let used = RULES.iter().filter(|rule| ablation::uses(rule.name()));
    let mut found: Vec<Finding> = used.flat_map(|rule| rule.judge(case)).collect();
    found.sort_by_key(|finding| std::cmp::Reverse(finding.strength));
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_that_of_one_rule() {
        for name in RuleName::ALL {
            assert_eq!(RULES.iter().filter(|rule| rule.name() == name).count(), 1, "{}", name.as_str());
        }
        assert_eq!(RULES.len(), RuleName::ALL.len());
    }
}
