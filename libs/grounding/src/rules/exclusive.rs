//! "Only" against "any": what the sources keep for some and the claim gives to all, and the other way round.

use super::extent::{Core, Statement, said};
use super::quantifiers::follower;
use super::{Mismatch, denials, negation};
use crate::index::Analysed;
use crate::lexicon::synonymous;
use crate::quantifiers::{Quantifier, class};
use crate::tokens::Token;

/// Least likeness of a claim to a statement that keeps for some what the claim gives to all, or the other way round.
const LIKE: f64 = 0.6;
/// The same where the statement says nothing of those that the claim takes all of.
const INSTEAD: f64 = 0.85;
/// The same for what the one leaves out and the other keeps it for.
const EXCEPTED: f64 = 0.55;
/// Content words that an "only" is about.
const FOCUS: usize = 3;

/// Words for people, which "anybody" means.
const PEOPLE: &[&str] = &[
    "body", "client", "cliente", "customer", "employee", "empleado", "member", "people", "persona", "person",
    "user", "users", "usuario", "usuarios", "caller", "one", "personas", "mundo", "visitor", "guest",
    "socio",
];

fn is(tokens: &[Token], at: usize, class_: Quantifier) -> bool {
    class(tokens, at) == Some(class_)
}

/// Whether a word takes in all there are.
fn universal(tokens: &[Token], at: usize) -> bool {
    matches!(class(tokens, at), Some(Quantifier::All | Quantifier::Any))
}

/// The content words that an "only" is about: those behind it, or before it where it ends a clause.
pub(super) fn focus(tokens: &[Token], at: usize) -> Vec<usize> {
    let content = |at: &usize| {
        let token = &tokens[*at];
        class(tokens, *at).is_none()
            && (token.content() || matches!(token.norm.as_str(), "same" | "own" | "mismo" | "misma"))
    };
    let behind: Vec<usize> = (at + 1..tokens.len())
        .take_while(|next| !tokens[*next].after_break)
        .filter(content)
        .take(FOCUS)
        .collect();
    if !behind.is_empty() {
        return behind;
    }
    let mut before: Vec<usize> = Vec::new();
    for place in (0..at).rev() {
        if content(&place) {
            before.push(place);
        }
        if tokens[place].after_break || before.len() == FOCUS {
            break;
        }
    }
    before
}

/// Words for everybody.
const EVERYBODY: &[&str] = &["anyone", "anybody", "everyone", "everybody", "cualquiera"];

/// Whether a word that takes in all there are is about people.
fn of_people(tokens: &[Token], at: usize) -> bool {
    let noun = follower(tokens, at);
    EVERYBODY.contains(&tokens[at].norm.as_str())
        || tokens[at + 1..]
            .iter()
            .take(6)
            .any(|next| next.stem == noun && PEOPLE.contains(&next.norm.as_str()))
}

/// Whether a text has a word that limits it.
fn limited(words: &Analysed) -> bool {
    words.tokens.iter().any(|token| {
        token.class == Some(Quantifier::Only)
            || matches!(token.norm.as_str(), "except" | "unless" | "excepto" | "salvo" | "if" | "si" | "than")
    })
}

/// The claim gives to all, or to others too, what the sources keep for some.
pub(super) fn opened(core: &Core<'_>) -> Option<Mismatch> {
    let claim = core.claim;
    if limited(claim) || denials(claim) > 0 {
        return None;
    }
    (0..claim.tokens.len()).filter(|at| universal(&claim.tokens, *at)).find_map(|at| {
        let noun = follower(&claim.tokens, at);
        if matches!(claim.tokens[at].norm.as_str(), "anything" | "everything" | "each" | "cada" | "entire") {
            return None;
        }
        let next = (at + 1..claim.tokens.len()).find(|next| claim.tokens[*next].stem == noun && noun != 0);
        let everybody = EVERYBODY.contains(&claim.tokens[at].norm.as_str());
        let person = everybody || of_people(&claim.tokens, at);
        let said_of = next.filter(|_| !everybody).filter(|_| person || !core.known(noun));
        let without = at..said_of.unwrap_or(at) + 1;
        let judge = |statement: Statement<'_>, place: usize| {
            let tokens = &statement.words.tokens;
            if universal(tokens, place) {
                let same = follower(tokens, place) == noun || (person && of_people(tokens, place));
                return same.then_some(true);
            }
            if !is(tokens, place, Quantifier::Only) || negation::negated(tokens, place) {
                return None;
            }
            let about = focus(tokens, place);
            let unsaid = about.iter().filter(|place| !claim.says(tokens[**place].stem)).count();
            let named = person || statement.words.says(noun);
            // "All messages" where the source says "only errors": then all the rest has to be there.
            let instead = || core.likeness(statement, place, &(at..next.unwrap_or(at) + 1)) >= INSTEAD;
            (unsaid > 0 && (named || instead())).then_some(false)
        };
        let least = LIKE;
        let (statement, place) = core.otherwise(&without, least, judge)?;
        Some(said(claim, at, statement.words, place))
    })
}

