//! How much a text denies, and of what both texts speak of.

use crate::index::Analysed;
use crate::negators;

/// Number of words that deny something which the other text speaks of too.
pub(super) fn denials_of(words: &Analysed, other: &Analysed) -> usize {
    (0..words.tokens.len())
        .filter(|at| negators::is_negator(&words.tokens, *at))
        .filter(|at| {
            // "without an excess" denies nothing of a claim that speaks of no excess.
            let beside =
                matches!(words.tokens[*at].norm.as_str(), "without" | "sin" | "no" | "ningun" | "ninguna");
            let target = negators::denied(&words.tokens, *at);
            // "Without requiring an instance restart" denies the restart.
            let lacks = matches!(words.tokens[*at].norm.as_str(), "without" | "sin");
            let reach = (*at + 1..words.tokens.len().min(*at + 6))
                .take_while(|next| !words.tokens[*next].after_break);
            let goes_on = || {
                reach
                    .into_iter()
                    .any(|next| words.tokens[next].content() && other.says(words.tokens[next].stem))
            };
            !beside
                || target.is_none_or(|target| other.says(words.tokens[target].stem))
                || (lacks && goes_on())
        })
        .count()
}

/// Whether two texts deny equally much of what both speak of.
pub(super) fn deny_alike(claim: &Analysed, source: &Analysed) -> bool {
    denials_of(claim, source) == denials_of(source, claim)
}

/// Number of words that deny.
pub(crate) fn denials(words: &Analysed) -> usize {
    (0..words.tokens.len()).filter(|at| negators::is_negator(&words.tokens, *at)).count()
}
