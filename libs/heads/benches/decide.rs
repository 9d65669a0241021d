//! Prints the time of layers 1 and 2 without the embedding, over the development messages: `cargo bench -p assay-heads`.
#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::disallowed_methods)]

use std::hint::black_box;
use std::time::Instant;

use assay_domain::Identity;
use assay_heads::seed::{labelled, shipped_head};
use assay_routing::classes::ranked;
use assay_routing::{PlatformPrefixes, decide, requests};

const ROUNDS: usize = 20;

fn main() {
    let head = shipped_head("").unwrap().unwrap();
    let messages = labelled(include_str!("../data/dev.jsonl")).unwrap();
    let (identity, prefixes) = (Identity::local(), PlatformPrefixes::default());
    let (mut rules, mut both) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        for message in &messages {
            let start = Instant::now();
            let decided = black_box(decide(&message.text, None, &identity, &prefixes));
            rules.push(start.elapsed().as_nanos());
            if decided.is_none() {
                let asked = requests(&message.text, &[]);
                black_box(ranked(&head, &head.predict(&asked.embed, &[]), &asked.message));
            }
            both.push(start.elapsed().as_nanos());
        }
    }
    for (name, mut times) in [("rules", rules), ("rules and head", both)] {
        times.sort_unstable();
        let at = |share: f64| times[(times.len() as f64 * share) as usize] as f64 / 1e3;
        println!("{name}: median {:.1} µs, p99 {:.1} µs", at(0.5), at(0.99));
    }
}
