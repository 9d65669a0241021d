//! Exceptions: a claim that says of what a sentence takes out what that says of the rest; a case with
//! "unless" and the same case with "if", turned.

use super::except::{any, excepts, outside, speaks_of_exception};
use super::negation::in_case;
use super::{Case, Mismatch, SAME_WORDS, contradiction, opposites, phrase, plain_share};
use crate::flags;
use crate::index::Analysed;
use crate::quantifiers::Quantifier;

/// What exceptions say for and against a claim; asked last, for it takes back what other rules found.
pub(super) fn exceptions(case: &Case<'_>, shared: f64, found: &mut Vec<Mismatch>) {
    let (claim, Some(best)) = (case.claim, case.evidence.first()) else { return };
    if any(claim) == any(best) {
        return;
    }
    if denied_of_exception(claim, best) {
        found.retain(|other| !matches!(other.rule, "negation" | "opposite"));
        return;
    }
    // A part says nothing of the exception that the claim names beside it; a further sentence may say it of what this one takes out.
    let said_of_it = |words: &&Analysed| !any(words) && plain_share(claim, words) >= SAME_WORDS;
    if case.part || shared < SAME_WORDS || case.evidence.iter().skip(1).any(said_of_it) {
        return;
    }
    if let Some((one, two)) = turned_case(claim, best).or_else(|| dropped(claim, best)) {
        found.push(contradiction("exception", &one, &two));
    }
}

/// Whether a text denies by a word that the other has not.
fn softly(one: &Analysed, two: &Analysed) -> bool {
    one.tokens
        .iter()
        .any(|token| token.is(flags::SOFT) && !token.is(flags::CONDITIONAL) && !two.says_token(token))
}

/// Whether a claim denies of what a sentence takes out what that says of the rest.
fn denied_of_exception(claim: &Analysed, best: &Analysed) -> bool {
    speaks_of_exception(claim, best)
        && all(claim).is_none()
        && super::denials(claim) % 2 != super::denials(best) % 2
        && !opposites::opposed(claim, best)
}

/// The first word that speaks of all.
fn all(words: &Analysed) -> Option<usize> {
    words.tokens.iter().position(|token| {
        token.class == Some(Quantifier::All)
            || matches!(token.norm.as_str(), "every" | "everywhere" | "todo" | "todos" | "todas")
    })
}

/// What a claim says of the exception, and the exception of the sentence.
fn dropped(claim: &Analysed, best: &Analysed) -> Option<(String, String)> {
    let tokens = &best.tokens;
    let at = (0..tokens.len()).find(|at| excepts(tokens, *at))?;
    // "Apart from swimming, guests can play tennis" takes nothing out; cases with "unless" are read as such.
    let beside = matches!(tokens[at].norm.as_str(), "apart" | "aparte" | "other") && all(best).is_none();
    let turned = opposites::opposed(claim, best)
        || softly(claim, best)
        || softly(best, claim)
        || super::denials(claim) != super::denials(best);
    let rest = claim.tokens.iter().any(|token| {
        matches!(
            token.norm.as_str(),
            "other" | "others" | "rest" | "remaining" | "otros" | "otras" | "demas" | "resto" | "restantes"
        )
    });
    if any(claim) || beside || turned || rest || tokens[at].norm == "unless" {
        return None;
    }
    let next =
        |from: usize| (from..tokens.len()).find(|place| tokens[*place].after_break).unwrap_or(tokens.len());
    let before = |from: usize| (0..from).rev().find(|place| tokens[*place].after_break).unwrap_or(0);
    let own = (0..=at).rev().find(|place| tokens[*place].after_break).unwrap_or(0);
    // "…, with the exception of the saw": what it is taken from stands before the comma, or behind where it begins the sentence.
    let apart = at <= own + 2;
    let clause = match (apart, own) {
        (true, 0) => 0..next(next(at + 1).saturating_add(1)),
        (true, _) => before(own)..next(at + 1),
        _ => own..next(at + 1),
    };
    let within = |stem: u64| clause.clone().any(|place| tokens[place].stem == stem);
    // All that the claim says is said of the rest or taken out of it.
    let inside = |at: usize| {
        let token = &claim.tokens[at];
        !token.content() || within(token.stem) || token.others().iter().any(|other| within(*other))
    };
    if !(0..claim.tokens.len()).all(inside) {
        return None;
    }
    let held = phrase(tokens, at..=(at + 3).min(tokens.len() - 1));
    let exception = at..next(at + 1);
    let of_rest = || {
        let mut rest = clause.clone().filter(|place| !exception.contains(place));
        rest.any(|place| tokens[place].content() && claim.says_token(&tokens[place]))
    };
    let named = speaks_of_exception(claim, best) && (of_rest() || behind(claim, best, &exception));
    named.then(|| (phrase(&claim.tokens, 0..=claim.tokens.len() - 1), held))
}

/// Whether a claim says more than one word of content of what stands behind an exception: "everyone but the captain may leave".
fn behind(claim: &Analysed, best: &Analysed, exception: &std::ops::Range<usize>) -> bool {
    let said = |place: &usize| best.tokens[*place].content() && claim.says_token(&best.tokens[*place]);
    exception.clone().filter(said).count() > 1
}

/// "Unless it is late" beside "if it is late" of the same thing, or "if it is not late" of its contrary.
fn turned_case(claim: &Analysed, best: &Analysed) -> Option<(String, String)> {
    let unless = |words: &Analysed| {
        (0..words.tokens.len()).find(|at| {
            let next = words.tokens.get(at + 1).map_or("", |next| next.norm.as_str());
            let norm = words.tokens[*at].norm.as_str();
            norm == "unless" || norm == "menos" && next == "que" && excepts(&words.tokens, *at)
        })
    };
    let ifs = |words: &Analysed| {
        let cases = words
            .tokens
            .iter()
            .filter(|token| token.norm == "if" || token.norm == "si" && token.text.to_lowercase() == "si");
        cases.count()
    };
    let (one, two, at) = match (unless(claim), unless(best)) {
        (Some(at), None) => (claim, best, at),
        (None, Some(at)) => (best, claim, at),
        _ => return None,
    };
    let only = |words: &Analysed| words.tokens.iter().any(|token| token.class == Some(Quantifier::Only));
    if ifs(one) > 0 || ifs(two) != 1 || only(claim) || only(best) || opposites::opposed(claim, best) {
        return None;
    }
    let stems = |token: &crate::tokens::Token| !token.content() || two.says_token(token);
    let end =
        (at + 1..one.tokens.len()).find(|place| one.tokens[*place].after_break).unwrap_or(one.tokens.len());
    if !one.tokens[at + 1..end].iter().all(stems) || softly(one, two) || softly(two, one) {
        return None;
    }
    let denied = (0..two.tokens.len()).any(|at| two.tokens[at].negates && in_case(&two.tokens, at));
    let even = outside(one) % 2 == outside(two) % 2;
    (even != denied).then(|| {
        let whole = |words: &Analysed| phrase(&words.tokens, 0..=words.tokens.len().saturating_sub(1));
        (whole(claim), whole(best))
    })
}
