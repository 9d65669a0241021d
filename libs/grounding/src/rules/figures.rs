//! Figures that differ from those of the source for the same thing.
//!
//! A figure belongs to the words around it. Of all figures of the evidence the one whose surroundings are most like the
//! claim's is what the source says of the same thing; if that one differs, and no equal one stands in surroundings as
//! like, the claim has it wrong.

use super::case::{SAME_SUBJECT, phrase};
use super::denials::deny_alike;
use super::unheld::{is_about, near_figure};
use super::{Case, Finding, Kind, Rule};
use crate::align::Alignment;
use crate::flags;
use crate::index::{Analysed, Sentence};
use crate::lexicon::synonymous;
use crate::numbers::{Dimension, Quantity};
use crate::share::plain_share;
use crate::tags::{NO_NAMES, is_filler, is_slot, is_unit};
use crate::tokens::{Token, TokenKind};

/// Content words on either side of a figure that are its surroundings.
const REACH: usize = 5;
/// By how much the surroundings of a differing figure must be more like the claim's than those of an equal one.
const CLEARLY: f64 = 0.25;
/// The same where the sentence that is most about the claim holds the equal one.
const VERY: f64 = 0.3;
/// What an equal figure gains that the alignment puts in the same place.
const ALIGNED: f64 = 0.2;
/// What an equal figure gains right behind the best sentence.
const FOLLOWS: f64 = 0.2;
/// Tokens between two figures in a row.
const ROW: usize = 8;
/// Sentences beside the evidence that are asked for an equal figure.
const ELSEWHERE: usize = 24;

/// Words that begin a sentence whose subject stands in the one before.
const POINTING: &[&str] = &["he", "it", "she", "these", "they", "this"];

/// Share of the weight of the claim's plain words, without those of its figures ("ten"), that the best sentence has; where that
/// begins with a pronoun, it and the sentence before it. 0 where the claim has no figure.
pub(super) fn said_beside(case: &Case<'_>, best: &Analysed) -> f64 {
    let claim = case.claim;
    if claim.quantities.is_empty() {
        return 0.0;
    }
    let points = best.tokens.first().is_some_and(|token| POINTING.contains(&token.norm.as_str()));
    let sentence = |place: usize| case.index.sentences.get(place);
    let before = case.place.checked_sub(1).filter(|_| points).and_then(sentence).filter(|before| {
        sentence(case.place).is_some_and(|own| own.source == before.source) && case.scope.holds(before)
    });
    let (mut all, mut held) = (0.0, 0.0);
    for (at, (token, weight)) in claim.tokens.iter().zip(&claim.weights).enumerate() {
        let figure = claim.quantities.iter().any(|figure| (figure.first..=figure.last).contains(&at));
        if *weight <= 0.0 || figure || is_slot(&claim.tokens, at) {
            continue;
        }
        if best.says_token(token) || before.is_some_and(|before| before.words.says_token(token)) {
            all += weight;
            held += weight;
        } else if !is_filler(token) && !is_unit(claim, at) {
            all += weight;
        }
    }
    if all > 0.0 { held / all } else { 0.0 }
}

/// A figure of another value for the same thing.
pub(super) struct Figures;

impl Rule for Figures {
    fn name(&self) -> &'static str {
        "figures"
    }

    fn judge(&self, case: &Case<'_>) -> Vec<Finding> {
        let (claim, Some(best)) = (case.claim, case.first()) else { return Vec::new() };
        let shared = case.shared.max(said_beside(case, best));
        if shared < SAME_SUBJECT || claim.quantities.is_empty() {
            return Vec::new();
        }
        let shares: Vec<f64> = case.evidence.iter().map(|sentence| plain_share(claim, sentence)).collect();
        let tells = |figure: &&Quantity| {
            !is_part(claim, figure)
                && !is_reference(&claim.tokens, figure)
                && !is_conversion(claim, figure)
                && !has_twin(case, figure)
        };
        claim
            .quantities
            .iter()
            .filter(tells)
            .filter_map(|figure| differs(case, &shares, shared, figure))
            .collect()
    }
}

