//! Figures that a source has in another form than a claim: the claim is read as if it had the source's form.
//!
//! "Two minutes" and "120 s", "a quarter" and "25 %", "weekly" and "every 7 days", "16 June 2024" and "2024-06-16" say the same.
//! A figure of a claim that no source has as it stands, and that some sentence has in another form, takes the stems and the
//! value that it has there: rules and measures then see that it is held.

use crate::flags;
use crate::index::{Analysed, SourceIndex};
use crate::numbers::{Dimension, Quantity, loose, placed};
use crate::rates::rates;
use crate::share::plain_share;

/// Sentences that are looked at: the first ones of the sources.
const MOST: usize = 400;

/// By how much more of a claim a sentence must hold that has another figure of the kind.
const MORE: f64 = 0.1;

/// The roundabout figures and the rates of a text.
pub fn forms(words: &Analysed) -> Vec<Quantity> {
    if !words.any_is(flags::AMOUNT) {
        return Vec::new();
    }
    let mut found = loose(&words.tokens, &words.quantities);
    found.extend(rates(words));
    found
}

/// Whether two stretches have the same words.
fn alike(claim: &Analysed, own: &Quantity, source: &Analysed, other: &Quantity) -> bool {
    let stems = |words: &Analysed, figure: &Quantity| -> Vec<u64> {
        let content = words.tokens[figure.first..=figure.last].iter().filter(|token| token.content());
        content.map(|token| token.stem).collect()
    };
    stems(claim, own) == stems(source, other)
}

/// Reads the figures of a claim as the sources have them, where they say the same in another form.
pub fn adopt(claim: &mut Analysed, index: &SourceIndex) {
    let mut own = forms(claim);
    own.extend(claim.quantities.iter().cloned());
    // The longest stretch first: "an hour and 35 minutes" before "35 minutes".
    own.sort_by_key(|figure| std::cmp::Reverse(figure.last - figure.first));
    let mut settled: Vec<(usize, usize)> = Vec::new();
    let mut unheld = Vec::new();
    for figure in own {
        let inside = settled.iter().any(|(first, last)| figure.first <= *last && *first <= figure.last);
        let content = (figure.first..=figure.last).any(|at| claim.tokens[at].content());
        // What numbers a source weighs nothing and is no figure.
        let refers = (figure.first..=figure.last).all(|at| claim.weights[at] <= 0.0);
        if inside || !content || refers {
            continue;
        }
        let (place, other) = match held(claim, &figure, index) {
            Held::Other(place, other) => (place, other),
            Held::AsItIs => continue,
            Held::Nowhere => {
                if stands_alone(claim, &figure) {
                    settled.push((figure.first, figure.last));
                    unheld.push(figure);
                }
                continue;
            }
        };
        let Some(source) = index.sentences.get(place).map(|sentence| &sentence.words) else { continue };
        if alike(claim, &figure, source, &other) {
            continue;
        }
        settled.push((figure.first, figure.last));
        take(claim, &figure, source, &other);
    }
    for figure in unheld {
        let meets = |other: &Quantity| other.first <= figure.last && figure.first <= other.last;
        claim.quantities.retain(|other| !meets(other));
        let at = claim.quantities.iter().position(|other| other.first > figure.last);
        let placed = placed(&claim.tokens, &figure);
        claim.quantities.insert(at.unwrap_or(claim.quantities.len()), placed);
    }
    if !settled.is_empty() {
        claim.restem();
    }
}

/// Whether a roundabout figure that no source has is one as much as one in digits: "half a gigabyte", "an hour and a quarter", "a
/// whole day", and no "day" of "once a day".
fn stands_alone(claim: &Analysed, figure: &Quantity) -> bool {
    let measured = matches!(
        figure.unit,
        Some((
            Dimension::Time | Dimension::Size | Dimension::Mass | Dimension::Length | Dimension::Volume,
            _
        ))
    );
    // "A full-day cruise" says what kind of one.
    let modifies =
        || claim.tokens.get(figure.last + 1).is_some_and(|next| next.content() && !next.after_break);
    let one = (figure.value - 1.0).abs() < 1e-9 && (figure.last < figure.first + 2 || modifies());
    // Of "one and a half hours" a clause may begin with "a half".
    let cut = figure.first == 0 && (figure.value - 0.5).abs() < 1e-9;
    let covered =
        claim.quantities.iter().any(|own| own.first <= figure.first && figure.last <= own.last && !own.soft);
    measured && !one && !cut && !covered
}

/// Where the sources have a figure.
enum Held {
    /// In the form that it has in the claim.
    AsItIs,
    /// In another form, in the sentence at a place.
    Other(usize, Quantity),
    /// In none, or where they speak of something else.
    Nowhere,
}

