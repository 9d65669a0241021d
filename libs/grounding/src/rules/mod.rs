//! Hard mismatches between a claim and the sentences that bear on it, each with a reason that a person can read.
//!
//! A rule only speaks where claim and sentence are about the same thing (enough shared weight); it says either that the
//! source holds something else in that place (a contradiction) or that nothing in the sources holds it (an addition).
//!
//! Rules run for every claim against up to three sentences, and again for the parts of a claim, so that each look-up in
//! them counts a hundred times an answer. What can be known of a word alone stands in [`crate::tokens::Word`], made once
//! for all places where it is written so; what depends on its neighbours stands in its [`Token`], made once a text by
//! [`mark`]; both are there to be read by rules and measures. A rule that needs a list of words adds a row to
//! [`crate::flags`] and asks the token for its bit, instead of searching the list for every token it sees. `says` and
//! `others` know the words that may stand for a word without a look-up, `Scope::begins` and its like ask all sources at
//! once and cheaply where the answer is no.

mod additions;
mod amounts;
mod appended;
mod binding;
mod bounds;
mod classes;
mod clocks;
mod conceded;
mod contrast;
mod copied;
mod denials;
pub(crate) mod derived;
mod direction;
mod dismissed;
mod duty;
mod effects;
mod except;
mod excepted;
mod exchange;
mod exclusive;
mod extent;
mod facing;
mod figures;
mod frequency;
mod further;
mod insertion;
mod invented;
mod lasting;
mod listed;
mod marks;
mod mismatch;
mod moments;
mod names;
mod negation;
mod opposites;
mod order;
mod parallel;
mod parts;
mod polarity;
mod poles;
mod preferred;
mod quantifiers;
mod roles;
mod sections;
mod sequence;
mod slot;
mod standing;
mod swapped;
mod values;
mod versions;
mod week;
mod within;
mod word;

pub(crate) use binding::JOINERS as CLAUSE_JOINERS;
pub(crate) use bounds::turns_away;
pub(crate) use contrast::{ANAPHORS, BETWEEN, DETERMINERS as LEADS_NOUN, PRONOUNS};
pub(crate) use denials::denials;
pub(crate) use direction::ARTICLES;
pub(crate) use effects::turns as turns_an_effect;
pub(crate) use except::{ALWAYS as EXCEPT, WORDS as EXCEPTS};
pub(crate) use extent::WORDS as EXTENT;
pub(crate) use frequency::{names_a_period, tells_a_rate};
pub(crate) use insertion::TAILS;
pub(crate) use lasting::WORDS as TIME_LIMITS;
pub(crate) use marks::{FILLERS, is_entity, is_slot, mark, named_passages, turns};
pub(crate) use mismatch::{Mismatch, Strength, decisive};
pub(crate) use moments::{OUTERMOST, WORDS as MOMENTS};
pub(crate) use negation::CONDITIONAL;
pub(crate) use parts::{JOINERS as PART_JOINERS, parts};
pub(crate) use polarity::{
    AND as DENIAL_AND, BEGINS as DENIAL_BEGINS, COMPLEMENTED, FINITE as DENIAL_FINITE,
    LIMITS as DENIAL_LIMITS, Reading as Denials, is_light, may_make_able, may_undo,
};
pub(crate) use poles::UNTIL;
pub(crate) use preferred::tells as prefers;
pub(crate) use quantifiers::OFTEN;
pub(crate) use standing::{DETERMINERS, JOINERS, PREPOSITIONS};
pub(crate) use swapped::ALSO;
pub(crate) use week::WORDS as WEEK;

use denials::{denials_in, denials_of, deny_alike};
use marks::{NO_NAMES, is_filler, is_unit};
use mismatch::{contradiction, sure};

use crate::align::{Alignment, align};
use crate::index::{Analysed, Plain, Posting, SourceIndex};
use crate::quantifiers::{Quantifier, classes};
use crate::select::Scope;
use crate::tokens::Token;
use crate::without;
use std::cell::OnceCell;

/// What the rules see.
pub(crate) struct Case<'a> {
    /// The claim.
    pub(crate) claim: &'a Analysed,
    /// Whether it is a part of one: what no source holds of it is said of the whole.
    pub(crate) part: bool,
    /// The question, whose own words are no additions.
    pub(crate) question: Option<&'a Analysed>,
    /// Sentences that cover the claim, best first.
    pub(crate) evidence: Vec<&'a Analysed>,
    /// Where the first of them stands among all sentences of the sources.
    pub(crate) place: usize,
    /// All sources.
    pub(crate) index: &'a SourceIndex,
    /// What the claim is held against.
    pub(crate) scope: &'a Scope,
    /// Which words of the claim neither that nor the question has, once somebody asked; see [`insertion::unheard`].
    pub(crate) unheard: OnceCell<Vec<bool>>,
    /// See [`Self::postings`].
    pub(crate) postings: OnceCell<Vec<Posting>>,
}

