//! Prints what the grounding models are fitted on, one JSON object a line: `idf`, `claims`, `judge [POLICY]`, `pairs` or
//! `relevance`.
//!
//! Reads batch lines (`id`, `question`, `sources`, `answer`) on standard input; `idf` reads plain texts, one a line. `pairs` prints
//! every claim that words leave open with the pairs that the reader would be asked about. With `--without PART` a rule or a word
//! list is left out; `parts` prints their names.
#![allow(clippy::print_stdout)]

use anyhow::{Context, bail};
use assay_domain::evidence::{Source, SourceKind};
use assay_grounding::{
    Ask, Facts, Judge, Policy, SourceIndex, Terms, ablation, features, policy, relevance, support, training,
};
use serde_json::{Value, json};
use std::io::BufRead;

fn main() -> anyhow::Result<()> {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    if let Some(at) = arguments.iter().position(|argument| argument == "--without") {
        let part = arguments.get(at + 1).context("--without needs the name of a part")?;
        ablation::leave_out(part).map_err(anyhow::Error::msg)?;
        arguments.drain(at..at + 2);
    }
    let mode = arguments
        .first()
        .context("usage: grounding-features idf|claims|judge|pairs|relevance|names|parts [--without PART]")?;
    if mode == "parts" {
        println!("{}", ablation::parts().join("\n"));
        return Ok(());
    }
    if mode == "names" {
        println!(
            "{}",
            json!({"claim": features::NAMES, "answer": support::ANSWER_NAMES, "relevance": relevance::NAMES,
                   "aligned": support::ALIGNED, "verbatim": support::VERBATIM})
        );
        return Ok(());
    }
    let name = arguments.get(1).map_or(policy::DEFAULT, String::as_str);
    let policy = Policy::shipped(name).with_context(|| format!("no shipped policy is called {name}"))?;
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
        let mut out = match mode.as_str() {
            "claims" => {
                let claims = training::claims(text("question"), &sources, text("answer"));
                let claims: Vec<Value> = claims
                    .into_iter()
                    .map(|(span, held)| {
                        json!({"start": span.char_start, "end": span.char_end, "features": held.features, "p": held.probability,
                               "contradicted": held.contradicted, "cost": held.cost, "decided": held.decided, "floor": held.floor,
                               "reason": held.reason})
                    })
                    .collect();
                json!({"claims": claims, "refuses": training::only_refuses(text("answer"))})
            }
            "judge" => judged(&policy, text("question"), &sources, text("answer")),
            "pairs" => pairs(&policy, text("question"), &sources, text("answer")),
            "relevance" => {
                let index = SourceIndex::new(&sources);
                json!({"features": relevance::measures(text("question"), &index)})
            }
            other => bail!("unknown mode {other}"),
        };
        out["id"] = item["id"].clone();
        println!("{out}");
    }
    Ok(())
}

/// An answer as `assay check` would judge it without citations.
fn judge(policy: &Policy, question: &str, sources: &[Source]) -> Judge {
    let terms =
        Terms { citations_optional: true, sources_only: true, ..Terms::new(question, sources.to_vec()) };
    Judge::new(terms, policy.clone())
}

/// What the shipped checks say of an answer.
fn judged(policy: &Policy, question: &str, sources: &[Source], answer: &str) -> Value {
    let report = judge(policy, question, sources).judge(answer, &Facts::default());
    let claims: Vec<Value> = report
        .claims
        .iter()
        .map(|claim| {
            json!({"char_start": claim.span.char_start, "char_end": claim.span.char_end, "kind": claim.kind.as_str(),
                   "status": claim.status.as_str(), "support": claim.support, "reason": claim.reason})
        })
        .collect();
    json!({"support": report.support, "context_relevance": report.context_relevance, "claims": claims})
}

/// Claims that words leave open, with the probability that they give, and what the reader would be asked about each.
fn pairs(policy: &Policy, question: &str, sources: &[Source], answer: &str) -> Value {
    let open = judge(policy, question, sources).open_pairs(answer);
    let of = |(own, asks): &(f64, Vec<Ask>)| {
        let windows: Vec<&str> = asks.iter().map(|ask| ask.window.text.as_str()).collect();
        json!({"own": own, "statement": asks.first().map(|ask| ask.text.as_str()), "windows": windows})
    };
    json!({"claims": open.iter().map(of).collect::<Vec<_>>()})
}
