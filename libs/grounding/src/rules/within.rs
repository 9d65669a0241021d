//! A figure of a claim as a case of what the sources bound: "a dog of 15 kg is allowed" where they forbid dogs over 20 kg,
//! "it may be kept at 20 °C" where they say below 25.
//!
//! No source holds such a figure, and none need to. It lies on the one or on the other side of the bound, and the claim
//! affirms or denies; where the two go together the claim follows from the sentence, and no rule may call the figure wrong.

use super::except;
use super::negation::in_case;
use super::{CONTRAST, Case, Mismatch, denials, plain_share};
use crate::flags;
use crate::index::Analysed;
use crate::lexicon::synonymous;
use crate::numbers::{Bound, Dimension, Quantity};
use crate::quantifiers::{Quantifier, class};
use crate::tokens::{Token, TokenKind};
use std::ops::Range;

/// Tokens before a figure that may say that it is a case.
const BEFORE: usize = 3;
/// The same for what opens the clause that it stands in.
const CLAUSE: usize = 9;
/// Figures of a sentence that are looked at.
const MOST: usize = 12;

/// Words for persons and things that have an age.
const AGED: &[&str] = &[
    "age",
    "aged",
    "ages",
    "adulto",
    "boy",
    "child",
    "children",
    "chica",
    "chico",
    "conductor",
    "driver",
    "edad",
    "girl",
    "joven",
    "kid",
    "kids",
    "menor",
    "menores",
    "nina",
    "nino",
    "ninas",
    "ninos",
    "old",
    "paciente",
    "patient",
    "people",
    "person",
    "persona",
    "personas",
    "user",
    "users",
];
/// Words that name a limit themselves, or what is set: a figure beside them is no case of one.
const SETS: &[&str] = &[
    "limit",
    "limits",
    "limited",
    "maximum",
    "minimum",
    "max",
    "min",
    "most",
    "least",
    "default",
    "defaults",
    "cap",
    "capped",
    "limite",
    "limita",
    "maximo",
    "minimo",
    "maxima",
    "minima",
    "threshold",
    "umbral",
    "deadline",
    "plazo",
    "exactly",
];
/// Words that say that something may be.
const ALLOWS: &[&str] = &[
    "fine",
    "ok",
    "okay",
    "enough",
    "allowed",
    "permitted",
    "suffices",
    "vale",
    "basta",
    "permitido",
    "permitida",
];

fn says(token: &Token, list: &[&str]) -> bool {
    list.contains(&token.norm.as_str())
}

fn base(figure: &Quantity) -> f64 {
    figure.value * figure.unit.map_or(1.0, |(_, factor)| factor)
}

/// Whether a figure is in years, or of none but beside a word for somebody with an age.
fn age(words: &Analysed, figure: &Quantity) -> bool {
    let year = |factor: f64| (factor - 31_557_600.0).abs() < 1.0;
    let near = figure.first.saturating_sub(5)..(figure.last + 3).min(words.tokens.len());
    match figure.unit {
        Some((Dimension::Time, factor)) => year(factor),
        Some(_) => false,
        None => words.tokens[near].iter().any(|token| says(token, AGED)),
    }
}

