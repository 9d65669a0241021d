//! Everyday wording of what notices, manuals and rules say in another register passes, and its changed sister is caught.

mod common;

use assay_domain::report::ClaimStatus;
use common::judge;

/// Claims with their source that are not supported.
fn flagged(rows: &[(&str, &str)]) -> Vec<String> {
    let against = |(text, claim): &(&str, &str)| {
        let judged = judge(text, claim);
        (judged.status != ClaimStatus::Supported)
            .then(|| format!("{claim} | {:?} {:?} {}", judged.status, judged.support, judged.reason))
    };
    rows.iter().filter_map(against).collect()
}

#[track_caller]
fn check(honest: &[(&str, &str)], changed: &[(&str, &str)]) {
    let (falsely, caught) = (flagged(honest), flagged(changed));
    assert!(
        falsely.is_empty() && caught.len() == changed.len(),
        "falsely: {falsely:#?}\ncaught only: {caught:#?}"
    );
}

#[test]
fn forms_of_irregular_spanish_verbs_are_the_same_verb() {
    check(
        &[
            (
                "El socio debe tener un carné para usar el gimnasio.",
                "Tendrás que tener un carné para usarlo: el gimnasio es de los socios.",
            ),
            (
                "Hay que guardar los tornillos en la caja pequeña.",
                "Guárdelos en la caja pequeña: son los tornillos.",
            ),
            (
                "Si viene desde la versión 5, el programa propone instalar primero la 6.",
                "Si vienes desde la versión 5, el programa te propondrá instalar primero la 6.",
            ),
            (
                "El cliente puede devolver el pedido si no lo quiere.",
                "Podréis devolver el pedido si no lo queréis.",
            ),
        ],
        &[
            (
                "Hay que guardar los tornillos en la caja pequeña.",
                "Guárdelos en la caja grande: son los tornillos.",
            ),
            (
                "Si viene desde la versión 5, el programa propone instalar primero la 6.",
                "Si vienes desde la versión 5, el programa te propondrá instalar primero la 7.",
            ),
            (
                "El cliente puede devolver el pedido en la tienda.",
                "No podréis devolver el pedido en la tienda.",
            ),
        ],
    );
}

#[test]
fn everyday_words_stand_for_those_of_notices() {
    check(
        &[
            (
                "Bags larger than 40 cm must be left in the cloakroom.",
                "Luggage larger than 40 cm must be left in the cloakroom.",
            ),
            (
                "Do not clean the motor with a high-pressure washer.",
                "Keep away from the motor with a high-pressure washer when you clean.",
            ),
            (
                "The motor housing must not be opened by the owner.",
                "The motor casing must not be opened by the owner.",
            ),
            ("Grease the chain every 200 km.", "Lubricate the chain every 200 km."),
            (
                "Noise from the brakes usually means that the pads are dirty.",
                "Noisy brakes usually mean that the pads are dirty.",
            ),
            (
                "Entre dos lavados el filtro puede obstruirse con pelusas.",
                "Entre dos lavados el filtro puede atascarse con pelusas.",
            ),
            (
                "La sanción se paga en la caja de la biblioteca.",
                "La multa se abona en la caja de la biblioteca.",
            ),
        ],
        &[
            (
                "Bags larger than 40 cm must be left in the cloakroom.",
                "Luggage larger than 60 cm must be left in the cloakroom.",
            ),
            (
                "The motor housing must not be opened by the owner.",
                "The motor casing may be opened by the owner.",
            ),
            ("Grease the chain every 200 km.", "Lubricate the chain every 500 km."),
            (
                "La sanción se paga en la caja de la biblioteca.",
                "La multa no se abona en la caja de la biblioteca.",
            ),
        ],
    );
}

#[test]
fn words_without_meaning_of_their_own_barely_lower_support() {
    check(
        &[
            (
                "The pool closes at nine; children may not swim alone.",
                "Nobody may swim in the pool after nine, and children may not swim alone anyway.",
            ),
            (
                "Store the battery in a dry place when it is not used.",
                "Store the battery somewhere dry whenever it is not used.",
            ),
        ],
        &[(
            "Store the battery in a dry place when it is not used.",
            "Store the battery somewhere wet whenever it is not used.",
        )],
    );
}
