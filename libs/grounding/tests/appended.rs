//! What is put to the words of the sources: a clause behind a statement of theirs, a statement about two of their things, a
//! noun or a name of code in the place of another one; each beside an honest one.
#![allow(clippy::unwrap_used)]

mod common;

use common::{left_alone, refuted as caught};

const APIARY: &str = "The smoker is filled with dry hay and lit before the lid is lifted. Honey is taken in July. \
Each frame is weighed. The extractor is cleaned with hot water afterwards. Beginners borrow a veil from the club. \
They bring gloves of their own. The mill behind the orchard lends a scale.";

#[test]
fn a_clause_of_which_no_source_says_anything_is_an_addition() {
    caught(APIARY, "Beginners borrow a veil from the club, provided that the scale has been insured.");
    caught(
        APIARY,
        "The smoker is filled with dry hay and lit before the lid is lifted, which also calms the neighbours.",
    );
}

#[test]
fn a_clause_that_another_sentence_says_is_none() {
    left_alone(APIARY, "Beginners borrow a veil from the club, and the gloves are their own.");
    left_alone(
        APIARY,
        "The smoker is filled with dry hay and lit before the lid is lifted, and each frame is weighed.",
    );
}

const CLINIC: &str = "The dentist takes an X-ray once every two years. Children wear a lead collar. The image is stored for \
ten years. After an extraction the patient bites on a swab. Swelling is cooled with a wet cloth. Appointments are made by \
telephone. The receptionist notes them in a red book.";

#[test]
fn things_that_stand_apart_and_a_verb_of_no_source_are_an_invention() {
    caught(CLINIC, "The cloth owes its colour to the receptionist.");
    caught(CLINIC, "There is a waiting list for the collar.");
    left_alone(CLINIC, "The receptionist keeps a red book of the appointments.");
    left_alone(CLINIC, "For the swelling there is a wet cloth.");
}

const PIER: &str = "The deposit for a canoe is paid in cash and returned by the clerk when the canoe is back at the jetty. \
Groups of more than twelve people are driven to the mill by bus in the morning.";

#[test]
fn a_noun_of_no_source_in_a_long_copy_is_another_thing() {
    caught(
        PIER,
        "The deposit for a canoe is paid in cash and returned by the pilot when the canoe is back at the jetty.",
    );
    left_alone(
        PIER,
        "The deposit for a canoe is paid in cash and returned by the employee when the canoe is back at the jetty.",
    );
}

const DOME: &str = "The option `--dry` prints the steps without moving anything. The scheduler reads its plan from the list \
`targets` and writes the result to `frames`. The dome has no `pause` and no `resume`; the mount has `resume_all`.";

#[test]
fn a_name_of_code_in_the_place_of_another_one_is_another_thing() {
    caught(DOME, "The dome has no `pause` and no `targets`.");
    caught(DOME, "The scheduler reads its plan from the list `frames` and writes the result to `frames`.");
    left_alone(
        DOME,
        "The scheduler reads its plan from the list `targets` and writes the result to `frames`.",
    );
}
