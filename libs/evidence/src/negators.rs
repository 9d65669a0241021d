//! Negation words, and the tokens that each one negates.

use crate::flags;
use crate::tokens::Token;

/// Whether a token denies what follows it; "not only" and "no more than" do not.
pub fn is_negator(tokens: &[Token], at: usize) -> bool {
    tokens[at].negates
}

/// The same, from the words.
pub fn reads_as_negator(tokens: &[Token], at: usize) -> bool {
    let token = &tokens[at];
    if !token.is(flags::DENIES) {
        return false;
    }
    let next = tokens.get(at + 1).map_or("", |token| token.norm.as_str());
    let counts = matches!(next, "more" | "less" | "later" | "fewer" | "mas" | "menos")
        || (next == "matter" && token.norm == "no");
    // "never more than five" counts, "never more careful" denies.
    let behind = tokens.get(at + 2).map_or("", |token| token.norm.as_str());
    let never = matches!(token.norm.as_str(), "never" | "nunca") && !matches!(behind, "than" | "de");
    // "No hay más de ocho" counts as well.
    let bounds = token.norm == "no"
        && (at + 2..at + 4).any(|more| {
            let word = |at: usize| tokens.get(at).map_or("", |token| token.norm.as_str());
            matches!((word(more), word(more + 1)), ("mas" | "menos", "de"))
        });
    // "With or without food" denies nothing.
    let either = at >= 2
        && matches!(token.norm.as_str(), "without" | "sin")
        && matches!(tokens[at - 1].norm.as_str(), "or" | "o" | "and" | "y")
        && matches!(tokens[at - 2].norm.as_str(), "with" | "con");
    // "Nothing but the logs" are the logs, and "no one but the owner" is the owner.
    let but = matches!(next, "but" | "except")
        && matches!(token.norm.as_str(), "nothing" | "none" | "cannot" | "no" | "not")
        || next == "one" && token.norm == "no" && matches!(behind, "but" | "except");
    // "No contiene más que los registros" are the registers.
    let only = token.norm == "no"
        && tokens[at + 1..].windows(2).take(3).any(|two| {
            !two[0].after_break && two[0].norm == "mas" && !two[1].after_break && two[1].norm == "que"
        });
    // "Must not exceed 250 bytes" bounds them.
    let exceed =
        (at + 1..tokens.len().min(at + 4)).take_while(|next| !tokens[*next].after_break).any(|next| {
            crate::numbers::passes(&tokens[next].norm)
                && tokens[next + 1..].iter().take(2).any(|figure| {
                    figure.is(flags::COUNTS) && !matches!(figure.norm.as_str(), "a" | "an" | "un" | "una")
                })
        });
    let softened = bounds
        || exceed
        || either
        || but
        || only
        || matches!(next, "only" | "solo")
        || (counts && !never)
        || crate::numbers::bounds_by_denying(tokens, at);
    // "No se abren nunca" denies once.
    let twice = token.norm == "no"
        && tokens[at + 1..].iter().take(7).take_while(|next| !next.after_break).any(|next| {
            matches!(
                next.norm.as_str(),
                "nunca" | "nada" | "nadie" | "ningun" | "ninguna" | "ninguno" | "jamas" | "tampoco"
            )
        });
    // "Neither A nor B", "no se prestan A ni B" deny once; "…, nor is B" denies anew.
    let goes_on = matches!(token.norm.as_str(), "ni" | "nor")
        && !token.after_break
        && tokens[at.saturating_sub(12)..at].iter().any(|before| before.is(flags::DENIES));
    !softened && !twice && !goes_on
}

/// Whether a content token stands in the reach of a negator: up to four tokens behind it in the same clause.
pub fn negated(tokens: &[Token], at: usize) -> bool {
    let mut seen = at;
    for _ in 0..5 {
        if tokens[seen].after_break || seen == 0 {
            return false;
        }
        seen -= 1;
        if tokens[seen].norm == "but" || tokens[seen].norm == "pero" {
            return false;
        }
        if is_negator(tokens, seen) {
            return true;
        }
    }
    false
}

/// Words that a denial goes over: "no longer", "at no time", "en ningún momento".
fn idle(word: &str) -> bool {
    matches!(
        word,
        "longer"
            | "time"
            | "case"
            | "circumstances"
            | "way"
            | "means"
            | "requiring"
            | "needing"
            | "having"
            | "need"
            | "necesidad"
            | "requerir"
            | "necesitar"
            | "tener"
            | "point"
            | "momento"
            | "caso"
            | "modo"
            | "manera"
    )
}

/// The first content token behind a negator, in reach.
pub fn denied(tokens: &[Token], at: usize) -> Option<usize> {
    let behind = (at + 1..tokens.len().min(at + 6))
        .take_while(|next| !tokens[*next].after_break)
        .find(|next| tokens[*next].content() && !idle(&tokens[*next].norm));
    // "changes nothing": what it denies stands before it.
    let object = matches!(tokens[at].norm.as_str(), "nothing" | "nobody" | "none" | "nada" | "nadie");
    // "if nobody can be reached": what it denies stands behind it.
    let subject = at == 0
        || matches!(
            tokens[at - 1].norm.as_str(),
            "if" | "when" | "that" | "because" | "si" | "cuando" | "que"
        )
        || tokens[at].after_break;
    let object = object && !subject;
    if object { (at.saturating_sub(3)..at).rev().find(|before| tokens[*before].content()) } else { behind }
}
