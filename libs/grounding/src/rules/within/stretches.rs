//! Stretches of a sentence around a bound: its clause, its statement, and what holds on the other side.

use crate::flags;
use crate::index::Analysed;
use crate::numbers::Quantity;
use crate::rules::negation::in_case;
use crate::tokens::Token;
use std::ops::Range;

/// The stretch of a sentence behind an "or", "otherwise" or "all others": what holds on the other side.
pub(super) fn otherwise(words: &Analysed) -> Option<Range<usize>> {
    let tokens = &words.tokens;
    let at = (1..tokens.len()).find(|at| {
        matches!(
            tokens[*at].norm.as_str(),
            "otherwise" | "others" | "else" | "rest" | "resto" | "demas" | "contrario"
        ) || tokens[*at].after_break
            && matches!(tokens[*at].norm.as_str(), "or" | "later" | "after" | "luego" | "despues")
    })?;
    Some(at..tokens.len())
}

/// The stretch between punctuation that a figure stands in.
pub(super) fn clause(words: &Analysed, figure: &Quantity) -> Range<usize> {
    let start = (0..=figure.first).rev().find(|at| words.tokens[*at].after_break).unwrap_or(0);
    let end = (figure.last + 1..words.tokens.len()).find(|at| words.tokens[*at].after_break);
    start..end.unwrap_or(words.tokens.len())
}

/// Whether another statement begins at a token: "…, and no guest may smoke", "or without the tray", "but not in the hold".
fn begins_statement(words: &Analysed, at: usize) -> bool {
    let tokens = &words.tokens;
    let joins = tokens[at].is(flags::AND) || matches!(tokens[at].norm.as_str(), "but" | "pero");
    if joins {
        return tokens[at].after_break || tokens.get(at + 1).is_some_and(|next| next.negates);
    }
    if !tokens[at].after_break {
        return false;
    }
    // What stands before says something of its own: it has a verb, and is no condition.
    let start = (0..at).rev().find(|place| tokens[*place].after_break).unwrap_or(0);
    let opens = |token: &Token| token.is(flags::CONDITIONAL) || token.is(flags::BOUND_CLAUSE);
    tokens[start..at].iter().any(|token| token.is(flags::FINITE))
        && !(start..at).any(|place| opens(&tokens[place]) || in_case(tokens, place))
}

/// The stretch of a text that says what holds of a figure, without other statements beside it.
pub(super) fn statement(words: &Analysed, figure: &Quantity) -> Range<usize> {
    statement_of(words, figure.first, figure.last)
}

/// The same of any words, by the first and the last of them.
pub(in crate::rules) fn statement_of(words: &Analysed, first: usize, last: usize) -> Range<usize> {
    let start = (1..=first).rev().find(|at| begins_statement(words, *at)).unwrap_or(0);
    let end = (last + 1..words.tokens.len()).find(|at| begins_statement(words, *at));
    start..end.unwrap_or(words.tokens.len())
}
