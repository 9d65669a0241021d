//! The patterns of RC-02, each against its own messages, and the rule as a whole.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use assay_text::normalize;
use serde::Deserialize;

use super::{FILE, File, of_entry, signal};

#[derive(Deserialize)]
struct Examples {
    anchor: Vec<Messages>,
    measure: Vec<Messages>,
    how_to: Vec<Messages>,
    code: Vec<Messages>,
}

#[derive(Deserialize)]
struct Messages {
    matches: Vec<String>,
    rejects: Vec<String>,
}

#[test]
fn every_pattern_matches_its_messages_and_no_other() {
    let file: File = toml::from_str(FILE).unwrap();
    let examples: Examples = toml::from_str(FILE).unwrap();
    let groups = [
        (&file.anchor, examples.anchor),
        (&file.measure, examples.measure),
        (&file.how_to, examples.how_to),
        (&file.code, examples.code),
    ];
    for (entries, messages) in groups {
        for (entry, messages) in entries.iter().zip(messages) {
            let pattern = of_entry(&file, entry).expect("every pattern compiles");
            assert!(!messages.matches.is_empty() && !messages.rejects.is_empty(), "{pattern}");
            for message in messages.matches {
                assert!(pattern.is_match(&normalize(&message)), "{message}: {pattern}");
            }
            for message in messages.rejects {
                assert!(!pattern.is_match(&normalize(&message)), "{message}: {pattern}");
            }
        }
    }
}

#[test]
fn an_anchor_and_a_metric_are_a_signal() {
    for message in [
        "How much of my quota is left?",
        "What percentage of my plan have I used?",
        "Show me my latest invoice",
        "Is this project close to its limit?",
        "What is our consumption this month?",
        "When is my subscription renewed and how much is the bill?",
        "Have I exceeded my rate limit?",
        "¿Cuál es el consumo de mi cuenta este mes?",
        "Enséñame mi última factura",
        "¿Qué límite tiene mi plan?",
        "¿He superado el límite de mi suscripción?",
        "porcentaje de uso de este proyecto",
    ] {
        assert!(signal(&normalize(message)), "{message}");
    }
}

#[test]
fn how_to_code_and_plans_in_general_are_no_signal() {
    for message in [
        "How do I rate-limit an endpoint?",
        "How can I compute a bill in AVAP?",
        "compute a bill in AVAP for my customers",
        "Write a function that calculates my bill",
        "Return 20 % of the rows",
        "delete 5 % of my logs",
        "How do I check my credits with the API?",
        "What does the team plan cost?",
        "Does the free plan allow 5,000 orders?",
        "How do I limit my loop to 20 iterations?",
        "What is the usage of addParam?",
        "Explain your previous answer about quotas",
        "Is there a limit on the number of rows my query returns?",
        "Create an endpoint that returns the invoice of an account",
        "What is a rate limit?",
        "¿Cómo calculo una factura en AVAP?",
        "Escribe un endpoint que devuelva la cuota de mi cuenta",
        "¿Cómo limito el número de peticiones de un endpoint?",
        "el 20 % de las filas",
        "¿Qué uso tiene la función getDateTime?",
        "¿Cuánto cuesta el plan de equipo?",
    ] {
        assert!(!signal(&normalize(message)), "{message}");
    }
}
