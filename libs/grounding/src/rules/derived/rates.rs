//! Figures that come from a share, a rate or a count of the sources: 8 euros of 100 at 8 %, 1,200 mg of three tablets with 400 mg
//! each, 1.25 euros a trip where ten trips cost 12.50.

use super::parts::{tied, together};
use super::{MOST, base, near, plain, totals};
use crate::flags;
use crate::index::Analysed;
use crate::numbers::{Dimension, Quantity};
use crate::rules::Case;

/// Sentences that are asked for a count.
const COUNTS: usize = 24;
/// Words that take a share off.
const LESS: &[&str] = &[
    "off",
    "discount",
    "less",
    "reduction",
    "reduced",
    "cheaper",
    "descuento",
    "rebaja",
    "menos",
    "reduccion",
];

/// Whether two figures of the claim, one of them this, are in a proportion that the evidence gives: 8 euros of 100 at 8 %; or it is
/// that share of an amount beside it, or what is left of the amount.
pub(super) fn hundredths(case: &Case<'_>, figure: &Quantity) -> bool {
    let percent = |share: &Quantity| {
        share.unit.filter(|(dimension, _)| *dimension == Dimension::Percent).map(|_| share.value / 100.0)
    };
    let own = base(figure);
    if !matches!(figure.unit, Some((dimension, _)) if dimension != Dimension::Percent) {
        return false;
    }
    let others = || {
        let all = case.claim.quantities.iter();
        all.filter(|other| other.first != figure.first && other.comparable(figure)).map(base)
    };
    case.evidence.iter().any(|sentence| {
        let figures = || sentence.quantities.iter().take(MOST);
        let amounts = || figures().filter(|one| one.comparable(figure));
        let several = amounts().nth(1).is_some();
        let mut shares = figures().filter_map(|one| Some((one, percent(one).filter(|share| *share > 0.0)?)));
        shares.any(|(held, share)| {
            // Of several amounts it is a share of the one that it stands with.
            let mut amounts = amounts().filter(|one| !several || together(sentence, held, one)).map(base);
            // What is taken off leaves the rest, and the share itself is that of something.
            let less = sentence.tokens.iter().any(|token| LESS.contains(&token.norm.as_str()));
            let part = if less { 1.0 - share } else { share };
            let counted = others().any(|other| near(own, other * share) || near(other, own * share))
                || share < 1.0 && amounts.any(|amount| near(own, amount * part));
            counted && speaks_of(case.claim, sentence)
        })
    })
}

/// Whether a claim says a word of a sentence beside its figures.
fn speaks_of(claim: &Analysed, sentence: &Analysed) -> bool {
    let figure = |at: usize| sentence.quantities.iter().any(|one| (one.first..=one.last).contains(&at));
    sentence
        .tokens
        .iter()
        .enumerate()
        .any(|(at, token)| token.content() && claim.says_token(token) && !figure(at))
}

/// Whether a figure is what the claim's amount takes at a rate of the evidence, or that amount: five minutes for 50 GB where
/// it is one for 10 GB.
pub(super) fn rated(case: &Case<'_>, figure: &Quantity) -> bool {
    let claim = case.claim;
    case.evidence.iter().any(|sentence| rate(sentence, claim, figure)) || rate(claim, claim, figure)
}

fn rate(sentence: &Analysed, claim: &Analysed, figure: &Quantity) -> bool {
    let meets = |other: &Quantity| other.first <= figure.last && figure.first <= other.last;
    let with_forms = |words: &Analysed| -> Vec<Quantity> {
        let forms = words.forms().iter().take(MOST).cloned();
        let all = words.quantities.iter().take(MOST).cloned().chain(forms);
        all.filter(|one| one.unit.is_some()).collect()
    };
    // "Three hours a terabyte", "6 euros each quarter of an hour".
    let steps = with_forms(sentence);
    // What stands behind "every" in the claim is the step of its own rate.
    let amounts =
        with_forms(claim).into_iter().filter(|amount| !meets(amount) && !behind_each(claim, amount));
    let amounts: Vec<Quantity> = amounts.collect();
    // A word of rates stands between the two: "one minute per 10 GB".
    let beside = |cost: &Quantity, step: &Quantity| {
        let each = |at: usize| sentence.tokens[at].is(flags::EACH);
        cost.last < step.first && step.first - cost.last <= 4 && (cost.last + 1..step.first + 1).any(each)
    };
    sentence.quantities.iter().take(MOST).any(|cost| {
        steps.iter().filter(|step| !step.comparable(cost) && beside(cost, step)).any(|step| {
            amounts.iter().any(|amount| {
                let forth = (figure.comparable(cost) || cost.unit.is_none())
                    && amount.comparable(step)
                    && near(base(figure) * base(step), plain(cost, figure) * base(amount));
                let back = figure.comparable(step)
                    && (amount.comparable(cost) || cost.unit.is_none())
                    && near(base(figure) * plain(cost, amount), base(step) * base(amount));
                forth || back
            })
        })
    })
}

