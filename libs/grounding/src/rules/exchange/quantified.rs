//! Quantifiers and modals in a place that a near copy changes.

use super::{Place, before_not};
use crate::index::Analysed;
use crate::negators::negated;
use crate::quantifiers::{self, Quantifier};
use crate::rules::denials::denials;
use crate::rules::negation::only_alike;
use crate::rules::{Finding, Kind, Strength};
use crate::tags::is_entity;
use std::ops::Range;

impl Place<'_> {
    /// A quantifier or modal that faces another one, or nothing at all.
    pub(super) fn quantified(&self) -> Option<Finding> {
        let (claim, best) = (self.claim, self.best);
        let class = |words: &Analysed, range: &Range<usize>| -> Vec<(usize, Quantifier)> {
            range
                .clone()
                .filter_map(|at| quantifiers::class(&words.tokens, at).map(|class| (at, class)))
                .collect()
        };
        let (mine, theirs) = (class(claim, &self.at.claim), class(best, &self.at.source));
        let even = |at: usize, place: usize| negated(&claim.tokens, at) == negated(&best.tokens, place);
        for (at, own) in &mine {
            for (place, other) in &theirs {
                // "Must not" and "cannot" forbid alike.
                let forbidden = negated(&claim.tokens, *at) || before_not(&claim.tokens, *at);
                let modal = |class: Quantifier| {
                    matches!(class, Quantifier::Must | Quantifier::May | Quantifier::Should)
                };
                let free = |words: &Analysed, at: usize| quantifiers::obliges_by_having(&words.tokens[at]);
                if forbidden && modal(*own) && modal(*other) && free(claim, *at) == free(best, *place) {
                    continue;
                }
                // "Will always" for "may", "will never" for "can".
                let often = |words: &Analysed, at: usize| {
                    matches!(words.tokens[at].norm.as_str(), "always" | "siempre" | "never" | "nunca")
                };
                let ever = (often(claim, *at) && *other == Quantifier::May)
                    || (often(best, *place) && *own == Quantifier::May);
                if (own.conflicts(*other) || ever)
                    && !crate::rules::quantifiers::mirrored(claim, *own, best, *other)
                    && even(*at, *place)
                    && !crate::rules::quantifiers::stands(claim, *at, best)
                    && !mine.iter().any(|(_, own)| own == other)
                {
                    return Some(Finding::contradicts(
                        Kind::Quantifier,
                        &claim.tokens[*at].text,
                        &best.tokens[*place].text,
                    ));
                }
            }
        }
        let each = |at: usize| matches!(claim.tokens[at].norm.as_str(), "each" | "cada");
        // "All holders are needed" where the source says "three of five holders".
        let part = |at: usize| {
            let token = &best.tokens[at];
            let counted = best.quantities.iter().any(|figure| figure.first == at);
            (counted || token.named() || is_entity(&best.tokens, at)) && !claim.holds(token.stem)
        };
        if let (Some((at, _)), Some(place)) =
            (mine.iter().find(|(at, own)| *own == Quantifier::All && !each(*at)), self.theirs(part))
            && self.at.framed
            && !self.at.claim.clone().any(|at| claim.quantities.iter().any(|figure| figure.first == at))
        {
            return Some(Finding::contradicts(
                Kind::Quantifier,
                &claim.tokens[*at].text,
                &best.tokens[place].text,
            ));
        }
        let single = |words: &Analysed, at: usize| {
            let another = words.tokens.get(at + 1).is_some_and(|next| next.norm == "another");
            !another
                && matches!(words.tokens[at].norm.as_str(), "one" | "single" | "un" | "una" | "uno" | "unico")
        };
        let every = |class: Quantifier| {
            matches!(class, Quantifier::All | Quantifier::Any | Quantifier::Many | Quantifier::Some)
        };
        if let Some(at) = self.mine(|at| single(claim, at))
            && let Some((place, _)) = theirs.iter().find(|(_, class)| every(*class))
            && mine.iter().all(|(_, class)| *class == Quantifier::Only)
            && self.at.framed
            && !matches!(claim.tokens[at].norm.as_str(), "un" | "una")
        {
            return Some(Finding::contradicts(
                Kind::Quantifier,
                &claim.tokens[at].text,
                &best.tokens[*place].text,
            ));
        }
        // Put in where the source goes straight on.
        // "Only half", "only three" say no less than "half" and "three".
        let counts = |at: usize| {
            claim.quantities.iter().any(|figure| (at + 1..at + 3).contains(&figure.first))
                || claim.tokens.get(at + 1).is_some_and(|next| next.norm == "half")
        };
        let (at, own) = mine.iter().find(|(at, own)| {
            own.changes(&claim.tokens[*at].norm) && !(*own == Quantifier::Only && counts(*at))
        })?;
        let nothing = theirs.is_empty() && self.at.source.clone().all(|at| best.tokens[at].stop);
        let alone = self
            .at
            .claim
            .clone()
            .all(|at| claim.tokens[at].stop || mine.iter().any(|(place, _)| *place == at));
        let repeated = quantifiers::classes(&best.tokens).iter().any(|(_, other)| other == own)
            || (*own == Quantifier::None && self.denied_already(*at))
            || (*own == Quantifier::Only && (only_alike(claim, best) || denials(best) > denials(claim)));
        // "You must restart it" says what "Restart it" does; "the whole" and "each" fall into place by themselves.
        (nothing && alone && self.at.framed && !repeated && self.at.claim.start > 0).then(|| {
            let said = Self::said(claim, *at, &self.at.claim);
            Finding::puts_in(Strength::Contradicts, Kind::Quantifier, &said)
        })
    }
}
