//! Figures that follow from those of the sources: a difference, a total, a share, one more than a bound, an age in a range.
//!
//! No source holds them, and no rule may say so for that: the claim counted. What it counted is only looked for where a word
//! says that it did.

use super::Case;
use crate::index::Analysed;
use crate::numbers::{Bound, Dimension, Quantity};

/// Most figures that are counted with.
const MOST: usize = 16;

/// Sentences, and figures of them, between which differences are looked for.
const SENTENCES: usize = 200;

/// Words of differences.
const APART: &[&str] = &[
    "more",
    "less",
    "fewer",
    "cheaper",
    "dearer",
    "heavier",
    "lighter",
    "sooner",
    "later",
    "earlier",
    "longer",
    "shorter",
    "faster",
    "slower",
    "bigger",
    "smaller",
    "higher",
    "lower",
    "difference",
    "extra",
    "left",
    "remain",
    "remaining",
    "rest",
    "mas",
    "menos",
    "diferencia",
    "quedan",
    "resto",
    "restantes",
    "sobran",
    "saves",
    "ahorra",
];
/// Words of totals.
const TOGETHER: &[&str] = &[
    "total",
    "together",
    "altogether",
    "combined",
    "sum",
    "overall",
    "both",
    "juntos",
    "juntas",
    "suma",
    "suman",
    "entre",
];
/// Words of a source that say that something is added.
const FURTHER: &[&str] =
    &["more", "further", "additional", "another", "extended", "plus", "otro", "otros", "adicional", "mas"];
/// Words of shares and rates.
const EACH: &[&str] =
    &["each", "per", "every", "cada", "por", "apiece", "average", "media", "promedio", "rate", "razon"];
/// Words before the first of what follows a bound.
const FROM: &[&str] = &["from", "after", "since", "starting", "desde", "partir", "tras"];
/// Words before an age.
const AGED: &[&str] = &[
    "aged",
    "child",
    "children",
    "boy",
    "girl",
    "person",
    "people",
    "driver",
    "user",
    "con",
    "nino",
    "nina",
    "ninos",
    "persona",
    "conductor",
    "at",
    "is",
    "tiene",
    "chico",
    "chica",
    "joven",
    "adulto",
    "patient",
    "paciente",
];

fn says(words: &Analysed, list: &[&str]) -> bool {
    words.tokens.iter().any(|token| list.contains(&token.norm.as_str()))
}

/// Whether a word of difference stands near a figure: "250 more", "by 23 grams the heavier".
fn compared(claim: &Analysed, figure: &Quantity) -> bool {
    let near = figure.first.saturating_sub(3)..(figure.last + 6).min(claim.tokens.len());
    claim.tokens[near].iter().any(|token| APART.contains(&token.norm.as_str()))
}

fn base(figure: &Quantity) -> f64 {
    figure.value * figure.unit.map_or(1.0, |(_, factor)| factor)
}

fn near(one: f64, two: f64) -> bool {
    (one - two).abs() <= 1e-6 * one.abs().max(two.abs()).max(1e-6)
}

/// Whether a figure of the claim was counted from those of the evidence.
pub(super) fn derived(case: &Case<'_>, figure: &Quantity) -> bool {
    let claim = case.claim;
    let each = says(claim, EACH) || case.evidence.iter().any(|sentence| says(sentence, EACH));
    let (apart, together) = (compared(claim, figure), says(claim, TOGETHER));
    if hundredths(case, figure) {
        return true;
    }
    let own = base(figure);
    let kind = |other: &Quantity| other.comparable(figure) || other.unit.is_none() && figure.unit.is_none();
    for sentence in &case.evidence {
        if aged(claim, figure, sentence) {
            return true;
        }
        let figures = || sentence.quantities.iter().take(MOST);
        let further = says(sentence, FURTHER);
        for one in figures() {
            let first =
                one.bound.is_some() || sentence.tokens[..one.first].iter().any(|token| token.norm == "first");
            let begins = claim.tokens[..figure.first]
                .iter()
                .rev()
                .take(3)
                .any(|token| FROM.contains(&token.norm.as_str()));
            // "From week 13 on" where the first 12 weeks were something else.
            if begins && first && near(figure.value, one.value + 1.0) {
                return true;
            }
            for two in figures().filter(|two| two.first != one.first) {
                // "Up to half of the sum of 2,000".
                let part = one.unit.is_none() && one.value > 0.0 && one.value < 1.0 && kind(two);
                if part && near(own, one.value * base(two))
                    || further && kind(one) && near(own, base(one) + plain(two, one))
                {
                    return true;
                }
            }
        }
    }
    let Some(best) = case.evidence.first() else { return false };
    let pool = |sentences: &[&Analysed]| -> Vec<Quantity> {
        let held = sentences.iter().flat_map(|sentence| sentence.quantities.iter());
        let others = claim.quantities.iter().filter(|other| other.first != figure.first);
        held.chain(others).take(MOST).cloned().collect()
    };
    let pairs = |all: &[Quantity], holds: &dyn Fn(&Quantity, &Quantity) -> bool| {
        all.iter().any(|one| all.iter().any(|two| !std::ptr::eq(one, two) && holds(one, two)))
    };
    let difference = apart && figure.bound.is_none() && {
        let here = pairs(&pool(&case.evidence), &|one, two| {
            (kind(one) || kind(two)) && near(own, plain(one, figure) - plain(two, figure))
        });
        here || between_sentences(case, figure)
    };
    let total = together
        && pairs(&pool(&[*best]), &|one, two| {
            let sum = kind(one) && near(own, base(one) + base(two));
            kind(two) && (sum || one.unit.is_none() && near(own, one.value * base(two)))
        });
    let rates = || case.evidence.iter().any(|sentence| rate(sentence, claim, figure));
    difference || total || (each && (rates() || rate(claim, claim, figure)))
}

