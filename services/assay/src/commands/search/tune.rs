//! `assay search --tune`: weights of the two legs for a collection, chosen on half of the judged queries and measured on
//! the other half.

use std::collections::{BTreeMap, HashSet};
use std::path::Path;

use assay_domain::fusion::{Scored, combine};
use assay_domain::{Code, Failure, Hit};
use assay_proto::retrieval as wire;
use assay_retrieval::Weights;
use serde::Serialize;
use serde_json::Value;

use super::Line;
use crate::clients::{BUDGET, Clients, LONG_BUDGET, failure};
use crate::flags::Global;

/// Hits whose order counts.
const DEPTH: usize = 10;
/// Hits that each leg contributes, as in a search.
const LEG_DEPTH: u32 = 50;
/// Weights of the BM25 leg that are tried, in tenths; the other leg has the rest.
const TENTHS: std::ops::RangeInclusive<u32> = 0..=10;
/// Fewest judged queries.
const FEWEST: usize = 20;

/// What was found.
#[derive(Debug, Serialize)]
struct Tuned {
    collection: String,
    /// Judged queries; every other one was kept aside.
    queries: usize,
    /// The weights that are best on the first half, if they are better than the default ones on the half kept aside; else
    /// the default ones.
    weights: Weights,
    /// Mean nDCG@10 over the half kept aside.
    kept_aside: Figures,
}

/// nDCG@10 by way of searching.
#[derive(Debug, Serialize)]
struct Figures {
    weights: f64,
    default: f64,
    bm25: f64,
    knn: f64,
}

/// The ranking of each leg for one query, and what is relevant.
struct Judged {
    bm25: Vec<Found>,
    knn: Vec<Found>,
    relevant: BTreeMap<String, f64>,
}

/// A hit by its id and its path; either may be judged.
struct Found {
    id: String,
    path: String,
    /// The leg's own score.
    score: f64,
}

/// Runs the command.
///
/// # Errors
/// A file that cannot be read, too few judged queries, what retrieval says.
pub(super) async fn run(
    global: &Global,
    clients: &Clients,
    collection: &str,
    queries: &Path,
    judgements: &Path,
) -> Result<u8, Failure> {
    let judged = judge(clients, collection, &read_queries(queries)?, &read_judgements(judgements)?).await?;
    if judged.len() < FEWEST {
        let text = format!("{} queries are judged; at least {FEWEST} are needed", judged.len());
        return Err(Failure::new(Code::InvalidArgument, text).field("tune"));
    }
    let (seen, aside): (Vec<_>, Vec<_>) = judged.iter().enumerate().partition(|(place, _)| place % 2 == 0);
    let half = |half: &[(usize, &Judged)], weights| {
        half.iter().map(|(_, one)| ndcg(one, weights)).sum::<f64>() / half.len() as f64
    };
    let default = Weights::default();
    let mut best = (default, half(&seen, default));
    for weights in candidates() {
        let figure = half(&seen, weights);
        if figure > best.1 {
            best = (weights, figure);
        }
    }
    let by_default = half(&aside, default);
    let chosen = if half(&aside, best.0) > by_default { best.0 } else { default };
    let tuned = Tuned {
        collection: if collection.is_empty() { "default".to_owned() } else { collection.to_owned() },
        queries: judged.len(),
        weights: chosen,
        kept_aside: Figures {
            weights: half(&aside, chosen),
            default: by_default,
            bm25: half(&aside, Weights { bm25: 1.0, knn: 0.0 }),
            knn: half(&aside, Weights { bm25: 0.0, knn: 1.0 }),
        },
    };
    if global.json {
        println!("{:#}", serde_json::json!(tuned));
    } else {
        print!("{}", toml(&tuned));
    }
    Ok(0)
}

/// The section of the settings, with its evidence.
fn toml(tuned: &Tuned) -> String {
    let Figures { weights, default, bm25, knn } = tuned.kept_aside;
    format!(
        "# nDCG@10 over {} queries kept aside: {weights:.3}; default weights {default:.3}, BM25 alone {bm25:.3}, kNN alone \
         {knn:.3}\n[retrieval.weights.{:?}]\nbm25 = {:.1}\nknn = {:.1}\n",
        tuned.queries / 2,
        tuned.collection,
        tuned.weights.bm25,
        tuned.weights.knn
    )
}

fn candidates() -> impl Iterator<Item = Weights> {
    TENTHS.map(|tenth| Weights { bm25: f64::from(tenth) / 10.0, knn: f64::from(10 - tenth) / 10.0 })
}

fn named(found: &[Found]) -> Vec<(&str, f64)> {
    found.iter().map(|one| (one.id.as_str(), one.score)).collect()
}

