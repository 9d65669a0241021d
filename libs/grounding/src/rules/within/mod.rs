//! A figure of a claim as a case of what the sources bound: "a dog of 15 kg is allowed" where they forbid dogs over 20 kg,
//! "it may be kept at 20 °C" where they say below 25.
//!
//! No source holds such a figure, and none need to. It lies on the one or on the other side of the bound, and the claim
//! affirms or denies; where the two go together the claim follows from the sentence, and no rule may call the figure wrong.

mod cases;
mod stretches;

use self::cases::{ALLOWS, age, is_case, says};
pub(super) use self::stretches::statement_of;
use self::stretches::{clause, otherwise, statement};
use super::except;
use super::negation::{in_case, needs_so};
use super::opposites::opposed;
use super::{CONTRAST, Case, Mismatch, denials, plain_share};
use crate::flags;
use crate::index::Analysed;
use crate::lexicon::synonymous;
use crate::numbers::{Bound, Dimension, Quantity};
use crate::quantifiers::{Quantifier, class};
use crate::tokens::{Token, TokenKind};
use std::ops::Range;

/// Figures of a sentence that are looked at.
const MOST: usize = 12;

fn base(figure: &Quantity) -> f64 {
    figure.value * figure.unit.map_or(1.0, |(_, factor)| factor)
}

fn near(one: f64, two: f64) -> bool {
    (one - two).abs() <= 1e-9 * one.abs().max(1e-9)
}

/// Whether two stems, neither of them none, name one thing.
fn same(one: u64, two: u64) -> bool {
    one != 0 && two != 0 && synonymous(one, two)
}

/// Whether two figures can be compared: of one kind, or ages, or counts of one thing.
fn comparable(claim: &Analysed, figure: &Quantity, sentence: &Analysed, held: &Quantity) -> bool {
    match (figure.unit, held.unit) {
        (Some(_), Some(_)) => figure.comparable(held),
        (None, None) => {
            let counted = sentence
                .quantities
                .iter()
                .take(MOST)
                .any(|other| other.unit.is_none() && same(figure.head, other.head));
            same(figure.before, held.before)
                || counted
                || figure.head == 0 && !figure.soft
                || age(claim, figure) && age(sentence, held)
        }
        _ => age(claim, figure) && age(sentence, held),
    }
}

/// Value of a figure beside another one: ages without a unit are years.
fn value(figure: &Quantity, beside: &Quantity) -> f64 {
    if figure.unit.is_none() || beside.unit.is_none() { figure.value } else { base(figure) }
}

/// Whether the bound of a figure leaves out the figure itself: "more than", "under".
fn strict(words: &Analysed, held: &Quantity) -> bool {
    held.first.checked_sub(1).is_some_and(|at| {
        matches!(
            words.tokens[at].norm.as_str(),
            "than" | "de" | "under" | "below" | "over" | "above" | "beyond"
        ) && !(at >= 2 && words.tokens[at - 2].is(flags::DENIES))
    })
}

/// Whether a figure lies within the bound of another one; `None` where that bounds nothing.
fn bounded(figure: &Quantity, sentence: &Analysed, held: &Quantity) -> Option<bool> {
    let (own, theirs) = (value(figure, held), value(held, figure));
    let itself = near(own, theirs) && !strict(sentence, held);
    match held.bound? {
        Bound::Most => Some(own < theirs && !near(own, theirs) || itself),
        Bound::Least => Some(own > theirs && !near(own, theirs) || itself),
    }
}

/// The end of a range that a figure begins: "4 to 9 years", "over 100 but under 160".
fn range_end(sentence: &Analysed, at: usize) -> Option<&Quantity> {
    let (held, two) = (&sentence.quantities[at], sentence.quantities.get(at + 1)?);
    let word = |at: usize| sentence.tokens.get(at).map_or("", |token| token.norm.as_str());
    let between = held.first.checked_sub(1).is_some_and(|at| matches!(word(at), "between" | "entre"));
    let beside = two.first == held.last + 1 && !sentence.tokens[two.first].after_break;
    let joined = two.first == held.last + 2
        && (matches!(word(held.last + 1), "to" | "a" | "hasta")
            || between && matches!(word(held.last + 1), "and" | "y"));
    let pair = held.bound == Some(Bound::Least)
        && two.bound == Some(Bound::Most)
        && (held.last + 1..two.first).all(|at| !sentence.tokens[at].content());
    (held.value < two.value && (beside || joined || pair)).then_some(two)
}

