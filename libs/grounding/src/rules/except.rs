//! Words that take something out of what is said: "except", "unless", "all but", "todos menos". These are the lists of all rules.

use super::negation::in_case;
use super::opposites;
use crate::flags;
use crate::index::Analysed;
use crate::quantifiers::{Quantifier, class, names_all};
use crate::tokens::Token;
use std::ops::Range;

/// Words that always take something out. They also deny by their meaning, for a case only, and begin a clause that limits.
pub(crate) const ALWAYS: &[&str] = &["except", "excepto", "salvo", "unless"];

/// Further words that do, by themselves or behind others.
pub(crate) const WORDS: &[&str] = &[
    "aparte",
    "apart",
    "barring",
    "but",
    "excepted",
    "excepting",
    "exception",
    "excepcion",
    "exceptuada",
    "exceptuadas",
    "exceptuado",
    "exceptuados",
    "exceptuando",
    "excluding",
    "menos",
    "other",
];

/// Least weight of a word that says more than another text.
const TELLS: f64 = 1.5;
/// Tokens between "every" and the "but" of "every day but Monday".
const REACH: usize = 4;

/// Whether a token takes something out of what is said of the rest.
pub(super) fn excepts(tokens: &[Token], at: usize) -> bool {
    let token = &tokens[at];
    if !token.is(flags::EXCEPTS) {
        return false;
    }
    let norm = |at: usize| tokens.get(at).map_or("", |token| token.norm.as_str());
    let next = norm(at + 1);
    // "No one except the owner" is the owner alone.
    if at > 1 && (norm(at - 2), norm(at - 1)) == ("no", "one") {
        return false;
    }
    match token.norm.as_str() {
        "but" | "menos" => {
            of_all(tokens, at) || token.norm == "menos" && next == "que" && at > 0 && norm(at - 1) == "a"
        }
        "apart" => next == "from",
        "aparte" => next == "de",
        "other" => next == "than",
        "exception" | "excepcion" => matches!(next, "of" | "de" | "del"),
        _ if stands_behind(token) => at > 0 && !token.after_break && tokens[at - 1].content(),
        _ => true,
    }
}

/// Whether what a "but" or "menos" stands behind is all there is: "all but", "every day but", "todos los días menos".
fn of_all(tokens: &[Token], at: usize) -> bool {
    if tokens[at].after_break {
        return false;
    }
    let spanish = tokens[at].norm == "menos";
    let counted = tokens.get(at + 1).is_none_or(|next| spanish && matches!(next.norm.as_str(), "de" | "que"));
    let all = |place: usize| names_all(&tokens[place].norm) && !(place > 0 && tokens[place - 1].norm == "at");
    let near = (at.saturating_sub(REACH)..at).rev();
    !counted && near.take_while(|place| !tokens[place + 1].after_break).any(all)
}

/// Whether a word stands behind what it takes out: "Mondays excepted".
fn stands_behind(token: &Token) -> bool {
    matches!(token.norm.as_str(), "excepted" | "exceptuado" | "exceptuada" | "exceptuados" | "exceptuadas")
}

/// What a word takes out of what is said, with the word.
pub(super) fn taken_out(tokens: &[Token], at: usize) -> Range<usize> {
    if stands_behind(&tokens[at]) {
        return piece_start(tokens, at)..at + 1;
    }
    at..piece_end(tokens, at)
}

/// Where the stretch between punctuation begins that a token stands in.
pub(super) fn piece_start(tokens: &[Token], at: usize) -> usize {
    (0..=at).rev().find(|place| tokens[*place].after_break).unwrap_or(0)
}

/// Where it ends.
pub(super) fn piece_end(tokens: &[Token], at: usize) -> usize {
    (at + 1..tokens.len()).find(|place| tokens[*place].after_break).unwrap_or(tokens.len())
}

/// The first word that takes something out.
pub(super) fn first(words: &Analysed) -> Option<usize> {
    (0..words.tokens.len()).find(|at| words.tokens[*at].is(flags::EXCEPTS) && excepts(&words.tokens, *at))
}

/// Whether a text takes something out.
pub(super) fn any(words: &Analysed) -> bool {
    first(words).is_some()
}

/// Whether the one text says "unless" where the other has "if not": both name the same case, and
/// the rest denies as much.
pub(super) fn unless_alike(claim: &Analysed, source: &Analysed) -> bool {
    let if_not = |words: &Analysed| {
        (0..words.tokens.len()).any(|at| words.tokens[at].negates && in_case(&words.tokens, at))
    };
    outside(claim) % 2 == outside(source) % 2
        && ((any(claim) && !any(source) && if_not(source)) || (any(source) && !any(claim) && if_not(claim)))
}

/// Denials of a text outside its cases.
pub(super) fn outside(words: &Analysed) -> usize {
    (0..words.tokens.len()).filter(|at| words.tokens[*at].negates && !in_case(&words.tokens, *at)).count()
}

