//! How binding a claim says that something is, against what the sources say of the same thing.

use super::extent::{Core, Statement, said};
use super::negation::{is_negator, negated};
use super::{Mismatch, is_filler};
use crate::flags;
use crate::quantifiers::{Quantifier, class, obliges_by_having};
use crate::tokens::Token;

/// Least likeness of two statements of duty.
const LIKE: f64 = 0.65;
/// Words that a statement of duty may be about.
const NAMED: usize = 3;

/// How binding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Duty {
    /// Has to be.
    Required,
    /// Had better be.
    Recommended,
    /// May be or not.
    Optional,
    /// Is possible or allowed.
    Allowed,
    /// Had better not be.
    Discouraged,
    /// Must not be.
    Forbidden,
}

impl Duty {
    /// The same of what is denied.
    fn denied(self, having: bool) -> Self {
        match self {
            Self::Required if having => Self::Optional,
            Self::Required | Self::Allowed => Self::Forbidden,
            Self::Recommended => Self::Discouraged,
            Self::Optional => Self::Required,
            Self::Discouraged => Self::Recommended,
            Self::Forbidden => Self::Allowed,
        }
    }

    /// Whether two cannot both be said of the same thing. What may be and what must be often go together: "you may do it
    /// with X" where "X must be set".
    fn conflicts(self, other: Self) -> bool {
        use Duty::{Discouraged, Forbidden, Optional, Recommended, Required};
        let clash = |one: Self, two: Self| {
            matches!(
                (one, two),
                (Required, Recommended | Optional | Discouraged | Forbidden)
                    | (Recommended, Optional | Discouraged | Forbidden)
                    | (Discouraged, Forbidden)
                    | (Optional, Forbidden)
            )
        };
        clash(self, other) || clash(other, self)
    }
}

/// A word that says how binding something is, and whether it stands right before the verb that it is about.
fn duty(tokens: &[Token], at: usize) -> Option<(Duty, bool)> {
    let token = &tokens[at];
    if token.class.is_none() && !token.is(flags::EXTENT) {
        return None;
    }
    let word = token.norm.as_str();
    // "The required rights", "the recommended dose" name a thing.
    let names = !stated(tokens, at);
    if maybe(tokens, at) {
        return None;
    }
    let (plain, verbal) = match (class(tokens, at), word) {
        (
            _,
            "required" | "recommended" | "optional" | "advised" | "mandatory" | "obligatorio" | "obligatoria"
            | "obligatorios" | "obligatorias" | "forbidden" | "prohibited" | "prohibido" | "prohibida"
            | "opcional" | "recomendado" | "recomendable",
        ) if names => return None,
        (_, "requires" | "possibly" | "perhaps" | "might" | "could" | "podria" | "podrian") => return None,
        (_, "optional" | "optionally" | "opcional" | "opcionalmente") => (Duty::Optional, false),
        (
            Some(Quantifier::Must),
            "required" | "mandatory" | "compulsory" | "obligatorio" | "obligatoria" | "obligatorios"
            | "obligatorias" | "imprescindible",
        ) => (Duty::Required, false),
        (Some(Quantifier::Must), _) => (Duty::Required, true),
        (Some(Quantifier::Should), "should" | "ought" | "deberia" | "deberian") => (Duty::Recommended, true),
        (
            Some(Quantifier::Should),
            "recommended" | "advisable" | "recomendado" | "recomendable" | "aconsejable",
        ) => (Duty::Recommended, false),
        (Some(Quantifier::Should), _)
        | (_, "recommends" | "recommend" | "advises" | "advise" | "advised") => (Duty::Recommended, true),
        (Some(Quantifier::May), _) => (Duty::Allowed, true),
        (_, "forbidden" | "prohibited" | "prohibido" | "prohibida") => (Duty::Forbidden, false),
        _ => return None,
    };
    let behind = (at + 1..tokens.len().min(at + 3)).take_while(|next| !tokens[*next].after_break);
    let turned = negated(tokens, at) || behind.into_iter().any(|next| is_negator(tokens, next));
    // "Cannot" and "may not" say as often that something is not possible, or perhaps not so.
    if turned && plain == Duty::Allowed {
        return None;
    }
    Some((if turned { plain.denied(obliges_by_having(token)) } else { plain }, verbal))
}

/// Whether a word says of what stands before it how binding it is; "the required rights" and "screws recommended by the
/// maker" name things.
fn stated(tokens: &[Token], at: usize) -> bool {
    const BEFORE: &[&str] = &[
        "is", "are", "be", "was", "were", "been", "become", "becomes", "es", "son", "sea", "sera", "esta",
        "estan", "and", "but", "or", "y", "pero", "o", "remain", "remains", "sigue", "siguen",
    ];
    tokens[at].after_break
        || at == 0
        || (1..=3)
            .filter_map(|back| at.checked_sub(back))
            .any(|at| BEFORE.contains(&tokens[at].norm.as_str()))
}

/// Whether something only may be so: "may be required".
fn maybe(tokens: &[Token], at: usize) -> bool {
    (1..=2).filter_map(|back| at.checked_sub(back)).any(|back| class(tokens, back) == Some(Quantifier::May))
}

/// The words that a word of duty is about: the verb behind it, or the things before it.
fn about(tokens: &[Token], at: usize, verbal: bool) -> Vec<usize> {
    let plain = |place: &usize| tokens[*place].content() && class(tokens, *place).is_none();
    if verbal {
        return (at + 1..tokens.len().min(at + 7)).find(plain).into_iter().collect();
    }
    let before: Vec<usize> = (0..at).rev().take(8).filter(plain).take(NAMED).collect();
    if before.is_empty() { (at + 1..tokens.len()).filter(plain).take(NAMED).collect() } else { before }
}

/// Whether a text leaves open whether something must be, or names what is left out.
fn cased(tokens: &[Token]) -> bool {
    tokens.iter().enumerate().any(|(at, token)| {
        matches!(token.norm.as_str(), "whether" | "depends" | "depende") || super::except::excepts(tokens, at)
    })
}

/// What a claim says must, should or need not be, where the sources say otherwise.
pub(super) fn duties(core: &Core<'_>) -> Option<Mismatch> {
    let claim = core.claim;
    if cased(&claim.tokens) {
        return None;
    }
    (0..claim.tokens.len()).find_map(|at| {
        let (own, verbal) = duty(&claim.tokens, at)?;
        let mine = about(&claim.tokens, at, verbal);
        let judge = |statement: Statement<'_>, place: usize| {
            let tokens = &statement.words.tokens;
            let (theirs, other) = duty(tokens, place)?;
            if own == theirs {
                return Some(true);
            }
            let rivals = about(tokens, place, other);
            let alike = if verbal && other {
                let same = |at: &usize| rivals.iter().any(|place| tokens[*place].means(&claim.tokens[*at]));
                mine.iter().any(same)
            } else {
                let said = |at: &usize| statement.words.says_token(&claim.tokens[*at]);
                let met = |place: &usize| is_filler(&tokens[*place]) || core.says(&tokens[*place]);
                mine.iter().any(said) && (rivals.is_empty() || rivals.iter().any(met))
            };
            (alike && own.conflicts(theirs) && !cased(tokens)).then_some(false)
        };
        let (statement, place) = core.otherwise(&(at..at + 1), LIKE, judge)?;
        Some(said(claim, at, statement.words, place))
    })
}
