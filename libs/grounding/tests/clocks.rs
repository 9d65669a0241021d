//! Times of day, said in words and with their half of the day.

mod common;

use common::{contradicted as caught, left_alone};

const ENGLISH: &str = "The office opens at 9 am and closes at 5 pm.\n\
The gate of the yard closes at 18:30.\n\
Visiting ends at 8 pm on the third floor.\n\
The pool is lit from 9 to 11 pm.";

const SPANISH: &str = "El bar del puerto abre a las 22:00.\n\
La farmacia de la plaza cierra a las nueve de la noche.";

#[test]
fn the_other_half_of_the_day_is_another_time() {
    caught(ENGLISH, "The office opens at 9 pm.", "number: ");
    caught(ENGLISH, "The office closes at 5 am.", "number: ");
    caught(ENGLISH, "Visiting ends at 8 am on the third floor.", "number: ");
    caught(SPANISH, "La farmacia de la plaza cierra a las nueve de la mañana.", "exchange: ");
    left_alone(ENGLISH, "The office opens at 9 am.");
    left_alone(ENGLISH, "The office closes at 5 p.m.");
    left_alone(ENGLISH, "Visiting ends at 20:00 on the third floor.");
    left_alone(SPANISH, "La farmacia de la plaza cierra a las 21:00.");
}

#[test]
fn an_hour_in_words_is_held_against_one_in_digits() {
    caught(ENGLISH, "The gate of the yard closes at eight in the evening.", "number: ");
    caught(SPANISH, "El bar del puerto abre a las nueve de la noche.", "number: ");
    left_alone(ENGLISH, "The gate of the yard closes at half past six in the evening.");
    left_alone(SPANISH, "El bar del puerto abre a las diez de la noche.");
}

#[test]
fn a_time_without_its_half_accuses_nobody() {
    left_alone(ENGLISH, "The pool is lit from 9 pm.");
    left_alone(ENGLISH, "The pool is lit from 9 am.");
}

#[test]
fn a_time_far_down_in_the_sources_is_found() {
    let mut text = String::from("The office of the traders opens its doors in the port at 9 am.\n\n");
    for number in 0..260 {
        text.push_str(&format!("Shelf {number} holds folders of the year and is dusted by hand.\n\n"));
    }
    text.push_str("On Thursdays the office of the traders opens its doors at nine in the evening.");
    left_alone(&text, "The office of the traders opens its doors in the port at 9 pm.");
}
