//! Words and their opposites, and what leaves a text as it was though both are turned.

use super::{Case, denials};
use crate::align::Alignment;
use crate::index::Analysed;
use crate::lexicon;
use crate::lists;
use crate::negators::negated;
use crate::tokens::{Token, TokenKind};

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

/// Opposites of which each text has only its own, in places that answer one another, each word once.
fn turned_words(claim: &Analysed, best: &Analysed, alignment: &Alignment) -> Vec<(usize, usize)> {
    let mut turned: Vec<(usize, usize)> = Vec::new();
    if denials(claim) != denials(best) {
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

/// Whether two turns leave a text as it was.
///
/// "Allowed if present" and "denied if missing": the one is the condition of the other. "A longer interval makes it slower" and "a
/// shorter one makes it faster": a verb stands between two relations. "Kept until they expire" and "discarded when they expire".
pub(super) fn says_the_same(claim: &Analysed, best: &Analysed, alignment: &Alignment) -> bool {
    let turned = turned_words(claim, best, alignment);
    let lasting = lasts(claim, best) || lasts(best, claim);
    let twice = (turned.len().max(1) + usize::from(lasting)).is_multiple_of(2);
    let depend = matches!(turned.as_slice(), [one, two] if depend(claim, one.0, two.0));
    twice && (conditional(claim) && conditional(best) || depend)
}

/// Whether two relations of a text are no list: nothing joins them.
fn depend(words: &Analysed, one: usize, two: usize) -> bool {
    let between = &words.tokens[one.min(two) + 1..=one.max(two)];
    let lists = |token: &Token| {
        token.after_break
            || matches!(token.norm.as_str(), "and" | "or" | "but" | "y" | "e" | "o" | "u" | "pero")
    };
    relates(words, one) && relates(words, two) && !between.iter().any(lists)
}

/// Whether a word holds between two things, so that it may be turned together with its sides: one of a list, or a comparative
/// ("louder") of a text that compares.
fn relates(words: &Analysed, at: usize) -> bool {
    let word = words.tokens[at].norm.as_str();
    let compares = || words.tokens[at..].iter().any(|token| token.norm == "than");
    lists::RELATIONAL.contains(&word) || word.ends_with("er") && compares()
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

/// Whether two words have the same content word right before or right behind them.
fn same_neighbours(claim: &Analysed, at: usize, source: &Analysed, place: usize) -> bool {
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

/// Whether the sides of a relation are turned round with it, so that both say the same: "after A, B" and "before B, A", "A is louder
/// than B" and "B is quieter than A". What only one text has on a side must stand on the other side of the other text.
pub(super) fn crossed(claim: &Analysed, at: usize, source: &Analysed, place: usize) -> bool {
    if !relates(claim, at) {
        return false;
    }
    let ((behind, around), (theirs_behind, theirs_around)) = (ends(claim, at), ends(source, place));
    let moved = |own: &[u64], kept: &[u64], other: &[u64]| {
        let mut own = own.iter().filter(|stem| !kept.contains(stem)).peekable();
        own.peek().is_some() && own.all(|stem| other.contains(stem))
    };
    moved(&behind, &theirs_behind, &theirs_around) && moved(&around, &theirs_around, &theirs_behind)
}

/// Content stems behind a word up to the next mark, and those of the rest of the text.
fn ends(words: &Analysed, at: usize) -> (Vec<u64>, Vec<u64>) {
    let end = (at + 1..words.tokens.len()).find(|next| words.tokens[*next].after_break);
    let end = end.unwrap_or(words.tokens.len());
    let content = |range: std::ops::Range<usize>| {
        words.tokens[range].iter().filter(|token| token.content()).map(|token| token.stem)
    };
    (content(at + 1..end).collect(), content(0..at).chain(content(end..words.tokens.len())).collect())
}