/// The sentence that has an equal figure, with that figure: one of the same form if there is any, else in the sentence that
/// holds most of the claim.
fn held(claim: &Analysed, figure: &Quantity, index: &SourceIndex) -> Held {
    // Most figures stand in the sources as they are: that is asked first, and of few sentences.
    let as_it_is = |place: &u32| {
        let sentence = usize::try_from(*place).ok().and_then(|place| index.sentences.get(place));
        sentence.is_some_and(|sentence| {
            let words = &sentence.words;
            words.quantities.iter().any(|other| same(figure, other) && alike(claim, figure, words, other))
        })
    };
    if index.places(crate::numbers::hash(figure.value)).iter().take(MOST).any(as_it_is) {
        return Held::AsItIs;
    }
    let mut best: Option<(f64, usize, Quantity)> = None;
    for (place, sentence) in index.sentences.iter().enumerate().take(MOST) {
        let words = &sentence.words;
        let all = words.quantities.iter().chain(words.forms());
        for other in all.filter(|other| same(figure, other)) {
            if alike(claim, figure, words, other) {
                return Held::AsItIs;
            }
            let share = plain_share(claim, words);
            if best.as_ref().is_none_or(|(most, ..)| share > *most) {
                best = Some((share, place, other.clone()));
            }
        }
    }
    let Some((share, place, other)) = best else { return Held::Nowhere };
    // Where a sentence that holds more of the claim has another figure of the kind, the claim does not speak of this one:
    // "kept for 24 hours" is not "three times a day" where the sources keep it for 48.
    let another = |words: &Analysed, held: &Quantity| {
        let kind = held.comparable(figure) || held.comparable(&other);
        kind && !same(figure, held) && plain_share(claim, words) > share + MORE
    };
    let told = index.sentences.iter().take(MOST).any(|sentence| {
        let words = &sentence.words;
        words.quantities.iter().chain(words.forms()).any(|held| another(words, held))
    });
    if told { Held::Nowhere } else { Held::Other(place, other) }
}

/// Whether two figures say the same: in the same kind of measure, in none, or as hundredths and a part. A figure with a unit
/// and one without are not the same here, whatever else may stand around them.
fn same(one: &Quantity, two: &Quantity) -> bool {
    let part = |hundredths: &Quantity, part: &Quantity| {
        matches!(hundredths.unit, Some((Dimension::Percent, _))) && part.unit.is_none() && part.value < 1.0
    };
    let kinds = match (one.unit, two.unit) {
        (Some((mine, _)), Some((theirs, _))) => mine == theirs,
        (None, None) => true,
        _ => part(one, two) || part(two, one),
    };
    kinds && one.per.is_some() == two.per.is_some() && (one.equals(two) || about(one, two))
}

/// Whether one is a third, or thirds, and the other the same rounded: a third of a second and 300 ms.
fn about(one: &Quantity, two: &Quantity) -> bool {
    let base = |figure: &Quantity| figure.value * figure.unit.map_or(1.0, |(_, factor)| factor);
    let uneven = |figure: &Quantity| {
        let thirds = figure.value * 3.0;
        figure.value < 1.0 && (thirds - thirds.round()).abs() < 1e-9
    };
    (uneven(one) || uneven(two)) && (base(one) - base(two)).abs() <= 0.12 * base(one).max(base(two))
}

/// Gives a stretch of the claim the stems and figures of a stretch of the source.
fn take(claim: &mut Analysed, own: &Quantity, source: &Analysed, other: &Quantity) {
    claim.forget();
    let stems: Vec<u64> = source.tokens[other.first..=other.last]
        .iter()
        .filter(|token| token.content())
        .map(|token| token.stem)
        .collect();
    let mut next = stems.iter().copied();
    let Some(mut stem) = next.next() else { return };
    for token in claim.tokens[own.first..=own.last].iter_mut().filter(|token| token.content()) {
        token.read_as_stem(stem);
        stem = next.next().unwrap_or(stem);
    }
    let meets = |figure: &Quantity| figure.first <= own.last && own.first <= figure.last;
    let (bound, head, before) = claim
        .quantities
        .iter()
        .find(|figure| meets(figure))
        .map_or((None, 0, 0), |figure| (figure.bound, figure.head, figure.before));
    claim.quantities.retain(|figure| !meets(figure));
    let figures =
        source.quantities.iter().filter(|figure| other.first <= figure.first && figure.last <= other.last);
    let taken: Vec<Quantity> = figures
        .map(|figure| Quantity { first: own.first, last: own.last, bound, head, before, ..figure.clone() })
        .collect();
    let at =
        claim.quantities.iter().position(|figure| figure.first > own.last).unwrap_or(claim.quantities.len());
    claim.quantities.splice(at..at, taken);
}
