//! `assay router`: classify messages; train, measure and promote heads; read what was collected.

mod args;
mod collected;
mod eval;
mod explain;
mod labelled;
mod show;
mod train;

pub use args::{Classify, Drift, Eval, Explain, Export, Promote, Router, Show, Train};

use assay_api as api;
use assay_domain::question::HistoryEntry;
use assay_domain::{Code, Failure, QueryType};
use assay_proto::router as wire;
use assay_wire::ToWire as _;
use serde_json::{Value, json};

use crate::batch;
use crate::clients::{BUDGET, Clients, LONG_BUDGET, failure};
use crate::flags::Global;
use crate::settings::Settings;

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
pub async fn run(
    global: &Global,
    command: &Router,
    settings: &Settings,
    clients: &Clients,
) -> Result<u8, Failure> {
    match command {
        Router::Classify(args) => classify(global, args, clients).await,
        Router::Explain(args) => explain::run(global, args, settings, clients).await,
        Router::Train(args) => train::run(global, args, clients).await,
        Router::Eval(args) => eval::run(global, args, settings, clients).await,
        Router::Show(args) => show::show(global, args, settings, clients).await,
        Router::Promote(args) => show::promote(global, args, settings, clients).await,
        Router::Export(args) => collected::export(global, args, settings).await,
        Router::Drift(args) => collected::drift(global, args, settings).await,
        Router::Rollback => show::roll_back(global, settings),
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
