//! Denials in a place that a near copy changes.

use super::{Place, fails};
use crate::index::Analysed;
use crate::negators::{is_negator, negated};
use crate::rules::case::phrase;
use crate::rules::denials::{denials, deny_alike};
use crate::rules::negation::{
    both_deny, denied_beside, denies_so, elliptic, excepts, in_case, names_a_case, only_alike,
    optional_alike, required_alike, says_word, softly_negative,
};
use crate::rules::opposites::opposed;
use crate::rules::{Finding, Kind};
use std::ops::Range;

impl Place<'_> {
    /// A denial on one side only, with nothing else beside it.
    pub(super) fn denied(&self) -> Option<Finding> {
        let (claim, best) = (self.claim, self.best);
        let denies = |words: &Analysed, range: &Range<usize>| {
            range.clone().find(|at| is_negator(&words.tokens, *at) || fails(&words.tokens, *at))
        };
        let bare = |words: &Analysed, range: &Range<usize>| {
            range.clone().all(|at| {
                let token = &words.tokens[at];
                token.stop || token.class.is_some() || token.norm.ends_with("n't") || fails(&words.tokens, at)
            })
        };
        let pair = (denies(claim, &self.at.claim), denies(best, &self.at.source));
        // "No migration was needed" and "A migration was not needed" deny alike.
        let even = deny_alike(claim, best)
            && !pair.0.is_some_and(|at| fails(&claim.tokens, at))
            && !pair.1.is_some_and(|at| fails(&best.tokens, at));
        if even || !bare(claim, &self.at.claim) || !bare(best, &self.at.source) {
            return None;
        }
        // Another sentence with a denial, or a claim that goes on with other words, says it in its own way.
        let open = |at: &usize| {
            self.claim.weights[*at] > 0.0
                && self.alignment.pairs.binary_search_by_key(at, |pair| pair.0).is_err()
                && !self.at.claim.contains(at)
        };
        // "After each change of A, not after a change of B": what is denied is said of another thing as well.
        let part = |at: usize| {
            best.tokens.get(at + 1).is_some_and(|next| {
                matches!(
                    next.norm.as_str(),
                    "after"
                        | "before"
                        | "for"
                        | "in"
                        | "with"
                        | "on"
                        | "by"
                        | "from"
                        | "to"
                        | "at"
                        | "en"
                        | "con"
                        | "para"
                        | "por"
                        | "de"
                        | "al"
                )
            })
        };
        let again = pair.1.is_some_and(part)
            && best.tokens.get(self.at.source.end).is_some_and(|denied| {
                (0..best.tokens.len()).any(|at| {
                    at != self.at.source.end
                        && best.tokens[at].stem == denied.stem
                        && !negated(&best.tokens, at)
                })
            });
        if again
            || optional_alike(claim, best)
            || only_alike(claim, best)
            || required_alike(claim, best)
            || (pair.0.is_some() && denied_beside(self.case))
            || pair.0.is_some_and(|at| denies_so(self.case, at))
            || both_deny(claim, best)
            || elliptic(claim)
            || opposed(claim, best)
            || (0..claim.tokens.len()).filter(open).count() > 1
            || (pair.0.is_none() && excepts(claim, best))
        {
            return None;
        }
        match pair {
            (Some(at), None)
                if !in_case(&claim.tokens, at)
                    && !softly_negative(best, names_a_case(claim, self.alignment), |at| {
                        claim.holds(best.tokens[at].stem)
                    }) =>
            {
                let start = self.at.source.end.min(best.tokens.len() - 1);
                Some(Finding::contradicts(
                    Kind::Negation,
                    &Self::said(claim, at, &self.at.claim),
                    &phrase(&best.tokens, start..=start),
                ))
            }
            (None, Some(at))
                if !softly_negative(claim, true, |at| says_word(best, &claim.tokens[at]))
                    && !(self.at.claim.start..self.at.claim.end + 3).any(|at| {
                        at < claim.tokens.len() && is_negator(&claim.tokens, at) && !self.case.aligned(at)
                    }) =>
            {
                let start = self.at.claim.end.min(claim.tokens.len() - 1);
                Some(Finding::contradicts(
                    Kind::Negation,
                    &phrase(&claim.tokens, start..=start),
                    &Self::said(best, at, &self.at.source),
                ))
            }
            _ => None,
        }
    }

    /// Whether the source denies what a "never" or "nothing" of the claim denies, in its own way.
    pub(super) fn denied_already(&self, at: usize) -> bool {
        let (claim, best) = (self.claim, self.best);
        if matches!(claim.tokens[at].norm.as_str(), "nothing" | "nobody" | "none" | "nada" | "nadie") {
            return denials(best) > 0 || softly_negative(best, true, |_| false);
        }
        let behind =
            self.alignment.pairs.iter().find(|(mine, place)| *mine > at && best.tokens[*place].content());
        behind.is_some_and(|(_, place)| negated(&best.tokens, *place))
    }
}
