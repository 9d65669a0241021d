//! Things that the sources tell from one another, and what a near copy puts in: each from both sides.

mod common;

use assay_domain::report::ClaimStatus;
use common::{judge, left_alone};

const ENGLISH: &str = "Production traffic is served by the primary pool. The spare pool is used for tests.\n\
The ceiling lamp means that the battery is low. The dashboard lamp shows that there is no connection.\n\
Lectures are recorded, tutorials are not.\nThe console reads the settings, the agent writes the reports.\n\
The battery holds 4,500 mAh and is charged with 25 W.\nLog files rotate each day and are kept for 14 days.\n\
Viewers may read, operators may also write.\nKeys are created in the console, shown once and can be limited to single models.";

const SPANISH: &str = "El lavado corto usa agua fría. El lavado largo usa agua caliente y dura dos horas.\n\
Los perros grandes pagan medio billete. Los perros pequeños viajan en una cesta.\n\
Los archivos rotan cada día y se conservan 14 días.";

#[track_caller]
fn caught(text: &str, claim: &str, rule: &str) {
    let judged = judge(text, claim);
    let bad = matches!(judged.status, ClaimStatus::Unsupported | ClaimStatus::Contradicted);
    // In a near copy the rules about exchanged words and opposites may speak first.
    let named = judged.reason.starts_with(rule)
        || (rule == "binding"
            && (judged.reason.starts_with("exchange") || judged.reason.starts_with("opposite")));
    assert!(bad && named, "{claim}: {:?} {}", judged.status, judged.reason);
}

#[test]
fn of_two_things_with_one_noun_each_keeps_its_own() {
    caught(ENGLISH, "Production traffic is served by the spare pool.", "binding");
    caught(ENGLISH, "The dashboard lamp means that the battery is low.", "binding");
    left_alone(ENGLISH, "It is the primary pool that serves production traffic.");
    left_alone(ENGLISH, "The ceiling lamp signals that the battery is low.");
    left_alone(ENGLISH, "Tests use the spare pool.");
    caught(SPANISH, "Los perros pequeños pagan medio billete.", "binding");
    left_alone(SPANISH, "Medio billete es lo que pagan los perros grandes.");
}

#[test]
fn a_clause_keeps_its_subject() {
    caught(ENGLISH, "Tutorials are recorded.", "negation");
    caught(ENGLISH, "The console writes the reports.", "binding");
    left_alone(ENGLISH, "Lectures are being recorded.");
    left_alone(ENGLISH, "The reports are written by the agent.");
    left_alone(ENGLISH, "The battery is charged with 25 W.");
    left_alone(ENGLISH, "Operators may read.");
}

#[test]
fn an_item_or_a_tail_that_no_source_holds_is_an_addition() {
    caught(
        ENGLISH,
        "Log files rotate each day, travel to headquarters and are kept for 14 days.",
        "addition",
    );
    caught(
        ENGLISH,
        "Keys are created in the console, shown once, translated by volunteers and can be limited to single models.",
        "addition",
    );
    left_alone(ENGLISH, "Log files rotate each day and are kept for 14 days.");
    left_alone(ENGLISH, "Keys are shown once, and they can be limited to single models.");
    caught(SPANISH, "Los archivos rotan cada día, pasan por auditoría y se conservan 14 días.", "addition");
}
