//! In a near copy: what stands exactly where the source has something else, or nothing.

use super::facing::{Facing, facings};
use super::names::{acronym, holds_name};
use super::negation::{
    excepts, in_case, is_negator, names_a_case, negated, only_alike, optional_alike, says_word,
    softly_negative,
};
use super::opposites::{against, elsewhere, says_the_same, turned};
use super::{Case, Mismatch, Strength, contradiction, is_entity, phrase};
use crate::align::Alignment;
use crate::index::Analysed;
use crate::lexicon::{rivals, synonymous};
use crate::lists;
use crate::numbers::Quantity;
use crate::quantifiers::{self, Quantifier};
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

/// Looks at every place where a near copy differs; at most one mismatch a place.
pub(super) fn exchanged(
    case: &Case<'_>,
    best: &Analysed,
    alignment: &Alignment,
    near_copy: bool,
    found: &mut Vec<Mismatch>,
) {
    for at in facings(case.claim, best, alignment) {
        let place = Place { case, claim: case.claim, best, alignment, at };
        let first = || {
            place
                .denied()
                .or_else(|| place.figures())
                .or_else(|| place.named())
                .or_else(|| place.entity())
                .or_else(|| place.opposite())
                .or_else(|| place.quantified())
                .or_else(|| place.noun())
        };
        // Away from near copies only what stands between shared words is looked at.
        if (near_copy || place.at.framed)
            && let Some(mismatch) = first()
        {
            found.push(mismatch);
        }
    }
}

