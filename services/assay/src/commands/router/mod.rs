//! `assay router`: classify messages and train heads.

mod args;

pub use args::{Classify, Router, Train};

use std::path::Path;

use assay_api as api;
use assay_domain::question::HistoryEntry;
use assay_domain::{Code, Failure, QueryType};
use assay_heads::seed::{BUCKETS, Seed, seeds};
use assay_heads::{Example, Settings};
use assay_proto::router as wire;
use assay_wire::ToWire as _;
use indicatif::{ProgressBar, ProgressDrawTarget};
use serde_json::{Value, json};

use crate::batch;
use crate::clients::{BUDGET, Clients, LONG_BUDGET, failure};
use crate::flags::Global;

/// A line of a batch.
#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    #[serde(default, rename = "id")]
    _id: Value,
    text: String,
    #[serde(default)]
    history: Vec<Entry>,
    #[serde(default)]
    query_type: String,
}

/// An entry of a line's history.
#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    #[serde(rename = "type")]
    kind: String,
    topic: String,
}

const FIELDS: &[&str] = &["id", "text", "history", "query_type"];

/// Runs the command.
///
/// # Errors
/// What the router says, or a file that cannot be read.
pub async fn run(global: &Global, command: &Router, clients: &Clients) -> Result<u8, Failure> {
    match command {
        Router::Classify(args) => classify(global, args, clients).await,
        Router::Train(args) => train(global, args, clients).await,
    }
}

fn head(args: &Classify) -> Result<String, Failure> {
    args.model.as_deref().map_or(Ok(String::new()), batch::read)
}

fn item(text: String, history: &[Entry], declared: &str) -> Result<wire::ClassifyItem, String> {
    let kind = |field: &str, name: &str| {
        QueryType::from_name(name).ok_or_else(|| format!("{field}: {name:?} is no query type"))
    };
    let history: Result<Vec<_>, String> = history
        .iter()
        .map(|entry| {
            let query_type = kind("history.type", &entry.kind)?;
            Ok(HistoryEntry { query_type, topic: entry.topic.clone() }.to_wire())
        })
        .collect();
    let declared = if declared.is_empty() { None } else { Some(kind("query_type", declared)?) };
    Ok(wire::ClassifyItem { text, history: history?, declared_type: declared.to_wire() })
}

fn classification_json(classification: &wire::Classification) -> Value {
    json!(api::Classification::new(&Value::Null, classification))
}

async fn classify(global: &Global, args: &Classify, clients: &Clients) -> Result<u8, Failure> {
    let head_json = head(args)?;
    let router = clients.router()?;
    if let Some(path) = &args.jsonl {
        let context = clients.context(LONG_BUDGET);
        let lenient = args.lenient_input;
        let totals = batch::run(path, "messages classified", |line| {
            let (mut router, context, head_json) = (router.clone(), context.clone(), head_json.clone());
            async move {
                let line: Line = batch::decode(&line, lenient, FIELDS)?;
                let items = vec![item(line.text, &line.history, &line.query_type)?];
                let request = context.capped(BUDGET).request(wire::ClassifyRequest { items, head_json });
                let reply = router.classify(request).await.map_err(failure)?.into_inner();
                let first = reply.items.first().map(classification_json);
                first.ok_or_else(|| Failure::internal("the router sent no class").into())
            }
        })
        .await?;
        return Ok(totals.code);
    }
    let mut only = item(args.text.clone().unwrap_or_default(), &[], "")
        .map_err(|text| Failure::new(Code::InvalidArgument, text))?;
    only.declared_type = args.kind.map(QueryType::from).to_wire();
    let request = wire::ClassifyRequest { items: vec![only], head_json };
    let mut router = router;
    let reply =
        router.classify(clients.context(BUDGET).request(request)).await.map_err(failure)?.into_inner();
    let classification = reply.items.first().ok_or_else(|| Failure::internal("the router sent no class"))?;
    let object = classification_json(classification);
    if global.json {
        println!("{object:#}");
    } else {
        println!("{} {:.3} ({})", classification.label, classification.probability, classification.because);
    }
    Ok(0)
}

/// A labelled line.
#[derive(Debug, serde::Deserialize)]
struct Labelled {
    text: String,
    #[serde(default)]
    label: String,
}

impl From<Seed> for Labelled {
    fn from(seed: Seed) -> Self {
        Self { text: seed.text, label: seed.query_type.to_string() }
    }
}

fn labelled(path: &Path) -> Result<Vec<Labelled>, Failure> {
    let mut lines = Vec::new();
    for (index, line) in batch::read(path)?.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let line: Labelled = serde_json::from_str(line).map_err(|error| {
            Failure::new(Code::InvalidArgument, format!("{} line {}: {error}", path.display(), index + 1))
        })?;
        lines.push(line);
    }
    Ok(lines)
}

async fn train(global: &Global, args: &Train, clients: &Clients) -> Result<u8, Failure> {
    let data = match &global.training_data {
        Some(path) => labelled(path)?,
        None => seeds()?.into_iter().map(Labelled::from).collect(),
    };
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
    let mut model = String::new();
    let mut sets = vec![embedded(clients, data, &mut model, &bar).await?];
    for path in [args.calibrate.as_ref(), args.oos.as_ref()] {
        let lines = path.map_or_else(|| Ok(Vec::new()), |path| labelled(path))?;
        sets.push(embedded(clients, lines, &mut model, &bar).await?);
    }
    bar.finish_and_clear();
    let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let buckets = args.buckets.unwrap_or(if args.seed || model.is_empty() { BUCKETS } else { 0 });
    let settings = Settings { buckets, balanced: args.balanced, threads, ..Settings::default() };
    let head = assay_rpc::task::blocking(move || {
        let (data, calibrate, outside) = (&sets[0], &sets[1], &sets[2]);
        assay_heads::train(data, calibrate, outside, &model, settings)
    })
    .await
    .map_err(Failure::from)??;
    let text = head.to_json();
    std::fs::write(&args.out, &text).map_err(|error| batch::unreadable(&args.out, &error))?;
    if global.json {
        println!("{text}");
    } else {
        let report = &head.report;
        println!(
            "{} examples, calibrated on {}: accuracy {:.3}, written to {}",
            report.trained_on,
            report.calibrated_on,
            report.calibration_accuracy,
            args.out.display()
        );
    }
    Ok(0)
}

/// Texts in one `Embed` call.
const EMBED_BATCH: usize = 128;

/// Embeds labelled lines; `model` becomes the identity of the embedding model.
async fn embedded(
    clients: &Clients,
    lines: Vec<Labelled>,
    model: &mut String,
    bar: &ProgressBar,
) -> Result<Vec<Example>, Failure> {
    let mut retrieval = clients.retrieval()?;
    let context = clients.context(LONG_BUDGET);
    let mut examples = Vec::with_capacity(lines.len());
    for piece in lines.chunks(EMBED_BATCH) {
        let texts = piece.iter().map(|line| line.text.clone()).collect();
        let request = context.request(assay_proto::retrieval::EmbedRequest { texts });
        let reply = retrieval.embed(request).await.map_err(failure)?.into_inner();
        *model = if reply.hashed { String::new() } else { reply.embedding_model };
        for (line, vector) in piece.iter().zip(reply.vectors) {
            let vector = if reply.hashed { Vec::new() } else { vector.values };
            examples.push(Example { text: line.text.clone(), label: line.label.clone(), vector });
        }
        bar.set_message("texts embedded");
        bar.inc(piece.len() as u64);
    }
    Ok(examples)
}
