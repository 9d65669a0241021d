//! Figures that follow from those of the sources: a difference, a total, a share, one more than a bound, an age in a range.
//!
//! No source holds them, and no rule may say so for that: the claim counted. What it counted is only looked for where a word
//! says that it did.

use super::Case;
use crate::index::Analysed;
use crate::numbers::{Dimension, Quantity};

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
    "ahorran",
    "ahorras",
    "save",
    "saving",
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
/// Words of totals that name one of what is added behind them.
const INCLUDING: &[&str] = &["including", "incluido", "incluida", "incluidos", "incluidas", "incluyendo"];
/// Words of a source that say that something is added.
const FURTHER: &[&str] =
    &["more", "further", "additional", "another", "extended", "plus", "otro", "otros", "adicional", "mas"];
/// Words of a claim that tells what one of several has.
const EACH_OF: &[&str] = &["each", "per", "cada", "apiece"];
/// Words of shares and rates.
const EACH: &[&str] =
    &["each", "per", "every", "cada", "por", "apiece", "average", "media", "promedio", "rate", "razon"];
/// Words before the first of what follows a bound.
const FROM: &[&str] = &["from", "after", "since", "starting", "desde", "partir", "tras"];

fn says(words: &Analysed, list: &[&str]) -> bool {
    words.tokens.iter().any(|token| list.contains(&token.norm.as_str()))
}

/// Whether a word of difference stands near a figure: "250 more", "by 23 grams the heavier".
fn compared(claim: &Analysed, figure: &Quantity) -> bool {
    let near = figure.first.saturating_sub(3)..(figure.last + 6).min(claim.tokens.len());
    by(claim, figure) || claim.tokens[near].iter().any(|token| APART.contains(&token.norm.as_str()))
}

/// Whether something grows or falls by a figure.
fn by(claim: &Analysed, figure: &Quantity) -> bool {
    figure.first.checked_sub(1).is_some_and(|at| matches!(claim.tokens[at].norm.as_str(), "by" | "en"))
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
    if hundredths(case, figure) || super::within::told(case, figure) {
        return true;
    }
    let own = base(figure);
    let kind = |other: &Quantity| other.comparable(figure) || other.unit.is_none() && figure.unit.is_none();
    for sentence in &case.evidence {
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
        here || between_sentences(case, figure) || multiples(case, figure)
    };
    let sums = |sentence: &Analysed, best: bool| {
        pairs(&pool(&[sentence]), &|one, two| {
            let sum = kind(one) && near(own, base(one) + base(two));
            let times = best && one.unit.is_none() && kind(two);
            let product = base(two) * one.value;
            let more = |third: &Quantity| kind(third) && near(own, product + base(third));
            let and = times && one.value > 1.0 && sentence.quantities.iter().take(MOST).any(more);
            kind(two) && (sum || times && near(own, product) || and)
        })
    };
    let further = || {
        let all = case.index.sentences.iter().take(SENTENCES).filter(|sentence| case.scope.holds(sentence));
        all.map(|sentence| &sentence.words)
            .filter(|words| says(words, FURTHER))
            .any(|words| sums(words, false))
    };
    let total = together
        && (case.evidence.iter().enumerate().any(|(rank, sentence)| sums(sentence, rank == 0)) || further());
    let total = total || included(case, figure);
    // "Pays half" of an amount in another sentence.
    let half = {
        let amounts = || {
            let all = case.evidence.iter().flat_map(|sentence| sentence.quantities.iter().take(MOST));
            all.filter(|one| one.comparable(figure))
        };
        let told = case.evidence.iter().filter(|words| super::plain_share(claim, words) >= super::CONTRAST);
        let mut halves = told
            .flat_map(|sentence| sentence.quantities.iter().take(MOST))
            .filter(|one| one.unit.is_none() && near(one.value, 0.5));
        amounts().any(|amount| near(own * 2.0, base(amount))) && halves.next().is_some()
    };
    let rates = || case.evidence.iter().any(|sentence| rate(sentence, claim, figure));
    difference
        || total
        || half
        || shared_out(case, figure)
        || counted(case, figure)
        || (each && (rates() || rate(claim, claim, figure)))
}