impl Place<'_> {
    /// Whether a word of the claim has its own in the sentence.
    fn aligned(&self, at: usize) -> bool {
        self.alignment.pairs.binary_search_by_key(&at, |pair| pair.0).is_ok()
    }

    fn mine(&self, test: impl Fn(usize) -> bool) -> Option<usize> {
        self.at.claim.clone().find(|at| test(*at))
    }

    fn theirs(&self, test: impl Fn(usize) -> bool) -> Option<usize> {
        self.at.source.clone().find(|at| test(*at))
    }

    /// Whether this is the only place where the claim has content that is not aligned.
    fn only(&self) -> bool {
        (0..self.claim.tokens.len()).all(|at| {
            self.at.claim.contains(&at)
                || self.claim.weights[at] <= 0.0
                || self.alignment.pairs.binary_search_by_key(&at, |pair| pair.0).is_ok()
        })
    }

    /// The words of a side with the one behind them.
    fn said(words: &Analysed, from: usize, range: &Range<usize>) -> String {
        phrase(&words.tokens, from..=range.end.min(words.tokens.len() - 1))
    }

    /// A denial on one side only, with nothing else beside it.
    fn denied(&self) -> Option<Mismatch> {
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
        let even = super::deny_alike(claim, best)
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
            || super::negation::required_alike(claim, best)
            || (pair.0.is_some() && super::negation::denied_beside(self.case))
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
                Some(contradiction(
                    "negation",
                    &Self::said(claim, at, &self.at.claim),
                    &phrase(&best.tokens, start..=start),
                ))
            }
            (None, Some(at))
                if !softly_negative(claim, true, |at| says_word(best, &claim.tokens[at]))
                    && !(self.at.claim.start..self.at.claim.end + 3).any(|at| {
                        at < claim.tokens.len() && is_negator(&claim.tokens, at) && !self.aligned(at)
                    }) =>
            {
                let start = self.at.claim.end.min(claim.tokens.len() - 1);
                Some(contradiction(
                    "negation",
                    &phrase(&claim.tokens, start..=start),
                    &Self::said(best, at, &self.at.source),
                ))
            }
            _ => None,
        }
    }

    /// A figure that faces another one.
    fn figures(&self) -> Option<Mismatch> {
        let meets =
            |figure: &Quantity, range: &Range<usize>| figure.first < range.end && range.start <= figure.last;
        let own = self.claim.quantities.iter().filter(|figure| meets(figure, &self.at.claim));
        for figure in own {
            let faced: Vec<&Quantity> =
                self.best.quantities.iter().filter(|other| meets(other, &self.at.source)).collect();
            if faced.is_empty()
                && let Some(mismatch) = self.counted(figure)
            {
                return Some(mismatch);
            }
            let [other] = faced.as_slice() else { continue };
            // An equal figure elsewhere in the texts counts unless it is aligned with one of its own.
            let free_in_source =
                |other: &Quantity| !self.alignment.pairs.iter().any(|(_, place)| *place == other.first);
            let free_in_claim = |own: &Quantity| {
                self.alignment.pairs.binary_search_by_key(&own.first, |pair| pair.0).is_err()
            };
            let known =
                self.best.quantities.iter().any(|other| other.equals(figure) && free_in_source(other));
            let kept = self.claim.quantities.iter().any(|own| own.equals(other) && free_in_claim(own));
            let one_of = figure.soft
                && self
                    .claim
                    .tokens
                    .get(figure.last + 1)
                    .is_some_and(|next| matches!(next.norm.as_str(), "of" | "de"));
            // Where both texts have both figures the claim goes another way.
            let both = self.best.quantities.iter().any(|held| held.equals(figure))
                && self.claim.quantities.iter().any(|own| own.equals(other));
            if one_of || both || super::figures::has_twin(self.case, figure) {
                continue;
            }
            // "one" and "two" may count nothing: both must.
            let counts = !figure.soft && !other.soft || figure.soft && other.soft || self.at.framed;
            if counts
                && !figure.equals(other)
                && !known
                && !kept
                && !super::figures::is_reference(&self.claim.tokens, figure)
                && !super::figures::is_conversion(self.claim, figure)
            {
                return Some(contradiction(
                    "number",
                    &phrase(&self.claim.tokens, figure.first..=figure.last),
                    &phrase(&self.best.tokens, other.first..=other.last),
                ));
            }
        }
        None
    }

    /// "Skips ten rows" where the source has a plain word in that place and no sentence beside it has the figure.
    fn counted(&self, figure: &Quantity) -> Option<Mismatch> {
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
            contradiction("number", &said, &other.text)
        })
    }

    /// A name of code or a path that faces another one.
    fn named(&self) -> Option<Mismatch> {
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
        let rule = if one.kind == TokenKind::Path { "path" } else { "identifier" };
        Some(contradiction(rule, &one.text, &two.text))
    }

    /// A proper name that faces another one, each of one word or several.
    fn entity(&self) -> Option<Mismatch> {
        let claim = self.claim;
        let names = |words: &Analysed, range: &Range<usize>, test: &dyn Fn(usize) -> bool| -> Vec<usize> {
            let content: Vec<usize> = range.clone().filter(|at| words.tokens[*at].content()).collect();
            if content.iter().all(|at| test(*at)) { content } else { Vec::new() }
        };
        let capital = |at: usize| is_entity(&self.best.tokens, at) || self.best.tokens[at].capital;
        let mine = names(claim, &self.at.claim, &|at| is_entity(&claim.tokens, at));
        let theirs = names(self.best, &self.at.source, &capital);
        let (one, two) = (&claim.tokens[*mine.first()?], &self.best.tokens[*theirs.first()?]);
        let same = mine.iter().any(|at| {
            let token = &claim.tokens[*at];
            acronym(token, self.best)
                || theirs.iter().any(|place| {
                    let other = &self.best.tokens[*place];
                    token.prefix == other.prefix
                        || acronym(other, claim)
                        || other.norm.starts_with(&token.norm)
                        || token.norm.starts_with(&other.norm)
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
        Some(contradiction("entity", &one.text, &two.text))
    }

    /// A word that faces its opposite.
    fn opposite(&self) -> Option<Mismatch> {
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
        let relational = lists::RELATIONAL.contains(&one.norm.as_str()) && turned(claim, at, best, place);
        let excused = relational
            || says_the_same(claim, at, best, self.alignment)
            || (both && !self.only())
            || !super::deny_alike(claim, best)
            || (!super::strict_copy(self.alignment) && elsewhere(self.case, at));
        (negated(&claim.tokens, at) == negated(&best.tokens, place) && !excused)
            .then(|| contradiction("opposite", &one.text, &two.text))
    }

    /// A quantifier or modal that faces another one, or nothing at all.
    fn quantified(&self) -> Option<Mismatch> {
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
                    && !super::quantifiers::mirrored(claim, *own, best, *other)
                    && even(*at, *place)
                    && !super::quantifiers::stands(claim, *at, best)
                    && !super::quantifiers::within(claim, *at, best, *place)
                    && !mine.iter().any(|(_, own)| own == other)
                {
                    return Some(contradiction(
                        "quantifier",
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
            return Some(contradiction("quantifier", &claim.tokens[*at].text, &best.tokens[place].text));
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
            return Some(contradiction("quantifier", &claim.tokens[at].text, &best.tokens[*place].text));
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
            || (*own == Quantifier::Only && only_alike(claim, best));
        // "You must restart it" says what "Restart it" does; "the whole" and "each" fall into place by themselves.
        (nothing && alone && self.at.framed && !repeated && self.at.claim.start > 0).then(|| Mismatch {
            strength: Strength::Contradicts,
            rule: "quantifier",
            reason: format!(
                "quantifier: the claim says \"{}\", which the source does not",
                Self::said(claim, *at, &self.at.claim)
            ),
            sure: false,
        })
    }

    /// Whether the source denies what a "never" or "nothing" of the claim denies, in its own way.
    fn denied_already(&self, at: usize) -> bool {
        let (claim, best) = (self.claim, self.best);
        if matches!(claim.tokens[at].norm.as_str(), "nothing" | "nobody" | "none" | "nada" | "nadie") {
            return super::denials(best) > 0 || softly_negative(best, true, |_| false);
        }
        let behind =
            self.alignment.pairs.iter().find(|(mine, place)| *mine > at && best.tokens[*place].content());
        behind.is_some_and(|(_, place)| negated(&best.tokens, *place))
    }

    /// A word of the same kind, or a noun of another place of the sources, where this sentence has a noun of its own.
    fn noun(&self) -> Option<Mismatch> {
        let (claim, best) = (self.claim, self.best);
        let content = |words: &Analysed, range: &Range<usize>| -> Vec<usize> {
            range.clone().filter(|at| words.tokens[*at].content()).collect()
        };
        let (mine, theirs) = (content(claim, &self.at.claim), content(best, &self.at.source));
        let (at, place) = (*mine.last()?, *theirs.last()?);
        let (one, two) = (&claim.tokens[at], &best.tokens[place]);
        let said = |words: &Analysed, places: &[usize]| {
            places.iter().map(|at| words.tokens[*at].text.as_str()).collect::<Vec<_>>().join(" ")
        };
        let exchanged = || contradiction("exchange", &said(claim, &mine), &said(best, &theirs));
        let single = mine.len() == 1 && theirs.len() == 1;
        let absent = !best.holds(one.stem) && !claim.holds(two.stem);
        if single && absent && rivals(one.stem, two.stem) {
            return Some(exchanged());
        }
        let plain = |token: &Token| token.kind == TokenKind::Word && !token.code;
        let strange = mine.len() <= 3
            && theirs.len() <= 3
            && mine.iter().all(|at| {
                let token = &claim.tokens[*at];
                let apart = theirs.iter().all(|place| best.tokens[*place].prefix != token.prefix);
                plain(token)
                    && !best.says(token.stem)
                    && apart
                    && self.case.scope.has(self.case.index, token.stem)
            })
            && theirs.iter().all(|place| {
                let token = &best.tokens[*place];
                plain(token) && !claim.says(token.stem)
            });
        let weighs = one.weight >= 3.0 && two.weight >= 2.5;
        if !(self.at.framed && strange && weighs)
            || mine.iter().any(|at| super::nearby(self.case, claim.tokens[*at].stem))
        {
            return None;
        }
        let placed = |words: &Analysed, at: usize| at > 0 && is_article(&words.tokens[at - 1]);
        let both = placed(claim, mine[0]) && placed(best, theirs[0]);
        // Everything else that the claim says stands in the same order in the sentence.
        let open = (0..claim.tokens.len()).filter(|at| {
            claim.weights[*at] > 0.0 && self.alignment.pairs.binary_search_by_key(at, |pair| pair.0).is_err()
        });
        let alone = open.count() <= mine.len() + 1 && self.alignment.pairs.len() >= 4;
        let copied = alone || self.alignment.share >= 0.8;
        (both && copied && ends_like_a_noun(&one.norm)).then(exchanged)
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

/// Words before a noun.
fn is_article(token: &Token) -> bool {
    matches!(
        token.norm.as_str(),
        "the"
            | "a"
            | "an"
            | "this"
            | "its"
            | "each"
            | "every"
            | "their"
            | "el"
            | "la"
            | "los"
            | "las"
            | "un"
            | "una"
            | "del"
            | "al"
            | "cada"
            | "su"
    )
}

/// Whether a word does not end as adverbs, participles and gerunds do.
fn ends_like_a_noun(word: &str) -> bool {
    !["ing", "ly", "ed", "mente", "ando", "iendo"].iter().any(|ending| word.ends_with(ending))
}
