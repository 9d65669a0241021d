//! Until when and from when on something is: "open until noon" is not "open after noon", "not before noon" is "not until
//! noon", and what is closed until noon opens then.
//!
//! A limit parts time in two. What is said of the one side is denied of the other, so that a claim agrees with a sentence
//! where it names the same side and denies as much, or the other side and denies what the sentence affirms. What only comes
//! before or after something parts nothing: painted after the war is not unpainted before it.

use super::within::statement_of;
use super::{Case, Mismatch, SAME_WORDS, Strength, denials_in, opposites, phrase, sure};
use crate::flags;
use crate::index::Analysed;
use crate::numbers::Dimension;
use crate::tokens::{Token, TokenKind};
use std::ops::Range;

/// Words that a limit may begin with.
pub(crate) const WORDS: &[&str] = &[
    "after",
    "afterwards",
    "antes",
    "before",
    "desde",
    "despues",
    "from",
    "hasta",
    "once",
    "partir",
    "since",
    "till",
    "tras",
    "until",
];
/// Longest claim that is looked at, in tokens.
const LONGEST: usize = 32;
/// Tokens of what a limit is named by.
const OBJECT: usize = 6;
/// Tokens behind a "from" in which a "to" makes it a range.
const RANGE: usize = 6;

/// A side of a limit in time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    Before,
    After,
}

/// A limit in a text.
struct Limit {
    side: Side,
    /// Whether what it limits goes on up to it or from it on, and is not only before or after it.
    lasts: bool,
    at: usize,
    /// What it is named by.
    object: Range<usize>,
}

impl Limit {
    /// The stretch that says what it limits.
    fn statement(&self, words: &Analysed) -> Range<usize> {
        statement_of(words, self.at, self.object.end.max(self.at + 1) - 1)
    }

    /// It, with two words before it.
    fn quote(&self, words: &Analysed) -> String {
        let last = self.object.end.max(self.at + 1).min(words.tokens.len()) - 1;
        phrase(&words.tokens, self.at.saturating_sub(2).min(last)..=last)
    }
}

/// The limits of a text; none where one stands within another, as in "not until two minutes after the end". "Afterwards" is behind the one before it.
fn limits(words: &Analysed) -> Vec<Limit> {
    let tokens = &words.tokens;
    let mut found: Vec<Limit> = Vec::new();
    for at in (0..tokens.len()).filter(|at| tokens[*at].is(flags::TIME_LIMIT)) {
        let Some((side, lasts, from)) = side(tokens, at) else { continue };
        // "Hasta el director puede" is "even he", and "hasta 6 sensores" counts things.
        if tokens[at].norm == "hasta" && at == 0 || counts(words, from) {
            continue;
        }
        let piece = (from..tokens.len()).find(|place| tokens[*place].after_break).unwrap_or(tokens.len());
        let end = object_end(tokens, from..piece.min(from + OBJECT));
        if (from..end).any(|place| tokens[place].is(flags::TIME_LIMIT)) {
            return Vec::new();
        }
        let named = |range: &Range<usize>| range.clone().any(|place| tells(&tokens[place]));
        let object = from..end.max(from);
        let points = tokens.get(from).is_none_or(|next| {
            next.after_break
                || matches!(next.norm.as_str(), "that" | "this" | "then" | "eso" | "ello" | "entonces")
        });
        let object = match found.last() {
            Some(last) if points => Some(last.object.clone()),
            _ => named(&object).then_some(object),
        };
        found.extend(object.map(|object| Limit { side, lasts, at, object }));
    }
    found
}

/// Whether what stands at a place, or behind an article there, is a figure of something else than time.
fn counts(words: &Analysed, from: usize) -> bool {
    let begins = |at: usize| words.quantities.iter().find(|one| one.first == at);
    let article = words.tokens.get(from).is_some_and(|token| token.is(flags::DETERMINER));
    let Some(figure) = begins(from).or_else(|| begins(from + 1).filter(|_| article)) else { return false };
    let time = matches!(figure.unit, Some((Dimension::Time | Dimension::Clock | Dimension::Date, _)));
    // Several things are counted, and "31 March" is a day.
    let counted = words
        .tokens
        .get(figure.last + 1)
        .is_some_and(|next| next.content() && !next.after_break && next.norm.ends_with('s'));
    !time && (figure.unit.is_some() || counted)
}