/// Whether a figure is the difference of two that stand in the same way in two sentences: "weighs 195 g", "weighs 172 g".
fn between_sentences(case: &Case<'_>, figure: &Quantity) -> bool {
    let sentences = case.index.sentences.iter().take(SENTENCES).filter(|sentence| case.scope.holds(sentence));
    let alike = |one: &Quantity| {
        (one.comparable(figure) || one.unit.is_none() && figure.unit.is_none()) && one.before != 0
    };
    let all: Vec<&Quantity> = sentences
        .flat_map(|sentence| &sentence.words.quantities)
        .filter(|one| alike(one))
        .take(SENTENCES)
        .collect();
    all.iter().any(|one| {
        all.iter().any(|two| one.before == two.before && near(base(figure), base(one) - base(two)))
    })
}

/// A figure that is added to another, in the unit of that where it has none.
fn plain(figure: &Quantity, to: &Quantity) -> f64 {
    match figure.unit {
        None => figure.value * to.unit.map_or(1.0, |(_, factor)| factor),
        Some(_) => base(figure),
    }
}

/// Whether two figures of the claim, one of them this, are in a proportion that the evidence gives: 8 euros of 100 at 8 %.
fn hundredths(case: &Case<'_>, figure: &Quantity) -> bool {
    let percent = |share: &Quantity| {
        share.unit.filter(|(dimension, _)| *dimension == Dimension::Percent).map(|_| share.value / 100.0)
    };
    let mut shares = case.evidence.iter().flat_map(|sentence| &sentence.quantities).filter_map(percent);
    let own = base(figure);
    let amount = matches!(figure.unit, Some((dimension, _)) if dimension != Dimension::Percent);
    amount
        && shares.any(|share| {
            let mut others = case
                .claim
                .quantities
                .iter()
                .filter(|other| other.first != figure.first && other.comparable(figure))
                .map(base);
            share > 0.0 && others.any(|other| near(own, other * share) || near(other, own * share))
        })
}

/// Whether a figure is what the claim's amount takes at the rate of a sentence, or that amount: five minutes for 50 GB where
/// it is one for 10 GB.
fn rate(sentence: &Analysed, claim: &Analysed, figure: &Quantity) -> bool {
    let meets = |other: &Quantity| other.first <= figure.last && figure.first <= other.last;
    let with_forms = |words: &Analysed| -> Vec<Quantity> {
        let forms = crate::settle::forms(words).into_iter().take(MOST);
        let all = words.quantities.iter().take(MOST).cloned().chain(forms);
        all.filter(|one| one.unit.is_some()).collect()
    };
    // "Three hours a terabyte", "6 euros each quarter of an hour".
    let steps = with_forms(sentence);
    let amounts: Vec<Quantity> = with_forms(claim).into_iter().filter(|amount| !meets(amount)).collect();
    // A word of rates stands between the two: "one minute per 10 GB".
    let beside = |cost: &Quantity, step: &Quantity| {
        let each = |at: usize| EACH.contains(&sentence.tokens[at].norm.as_str());
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

/// Whether a figure is an age in a range of the sentence, or on the right side of a bound: "a child of six" where it says "from 4
/// to 11".
fn aged(claim: &Analysed, figure: &Quantity, sentence: &Analysed) -> bool {
    const YEAR: f64 = 31_557_600.0;
    let years = |figure: &Quantity| {
        figure.unit.is_some_and(|(dimension, factor)| dimension == Dimension::Time && near(factor, YEAR))
    };
    let named =
        claim.tokens[..figure.first].iter().rev().take(3).any(|token| AGED.contains(&token.norm.as_str()));
    if !years(figure) || !named || figure.bound.is_some() {
        return false;
    }
    let figures = &sentence.quantities;
    figures.iter().enumerate().any(|(at, one)| {
        let bounded = years(one)
            && match one.bound {
                Some(Bound::Most) => figure.value <= one.value,
                Some(Bound::Least) => figure.value >= one.value,
                None => false,
            };
        let range = figures.get(at + 1).is_some_and(|two| {
            two.first <= one.last + 2
                && one.value <= figure.value
                && figure.value <= two.value
                && (years(two) || years(one))
        });
        bounded || range
    })
}
