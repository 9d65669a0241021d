//! What a rule finds, and which finding decides alone.

use super::Case;
use super::case::{NEAR_COPY, SAME_SUBJECT};
use crate::share::plainly_aligned;

/// What differs, by the stable word that reasons begin with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A figure.
    Number,
    /// A name of code.
    Identifier,
    /// A path or an address.
    Path,
    /// A proper name.
    Entity,
    /// A word against its opposite.
    Opposite,
    /// A word in the place of another of its kind, or of another thing of the sources.
    Exchange,
    /// A denial.
    Negation,
    /// How much, how often, how binding.
    Quantifier,
    /// Which side of a relation.
    Direction,
}

impl Kind {
    /// Every kind.
    pub(crate) const ALL: [Self; 9] = [
        Self::Number,
        Self::Identifier,
        Self::Path,
        Self::Entity,
        Self::Opposite,
        Self::Exchange,
        Self::Negation,
        Self::Quantifier,
        Self::Direction,
    ];

    /// The word.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Number => "number",
            Self::Identifier => "identifier",
            Self::Path => "path",
            Self::Entity => "entity",
            Self::Opposite => "opposite",
            Self::Exchange => "exchange",
            Self::Negation => "negation",
            Self::Quantifier => "quantifier",
            Self::Direction => "direction",
        }
    }
}

/// How hard a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Strength {
    /// No source holds it.
    Added,
    /// The source holds something else in its place.
    Contradicts,
}

/// What a rule found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Finding {
    /// How hard.
    pub(crate) strength: Strength,
    /// What differs.
    pub(crate) kind: Kind,
    /// Why, in a sentence.
    pub(crate) reason: String,
    /// Whether it decides in a short claim only.
    pub(crate) short_only: bool,
}

impl Finding {
    /// What differs, with a plus where no source holds what the claim says.
    pub(crate) fn label(&self) -> String {
        let plus = if self.strength == Strength::Added { "+" } else { "" };
        format!("{}{plus}", self.kind.as_str())
    }

    /// The source says something else in the place of what the claim says.
    pub(super) fn contradicts(kind: Kind, claim: &str, source: &str) -> Self {
        let reason =
            format!("{}: the claim says \"{claim}\" where the source says \"{source}\"", kind.as_str());
        Self { strength: Strength::Contradicts, kind, reason, short_only: false }
    }

    /// The claim says something of its own that the sentence, which it repeats otherwise, does not.
    pub(super) fn puts_in(strength: Strength, kind: Kind, claim: &str) -> Self {
        let reason = format!("{}: the claim says \"{claim}\", which the source does not", kind.as_str());
        Self { strength, kind, reason, short_only: false }
    }

    /// No source holds what the claim says.
    pub(super) fn unheld(kind: Kind, claim: &str) -> Self {
        let reason = format!("{}: no source holds \"{claim}\"", kind.as_str());
        Self { strength: Strength::Added, kind, reason, short_only: false }
    }
}

/// Longest claim, in tokens, in which a finding about the order of words decides alone.
const SHORT: usize = 16;

/// The first finding that decides alone, whatever the fitted models say.
pub(crate) fn decisive<'f>(case: &Case<'_>, found: &'f [Finding]) -> Option<&'f Finding> {
    let tokens = case.claim.tokens.len();
    found.iter().find(|finding| match (finding.strength, finding.kind) {
        (Strength::Contradicts, _) => tokens <= SHORT || !finding.short_only,
        (Strength::Added, Kind::Identifier | Kind::Path) => true,
        (Strength::Added, Kind::Number) => case.shared >= SAME_SUBJECT,
        (Strength::Added, Kind::Entity) => {
            tokens > 5 && plainly_aligned(case.claim, &case.alignment) >= NEAR_COPY
        }
        (Strength::Added, _) => false,
    })
}
