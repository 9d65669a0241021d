//! Figures, names and proper names that neither the sources nor the question hold.

use super::case::phrase;
use super::figures::{is_conversion, is_reference, reckoned};
use super::names::{acronym, known_name};
use super::{Case, Finding, Kind, Rule};
use crate::index::Analysed;
use crate::numbers::Quantity;
use crate::tags::is_entity;
use crate::tokens::{Token, TokenKind};

/// A figure or a name that no source holds.
pub(super) struct Unheld;

impl Rule for Unheld {
    fn name(&self) -> &'static str {
        "unheld"
    }

    fn judge(&self, case: &Case<'_>) -> Vec<Finding> {
        if case.part {
            return Vec::new();
        }
        let mut found = figures(case);
        let tokens = &case.claim.tokens;
        let names = tokens.iter().filter(|token| (token.named() || coded(token)) && !known_name(case, token));
        found.extend(names.map(|token| {
            let kind = if token.kind == TokenKind::Path { Kind::Path } else { Kind::Identifier };
            Finding::unheld(kind, &token.text)
        }));
        let entities =
            (0..tokens.len()).filter(|at| is_entity(tokens, *at) && !known_entity(case, &tokens[*at]));
        found.extend(entities.map(|at| Finding::unheld(Kind::Entity, &tokens[at].text)));
        found
    }
}

/// A word of inline code is a name too.
fn coded(token: &Token) -> bool {
    token.code
        && token.kind == TokenKind::Word
        && token.norm.len() > 2
        && token.norm.chars().all(char::is_alphabetic)
}

fn figures(case: &Case<'_>) -> Vec<Finding> {
    let claim = case.claim;
    let missing = |figure: &&Quantity| {
        // "According to document 1": figures of references weigh nothing.
        let refers = claim.weights.get(figure.first).is_some_and(|weight| *weight <= 0.0)
            && matches!(claim.tokens[figure.first].kind, TokenKind::Number(_));
        let stem = crate::numbers::hash(figure.value);
        let counts_nothing =
            refers || figure.soft || is_reference(&claim.tokens, figure) || is_conversion(claim, figure);
        let known = case.asked(stem)
            || figure.unit.is_none() && case.scope.has(case.index, stem)
            || is_about(claim, figure.first) && near_figure(case, figure);
        let held = || case.scope.has_figure(case.index, figure.value, |other| other.equals(figure));
        !(counts_nothing || known || held() || reckoned(case, figure))
    };
    let figures = claim.quantities.iter().filter(missing);
    figures
        .map(|figure| Finding::unheld(Kind::Number, &phrase(&claim.tokens, figure.first..=figure.last)))
        .collect()
}

/// Whether the question or the sources have a proper name, another form of it, or what it stands for.
fn known_entity(case: &Case<'_>, token: &Token) -> bool {
    case.asked(token.stem)
        || case.scope.begins(case.index, token.prefix)
        || case.evidence.iter().any(|sentence| acronym(token, sentence))
        || case.scope.has(case.index, token.stem)
}

/// Whether a figure is given as about right: "about 11 kg", "algo más de 11 kg", "11 kg or so".
pub(super) fn is_about(claim: &Analysed, first: usize) -> bool {
    let behind = claim.tokens[first..].iter().skip(1).take(6).take_while(|token| !token.after_break);
    let named =
        |token: &Token| matches!(token.norm.as_str(), "thereabouts" | "so" | "approx" | "aproximadamente");
    if behind.into_iter().any(named) {
        return true;
    }
    claim.tokens[..first].iter().rev().take(4).take_while(|token| !token.after_break).any(|token| {
        matches!(
            token.norm.as_str(),
            "about"
                | "around"
                | "approximately"
                | "roughly"
                | "nearly"
                | "almost"
                | "little"
                | "circa"
                | "some"
                | "slightly"
                | "just"
                | "alrededor"
                | "aproximadamente"
                | "unos"
                | "unas"
                | "casi"
                | "algo"
                | "cerca"
        )
    })
}

/// Whether some sentence of the evidence has a figure of the same kind within a tenth.
pub(super) fn near_figure(case: &Case<'_>, figure: &Quantity) -> bool {
    let base = |quantity: &Quantity| quantity.value * quantity.unit.map_or(1.0, |(_, factor)| factor);
    let own = base(figure);
    let near = |other: &Quantity| {
        (figure.comparable(other) || figure.unit.is_none() == other.unit.is_none())
            && ((base(other) - own).abs() <= 0.1 * own.abs()
                || other.grouped.is_some_and(|value| {
                    let grouped = Quantity { value, ..other.clone() };
                    (base(&grouped) - own).abs() <= 0.1 * own.abs()
                }))
    };
    case.evidence.iter().flat_map(|sentence| &sentence.quantities).any(near)
        // "About four hours" where the source says "3 hours and 40 minutes".
        || case.evidence.iter().any(|words| words.forms().iter().any(near))
}
