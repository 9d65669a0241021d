//! What stands around a word: whether something else in its clause turns it, softens it, or makes a noun of it.

use super::senses;
use crate::flags;
use crate::tokens::Token;
use std::ops::Range;

/// Whether a token is one of a few words.
pub(super) fn is_one(token: Option<&Token>, list: &[&str]) -> bool {
    token.is_some_and(|token| list.contains(&token.norm.as_str()))
}

/// Whether a clause has a word that denies by its meaning beside a token, or words that may: "is left out", "stays off".
/// What the other text denies is no such word: "deleting it is safe" against "never delete it".
pub(super) fn turned_otherwise(
    tokens: &[Token],
    clause: &Range<usize>,
    but: usize,
    opposite: &Token,
) -> bool {
    clause.clone().filter(|at| *at != but && !tokens[*at].means(opposite)).any(|at| {
        let token = &tokens[at];
        token.is(flags::SOFT) && !token.is(flags::CONDITIONAL)
            || matches!(
                token.norm.as_str(),
                "out"
                    | "off"
                    | "away"
                    | "instead"
                    | "against"
                    | "apart"
                    | "last"
                    | "least"
                    | "fuera"
                    | "contra"
            )
            || senses::of(token).iter().any(|(_, affirms)| !affirms)
    })
}

/// Whether a token stands where a noun does: "the disposal", "support for".
pub(super) fn nominal(tokens: &[Token], at: usize) -> bool {
    let before = at.checked_sub(1).filter(|_| !tokens[at].after_break).and_then(|before| tokens.get(before));
    let behind = tokens.get(at + 1).filter(|next| !next.after_break);
    let to = is_one(before, &["to"])
        && !at.checked_sub(2).is_some_and(|two| {
            is_one(
                tokens.get(two),
                &["able", "has", "have", "had", "need", "needs", "allowed", "possible", "is", "are"],
            )
        });
    to || is_one(
        before,
        &[
            "the", "a", "an", "of", "for", "with", "after", "before", "during", "by", "in", "on", "at",
            "from", "tras", "en", "any", "your", "its", "their", "el", "un", "una", "del", "de", "para",
            "con", "su", "sus", "por",
        ],
    ) || is_one(behind, &["for", "of", "de", "del"])
}

/// Whether a clause speaks of some things only: "most people", "algunos clientes".
pub(super) fn of_some(tokens: &[Token], range: &Range<usize>) -> bool {
    tokens[range.clone()].iter().any(|token| {
        matches!(
            token.norm.as_str(),
            "most"
                | "some"
                | "few"
                | "many"
                | "several"
                | "sometimes"
                | "often"
                | "usually"
                | "mostly"
                | "algunos"
                | "algunas"
                | "muchos"
                | "muchas"
                | "mayoria"
                | "pocos"
                | "pocas"
                | "might"
                | "could"
                | "rarely"
                | "seldom"
        )
    })
}

/// Whether a clause says only that something may be: "the court may deny it".
pub(super) fn may(tokens: &[Token], range: &Range<usize>) -> bool {
    tokens[range.clone()]
        .iter()
        .any(|token| matches!(token.norm.as_str(), "can" | "may" | "puede" | "pueden"))
}

/// Whether a stretch says that something comes about with nobody's help: "by itself", "on its own", "automatically".
pub(super) fn unaided(tokens: &[Token], range: Range<usize>) -> bool {
    range.into_iter().any(|at| {
        let own = |word: &str| {
            let before = |back: usize| at.checked_sub(back).map_or("", |before| tokens[before].norm.as_str());
            match word {
                "itself" | "themselves" | "yourself" => before(1) == "by",
                "own" => before(2) == "on",
                "solo" | "sola" | "solos" | "solas" => {
                    matches!(before(1), "si") || tokens.get(at + 1).is_none_or(|next| next.after_break)
                }
                "automatically" | "automaticamente" | "spontaneously" | "unaided" => true,
                _ => false,
            }
        };
        own(&tokens[at].norm)
    })
}

/// Whether a word only tells which things a clause speaks of: "what you delete", "files that are deleted".
pub(super) fn of_which(tokens: &[Token], at: usize) -> bool {
    (at.saturating_sub(3)..at).rev().take_while(|before| !tokens[before + 1].after_break).any(|before| {
        is_one(tokens.get(before), &["what", "whatever", "that", "which", "who", "que", "quien"])
    })
}
