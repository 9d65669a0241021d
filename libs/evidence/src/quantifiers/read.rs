//! Reads the class of a word, which may be the first of several.

use super::class::Quantifier;
use crate::tokens::{Token, TokenKind};

/// Words that soften what stands before "any": "hardly any".
const HARDLY: &[&str] = &["hardly", "scarcely", "barely", "apenas"];

/// Class of the word at a place, which may be the first of several: "at most", "up to", "has to".
pub fn class(tokens: &[Token], at: usize) -> Option<Quantifier> {
    tokens.get(at)?.class
}

/// The class, from the words.
pub fn read(tokens: &[Token], at: usize) -> Option<Quantifier> {
    tokens.get(at).filter(|token| token.is(crate::flags::BOUNDS) && !token.code)?;
    look(tokens, at)
}

/// The same, whatever is known of the word.
pub(super) fn look(tokens: &[Token], at: usize) -> Option<Quantifier> {
    use Quantifier::{
        About, All, Also, Any, AtLeast, AtMost, Exactly, Few, Many, May, Most, Must, Only, Should,
    };
    let token = tokens.get(at).filter(|token| token.kind == TokenKind::Word)?;
    let named = |at: Option<usize>| at.and_then(|at| tokens.get(at)).map_or("", |token| token.norm.as_str());
    let (word, next) = (token.phrase.unwrap_or(&token.norm), named(at.checked_add(1)));
    let before = if token.after_break { "" } else { named(at.checked_sub(1)) };
    let counted = || (at + 1..at + 4).any(|next| tokens.get(next).is_some_and(numeric));
    // "No hay más de ocho": the denial may stand some words before what it turns round.
    let apart = || {
        let no = |back: usize| at.checked_sub(back).is_some_and(|at| tokens[at].norm == "no");
        matches!(word, "mas" | "menos") && (2..4).any(no)
    };
    let denied = matches!(before, "not" | "no" | "never" | "nunca") || before.ends_with("n't") || apart();
    // "Must not be more than five" as well as "not more than five".
    let be = || before == "be" && at.checked_sub(2).is_some_and(|at| tokens[at].is(crate::flags::DENIES));
    Some(match (word, next) {
        ("at" | "como", "most" | "maximo" | "mucho") => AtMost,
        ("up", "to") if counted() => AtMost,
        ("at" | "al" | "por", "least" | "menos") | ("como", "minimo" | "poco") => AtLeast,
        ("por", "debajo") if (at + 2..at + 5).any(|next| tokens.get(next).is_some_and(numeric)) => AtMost,
        ("more" | "greater" | "longer" | "larger", "than") | ("mas", "de") if counted() => {
            if denied || be() {
                AtMost
            } else {
                AtLeast
            }
        }
        ("less" | "fewer" | "smaller" | "shorter", "than") | ("menos", "de") if counted() => {
            if denied || be() { AtLeast } else { AtMost }
        }
        ("over" | "above" | "exceeding", _) if tokens.get(at + 1).is_some_and(numeric) => AtLeast,
        ("under" | "below" | "hasta", _) if tokens.get(at + 1).is_some_and(numeric) => AtMost,
        ("por", "lo") if named(at.checked_add(2)) == "menos" => AtLeast,
        ("a", "lo") if named(at.checked_add(2)) == "sumo" => AtMost,
        ("exactly" | "precisely" | "exactamente", _) => Exactly,
        ("about" | "approximately" | "roughly" | "around" | "aproximadamente" | "unos" | "unas", _)
            if counted() =>
        {
            About
        }
        // "Nothing but the logs", "no más que los registros": these alone.
        ("nothing" | "none" | "nobody", "but" | "except") => Only,
        ("mas", "que") if apart() && !counted() => Only,
        ("has" | "have" | "had" | "needs" | "need", "to") | ("tiene" | "tienen" | "hay", "que") => Must,
        ("all", _) if before == "at" => return None,
        // "All but the first" and "todos menos uno" are not all.
        (
            "all" | "everyone" | "everybody" | "everything" | "todo" | "todos" | "todas",
            "but" | "menos" | "except" | "salvo" | "excepto",
        ) => {
            return None;
        }
        // "Every second use" leaves out the others; "every second day" says how often, and "each other" is "one another".
        ("every" | "each", "second" | "other" | "third" | "fourth") if skips(tokens, at + 2) => {
            Quantifier::Some
        }
        ("every" | "each", "second" | "other" | "third" | "fourth") => return None,
        // "Some thirty rows" are about thirty.
        ("some", _) if tokens.get(at + 1).is_some_and(numeric) => About,
        ("all" | "every" | "always" | "todos" | "todas" | "siempre", _) if denied => Quantifier::Some,
        (
            "all" | "every" | "each" | "always" | "both" | "everyone" | "everybody" | "everything"
            | "everywhere" | "entire" | "constantly" | "continuously" | "constantemente" | "continuamente"
            | "todo" | "toda" | "todos" | "todas" | "cada" | "siempre" | "ambos" | "ambas",
            _,
        ) => All,
        ("any" | "anyone" | "anybody" | "anything", _) if HARDLY.contains(&before) || denied => return None,
        ("any" | "anyone" | "anybody" | "anything" | "whichever" | "cualquier" | "cualquiera", _) => Any,
        // "at most" and "the most common" count nothing.
        ("most", _) if before == "at" || (before == "the" && next != "of") => return None,
        (
            "most" | "usually" | "mostly" | "typically" | "generally" | "normally" | "majority" | "mayoria"
            | "normalmente" | "generalmente" | "habitualmente" | "suele" | "suelen",
            _,
        ) => Most,
        (
            "many" | "numerous" | "often" | "frequently" | "muchos" | "muchas" | "menudo" | "frecuentemente",
            _,
        ) => {
            if matches!(before, "how" | "less" | "more" | "menos" | "mas") {
                return None;
            }
            Many
        }
        ("few", _) if before == "a" => Quantifier::Some,
        (
            "few" | "rare" | "rarely" | "seldom" | "hardly" | "scarcely" | "barely" | "pocos" | "pocas"
            | "rara" | "raramente" | "apenas",
            _,
        ) => Few,
        (
            "some" | "sometimes" | "occasionally" | "several" | "algunos" | "algunas" | "algun" | "alguna"
            | "varios" | "varias" | "ocasionalmente",
            _,
        ) => Quantifier::Some,
        ("veces", _) if before == "a" => Quantifier::Some,
        (
            "never" | "none" | "nobody" | "nothing" | "neither" | "nunca" | "jamas" | "ningun" | "ninguna"
            | "ninguno",
            _,
        ) => Quantifier::None,
        ("only" | "solo" | "solamente", _) if denied => Also,
        ("also" | "additionally" | "tambien" | "ademas", _) => Also,
        ("only" | "solely" | "exclusively" | "solo" | "solamente" | "unicamente" | "exclusivamente", _) => {
            Only
        }
        (
            "must" | "shall" | "required" | "mandatory" | "compulsory" | "requires" | "debe" | "deben"
            | "obligatorio" | "obligatoria" | "obligatorios" | "obligatorias" | "imprescindible",
            _,
        ) => Must,
        (
            "should" | "recommended" | "ought" | "advisable" | "deberia" | "deberian" | "recomienda"
            | "recomendado" | "recomendable" | "aconseja" | "aconsejable" | "conviene",
            _,
        ) => Should,
        ("can" | "may" | "might" | "could" | "optional" | "optionally" | "possibly" | "perhaps", _) => May,
        ("puede" | "pueden" | "podria" | "podrian" | "opcional" | "opcionalmente", _) => May,
        _ => return None,
    })
}

/// Whether "every second" before a token leaves out things, and does not say how often.
fn skips(tokens: &[Token], at: usize) -> bool {
    tokens.get(at).is_some_and(|next| {
        !next.after_break
            && next.content()
            && next.kind == TokenKind::Word
            && !matches!(
                next.norm.as_str(),
                "minute" | "hour" | "day" | "night" | "week" | "weekend" | "month" | "year" | "time"
            )
    })
}

/// Whether a token is a figure, in digits or spelled out.
fn numeric(token: &Token) -> bool {
    matches!(token.kind, TokenKind::Number(_)) || crate::numbers::is_word(&token.norm)
}

/// All classes of a sentence, with the place of their first word.
pub fn classes(tokens: &[Token]) -> Vec<(usize, Quantifier)> {
    (0..tokens.len()).filter_map(|at| class(tokens, at).map(|class| (at, class))).collect()
}
