//! What claims affirm and deny in words of their own, each from both sides.

mod common;

use common::{left_alone, refuted as caught};

const ENGLISH: &str = "Visitors have no access to the printers on the second floor. Badges that were returned are kept for a year.\n\
Never rinse the filter under the tap. Rented skates are excluded from the insurance.\n\
The night shift does not count towards the bonus of December.\n\
Unsaved drafts survive a crash of the editor. The lift can no longer be reserved by guests.\n\
The importer does not rename columns unless `--fix` is given.";

const SPANISH: &str = "Los patines alquilados quedan excluidos del seguro. No basta con una copia del pasaporte.\n\
El horno no se apaga durante el cambio de turno. Nunca se borran los recibos de diciembre.";

#[test]
fn a_denial_turned_into_a_permission_is_caught_in_other_words() {
    caught(ENGLISH, "Visitors have access to the printers on the second floor.");
    caught(ENGLISH, "You may rinse the filter under the tap.");
    caught(ENGLISH, "Guests can still reserve the lift.");
    caught(SPANISH, "Con una copia del pasaporte es suficiente.");
}

#[test]
fn words_of_one_sense_deny_one_another() {
    caught(ENGLISH, "Rented skates are covered by the insurance.");
    caught(ENGLISH, "Unsaved drafts are lost in a crash of the editor.");
    caught(SPANISH, "Los patines alquilados están incluidos en el seguro.");
    caught(SPANISH, "Los recibos de diciembre se eliminan.");
}

#[test]
fn a_denial_said_in_other_words_is_left_alone() {
    left_alone(ENGLISH, "Visitors cannot reach the printers on the second floor.");
    left_alone(ENGLISH, "The insurance does not cover rented skates.");
    left_alone(ENGLISH, "Unsaved drafts are not lost when the editor crashes.");
    left_alone(ENGLISH, "Guests can't reserve the lift any more.");
    left_alone(SPANISH, "El seguro no cubre los patines alquilados.");
    left_alone(SPANISH, "Los recibos de diciembre se conservan.");
}

#[test]
fn a_case_does_not_turn_what_holds_in_it() {
    caught(ENGLISH, "Unless `--fix` is given, the importer renames columns.");
    left_alone(ENGLISH, "Unless `--fix` is given, the importer does not rename columns.");
}

#[test]
fn what_one_subject_cannot_do_says_nothing_of_another() {
    let text = "Guests can read public channels. They cannot post messages or invite others. Members can do all of this.";
    left_alone(text, "Members can read, post and invite others.");
    caught(text, "Guests can post messages.");
    let limits =
        "Queries are limited to 10,000 rows. They run for at most a minute. Limits do not apply to exports.";
    left_alone(limits, "Exports aren't limited to 10,000 rows.");
    caught(limits, "Queries aren't limited to 10,000 rows.");
}

#[test]
fn a_denied_manner_denies_no_act() {
    left_alone("The video room has to be opened by hand.", "The video room doesn't open by itself.");
    caught("The video room opens by itself at nine.", "The video room doesn't open by itself.");
    left_alone("La papelera guarda los archivos 30 días.", "Lo que borras sigue un mes en la papelera.");
}
