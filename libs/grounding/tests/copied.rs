//! One place where a claim differs from a sentence that it repeats on both sides of it: what decides there, and what does not.

mod common;

use assay_domain::report::ClaimStatus;
use common::{judge, left_alone};

const ENGLISH: &str = "Statistics are reset at every restart of the collector.\n\
Tablets may be divided but must not be crushed with the teeth.\n\
The role `monitor` may read all views of the database but no tables.\nThe cache is filled by a query that runs at night.\n\
The stock simmers for four hours and the foam is removed with a spoon.\nSalt is added at the end of the day.\n\
The log is written only when the flag `--log` is given.\nThe shelf in the hall belongs to the guests.\n\
In the yard the dogs are kept on a lead; the animals sleep indoors.";

const SPANISH: &str = "Tras tres claves erróneas la tarjeta del cliente se bloquea.\nEl límite diario se cambia en la aplicación.\n\
Sin contraseña los datos de la copia no se pueden recuperar.";

#[track_caller]
fn caught(text: &str, claim: &str, rule: &str) {
    let judged = judge(text, claim);
    assert!(judged.reason.starts_with(rule), "{claim}: {:?} {}", judged.status, judged.reason);
}

#[test]
fn a_denial_that_comes_or_goes_in_a_copy_decides() {
    caught(ENGLISH, "Tablets may be divided but must be crushed with the teeth.", "negation");
    caught(ENGLISH, "The stock simmers for four hours and the foam is not removed with a spoon.", "negation");
    left_alone(ENGLISH, "Tablets may be divided but they must not be crushed with the teeth.");
}

#[test]
fn another_force_in_a_copy_decides() {
    caught(
        ENGLISH,
        "The role `monitor` will always read all views of the database but no tables.",
        "quantifier",
    );
    caught(ENGLISH, "The log is written even when the flag `--log` is given.", "quantifier");
    caught(SPANISH, "Sin contraseña los datos de la copia no se tienen que recuperar.", "quantifier");
    left_alone(ENGLISH, "The role `monitor` can read all views of the database but no tables.");
    left_alone(ENGLISH, "The log is written only if the flag `--log` is given.");
}

#[test]
fn noun_swapped_in_from_another_sentence_contradicts() {
    caught(ENGLISH, "Statistics are reset at every cache of the collector.", "exchange");
    caught(SPANISH, "Tras tres claves erróneas la aplicación del cliente se bloquea.", "exchange");
    // Also where the copy of one sentence is joined to that of another.
    caught(
        ENGLISH,
        "Salt is added at the end of the day, and statistics are reset at every cache of the collector.",
        "exchange",
    );
    left_alone(ENGLISH, "Statistics are reset at each restart of the collector.");
    left_alone(
        ENGLISH,
        "Salt is added at the end of the day, and statistics are reset at every restart of the collector.",
    );
}

#[test]
fn word_repeated_by_the_claim_has_not_moved() {
    let text = "The proposal of the project is due in week five, the report of the project in week twelve of the term.\n\
                The exam is held in the large hall.\nDraw a line down the centre of the face and see that the sides of the face are even.";
    // Both texts still have the word that was exchanged.
    caught(
        text,
        "The proposal of the project is due in week five, the report of the exam in week twelve of the term.",
        "exchange",
    );
    // The word put in stands in the sentence already.
    caught(
        text,
        "Draw a line down the centre of the face and see that the sides of the centre are even.",
        "exchange",
    );
    // No source has it, and the claim keeps the other one.
    caught(
        text,
        "The proposal of the project is due in week five, the report of the garden in week twelve of the term.",
        "exchange",
    );
    left_alone(
        text,
        "In week five the proposal of the project is due, the report of the project in week twelve.",
    );
    left_alone(
        text,
        "The report of the project is due in week twelve of the term, the proposal in week five.",
    );
    left_alone(text, "See that the sides of the face are even and draw a line down the centre of the face.");
    left_alone(text, "Draw a line down the centre and see that the sides of the face are even.");
}

#[test]
fn a_long_copy_decides_whatever_else_its_clause_says() {
    let text = "Statistics are reset at every restart of the collector and written to the log of the day.\nThe cache is small.";
    let claim = "Remember well, dear readers, patient friends and colleagues that statistics are reset at every cache of the \
                 collector and written to the log of the day.";
    caught(text, claim, "exchange");
    // What is added is in no source, so it is not supported; nothing contradicts it either.
    assert_eq!(judge(text, &claim.replace("cache", "restart")).status, ClaimStatus::Unsupported);
}

#[test]
fn what_a_copy_goes_on_with_may_be_said_elsewhere() {
    let copy = "The stock simmers for four hours and the foam is removed with a spoon";
    left_alone(ENGLISH, &format!("{copy}."));
    left_alone(ENGLISH, &format!("{copy}, says the reference."));
    left_alone(ENGLISH, &format!("{copy}, and salt is added at the end of the day."));
}