/// nDCG@10 of one query (Järvelin and Kekäläinen, 2002): gains by rank, `1 / log2(rank + 1)`, beside the best order.
fn ndcg(judged: &Judged, weights: Weights) -> f64 {
    // A leg without weight is left out, or its hits would follow those of the other.
    let mut rankings = vec![
        Scored::bm25(named(&judged.bm25), weights.bm25),
        Scored::cosine(named(&judged.knn), weights.knn),
    ];
    rankings.retain(|ranking| ranking.weight > 0.0);
    let paths: BTreeMap<&str, &str> =
        judged.bm25.iter().chain(&judged.knn).map(|one| (one.id.as_str(), one.path.as_str())).collect();
    let discount = |place: usize| 1.0 / (place as f64 + 2.0).log2();
    let mut counted = HashSet::new();
    let mut gain = 0.0;
    for (place, hit) in combine(&rankings).iter().take(DEPTH).enumerate() {
        let path = paths.get(hit.id).copied().unwrap_or_default();
        let key = [hit.id, path].into_iter().find(|key| judged.relevant.contains_key(*key));
        // Several passages of a relevant page count once.
        if let Some(key) = key.filter(|key| counted.insert((*key).to_owned())) {
            gain += judged.relevant.get(key).copied().unwrap_or(0.0) * discount(place);
        }
    }
    let mut best: Vec<f64> = judged.relevant.values().copied().collect();
    best.sort_by(|a, b| b.total_cmp(a));
    let ideal: f64 = best.iter().take(DEPTH).enumerate().map(|(place, value)| value * discount(place)).sum();
    if ideal > 0.0 { gain / ideal } else { 0.0 }
}

async fn judge(
    clients: &Clients,
    collection: &str,
    queries: &[(String, String)],
    judgements: &BTreeMap<String, BTreeMap<String, f64>>,
) -> Result<Vec<Judged>, Failure> {
    let context = clients.context(LONG_BUDGET);
    let mut retrieval = clients.retrieval()?;
    let mut out = Vec::new();
    for (id, text) in queries {
        let Some(relevant) = judgements.get(id) else { continue };
        let mut leg = async |mode: wire::SearchMode| {
            let request = wire::SearchRequest {
                query: text.clone(),
                collection: collection.to_owned(),
                mode: mode.into(),
                limit: LEG_DEPTH,
                ..wire::SearchRequest::default()
            };
            let reply = retrieval.search(context.capped(BUDGET).request(request)).await.map_err(failure)?;
            let hits: Vec<Hit> = assay_wire::list_from_wire("hits", reply.into_inner().hits)?;
            let found = hits.into_iter().map(|hit| Found {
                id: hit.source.id,
                path: hit.source.path,
                score: hit.score,
            });
            Ok::<_, Failure>(found.collect())
        };
        let (bm25, knn) = (leg(wire::SearchMode::Bm25Only).await?, leg(wire::SearchMode::KnnOnly).await?);
        out.push(Judged { bm25, knn, relevant: relevant.clone() });
    }
    Ok(out)
}

fn read(path: &Path) -> Result<String, Failure> {
    std::fs::read_to_string(path).map_err(|error| crate::batch::unreadable(path, &error))
}

fn wrong(path: &Path, line: usize, what: &str) -> Failure {
    let text = format!("{}, line {}: {what}", path.display(), line + 1);
    Failure::new(Code::InvalidArgument, text).field("tune")
}

/// Lines {id, text}.
fn read_queries(path: &Path) -> Result<Vec<(String, String)>, Failure> {
    let text = read(path)?;
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    lines
        .map(|(number, line)| {
            let line: Line =
                serde_json::from_str(line).map_err(|error| wrong(path, number, &error.to_string()))?;
            let id = match line.id {
                Value::String(id) => id,
                other => other.to_string(),
            };
            Ok((id, line.text))
        })
        .collect()
}

/// TREC judgements (`query 0 document relevance`), or three columns without the second; a first line of names is skipped.
fn read_judgements(path: &Path) -> Result<BTreeMap<String, BTreeMap<String, f64>>, Failure> {
    let mut out: BTreeMap<String, BTreeMap<String, f64>> = BTreeMap::new();
    for (number, line) in read(path)?.lines().enumerate() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let (query, document, value) = match words[..] {
            [] => continue,
            [query, _, document, value] | [query, document, value] => (query, document, value),
            _ => {
                return Err(wrong(
                    path,
                    number,
                    "three or four columns are needed: query, (0,) document, relevance",
                ));
            }
        };
        match value.parse::<f64>() {
            Ok(value) if value > 0.0 => {
                out.entry(query.to_owned()).or_default().insert(document.to_owned(), value);
            }
            Ok(_) => {}
            Err(_) if number == 0 => {}
            Err(_) => return Err(wrong(path, number, &format!("{value:?} is no relevance"))),
        }
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(ids: &[&str]) -> Vec<Found> {
        let score = |place: usize| 1.0 / (place as f64 + 1.0);
        let found = |(place, id): (usize, &&str)| Found {
            id: (*id).to_owned(),
            path: format!("{id}.md"),
            score: score(place),
        };
        ids.iter().enumerate().map(found).collect()
    }

    #[test]
    fn gains_are_discounted_by_rank() {
        let relevant = |keys: &[&str]| keys.iter().map(|key| ((*key).to_owned(), 1.0)).collect();
        let judged = Judged { bm25: found(&["a", "b"]), knn: found(&["b", "a"]), relevant: relevant(&["b"]) };
        assert!((ndcg(&judged, Weights { bm25: 0.0, knn: 1.0 }) - 1.0).abs() < 1e-9);
        assert!((ndcg(&judged, Weights { bm25: 1.0, knn: 0.0 }) - 1.0 / 3_f64.log2()).abs() < 1e-9);
        let by_path = Judged { relevant: relevant(&["b.md"]), ..judged };
        assert!((ndcg(&by_path, Weights { bm25: 0.0, knn: 1.0 }) - 1.0).abs() < 1e-9);
    }
}
