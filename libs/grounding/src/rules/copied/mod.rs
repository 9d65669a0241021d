//! One place where a claim differs from a sentence that it repeats word for word on both sides of it.
//!
//! Other rules look at whole claims and sentences, so that what is joined to a copy, or said in other words elsewhere in the
//! claim, excuses them. Here only the words right beside the place count: where they are the same, in the same order and
//! with nothing between them, what stands in the place stands for the same thing.

mod exchanged;

use super::case::phrase;
use super::denials::deny_alike;
use super::opposites::against;
use super::{Case, Finding, Kind, Rule};
use crate::align::{Alignment, Gap, align};
use crate::index::Analysed;
use crate::negators::is_negator;
use crate::quantifiers::{self, Quantifier};
use crate::tokens::Token;
use std::ops::Range;

/// Longest place, in tokens, of either text.
const PLACE: usize = 4;
/// Least number of tokens beside a place that are the same, both sides together, and how many of them have content.
const FRAME: (usize, usize) = (5, 2);
/// The same for a noun that may name what a sentence shortly before calls otherwise, or whose clause is longer than the copy.
const LONG: (usize, usize) = (8, 4);
/// Least share of the clause around a place that must be the same.
const CLAUSE: f64 = 0.8;
/// Least weight of a noun that stands for another one, and of that one.
const WEIGHT: f64 = 1.0;

/// A place of a claim and of a sentence, with how far the words beside it are the same.
struct Slot<'a> {
    case: &'a Case<'a>,
    claim: &'a Analysed,
    source: &'a Analysed,
    alignment: &'a Alignment,
    gap: &'a Gap,
}

/// One place of a verbatim copy, of the best sentence or of another one that bears on the claim.
pub(super) struct Copied;

impl Rule for Copied {
    fn name(&self) -> &'static str {
        "copied"
    }

    fn judge(&self, case: &Case<'_>) -> Vec<Finding> {
        let (Some(best), alignment) = (case.first(), &case.alignment) else { return Vec::new() };
        let differs_elsewhere = || {
            let tokens = &case.claim.tokens;
            let compound = alignment.pairs.len() < tokens.len()
                && tokens.iter().skip(1).any(|token| token.after_break || token.is(crate::flags::PART));
            if !compound {
                return None;
            }
            // A sentence that has little of what the best one lacks need not be aligned.
            let open = (0..tokens.len()).filter(|at| tokens[*at].content() && !case.aligned(*at));
            let open: Vec<u64> = open.map(|at| tokens[at].stem).collect();
            let bears =
                |other: &&&Analysed| open.iter().filter(|stem| other.holds(**stem)).count() >= FRAME.1;
            let mut others = case.evidence.iter().skip(1).filter(bears);
            others.find_map(|other| differs(case, other, &align(case.claim, other), Some(alignment)))
        };
        differs(case, best, alignment, None).or_else(differs_elsewhere).into_iter().collect()
    }
}

/// The first place that differs. `told` is the alignment with a better sentence, which must not hold the place.
fn differs(
    case: &Case<'_>,
    source: &Analysed,
    alignment: &Alignment,
    told: Option<&Alignment>,
) -> Option<Finding> {
    if alignment.pairs.len() < FRAME.0 {
        return None;
    }
    alignment.gaps.iter().find_map(|gap| {
        let slot = Slot { case, claim: case.claim, source, alignment, gap };
        if gap.claim.len() > PLACE || gap.source.len() > PLACE || !slot.framed() {
            return None;
        }
        if told.is_some_and(|told| slot.held_by(told)) {
            return None;
        }
        let mismatch = slot
            .denied()
            .or_else(|| slot.bounded())
            .or_else(|| slot.opposite())
            .or_else(|| slot.exchanged())
            .or_else(|| slot.renamed())?;
        (!slot.stands()).then_some(mismatch)
    })
}

