//! What a rule finds, and which finding decides alone.

use super::{NEAR_COPY, SAME_SUBJECT, SAME_WORDS, plain_share, plainly_aligned};
use crate::align::Alignment;
use crate::index::Analysed;

/// How hard a mismatch is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Strength {
    /// No source holds it.
    Added,
    /// The source holds something else in its place.
    Contradicts,
}

/// A mismatch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Mismatch {
    /// How hard.
    pub(crate) strength: Strength,
    /// Stable word for the rule.
    pub(crate) rule: &'static str,
    /// Why, in a sentence.
    pub(crate) reason: String,
    /// Whether it decides however long the claim is.
    pub(crate) sure: bool,
}

impl Mismatch {
    /// Whether it decides in a claim of any length: rules about how things are joined do in short claims only.
    pub(super) fn decides(&self) -> bool {
        self.sure || self.strength == Strength::Contradicts && !matches!(self.rule, "binding" | "direction")
    }

    /// The rule, with a plus where no source holds what the claim says.
    pub(crate) fn label(&self) -> String {
        let plus = if self.strength == Strength::Added { "+" } else { "" };
        format!("{}{plus}", self.rule)
    }
}

/// A contradiction that decides however long the claim is.
pub(super) fn sure(rule: &'static str, claim: &str, source: &str) -> Mismatch {
    Mismatch { sure: true, ..contradiction(rule, claim, source) }
}

/// The source says something else in the place of what the claim says.
pub(super) fn contradiction(rule: &'static str, claim: &str, source: &str) -> Mismatch {
    let reason = format!("{rule}: the claim says \"{claim}\" where the source says \"{source}\"");
    Mismatch { strength: Strength::Contradicts, rule, reason, sure: false }
}

/// Longest claim, in tokens, for which a rule about what stands with what decides alone.
const SHORT: usize = 16;

/// The first mismatch that decides alone, whatever the fitted models say. Rules about single words and figures do in any
/// claim about the same thing; rules about how things are joined only in a short one that the sentence holds nearly whole.
pub(crate) fn decisive<'m>(
    claim: &Analysed,
    best: Option<&Analysed>,
    alignment: &Alignment,
    found: &'m [Mismatch],
) -> Option<&'m Mismatch> {
    if found.is_empty() {
        return None;
    }
    let aligned = plainly_aligned(claim, alignment);
    let shared = best.map_or(0.0, |best| plain_share(claim, best));
    let short = claim.tokens.len() <= SHORT;
    found.iter().find(|mismatch| match (mismatch.strength, mismatch.rule) {
        (Strength::Contradicts, _) if mismatch.sure => true,
        (Strength::Contradicts, "binding") => short && shared >= SAME_WORDS,
        (Strength::Contradicts, "direction") => short && shared >= NEAR_COPY,
        (Strength::Contradicts, _) => true,
        (Strength::Added, _) if mismatch.sure => true,
        (Strength::Added, "word") => true,
        (Strength::Added, "identifier" | "path") => true,
        (Strength::Added, "number") => shared >= SAME_SUBJECT,
        (Strength::Added, "entity") => aligned >= NEAR_COPY && claim.tokens.len() > 5,
        (Strength::Added, _) => false,
    })
}
