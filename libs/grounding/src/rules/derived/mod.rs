//! Figures that follow from those of the sources: a difference, a total, a share, one more than a bound, a time of day.
//!
//! No source holds them, and no rule may say so for that: the claim counted. What it counted is looked for where a word says that
//! it did ("in total", "more", "each"), where it counts a thing of which a sentence says what one has, or where a sentence gives a
//! share of an amount that the claim speaks of. Things of which one figure is told are not counted with those of others: each part
//! of a total or of a difference is named by the claim, or none is; a price is that of the thing that the claim counts.

mod parts;
mod rates;

use self::parts::Parts;
use self::rates::{bought, counted, counts, hundredths, multiplied, rated, shared_out};
use super::{CONTRAST, Case, plain_share};
use crate::flags;
use crate::index::Analysed;
use crate::numbers::{Dimension, Quantity};
use crate::tokens::{Token, TokenKind};

/// Most figures of a sentence that are counted with.
const MOST: usize = 16;
/// Seconds of an hour, and hours of a day.
const HOUR: f64 = 3600.0;
const DAY: f64 = 24.0;

/// Words of differences.
pub(crate) const APART: &[&str] = &[
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
pub(crate) const TOGETHER: &[&str] = &[
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
pub(crate) const INCLUDING: &[&str] =
    &["including", "with", "incluido", "incluida", "incluidos", "incluidas", "incluyendo", "con"];
/// Words of a source that say that something is added.
pub(crate) const FURTHER: &[&str] =
    &["more", "further", "additional", "another", "extended", "plus", "otro", "otros", "adicional", "mas"];
/// Words of shares and rates.
pub(crate) const EACH: &[&str] =
    &["each", "per", "every", "cada", "por", "apiece", "average", "media", "promedio", "rate", "razon"];
/// Words of what ends at a time of day.
pub(crate) const ENDS_AT: &[&str] = &[
    "end", "ends", "arrive", "arrives", "finish", "finishes", "over", "termina", "acaba", "llega", "finaliza",
];
/// Words of what lasts some time.
pub(crate) const TAKES: &[&str] =
    &["last", "lasts", "take", "takes", "long", "dura", "duran", "tarda", "tardan"];
/// Words before the first of what follows a bound.
const FROM: &[&str] = &["from", "after", "since", "starting", "desde", "partir", "tras"];

/// Whether a text says that something is a total: by a word for it, or as what others "come to".
fn totals(case: &Case<'_>) -> bool {
    let words = case.claim;
    let to = |two: &[Token]| {
        matches!(
            (two[0].norm.as_str(), two[1].norm.as_str()),
            ("come" | "comes" | "amount" | "amounts" | "add" | "adds", "to" | "up")
                | ("ascienden" | "asciende", "a")
        )
    };
    words.tokens.iter().any(|token| token.is(flags::TOTAL) && own(case, token))
        || words.tokens.windows(2).any(to)
}

/// Whether a word that says that something was counted is the claim's own: one that the evidence says as well may be copied.
fn own(case: &Case<'_>, token: &Token) -> bool {
    !token.named()
        && !case.evidence.iter().any(|words| words.tokens.iter().any(|other| other.norm == token.norm))
}

/// Words that say that something grows or falls.
const GROWS: &[&str] = &[
    "grow",
    "grows",
    "grew",
    "grown",
    "rise",
    "rises",
    "rose",
    "risen",
    "fall",
    "falls",
    "fell",
    "fallen",
    "increase",
    "increases",
    "increased",
    "reduce",
    "reduces",
    "reduced",
    "drop",
    "drops",
    "dropped",
    "exceed",
    "exceeds",
    "exceeded",
    "differ",
    "differs",
    "sube",
    "subio",
    "suben",
    "baja",
    "bajan",
    "aumenta",
    "aumento",
    "aumentan",
    "supera",
    "superan",
    "crece",
    "crecio",
    "cae",
    "cayo",
];

/// Whether what stands around a figure that counts something denies: "50 seats are not reserved".
fn denied(claim: &Analysed, figure: &Quantity) -> bool {
    if claim.tokens.get(figure.last + 1).is_none_or(|next| !next.content() || next.after_break) {
        return false;
    }
    let near = figure.first.saturating_sub(3)..(figure.last + 5).min(claim.tokens.len());
    claim.tokens[near].iter().any(|token| token.negates)
}

/// Whether a word of difference stands near a figure: "250 more", "by 23 grams the heavier".
fn compared(case: &Case<'_>, figure: &Quantity) -> bool {
    let claim = case.claim;
    if matches!(figure.unit, Some((Dimension::Clock | Dimension::Date, _))) {
        return false;
    }
    let near = figure.first.saturating_sub(3)..(figure.last + 6).min(claim.tokens.len());
    by(claim, figure)
        || claim.tokens[near].iter().any(|token| token.is(flags::DIFFERENCE) && own(case, token))
}

/// Whether something grows or falls by a figure.
fn by(claim: &Analysed, figure: &Quantity) -> bool {
    let grows = |token: &Token| token.is(flags::DIFFERENCE) || GROWS.contains(&token.norm.as_str());
    figure.first.checked_sub(1).is_some_and(|at| matches!(claim.tokens[at].norm.as_str(), "by" | "en"))
        && claim.tokens.iter().any(grows)
}

/// Whether two figures may be in one currency: each has none, or names none.
fn of_a_currency(one: (&Analysed, &Quantity), two: (&Analysed, &Quantity)) -> bool {
    let money = |figure: &Quantity| matches!(figure.unit, Some((Dimension::Money, _)));
    if !money(one.1) || !money(two.1) {
        return true;
    }
    match (currency(one.0, one.1), currency(two.0, two.1)) {
        (Some(one), Some(two)) => one == two,
        _ => true,
    }
}

/// The currency that a sum of money names, by the sign of it.
fn currency(words: &Analysed, figure: &Quantity) -> Option<char> {
    let named = |token: &Token| match token.norm.as_str() {
        "dollar" | "dollars" | "usd" => Some('$'),
        "euro" | "euros" | "eur" | "€" => Some('€'),
        _ => token.text.chars().next().filter(|first| matches!(first, '$' | '€')),
    };
    words.tokens.get(figure.first..=figure.last)?.iter().find_map(named)
}

/// A figure in the base of its unit.
fn base(figure: &Quantity) -> f64 {
    figure.value * figure.unit.map_or(1.0, |(_, factor)| factor)
}

/// Whether two values are the same, as far as they were counted.
fn near(one: f64, two: f64) -> bool {
    (one - two).abs() <= 1e-6 * one.abs().max(two.abs()).max(1e-6)
}

/// A figure that is added to another, in the unit of that where it has none.
fn plain(figure: &Quantity, to: &Quantity) -> f64 {
    match figure.unit {
        None => figure.value * to.unit.map_or(1.0, |(_, factor)| factor),
        Some(_) => base(figure),
    }
}

/// Whether a figure of the claim was counted from those of the evidence.
pub(super) fn derived(case: &Case<'_>, figure: &Quantity) -> bool {
    let claim = case.claim;
    if hundredths(case, figure) || super::within::told(case, figure) {
        return true;
    }
    let each = |words: &Analysed| words.any_is(flags::EACH);
    follows_a_bound(case, figure)
        || added(case, figure)
        || in_parts(case, figure)
        || half(case, figure)
        || clocked(case, figure)
        || multiplied(case, figure)
        || counts(case, figure)
        || shared_out(case, figure)
        || counted(case, figure)
        || (each(claim) || case.evidence.iter().any(|words| each(words))) && rated(case, figure)
}

/// Whether a figure in the place of another one was counted by the claim from things that it names: what the rule for words that
/// face one another asks, which sees figures that say nothing of how they came about.
pub(super) fn reckoned(case: &Case<'_>, figure: &Quantity) -> bool {
    super::within::told(case, figure)
        || shared_out(case, figure)
        || (figure.unit.is_some() || totals(case) || compared(case, figure)) && in_parts(case, figure)
        || hundredths(case, figure)
        || half(case, figure)
        || clocked(case, figure)
        || bought(case, figure)
        || figure.unit.is_some() && multiplied(case, figure)
        || counts(case, figure)
}

/// "From week 13 on" where the first 12 weeks were something else.
fn follows_a_bound(case: &Case<'_>, figure: &Quantity) -> bool {
    let before = case.claim.tokens[..figure.first].iter().rev().take(3);
    let begins = before.into_iter().any(|token| FROM.contains(&token.norm.as_str()));
    begins
        && case.evidence.iter().any(|sentence| {
            sentence.quantities.iter().take(MOST).any(|one| {
                let first =
                    |one: &Quantity| sentence.tokens[..one.first].iter().any(|token| token.norm == "first");
                near(figure.value, one.value + 1.0) && (one.bound.is_some() || first(one))
            })
        })
}

/// What a sentence says is added to another figure of it: 9 months where 6 are "extended by another 3"; or the part of an amount
/// that it names: "up to half of the sum of 2,000".
fn added(case: &Case<'_>, figure: &Quantity) -> bool {
    let own = base(figure);
    let kind = |other: &Quantity| other.comparable(figure) || other.unit.is_none() && figure.unit.is_none();
    case.evidence.iter().any(|sentence| {
        let adds = |two: &Quantity| parts::counts_with(sentence, two, figure);
        let further = sentence.any_is(flags::FURTHER);
        let kept = |one: &&Quantity| of_a_currency((sentence, *one), (case.claim, figure));
        let figures = || sentence.quantities.iter().take(MOST).filter(kept);
        figures().any(|one| {
            figures().filter(|two| two.first != one.first).any(|two| {
                let part = one.unit.is_none() && one.value > 0.0 && one.value < 1.0 && kind(two);
                let more = further && kind(one) && adds(two);
                part && near(own, one.value * base(two)) || more && near(own, base(one) + plain(two, one))
            })
        })
    })
}

/// A total or a difference of figures whose things the claim names, or names none of.
fn in_parts(case: &Case<'_>, figure: &Quantity) -> bool {
    let claim = case.claim;
    let apart = figure.bound.is_none() && (compared(case, figure) || denied(claim, figure));
    let (together, including) = (totals(case), claim.any_is(flags::INCLUDES));
    if !apart && !together && !including {
        return false;
    }
    let parts = Parts::of(case, figure);
    let total = || parts.total(base(figure), together);
    (together || including) && total() || apart && (parts.difference(base(figure)) || multiples(case, figure))
}

/// "Pays half" of an amount in another sentence. The half is a word, and the claim has applied it: it says none itself.
fn half(case: &Case<'_>, figure: &Quantity) -> bool {
    let is_half = |words: &Analysed, one: &Quantity| {
        let spelled = !matches!(words.tokens[one.first].kind, TokenKind::Number(_));
        let joined = words.tokens.get(one.last + 1).is_some_and(|next| next.is(flags::JOINED));
        one.unit.is_none() && near(one.value, 0.5) && spelled && !joined
    };
    let halves = |words: &Analysed| words.quantities.iter().take(MOST).any(|one| is_half(words, one));
    if halves(case.claim) {
        return false;
    }
    let counts = |one: &Quantity| one.comparable(figure) || one.unit.is_none() && figure.unit.is_none();
    let doubled = |one: &Quantity| near(base(figure) * 2.0, base(one));
    let beside = |words: &Analysed| {
        halves(words) && words.quantities.iter().take(MOST).any(|one| counts(one) && doubled(one))
    };
    let told = || {
        let mut about = case.evidence.iter().filter(|words| plain_share(case.claim, words) >= CONTRAST);
        about.any(|words| halves(words))
    };
    let amounts = || case.evidence.iter().flat_map(|words| words.quantities.iter().take(MOST));
    case.evidence.iter().any(|words| beside(words))
        || amounts().any(|one| one.comparable(figure) && doubled(one)) && told()
}

/// Whether a claim says when something ends of which the evidence says when it begins and how long it takes.
pub(super) fn ends(case: &Case<'_>) -> bool {
    let clock = |one: &&Quantity| matches!(one.unit, Some((Dimension::Clock, _)));
    case.claim.any_is(flags::ENDS_AT)
        && case.claim.quantities.iter().filter(clock).any(|one| clocked(case, one))
}

/// How long it is between two times of day of a sentence, or the time of day at the end of what begins at another one: from 9:00 to
/// 10:30 are 90 minutes, and 45 minutes from 14:30 on it is 15:15.
fn clocked(case: &Case<'_>, figure: &Quantity) -> bool {
    let clock = |one: &Quantity| matches!(one.unit, Some((Dimension::Clock, _)));
    let time = |one: &Quantity| matches!(one.unit, Some((Dimension::Time, _)));
    let told =
        clock(figure) && case.claim.any_is(flags::ENDS_AT) || time(figure) && case.claim.any_is(flags::TAKES);
    if !told {
        return false;
    }
    let best = case.index.sentences.get(case.place);
    let next = case
        .index
        .sentences
        .get(case.place + 1)
        .filter(|next| best.is_some_and(|best| best.source == next.source) && case.scope.holds(next));
    let sentences = case.evidence.iter().copied().chain(next.map(|next| &next.words));
    let all: Vec<&Quantity> =
        sentences.flat_map(|words| words.quantities.iter().take(MOST)).take(MOST).collect();
    all.iter().filter(|one| clock(one)).any(|one| {
        all.iter().any(|two| match (clock(figure), clock(two)) {
            (false, true) => one.value < two.value && near(base(figure), (two.value - one.value) * HOUR),
            (true, false) => time(two) && near(figure.value, (one.value + base(two) / HOUR) % DAY),
            _ => false,
        })
    })
}

/// Whether a figure is the difference between some of a thing and another: "a return is four euros cheaper than two singles".
fn multiples(case: &Case<'_>, figure: &Quantity) -> bool {
    let counts = case.claim.quantities.iter().filter(|count| count.unit.is_none() && count.value > 1.0);
    let kept = |(words, one): &(&Analysed, &Quantity)| {
        one.comparable(figure) && of_a_currency((*words, *one), (case.claim, figure))
    };
    let figures = || {
        let all = case.evidence.iter().flat_map(|words| {
            let words: &Analysed = words;
            words.quantities.iter().take(MOST).map(move |one| (words, one))
        });
        all.filter(kept).map(|(_, one)| one)
    };
    counts.take(MOST).any(|count| {
        figures()
            .any(|one| figures().any(|two| near(base(figure), (count.value * base(one) - base(two)).abs())))
    })
}
