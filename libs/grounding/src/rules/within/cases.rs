//! Which figures of a claim are cases: one of many that the sources rule on, none that they would have to hold.

use crate::index::Analysed;
use crate::numbers::{Dimension, Quantity};
use crate::quantifiers::Quantifier;
use crate::tokens::Token;

/// Tokens before a figure that may say that it is a case.
const BEFORE: usize = 3;
/// The same for what opens the clause that it stands in.
const CLAUSE: usize = 9;
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
pub(super) const ALLOWS: &[&str] = &[
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

pub(super) fn says(token: &Token, list: &[&str]) -> bool {
    list.contains(&token.norm.as_str())
}

/// Whether a claim says that something may or may not be: only then any figure in it may be a case.
fn rules_on(claim: &Analysed) -> bool {
    let rules = |token: &Token| token.negates || token.class == Some(Quantifier::May) || says(token, ALLOWS);
    claim.tokens.iter().any(rules)
}

/// Whether a figure is in years, or of none but beside a word for somebody with an age.
pub(super) fn age(words: &Analysed, figure: &Quantity) -> bool {
    let year = |factor: f64| (factor - 31_557_600.0).abs() < 1.0;
    let near = figure.first.saturating_sub(5)..(figure.last + 3).min(words.tokens.len());
    match figure.unit {
        Some((Dimension::Time, factor)) => year(factor),
        Some(_) => false,
        None => words.tokens[near].iter().any(|token| says(token, AGED)),
    }
}

/// Whether a claim gives a figure as a case: "a file of 40 MB", "at 20 °C", "with 13 años", "if you cancel four hours before".
///
/// A case opens the claim or its condition, or the claim rules on it; elsewhere the figure is what the claim says, and "900 trees
/// were planted" does not follow from "more than 200".
pub(super) fn is_case(claim: &Analysed, figure: &Quantity) -> bool {
    let tokens = &claim.tokens;
    let clock = figure.unit.is_some_and(|(dimension, _)| dimension == Dimension::Clock);
    if figure.bound.is_some() || figure.per.is_some() || clock || tokens.iter().any(|token| says(token, SETS))
    {
        return false;
    }
    let article = |at: usize| matches!(tokens[at].norm.as_str(), "a" | "an" | "un" | "una");
    if figure.first == 0 {
        return figure.unit.is_none() && rules_on(claim);
    }
    if tokens[figure.first].after_break {
        return false;
    }
    let near = || (figure.first.saturating_sub(BEFORE)..figure.first).rev();
    // "An 80 euro repair", "a nine-year-old".
    let modifies = tokens.get(figure.last + 1).is_some_and(|next| next.content() && !next.after_break);
    if article(figure.first - 1) && modifies {
        return figure.first == 1 || rules_on(claim);
    }
    let degrees = matches!(figure.unit, Some((Dimension::Degree(_), _)));
    for at in near() {
        match tokens[at].norm.as_str() {
            "with" | "con" => return at == 0 || rules_on(claim),
            "at" | "a" if degrees => return at == 0 || rules_on(claim),
            "of" | "de" | "aged" if age(claim, figure) => return true,
            "is" | "tiene" if age(claim, figure) && rules_on(claim) => return true,
            "of" | "de" => {
                let named = at.checked_sub(1).filter(|noun| tokens[*noun].content());
                // "A file of 40 MB", "parts of 10 MB": one of many, none that the text knows.
                return named.is_some_and(|noun| {
                    let before = (noun.saturating_sub(2)..noun).rev().find(|at| article(*at));
                    noun == 0 || before.is_some_and(|at| at == 0 || rules_on(claim))
                });
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
            "that" | "which" | "who" | "que" => {
                let named = at >= 2 && tokens[at - 1].content() && article(at - 2);
                named && (at == 2 || rules_on(claim))
            }
            _ => false,
        })
}
