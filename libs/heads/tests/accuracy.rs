//! How often rules and the n-gram head are right on messages that the head was not trained on, without any embedding.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr)]

use std::collections::BTreeMap;

use assay_domain::{Identity, QueryType};
use assay_heads::seed::first_head;
use assay_routing::{PlatformPrefixes, decide, requests};

type Set = BTreeMap<String, BTreeMap<String, Vec<String>>>;

/// Share of right labels by language, share decided by rules, and share of those that are right.
fn measure(toml: &str) -> (BTreeMap<String, f64>, f64, f64) {
    let set: Set = toml::from_str(toml).unwrap();
    let head = first_head(None, 1).unwrap();
    let (local, prefixes) = (Identity::local(), PlatformPrefixes::default());
    let mut counts: BTreeMap<String, (u32, u32)> = BTreeMap::new();
    let (mut all, mut ruled, mut ruled_right) = (0, 0, 0);
    for (label, languages) in set {
        let wanted = QueryType::from_name(&label).unwrap();
        for (language, texts) in languages {
            for text in texts {
                let rule = decide(&text, None, &local, &prefixes);
                let got = rule.as_ref().map(|decision| decision.query_type).unwrap_or_else(|| {
                    let prediction = head.predict(&requests(&text, &[]).embed, &[]);
                    QueryType::from_name(&head.labels[prediction.best]).unwrap()
                });
                let right = got == wanted;
                if !right {
                    eprintln!(
                        "{} {language} {wanted} got {got}: {text}",
                        if rule.is_some() { "rule" } else { "head" }
                    );
                }
                let count = counts.entry(language.clone()).or_default();
                *count = (count.0 + u32::from(right), count.1 + 1);
                all += 1;
                ruled += u32::from(rule.is_some());
                ruled_right += u32::from(rule.is_some() && right);
            }
        }
    }
    let shares =
        counts.into_iter().map(|(language, (a, b))| (language, f64::from(a) / f64::from(b))).collect();
    (shares, f64::from(ruled) / f64::from(all), f64::from(ruled_right) / f64::from(ruled))
}

#[test]
fn plain_messages() {
    let (shares, ruled, precision) = measure(include_str!("held_out.toml"));
    eprintln!("{shares:?}, by rules {ruled:.3}, of those right {precision:.3}");
    assert!(shares.values().all(|share| *share >= 0.95), "{shares:?}");
    assert!(precision >= 0.97, "{precision}");
}

#[test]
fn hostile_messages() {
    let (shares, _, precision) = measure(include_str!("hostile.toml"));
    eprintln!("{shares:?}, of rules right {precision:.3}");
    assert!(shares.values().all(|share| *share >= 0.95), "{shares:?}");
}
