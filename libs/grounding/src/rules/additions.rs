//! Figures, names and proper names that neither the sources nor the question hold.

use super::figures::{is_conversion, is_reference};
use super::names::{acronym, known_name};
use super::{Case, Mismatch, Strength, is_entity, phrase};
use crate::tokens::TokenKind;

/// Figures, names and proper names that neither the scope nor the question holds.
pub(super) fn additions(case: &Case<'_>) -> Vec<Mismatch> {
    let mut found = Vec::new();
    let claim = case.claim;
    let asked = |stem: u64| case.question.is_some_and(|question| question.holds(stem));
    let add = |rule: &'static str, text: &str| Mismatch {
        strength: Strength::Added,
        rule,
        reason: format!("{rule}: no source holds \"{text}\""),
    };
    for figure in claim.quantities.iter().filter(|figure| {
        !figure.soft && !is_reference(&claim.tokens, figure) && !is_conversion(claim, figure)
    }) {
        let stem = crate::numbers::hash(figure.value);
        if asked(stem) || case.scope.has(case.index, stem) {
            continue;
        }
        let held = case.scope.any(
            case.index,
            |passage| {
                case.index.sentences[passage.sentences.clone()]
                    .iter()
                    .any(|s| s.words.quantities.iter().any(|other| other.equals(figure)))
            },
            |sentence| sentence.words.quantities.iter().any(|other| other.equals(figure)),
        );
        if !held {
            found.push(add("number", &phrase(&claim.tokens, figure.first..=figure.last)));
        }
    }
    for token in claim.tokens.iter().filter(|token| token.named()) {
        if !known_name(case, token) {
            let rule = if token.kind == TokenKind::Path { "path" } else { "identifier" };
            found.push(add(rule, &token.text));
        }
    }
    for at in (0..claim.tokens.len()).filter(|at| is_entity(&claim.tokens, *at)) {
        let token = &claim.tokens[at];
        let prefix_held = case.scope.any(
            case.index,
            |passage| passage.prefixes.contains(&token.prefix),
            |sentence| sentence.words.tokens.iter().any(|other| other.prefix == token.prefix),
        );
        let initials = case.evidence.iter().any(|sentence| acronym(token, sentence));
        if !asked(token.stem) && !prefix_held && !initials && !case.scope.has(case.index, token.stem) {
            found.push(add("entity", &token.text));
        }
    }
    found
}
