//! Words where the source has their opposite.

use super::negation::negated;
use super::{Case, Mismatch, contradiction};
use crate::align::Alignment;
use crate::flags;
use crate::index::Analysed;
use crate::lexicon;
use crate::lists;
use crate::tokens::{Token, TokenKind};

/// Least share of a claim that is aligned with the sentence where words of one kind are compared.
const KINDS_SHARE: f64 = 0.5;

/// Whether the claim holds an opposite of a word of the sentence.
pub(super) fn opposed(claim: &Analysed, source: &Analysed) -> bool {
    !pairs(claim, source).is_empty()
}

/// Stems of the opposites of a word where it stands: "up to ten" goes nowhere.
pub(super) fn against(tokens: &[Token], at: usize) -> &'static [u64] {
    let next = || tokens.get(at + 1).filter(|next| !next.after_break).map_or("", |next| next.norm.as_str());
    // "Press on the button" turns nothing on.
    let leads = |token: &Token| match token.norm.as_str() {
        "up" => next() == "to",
        // "With no name" is "without a name".
        "with" | "con" => matches!(next(), "no" | "ningun" | "ninguna" | "nothing" | "nobody"),
        "on" => matches!(next(), "the" | "a" | "an" | "this" | "each" | "every" | "your" | "its"),
        _ => false,
    };
    match tokens.get(at) {
        Some(token) if token.kind == TokenKind::Word && !leads(token) => lexicon::opposites(token.stem),
        _ => &[],
    }
}

/// Whether a word for time joins what follows: "antes de presentarlo" is not the opposite of "y despues se presenta".
fn joins(tokens: &[Token], at: usize) -> bool {
    let of = || tokens.get(at + 1).is_some_and(|next| matches!(next.norm.as_str(), "de" | "que" | "del"));
    matches!(tokens[at].norm.as_str(), "antes" | "despues") && of()
}

/// Opposites: token of the claim, token of the source.
pub(super) fn pairs(claim: &Analysed, source: &Analysed) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    for at in 0..claim.tokens.len() {
        let others = against(&claim.tokens, at);
        if others.is_empty() {
            continue;
        }
        let opposes = |place: &usize| {
            let stem = source.tokens[*place].stem;
            others.binary_search(&stem).is_ok()
                && !against(&source.tokens, *place).is_empty()
                && joins(&claim.tokens, at) == joins(&source.tokens, *place)
        };
        if let Some(place) = (0..source.tokens.len()).find(opposes) {
            found.push((at, place));
        }
    }
    found
}

pub(super) fn opposites(case: &Case<'_>, best: &Analysed, alignment: &Alignment, found: &mut Vec<Mismatch>) {
    if alignment.share < 0.4 {
        return;
    }
    let claim = case.claim;
    for (at, place) in turned_words(claim, best, alignment) {
        if says_the_same(claim, at, best, alignment) {
            return;
        }
        let token = &claim.tokens[at];
        let relational = lists::RELATIONAL.contains(&token.norm.as_str()) && turned(claim, at, best, place);
        if !relational && (super::strict_copy(alignment) || !elsewhere(case, at)) {
            found.push(contradiction("opposite", &token.text, &best.tokens[place].text));
            return;
        }
    }
}

/// Opposites of which each text has only its own, in places that answer one another, each word once.
fn turned_words(claim: &Analysed, best: &Analysed, alignment: &Alignment) -> Vec<(usize, usize)> {
    let mut turned: Vec<(usize, usize)> = Vec::new();
    if super::denials(claim) != super::denials(best) {
        return turned;
    }
    for (at, place) in pairs(claim, best) {
        let (token, other) = (&claim.tokens[at], &best.tokens[place]);
        let both = best.tokens.iter().any(|t| t.stem == token.stem)
            || claim.tokens.iter().any(|t| t.stem == other.stem);
        if both
            || negated(&claim.tokens, at) != negated(&best.tokens, place)
            || turned.iter().any(|(seen, _)| claim.tokens[*seen].stem == token.stem)
        {
            continue;
        }
        let facing = alignment.gaps.iter().any(|gap| {
            gap.claim.contains(&at)
                && gap.source.contains(&place)
                && gap.claim.len() <= 6
                && gap.source.len() <= 8
        });
        if facing || (alignment.share >= 0.6 && same_neighbours(claim, at, best, place)) {
            turned.push((at, place));
        }
    }
    turned
}

/// Whether words and their opposites leave a text as it was: "allowed if present" and "denied if missing" turn it round twice
/// where the one is the condition of the other, "after A, B" and "before B, A" turn the sides with the word, and what is kept
/// until something happens is discarded when it does.
pub(super) fn says_the_same(claim: &Analysed, at: usize, best: &Analysed, alignment: &Alignment) -> bool {
    let lasting = lasts(claim, best) || lasts(best, claim);
    let turned = turned_words(claim, best, alignment).len().max(1) + usize::from(lasting);
    let twice = turned.is_multiple_of(2) && conditional(claim) && conditional(best);
    twice || super::order::inverted(claim, at, best)
}

