//! Days of the week: "open from Tuesday to Sunday" says of a place what "closed on Mondays" and "open every day but Monday" say.

use super::except::{first, taken_out};
use super::{Case, Mismatch, SAME_WORDS, opposites};
use crate::flags;
use crate::index::Analysed;
use crate::tokens::Token;

/// Words for days, and for all of them.
pub(crate) const WORDS: &[&str] = &[
    "daily",
    "day",
    "days",
    "diario",
    "dias",
    "domingo",
    "domingos",
    "friday",
    "fridays",
    "jueves",
    "lunes",
    "martes",
    "miercoles",
    "monday",
    "mondays",
    "sabado",
    "sabados",
    "saturday",
    "saturdays",
    "sunday",
    "sundays",
    "thursday",
    "thursdays",
    "tuesday",
    "tuesdays",
    "viernes",
    "wednesday",
    "wednesdays",
    "weekday",
    "weekdays",
    "weekend",
    "weekends",
];

/// All seven days, a bit for each.
const ALL: u8 = 0b111_1111;
/// Days from which on a text gives a whole schedule.
const SCHEDULE: u32 = 3;

/// The days that a word names, a bit for each; 0 for "day" itself.
fn days_of(token: &Token) -> u8 {
    match token.norm.as_str() {
        "monday" | "mondays" | "lunes" => 1,
        "tuesday" | "tuesdays" | "martes" => 1 << 1,
        "wednesday" | "wednesdays" | "miercoles" => 1 << 2,
        "thursday" | "thursdays" | "jueves" => 1 << 3,
        "friday" | "fridays" | "viernes" => 1 << 4,
        "saturday" | "saturdays" | "sabado" | "sabados" => 1 << 5,
        "sunday" | "sundays" | "domingo" | "domingos" => 1 << 6,
        "weekday" | "weekdays" => 0b001_1111,
        "weekend" | "weekends" => 0b110_0000,
        "daily" | "diario" => ALL,
        _ => 0,
    }
}

/// The days from one to another, around the end of the week.
fn between(first: u8, last: u8) -> u8 {
    let (mut day, mut found) = (first, first);
    while day != last {
        day = if day == 1 << 6 { 1 } else { day << 1 };
        found |= day;
    }
    found
}

/// The days that a text speaks of, those taken out of them left out; `None` where it names none.
fn days(words: &Analysed) -> Option<u8> {
    let tokens = &words.tokens;
    let out = first(words).map_or(0..0, |at| taken_out(tokens, at));
    let (mut named, mut left_out) = (0, 0);
    let mut before: Option<(usize, u8)> = None;
    for at in (0..tokens.len()).filter(|at| tokens[*at].is(flags::WEEK)) {
        let every =
            || at.checked_sub(1).is_some_and(|all| matches!(tokens[all].norm.as_str(), "every" | "each"));
        let todos = || at >= 2 && matches!(tokens[at - 2].norm.as_str(), "todos" | "all");
        let mut own = match tokens[at].norm.as_str() {
            "day" if every() => ALL,
            "dias" | "days" if todos() => ALL,
            _ => days_of(&tokens[at]),
        };
        if let Some((place, day)) = before.filter(|(_, day)| day.count_ones() == 1 && own.count_ones() == 1) {
            let joins = |token: &Token| {
                matches!(token.norm.as_str(), "to" | "through" | "until" | "till" | "a" | "hasta")
            };
            let between_them = &tokens[place + 1..at];
            if between_them.is_empty() && !tokens[at].after_break
                || between_them.len() == 1 && joins(&between_them[0])
            {
                own = between(day, own);
            }
        }
        before = (own != 0).then_some((at, own));
        if out.contains(&at) { left_out |= own } else { named |= own }
    }
    let days = named & !left_out;
    (days != 0).then_some(days)
}

/// Whether a claim says of days what a sentence lets follow: the same of some of its days, or the contrary of all others.
fn follows(claim: &Analysed, source: &Analysed) -> bool {
    let (Some(mine), Some(theirs)) = (days(claim), days(source)) else { return false };
    let pairs = opposites::pairs(claim, source);
    let (mut mass, mut held) = (0.0, 0.0);
    for (at, (token, weight)) in claim.tokens.iter().zip(&claim.weights).enumerate() {
        if *weight > 0.0 && !token.is(flags::WEEK) {
            mass += weight;
            let said = source.says_token(token) || pairs.iter().any(|(own, _)| *own == at);
            held += if said { *weight } else { 0.0 };
        }
    }
    let denied = super::denials(claim) + super::denials(source) + pairs.len();
    let agrees = if denied.is_multiple_of(2) {
        mine & !theirs == 0
    } else {
        mine == ALL & !theirs || mine & theirs == 0 && theirs.count_ones() >= SCHEDULE
    };
    agrees && held >= SAME_WORDS * mass
}

/// Takes back what rules say against a claim about days that follows from the evidence.
pub(super) fn weekly(case: &Case<'_>, found: &mut Vec<Mismatch>) {
    let timed = |words: &Analysed| words.tokens.iter().any(|token| token.is(flags::WEEK));
    if found.is_empty() || !timed(case.claim) {
        return;
    }
    if case.evidence.iter().filter(|words| timed(words)).any(|words| follows(case.claim, words)) {
        let taken = ["negation", "opposite", "exchange", "entity", "word", "addition", "invented"];
        found.retain(|other| !taken.contains(&other.rule));
    }
}
