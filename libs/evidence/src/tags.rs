//! What a token is, as its neighbours make it: a name, a slot, a word that says nothing by itself.

use crate::index::Analysed;
use crate::negators;
use crate::tokens::{Token, TokenKind};

/// Writes into every token what its neighbours make of it.
pub fn tag(tokens: &mut [Token]) {
    for at in 0..tokens.len() {
        let entity = reads_as_entity(tokens, at);
        let negates = negators::reads_as_negator(tokens, at);
        let class = crate::quantifiers::read(tokens, at);
        let token = &mut tokens[at];
        (token.entity, token.negates, token.class) = (entity, negates, class);
    }
}

/// Whether a token is a slot: a figure, a name of code, or a proper name.
pub fn is_slot(tokens: &[Token], at: usize) -> bool {
    let token = &tokens[at];
    token.entity || !matches!(token.kind, TokenKind::Word)
}

/// Capitalised words of answers that name nothing.
pub const NO_NAMES: &[&str] = &[
    "passage",
    "passages",
    "source",
    "sources",
    "step",
    "note",
    "according",
    "based",
    "fuente",
    "pasaje",
    "paso",
    "nota",
    "table",
    "section",
];

/// Whether a token is a proper name: a capital inside a sentence, or several capitals anywhere.
pub fn is_entity(tokens: &[Token], at: usize) -> bool {
    tokens[at].entity
}

/// The same, from the words.
fn reads_as_entity(tokens: &[Token], at: usize) -> bool {
    let token = &tokens[at];
    if !token.capital || token.stop || token.kind != TokenKind::Word || token.norm.chars().count() < 2 {
        return false;
    }
    // "512 MiB".
    let measure =
        at > 0 && matches!(tokens[at - 1].kind, TokenKind::Number(_)) && crate::numbers::names_unit(token);
    let inside = !measure && at > 0 && (!token.opens || (tokens[at - 1].capital && !tokens[at - 1].stop));
    !NO_NAMES.contains(&token.norm.as_str())
        && (inside || !measure && token.text.chars().skip(1).any(char::is_uppercase))
}

/// Whether a token says nothing by itself.
pub fn is_filler(token: &Token) -> bool {
    token.kind == TokenKind::Word && token.is(crate::flags::FILLER)
}

/// Whether a token is the unit of a figure before it.
pub fn is_unit(words: &Analysed, at: usize) -> bool {
    words.quantities.iter().any(|figure| figure.unit.is_some() && figure.first < at && at <= figure.last)
}

/// Whether a word denies, or has an opposite.
pub fn turns(words: &Analysed, at: usize) -> bool {
    negators::is_negator(&words.tokens, at)
        || words.tokens.get(at).is_some_and(|token| !crate::lexicon::opposites(token.stem).is_empty())
}

/// Numbers, from 1, of the passages that a claim names: "passage 2", "(Passages 1 and 3)".
pub fn named_passages(claim: &Analysed) -> Vec<usize> {
    let mut found = Vec::new();
    let mut naming = false;
    for token in &claim.tokens {
        match token.kind {
            TokenKind::Number(value) if naming && (1.0..1e3).contains(&value) && value.fract() == 0.0 => {
                #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
                found.push(value as usize);
            }
            _ if matches!(
                token.norm.as_str(),
                "passage" | "passages" | "source" | "sources" | "pasaje" | "fuente" | "fuentes"
            ) =>
            {
                naming = true;
            }
            _ => naming = naming && token.stop && !found.is_empty(),
        }
    }
    found
}