impl Case<'_> {
    /// Which sentences of the scope hold which words of the claim that weigh something, or one that may stand for them: each
    /// by its place in the claim, in order.
    fn postings(&self) -> &[Posting] {
        self.postings.get_or_init(|| {
            let weighs = (0..self.claim.tokens.len()).filter(|at| self.claim.weights[*at] > 0.0);
            let stems = weighs.flat_map(|at| {
                let token = &self.claim.tokens[at];
                std::iter::once(&token.stem).chain(token.others()).map(move |stem| (at, *stem))
            });
            self.index.postings(self.scope, stems)
        })
    }
}

/// Least share of a claim's plain words that the best sentence must hold for a contradiction of slots.
const SAME_SUBJECT: f64 = 0.5;
/// Least share for rules about what stands with what.
const ALIKE: f64 = 0.6;
/// Least share for rules about words that paraphrases often change.
const NEAR_COPY: f64 = 0.7;
/// Least share for rules about things that the sources tell from one another.
const CONTRAST: f64 = 0.34;
/// Least share for a figure's place among those of a sentence, which paraphrases keep.
const VALUES: f64 = 0.25;
/// Least share for a reversal: everything is there, in another order.
const SAME_WORDS: f64 = 0.85;

/// All mismatches, hardest first, and the alignment with the best sentence.
pub(crate) fn mismatches(case: &Case<'_>) -> (Vec<Mismatch>, Alignment) {
    let Some(best) = case.evidence.first() else {
        let mut found = additions::additions(case);
        invented::invented(case, &mut found);
        return (found, Alignment::default());
    };
    let alignment = align(case.claim, best);
    let mut found = Vec::new();
    let shared = plain_share(case.claim, best);
    let near_copy = plainly_aligned(case.claim, &alignment) >= NEAR_COPY;
    let most = alignment.pairs.len() * 5 >= case.claim.tokens.len() * 3;
    if near_copy || most || alignment.share >= SAME_SUBJECT {
        exchange::exchanged(case, best, &alignment, near_copy, &mut found);
    }
    let beside_figures = shared.max(figures::said_beside(case, best));
    if beside_figures >= SAME_SUBJECT {
        figures::figures(case, &alignment, beside_figures, &mut found);
        clocks::clocks(case, beside_figures, &mut found);
        versions::versions(case, &mut found);
    }
    if shared >= SAME_SUBJECT {
        opposites::opposites(case, best, &alignment, &mut found);
        opposites::kinds(case, best, &alignment, &mut found);
        names::names(case, &alignment, &mut found);
    }
    if shared >= ALIKE {
        negation::turned(case, shared, &mut found);
        binding::bindings(case, &mut found);
        order::journeys(case, &mut found);
    }
    if shared >= NEAR_COPY {
        negation::negation(case, &alignment, &mut found);
        quantifiers::quantifiers(case, best, &alignment, shared, &mut found);
        names::entities(case, &alignment, &mut found);
    }
    if shared >= CONTRAST {
        contrast::contrasts(case, &mut found);
        order::orders(case, &mut found);
        roles::roles(case, &mut found);
    }
    if shared >= VALUES {
        values::values(case, &mut found);
        dismissed::dismissed(case, &mut found);
        sections::sections(case, &mut found);
    }
    if shared >= NEAR_COPY {
        direction::transposed(case.claim, best, &mut found);
    }
    if shared >= SAME_WORDS {
        direction::direction(case.claim, best, &alignment, &mut found);
    }
    if shared >= CONTRAST {
        effects::effects(case, &mut found);
        poles::poles(case, &mut found);
        preferred::preferred(case, &mut found);
        moments::moments(case, &mut found);
    }
    if shared >= SAME_SUBJECT {
        word::words(case, &mut found);
        frequency::frequencies(case, &mut found);
        quantifiers::amounts(case, &mut found);
    }
    copied::copied(case, &alignment, &mut found);
    extent::extents(case, &mut found);
    swapped::swapped(case, &mut found);
    parallel::parallels(case, &mut found);
    slot::slots(case, &alignment, &mut found);
    additions::units(case, shared, &mut found);
    // What follows finds only what no source holds, all but the last.
    if !case.part {
        found.extend(additions::additions(case));
        additions::clauses(case, &mut found);
        insertion::inserted(case, best, &alignment, &mut found);
        insertion::continued(case, best, &alignment, &mut found);
        insertion::tail(case, &mut found);
        appended::appended(case, best, &alignment, &mut found);
        listed::listed(case, best, &alignment, &mut found);
        invented::invented(case, &mut found);
    }
    polarity::polarity(case, &mut found);
    within::excuse(case, &mut found);
    lasting::limited(case, &mut found);
    excepted::exceptions(case, shared, &mut found);
    week::weekly(case, &mut found);
    found.retain(|mismatch| without::uses(mismatch.rule));
    found.sort_by_key(|mismatch| std::cmp::Reverse(mismatch.strength));
    (found, alignment)
}