/// Whether a claim gives a figure as a case: "a file of 40 MB", "at 20 °C", "with 13 años", "if you cancel four hours before".
fn is_case(claim: &Analysed, figure: &Quantity) -> bool {
    let tokens = &claim.tokens;
    let clock = figure.unit.is_some_and(|(dimension, _)| dimension == Dimension::Clock);
    if figure.bound.is_some() || figure.per.is_some() || clock || tokens.iter().any(|token| says(token, SETS))
    {
        return false;
    }
    let article = |at: usize| matches!(tokens[at].norm.as_str(), "a" | "an" | "un" | "una");
    if figure.first == 0 {
        return figure.unit.is_none();
    }
    if tokens[figure.first].after_break {
        return false;
    }
    let near = || (figure.first.saturating_sub(BEFORE)..figure.first).rev();
    // "An 80 euro repair", "a nine-year-old".
    let modifies = tokens.get(figure.last + 1).is_some_and(|next| next.content() && !next.after_break);
    if article(figure.first - 1) && modifies {
        return true;
    }
    let degrees = matches!(figure.unit, Some((Dimension::Degree(_), _)));
    for at in near() {
        match tokens[at].norm.as_str() {
            "with" | "con" => return true,
            "at" | "a" if degrees => return true,
            "of" | "de" | "aged" | "is" | "tiene" if age(claim, figure) => return true,
            "of" | "de" => {
                let named = at.checked_sub(1).filter(|noun| tokens[*noun].content());
                // "A file of 40 MB", "parts of 10 MB": one of many, none that the text knows.
                return named
                    .is_some_and(|noun| noun == 0 || article(noun - 1) || noun >= 2 && article(noun - 2));
            }
            "minus" | "menos" => {}
            _ if tokens[at].content() => break,
            _ => {}
        }
        if tokens[at].after_break {
            break;
        }
    }
    // "If you cancel four hours before", "a job that takes 20 minutes".
    (figure.first.saturating_sub(CLAUSE)..figure.first)
        .rev()
        .take_while(|at| !tokens[at + 1].after_break)
        .any(|at| match tokens[at].norm.as_str() {
            "if" | "when" | "whoever" | "anyone" | "si" | "cuando" | "quien" => true,
            "should" => at == 0,
            "that" | "which" | "who" | "que" => at >= 2 && tokens[at - 1].content() && article(at - 2),
            _ => false,
        })
}