/// What the evidence says in the place of a figure, where that differs.
fn differs(case: &Case<'_>, shares: &[f64], shared: f64, figure: &Quantity) -> Option<Finding> {
    let (claim, alignment) = (case.claim, &case.alignment);
    let own = surroundings(claim, figure);
    let mut rival: Option<(f64, &Analysed, &Quantity)> = None;
    for (rank, (sentence, share)) in case.evidence.iter().zip(shares).enumerate() {
        for other in sentence.quantities.iter().filter(|other| !other.equals(figure)) {
            if (rank == 0 || *share >= SAME_SUBJECT)
                && (rivals(figure, other) || in_its_place(alignment, rank, figure, other))
                && !claim_has(claim, other, figure)
                && !or_else(sentence, figure, other)
            {
                let likeness = likeness(*share, &own, figure, sentence, other);
                if rival.is_none_or(|(best, ..)| likeness > best) {
                    rival = Some((likeness, sentence, other));
                }
            }
        }
    }
    let (likeness, sentence, other) = rival?;
    let (equal, beside) = equal_figures(case, alignment, shares, figure, &own);
    // Without an equal figure anywhere a weak likeness is enough; beside one the differing one must be clearly it.
    let wrong = if equal > 0.0 {
        likeness >= equal + if beside { VERY } else { CLEARLY }
    } else {
        likeness >= 0.3 && shared >= SAME_SUBJECT
    };
    // "Not on the 16:05 crossing" says nothing against the 7:15 one.
    let clock =
        matches!((figure.unit, other.unit), (Some((Dimension::Clock, _)), Some((Dimension::Clock, _))));
    let denied = || !clock || deny_alike(claim, sentence) || !held_somewhere(case, figure);
    let words = figure.soft && other.soft && figure.head != other.head;
    (wrong && !words && denied() && !reckoned(case, figure))
        .then(|| Finding::contradicts(Kind::Number, &said(claim, figure), &said(sentence, other)))
}

/// Whether a figure is a total of two or three figures of the evidence, or a difference of two, and a word beside it says so that
/// the evidence does not have.
pub(super) fn reckoned(case: &Case<'_>, figure: &Quantity) -> bool {
    let tokens = &case.claim.tokens;
    let beside = &tokens[figure.first.saturating_sub(BESIDE)..(figure.last + BESIDE + 1).min(tokens.len())];
    let said = |token: &Token| {
        case.evidence.iter().any(|words| words.tokens.iter().any(|other| other.norm == token.norm))
    };
    let own = |flag: u64| beside.iter().any(|token| token.is(flag) && !said(token));
    let (totals, differences) = (own(flags::TOTAL), own(flags::DIFFERENCE));
    if !totals && !differences || matches!(figure.unit, Some((Dimension::Clock, _))) {
        return false;
    }
    // The unit may be left out behind the first: "3 minutes instead of 11".
    let kind = |held: &&Quantity| held.unit.is_none() || held.unit == figure.unit;
    let held = case.evidence.iter().flat_map(|words| &words.quantities).filter(kind).take(MOST);
    let held: Vec<f64> = held.map(|held| held.value).collect();
    let is = |value: f64| (value - figure.value).abs() <= 1e-9 * figure.value.abs().max(1.0);
    held.iter().enumerate().any(|(at, one)| {
        let behind = &held[at + 1..];
        behind.iter().enumerate().any(|(next, two)| {
            differences && is((one - two).abs())
                || totals && (is(one + two) || behind[next + 1..].iter().any(|three| is(one + two + three)))
        })
    })
}

/// Tokens beside a figure in which a word says that it was counted.
const BESIDE: usize = 5;
/// Most figures of the evidence that are counted with.
const MOST: usize = 16;

/// Whether a number word counts a part of what follows: "one of them".
pub(super) fn is_part(claim: &Analysed, figure: &Quantity) -> bool {
    let next = claim.tokens.get(figure.last + 1);
    figure.soft && next.is_some_and(|next| matches!(next.norm.as_str(), "of" | "de"))
}

/// Whether a sentence has a figure as the other way to say or to do what a rival beside it says: "£5 or €6.50", "180C/350F".
fn or_else(sentence: &Analysed, figure: &Quantity, rival: &Quantity) -> bool {
    sentence.quantities.iter().any(|equal| {
        let (first, second) = if equal.first < rival.first { (equal, rival) } else { (rival, equal) };
        let between = sentence.tokens.get(first.last + 1..second.first).unwrap_or_default();
        let joined = sentence.tokens.get(second.first).is_some_and(|token| token.is(flags::JOINED));
        let apart = second.first > first.last && between.len() <= 1;
        let or = between.iter().all(|token| matches!(token.norm.as_str(), "or" | "o" | "u"));
        equal.equals(figure) && apart && or && (joined || !between.is_empty())
    })
}

