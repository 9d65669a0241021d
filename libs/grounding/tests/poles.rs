//! What is said of one end where the source says it of the other: opposites of the same thing however the rest is worded,
//! rows told from the other end, moments before and after, and which of two things holds.

mod common;

use common::{contradicted as caught, left_alone};

const ENGLISH: &str = "The feed of the parish holds the newest 20 notices.\n\
The glacier moves one metre towards the village every winter.\nParcels are sorted from heaviest to lightest.\n\
The lamp is switched on 5 minutes after the start of the lecture.\nThe yeast is added at the end.\n\
A setting of the tenant and one of the landlord may differ; the landlord's setting wins.\n\
Bills of exchange were moved from the vault to the counter.\n\
The ferry takes bicycles instead of cars on Mondays.\nOak boards are darker than pine boards.\n\
Kites are folded before they are packed.";

const SPANISH: &str = "La verja se abre 10 minutos antes de la función.\n\
La versión nueva cambió las fichas de cartón por monedas de metal.\nLas cartas se reparten de la más antigua a la más nueva.";

#[test]
fn the_other_pole_of_the_same_thing() {
    caught(ENGLISH, "Only the 20 oldest notices make it into the parish feed.", "opposite");
    left_alone(ENGLISH, "The 20 newest notices make it into the parish feed.");
}

#[test]
fn a_row_from_the_other_end() {
    caught(ENGLISH, "The lightest parcels come first.", "direction");
    left_alone(ENGLISH, "The heaviest parcels come first.");
    caught(SPANISH, "El reparto de las cartas empieza por la más nueva.", "direction");
    left_alone(SPANISH, "El reparto de las cartas empieza por la más antigua.");
}

#[test]
fn before_what_it_comes_after() {
    caught(ENGLISH, "Five minutes before the lecture's start somebody switches the lamp on.", "order");
    left_alone(ENGLISH, "Five minutes after the lecture's start somebody switches the lamp on.");
    caught(SPANISH, "Diez minutos después de la función se abre la verja.", "opposite");
    left_alone(SPANISH, "Diez minutos antes de la función se abre la verja.");
    caught(ENGLISH, "Yeast goes in first.", "order");
    left_alone(ENGLISH, "Yeast goes in last.");
    caught(ENGLISH, "First a kite is packed, then it is folded.", "order");
    left_alone(ENGLISH, "First a kite is folded, then it is packed.");
}

#[test]
fn which_of_two_holds() {
    caught(ENGLISH, "The tenant's setting overrides that of the landlord.", "direction");
    left_alone(ENGLISH, "The landlord's setting overrides that of the tenant.");
    caught(
        ENGLISH,
        "On Mondays the ferry has given up bicycles: it takes cars instead of bicycles.",
        "direction",
    );
    caught(
        ENGLISH,
        "Bills of exchange are kept in the vault; before, they were at the counter.",
        "direction",
    );
    left_alone(ENGLISH, "Bills of exchange are kept at the counter; before, they were in the vault.");
    caught(SPANISH, "Con la versión nueva se pasó de monedas de metal a fichas de cartón.", "direction");
    left_alone(SPANISH, "Con la versión nueva se pasó de fichas de cartón a monedas de metal.");
}

#[test]
fn a_comparison_by_the_opposite() {
    caught(ENGLISH, "Oak boards are lighter than pine boards.", "opposite");
    left_alone(ENGLISH, "Pine boards are lighter than oak boards.");
}

#[test]
fn more_of_one_thing_makes_less_of_another() {
    let text = "A shorter interval makes the recovery faster. A higher value of the filter reduces noise.";
    caught(text, "Lengthening the interval speeds up the recovery.", "direction");
    caught(text, "Raising the filter brings more noise.", "direction");
    left_alone(text, "Shortening the interval speeds up the recovery.");
    left_alone(text, "Raising the value of the filter brings less noise.");
}

#[test]
fn a_row_by_default_is_no_row_with_an_option() {
    let text = "By default results are sorted from newest to oldest. Use `asc` to list the oldest first.";
    left_alone(text, "With `asc` the newest results come last.");
    left_alone(text, "Unless `asc` is used, the newest results come first.");
    let plain = "By default results are sorted from newest to oldest.";
    caught(plain, "By default the oldest results come first.", "direction");
    caught(plain, "The oldest results come first.", "direction");
}
