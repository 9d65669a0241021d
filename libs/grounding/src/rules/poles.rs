//! A word at one pole of what it speaks of, where the source has the other pole of the same thing, however the rest is
//! worded: "the storm moves away from the harbour" for "moves towards the harbour", "the 20 oldest posts" for "the newest
//! 20 posts", "back to front" for "from the first to the last".

use super::negation::negated;
use super::opposites::against;
use super::{Case, Mismatch, Strength, contradiction, phrase, plain_share};
use crate::index::Analysed;
use crate::lists;
use crate::tokens::{Token, TokenKind};

/// Words with content on either side of a word of the claim, and of the sentence, that it may belong to.
const NEAREST: usize = 1;
const REACH: usize = 2;
/// Longest claim that is looked at, in tokens.
const LONGEST: usize = 24;
/// Least number of words that a claim shares with the sentence beside its pole.
const SHARED: usize = 2;
/// Least share of a claim's plain words, its pole left out, that the sentence must hold.
const REST: f64 = 0.6;
/// The same where the order of a whole row is told.
const ROW: f64 = 0.34;
/// Least weight of what both poles belong to.
const TELLS: f64 = 2.0;
/// Sentences that are looked at.
const SENTENCES: usize = 2;
/// Sentences that are asked for a word.
const PLACES: usize = 12;

pub(super) fn poles(case: &Case<'_>, found: &mut Vec<Mismatch>) {
    let claim = case.claim;
    if claim.tokens.len() > LONGEST || found.iter().any(|other| other.strength == Strength::Contradicts) {
        return;
    }
    let turning: Vec<usize> =
        (0..claim.tokens.len()).filter(|at| !against(&claim.tokens, *at).is_empty()).collect();
    if turning.is_empty() {
        return;
    }
    let row = leads(claim).filter(|own| !told_alike(case, *own));
    for source in case.evidence.iter().take(SENTENCES) {
        let turned = row.and_then(|own| rows(claim, own, source));
        if let Some(mismatch) = turned.or_else(|| bound(case, source, &turning)) {
            found.push(mismatch);
            return;
        }
    }
}

/// Places of the words that one may belong to: the nearest with content on both sides, in its clause.
fn beside(words: &Analysed, at: usize, reach: usize) -> Vec<usize> {
    let tokens = &words.tokens;
    let start = (0..=at).rev().find(|place| tokens[*place].after_break).unwrap_or(0);
    let end = (at + 1..tokens.len()).find(|place| tokens[*place].after_break).unwrap_or(tokens.len());
    let telling =
        |place: &usize| tokens[*place].content() && !matches!(tokens[*place].kind, TokenKind::Number(_));
    let mut found: Vec<usize> = (start..at).rev().filter(telling).take(reach).collect();
    found.extend((at + 1..end).filter(telling).take(reach));
    found
}

/// Whether two words belong to the same thing.
pub(super) fn same_thing(claim: &Analysed, at: usize, source: &Analysed, place: usize) -> bool {
    let theirs = beside(source, place, REACH);
    beside(claim, at, NEAREST).into_iter().any(|own| {
        let token = &claim.tokens[own];
        claim.weights[own] >= TELLS
            && token.kind == TokenKind::Word
            && theirs.iter().any(|other| token.means(&source.tokens[*other]))
    })
}

/// Whether a word that may begin or end something names an end of it: "at the start of each log", and not "starts at".
fn names(tokens: &[Token], at: usize) -> bool {
    let article = |token: &Token| {
        matches!(token.norm.as_str(), "the" | "el" | "la" | "al" | "del" | "its" | "su" | "at" | "un")
    };
    let end = matches!(
        tokens[at].norm.as_str(),
        "start"
            | "end"
            | "beginning"
            | "finish"
            | "stop"
            | "begin"
            | "inicio"
            | "fin"
            | "final"
            | "principio"
            | "comienzo"
    );
    end && at > 0
        && !tokens[at].after_break
        && article(&tokens[at - 1])
        && tokens.get(at + 1).is_none_or(|next| next.stop || next.after_break)
}

/// Whether the same stem says the same in both places.
fn same(claim: &Analysed, at: usize, source: &Analysed, place: usize) -> bool {
    let (one, two) = (&claim.tokens[at], &source.tokens[place]);
    // "Derecha" and "derecho" are one word.
    (one.means(two) || one.prefix == two.prefix) && names(&claim.tokens, at) == names(&source.tokens, place)
}

/// Whether a verb stands where a purpose or a step is told: "to close the hive", "then remove the pan". The same thing is
/// opened at one step and closed at another.
fn aims(words: &Analysed, at: usize) -> bool {
    let token = &words.tokens[at];
    let before = at.checked_sub(1).map_or("", |before| words.tokens[before].norm.as_str());
    token.after_break || at == 0 || matches!(before, "to" | "and" | "then" | "or" | "para" | "y" | "o")
}