/// Whether some sentence of the sources has the figure.
fn held_somewhere(case: &Case<'_>, figure: &Quantity) -> bool {
    let places = case.index.places(crate::numbers::hash(figure.value)).iter().take(ELSEWHERE);
    places
        .filter_map(|place| case.index.sentences.get(usize::try_from(*place).ok()?))
        .filter(|sentence| case.scope.holds(sentence))
        .any(|sentence| sentence.words.quantities.iter().any(|other| other.equals(figure)))
}

/// The best surroundings of an equal figure, and whether the best sentence has one.
fn equal_figures(
    case: &Case<'_>,
    alignment: &Alignment,
    shares: &[f64],
    figure: &Quantity,
    own: &[u64],
) -> (f64, bool) {
    let mut equal = equal_elsewhere(case, figure, own);
    let mut beside = false;
    for (rank, (sentence, share)) in case.evidence.iter().zip(shares).enumerate() {
        for other in sentence.quantities.iter().filter(|other| other.equals(figure)) {
            let likeness = likeness(*share, own, figure, sentence, other);
            beside |= rank == 0;
            let aligned = rank == 0 && alignment.pairs.contains(&(figure.first, other.first));
            equal = equal.max(if aligned { likeness + ALIGNED } else { likeness });
        }
    }
    (equal, beside)
}

/// A figure as it is written, with the unit that it has from the other end of a range or behind a stroke.
fn said(words: &Analysed, figure: &Quantity) -> String {
    let tokens = &words.tokens;
    let next = words.quantities.iter().find(|next| next.first > figure.last);
    let end = match next {
        Some(next) if figure.implied && next.first <= figure.last + 2 => next.last,
        _ if figure.per.is_some() && figure.unit.is_some() => {
            let behind = tokens.get(figure.last + 1).filter(|token| !token.after_break);
            let stops = behind.is_some_and(|token| token.stop);
            (figure.last + usize::from(behind.is_some()) + usize::from(stops)).min(tokens.len() - 1)
        }
        _ => figure.last,
    };
    phrase(tokens, figure.first..=end)
}

/// Whether the alignment with the best sentence puts one figure in the place of the other.
fn in_its_place(alignment: &Alignment, rank: usize, figure: &Quantity, other: &Quantity) -> bool {
    let apart = match (figure.unit, other.unit) {
        (Some((one, _)), Some((two, _))) => one != two && (figure.value - other.value).abs() > 1e-9,
        _ => false,
    };
    rank == 0
        && !apart
        && !figure.soft
        && !other.soft
        && alignment.gaps.iter().any(|gap| {
            gap.claim.contains(&figure.first)
                && gap.source.contains(&other.first)
                && gap.claim.len() <= 6
                && gap.source.len() <= 8
        })
}

/// Stems of the content words around a figure, in its sentence.
fn surroundings(words: &Analysed, figure: &Quantity) -> Vec<u64> {
    let content = |token: &&Token| token.content() && !matches!(token.kind, TokenKind::Number(_));
    let before = words.tokens[..figure.first].iter().rev().filter(content).take(REACH);
    let behind = words.tokens[figure.last + 1..].iter().filter(content).take(REACH);
    before.chain(behind).map(|token| token.stem).collect()
}

/// How like the surroundings of two figures are, 0 to 1 and a little more.
fn likeness(share: f64, own: &[u64], figure: &Quantity, sentence: &Analysed, other: &Quantity) -> f64 {
    let theirs = surroundings(sentence, other);
    let met = own.iter().filter(|stem| theirs.iter().any(|other| synonymous(**stem, *other))).count();
    #[allow(clippy::cast_precision_loss)]
    let local = if own.is_empty() { 1.0 } else { met as f64 / own.len().min(REACH) as f64 };
    let same = |one: u64, two: u64| one != 0 && two != 0 && synonymous(one, two);
    let mut score = 0.5 * share + 0.4 * local.min(1.0);
    if same(figure.head, other.head) {
        score += 0.15;
    }
    if same(figure.before, other.before) {
        score += 0.05;
    }
    // "26,000 alone or 37,000 together": a bound holds for all that stand in a row.
    let row = sentence.quantities.iter().any(|held| {
        let between = other.last + 1..held.first.max(other.last + 1);
        held.first > other.last
            && held.first <= other.last + ROW
            && held.bound.is_none()
            && held.equals(figure)
            && sentence.tokens[between].iter().any(|token| matches!(token.norm.as_str(), "or" | "o"))
    });
    if figure.bound.is_some() && figure.bound == other.bound && !row {
        score += 0.25;
    }
    score
}

