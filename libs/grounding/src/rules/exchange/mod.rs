//! Rule `exchange`: a near copy has another word, or an added one, in one place of the sentence.

mod denied;
mod noun;
mod quantified;

use super::case::{NEAR_COPY, SAME_SUBJECT, phrase};
use super::denials::deny_alike;
use super::differing::{Facing, facings};
use super::figures::{has_twin, is_conversion, is_part, is_reference, reckoned};
use super::names::{acronym, holds_name};
use super::opposites::{against, crossed, elsewhere, says_the_same, sides};
use super::{Case, Finding, Kind, Rule};
use crate::align::Alignment;
use crate::index::Analysed;
use crate::lexicon::synonymous;
use crate::negators::{is_negator, negated};
use crate::numbers::Quantity;
use crate::quantifiers;
use crate::share::plainly_aligned;
use crate::share::strict_copy;
use crate::tags::is_entity;
use crate::tokens::{Token, TokenKind};
use std::ops::Range;

/// Claim and source sentence at one place.
struct Place<'a> {
    case: &'a Case<'a>,
    claim: &'a Analysed,
    best: &'a Analysed,
    alignment: &'a Alignment,
    at: Facing,
}

/// One place of a near copy that says something else; at most one finding a place.
pub(super) struct Exchange;

impl Rule for Exchange {
    fn name(&self) -> &'static str {
        "exchange"
    }

    fn judge(&self, case: &Case<'_>) -> Vec<Finding> {
        let (claim, Some(best), alignment) = (case.claim, case.first(), &case.alignment) else {
            return Vec::new();
        };
        let near_copy = plainly_aligned(claim, alignment) >= NEAR_COPY;
        let most = alignment.pairs.len() * 5 >= claim.tokens.len() * 3;
        if !near_copy && !most && alignment.share < SAME_SUBJECT {
            return Vec::new();
        }
        // Away from near copies only what stands between shared words is looked at.
        let places = facings(claim, best, alignment).filter(|at| near_copy || at.framed);
        let places = places.map(|at| Place { case, claim, best, alignment, at });
        let differs = |place: Place<'_>| {
            place
                .denied()
                .or_else(|| place.figures())
                .or_else(|| place.named())
                .or_else(|| place.entity())
                .or_else(|| place.opposite())
                .or_else(|| place.quantified())
                .or_else(|| place.noun())
        };
        places.filter_map(differs).collect()
    }
}

