//! Prints what the grounding models are fitted on, one JSON object a line: `idf`, `claims`, `judge [POLICY]` or `relevance`.
//!
//! Reads batch lines (`id`, `question`, `sources`, `answer`) on standard input; `idf` reads plain texts, one a line. `join` reads
//! labelled claims (`own`, `difference`, `supported`) and prints the join of the two-label model that said so. A line for
//! `judge` may hold such a `join`, and the `difference` that its model says of every claim it is asked about. With `--without
//! PART` a rule or a word list is left out; `parts` prints their names.
#![allow(clippy::print_stdout)]

use anyhow::{Context, bail};
use assay_domain::evidence::{Source, SourceKind};
use assay_grounding::join::{self, Join, Row, Said};
use assay_grounding::scores::Who;
use assay_grounding::{
    Facts, Judge, Policy, Scorer, Scores, SourceIndex, Terms, ablation, features, policy, relevance, support,
    training,
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
        .context("usage: grounding-features idf|claims|judge|relevance|names|join|parts [--without PART]")?;
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
    if mode == "join" {
        println!("{}", joined(&arguments)?);
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
            "judge" => judged(&policy, text("question"), &sources, text("answer"), &item)?,
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

/// What the shipped checks say of an answer, as `assay check` would without citations, with the model of the line if it names
/// one.
fn judged(
    policy: &Policy,
    question: &str,
    sources: &[Source],
    answer: &str,
    item: &Value,
) -> anyhow::Result<Value> {
    let terms =
        Terms { citations_optional: true, sources_only: true, ..Terms::new(question, sources.to_vec()) };
    let mut judge = Judge::new(terms, policy.clone());
    let mut scores = Scores::default();
    if let Some(difference) = item["difference"].as_f64() {
        let join = Join::parse(&item["join"].to_string()).map_err(anyhow::Error::msg)?;
        let model = join.model.clone();
        judge = judge.asking([Scorer::of_file(Who::Entailment, "scored", model, Some(join))]);
        let asks = judge.asks(&judge.read(answer), &scores, &|| false).unwrap_or_default();
        for ask in asks.entailment {
            scores.take(&ask, Ok(Said::Two { difference }));
        }
    }
    let report = judge.judge(answer, &Facts { scores, ..Facts::default() });
    let claims: Vec<Value> = report
        .claims
        .iter()
        .map(|claim| {
            json!({"char_start": claim.span.char_start, "char_end": claim.span.char_end, "kind": claim.kind.as_str(),
                   "status": claim.status.as_str(), "support": claim.support, "reason": claim.reason})
        })
        .collect();
    Ok(json!({"support": report.support, "context_relevance": report.context_relevance, "claims": claims}))
}

/// The join of a model by its name and the SHA-256 of its file, fitted on the rows that are read.
fn joined(arguments: &[String]) -> anyhow::Result<String> {
    let argument = |at: usize| arguments.get(at).context("usage: grounding-features join NAME SHA256");
    let mut rows = Vec::new();
    for line in std::io::stdin().lock().lines() {
        let row: Value = serde_json::from_str(&line?)?;
        let number = |key: &str| row[key].as_f64().with_context(|| format!("a row has no number `{key}`"));
        rows.push(Row {
            own: number("own")?,
            said: Said::Two { difference: number("difference")? },
            supported: row["supported"].as_bool().context("a row has no `supported`")?,
            weight: 1.0,
        });
    }
    let join = join::fit(argument(1)?, argument(2)?, &rows).map_err(anyhow::Error::msg)?;
    Ok(serde_json::to_string(&join)?)
}
