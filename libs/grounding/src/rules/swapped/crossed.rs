//! Two things of one sentence, or of two that follow one another, of which the claim has the one with what is said of the other.

use super::{CLAUSE, NAMES, REST, Sides, TAKEN, also, apart, counts, says, thing};
use crate::index::{Analysed, Sentence};
use crate::rules::Mismatch;
use crate::rules::binding::{Clauses, clauses};
use crate::rules::denials_in;
use crate::rules::is_filler;
use crate::rules::standing::{Alike, Standing, closes, is_code, lead, names, placed, with_neighbours};
use std::cell::LazyCell;
use std::ops::Range;

/// Most clauses of a sentence.
const CLAUSES: usize = 8;

impl<'a> Sides<'a> {
    /// Two things of one sentence, or of two that follow one another: the claim has the one with what is said of the other.
    pub(super) fn crossed(&self) -> Option<Mismatch> {
        let words = self.best;
        let (mass, held) = self.beside(None, |token| words.says_token(token));
        if held < REST * mass && (held < TAKEN || self.open().len() > 1) || self.gone().is_empty() {
            return None;
        }
        let here = clauses(words);
        if here.len() > CLAUSES {
            return None;
        }
        let claimed = denials_in(self.claim, 0..self.claim.tokens.len());
        // Only a clause that has a thing which the claim lacks can have lost it to one with a thing that the claim has.
        let loses = |range: &Range<usize>| {
            let first = self.gone().partition_point(|at| *at < range.start);
            let mut gone = self.gone()[first..].iter().take_while(|at| **at < range.end);
            gone.any(|at| thing(words, *at))
                && denials_in(words, range.clone()) == claimed
                && !also(words, range)
        };
        let lost: Clauses = here.iter().filter(|range| loses(range)).cloned().collect();
        if lost.is_empty() {
            return None;
        }
        let here = here.into_iter().filter(|_| held >= REST * mass).map(|range| (words, range));
        let beside = self.neighbours().flat_map(|sentence| {
            clauses(&sentence.words).into_iter().take(CLAUSES).map(move |range| (&sentence.words, range))
        });
        let has_one = |(theirs, range): &(&Analysed, Range<usize>)| {
            let has =
                |at: usize| theirs.tokens[at].content() && !self.absent(theirs, at) && thing(theirs, at);
            range.clone().any(has) && !also(theirs, range)
        };
        let around: Vec<(&Analysed, Range<usize>)> = here.chain(beside).filter(has_one).collect();
        lost.iter()
            .flat_map(|range| around.iter().map(move |other| (range, other)))
            .filter(|(range, (other, place))| !std::ptr::eq(words, *other) || range != &place)
            .find_map(|(range, other)| self.exchanged(range, other))
    }

