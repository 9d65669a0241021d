//! `assay eval compare-embeddings`: the questions of a golden file over several indices, by their vectors alone.

use std::path::Path;

use assay_domain::{Code, Failure, Hit};
use assay_evaluation::golden;
use assay_proto::evaluation::GoldenItem;
use assay_proto::retrieval as wire;
use assay_scoring::Place;
use assay_scoring::ranking::{DEPTH, Found, Ranked, Searched, rank};
use comfy_table::Table;
use comfy_table::presets::NOTHING;
use indicatif::ProgressBar;

use super::args::CompareEmbeddings;
use super::folder::pretty;
use super::render::{interval, number};
use crate::batch;
use crate::clients::{BUDGET, Clients, LONG_BUDGET, failure};
use crate::flags::Global;

/// Searches, and ranks what was found.
///
/// # Errors
/// What retrieval says, a file that cannot be read or written, searches that cannot be compared.
pub async fn compare_embeddings(
    global: &Global,
    args: &CompareEmbeddings,
    clients: &Clients,
) -> Result<u8, Failure> {
    let items = golden::read(&batch::read(&args.golden)?)?;
    let mut searched = Vec::new();
    for collection in &args.collections {
        searched.push(search(clients, collection, &items).await?);
    }
    if let Some(path) = &args.keep {
        let line = |one: &Searched| serde_json::to_string(one).map(|line| line + "\n");
        let lines: Result<String, serde_json::Error> = searched.iter().map(line).collect();
        let lines = lines.map_err(|error| Failure::internal(error.to_string()))?;
        std::fs::write(path, lines).map_err(|error| batch::unwritable(path, &error))?;
    }
    for path in &args.with {
        searched.extend(read(path)?);
    }
    let ranked =
        rank(&searched).map_err(|text| Failure::new(Code::InvalidArgument, text).field("collection"))?;
    if global.json {
        print!("{}", pretty(&ranked)?);
    } else {
        print!("{}", table(&ranked));
        println!("{} of {} questions name reference lines", asked(&items).count(), items.len());
    }
    Ok(0)
}

/// Questions that name reference lines.
fn asked(items: &[GoldenItem]) -> impl Iterator<Item = &GoldenItem> {
    items.iter().filter(|item| !item.contexts.is_empty())
}

async fn search(clients: &Clients, collection: &str, items: &[GoldenItem]) -> Result<Searched, Failure> {
    let mut retrieval = clients.retrieval()?;
    let context = clients.context(LONG_BUDGET);
    let mut searched = Searched {
        format: Searched::FORMAT,
        golden_sha256: golden::sha256(items.iter()),
        name: collection.to_owned(),
        index: String::new(),
        embedding: String::new(),
        mode: "knn_only".into(),
        questions: Vec::new(),
    };
    let bar = ProgressBar::new(asked(items).count() as u64);
    for item in asked(items) {
        let request = wire::SearchRequest {
            query: item.question.clone(),
            collection: collection.to_owned(),
            mode: wire::SearchMode::KnnOnly.into(),
            limit: DEPTH as u32,
            ..wire::SearchRequest::default()
        };
        let reply =
            retrieval.search(context.capped(BUDGET).request(request)).await.map_err(failure)?.into_inner();
        if let Some(reason) = reply.degraded_reasons.first() {
            let text = format!("the vectors of {collection:?} cannot be searched: {reason}");
            return Err(Failure::new(Code::SearchUnavailable, text).field("collection"));
        }
        searched.index = reply.index_manifest;
        searched.embedding = reply.embedding_model;
        let hits: Vec<Hit> = assay_wire::list_from_wire("hits", reply.hits)?;
        let place = |hit: &Hit| Place {
            path: hit.source.path.clone(),
            lines: (hit.source.lines.first, hit.source.lines.last),
        };
        let reference = |lines: &assay_proto::evaluation::ReferenceLines| Place {
            path: lines.path.clone(),
            lines: (lines.first_line, lines.last_line),
        };
        searched.questions.push(Found {
            id: item.id.clone(),
            reference: item.contexts.iter().map(reference).collect(),
            hits: hits.iter().map(place).collect(),
        });
        bar.inc(1);
    }
    bar.finish_and_clear();
    Ok(searched)
}

/// Searches that an earlier call kept.
fn read(path: &Path) -> Result<Vec<Searched>, Failure> {
    let wrong = |number: usize, text: String| {
        Failure::new(Code::InvalidArgument, format!("{} line {number}: {text}", path.display())).field("with")
    };
    let line = |(number, line): (usize, &str)| {
        let one: Searched = serde_json::from_str(line).map_err(|error| wrong(number, error.to_string()))?;
        if one.format != Searched::FORMAT {
            let known = Searched::FORMAT;
            return Err(wrong(number, format!("format {}; this version reads {known}", one.format)));
        }
        Ok(one)
    };
    (1..).zip(batch::read(path)?.lines()).map(line).collect()
}

fn table(ranked: &[Ranked]) -> String {
    let mut table = Table::new();
    table.load_preset(NOTHING);
    table.set_header(["index", "nDCG@10", "95 %", "recall@10", "MRR@10", "to the best", "p", "embedding"]);
    for one in ranked {
        let (less, p) = one.to_best.as_ref().map_or((String::new(), String::new()), |difference| {
            (format!("{:+.3}", -difference.difference), format!("{:.4}", difference.p_value))
        });
        table.add_row([
            one.name.clone(),
            number(Some(one.ndcg.value)),
            interval(one.ndcg.interval),
            number(Some(one.recall.value)),
            number(Some(one.reciprocal_rank.value)),
            less,
            p,
            one.embedding.clone(),
        ]);
    }
    format!("{table}\n")
}
