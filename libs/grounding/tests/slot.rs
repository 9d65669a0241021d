//! Claims that say a sentence again but for one word, and claims that say of one of two things what a sentence says of the other.

mod common;

use assay_domain::report::ClaimStatus;
use common::{judge, left_alone};

const ENGLISH: &str = "The kiln is heated to 1,200 degrees before the glaze is applied.\n\
The tariff has no `surcharge` and no `deposit`.\n\
The `discount` is set by hand, and so is the day of the month.\n\
The shed is 2 m wide and 3 m long.\n\
The probe tries again up to five times, with pauses of 1, 2, 4, 8 and 16 seconds.\n\
Beekeepers feed the hives of the valley. Wasps are driven off with smoke.\n\
The red terminal carries the supply, the other terminal, the blue one, the signal of the probe.";

const SPANISH: &str = "El barniz se aplica en dos capas.\n\
El pincel se limpia con agua.\n\
El aparato se apaga con el botón rojo.\n\
La llave de obra abre con `abrir_obra` y la llave de casa con `abrir_casa`.";

#[track_caller]
fn caught(text: &str, claim: &str, rule: &str) {
    let judged = judge(text, claim);
    let decided = matches!(judged.status, ClaimStatus::Contradicted | ClaimStatus::Unsupported);
    assert!(decided && judged.reason.starts_with(rule), "{claim}: {:?} {}", judged.status, judged.reason);
}

#[test]
fn a_noun_in_a_sentence_that_is_said_again_is_exchanged() {
    caught(ENGLISH, "The glaze is heated to 1,200 degrees before the kiln is applied.", "order");
    caught(ENGLISH, "The oven is heated to 1,200 degrees before the glaze is applied.", "exchange");
    caught(SPANISH, "El pincel se aplica en dos capas.", "exchange");
    left_alone(ENGLISH, "The kiln is heated to 1,200 degrees before the glaze is applied.");
}

#[test]
fn a_noun_that_no_source_has_contradicts_no_few_words() {
    let text =
        "The hull is painted each spring.\nThe kerb of the lane is high.\nThe tub is cleaned with soap.";
    assert_ne!(judge(text, "The boat is painted each spring.").status, ClaimStatus::Contradicted);
    left_alone(text, "The curb of the lane is high.");
    caught(text, "The tub is painted each spring.", "exchange");
    left_alone("El mostrador de la entrada abre a las ocho.", "La recepción de la entrada abre a las ocho.");
}

#[test]
fn a_word_for_a_whole_class_may_name_the_thing() {
    left_alone(ENGLISH, "The device is heated to 1,200 degrees before the glaze is applied.");
    left_alone(SPANISH, "El dispositivo se apaga con el botón rojo.");
}

#[test]
fn a_name_of_code_that_is_said_once_too_often_is_exchanged() {
    caught(ENGLISH, "The tariff has no `surcharge` and no `discount`.", "identifier");
    left_alone(ENGLISH, "The tariff has no `deposit` and no `surcharge`.");
    caught(SPANISH, "La llave de casa abre con `abrir_obra`.", "binding");
}

#[test]
fn a_figure_that_stands_elsewhere_in_the_sentence_is_no_excuse_in_a_copy() {
    caught(
        ENGLISH,
        "The probe tries again up to five times, with pauses of 1, 2, 4, 16 and 16 seconds.",
        "number",
    );
    left_alone(ENGLISH, "The probe tries again up to 5 times, with pauses of one, 2, 4, 8 and 16 seconds.");
}