/// Whether a figure meets what a sentence says of another one: lies within its bound, or in the range that it begins.
fn meets(figure: &Quantity, sentence: &Analysed, at: usize) -> Option<bool> {
    let held = &sentence.quantities[at];
    if let Some(two) = range_end(sentence, at) {
        // "12 to 60 years": the unit stands behind the end.
        let begin = Quantity { unit: held.unit.or(two.unit), ..held.clone() };
        let above = || value(figure, &begin) >= value(&begin, figure);
        let begun = bounded(figure, sentence, &begin).unwrap_or_else(above);
        return Some(begun && value(figure, two) <= value(two, figure));
    }
    let (own, theirs) = (value(figure, held), value(held, figure));
    // "Until 48 hours before" leaves all that is earlier.
    let word = |at: usize| sentence.tokens.get(at).map_or("", |token| token.norm.as_str());
    let ahead = matches!(word(held.last + 1), "before" | "antes" | "ahead" | "prior")
        && held.first.checked_sub(1).is_some_and(|at| matches!(word(at), "hasta" | "until" | "till" | "to"));
    if ahead {
        return Some(own > theirs || near(own, theirs));
    }
    bounded(figure, sentence, held)
}

/// Whether a claim speaks of what a sentence says beside the statement of a figure.
fn speaks_of_another(claim: &Analysed, sentence: &Analysed, held: &Quantity) -> bool {
    let own = statement(sentence, held);
    let outside = (0..sentence.tokens.len()).filter(|at| !own.contains(at));
    let beside = |token: &Token| {
        token.content()
            && claim.says_token(token)
            && !sentence.tokens[own.clone()].iter().any(|other| other.content() && other.means(token))
    };
    outside.into_iter().any(|at| beside(&sentence.tokens[at]))
}

/// Whether a figure bounds something: by a word for it, or as the beginning of a range.
fn bounds(words: &Analysed, at: usize) -> bool {
    let ends = at.checked_sub(1).is_some_and(|before| range_end(words, before).is_some());
    !ends && (words.quantities[at].bound.is_some() || range_end(words, at).is_some())
}

/// How often a text denies what it says of a figure in a stretch; a case that is denied counts where the figure stands in it.
fn turns(words: &Analysed, figure: &Quantity, other: &Analysed, stretch: Range<usize>) -> usize {
    let own = clause(words, figure);
    // Of several bounds each has its clause.
    let alone = (0..words.quantities.len().min(MOST)).filter(|at| bounds(words, *at)).count() < 2;
    let behind = stretch.start > figure.last;
    stretch
        .filter(|at| alone || behind || own.contains(at))
        .filter(|at| {
            let token = &words.tokens[*at];
            let soft = token.is(flags::SOFT)
                && !token.is(flags::CONDITIONAL)
                && !except::excepts(&words.tokens, *at);
            (token.negates && (own.contains(at) || !in_case(&words.tokens, *at)))
                || (soft && !other.says_token(token))
        })
        .count()
}

/// What a bound of a sentence makes of a figure of the claim.
struct Verdict {
    /// The figure meets the bound.
    meets: bool,
    /// The claim says of it what follows from that.
    right: bool,
}

/// What a bound of a sentence makes of a figure of the claim; `None` where the two cannot be compared.
fn verdict(claim: &Analysed, figure: &Quantity, sentence: &Analysed, at: usize) -> Option<Verdict> {
    let held = &sentence.quantities[at];
    let ends = || range_end(sentence, at).is_some_and(|two| comparable(claim, figure, sentence, two));
    if !comparable(claim, figure, sentence, held) && !ends() {
        return None;
    }
    let meets = meets(figure, sentence, at)?;
    let mut turned = turns(claim, figure, sentence, statement(claim, figure));
    // "More than 50 MB must be sent in parts" against "can be sent in one".
    let must = (held.last + 1..statement(sentence, held).end)
        .any(|at| class(&sentence.tokens, at) == Some(Quantifier::Must));
    let may = claim.tokens.iter().any(|token| token.class == Some(Quantifier::May) || says(token, ALLOWS));
    turned += usize::from(must && may && denials(claim) == 0);
    // "Only with it" denies twice, as "not without it" and "not unless" do.
    turned += usize::from(except::any(claim)) + usize::from(except::any(sentence));
    let behind = otherwise(sentence).filter(|range| held.first < range.start);
    if behind.is_none() && speaks_of_another(claim, sentence, held) {
        return None;
    }
    // What holds on the other side is denied there, or not.
    let other = behind.filter(|range| says_of(claim, figure, sentence, range.clone(), 0..range.start));
    turned += usize::from(other.is_some());
    turned += turns(sentence, held, claim, other.unwrap_or_else(|| statement(sentence, held)));
    Some(Verdict { meets, right: meets == turned.is_multiple_of(2) })
}

