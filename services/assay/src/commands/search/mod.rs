//! `assay search`: passages with both legs' ranks, one by one or in batches.

mod args;
mod tune;

pub use args::{Legs, Search};

use std::io::Write as _;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use assay_api as api;
use assay_domain::{Failure, Hit};
use assay_proto::retrieval as wire;
use serde_json::{Value, json};

use crate::batch;
use crate::clients::{BUDGET, Clients, LONG_BUDGET, failure};
use crate::flags::Global;
use crate::output;

/// A line of a batch.
#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    id: Value,
    text: String,
}

const FIELDS: &[&str] = &["id", "text"];

/// What a search found, as an object of the output.
#[derive(serde::Serialize)]
struct Found<'a> {
    /// Best first.
    hits: Vec<api::Hit<'a>>,
    /// Manifest of the searched index; empty where there is none.
    index_manifest: &'a str,
    /// Parts of the search that could not be used: `bm25`, `knn`.
    degraded: &'a [String],
    /// Why, one for each leg, in the same order.
    degraded_reasons: &'a [String],
}

/// Hits by query, for a TREC run.
type Runs = Vec<(String, Vec<Hit>)>;

/// Runs the command.
///
/// # Errors
/// What retrieval says, or a file that cannot be read or written.
pub async fn run(global: &Global, args: &Search, clients: &Clients) -> Result<u8, Failure> {
    if let Some([queries, judgements]) = args.tune.as_deref() {
        return tune::run(global, clients, &args.collection, queries, judgements).await;
    }
    if let Some(path) = &args.jsonl {
        return batch(args, clients, path).await;
    }
    let query = args.query.clone().unwrap_or_default();
    let mut retrieval = clients.retrieval()?;
    let reply = retrieval
        .search(clients.context(BUDGET).request(request(args, query)))
        .await
        .map_err(failure)?
        .into_inner();
    let hits: Vec<Hit> = assay_wire::list_from_wire("hits", reply.hits)?;
    if let Some(path) = &args.run_file {
        write_run(path, &[("q".to_owned(), hits.clone())])?;
    }
    if global.json {
        let found = Found {
            hits: hits.iter().map(api::Hit::from).collect(),
            index_manifest: &reply.index_manifest,
            degraded: &reply.degraded,
            degraded_reasons: &reply.degraded_reasons,
        };
        println!("{:#}", json!(found));
    } else {
        output::hits(&hits, &reply.degraded, &reply.degraded_reasons);
    }
    Ok(0)
}

fn request(args: &Search, query: String) -> wire::SearchRequest {
    let mode = match args.mode {
        Legs::Hybrid => wire::SearchMode::Hybrid,
        Legs::Knn => wire::SearchMode::KnnOnly,
        Legs::Bm25 => wire::SearchMode::Bm25Only,
    };
    wire::SearchRequest {
        query,
        further_queries: Vec::new(),
        collection: args.collection.clone(),
        mode: mode.into(),
        limit: args.k,
        filter: Some(wire::Filter {
            paths: args.path.clone(),
            kinds: args.kind.clone(),
            languages: args.language.clone(),
            tags: args.tag.clone(),
        }),
    }
}

async fn batch(args: &Search, clients: &Clients, path: &Path) -> Result<u8, Failure> {
    let retrieval = clients.retrieval()?;
    let context = clients.context(LONG_BUDGET);
    let lenient = args.lenient_input;
    let template = request(args, String::new());
    let collected: Arc<Mutex<Runs>> = Arc::default();
    let keep = args.run_file.is_some();
    let totals = batch::run(path, "searches", |line| {
        let (mut retrieval, context) = (retrieval.clone(), context.clone());
        let (mut request, collected) = (template.clone(), Arc::clone(&collected));
        async move {
            let line: Line = batch::decode(&line, lenient, FIELDS)?;
            request.query = line.text;
            let reply = retrieval
                .search(context.capped(BUDGET).request(request))
                .await
                .map_err(failure)?
                .into_inner();
            let hits: Vec<Hit> = assay_wire::list_from_wire("hits", reply.hits)?;
            let answer = json!(api::Found::new(&Value::Null, &hits));
            if keep {
                let id = line.id.as_str().map_or_else(|| line.id.to_string(), str::to_owned);
                collected.lock().unwrap_or_else(PoisonError::into_inner).push((id, hits));
            }
            Ok(answer)
        }
    })
    .await?;
    if let Some(path) = &args.run_file {
        let mut runs = std::mem::take(&mut *collected.lock().unwrap_or_else(PoisonError::into_inner));
        runs.sort_by(|a, b| a.0.cmp(&b.0));
        write_run(path, &runs)?;
    }
    Ok(totals.code)
}

/// TREC run format: query, `Q0`, document, rank, score, tag.
fn write_run(path: &Path, runs: &[(String, Vec<Hit>)]) -> Result<(), Failure> {
    let write = || -> std::io::Result<()> {
        let mut file = std::io::BufWriter::new(std::fs::File::create(path)?);
        for (query, hits) in runs {
            for (rank, hit) in hits.iter().enumerate() {
                writeln!(file, "{query} Q0 {} {} {:.6} assay", hit.source.id, rank + 1, hit.score)?;
            }
        }
        file.flush()
    };
    write().map_err(|error| batch::unreadable(path, &error))
}
