//! Cases: what holds "even if" something is so against what holds "unless" or "only if" it is, and what needs both of two
//! things against what needs either.

use super::exclusive::focus;
use super::extent::{Core, Statement, said};
use super::{Mismatch, denials};
use crate::flags;
use crate::lexicon::synonymous;
use crate::quantifiers::{Quantifier, class};
use crate::tokens::Token;

/// Least likeness of two statements about a case.
const LIKE: f64 = 0.55;
/// Least likeness where the case itself may be named otherwise.
const UNNAMED: f64 = 0.7;
/// The same for two things that are joined.
const JOINED: f64 = 0.7;

/// What a word says of the case that it opens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    /// It changes nothing: "even if".
    Idle,
    /// It alone decides: "only if", "unless".
    Decides,
}

/// The role of the case that a word opens.
fn role(tokens: &[Token], at: usize) -> Option<Role> {
    let own = tokens.get(at)?;
    if own.class.is_none() && !own.is(flags::EXTENT | flags::EXCEPTS) {
        return None;
    }
    let next = tokens.get(at + 1).map_or("", |token| token.norm.as_str());
    let opens = matches!(
        next,
        "if" | "when"
            | "with"
            | "without"
            | "on"
            | "after"
            | "once"
            | "si"
            | "cuando"
            | "con"
            | "sin"
            | "tras"
    );
    match tokens[at].norm.as_str() {
        "even" if opens || matches!(next, "though") => Some(Role::Idle),
        "regardless" | "aunque" => Some(Role::Idle),
        "incluso" | "siquiera" if opens => Some(Role::Idle),
        "even" | "siquiera" if at > 0 && tokens[at - 1].negates => Some(Role::Idle),
        "unless" | "salvo" | "excepto" => Some(Role::Decides),
        "except" if opens => Some(Role::Decides),
        _ if class(tokens, at) == Some(Quantifier::Only) && (opens || next.is_empty()) => Some(Role::Decides),
        _ => None,
    }
}

/// A case that changes nothing in the claim and decides in the sources, or the other way round.
pub(super) fn conceded(core: &Core<'_>) -> Option<Mismatch> {
    let claim = core.claim;
    let roles = |tokens: &[Token], role_: Role| (0..tokens.len()).any(|at| role(tokens, at) == Some(role_));
    (0..claim.tokens.len()).find_map(|at| {
        let own = role(&claim.tokens, at)?;
        let other = if own == Role::Idle { Role::Decides } else { Role::Idle };
        if roles(&claim.tokens, other) {
            return None;
        }
        let case = focus(&claim.tokens, at);
        let judge = |statement: Statement<'_>, place: usize| {
            let tokens = &statement.words.tokens;
            let theirs = role(tokens, place)?;
            let places = focus(tokens, place);
            let same =
                places.iter().any(|place| case.iter().any(|at| tokens[*place].means(&claim.tokens[*at])));
            if theirs == own {
                return same.then_some(true);
            }
            let alike = || {
                core.likeness(statement, place, &(at..case.last().map_or(at, |last| *last) + 1)) >= UNNAMED
            };
            (same || (case.len() == 1 && alike())).then_some(false)
        };
        let (statement, place) = core.otherwise(&(at..at + 1), LIKE, judge)?;
        Some(said(claim, at, statement.words, place))
    })
}

/// How two things are joined.
fn joins(token: &Token) -> Option<bool> {
    match token.norm.as_str() {
        "and" | "y" | "e" => Some(true),
        "or" | "o" | "u" => Some(false),
        _ => None,
    }
}

/// The content words on either side of a joining word.
fn sides(tokens: &[Token], at: usize) -> Option<(u64, u64)> {
    let content = |place: &usize| tokens[*place].content() && class(tokens, *place).is_none();
    let left = (at.saturating_sub(3)..at).rev().find(content)?;
    let right = (at + 1..(at + 5).min(tokens.len())).find(content)?;
    Some((tokens[left].stem, tokens[right].stem))
}

/// Whether a text says what will do: "both are accepted" leaves it at either.
fn permits(tokens: &[Token]) -> bool {
    tokens.iter().enumerate().any(|(at, token)| {
        // "An accepted project" permits nothing.
        let said = !tokens.get(at + 1).is_some_and(Token::content);
        token.class == Some(Quantifier::May)
            || said
                && matches!(
                    token.norm.as_str(),
                    "accepted"
                        | "allowed"
                        | "supported"
                        | "admitted"
                        | "possible"
                        | "aceptan"
                        | "admiten"
                        | "posible"
                )
    })
}

/// Whether a text says that something has to be, or speaks of both or either of two things.
fn binds(tokens: &[Token]) -> bool {
    tokens.iter().any(|token| {
        token.class == Some(Quantifier::Must)
            || matches!(
                token.norm.as_str(),
                "both"
                    | "either"
                    | "need"
                    | "needs"
                    | "needed"
                    | "ambos"
                    | "ambas"
                    | "necesita"
                    | "necesitan"
                    | "necesario"
            )
    })
}

/// Two things of which the one text needs both and the other either.
pub(super) fn joined(core: &Core<'_>) -> Option<Mismatch> {
    let claim = core.claim;
    if denials(claim) > 0 {
        return None;
    }
    (0..claim.tokens.len()).find_map(|at| {
        let own = joins(&claim.tokens[at])?;
        let (left, right) = sides(&claim.tokens, at)?;
        let judge = |statement: Statement<'_>, place: usize| {
            let tokens = &statement.words.tokens;
            let theirs = joins(&tokens[place])?;
            let (one, two) = sides(tokens, place)?;
            let straight = synonymous(left, one) && synonymous(right, two);
            let crossed = synonymous(left, two) && synonymous(right, one);
            if !(straight || crossed) {
                return None;
            }
            let (both, either) = if own { (&claim.tokens, tokens) } else { (tokens, &claim.tokens) };
            let bound = (binds(both) || binds(either)) && !permits(both);
            (own == theirs || (bound && denials(statement.words) == 0)).then_some(own == theirs)
        };
        let (statement, place) = core.otherwise(&(at..at + 1), JOINED, judge)?;
        Some(said(claim, at.saturating_sub(1), statement.words, place.saturating_sub(1)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::Analysed;
    use crate::language::Language;

    /// What the words of a text open as cases.
    fn roles(text: &str, language: Option<Language>) -> Vec<Role> {
        let words = Analysed::new(text, language);
        (0..words.tokens.len()).filter_map(|at| role(&words.tokens, at)).collect()
    }

    #[test]
    fn every_word_that_opens_a_case_is_one_that_is_looked_at() {
        for idle in ["even if it rains", "even though it rains", "regardless of it", "not even"] {
            assert_eq!(roles(idle, None), [Role::Idle], "{idle}");
        }
        for decides in ["unless it rains", "except when it rains", "only if it rains"] {
            assert_eq!(roles(decides, None), [Role::Decides], "{decides}");
        }
        let spanish = Some(Language::Spanish);
        for idle in ["aunque llueva", "incluso si llueve", "siquiera con lluvia"] {
            assert_eq!(roles(idle, spanish), [Role::Idle], "{idle}");
        }
        for decides in ["salvo en agosto", "excepto en agosto", "solo si llueve"] {
            assert_eq!(roles(decides, spanish), [Role::Decides], "{decides}");
        }
        assert_eq!(roles("The pool opens when it rains.", None), []);
    }
}
