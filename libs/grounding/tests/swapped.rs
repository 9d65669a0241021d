//! One thing in the place of another that stands in the sources as it does; items put into lists; free inventions.

mod common;

use assay_domain::report::ClaimStatus;
use common::{judge, left_alone};

const ENGLISH: &str = "The greenhouse has two pumps. The steel pump feeds the seedlings every morning, the brass pump drains the tank.\n\
Orders are packed by the warehouse and checked by the driver.\n\
Frozen meat keeps for 90 days, minced meat for 20.\n\
The gate is opened with `unlatch`, the alarm is silenced with `hush`.\n\
The keeper, not the visitor, closes the aviary at dusk.\n\
Parcels may be left with neighbours, but not with porters.\n\
The form asks for name, address and a signature.\n\
The office opens at nine.\nIn the office a telephone rings.";

const SPANISH: &str = "El invernadero tiene dos bombas. La bomba pequeña riega los semilleros, la bomba grande vacía el depósito.\n\
El guarda, y no el visitante, cierra la pajarera al anochecer.\n\
El formulario pide nombre, dirección y firma.\n\
La oficina abre a las nueve.\nEn la oficina suena un teléfono.";

#[track_caller]
fn caught(text: &str, claim: &str, rule: &str) {
    let judged = judge(text, claim);
    let decided = matches!(judged.status, ClaimStatus::Contradicted | ClaimStatus::Unsupported);
    assert!(decided && judged.reason.starts_with(rule), "{claim}: {:?} {}", judged.status, judged.reason);
}

#[test]
fn one_of_two_things_with_what_is_said_of_the_other_is_exchanged() {
    caught(ENGLISH, "The brass pump feeds the seedlings every morning.", "binding");
    caught(ENGLISH, "Orders are packed by the driver.", "binding");
    caught(ENGLISH, "Minced meat keeps for 90 days.", "number");
    left_alone(ENGLISH, "The steel pump feeds the seedlings every morning.");
    left_alone(ENGLISH, "Orders are checked by the driver.");
    left_alone("Frozen meat keeps for 90 days, minced meat for 20.", "Minced meat keeps for 20 days.");
}

#[test]
fn a_name_of_code_with_what_is_said_of_another_is_exchanged() {
    caught(ENGLISH, "With `hush` the gate is opened.", "identifier");
    left_alone(ENGLISH, "With `unlatch` the gate is opened.");
}

#[test]
fn what_the_source_sets_apart_is_not_claimed() {
    caught(ENGLISH, "It is the visitor who closes the aviary at dusk.", "");
    caught(ENGLISH, "Parcels may be left with porters.", "");
    caught(SPANISH, "Es el visitante quien cierra la pajarera al anochecer.", "");
    left_alone(ENGLISH, "It is the keeper who closes the aviary at dusk.");
    left_alone(SPANISH, "Es el guarda quien cierra la pajarera al anochecer.");
}

#[test]
fn an_item_put_into_a_list_is_added_even_if_the_sources_have_the_word() {
    caught(ENGLISH, "The form asks for name, address, telephone and a signature.", "addition");
    caught(SPANISH, "El formulario pide nombre, dirección, teléfono y firma.", "addition");
    left_alone(ENGLISH, "The form asks for name, address and signature.");
}

#[test]
fn a_claim_of_strange_words_about_things_that_the_sources_know_apart_is_invented() {
    caught(ENGLISH, "Experts regard the aviary as riskier than the telephone.", "addition");
    left_alone(ENGLISH, "The keeper shuts the aviary when it gets dark.");
}

#[test]
fn a_claim_that_denies_rewords_the_sources_in_words_of_its_own() {
    let text =
        "The bothy stays open all year round and has no warden. Wood for the stove is stacked behind it.";
    left_alone(text, "The bothy never gets bolted, though nobody attends it.");
}

#[test]
fn what_is_excepted_from_what_is_set_apart_holds() {
    let text = "Bikes are allowed on trams, but not on buses, except folding bikes.";
    left_alone(text, "Folding bikes are allowed on buses.");
    caught(text, "Bikes are allowed on buses.", "binding");
    left_alone(
        "Los perros están permitidos en la terraza, pero no en el comedor, salvo los perros guía.",
        "Los perros guía pueden entrar en el comedor.",
    );
}

#[test]
fn what_stands_at_the_other_end_of_a_sentence_may_be_said_in_any_order() {
    let plugs =
        "Streaming of music does not count in the Young tariff, streaming of video counts in every tariff.";
    caught(plugs, "Video streaming isn't counted in the Young tariff.", "");
    left_alone(plugs, "Music streaming isn't counted in the Young tariff.");
}