impl Slot<'_> {
    /// Number of tokens right before the place that are the same, and how many of them have content.
    fn left(&self) -> (usize, usize) {
        let (mine, theirs) = (self.gap.claim.start, self.gap.source.start);
        self.run((1..=mine.min(theirs)).map(|back| (mine - back, theirs - back)))
    }

    /// The same right behind it.
    fn right(&self) -> (usize, usize) {
        let (mine, theirs) = (self.gap.claim.end, self.gap.source.end);
        let most = (self.claim.tokens.len() - mine).min(self.source.tokens.len() - theirs);
        self.run((0..most).map(|on| (mine + on, theirs + on)))
    }

    fn run(&self, places: impl Iterator<Item = (usize, usize)>) -> (usize, usize) {
        let aligned = |(mine, theirs): &(usize, usize)| {
            let at = self.alignment.pairs.binary_search_by_key(mine, |pair| pair.0);
            at.is_ok_and(|at| self.alignment.pairs[at].1 == *theirs)
        };
        places.take_while(aligned).fold((0, 0), |(tokens, content), (mine, _)| {
            (tokens + 1, content + usize::from(self.claim.tokens[mine].content()))
        })
    }

    /// Whether enough words beside the place are the same, some on each side, or both texts begin or end there.
    fn framed(&self) -> bool {
        let (left, right) = (self.left(), self.right());
        let opens = |words: &Analysed, at: usize| at == 0 || words.tokens[at].after_break;
        let ends = |words: &Analysed, at: usize| words.tokens.get(at).is_none_or(|token| token.after_break);
        let begins = opens(self.claim, self.gap.claim.start.min(self.claim.tokens.len() - 1))
            && opens(self.source, self.gap.source.start.min(self.source.tokens.len() - 1));
        let closes = ends(self.claim, self.gap.claim.end) && ends(self.source, self.gap.source.end);
        (left.0 > 0 || begins)
            && (right.0 > 0 || closes)
            && left.0 + right.0 >= FRAME.0
            && left.1 + right.1 >= FRAME.1
    }

    /// Whether so many words beside the place are the same that nothing but it is said otherwise.
    fn long(&self) -> bool {
        let (left, right) = (self.left(), self.right());
        left.0 + right.0 >= LONG.0 && left.1 + right.1 >= LONG.1
    }

    /// Share of the weight of the clause around the place, without the place itself, that is aligned with the sentence.
    fn clause(&self) -> f64 {
        let tokens = &self.claim.tokens;
        let first = self.gap.claim.start.min(tokens.len() - 1);
        let start = (0..=first).rev().find(|at| tokens[*at].after_break).unwrap_or(0);
        let end = (first + 1..tokens.len()).find(|at| tokens[*at].after_break).unwrap_or(tokens.len());
        let (mut all, mut held) = (0.0, 0.0);
        for at in (start..end).filter(|at| !self.gap.claim.contains(at)) {
            all += self.claim.weights[at];
            if self.alignment.pairs.binary_search_by_key(&at, |pair| pair.0).is_ok() {
                held += self.claim.weights[at];
            }
        }
        if all > 0.0 { held / all } else { 0.0 }
    }

    /// Whether both texts deny equally often where they differ.
    fn even(&self) -> bool {
        let count = |words: &Analysed, range: fn(&Gap) -> &Range<usize>| -> usize {
            self.alignment.gaps.iter().map(|gap| Self::negators(words, range(gap))).sum()
        };
        count(self.claim, |gap| &gap.claim) == count(self.source, |gap| &gap.source)
    }

    /// Whether another sentence holds the claim where this one does not.
    fn held_by(&self, told: &Alignment) -> bool {
        let mine = &self.gap.claim;
        let around = mine.start.saturating_sub(1)..(mine.end + 1).min(self.claim.tokens.len());
        let held = around.clone().filter(|at| told.pairs.binary_search_by_key(at, |pair| pair.0).is_ok());
        held.count() * 2 > around.len()
    }

    /// Whether some source has the place as the claim has it, with two words on either side.
    fn stands(&self) -> bool {
        let mine = &self.gap.claim;
        let (first, last) = (mine.start.saturating_sub(2), (mine.end + 2).min(self.claim.tokens.len()));
        let mut said = String::from(" ");
        for token in &self.claim.tokens[first..last] {
            said.push_str(&token.norm);
            said.push(' ');
        }
        self.case
            .scope
            .sources()
            .filter_map(|source| self.case.index.passages.get(source))
            .any(|passage| passage.says(&said))
    }

    fn mine(&self) -> &[Token] {
        &self.claim.tokens[self.gap.claim.clone()]
    }

    fn theirs(&self) -> &[Token] {
        &self.source.tokens[self.gap.source.clone()]
    }

    /// What a text says at the place, with the word behind it where it says nothing.
    fn said(words: &Analysed, range: &Range<usize>) -> String {
        let last = words.tokens.len() - 1;
        phrase(&words.tokens, range.start.min(last)..=range.end.min(last))
    }

    fn against(&self, kind: Kind) -> Finding {
        Finding::contradicts(
            kind,
            &Self::said(self.claim, &self.gap.claim),
            &Self::said(self.source, &self.gap.source),
        )
    }

    /// Negators of a text in a range.
    fn negators(words: &Analysed, range: &Range<usize>) -> usize {
        range.clone().filter(|at| is_negator(&words.tokens, *at)).count()
    }

    /// A denial on one side, with nothing of content beside it, and none elsewhere that would make up for it.
    fn denied(&self) -> Option<Finding> {
        let (mine, theirs) =
            (Self::negators(self.claim, &self.gap.claim), Self::negators(self.source, &self.gap.source));
        let words = self.mine().iter().chain(self.theirs());
        let bare = words.clone().all(|token| {
            !token.content()
                || token.norm.ends_with("n't")
                || matches!(token.norm.as_str(), "longer" | "indeed" | "ever")
        });
        let bound = |words: &Analysed, range: &Range<usize>| {
            range.clone().any(|at| {
                quantifiers::class(&words.tokens, at).is_some_and(|class| class != Quantifier::None)
            })
        };
        let soft = words
            .clone()
            .any(|token| token.is(crate::flags::SOFT) || matches!(token.norm.as_str(), "rather" | "than"));
        if mine + theirs != 1
            || !bare
            || soft
            || self.clause() < CLAUSE
            || bound(self.claim, &self.gap.claim)
            || bound(self.source, &self.gap.source)
        {
            return None;
        }
        let (words, at) = if mine == 1 {
            (self.claim, self.gap.claim.clone().find(|at| is_negator(&self.claim.tokens, *at))?)
        } else {
            (self.source, self.gap.source.clone().find(|at| is_negator(&self.source.tokens, *at))?)
        };
        // "Or not", "not … but": the denial goes on elsewhere.
        let before = at.checked_sub(1).map_or("", |at| words.tokens[at].norm.as_str());
        let goes_on = words.tokens.iter().skip(at).take(12).any(|token| token.norm == "sino");
        if matches!(before, "or" | "o" | "whether" | "why" | "if" | "and" | "y" | "but" | "pero") || goes_on {
            return None;
        }
        // A denial that has gone from one place may stand in another.
        let elsewhere = self.alignment.gaps.iter().filter(|gap| *gap != self.gap).any(|gap| {
            let (range, words) =
                if mine == 1 { (&gap.source, self.source) } else { (&gap.claim, self.claim) };
            Self::negators(words, range) > 0
                || words.tokens[range.clone()].iter().any(|token| token.is(crate::flags::SOFT))
        });
        (!elsewhere).then(|| self.against(Kind::Negation))
    }

    /// How much, how often or how binding, on both sides.
    fn bounded(&self) -> Option<Finding> {
        let classes = |words: &Analysed, range: &Range<usize>| -> Vec<Quantifier> {
            range.clone().filter_map(|at| quantifiers::class(&words.tokens, at)).collect()
        };
        let theirs = classes(self.source, &self.gap.source);
        // "Up to 10 without a permit" where "more than 10 need a permit".
        if theirs.is_empty() || !deny_alike(self.claim, self.source) {
            return None;
        }
        let mine = classes(self.claim, &self.gap.claim);
        let plain = |words: &Analysed, range: &Range<usize>| {
            range.clone().all(|at| {
                let token = &words.tokens[at];
                !token.content() || quantifiers::class(&words.tokens, at).is_some()
            })
        };
        if !plain(self.claim, &self.gap.claim) || !plain(self.source, &self.gap.source) {
            return None;
        }
        // "Must not" and "may not" forbid alike; "need not" and "may not" do not.
        let denies = |at: Option<usize>| {
            at.is_some_and(|at| at < self.claim.tokens.len() && is_negator(&self.claim.tokens, at))
        };
        let forbidden = denies(Some(self.gap.claim.end)) || denies(self.gap.claim.start.checked_sub(1));
        let frees = |words: &[Token]| {
            words.iter().any(|token| {
                matches!(token.norm.as_str(), "need" | "have" | "has" | "tiene" | "tienen" | "hay")
            })
        };
        let freed = frees(self.mine()) != frees(self.theirs());
        let modal =
            |class: &Quantifier| matches!(class, Quantifier::Must | Quantifier::May | Quantifier::Should);
        let negators =
            Self::negators(self.claim, &self.gap.claim) == Self::negators(self.source, &self.gap.source);
        let clash = mine.iter().any(|own| {
            theirs.iter().any(|other| {
                let both = modal(own) && modal(other);
                let always = |one: Quantifier, two: Quantifier| {
                    one == Quantifier::May && matches!(two, Quantifier::All | Quantifier::None)
                };
                let clashes = own.conflicts(*other) || always(*own, *other) || always(*other, *own);
                clashes && (!both || negators) && !(both && forbidden && !freed)
            })
        });
        let shared = mine.iter().any(|own| theirs.contains(own));
        // "Only when" and "even when".
        let even =
            |words: &[Token]| words.iter().any(|token| matches!(token.norm.as_str(), "even" | "incluso"));
        let widened = theirs.contains(&Quantifier::Only) && even(self.mine()) && self.clause() >= CLAUSE;
        ((clash && !shared && self.clause() >= CLAUSE) || widened).then(|| self.against(Kind::Quantifier))
    }

    /// A word and its opposite.
    fn opposite(&self) -> Option<Finding> {
        if !self.even() || self.clause() < CLAUSE {
            return None;
        }
        let content = |words: &[Token]| words.iter().filter(|token| token.content()).count();
        if content(self.mine()) > 2 || content(self.theirs()) > 2 {
            return None;
        }
        self.gap.claim.clone().find_map(|at| {
            let others = against(&self.claim.tokens, at);
            let own = &self.claim.tokens[at];
            // Where both words stand in a text the claim may only have gone another way.
            let both = self.source.tokens.iter().any(|token| token.stem == own.stem);
            let other = self.theirs().iter().find(|token| others.binary_search(&token.stem).is_ok());
            other.filter(|_| !both).map(|other| Finding::contradicts(Kind::Opposite, &own.text, &other.text))
        })
    }
}