/// The side that a word names, whether it says how long something lasts, and where what it is named by begins.
fn side(tokens: &[Token], at: usize) -> Option<(Side, bool, usize)> {
    let norm = |at: usize| tokens.get(at).map_or("", |token| token.norm.as_str());
    let joined = matches!(norm(at + 1), "de" | "del" | "que");
    let range = || {
        let to = |place: usize| matches!(norm(place), "to" | "a" | "until" | "till" | "hasta" | "and" | "y");
        (at + 1..tokens.len().min(at + 1 + RANGE)).take_while(|place| !tokens[*place].after_break).any(to)
    };
    Some(match norm(at) {
        "until" | "till" if !matches!(norm(at + 1), "after" | "before") => (Side::Before, true, at + 1),
        "hasta" => (Side::Before, true, at + 1 + usize::from(joined)),
        "before" => (Side::Before, false, at + 1),
        "antes" if joined => (Side::Before, false, at + 2),
        "after" | "afterwards" | "tras" => (Side::After, false, at + 1),
        "despues" => (Side::After, false, at + 1 + usize::from(joined)),
        "once" if !matches!(norm(at + 1), "a" | "an" | "per" | "every" | "more") => {
            (Side::After, false, at + 1)
        }
        "since" => (Side::After, true, at + 1),
        "from" | "desde" if !range() => (Side::After, true, at + 1),
        "partir" if matches!(norm(at + 1), "de" | "del") => (Side::After, true, at + 2),
        _ => return None,
    })
}

/// Whether a word tells one limit from another.
fn tells(token: &Token) -> bool {
    token.content() || matches!(token.kind, TokenKind::Number(_))
}

/// Where what names a limit ends: before what is joined to it, and before another noun, "since March the library lends games".
fn object_end(tokens: &[Token], range: Range<usize>) -> usize {
    let mut named = false;
    for at in range.clone() {
        let apart = at > range.start && !tokens[at - 1].is(flags::PREPOSITION);
        if tokens[at].is(flags::AND) || named && apart && tokens[at].is(flags::DETERMINER) {
            return at;
        }
        named |= tells(&tokens[at]);
    }
    range.end
}

/// Whether two limits are named by the same words: all of the shorter one, and all figures of both.
fn same(claim: &Analysed, mine: &Range<usize>, source: &Analysed, theirs: &Range<usize>) -> bool {
    let words = |words: &'_ Analysed, range: &Range<usize>| -> Vec<usize> {
        range.clone().filter(|at| tells(&words.tokens[*at])).collect()
    };
    let (own, others) = (words(claim, mine), words(source, theirs));
    let meets = |at: usize, place: usize| {
        let (one, two) = (&claim.tokens[at], &source.tokens[place]);
        one.stem == two.stem || one.content() && one.prefix == two.prefix
    };
    let figure = |token: &Token| matches!(token.kind, TokenKind::Number(_));
    let mine_met = |at: &usize| others.iter().any(|place| meets(*at, *place));
    let theirs_met = |place: &usize| own.iter().any(|at| meets(*at, *place));
    let figures = own.iter().filter(|at| figure(&claim.tokens[**at])).all(mine_met)
        && others.iter().filter(|place| figure(&source.tokens[**place])).all(theirs_met);
    let all =
        if own.len() <= others.len() { own.iter().all(mine_met) } else { others.iter().all(theirs_met) };
    !own.is_empty() && !others.is_empty() && figures && all
}

/// What a limit of a sentence makes of a claim.
struct Told {
    /// Both name the same side of it.
    same_side: bool,
    /// The claim says what follows.
    agrees: bool,
    /// Words of the claim have their opposites in the sentence.
    opposed: bool,
    /// The sentence itself denies what it limits.
    denied: bool,
}