/// Whether two figures can be compared: of one kind, or ages, or counts of one thing.
fn comparable(claim: &Analysed, figure: &Quantity, sentence: &Analysed, held: &Quantity) -> bool {
    let same = |one: u64, two: u64| one != 0 && two != 0 && synonymous(one, two);
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

/// Whether a figure meets what a sentence says of another one: lies within its bound, or in the range that it begins.
fn meets(figure: &Quantity, sentence: &Analysed, at: usize) -> Option<bool> {
    let held = &sentence.quantities[at];
    let (own, theirs) = (value(figure, held), value(held, figure));
    let equal = (own - theirs).abs() <= 1e-9 * own.abs().max(1e-9);
    let word = |at: usize| sentence.tokens.get(at).map_or("", |token| token.norm.as_str());
    let between = held.first.checked_sub(1).is_some_and(|at| matches!(word(at), "between" | "entre"));
    if let Some(two) = sentence.quantities.get(at + 1)
        && held.value < two.value
        && (two.first == held.last + 1 && !sentence.tokens[two.first].after_break
            || two.first == held.last + 2
                && (matches!(word(held.last + 1), "to" | "a" | "hasta")
                    || between && matches!(word(held.last + 1), "and" | "y")))
    {
        return Some(own >= theirs && own <= value(two, figure));
    }
    // "Until 48 hours before" leaves all that is earlier.
    let ahead = matches!(word(held.last + 1), "before" | "antes" | "ahead" | "prior")
        && held.first.checked_sub(1).is_some_and(|at| matches!(word(at), "hasta" | "until" | "till" | "to"));
    if ahead {
        return Some(own > theirs || equal);
    }
    match held.bound? {
        Bound::Most => Some(own < theirs || equal && !strict(sentence, held)),
        Bound::Least => Some(own > theirs || equal && !strict(sentence, held)),
    }
}

/// The stretch of a sentence behind an "or", "otherwise" or "all others": what holds on the other side.
fn otherwise(words: &Analysed) -> Option<Range<usize>> {
    let tokens = &words.tokens;
    let at = (1..tokens.len()).find(|at| {
        matches!(
            tokens[*at].norm.as_str(),
            "otherwise" | "others" | "else" | "rest" | "resto" | "demas" | "contrario"
        ) || tokens[*at].norm == "or" && tokens[*at].after_break
    })?;
    Some(at..tokens.len())
}

/// The stretch between punctuation that a figure stands in.
fn clause(words: &Analysed, figure: &Quantity) -> Range<usize> {
    let start = (0..=figure.first).rev().find(|at| words.tokens[*at].after_break).unwrap_or(0);
    let end = (figure.last + 1..words.tokens.len()).find(|at| words.tokens[*at].after_break);
    start..end.unwrap_or(words.tokens.len())
}

/// How often a text denies what it says; a case that is denied counts where the figure stands in it.
fn turns(words: &Analysed, figure: &Quantity, other: &Analysed) -> usize {
    let own = clause(words, figure);
    // Of several bounds each has its clause.
    let bounds = words.quantities.iter().filter(|held| held.bound.is_some()).count();
    let alone = bounds < 2;
    (0..words.tokens.len())
        .filter(|at| alone || own.contains(at))
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

/// Whether a figure meets the bound of a sentence, and whether the claim says of it what follows from that; `None` where the two
/// cannot be compared.
fn agrees(claim: &Analysed, figure: &Quantity, sentence: &Analysed, at: usize) -> Option<(bool, bool)> {
    let held = &sentence.quantities[at];
    if !comparable(claim, figure, sentence, held) {
        return None;
    }
    let meets = meets(figure, sentence, at)?;
    let mut odd = turns(claim, figure, sentence) + turns(sentence, held, claim);
    // "More than 50 MB must be sent in parts" against "can be sent in one".
    let must = (held.last + 1..sentence.tokens.len())
        .any(|at| class(&sentence.tokens, at) == Some(Quantifier::Must));
    let may = claim.tokens.iter().any(|token| token.class == Some(Quantifier::May) || says(token, ALLOWS));
    odd += usize::from(must && may && denials(claim) == 0);
    // "Only with it" denies twice, as "not without it" and "not unless" do.
    odd += usize::from(except::any(claim)) + usize::from(except::any(sentence));
    if let Some(range) = otherwise(sentence)
        && held.first < range.start
    {
        let says = |range: Range<usize>, token: &Token| {
            sentence.tokens[range].iter().any(|other| other.content() && other.means(token))
        };
        let told = |token: &&Token| {
            token.content()
                && !matches!(token.kind, TokenKind::Number(_))
                && says(range.clone(), token)
                && !says(0..range.start, token)
        };
        odd += usize::from(claim.tokens.iter().any(|token| told(&token)));
    }
    Some((meets, meets == odd.is_multiple_of(2)))
}

/// Whether a sentence bounds what a figure of the claim is a case of, and the claim says what follows.
pub(super) fn follows(claim: &Analysed, figure: &Quantity, sentence: &Analysed) -> bool {
    if !is_case(claim, figure) || plain_share(claim, sentence) < CONTRAST {
        return false;
    }
    let mut told = false;
    for at in 0..sentence.quantities.len().min(MOST) {
        match agrees(claim, figure, sentence, at) {
            Some((_, true)) => told = true,
            Some((true, false)) => return false,
            _ => {}
        }
    }
    told
}

/// Whether some figure of a claim is a case of a bound of a sentence, and the claim says of it what follows.
fn any_follows(claim: &Analysed, sentence: &Analysed) -> bool {
    !claim.quantities.is_empty()
        && !sentence.quantities.is_empty()
        && claim.quantities.iter().any(|figure| follows(claim, figure, sentence))
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
    sentence.quantities.iter().take(MOST).any(|held| {
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
        held.bound.is_none() && (named || counts) && right && denials(claim) == denials(sentence)
    })
}

/// Whether a figure of a claim follows from a bound of the evidence, or bounds a figure of it.
pub(super) fn told(case: &Case<'_>, figure: &Quantity) -> bool {
    case.evidence
        .iter()
        .any(|sentence| follows(case.claim, figure, sentence) || holds(case.claim, figure, sentence))
}

/// Takes back what rules say of how a claim denies or binds where it says what follows from a bound of the evidence, or the same
/// case by "unless" as the evidence by "if not"; and of opposites, where the one takes out what the other speaks of.
pub(super) fn excuse(case: &Case<'_>, found: &mut Vec<Mismatch>) {
    if !found.iter().any(|other| matches!(other.rule, "negation" | "quantifier" | "opposite")) {
        return;
    }
    let claim = case.claim;
    let follows = case.evidence.iter().any(|sentence| any_follows(claim, sentence));
    let alike = || case.evidence.iter().any(|sentence| except::unless_alike(claim, sentence));
    let excepted = || case.evidence.iter().any(|sentence| except::opposed(claim, sentence));
    found.retain(|other| match other.rule {
        "negation" => !follows && !alike(),
        "quantifier" => !follows,
        "opposite" => !excepted(),
        _ => true,
    });
}