/// The rates of a text: times a second, first and last token.
pub(crate) fn rates(words: &Analysed) -> Vec<(f64, usize, usize)> {
    frequency::rates(words).into_iter().map(|rate| (rate.value, rate.first, rate.last)).collect()
}

/// Share of the claim's weight outside slots that a sentence holds; 1 where the claim has nothing but slots.
pub(crate) fn plain_share(claim: &Analysed, source: &Analysed) -> f64 {
    plain_share_from(claim, source, f64::MIN).unwrap_or_default()
}

/// The same where it may be as much as `least`; `None` as soon as what is left of the claim cannot make up for what the
/// sentence lacks.
pub(crate) fn plain_share_from(claim: &Analysed, source: &Analysed, least: f64) -> Option<f64> {
    let mut left: f64 = claim.plain().iter().map(|plain| claim.weights[plain.at]).sum();
    let (mut all, mut held) = (0.0, 0.0);
    for plain in claim.plain() {
        let weight = claim.weights[plain.at];
        left -= weight;
        if source.says_token(&claim.tokens[plain.at]) {
            all += weight;
            held += weight;
        } else if !plain.idle {
            all += weight;
            // The sums are rounded.
            if held + left < least * (all + left) - 1e-6 {
                return None;
            }
        }
    }
    Some(if all > 0.0 { held / all } else { 1.0 })
}

/// The words of a text with weight outside slots; fillers and units say nothing by themselves.
pub(crate) fn plain(words: &Analysed) -> Vec<Plain> {
    let weighs = |at: &usize| words.weights[*at] > 0.0 && !is_slot(&words.tokens, *at);
    let idle = |at: usize| is_filler(&words.tokens[at]) || is_unit(words, at);
    (0..words.tokens.len()).filter(weighs).map(|at| Plain { at, idle: idle(at) }).collect()
}

/// Share of the claim's weight outside slots that is aligned with the best sentence; 0 where hardly anything is.
pub(crate) fn plainly_aligned(claim: &Analysed, alignment: &Alignment) -> f64 {
    let plain = |at: usize| if is_slot(&claim.tokens, at) { 0.0 } else { claim.weights[at] };
    let all: f64 = (0..claim.tokens.len()).map(plain).sum();
    let aligned: f64 = alignment.pairs.iter().map(|(at, _)| plain(*at)).sum();
    if all > 0.0 && alignment.pairs.len() >= 3 { aligned / all } else { 0.0 }
}

/// Number of quantifier and modal classes of a claim that none of the sentences has.
pub(crate) fn bound_words_missing<'a>(
    claim: &Analysed,
    sentences: impl Iterator<Item = &'a Analysed>,
) -> usize {
    let held: Vec<Quantifier> =
        sentences.flat_map(|sentence| classes(&sentence.tokens)).map(|(_, class)| class).collect();
    let own = classes(&claim.tokens);
    own.iter().filter(|(_, class)| *class != Quantifier::Also && !held.contains(class)).count()
}

/// Whether claim and sentence are the same word for word, but for one place of a word or two.
pub(crate) fn strict_copy(alignment: &Alignment) -> bool {
    let (Some(first), Some(last)) = (alignment.pairs.first(), alignment.pairs.last()) else { return false };
    // What the sentence has before and behind the claim may be left out.
    let inside = |gap: &&crate::align::Gap| {
        !gap.claim.is_empty() || (gap.source.start > first.1 && gap.source.end <= last.1)
    };
    let mut gaps = alignment.gaps.iter().filter(inside);
    let (one, more) = (gaps.next(), gaps.next());
    alignment.pairs.len() >= 5
        && more.is_none()
        && one.is_some_and(|gap| {
            gap.claim.len() <= 3
                && (gap.source.len() <= 3 || gap.source.start >= last.1 || gap.source.end <= first.1 + 1)
        })
}

fn phrase(tokens: &[Token], range: std::ops::RangeInclusive<usize>) -> String {
    tokens
        .get(range)
        .unwrap_or_default()
        .iter()
        .map(|token| token.text.as_str())
        .collect::<Vec<_>>()
        .join(" ")
}

/// Sentences before one in which a thing may have its other name.
const NEARBY: usize = 2;

/// Whether a word stands in the question, or a few sentences before the one that is held against the claim: then it may
/// name the same thing by another word.
fn nearby(case: &Case<'_>, stem: u64) -> bool {
    if case.question.is_some_and(|question| question.says(stem)) {
        return true;
    }
    let Some(own) = case.index.sentences.get(case.place) else { return false };
    let before = case.place.saturating_sub(NEARBY)..case.place;
    case.index.places_between(stem, &before).iter().any(|place| {
        case.index.sentence(*place).is_some_and(|sentence| {
            // A sentence that says the same of the word tells two things apart.
            sentence.source == own.source && plain_share(case.claim, &sentence.words) < ALIKE
        })
    })
}
