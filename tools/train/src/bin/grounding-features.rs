//! Prints what the grounding models are fitted on, one JSON object a line: `idf`, `claims` or `relevance`.
//!
//! Reads batch lines (`id`, `question`, `sources`, `answer`) on standard input; `idf` reads plain texts, one a line.
#![allow(clippy::print_stdout)]

use anyhow::{Context, bail};
use assay_domain::evidence::{Source, SourceKind};
use assay_grounding::{SourceIndex, features, relevance, support, training};
use serde_json::{Value, json};
use std::io::BufRead;

fn main() -> anyhow::Result<()> {
    let mode = std::env::args().nth(1).context("usage: grounding-features idf|claims|relevance|names")?;
    if mode == "names" {
        println!(
            "{}",
            json!({"claim": features::NAMES, "answer": support::ANSWER_NAMES, "relevance": relevance::NAMES})
        );
        return Ok(());
    }
    for line in std::io::stdin().lock().lines() {
        let line = line?;
        if mode == "idf" {
            println!("{}", training::stems(&line).join(" "));
            continue;
        }
        let item: Value = serde_json::from_str(&line)?;
        let text = |key: &str| item[key].as_str().unwrap_or_default();
        let sources: Vec<Source> = item["sources"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|source| {
                let text = source["text"].as_str().unwrap_or_default();
                Source::given(source["id"].as_str().unwrap_or_default(), SourceKind::Doc, text, 1)
            })
            .collect();
        let out = match mode.as_str() {
            "claims" => {
                let claims = training::claims(text("question"), &sources, text("answer"));
                let claims: Vec<Value> = claims
                    .into_iter()
                    .map(|(span, held)| {
                        json!({"start": span.char_start, "end": span.char_end, "features": held.features, "p": held.probability,
                               "contradicted": held.contradicted, "cap": held.cap, "reason": held.mismatch})
                    })
                    .collect();
                json!({"id": item["id"], "claims": claims})
            }
            "relevance" => {
                let index = SourceIndex::new(&sources);
                json!({"id": item["id"], "features": relevance::measures(text("question"), &index)})
            }
            other => bail!("unknown mode {other}"),
        };
        println!("{out}");
    }
    Ok(())
}