/// Whether a figure is the sum of one of the evidence and of one that a sentence tells of what the claim includes: "340 euros
/// including the insurance".
fn included(case: &Case<'_>, figure: &Quantity) -> bool {
    let tokens = &case.claim.tokens;
    let behind = |at: usize| tokens[at + 1..].iter().find(|token| token.content());
    let parts = || {
        let words = (0..tokens.len()).filter(|at| INCLUDING.contains(&tokens[*at].norm.as_str()));
        words.filter_map(behind)
    };
    let figures = |words: &'_ Analysed| -> Vec<Quantity> {
        let all = words.quantities.iter().take(MOST).filter(|one| one.comparable(figure));
        all.cloned().collect()
    };
    let own = base(figure);
    let told = parts().flat_map(|part| case.index.places(part.stem).iter().take(MOST));
    let mut told = told
        .filter_map(|place| case.index.sentence(*place))
        .filter(|sentence| case.scope.holds(sentence))
        .map(|sentence| &sentence.words);
    told.any(|words| {
        figures(words).iter().any(|two| {
            case.evidence.iter().any(|sentence| {
                let apart = |one: &Quantity| !std::ptr::eq(words, *sentence) || one.first != two.first;
                figures(sentence).iter().any(|one| apart(one) && near(own, base(one) + base(two)))
            })
        })
    })
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
        let by = by(case.claim, figure);
        all.iter().any(|two| (by || one.before == two.before) && near(base(figure), base(one) - base(two)))
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

/// Whether a figure is the difference between some of a thing and another: "a return is four euros cheaper than two singles".
fn multiples(case: &Case<'_>, figure: &Quantity) -> bool {
    let counts = case.claim.quantities.iter().filter(|count| count.unit.is_none() && count.value > 1.0);
    let figures = || {
        let all = case.evidence.iter().flat_map(|sentence| sentence.quantities.iter().take(MOST));
        all.filter(|one| one.comparable(figure))
    };
    counts.take(MOST).any(|count| {
        figures()
            .any(|one| figures().any(|two| near(base(figure), (count.value * base(one) - base(two)).abs())))
    })
}

/// Whether a figure is what each of some things has of an amount: 1.25 euros a trip where ten trips cost 12.50.
pub(super) fn shared_out(case: &Case<'_>, figure: &Quantity) -> bool {
    let before = figure.first.checked_sub(1).map_or("", |at| case.claim.tokens[at].norm.as_str());
    !EACH_OF.contains(&before)
        && case.evidence.iter().any(|sentence| {
            let figures = || sentence.quantities.iter().take(MOST);
            figures().filter(|all| all.comparable(figure)).any(|all| {
                figures()
                    .filter(|count| count.unit.is_none() && count.value > 1.0)
                    .any(|count| near(base(figure) * count.value, base(all)))
            })
        })
}

/// Whether a figure is what the claim's counts come to at the rate of a sentence: 80 cents for two books and four days at 10
/// cents a book and day; or what all of a count come to of which each has some: 1,200 mg of three tablets with 400 mg each.
fn counted(case: &Case<'_>, figure: &Quantity) -> bool {
    let each = |sentence: &Analysed| says(sentence, EACH);
    let others = |sentence: &Analysed| -> Vec<f64> {
        let counts = case.claim.quantities.iter();
        let counts = counts.filter(|other| other.first != figure.first && !other.comparable(figure));
        let named = |other: &&Quantity| {
            let unit = other.unit.and_then(|_| case.claim.tokens.get(other.last));
            sentence.says(other.head) || unit.is_some_and(|unit| sentence.says_token(unit))
        };
        counts.filter(named).map(|other| other.value).take(MOST).collect()
    };
    case.evidence.iter().filter(|sentence| each(sentence)).any(|sentence| {
        let others = others(sentence);
        let costs = sentence.quantities.iter().take(MOST).filter(|cost| cost.comparable(figure));
        costs.into_iter().any(|cost| {
            let by = base(figure) / base(cost);
            let product: f64 = others.iter().product();
            let told = by > 1.0
                && (others.iter().any(|count| near(*count, by)) || others.len() > 1 && near(product, by));
            // What each of them has stands behind the word for "each".
            let thing = sentence.tokens[..cost.first].iter().enumerate().find_map(|(at, token)| {
                let next = sentence.tokens.get(at + 1)?;
                (EACH.contains(&token.norm.as_str()) && next.content()).then_some(next.stem)
            });
            let number = |thing: u64| {
                let all = case.index.sentences.iter().take(SENTENCES).filter(|other| case.scope.holds(other));
                all.flat_map(|other| &other.words.quantities)
                    .any(|count| count.unit.is_none() && count.head == thing && near(count.value, by))
            };
            told || by > 1.0 && thing.is_some_and(number)
        })
    })
}
