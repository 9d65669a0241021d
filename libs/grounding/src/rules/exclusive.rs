//! "Only" against "any": what the sources keep for some and the claim gives to all, and the other way round.

use super::extent::{Core, Statement, said};
use super::quantifiers::follower;
use super::{Mismatch, denials, except, negation, opposites};
use crate::flags;
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
/// The same for what is allowed alone and has something added.
const ADDED: f64 = 0.75;
/// Content words that an "only" is about.
const FOCUS: usize = 3;

/// Words for people, which "anybody" means.
const PEOPLE: &[&str] = &[
    "body",
    "caller",
    "callers",
    "child",
    "children",
    "client",
    "cliente",
    "clientes",
    "clients",
    "customer",
    "customers",
    "empleado",
    "empleados",
    "employee",
    "employees",
    "guest",
    "guests",
    "member",
    "members",
    "mundo",
    "one",
    "owner",
    "owners",
    "patient",
    "patients",
    "people",
    "person",
    "persona",
    "personas",
    "socio",
    "socios",
    "student",
    "students",
    "user",
    "users",
    "usuario",
    "usuarios",
    "visitante",
    "visitantes",
    "visitor",
    "visitors",
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
    let mut before = Vec::new();
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
pub(super) fn of_people(tokens: &[Token], at: usize) -> bool {
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
        token.class == Some(Quantifier::Only) || matches!(token.norm.as_str(), "if" | "si" | "than")
    }) || super::except::any(words)
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
        let (statement, place) = core.otherwise(&without, LIKE, judge)?;
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
        except::excepts(tokens, at)
            && !matches!(tokens[at].norm.as_str(), "but" | "unless" | "other" | "apart" | "aparte")
    };
    let is_only = |tokens: &[Token], at: usize| is(tokens, at, Quantifier::Only);
    let none = |words: &Analysed| denials(words) == 0;
    // "Forbidden except there" is "allowed only there".
    let denying = |words: &Analysed, other: &Analysed| {
        words
            .tokens
            .iter()
            .any(|token| token.is(flags::SOFT) && !token.is(flags::CONDITIONAL) && !other.says_token(token))
    };
    let turned = |words: &Analysed| denying(words, claim) != denying(claim, words);
    let without_any = (1..claim.tokens.len()).find(|at| {
        let word = |at: usize| claim.tokens[at].norm.as_str();
        matches!(word(*at), "exception" | "exceptions" | "excepcion")
            && matches!(word(at - 1), "without" | "no" | "sin")
    });
    if let Some(at) = without_any {
        let judge =
            |statement: Statement<'_>, place: usize| excepts(&statement.words.tokens, place).then_some(false);
        let (statement, place) = core.otherwise(&(at - 1..at + 1), EXCEPTED, judge)?;
        return Some(said(claim, at - 1, statement.words, place));
    }
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
            (faces
                && none(statement.words)
                && !turned(statement.words)
                && !opposites::opposed(claim, statement.words)
                && about.first().is_some_and(met))
            .then_some(false)
        };
        let (statement, place) = core.otherwise(&(at..at + 1), EXCEPTED, judge)?;
        Some(said(claim, at, statement.words, place))
    })
}

/// What the claim adds to something that the sources allow alone: "from localhost too" where they say "from localhost only".
pub(super) fn joined_to(core: &Core<'_>) -> Option<Mismatch> {
    const BEFORE_PLACES: &[&str] =
        &["in", "on", "at", "from", "for", "with", "by", "to", "en", "con", "desde", "para", "a", "por"];
    let claim = core.claim;
    if limited(claim) || denials(claim) > 0 {
        return None;
    }
    (1..claim.tokens.len()).find_map(|at| {
        let tokens = &claim.tokens;
        let next = tokens.get(at + 1);
        let adds = match tokens[at].norm.as_str() {
            "too" => next.is_none_or(|next| next.after_break),
            "also" | "tambien" => next.is_some_and(|next| BEFORE_PLACES.contains(&next.norm.as_str())),
            _ => false,
        };
        if !adds {
            return None;
        }
        let about =
            if tokens[at].norm == "too" { at - 1..at + 1 } else { at..focus(tokens, at).first()? + 1 };
        let judge = |statement: Statement<'_>, place: usize| {
            let tokens = &statement.words.tokens;
            if is(tokens, place, Quantifier::Also) {
                return Some(true);
            }
            (is(tokens, place, Quantifier::Only) && !negation::negated(tokens, place)).then_some(false)
        };
        let (statement, place) = core.otherwise(&about, ADDED, judge)?;
        Some(said(claim, about.start, statement.words, place))
    })
}
