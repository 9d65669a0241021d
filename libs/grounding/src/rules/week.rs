//! Days of the week: "open from Tuesday to Sunday" says of a place what "closed on Mondays" and "open every day but Monday" say.

use super::except::{first, taken_out};
use super::{Case, Mismatch, opposites};
use crate::flags;
use crate::index::Analysed;
use crate::tokens::Token;
use std::ops::Range;

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

/// The days that a statement speaks of.
struct Days {
    named: u8,
    /// Whether words for two of them name all between.
    span: bool,
}

/// The days that a stretch of a text speaks of, those taken out of them left out; `None` where it names none, or takes out more than
/// days, as in "except on Mondays in winter".
fn days(words: &Analysed, stretch: Range<usize>) -> Option<Days> {
    let tokens = &words.tokens;
    let out = first(words).map_or(0..0, |at| taken_out(tokens, at));
    let other =
        |at: usize| tokens[at].content() && !tokens[at].is(flags::WEEK) && !tokens[at].is(flags::EXCEPTS);
    let of_days = |at: usize| tokens[at].is(flags::WEEK);
    if out.clone().any(of_days) && out.clone().any(other) {
        return None;
    }
    let (mut named, mut left_out, mut span) = (0, 0, false);
    let mut before: Option<(usize, u8)> = None;
    for at in stretch.filter(|at| of_days(*at)) {
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
                span = true;
            }
        }
        before = (own != 0).then_some((at, own));
        if out.contains(&at) { left_out |= own } else { named |= own }
    }
    let named = named & !left_out;
    (named != 0).then_some(Days { named, span })
}

/// The statements of a text that name days: what stands behind a break and says something of days of its own begins another one.
fn statements(words: &Analysed) -> Vec<Range<usize>> {
    let tokens = &words.tokens;
    let (mut start, mut named, mut told) = (0, false, false);
    let mut found: Vec<Range<usize>> = Vec::new();
    for at in 0..=tokens.len() {
        if tokens.get(at).is_none_or(|token| token.after_break) {
            match found.last_mut() {
                Some(last) if !(named && told) => last.end = at,
                _ if named => found.push(start..at),
                _ => {}
            }
            (start, named, told) = (at, false, false);
        }
        let Some(token) = tokens.get(at) else { break };
        named |= token.is(flags::WEEK);
        told |= token.content() && !token.is(flags::WEEK) && !token.is(flags::EXCEPTS);
    }
    found
}

/// Whether a claim says of days what one statement of a sentence lets follow: the same of some of its days, or the contrary of all others.
fn follows(claim: &Analysed, source: &Analysed) -> bool {
    let Some(mine) = days(claim, 0..claim.tokens.len()) else { return false };
    statements(source).into_iter().any(|statement| {
        days(source, statement.clone()).is_some_and(|theirs| agree(claim, &mine, source, &theirs, &statement))
    })
}

/// The same of a statement.
fn agree(claim: &Analysed, mine: &Days, source: &Analysed, theirs: &Days, statement: &Range<usize>) -> bool {
    let mut pairs = opposites::pairs(claim, source);
    pairs.retain(|(_, place)| statement.contains(place));
    let beside = &source.tokens[statement.clone()];
    let said = |at: usize| {
        beside.iter().any(|other| other.content() && claim.tokens[at].means(other))
            || pairs.iter().any(|(own, _)| *own == at)
    };
    // All of what is said of the days, not most of it: "the cinema" is not "the theatre".
    let told = (0..claim.tokens.len())
        .filter(|at| claim.weights[*at] > 0.0 && !claim.tokens[*at].is(flags::WEEK))
        .all(|at| claim.tokens[at].negates || said(at));
    let denied = super::denials(claim) + super::denials_in(source, statement.clone()) + pairs.len();
    let days = if denied.is_multiple_of(2) {
        mine.named == theirs.named || !mine.span && mine.named & !theirs.named == 0
    } else {
        mine.named == ALL & !theirs.named
            || !mine.span && mine.named & theirs.named == 0 && theirs.named.count_ones() >= SCHEDULE
    };
    days && told
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