/// Whether a claim says a word or a figure that a sentence has in one stretch, and not in the stretch that is the claim's own.
fn says_of(
    claim: &Analysed,
    figure: &Quantity,
    sentence: &Analysed,
    other: Range<usize>,
    own: Range<usize>,
) -> bool {
    let held = |range: &Range<usize>, token: &Token| {
        sentence.tokens[range.clone()].iter().any(|held| held.content() && held.means(token))
    };
    let word = |token: &Token| {
        let plain = token.content() && !matches!(token.kind, TokenKind::Number(_));
        plain && held(&other, token) && !held(&own, token)
    };
    let equal = |said: &Quantity, range: &Range<usize>| {
        sentence.quantities.iter().any(|held| range.contains(&held.first) && held.equals(said))
    };
    let mut figures = claim.quantities.iter().filter(|said| said.first != figure.first);
    claim.tokens.iter().any(word) || figures.any(|said| equal(said, &other) && !equal(said, &own))
}

/// Whether a claim says of the one of several bounds what a sentence says of another one: the stretch behind a bound is its own.
fn says_of_others(
    claim: &Analysed,
    figure: &Quantity,
    sentence: &Analysed,
    bounds: &[usize],
    own: usize,
) -> bool {
    let first = |at: usize| sentence.quantities[at].first;
    let stretch = |place: usize| {
        let end = bounds.get(place + 1).map_or(sentence.tokens.len(), |next| first(*next));
        first(bounds[place])..end
    };
    (0..bounds.len())
        .filter(|place| *place != own)
        .any(|place| says_of(claim, figure, sentence, stretch(place), stretch(own)))
}

/// Whether a claim has another figure of a kind that a sentence gives otherwise: the price of the one bound for that of another.
fn differs(claim: &Analysed, figure: &Quantity, sentence: &Analysed, at: usize) -> bool {
    claim.quantities.iter().filter(|own| own.first != figure.first && own.unit.is_some()).any(|own| {
        let theirs = || {
            let others = sentence.quantities.iter().take(MOST).enumerate();
            others.filter(|(place, other)| *place != at && other.comparable(own))
        };
        theirs().next().is_some() && !theirs().any(|(_, other)| other.equals(own))
    })
}

/// Whether the claim says of a figure what follows from the bound of a sentence; `None` where that says nothing of it.
fn follows(claim: &Analysed, figure: &Quantity, sentence: &Analysed) -> Option<bool> {
    if sentence.quantities.is_empty() || plain_share(claim, sentence) < CONTRAST {
        return None;
    }
    let count = sentence.quantities.len().min(MOST);
    let begins = |at: &usize| at.checked_sub(1).is_none_or(|before| range_end(sentence, before).is_none());
    let (bounds, verdicts): (Vec<usize>, Vec<Verdict>) =
        (0..count).filter(begins).filter_map(|at| Some((at, verdict(claim, figure, sentence, at)?))).unzip();
    let wrong = |place: usize| !verdicts[place].right || differs(claim, figure, sentence, bounds[place]);
    match verdicts.len() {
        0 => None,
        1 if verdicts[0].meets => Some(!wrong(0)),
        1 => verdicts[0].right.then_some(true),
        // Each of several bounds has a price of its own: the one that is met must be told from the others.
        _ => {
            let mut met = (0..bounds.len()).filter(|place| verdicts[*place].meets);
            let one = met.next().filter(|_| met.next().is_none());
            Some(one.is_some_and(|one| !wrong(one) && !says_of_others(claim, figure, sentence, &bounds, one)))
        }
    }
}

