//! How often rules and the shipped n-gram head are right on messages that the head was not trained on.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr)]

use std::collections::BTreeMap;

use assay_domain::{Identity, QueryType};
use assay_heads::seed::{Seed, labelled, seeds, shipped_head};
use assay_routing::classes::ranked;
use assay_routing::{ACCEPT, Head, PlatformPrefixes, Rule, decide, requests};

/// What was counted over a set.
#[derive(Debug, Default)]
struct Counts {
    messages: BTreeMap<String, u32>,
    right: BTreeMap<String, u32>,
    sure: u32,
    sure_and_right: u32,
}

impl Counts {
    fn share(&self, language: &str) -> f64 {
        f64::from(self.right[language]) / f64::from(self.messages[language])
    }
}

fn class(head: &Head, message: &str) -> (QueryType, f64) {
    match decide(message, None, &Identity::local(), &PlatformPrefixes::default()) {
        Some(decision) => (decision.query_type, 1.0),
        None => {
            let asked = requests(message, &[]);
            ranked(head, &head.predict(&asked.embed, &[]), &asked.message)[0]
        }
    }
}

fn measure(messages: Vec<Seed>) -> Counts {
    let head = shipped_head("").unwrap().unwrap();
    let mut counts = Counts::default();
    for Seed { text, query_type, language } in messages {
        let (got, probability) = class(&head, &text);
        let right = u32::from(got == query_type);
        if right == 0 {
            eprintln!("{language} {query_type} got {got} {probability:.2}: {text}");
        }
        *counts.messages.entry(language.clone()).or_default() += 1;
        *counts.right.entry(language).or_default() += right;
        let sure = u32::from(probability >= ACCEPT);
        counts.sure += sure;
        counts.sure_and_right += sure * right;
    }
    eprintln!("{counts:?}");
    counts
}

#[test]
fn development_messages() {
    let counts = measure(labelled(include_str!("../data/dev.jsonl")).unwrap());
    assert!(counts.share("en") >= 0.90 && counts.share("es") >= 0.94, "{counts:?}");
    assert!(f64::from(counts.sure_and_right) >= 0.965 * f64::from(counts.sure), "{counts:?}");
}

#[test]
fn signals_of_an_account_are_right() {
    let messages = [labelled(include_str!("../data/dev.jsonl")).unwrap(), seeds().unwrap()].concat();
    let (mut right, mut wrong) = (0, Vec::new());
    for Seed { text, query_type, .. } in messages {
        match decide(&text, None, &Identity::local(), &PlatformPrefixes::default()) {
            Some(decision) if decision.rule != Rule::PlatformSignal => {}
            Some(_) if query_type == QueryType::Platform => right += 1,
            Some(_) => wrong.push(text),
            None => {}
        }
    }
    eprintln!("{right} right, wrong: {wrong:?}");
    assert!(right >= 250 && wrong.len() <= 1, "{right} {wrong:?}");
}

#[test]
fn messages_that_dictate_their_class() {
    let file: BTreeMap<String, BTreeMap<String, Vec<String>>> =
        toml::from_str(include_str!("hostile.toml")).unwrap();
    let mut messages = Vec::new();
    for (label, languages) in file {
        let query_type = QueryType::from_name(&label).unwrap();
        for (language, texts) in languages {
            messages.extend(texts.into_iter().map(|text| Seed {
                text,
                query_type,
                language: language.clone(),
            }));
        }
    }
    let counts = measure(messages);
    assert!(counts.share("en") >= 0.9 && counts.share("es") >= 0.9, "{counts:?}");
}
