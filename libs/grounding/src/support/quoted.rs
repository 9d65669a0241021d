//! Whether a source says the words of a claim one after the other, and says them as its own: what stands behind a denial or
//! a condition ("do not …", "it is not true that …", "if …") is not said.

use crate::flags;
use crate::index::{Analysed, Passage, SourceIndex};
use crate::select::Scope;
use crate::tokens::Token;

/// Tokens behind a denial that it reaches.
const REACH: usize = 4;
/// Tokens of a clause that are looked at before the words.
const CLAUSE: usize = 12;

/// How the words of a claim stand in a scope.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Quoted {
    /// Nowhere one after the other.
    No,
    /// Only behind a denial or a condition.
    Denied,
    /// Said.
    Said,
}

/// How the claim's words stand in the scope one after the other.
pub(super) fn quoted(claim: &Analysed, index: &SourceIndex, scope: &Scope) -> Quoted {
    let mut best = Quoted::No;
    if claim.tokens.is_empty() {
        return best;
    }
    for passage in scope.sources().filter_map(|source| index.passages.get(source)) {
        match in_passage(claim, index, scope, passage) {
            Quoted::Said => return Quoted::Said,
            Quoted::Denied => best = Quoted::Denied,
            Quoted::No => {}
        }
    }
    best
}

fn in_passage(claim: &Analysed, index: &SourceIndex, scope: &Scope, passage: &Passage) -> Quoted {
    if !passage.quotes(claim) {
        return Quoted::No;
    }
    let mut found = Quoted::No;
    for place in passage.flat_places(&claim.flat) {
        let Some((own, start, last)) = index.sentences_at(passage, place, claim.flat.len()) else { continue };
        if !(scope.holds(own) && scope.holds(last)) {
            continue;
        }
        let before = &own.words.flat[..=place - start];
        if cuts_a_unit(claim, &own.words.tokens, before) {
            continue;
        }
        if !behind_denial(&own.words.tokens, before) {
            return Quoted::Said;
        }
        found = Quoted::Denied;
    }
    found
}

/// Whether a claim ends within the unit of a figure: with the "50 metros" of "50 metros cuadrados".
fn cuts_a_unit(claim: &Analysed, tokens: &[Token], before: &str) -> bool {
    let ends = claim.quantities.last().is_some_and(|figure| figure.last + 1 == claim.tokens.len());
    let behind = || before.split_whitespace().count() + claim.tokens.len();
    ends && tokens.get(behind()).is_some_and(|next| !next.after_break && crate::numbers::raises(&next.norm))
}

/// Whether words of a sentence that stand behind others of it, `before` with a space at each end, are denied or supposed.
fn behind_denial(tokens: &[Token], before: &str) -> bool {
    let at = before.split_whitespace().count().min(tokens.len());
    if at == 0 || tokens.get(at).is_none_or(|first| first.after_break) {
        return false;
    }
    let norm = |at: usize| tokens[at].norm.as_str();
    if supposes(&tokens[at - 1]) || (at >= 2 && supposed_that(norm(at - 2), norm(at - 1))) {
        return true;
    }
    // "It is not true that", "nobody knows whether": the denial reaches over its whole clause.
    let reach = if matches!(norm(at - 1), "that" | "que" | "whether") { CLAUSE } else { REACH };
    let mut place = at;
    for _ in 0..reach {
        place -= 1;
        if joins(norm(place)) {
            return false;
        }
        if tokens[place].negates || (place + 1 == at && tokens[place].is(flags::DENIES)) {
            return true;
        }
        if place == 0 || tokens[place].after_break {
            return false;
        }
    }
    false
}

/// Words behind which something is supposed and not said.
fn supposes(token: &Token) -> bool {
    match token.norm.as_str() {
        "if" | "unless" | "whether" => true,
        // "Sí" is folded to the same letters.
        "si" => !token.text.to_lowercase().contains('í'),
        _ => false,
    }
}

/// Two words behind which something is supposed, or called wrong: "salvo que", "provided that", "a myth that".
fn supposed_that(one: &str, two: &str) -> bool {
    matches!(two, "that" | "que")
        && matches!(
            one,
            "provided"
                | "false"
                | "untrue"
                | "wrong"
                | "incorrect"
                | "myth"
                | "falso"
                | "incorrecto"
                | "mito"
                | "mentira"
                | "salvo"
                | "excepto"
                | "menos"
                | "siempre"
        )
}

/// Words behind which a new statement begins, which a denial before them does not reach.
fn joins(word: &str) -> bool {
    matches!(
        word,
        "and"
            | "but"
            | "because"
            | "so"
            | "since"
            | "while"
            | "whereas"
            | "although"
            | "y"
            | "e"
            | "pero"
            | "sino"
            | "porque"
            | "pues"
            | "aunque"
            | "mientras"
    )
}