/// Words that say until when, or unless what.
pub(crate) const UNTIL: &[&str] = &["until", "till", "unless", "hasta", "salvo", "request", "than"];

/// Whether a text says until when, or unless what: its turn is told by the other side of that.
fn lasts(words: &Analysed) -> bool {
    words.any_is(crate::flags::UNTIL)
}

fn bound(case: &Case<'_>, source: &Analysed, turning: &[usize]) -> Option<Mismatch> {
    let claim = case.claim;
    let figures = claim
        .tokens
        .iter()
        .all(|token| !matches!(token.kind, TokenKind::Number(_)) || source.holds(token.stem));
    if !super::deny_alike(claim, source) || lasts(claim) || lasts(source) || !figures {
        return None;
    }
    let mut turned: Vec<(usize, usize)> = Vec::new();
    for at in turning.iter().copied().filter(|at| claim.tokens[*at].content() && !aims(claim, *at)) {
        let others = against(&claim.tokens, at);
        if (0..source.tokens.len()).any(|place| same(claim, at, source, place))
            || turned.iter().any(|(seen, _)| claim.tokens[*seen].stem == claim.tokens[at].stem)
        {
            continue;
        }
        let opposes = |place: &usize| {
            others.binary_search(&source.tokens[*place].stem).is_ok()
                && source.tokens[*place].content()
                && !against(&source.tokens, *place).is_empty()
                && !(0..claim.tokens.len()).any(|own| same(claim, own, source, *place))
                && names(&claim.tokens, at) == names(&source.tokens, *place)
                && negated(&claim.tokens, at) == negated(&source.tokens, *place)
                && same_thing(claim, at, source, *place)
        };
        if let Some(place) = (0..source.tokens.len()).find(opposes) {
            turned.push((at, place));
        }
    }
    let &(at, place) = turned.first()?;
    // Two words turned round may leave the whole as it was.
    if turned.len().is_multiple_of(2) || rest(claim, at, source) < REST {
        return None;
    }
    let token = &claim.tokens[at];
    let sides = lists::RELATIONAL.contains(&token.norm.as_str())
        && super::opposites::turned(claim, at, source, place);
    if sides || super::order::inverted(claim, at, source) || elsewhere(case, at, source) {
        return None;
    }
    let quote = |words: &Analysed, at: usize| {
        phrase(&words.tokens, at.saturating_sub(1)..=(at + 2).min(words.tokens.len() - 1))
    };
    Some(Mismatch { sure: true, ..contradiction("opposite", &quote(claim, at), &quote(source, place)) })
}

/// Share of the weight of a claim's plain words, one left out, that a sentence says.
fn rest(claim: &Analysed, besides: usize, source: &Analysed) -> f64 {
    let (mut all, mut held, mut shared) = (0.0, 0.0, 0);
    for (at, token) in claim.tokens.iter().enumerate() {
        if at == besides || claim.weights[at] <= 0.0 || token.is(crate::flags::FILLER) {
            continue;
        }
        all += claim.weights[at];
        if source.says_token(token) {
            held += claim.weights[at];
            shared += 1;
        }
    }
    if all > 0.0 && shared >= SHARED { held / all } else { 0.0 }
}

/// Whether another sentence has the word for the same thing.
fn elsewhere(case: &Case<'_>, at: usize, source: &Analysed) -> bool {
    let token = &case.claim.tokens[at];
    let stems = std::iter::once(token.stem).chain(token.others().iter().copied());
    stems.flat_map(|stem| case.index.places(stem).iter().take(PLACES)).any(|place| {
        let sentence = usize::try_from(*place).ok().and_then(|place| case.index.sentences.get(place));
        sentence.filter(|sentence| case.scope.holds(sentence)).is_some_and(|sentence| {
            let words = &sentence.words;
            !std::ptr::eq(words, source)
                && (0..words.tokens.len()).any(|place| {
                    token.means(&words.tokens[place]) && same_thing(case.claim, at, words, place)
                })
        })
    })
}

