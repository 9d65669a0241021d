//! The orders that a sentence makes of two of its stretches: the one before the other, if the one then the other, the one
//! more than the other.

use crate::flags;
use crate::index::Analysed;
use crate::lexicon::{self, synonymous};
use std::ops::Range;

/// Longest stretch on a side, in tokens.
const SIDE: usize = 9;

/// What kind of order it is; only the same kinds are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// The one is before the other.
    Time,
    /// If the one, then the other.
    Condition,
    /// The other because of the one.
    Cause,
    /// The one is more than the other, by a word with this stem.
    More(u64),
}

impl Kind {
    pub(super) fn meets(self, other: Self) -> bool {
        match (self, other) {
            (Self::More(one), Self::More(two)) => synonymous(one, two),
            _ => self == other,
        }
    }

    /// Whether the one compares by the opposite of what the other compares by: "darker than" and "lighter than".
    pub(super) fn opposes(self, other: Self) -> bool {
        match (self, other) {
            (Self::More(one), Self::More(two)) => lexicon::opposites(one).binary_search(&two).is_ok(),
            _ => false,
        }
    }
}

/// An order of two stretches of a sentence.
#[derive(Debug)]
pub(super) struct Order {
    /// What kind of order it is.
    pub(super) kind: Kind,
    /// What is earlier, what is the condition, or what is more.
    pub(super) first: Range<usize>,
    /// What is later, what follows, or what is less.
    pub(super) second: Range<usize>,
}

/// Whether a word may join two stretches in an order: a look at its letters, before anything else is done.
pub(super) fn joins(word: &str) -> bool {
    matches!(
        word,
        "before"
            | "after"
            | "once"
            | "then"
            | "afterwards"
            | "later"
            | "first"
            | "finally"
            | "until"
            | "following"
            | "if"
            | "when"
            | "whenever"
            | "because"
            | "than"
            | "antes"
            | "despues"
            | "luego"
            | "tras"
            | "primero"
            | "si"
            | "cuando"
            | "porque"
            | "que"
            | "prior"
    )
}