/// Whether a figure is a case of a bound of the evidence, and the claim says of it what follows.
fn is_told(case: &Case<'_>, figure: &Quantity) -> bool {
    if !is_case(case.claim, figure) {
        return false;
    }
    let mut told = false;
    // A sentence beside it may bound the same thing with a price of its own.
    let own = case.index.sentences.get(case.place);
    let beside = [case.place.checked_sub(1), case.place.checked_add(1)]
        .into_iter()
        .flatten()
        .filter_map(|place| case.index.sentences.get(place))
        .filter(|other| own.is_some_and(|own| own.source == other.source) && case.scope.holds(other))
        .map(|other| &other.words);
    if beside.into_iter().any(|sentence| follows(case.claim, figure, sentence) == Some(false)) {
        return false;
    }
    for sentence in &case.evidence {
        match follows(case.claim, figure, sentence) {
            Some(true) => told = true,
            Some(false) => return false,
            None => {}
        }
    }
    told
}

/// By how much a figure may lie beside the one that it bounds: "fewer than thirty" is said of 28, and not of 5.
const BESIDE: f64 = 1.6;
/// The same of counts whose thing is not named beside both.
const CLOSE: f64 = 1.12;

/// Whether a claim says that something is less, or more, than a figure, and a sentence has one that is: "more than half" where it
/// says 60 %.
fn holds(claim: &Analysed, figure: &Quantity, sentence: &Analysed) -> bool {
    if figure.bound.is_none() || !strict(claim, figure) {
        return false;
    }
    // Of several figures of the kind it is the one with the same thing beside it.
    let kind = |held: &&Quantity| held.comparable(figure) || held.unit.is_none() && figure.unit.is_none();
    let several = sentence.quantities.iter().take(MOST).filter(kind).count() > 1;
    sentence.quantities.iter().take(MOST).any(|held| {
        let other = several && !same(figure.head, held.head) && !same(figure.before, held.before);
        let share = |one: &Quantity, two: &Quantity| {
            let percent = matches!(one.unit, Some((Dimension::Percent, _)));
            percent && two.unit.is_none() && two.value < 1.0
        };
        let (own, theirs) = if share(held, figure) {
            (figure.value * 100.0, held.value)
        } else {
            (value(figure, held), value(held, figure))
        };
        let counts = figure.unit.is_none() && held.unit.is_none();
        let named = figure.comparable(held)
            || share(held, figure)
            || counts && comparable(claim, figure, sentence, held);
        let most = if named { BESIDE } else { CLOSE };
        let right = match figure.bound {
            Some(Bound::Most) => theirs < own && own <= theirs * most,
            Some(Bound::Least) => theirs > own && theirs <= own * most,
            None => false,
        };
        !other && held.bound.is_none() && (named || counts) && right && denials(claim) == denials(sentence)
    })
}

/// Whether a claim bounds a figure of the sentence of the evidence that says most of it.
fn is_held(case: &Case<'_>, figure: &Quantity) -> bool {
    if figure.bound.is_none() {
        return false;
    }
    let shares: Vec<f64> = case.evidence.iter().map(|sentence| plain_share(case.claim, sentence)).collect();
    let most = shares.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
    case.evidence
        .iter()
        .zip(&shares)
        .any(|(sentence, share)| *share >= most && holds(case.claim, figure, sentence))
}

/// Whether a figure of a claim follows from a bound of the evidence, or bounds a figure of it.
pub(super) fn told(case: &Case<'_>, figure: &Quantity) -> bool {
    is_told(case, figure) || is_held(case, figure)
}

/// Takes back what rules say of how a claim denies or binds where it says what follows from a bound of the evidence, or the same
/// case by "unless" as the evidence by "if not"; and of opposites, where the one takes out what the other speaks of.
pub(super) fn excuse(case: &Case<'_>, found: &mut Vec<Mismatch>) {
    if !found.iter().any(|other| matches!(other.rule, "negation" | "quantifier" | "opposite" | "exchange")) {
        return;
    }
    let claim = case.claim;
    let follows = claim.quantities.iter().any(|figure| is_told(case, figure));
    let alike = || case.evidence.iter().any(|sentence| except::unless_alike(claim, sentence));
    let needed = || case.evidence.iter().any(|sentence| needs_so(claim, sentence) == Some(true));
    let excepted = || case.evidence.iter().any(|sentence| except::opposed(claim, sentence));
    found.retain(|other| match other.rule {
        "negation" => !follows && !alike() && !needed(),
        "quantifier" => !follows,
        "opposite" => !excepted() && !super::derived::ends(case),
        "exchange" => !(excepted() && case.evidence.iter().any(|words| opposed(claim, words))),
        _ => true,
    });
}