    /// The sentences before and behind the best one in its source.
    fn neighbours(&self) -> impl Iterator<Item = &'a Sentence> {
        let (case, place) = (self.case, self.case.place);
        let first = case.evidence.first().is_some_and(|best| std::ptr::eq(*best, self.best));
        let source = case.index.sentences.get(place).map(|own| own.source);
        [place.checked_sub(1), place.checked_add(1)]
            .into_iter()
            .flatten()
            .filter(move |_| first)
            .filter_map(|place| case.index.sentences.get(place))
            .filter(move |sentence| Some(sentence.source) == source && case.scope.holds(sentence))
    }

    /// Whether the claim does not say a word of content of the sources.
    fn absent(&self, words: &Analysed, at: usize) -> bool {
        if std::ptr::eq(self.best, words) {
            self.gone().binary_search(&at).is_ok()
        } else {
            !says(self.claim, &words.tokens[at])
        }
    }

    /// The claim says what one clause says, with the thing of another one.
    fn exchanged(
        &self,
        stated: &Range<usize>,
        (theirs, other): &(&Analysed, Range<usize>),
    ) -> Option<Mismatch> {
        let words = self.best;
        let same = std::ptr::eq(words, *theirs);
        let gone = |at: usize| self.gone().binary_search(&at).is_ok();
        let absent = |at: usize| self.absent(theirs, at);
        let twos = only(theirs, other, words, stated);
        if twos.iter().all(|at| absent(*at)) {
            return None;
        }
        let ones = LazyCell::new(|| only(words, stated, theirs, other));
        let crossed = |places: &[usize], words: &Analysed, lacks: &dyn Fn(usize) -> bool, is_gone: bool| {
            let mut figures = places.iter().filter(|at| counts(words, **at)).peekable();
            figures.peek().is_some() && figures.all(|at| lacks(*at) == is_gone)
        };
        let figures = crossed(&twos, theirs, &absent, true) && crossed(&ones, words, &gone, false);
        if !figures && !twos.iter().any(|at| theirs.tokens[*at].weight >= NAMES && absent(*at)) {
            return None;
        }
        let begins = lead(words, stated);
        for y in twos.iter().copied().filter(|y| !absent(*y) && thing(theirs, *y)) {
            let Some(at) = self.own(&theirs.tokens[y]).filter(|at| names(self.claim, *at)) else { continue };
            let noun = with_neighbours(theirs, other, y);
            let left_out = || {
                twos.iter().all(|at| noun.contains(at) || absent(*at))
                    && twos.iter().any(|at| *at != y && absent(*at) && theirs.tokens[*at].weight >= NAMES)
            };
            if !figures && !left_out() {
                continue;
            }
            let rival =
                |x: &usize| gone(*x) && thing(words, *x) && apart(&theirs.tokens[y], &words.tokens[*x]);
            for x in ones.iter().copied().filter(rival) {
                let takes =
                    |at: &usize| *at != x && !gone(*at) && (begins.contains(&x) || !begins.contains(at));
                let taken: f64 = ones.iter().copied().filter(takes).map(|at| words.tokens[at].weight).sum();
                let whole = if same { stated.clone() } else { 0..words.tokens.len() };
                let copied = || {
                    taken >= TAKEN && self.held(at, &whole) >= CLAUSE && self.restated(x, stated) >= CLAUSE
                };
                if self.stand_alike(x, theirs, y, other, figures) && (figures || copied()) {
                    let mine = with_neighbours(self.claim, &(0..self.claim.tokens.len()), at);
                    return Some(self.against(mine, words, with_neighbours(words, stated, x)));
                }
            }
        }
        None
    }

    /// Whether two things stand in the sources in the same way. Where the claim takes a figure of the one and not that of the
    /// other, any two prepositions will do.
    fn stand_alike(
        &self,
        x: usize,
        theirs: &Analysed,
        y: usize,
        clause: &Range<usize>,
        figures: bool,
    ) -> bool {
        let words = self.best;
        let same = std::ptr::eq(words, theirs);
        let (one, two) = (Standing::of(words, x), Standing::of(theirs, y));
        let Some(how) = one.alike(&two) else {
            let places = |words: &Analysed, at: usize| {
                let part =
                    words.tokens.get(at + 1).is_some_and(|next| matches!(next.norm.as_str(), "of" | "de"));
                placed(words, at) && closes(words, at) && !part
            };
            let code = is_code(&words.tokens[x]) == is_code(&theirs.tokens[y]);
            return same && figures && code && places(words, x) && places(theirs, y);
        };
        let stem = theirs.tokens[y].stem;
        let again = || {
            (0..words.tokens.len()).any(|at| !(same && clause.contains(&at)) && words.tokens[at].stem == stem)
        };
        match how {
            Alike::Head => same || !again(),
            Alike::Code => same && !again(),
            Alike::Lead => same && !again(),
            Alike::Preposition => same && !again() && closes(words, x) && closes(theirs, y),
        }
    }

    /// Share of a clause beside the noun of a word that the claim says.
    fn restated(&self, x: usize, clause: &Range<usize>) -> f64 {
        let noun = with_neighbours(self.best, clause, x);
        let (mut mass, mut held) = (0.0, 0.0);
        for at in clause.clone().filter(|at| !noun.contains(at)) {
            let token = &self.best.tokens[at];
            if !token.content() {
                continue;
            }
            let says = self.gone().binary_search(&at).is_err();
            if says || !is_filler(token) {
                mass += token.weight;
            }
            if says {
                held += token.weight;
            }
        }
        if mass > 0.0 { held / mass } else { 0.0 }
    }
}

/// Places of content of a clause that another one does not hold.
fn only(words: &Analysed, clause: &Range<usize>, rest: &Analysed, other: &Range<usize>) -> Vec<usize> {
    let apart = |at: &usize| {
        let token = &words.tokens[*at];
        token.content() && !rest.tokens[other.clone()].iter().any(|other| other.stem == token.stem)
    };
    clause.clone().filter(apart).collect()
}