/// The orders that a sentence makes.
pub(super) fn orders_of(words: &Analysed) -> Vec<Order> {
    let tokens = &words.tokens;
    let mut found = Vec::new();
    let norm = |at: usize| tokens.get(at).map_or("", |token| token.norm.as_str());
    let begin = |at: usize| (0..=at).rev().find(|place| tokens[*place].after_break).unwrap_or(0);
    let end = |from: usize| (from..tokens.len()).find(|at| tokens[*at].after_break).unwrap_or(tokens.len());
    let content = |range: &Range<usize>| range.clone().any(|at| words.weights[at] > 0.0);
    let and = |range: Range<usize>| {
        range.clone().find(|at| matches!(norm(*at), "and" | "y" | "e" | "but" | "pero"))
    };
    for at in (0..tokens.len()).filter(|at| joins(norm(*at))) {
        let word = norm(at);
        let next = norm(at + 1);
        let (start, close) = (begin(at), end(at + 1));
        // A stretch ends where another such word begins one.
        let other = |place: &usize| {
            *place != at && joins(norm(*place)) && !matches!(norm(*place), "first" | "primero" | "que")
        };
        let (low, high) = (start.max(at.saturating_sub(SIDE)), close.min(at + 1 + SIDE));
        let left = (low..at).rev().find(other).map_or(low, |place| place + 1)..at;
        let right = at + 1..(at + 1..high).find(other).unwrap_or(high);
        // "Before B, A": what the word stands in front of comes first in the text.
        let fronted = || close..end(close + 1).min(close + SIDE);
        // What was said in the clause before this one.
        let behind = |from: usize| {
            let last = from.checked_sub(1)?;
            Some(begin(last).max(last.saturating_sub(SIDE))..from)
        };
        let pair: Option<(Kind, Range<usize>, Range<usize>)> = match word {
            // "Do not cut it until it is cool": it is cool first.
            "until" if content(&left) && tokens[left.clone()].iter().any(|token| token.negates) => {
                Some((Kind::Time, right, left))
            }
            "before" | "antes" | "prior" | "until" if content(&left) => Some((Kind::Time, left, right)),
            "before" | "antes" | "prior" if close < tokens.len() => Some((Kind::Time, fronted(), right)),
            "after" | "once" | "tras" | "following" if content(&left) => Some((Kind::Time, right, left)),
            "after" | "once" | "tras" if close < tokens.len() => Some((Kind::Time, right, fronted())),
            "despues" if next == "de" && content(&left) => Some((Kind::Time, right, left)),
            "despues" if next == "de" && close < tokens.len() => Some((Kind::Time, right, fronted())),
            "then" | "afterwards" | "later" | "luego" | "finally" | "despues" if next != "than" => {
                // "A, then B", "A and B afterwards": the clause before is the earlier one.
                let joined = and(left.clone());
                let from = joined.unwrap_or(if content(&left) || start == at { start } else { at });
                let earlier = match joined {
                    Some(joint) if joint > start => Some(start..joint),
                    _ => behind(start),
                };
                let own = from..close.min(at + 1 + SIDE);
                earlier.filter(|earlier| content(earlier)).map(|earlier| (Kind::Time, earlier, own))
            }
            // "First A and B last": what is said with each of the two words.
            "first" | "primero" => {
                let last = |place: &usize| {
                    matches!(
                        norm(*place),
                        "last"
                            | "second"
                            | "finally"
                            | "afterwards"
                            | "later"
                            | "despues"
                            | "luego"
                            | "ultimo"
                    )
                };
                let next = (at + 1..tokens.len().min(at + 2 * SIDE)).find(last);
                let joint = |next: usize| {
                    (at + 1..=next)
                        .find(|place| tokens[*place].after_break || matches!(norm(*place), "and" | "y"))
                };
                next.and_then(joint).map(|joint| {
                    let earlier = start.max(joint.saturating_sub(SIDE))..joint;
                    (Kind::Time, earlier, joint..tokens.len().min(joint + SIDE))
                })
            }
            "if" | "when" | "whenever" | "si" | "cuando" if content(&left) => {
                Some((Kind::Condition, right, left))
            }
            "if" | "when" | "whenever" | "si" | "cuando" if close < tokens.len() => {
                Some((Kind::Condition, right, fronted()))
            }
            "because" | "porque" if content(&left) => Some((Kind::Cause, right, left)),
            "because" if close < tokens.len() => Some((Kind::Cause, right, fronted())),
            "than" | "que" => more(words, at, &left).map(|kind| (kind, left, right)),
            _ => None,
        };
        if let Some((kind, first, second)) = pair
            && content(&first)
            && content(&second)
        {
            found.push(Order { kind, first, second });
        }
    }
    found
}

/// What a "than" compares by: the word before it, with whether it is less.
fn more(words: &Analysed, at: usize, left: &Range<usize>) -> Option<Kind> {
    let tokens = &words.tokens;
    let by = left
        .clone()
        .rev()
        .take(2)
        .find(|place| tokens[*place].content() || tokens[*place].norm.ends_with("er"))?;
    let less = left.clone().any(|place| matches!(tokens[place].norm.as_str(), "less" | "fewer" | "menos"));
    let more = left.clone().rev().take(3).any(|place| {
        matches!(tokens[place].norm.as_str(), "more" | "less" | "fewer" | "mas" | "menos")
            || tokens[place].norm.ends_with("er")
    });
    let figure = tokens.get(at + 1).is_some_and(|next| {
        matches!(next.kind, crate::tokens::TokenKind::Number(_)) || next.is(flags::COUNTS)
    });
    (more && !figure).then_some(Kind::More(tokens[by].stem ^ u64::from(less)))
}