/// Whether a text says on what, or until when, something holds.
fn conditional(words: &Analysed) -> bool {
    words.tokens.iter().any(|token| {
        matches!(
            token.norm.as_str(),
            "if" | "when"
                | "once"
                | "unless"
                | "only"
                | "until"
                | "till"
                | "while"
                | "si"
                | "cuando"
                | "solo"
                | "salvo"
                | "hasta"
                | "mientras"
        )
    })
}

/// Whether the one text says how long something lasts, and the other what happens then: "kept until they expire" and
/// "discarded when they expire".
fn lasts(one: &Analysed, two: &Analysed) -> bool {
    let has = |words: &Analysed, list: &[&str]| {
        words.tokens.iter().any(|token| list.contains(&token.norm.as_str()))
    };
    const UNTIL: &[&str] = &["until", "till", "hasta"];
    const THEN: &[&str] = &["when", "once", "after", "cuando", "tras", "despues", "vez"];
    has(one, UNTIL) && !has(one, THEN) && has(two, THEN) && !has(two, UNTIL)
}

/// Whether a further sentence of the evidence has a word of the claim beside a word that stands beside it in the claim too:
/// "the upper track" where the best sentence is about the lower one.
pub(super) fn elsewhere(case: &Case<'_>, at: usize) -> bool {
    let stem = case.claim.tokens[at].stem;
    // What the next sentence says goes on with the same thing: "a credit card is needed; a debit card is not enough".
    let best = case.index.sentences.get(case.place);
    let goes_on = |next: &Analysed| {
        let new = |(token, weight): (&Token, &f64)| {
            *weight > 0.0
                && token.stem != stem
                && next.says_token(token)
                && best.is_some_and(|best| !best.words.says_token(token))
        };
        // What stands behind a semicolon begins in lower case.
        let clause = next.tokens.first().is_some_and(|first| !first.capital && !first.code);
        next.holds(stem) && (clause || case.claim.tokens.iter().zip(&case.claim.weights).any(new))
    };
    let adjacent = [case.place.checked_sub(1), Some(case.place + 1)].into_iter().flatten().any(|place| {
        let next = case.index.sentences.get(place);
        next.is_some_and(|next| best.is_some_and(|best| best.source == next.source) && goes_on(&next.words))
    });
    adjacent
        || case.further(stem).any(|sentence| {
            let places = (0..sentence.tokens.len()).filter(|place| sentence.tokens[*place].stem == stem);
            places.into_iter().any(|place| same_neighbours(case.claim, at, sentence, place))
        })
}

/// Words of the claim where the sentence has another one of their kind, in a claim that says the same otherwise: "every
/// month" for "every week". No further sentence of the evidence has the word.
pub(super) fn kinds(case: &Case<'_>, best: &Analysed, alignment: &Alignment, found: &mut Vec<Mismatch>) {
    let claim = case.claim;
    if alignment.share < KINDS_SHARE || super::denials(claim) != super::denials(best) {
        return;
    }
    let plain = |token: &Token| token.content() && matches!(token.kind, TokenKind::Word | TokenKind::Name);
    for (at, token) in claim.tokens.iter().enumerate().filter(|(_, token)| plain(token)) {
        let held = |words: &Analysed| words.tokens.iter().any(|other| other.means(token));
        // What a figure measures is the rules' for figures.
        let measures = at.checked_sub(1).is_some_and(|before| claim.tokens[before].is(flags::COUNTS));
        if claim.weights[at] <= 0.0
            || measures
            || !lexicon::of_a_kind(token.stem)
            || case.evidence.iter().any(|words| held(words))
            || case.question.is_some_and(held)
        {
            continue;
        }
        let rival = |place: &usize| {
            let other = &best.tokens[*place];
            plain(other)
                && lexicon::rivals(token.stem, other.stem)
                && !claim.tokens.iter().any(|own| own.means(other))
                && same_neighbours(claim, at, best, *place)
        };
        if let Some(place) = (0..best.tokens.len()).find(rival) {
            found.push(contradiction("exchange", &token.text, &best.tokens[place].text));
            return;
        }
    }
}

/// Whether two words have the same content word right before or right behind them.
pub(super) fn same_neighbours(claim: &Analysed, at: usize, source: &Analysed, place: usize) -> bool {
    let (left, right) = sides(&claim.tokens, at);
    let (other_left, other_right) = sides(&source.tokens, place);
    (left != 0 && left == other_left) || (right != 0 && right == other_right)
}

/// Nearest content stems left and right of a token.
pub(super) fn sides(tokens: &[Token], at: usize) -> (u64, u64) {
    let left = tokens[..at].iter().rev().take(5).find(|token| token.content()).map_or(0, |token| token.stem);
    let right = tokens[at + 1..].iter().take(5).find(|token| token.content()).map_or(0, |token| token.stem);
    (left, right)
}

/// Whether what stands left and right of the one word stands right and left of the other.
pub(super) fn turned(claim: &Analysed, at: usize, source: &Analysed, place: usize) -> bool {
    let (left, right) = sides(&claim.tokens, at);
    let (other_left, other_right) = sides(&source.tokens, place);
    let before = |analysed: &Analysed, at: usize, stem: u64| {
        analysed.tokens[..at].iter().any(|token| token.stem == stem)
    };
    let crossed = left != 0 && right != 0 && (left == other_right || right == other_left);
    crossed || (left != 0 && left != other_left && !before(source, place, left) && source.holds(left))
}