impl Place<'_> {
    fn mine(&self, test: impl Fn(usize) -> bool) -> Option<usize> {
        self.at.claim.clone().find(|at| test(*at))
    }

    fn theirs(&self, test: impl Fn(usize) -> bool) -> Option<usize> {
        self.at.source.clone().find(|at| test(*at))
    }

    /// Whether this is the only place where the claim has content that is not aligned.
    fn only(&self) -> bool {
        (0..self.claim.tokens.len())
            .all(|at| self.at.claim.contains(&at) || self.claim.weights[at] <= 0.0 || self.case.aligned(at))
    }

    /// The words of a side with the one behind them.
    fn said(words: &Analysed, from: usize, range: &Range<usize>) -> String {
        phrase(&words.tokens, from..=range.end.min(words.tokens.len() - 1))
    }

    /// A figure that faces another one.
    fn figures(&self) -> Option<Finding> {
        let meets =
            |figure: &Quantity, range: &Range<usize>| figure.first < range.end && range.start <= figure.last;
        let own = self.claim.quantities.iter().filter(|figure| meets(figure, &self.at.claim));
        for figure in own {
            let mut faced = self.best.quantities.iter().filter(|other| meets(other, &self.at.source));
            let first = faced.next();
            if first.is_none()
                && let Some(mismatch) = self.counted(figure)
            {
                return Some(mismatch);
            }
            let (Some(other), None) = (first, faced.next()) else { continue };
            // An equal figure elsewhere in the texts counts unless it is aligned with one of its own.
            let free_in_source =
                |other: &Quantity| !self.alignment.pairs.iter().any(|(_, place)| *place == other.first);
            let free_in_claim = |own: &Quantity| {
                self.alignment.pairs.binary_search_by_key(&own.first, |pair| pair.0).is_err()
            };
            // Where the sentence leaves the unit out, the figure is aligned with its like and the unit with another's, or the
            // unit with the figure that has it unsaid.
            let in_place = |other: &Quantity| {
                other.implied
                    && (figure.first..=figure.last)
                        .any(|at| self.alignment.pairs.contains(&(at, other.first)))
            };
            let known = self
                .best
                .quantities
                .iter()
                .any(|other| other.equals(figure) && (free_in_source(other) || in_place(other)));
            let kept = self.claim.quantities.iter().any(|own| own.equals(other) && free_in_claim(own));
            // Where both texts have both figures the claim goes another way.
            let both = self.best.quantities.iter().any(|held| held.equals(figure))
                && self.claim.quantities.iter().any(|own| own.equals(other));
            if both || is_part(self.claim, figure) || has_twin(self.case, figure) {
                continue;
            }
            // "one" and "two" may count nothing: both must.
            let counts = !figure.soft && !other.soft || figure.soft && other.soft || self.at.framed;
            if counts
                && !figure.equals(other)
                && !known
                && !kept
                && !is_reference(&self.claim.tokens, figure)
                && !is_conversion(self.claim, figure)
                && !reckoned(self.case, figure)
            {
                return Some(Finding::contradicts(
                    Kind::Number,
                    &phrase(&self.claim.tokens, figure.first..=figure.last),
                    &phrase(&self.best.tokens, other.first..=other.last),
                ));
            }
        }
        None
    }

    /// "Skips ten rows" where the source has a plain word in that place and no sentence beside it has the figure.
    fn counted(&self, figure: &Quantity) -> Option<Finding> {
        let inside = self.at.claim.start <= figure.first && figure.last < self.at.claim.end;
        let alone = self.at.claim.len() == figure.last + 1 - figure.first && self.at.source.len() == 1;
        let place = self.at.source.start;
        let other = self.best.tokens.get(place)?;
        let counts = quantifiers::class(&self.best.tokens, place).is_some()
            || matches!(other.norm.as_str(), "pair" | "couple" | "double" | "par" | "doble");
        let held =
            self.case.evidence.iter().any(|words| words.quantities.iter().any(|held| held.equals(figure)));
        let more = figure.value > 1.0
            && !self.case.question.is_some_and(|words| words.holds(crate::numbers::hash(figure.value)));
        (inside && alone && self.at.framed && other.content() && !counts && !held && more).then(|| {
            let said = phrase(&self.claim.tokens, figure.first..=figure.last);
            Finding::contradicts(Kind::Number, &said, &other.text)
        })
    }

    /// A name of code or a path that faces another one.
    fn named(&self) -> Option<Finding> {
        let code = |words: &Analysed, at: usize| {
            let token = &words.tokens[at];
            (token.named() || token.code) && token.content()
        };
        let one = &self.claim.tokens[self.mine(|at| code(self.claim, at))?];
        let two = &self.best.tokens[self.theirs(|at| code(self.best, at))?];
        let short = self.at.claim.len() <= 2 && self.at.source.len() <= 3;
        if !short
            || (self.best.tokens.iter().any(|token| token.stem == one.stem) && !self.only())
            || holds_name(&two.norm, &one.norm)
            || holds_name(&one.norm, &two.norm)
            || self.claim.tokens.iter().any(|token| (token.code || token.named()) && token.stem == two.stem)
        {
            return None;
        }
        let kind = if one.kind == TokenKind::Path { Kind::Path } else { Kind::Identifier };
        Some(Finding::contradicts(kind, &one.text, &two.text))
    }

    /// A proper name that faces another one, each of one word or several.
    fn entity(&self) -> Option<Finding> {
        let claim = self.claim;
        let names = |words: &Analysed, range: &Range<usize>, test: &dyn Fn(usize) -> bool| -> Vec<usize> {
            let content: Vec<usize> = range.clone().filter(|at| words.tokens[*at].content()).collect();
            if content.iter().all(|at| test(*at)) { content } else { Vec::new() }
        };
        let capital = |at: usize| is_entity(&self.best.tokens, at) || self.best.tokens[at].capital;
        let mine = names(claim, &self.at.claim, &|at| is_entity(&claim.tokens, at));
        let one = &claim.tokens[*mine.first()?];
        let theirs = names(self.best, &self.at.source, &capital);
        let two = &self.best.tokens[*theirs.first()?];
        let same = mine.iter().any(|at| {
            let token = &claim.tokens[*at];
            acronym(token, self.best)
                || theirs.iter().any(|place| {
                    let other = &self.best.tokens[*place];
                    token.prefix == other.prefix
                        || acronym(other, claim)
                        || other.norm.starts_with(token.norm.as_str())
                        || token.norm.starts_with(other.norm.as_str())
                        || synonymous(token.stem, other.stem)
                })
        });
        let long = mine.len() > 3 || theirs.len() > 3;
        if same || long || (mine.len() != theirs.len() && !self.at.framed) {
            return None;
        }
        // Its own name may have come earlier in the claim.
        if theirs.iter().all(|place| claim.holds(self.best.tokens[*place].stem)) {
            return None;
        }
        Some(Finding::contradicts(Kind::Entity, &one.text, &two.text))
    }

    /// A word that faces its opposite.
    fn opposite(&self) -> Option<Finding> {
        let (claim, best) = (self.claim, self.best);
        let (at, place) = self.at.claim.clone().find_map(|at| {
            let others = against(&claim.tokens, at);
            self.theirs(|place| others.binary_search(&best.tokens[place].stem).is_ok())
                .map(|place| (at, place))
        })?;
        let (one, two) = (&claim.tokens[at], &best.tokens[place]);
        // Where both words stand in a text the claim may only have gone another way.
        let both =
            best.tokens.iter().any(|t| t.stem == one.stem) || claim.tokens.iter().any(|t| t.stem == two.stem);
        // "No basta con una de débito": the sentence says the claim's own word of what the claim does.
        let (left, right) = sides(&claim.tokens, at);
        let said_there = best.tokens.iter().position(|token| token.stem == one.stem).is_some_and(|own| {
            let theirs = sides(&best.tokens, own);
            [left, right].iter().any(|side| *side != 0 && (*side == theirs.0 || *side == theirs.1))
        });
        let excused = crossed(claim, at, best, place)
            || said_there
            || says_the_same(claim, best, self.alignment)
            || (both && !self.only())
            || !deny_alike(claim, best)
            || (!strict_copy(self.alignment) && elsewhere(self.case, at));
        (negated(&claim.tokens, at) == negated(&best.tokens, place) && !excused)
            .then(|| Finding::contradicts(Kind::Opposite, &one.text, &two.text))
    }
}

/// Whether a token denies the verb behind it: "fails to start", "is unable to start".
pub(super) fn fails(tokens: &[Token], at: usize) -> bool {
    let fails = |at: usize| {
        tokens.get(at).is_some_and(|token| {
            matches!(
                token.norm.as_str(),
                "fail" | "fails" | "failed" | "failing" | "refuse" | "refuses" | "refused" | "unable"
            )
        })
    };
    fails(at) && tokens.get(at + 1).is_some_and(|next| next.norm == "to")
}

/// Whether a negator stands right behind a modal: "must not".
pub(super) fn before_not(tokens: &[Token], at: usize) -> bool {
    at + 1 < tokens.len() && !tokens[at + 1].after_break && is_negator(tokens, at + 1)
}