/// Whether a figure says what something is counted by: "every 4 to 6 hours", "per 6 litres".
fn behind_each(words: &Analysed, figure: &Quantity) -> bool {
    let before = words.tokens[..figure.first].iter().rev().take(4);
    let mut range = before.take_while(|token| token.is(flags::EACH) || token.is(flags::COUNTS) || token.stop);
    range.any(|token| token.is(flags::EACH))
}

/// Whether a claim speaks of one of a thing: "a trip", "each pump", "per day".
fn singled_out(claim: &Analysed, thing: u64) -> bool {
    const ONE: &[&str] =
        &["a", "an", "one", "each", "every", "per", "single", "un", "una", "cada", "por", "apiece"];
    (0..claim.tokens.len()).filter(|at| claim.tokens[*at].stem == thing).any(|at| {
        claim.tokens[at.saturating_sub(2)..at].iter().any(|token| ONE.contains(&token.norm.as_str()))
    })
}

/// The counts of a text beside a figure: how many of a thing there are.
fn counts_of(words: &Analysed) -> impl Iterator<Item = &Quantity> {
    words.quantities.iter().take(MOST).filter(|count| count.unit.is_none() && count.value > 1.0)
}

/// Whether a figure is what some of a thing come to, of which the evidence says what one has: 24 euros for two adults at 12.
pub(super) fn bought(case: &Case<'_>, figure: &Quantity) -> bool {
    counts_of(case.claim).filter(|count| count.first != figure.first).any(|count| buys(case, count, figure))
}

/// Whether a figure counts the things of which another one says what they come to.
pub(super) fn counts(case: &Case<'_>, count: &Quantity) -> bool {
    let others = || case.claim.quantities.iter().take(MOST).filter(|other| other.first != count.first);
    count.unit.is_none() && count.value > 1.0 && others().any(|figure| buys(case, count, figure))
}

fn buys(case: &Case<'_>, count: &Quantity, figure: &Quantity) -> bool {
    let times = |cost: &&Quantity| cost.comparable(figure) && near(base(figure), count.value * base(cost));
    count.head != 0
        && case.evidence.iter().any(|sentence| {
            let mut costs = sentence.quantities.iter().take(MOST).filter(times).peekable();
            costs.peek().is_some()
                && of_one(sentence, count.head)
                && costs.any(|cost| tied(case.claim, sentence, cost, count.head))
        })
}

/// Whether a figure is what some of a thing come to at what a sentence gives for each: nine hours of twelve lessons of 45 minutes
/// each.
pub(super) fn multiplied(case: &Case<'_>, figure: &Quantity) -> bool {
    if behind_each(case.claim, figure) {
        return false;
    }
    // The count is of a thing that the claim speaks of, and not of one of it.
    let counted = |count: &Quantity| {
        count.head != 0 && case.claim.says(count.head) && !singled_out(case.claim, count.head)
    };
    bought(case, figure)
        || case.evidence.iter().enumerate().any(|(rank, sentence)| {
            let costs = || sentence.quantities.iter().take(MOST).filter(|cost| cost.comparable(figure));
            let product = |count: &Quantity, cost: &Quantity| count.value * base(cost);
            let more = |count: &Quantity, cost: &Quantity| {
                costs().any(|third| near(base(figure), product(count, cost) + base(third)))
            };
            let told = sentence.any_is(flags::EACH) || rank == 0 && totals(case);
            told && counts_of(sentence).filter(|count| counted(count)).any(|count| {
                costs().any(|cost| near(base(figure), product(count, cost)) || rank == 0 && more(count, cost))
            })
        })
}