/// The claim keeps for some what the sources give to all.
pub(super) fn closed(core: &Core<'_>) -> Option<Mismatch> {
    let claim = core.claim;
    if denials(claim) > 0 {
        return None;
    }
    (0..claim.tokens.len()).filter(|at| is(&claim.tokens, *at, Quantifier::Only)).find_map(|at| {
        let conditional = claim.tokens.get(at + 1).is_some_and(|next| {
            matches!(
                next.norm.as_str(),
                "if" | "when" | "with" | "after" | "once" | "then" | "si" | "cuando" | "con" | "tras"
            )
        });
        let universal_too = (0..claim.tokens.len()).any(|at| universal(&claim.tokens, at));
        if conditional || universal_too {
            return None;
        }
        let about = focus(&claim.tokens, at);
        if about.iter().any(|at| claim.tokens[*at].norm == "own") {
            return None;
        }
        let without = about.iter().copied().min().unwrap_or(at).min(at)
            ..about.iter().copied().max().unwrap_or(at).max(at) + 1;
        let judge = |statement: Statement<'_>, place: usize| {
            let tokens = &statement.words.tokens;
            if is(tokens, place, Quantifier::Only) {
                return Some(true);
            }
            let whole =
                matches!(tokens[place].norm.as_str(), "each" | "cada" | "entire" | "always" | "siempre");
            if !universal(tokens, place)
                || whole
                || negation::negated(tokens, place)
                || denials(statement.words) > 0
            {
                return None;
            }
            let noun = follower(tokens, place);
            let among = || about.iter().any(|at| synonymous(claim.tokens[*at].stem, noun));
            let taken = of_people(tokens, place) || tokens[place].norm == "both" || among();
            taken.then_some(false)
        };
        let (statement, place) = core.otherwise(&without, LIKE, judge)?;
        Some(said(claim, at, statement.words, place))
    })
}

/// What the claim leaves out and the sources keep it for: "except Wednesdays" where they say "only on Wednesdays".
pub(super) fn excepted(core: &Core<'_>) -> Option<Mismatch> {
    let claim = core.claim;
    let excepts = |tokens: &[Token], at: usize| {
        matches!(tokens[at].norm.as_str(), "except" | "excepto" | "salvo" | "excluding")
    };
    let is_only = |tokens: &[Token], at: usize| is(tokens, at, Quantifier::Only);
    let none = |words: &Analysed| denials(words) == 0;
    (0..claim.tokens.len()).find_map(|at| {
        let (mine, own) = (excepts(&claim.tokens, at), is_only(&claim.tokens, at));
        let both = || {
            (0..claim.tokens.len())
                .any(|at| if mine { is_only(&claim.tokens, at) } else { excepts(&claim.tokens, at) })
        };
        if !(mine || own) || !none(claim) || both() {
            return None;
        }
        let about = focus(&claim.tokens, at);
        let judge = |statement: Statement<'_>, place: usize| {
            let tokens = &statement.words.tokens;
            let faces = if mine { is_only(tokens, place) } else { excepts(tokens, place) };
            let theirs = focus(tokens, place);
            let met = |at: &usize| theirs.iter().any(|place| tokens[*place].means(&claim.tokens[*at]));
            (faces && none(statement.words) && about.first().is_some_and(met)).then_some(false)
        };
        let (statement, place) = core.otherwise(&(at..at + 1), EXCEPTED, judge)?;
        Some(said(claim, at, statement.words, place))
    })
}
