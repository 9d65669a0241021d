//! Words that take something out of what is said: "except", "unless", "all but", "todos menos". One list for all rules.

use super::negation::in_case;
use crate::flags;
use crate::index::Analysed;
use crate::quantifiers::{Quantifier, class};
use crate::tokens::Token;

/// Words that take something out, by themselves or behind others.
pub(crate) const WORDS: &[&str] = &[
    "aparte",
    "apart",
    "barring",
    "but",
    "except",
    "excepting",
    "exception",
    "excepcion",
    "excepto",
    "exceptuando",
    "excluding",
    "menos",
    "other",
    "salvo",
    "unless",
];

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
    match token.norm.as_str() {
        "but" | "menos" => {
            of_all(tokens, at) || token.norm == "menos" && next == "que" && at > 0 && norm(at - 1) == "a"
        }
        "apart" => next == "from",
        "aparte" => next == "de",
        "other" => next == "than",
        "exception" | "excepcion" => matches!(next, "of" | "de" | "del"),
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
    let all = |place: usize| {
        let everyone = matches!(
            tokens[place].norm.as_str(),
            "all"
                | "every"
                | "everything"
                | "everyone"
                | "everybody"
                | "any"
                | "anything"
                | "anyone"
                | "anywhere"
                | "everywhere"
                | "todo"
                | "todos"
                | "toda"
                | "todas"
                | "cualquier"
                | "cualquiera"
        );
        everyone && !(place > 0 && tokens[place - 1].norm == "at")
    };
    let near = (at.saturating_sub(REACH)..at).rev();
    !counted && near.take_while(|place| !tokens[place + 1].after_break).any(all)
}

/// Whether a text takes something out.
pub(super) fn any(words: &Analysed) -> bool {
    words.tokens.iter().enumerate().any(|(at, token)| token.is(flags::EXCEPTS) && excepts(&words.tokens, at))
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
    let Some(at) = (0..tokens.len()).find(|at| excepts(tokens, *at)) else { return false };
    let limited = claim.tokens.iter().any(|token| token.class == Some(Quantifier::Only));
    if limited || any(claim) {
        return false;
    }
    let end = (at + 1..tokens.len()).find(|place| tokens[*place].after_break).unwrap_or(tokens.len());
    let own = |place: usize| tokens[place].content() && class(tokens, place).is_none();
    let said = |place: usize| claim.says_token(&tokens[place]);
    let mut behind = (at + 1..end).filter(|place| own(*place)).peekable();
    behind.peek().is_some() && behind.all(said)
}

/// Whether only one of two texts takes something out, and the other speaks of that: "open every day but Monday" and "closed on
/// Mondays".
pub(super) fn opposed(claim: &Analysed, source: &Analysed) -> bool {
    let taken_out = |one: &Analysed, two: &Analysed| {
        let tokens = &one.tokens;
        (0..tokens.len()).filter(|at| excepts(tokens, *at)).any(|at| {
            let end = (at + 1..tokens.len()).find(|place| tokens[*place].after_break).unwrap_or(tokens.len());
            (at + 1..end)
                .find(|place| tokens[*place].content())
                .is_some_and(|place| two.says_token(&tokens[place]))
        })
    };
    let includes = |words: &Analysed| {
        words.tokens.iter().any(|token| {
            token.norm.starts_with("inclu")
                || matches!(token.norm.as_str(), "even" | "also" | "too" | "tambien")
        })
    };
    any(claim) != any(source)
        && !includes(claim)
        && !includes(source)
        && (taken_out(claim, source) || taken_out(source, claim))
}
