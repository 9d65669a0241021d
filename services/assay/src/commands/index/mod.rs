//! `assay index`: what collections hold, in what they differ, whether their sources changed since.

mod args;
mod drift;

pub use args::Index;

use std::path::PathBuf;

use assay_api as api;
use assay_domain::Failure;
use assay_proto::retrieval as wire;
use serde::Serialize;
use serde_json::json;

use crate::clients::{BUDGET, Clients, LONG_BUDGET, failure};
use crate::flags::Global;
use crate::output::shown;
use drift::{Drift, Known};

/// What a collection holds.
struct Described {
    manifest: wire::Manifest,
    documents: Vec<wire::IndexedDocument>,
}

/// A collection, as an object of the output.
#[derive(Serialize)]
struct Shown<'a> {
    #[serde(flatten)]
    manifest: api::Manifest<'a>,
    /// Every document, if asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    documents: Option<Vec<Document<'a>>>,
}

/// A document, as an object of the output.
#[derive(Serialize)]
struct Document<'a> {
    key: &'a str,
    title: &'a str,
    kind: &'a str,
    /// SHA-256 of the text.
    sha256: &'a str,
    bytes: u64,
    lines: u32,
    chunks: u32,
    #[serde(skip_serializing_if = "str::is_empty")]
    commit: &'a str,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    tags: &'a [String],
}

/// Runs a command.
///
/// # Errors
/// What retrieval says, or a file that cannot be read.
pub async fn run(global: &Global, command: &Index, clients: &Clients) -> Result<u8, Failure> {
    match command {
        Index::List => list(global, clients).await,
        Index::Show { collection, files } => show(global, clients, collection, *files).await,
        Index::Diff { one, other } => diff(global, clients, one, other).await,
        Index::Verify { collection, commit, paths } => {
            verify(global, clients, collection, commit.clone(), paths).await
        }
        Index::Delete { collection } => delete(global, clients, collection).await,
    }
}

async fn list(global: &Global, clients: &Clients) -> Result<u8, Failure> {
    let request = clients.context(BUDGET).request(wire::ListCollectionsRequest {});
    let there = clients.retrieval()?.list_collections(request).await.map_err(failure)?.into_inner();
    if global.json {
        let rows: Vec<api::Manifest<'_>> = there.collections.iter().map(api::Manifest::from).collect();
        println!("{:#}", json!(rows));
        return Ok(0);
    }
    if there.collections.is_empty() {
        crate::say!("there are no collections; `assay ingest PATH` makes one");
    }
    for manifest in &there.collections {
        println!(
            "{:24} {:>7} files {:>8} chunks  {}",
            shown(&manifest.collection),
            manifest.files,
            manifest.chunks,
            shown(&manifest.embedding_model)
        );
    }
    Ok(0)
}

async fn describe(clients: &Clients, collection: &str) -> Result<Described, Failure> {
    let request = wire::DescribeCollectionRequest { collection: collection.to_owned() };
    let request = clients.context(BUDGET).request(request);
    let mut parts = clients.retrieval()?.describe_collection(request).await.map_err(failure)?.into_inner();
    let (mut manifest, mut documents) = (None, Vec::new());
    while let Some(part) = parts.message().await.map_err(failure)? {
        manifest = manifest.or(part.manifest);
        documents.extend(part.documents);
    }
    let manifest = manifest.ok_or_else(|| Failure::internal("a description has no manifest"))?;
    Ok(Described { manifest, documents })
}

async fn show(global: &Global, clients: &Clients, collection: &str, files: bool) -> Result<u8, Failure> {
    let Described { manifest, documents } = describe(clients, collection).await?;
    if global.json {
        let documents = files.then(|| documents.iter().map(row).collect());
        println!("{:#}", json!(Shown { manifest: api::Manifest::from(&manifest), documents }));
        return Ok(0);
    }
    println!("collection  {}", shown(&manifest.collection));
    println!("manifest    {}", manifest.id);
    println!("documents   {}", manifest.files);
    println!("chunks      {}", manifest.chunks);
    println!("embeddings  {}", shown(&manifest.embedding_model));
    println!("chunker     {}", shown(&manifest.chunker));
    println!("analysis    {}", shown(&manifest.analysis));
    println!("AVAP blocks {}, {} of them invalid", manifest.lint_blocks, manifest.lint_invalid_blocks);
    for place in &manifest.lint_invalid_at {
        println!("  invalid   {}", shown(place));
    }
    if files {
        for document in &documents {
            let (hash, _) = document.sha256.split_at_checked(12).unwrap_or((&document.sha256, ""));
            println!(
                "{hash}  {:>6} lines {:>5} chunks  {}",
                document.lines,
                document.chunks,
                shown(&document.key)
            );
        }
    }
    Ok(0)
}

fn row(document: &wire::IndexedDocument) -> Document<'_> {
    Document {
        key: &document.key,
        title: &document.title,
        kind: &document.kind,
        sha256: &document.sha256,
        bytes: document.bytes,
        lines: document.lines,
        chunks: document.chunks,
        commit: &document.commit,
        tags: &document.tags,
    }
}

fn known(documents: &[wire::IndexedDocument]) -> Known {
    documents.iter().map(|document| (document.key.clone(), document.sha256.clone())).collect()
}

async fn diff(global: &Global, clients: &Clients, one: &str, other: &str) -> Result<u8, Failure> {
    let (before, after) = (describe(clients, one).await?, describe(clients, other).await?);
    let drift = Drift::between(&known(&before.documents), &known(&after.documents));
    Ok(told(global, &drift))
}

async fn verify(
    global: &Global,
    clients: &Clients,
    collection: &str,
    commit: Option<String>,
    paths: &[PathBuf],
) -> Result<u8, Failure> {
    let mut indexed = known(&describe(clients, collection).await?.documents);
    let paths = paths.to_vec();
    let found = assay_rpc::task::blocking(move || drift::on_disk(&paths, commit.as_deref()));
    let found = found.await.map_err(|panic| Failure::internal(panic.to_string()))??;
    // Only what lies below the given paths is compared: a collection may hold other folders as well.
    indexed.retain(|key, _| found.covers(key));
    Ok(told(global, &Drift::between(&indexed, &found.files)))
}

/// Prints a drift; gives the exit code.
fn told(global: &Global, drift: &Drift) -> u8 {
    if global.json {
        println!("{:#}", json!(drift));
    } else {
        print!("{drift}");
    }
    u8::from(!drift.is_none())
}

async fn delete(global: &Global, clients: &Clients, collection: &str) -> Result<u8, Failure> {
    let request = wire::DeleteCollectionRequest { collection: collection.to_owned() };
    let request = clients.context(LONG_BUDGET).request(request);
    clients.retrieval()?.delete_collection(request).await.map_err(failure)?;
    if global.json {
        println!("{:#}", json!({ "deleted": collection }));
    } else {
        println!("collection {} is deleted", shown(collection));
    }
    Ok(0)
}
