//! What a rule finds, and which finding decides alone.

use super::Case;
use super::case::SAME_SUBJECT;
use crate::share::strict_copy;

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
}

impl Finding {
    /// What differs, with a plus where no source holds what the claim says: the name of its cost.
    pub(crate) fn label(&self) -> &'static str {
        match (self.strength, self.kind) {
            (Strength::Contradicts, kind) => kind.as_str(),
            (Strength::Added, Kind::Number) => "number+",
            (Strength::Added, Kind::Identifier | Kind::Path) => "name+",
            (Strength::Added, Kind::Entity) => "entity+",
            (Strength::Added, Kind::Quantifier) => "quantifier+",
            (Strength::Added, _) => "added",
        }
    }

    /// The source says something else in the place of what the claim says.
    pub(super) fn contradicts(kind: Kind, claim: &str, source: &str) -> Self {
        let reason =
            format!("{}: the claim says \"{claim}\" where the source says \"{source}\"", kind.as_str());
        Self { strength: Strength::Contradicts, kind, reason }
    }

    /// The claim says something of its own that the sentence, which it repeats otherwise, does not.
    pub(super) fn puts_in(strength: Strength, kind: Kind, claim: &str) -> Self {
        let reason = format!("{}: the claim says \"{claim}\", which the source does not", kind.as_str());
        Self { strength, kind, reason }
    }

    /// No source holds what the claim says.
    pub(super) fn unheld(kind: Kind, claim: &str) -> Self {
        let reason = format!("{}: no source holds \"{claim}\"", kind.as_str());
        Self { strength: Strength::Added, kind, reason }
    }
}

/// What a finding does by itself, whatever the fitted models say. Any other finding lowers the probability by a fitted cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Effect {
    /// The claim is flagged.
    Flags,
    /// The claim is refused.
    Rejects,
}

/// Least aligned share of a claim that says nothing but what its sentence says.
const WHOLE: f64 = 0.95;

/// The finding that decides alone, and how hard: of equally hard ones the first.
///
/// On every set in which it fires thirty times, a contradiction is right nine times in ten where the claim repeats the sentence but
/// for one place; so is a denial or an opposite in a claim that is aligned as a whole, and another identifier or path anywhere.
/// Fewer cases tell less: identifiers are right from 0.59 up, figures in a strict copy from 0.75 up. Denials and quantifiers
/// elsewhere are wrong more often than right in real answers (ADR 9, "What deciding costs").
pub(crate) fn decisive(case: &Case<'_>, found: &[Finding]) -> Option<(Finding, Effect)> {
    let (copies, whole) = (strict_copy(&case.alignment), case.alignment.share >= WHOLE);
    let effect = |finding: &Finding| match (finding.strength, finding.kind) {
        (Strength::Contradicts, Kind::Identifier | Kind::Path) => Some(Effect::Rejects),
        (Strength::Contradicts, _) if copies => Some(Effect::Rejects),
        (Strength::Contradicts, Kind::Negation | Kind::Opposite) if whole => Some(Effect::Rejects),
        (Strength::Contradicts, Kind::Negation | Kind::Quantifier) => None,
        (Strength::Contradicts, _) => Some(Effect::Flags),
        (Strength::Added, Kind::Identifier | Kind::Path) => Some(Effect::Flags),
        (Strength::Added, Kind::Number) => (case.shared >= SAME_SUBJECT).then_some(Effect::Flags),
        (Strength::Added, _) => None,
    };
    hardest(found.iter().filter_map(|finding| Some((finding.clone(), effect(finding)?))))
}

/// Of decisions the hardest, and what contradicts before what no source holds; of equally hard ones the first.
pub(crate) fn hardest(decided: impl Iterator<Item = (Finding, Effect)>) -> Option<(Finding, Effect)> {
    let rank = |(finding, effect): &(Finding, Effect)| (*effect, finding.strength);
    decided.reduce(|one, two| if rank(&two) > rank(&one) { two } else { one })
}