/// Whether a sentence says of one of a thing, or of each, what follows: "adults pay", "a tablet has", and no "ten rides cost".
fn of_one(sentence: &Analysed, head: u64) -> bool {
    let counted = sentence.quantities.iter().take(MOST).any(|other| other.head == head && other.value > 1.0);
    let leads = (0..sentence.tokens.len()).any(|at| {
        let begins =
            (0..at).rev().take_while(|place| !sentence.tokens[*place + 1].after_break).all(|place| {
                let before = &sentence.tokens[place];
                !before.content() || before.is(flags::COUNTS)
            });
        // What is joined has a figure of its own: "adults pay 12 euros and children 5 euros".
        let before =
            sentence.tokens[..at].iter().rev().find(|token| token.content() || !token.is(flags::COUNTS));
        let joined = before.is_some_and(|token| token.is(flags::AND));
        sentence.tokens[at].stem == head && (begins || joined)
    });
    !counted && leads
}

/// Whether a figure is what each of some things has of an amount: 1.25 euros a trip where ten trips cost 12.50. The claim speaks of
/// one of them.
pub(super) fn shared_out(case: &Case<'_>, figure: &Quantity) -> bool {
    let behind = (figure.last + 1)..(figure.last + 3).min(case.claim.tokens.len());
    let behind = case.claim.tokens.get(behind).unwrap_or_default();
    let each = behind.iter().any(|token| token.is(flags::EACH));
    let one = |count: &Quantity| {
        let numbers = case.claim.quantities.iter().any(|own| own.head == count.head && own.value > 1.0);
        // "3 euros el baño".
        let beside = behind.iter().any(|token| token.stem == count.head);
        count.head != 0 && (each || beside || !numbers && singled_out(case.claim, count.head))
    };
    !behind_each(case.claim, figure)
        && case.evidence.iter().any(|sentence| {
            let figures = || sentence.quantities.iter().take(MOST);
            figures().filter(|all| all.comparable(figure)).any(|all| {
                counts_of(sentence)
                    .filter(|count| one(count))
                    .any(|count| near(base(figure) * count.value, base(all)))
            })
        })
}

/// Whether a figure is what the claim's counts come to at the rate of a sentence: 80 cents for two books and four days at 10
/// cents a book and day; or what all of a count come to of which each has some: 1,200 mg of three tablets with 400 mg each.
pub(super) fn counted(case: &Case<'_>, figure: &Quantity) -> bool {
    let others = |sentence: &Analysed| -> Vec<f64> {
        let counts = case.claim.quantities.iter();
        let counts = counts.filter(|other| other.first != figure.first && !other.comparable(figure));
        let named = |other: &&Quantity| {
            let unit = other.unit.and_then(|_| case.claim.tokens.get(other.last));
            sentence.says(other.head) || unit.is_some_and(|unit| sentence.says_token(unit))
        };
        counts.filter(named).map(|other| other.value).take(MOST).collect()
    };
    case.evidence.iter().filter(|sentence| sentence.any_is(flags::EACH)).any(|sentence| {
        let others = others(sentence);
        let mut costs = sentence.quantities.iter().take(MOST).filter(|cost| cost.comparable(figure));
        costs.any(|cost| {
            let by = base(figure) / base(cost);
            let product: f64 = others.iter().product();
            let told = others.iter().any(|count| near(*count, by)) || others.len() > 1 && near(product, by);
            // What each of them has stands behind the word for "each".
            let thing = || {
                sentence.tokens[..cost.first]
                    .iter()
                    .zip(&sentence.tokens[1..])
                    .find_map(|(token, next)| (token.is(flags::EACH) && next.content()).then_some(next.stem))
            };
            let number = |thing: u64| {
                let places = case.index.places(thing).iter().take(COUNTS);
                let held = places.filter_map(|place| case.index.sentence(*place));
                held.filter(|other| case.scope.holds(other))
                    .flat_map(|other| &other.words.quantities)
                    .any(|count| count.unit.is_none() && count.head == thing && near(count.value, by))
            };
            by > 1.0 && (told || thing().is_some_and(number))
        })
    })
}
