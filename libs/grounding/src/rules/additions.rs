//! Figures, names and proper names that neither the sources nor the question hold.

use super::figures::{is_conversion, is_reference};
use super::insertion::unheard;
use super::names::{acronym, known_name};
use super::{Case, Mismatch, Strength, is_entity, phrase};
use crate::index::Analysed;
use crate::numbers::Quantity;
use crate::tokens::{Token, TokenKind};

/// Figures, names and proper names that neither the scope nor the question holds.
pub(super) fn additions(case: &Case<'_>) -> Vec<Mismatch> {
    let mut found = Vec::new();
    let claim = case.claim;
    let asked = |stem: u64| case.question.is_some_and(|question| question.holds(stem));
    let add = |rule: &'static str, text: &str| Mismatch {
        strength: Strength::Added,
        rule,
        reason: format!("{rule}: no source holds \"{text}\""),
        sure: false,
    };
    for figure in claim.quantities.iter().filter(|figure| {
        // "According to document 1": figures of references weigh nothing.
        let refers = claim.weights.get(figure.first).is_some_and(|weight| *weight <= 0.0)
            && matches!(claim.tokens[figure.first].kind, TokenKind::Number(_));
        !refers && !figure.soft && !is_reference(&claim.tokens, figure) && !is_conversion(claim, figure)
    }) {
        let stem = crate::numbers::hash(figure.value);
        if asked(stem) || (figure.unit.is_none() && case.scope.has(case.index, stem)) {
            continue;
        }
        if is_about(claim, figure.first) && near_figure(case, figure) {
            continue;
        }
        let held = case.scope.has_figure(case.index, figure.value, |other| other.equals(figure));
        if !held && !super::derived::derived(case, figure) {
            found.push(add("number", &phrase(&claim.tokens, figure.first..=figure.last)));
        }
    }
    // A word of inline code is a name too.
    let coded = |token: &Token| {
        token.code
            && token.kind == TokenKind::Word
            && token.norm.len() > 2
            && token.norm.chars().all(char::is_alphabetic)
    };
    for token in claim.tokens.iter().filter(|token| token.named() || coded(token)) {
        if !known_name(case, token) {
            let rule = if token.kind == TokenKind::Path { "path" } else { "identifier" };
            found.push(add(rule, &token.text));
        }
    }
    for at in (0..claim.tokens.len()).filter(|at| is_entity(&claim.tokens, *at)) {
        let token = &claim.tokens[at];
        let prefix_held = case.scope.begins(case.index, token.prefix);
        let initials = case.evidence.iter().any(|sentence| acronym(token, sentence));
        if !asked(token.stem) && !prefix_held && !initials && !case.scope.has(case.index, token.stem) {
            found.push(add("entity", &token.text));
        }
    }
    found
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

/// A figure whose value the sources hold in another unit of the same kind, and in no equal one.
pub(super) fn units(case: &Case<'_>, shared: f64, found: &mut Vec<Mismatch>) {
    if shared < 0.5 || found.iter().any(|mismatch| mismatch.rule == "number") {
        return;
    }
    let claim = case.claim;
    for figure in
        claim.quantities.iter().filter(|figure| figure.unit.is_some() && !is_conversion(claim, figure))
    {
        let (mut equal, mut other_unit) = (false, None);
        let places = case.index.places(crate::numbers::hash(figure.value));
        for place in places.iter().take(PLACES) {
            let sentence = usize::try_from(*place).ok().and_then(|place| case.index.sentences.get(place));
            let Some(sentence) = sentence.filter(|sentence| case.scope.holds(sentence)) else { continue };
            for other in &sentence.words.quantities {
                equal |= other.unit.is_some() && other.equals(figure);
                let near = case.evidence.iter().any(|words| std::ptr::eq(*words, &sentence.words));
                if near
                    && figure.comparable(other)
                    && (other.value - figure.value).abs() < 1e-9
                    && !other.equals(figure)
                {
                    other_unit = Some((sentence, other));
                }
            }
        }
        if let (false, Some((sentence, other))) = (equal, other_unit) {
            let converted = case
                .scope
                .has_figure(case.index, figure.value, |other| other.unit.is_some() && other.equals(figure));
            if !converted {
                found.push(super::contradiction(
                    "number",
                    &phrase(&claim.tokens, figure.first..=figure.last),
                    &phrase(&sentence.words.tokens, other.first..=other.last),
                ));
                return;
            }
        }
    }
}

/// Sentences that are asked for the same value.
const PLACES: usize = 24;

/// A clause of a claim, with content that no source holds, behind or before one that a sentence holds.
pub(super) fn clauses(case: &Case<'_>, found: &mut Vec<Mismatch>) {
    let claim = case.claim;
    let parts = super::parts(claim);
    let open: Vec<(f64, f64, usize)> = parts
        .iter()
        .map(|range| {
            let (mut mass, mut open, mut words) = (0.0, 0.0, 0);
            for at in range.clone().filter(|at| claim.weights[*at] > 0.0) {
                mass += claim.weights[at];
                if unheard(case, at) {
                    open += claim.weights[at];
                    words += 1;
                }
            }
            (mass, open, words)
        })
        .collect();
    let covered = open.iter().any(|(mass, open, _)| *mass > 0.0 && open / mass <= COVERED);
    let Some(worst) =
        open.iter().position(|(mass, open, words)| *words >= 2 && open / mass >= OPEN && *open >= HEAVY)
    else {
        return;
    };
    if covered {
        let range = parts[worst].clone();
        let text = phrase(&claim.tokens, range.start..=range.end - 1);
        found.push(Mismatch {
            strength: Strength::Added,
            rule: "addition",
            reason: format!("addition: no source says anything of \"{text}\""),
            sure: false,
        });
    }
}

/// Greatest uncovered share of the clause that stands.
const COVERED: f64 = 0.2;
/// Least uncovered share, and weight, of the clause that was added.
const OPEN: f64 = 0.5;
const HEAVY: f64 = 8.0;