/// Whether a claim speaks of what a sentence takes out: "during compaction more may be used" where the sentence says
/// "except during compaction".
pub(super) fn speaks_of_exception(claim: &Analysed, source: &Analysed) -> bool {
    let tokens = &source.tokens;
    let Some(at) = first(source) else { return false };
    let limited = claim.tokens.iter().any(|token| token.class == Some(Quantifier::Only));
    if limited || any(claim) {
        return false;
    }
    let own = |place: usize| place != at && tokens[place].content() && class(tokens, place).is_none();
    let said = |place: usize| claim.says_token(&tokens[place]);
    let mut taken = taken_out(tokens, at).filter(|place| own(*place)).peekable();
    taken.peek().is_some() && taken.all(said)
}

/// Whether a word behind what is taken out may say of which of it something holds: "Mondays in winter", "Mondays until May".
fn narrows(token: &Token) -> bool {
    token.is(flags::PREPOSITION | flags::TIME_LIMIT)
        || matches!(token.norm.as_str(), "during" | "durante" | "los")
}

/// The end of a stretch that narrows what stands before it in a case of days; none where none is spoken of.
fn narrowed(tokens: &[Token], stretch: &Range<usize>) -> Range<usize> {
    let day = |at: usize| tokens[at].is(flags::WEEK);
    let mut places =
        stretch.clone().skip_while(|at| !tokens[*at].content() || tokens[*at].is(flags::EXCEPTS));
    let first = places.next();
    let narrows =
        |at: &usize| narrows(&tokens[*at]) && (stretch.start..*at).any(day) != (*at..stretch.end).any(day);
    first.and_then(|_| places.find(narrows)).unwrap_or(stretch.end)..stretch.end
}

/// The things of a stretch that are joined, and what narrows them.
pub(super) fn items(tokens: &[Token], stretch: &Range<usize>) -> (Vec<Range<usize>>, Range<usize>) {
    let narrowed = narrowed(tokens, stretch);
    let mut found = Vec::new();
    let mut start = stretch.start;
    for joined in (stretch.start..narrowed.start).filter(|at| tokens[*at].is(flags::AND)) {
        found.push(start..joined);
        start = joined + 1;
    }
    found.push(start..narrowed.start);
    (found, narrowed)
}

/// Whether a text says a whole thing of those that another one takes out, and what narrows them.
fn says_item(words: &Analysed, other: &Analysed, at: usize) -> bool {
    let tokens = &other.tokens;
    let (items, mut narrowed) = items(tokens, &taken_out(tokens, at));
    let said = |place: usize| place == at || !tokens[place].content() || words.says_token(&tokens[place]);
    let named = |item: &Range<usize>| item.clone().any(|place| place != at && tokens[place].content());
    narrowed.all(said) && items.iter().any(|item| named(item) && item.clone().all(said))
}

/// Whether a text narrows a day that another one takes out by what that does not say.
fn narrows_further(words: &Analysed, other: &Analysed, at: usize) -> bool {
    let tokens = &words.tokens;
    let days = |day: &usize| tokens[*day].is(flags::WEEK) && other.says_token(&tokens[*day]);
    let Some(day) =
        (0..tokens.len()).find(days).filter(|_| other.tokens[at..].iter().any(|token| token.is(flags::WEEK)))
    else {
        return false;
    };
    let tail = narrowed(tokens, &(day..piece_end(tokens, day)));
    tail.into_iter().any(|place| tokens[place].content() && !other.says_token(&tokens[place]))
}

/// Whether only one of two texts takes something out, and the other speaks of that and of nothing else: "open every day but
/// Monday" and "closed on Mondays".
pub(super) fn opposed(claim: &Analysed, source: &Analysed) -> bool {
    let includes = |words: &Analysed| {
        words.tokens.iter().any(|token| {
            token.norm.starts_with("inclu")
                || matches!(token.norm.as_str(), "even" | "also" | "too" | "tambien")
        })
    };
    if any(claim) == any(source) || includes(claim) || includes(source) {
        return false;
    }
    let (one, two) = if any(claim) { (claim, source) } else { (source, claim) };
    let tokens = &one.tokens;
    // "Closed on Mondays" is more than what "except on Mondays in winter" takes out.
    let taken = (0..tokens.len())
        .filter(|at| tokens[*at].is(flags::EXCEPTS) && excepts(tokens, *at))
        .any(|at| says_item(two, one, at) && !narrows_further(two, one, at));
    // "Closed on Monday and Tuesday" is more than what is taken out.
    let turned = opposites::pairs(claim, source);
    let beside = |at: usize| {
        let token = &claim.tokens[at];
        claim.weights[at] >= TELLS && !source.says_token(token) && turned.iter().all(|(own, _)| *own != at)
    };
    taken && (any(claim) || !(0..claim.tokens.len()).any(beside))
}