/// Which pole of a row comes first: "from the newest to the oldest", "oldest first", "starts with the oldest", "back to
/// front".
fn leads(words: &Analysed) -> Option<(usize, bool)> {
    let tokens = &words.tokens;
    let norm = |at: usize| tokens.get(at).map_or("", |token| token.norm.as_str());
    let pole = |at: &usize| !against(tokens, *at).is_empty() && tokens[*at].content();
    // "From A to B", "de A a B", "A to B": two poles with nothing but an article between them and the word that joins them.
    let journey =
        (1..tokens.len()).filter(|at| matches!(norm(*at), "to" | "a" | "hasta")).find_map(|middle| {
            let from = middle - 1;
            let to = (middle + 1..tokens.len().min(middle + 4)).find(|at| tokens[*at].content())?;
            let meet = pole(&from)
                && !tokens[to].after_break
                && against(tokens, from).binary_search(&tokens[to].stem).is_ok();
            meet.then_some((from, true))
        });
    let up = || {
        (1..tokens.len()).find_map(|at| {
            let (one, two) = (norm(at - 1), norm(at));
            matches!((one, two), ("bottom", "up") | ("top", "down")).then_some((at - 1, true))
        })
    };
    // "The oldest come first", "first the oldest", "starts with the oldest".
    let placed = || {
        (0..tokens.len()).find_map(|at| {
            let first = match norm(at) {
                "first" | "primero" => true,
                "last" => false,
                _ => return None,
            };
            let superlative = |place: &usize| {
                pole(place)
                    && (norm(*place).ends_with("est")
                        || matches!(norm(place.saturating_sub(1)), "mas" | "menos"))
            };
            (at.saturating_sub(4)..at).rev().find(superlative).map(|place| (place, first))
        })
    };
    let begins = || {
        (0..tokens.len()).find_map(|at| {
            let starts = matches!(
                norm(at),
                "starts"
                    | "start"
                    | "starting"
                    | "begins"
                    | "begin"
                    | "beginning"
                    | "empieza"
                    | "empiezan"
                    | "empezando"
                    | "comienza"
                    | "comienzan"
            ) && matches!(norm(at + 1), "with" | "at" | "from" | "por" | "con");
            let next = || (at + 2..tokens.len().min(at + 6)).find(pole);
            if starts { next().map(|place| (place, true)) } else { None }
        })
    };
    journey.or_else(up).or_else(placed).or_else(begins)
}

/// Whether a sentence tells the row of a claim: from the same end, or from the other one.
fn tells(claim: &Analysed, (own, begins): (usize, bool), source: &Analysed) -> Option<(usize, bool)> {
    let (theirs, first) = leads(source)?;
    let (mine, other) = (&claim.tokens[own], &source.tokens[theirs]);
    let poles = |one: &Token, two: &Token| {
        std::iter::once(one.stem).chain(one.others().iter().copied()).any(|stem| {
            crate::lexicon::opposites(stem)
                .iter()
                .any(|opposite| *opposite == two.stem || two.others().binary_search(opposite).is_ok())
        })
    };
    match (mine.means(other), poles(mine, other)) {
        (true, false) => Some((theirs, begins == first)),
        (false, true) => Some((theirs, begins != first)),
        _ => None,
    }
}

/// Whether some sentence tells a row as the claim does.
fn told_alike(case: &Case<'_>, own: (usize, bool)) -> bool {
    case.evidence.iter().any(|source| tells(case.claim, own, source).is_some_and(|(_, alike)| alike))
}

/// Whether a text says what holds where nothing else is asked for.
fn by_default(words: &Analysed) -> bool {
    words.tokens.iter().any(|token| {
        matches!(token.norm.as_str(), "default" | "defaults" | "defecto" | "predeterminado" | "omision")
    })
}

/// Stems of the options that a text asks for: "pass `--reverse`", "con `asc`".
fn options(words: &Analysed) -> impl Iterator<Item = u64> + '_ {
    let tokens = &words.tokens;
    (0..tokens.len()).filter(|at| is_option(tokens, *at)).map(|at| tokens[at].stem)
}

/// Whether a token is an option that is asked for.
fn is_option(tokens: &[Token], at: usize) -> bool {
    let asks = |before: usize| {
        matches!(
            tokens[before].norm.as_str(),
            "with"
                | "use"
                | "using"
                | "used"
                | "pass"
                | "passing"
                | "set"
                | "setting"
                | "if"
                | "when"
                | "add"
                | "con"
                | "usa"
                | "usar"
                | "usando"
                | "pasa"
                | "pase"
                | "si"
                | "cuando"
        )
    };
    tokens[at].norm.starts_with("--") || tokens[at].code && (at.saturating_sub(2)..at).any(asks)
}

/// Whether claim and sentence may speak of two cases: the one of what is done by default, the other of what an option does.
fn cases_apart(claim: &Analysed, source: &Analysed) -> bool {
    let asked = |one: &Analysed, two: &Analysed| {
        options(one).any(|stem| !two.tokens.iter().any(|token| token.stem == stem))
    };
    lasts(claim)
        || lasts(source)
        || by_default(claim) && !by_default(source)
        || asked(claim, source)
        || asked(source, claim)
}

/// A row told from the other end.
fn rows(claim: &Analysed, own: (usize, bool), source: &Analysed) -> Option<Mismatch> {
    let (theirs, _) = tells(claim, own, source).filter(|(_, alike)| !alike)?;
    if cases_apart(claim, source) {
        return None;
    }
    let said = plain_share(claim, source) >= ROW && super::deny_alike(claim, source);
    let quote = |words: &Analysed, at: usize| {
        phrase(&words.tokens, at.saturating_sub(2)..=(at + 3).min(words.tokens.len() - 1))
    };
    said.then(|| Mismatch {
        sure: true,
        ..contradiction("direction", &quote(claim, own.0), &quote(source, theirs))
    })
}