/// What a limit of a sentence makes of a side that a claim names; `None` where the two speak of different things.
fn told(claim: &Analysed, own: Option<&Limit>, source: &Analysed, limit: &Limit) -> Option<Told> {
    let statement = limit.statement(source);
    let said_in = own.map_or(0..claim.tokens.len(), |own| own.statement(claim));
    let held = &source.tokens[statement.clone()];
    let outside = |at: usize| own.is_none_or(|own| at != own.at && !own.object.contains(&at));
    let mut turned = opposites::pairs(claim, source);
    turned.retain(|(at, place)| {
        statement.contains(place)
            && said_in.contains(at)
            && outside(*at)
            && !claim.tokens[*at].is(flags::TIME_LIMIT)
    });
    // "Stop kneading once it is smooth" denies what is said until then.
    let soft = |token: &Token| token.is(flags::SOFT) && !token.is(flags::CONDITIONAL);
    let (mut mass, mut said, mut softly) = (0.0, 0.0, 0);
    for at in said_in.clone().filter(|at| claim.weights[*at] > 0.0 && outside(*at)) {
        let token = &claim.tokens[at];
        if token.negates {
            continue;
        }
        let there = held.iter().any(|other| other.content() && token.means(other))
            || turned.iter().any(|(place, _)| *place == at);
        if !there && soft(token) {
            softly += 1;
            continue;
        }
        mass += claim.weights[at];
        said += if there { claim.weights[at] } else { 0.0 };
    }
    softly += held.iter().filter(|token| soft(token) && !claim.says_token(token)).count();
    if mass <= 0.0 || said < SAME_WORDS * mass {
        return None;
    }
    let denied = denials_in(claim, said_in) + denials_in(source, statement.clone()) + turned.len() + softly;
    // A claim that names the limit alone says what is from then on.
    let same_side = own.map_or(Side::After, |own| own.side) == limit.side;
    Some(Told {
        same_side,
        agrees: same_side == denied.is_multiple_of(2),
        opposed: !turned.is_empty() || softly > 0,
        denied: denials_in(source, statement) > 0,
    })
}

/// What limits in time say for and against a claim; asked late, for it takes back what other rules found.
pub(super) fn limited(case: &Case<'_>, found: &mut Vec<Mismatch>) {
    let claim = case.claim;
    let timed = |words: &Analysed| words.tokens.iter().any(|token| token.is(flags::TIME_LIMIT));
    if claim.tokens.len() > LONGEST || !case.evidence.iter().any(|words| timed(words)) {
        return;
    }
    let own = limits(claim);
    // Without a limit of its own a claim is only excused.
    if own.is_empty() && found.is_empty() {
        return;
    }
    let mut turned: Option<Mismatch> = None;
    for source in case.evidence.iter().filter(|words| timed(words)) {
        for limit in limits(source) {
            let mine = own.iter().find(|mine| same(claim, &mine.object, source, &limit.object));
            let whole = 0..claim.tokens.len();
            // "It opens at noon" beside "closed until noon".
            let bare = mine.is_none()
                && own.is_empty()
                && limit.lasts
                && limit.side == Side::Before
                && super::denials(claim) == 0;
            if mine.is_none() && !(bare && same(claim, &whole, source, &limit.object)) || own.len() > 1 {
                continue;
            }
            let Some(told) = told(claim, mine, source, &limit) else { continue };
            let lasts = limit.lasts || mine.is_some_and(|mine| mine.lasts);
            // What comes before or after something says nothing of the other side of it.
            if told.agrees && !told.same_side && !lasts && !told.denied {
                continue;
            }
            if told.agrees {
                found.retain(|other| match other.rule {
                    "order" => false,
                    "negation" => told.same_side || told.opposed,
                    "opposite" | "exchange" => told.same_side || !told.opposed,
                    _ => true,
                });
                return;
            }
            if let Some(mine) = mine.filter(|_| lasts && !told.same_side && !told.opposed) {
                turned.get_or_insert_with(|| sure("order", &mine.quote(claim), &limit.quote(source)));
            }
        }
    }
    if !found.iter().any(|other| other.strength == Strength::Contradicts) {
        found.extend(turned);
    }
}