/// The best surroundings of an equal figure in sentences beside the evidence.
fn equal_elsewhere(case: &Case<'_>, figure: &Quantity, own: &[u64]) -> f64 {
    let places = case.index.places(crate::numbers::hash(figure.value));
    places
        .iter()
        .take(ELSEWHERE)
        .filter_map(|place| case.index.sentences.get(usize::try_from(*place).ok()?))
        .filter(|sentence| case.scope.holds(sentence))
        .flat_map(|sentence| {
            let share = plain_share(case.claim, &sentence.words);
            let equal = sentence.words.quantities.iter().filter(|other| other.equals(figure));
            let near = if follows(case, sentence) { FOLLOWS } else { 0.0 };
            equal.map(move |other| near + likeness(share, own, figure, &sentence.words, other))
        })
        .fold(0.0, f64::max)
}

/// Whether a sentence stands right behind the best one: it may go on about the same without naming it.
fn follows(case: &Case<'_>, sentence: &Sentence) -> bool {
    let behind = case.index.sentences.get(case.place + 1);
    let same = behind.is_some_and(|behind| std::ptr::eq(behind, sentence));
    same && case.index.sentences.get(case.place).is_some_and(|best| best.source == sentence.source)
}

/// Whether a figure in parentheses repeats the one before it in another unit: `12 inches (30.5 cm)`.
pub(super) fn is_conversion(claim: &Analysed, figure: &Quantity) -> bool {
    figure.unit.is_some()
        && claim.tokens[figure.first].after_break
        && claim.quantities.iter().any(|other| other.last + 1 == figure.first && other.unit.is_some())
}

/// Whether the claim says a figure twice, in two units, and the evidence holds it ("1,000 GB (1 TB)"), or rounds one that
/// the evidence holds ("about 262k").
pub(super) fn has_twin(case: &Case<'_>, figure: &Quantity) -> bool {
    if is_about(case.claim, figure.first) && near_figure(case, figure) {
        return true;
    }
    case.claim.quantities.iter().any(|other| {
        let held = |words: &Analysed| words.quantities.iter().any(|held| held.equals(other));
        let there = |place: &u32| {
            let sentence = usize::try_from(*place).ok().and_then(|place| case.index.sentences.get(place));
            sentence.is_some_and(|sentence| case.scope.holds(sentence) && held(&sentence.words))
        };
        other.first != figure.first
            && other.unit.is_some()
            && other.equals(figure)
            && case.index.places(crate::numbers::hash(other.value)).iter().take(ELSEWHERE).any(there)
    })
}

/// Whether two differing figures measure or count the same thing.
fn rivals(figure: &Quantity, other: &Quantity) -> bool {
    let same = |one: u64, two: u64| one != 0 && two != 0 && synonymous(one, two);
    figure.comparable(other)
        || (figure.unit.is_none() && other.unit.is_none() && same(figure.head, other.head))
        || (figure.unit.is_none() == other.unit.is_none()
            && same(figure.before, other.before)
            && !figure.soft
            && !other.soft)
        // The same number of something else: "75 hours" for "75 minutes" is comparable, "60 euros" for "60 %" is not.
        || ((figure.value - other.value).abs() < 1e-9
            && (figure.unit.is_some() && other.unit.is_some() && same(figure.before, other.before)
                || figure.of_another_power(other)))
}

/// Whether the claim has the other figure too, for the same thing.
fn claim_has(claim: &Analysed, other: &Quantity, figure: &Quantity) -> bool {
    claim.quantities.iter().any(|own| own.first != figure.first && own.equals(other))
}

/// Whether a figure numbers a passage or a step instead of counting something: "passages 1, 2 and 3".
pub(super) fn is_reference(tokens: &[Token], figure: &Quantity) -> bool {
    tokens[..figure.first]
        .iter()
        .rev()
        .take(8)
        .find(|token| {
            !matches!(token.kind, TokenKind::Number(_))
                && !matches!(token.norm.as_str(), "and" | "y" | "to" | "or" | "&")
        })
        .is_some_and(|token| NO_NAMES.contains(&token.norm.as_str()))
}
