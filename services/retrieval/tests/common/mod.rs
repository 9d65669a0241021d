//! What the tests of this crate share: a service over the embedded adapters in a temporary folder.
#![allow(
    dead_code,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    clippy::disallowed_methods
)]

use assay_domain::Failure;
use assay_retrieval::corpus::Manifest;
use assay_retrieval::ingest::{Header, Part, Progress};
use assay_retrieval::{EmbedderChoice, Options, Retrieval, assemble};
use std::path::{Path, PathBuf};
use tokio::sync::mpsc;

pub(crate) mod model;

/// The folder in which `assay models pull` put the embedding model, if the environment names one; says so loudly if not.
pub(crate) fn models_dir() -> Option<PathBuf> {
    let found = std::env::var_os("ASSAY_MODELS_DIR").map(PathBuf::from);
    if found.is_none() {
        assay_testkit::external::loudly(format_args!(
            "SKIPPED: ASSAY_MODELS_DIR names no folder in which `assay models pull` put the embedding model"
        ));
    }
    found
}

/// Settings of a real cluster with index names of their own, if the environment names one; says so loudly if not.
pub(crate) fn elastic(neighbours: assay_elastic::Neighbours) -> Option<assay_elastic::Options> {
    let url = assay_testkit::external::from_environment("ASSAY_TEST_ES_URL")?;
    let unique = hex::encode(assay_rpc::entropy::bytes10());
    Some(assay_elastic::Options {
        urls: vec![url],
        prefix: format!("t{unique}"),
        replicas: 0,
        neighbours,
        alias_ms: 0,
        ..assay_elastic::Options::default()
    })
}

/// Settings over a folder, with the embedder that needs no model.
pub(crate) fn options(data_dir: &Path) -> Options {
    Options { data_dir: data_dir.to_owned(), embedder: EmbedderChoice::Hashing, ..Options::default() }
}

pub(crate) fn service(data_dir: &Path) -> Retrieval {
    assemble(options(data_dir)).unwrap()
}

pub(crate) fn file(path: &str, text: &str) -> Part {
    Part::File { path: path.to_owned(), content: text.as_bytes().to_vec(), commit: String::new() }
}

pub(crate) fn item(id: &str, title: &str, text: &str) -> Part {
    Part::Item { id: id.to_owned(), title: title.to_owned(), text: text.to_owned() }
}

/// Ingests parts and gives the manifest, the last state and everything that was left out.
pub(crate) async fn ingest_with(
    service: &Retrieval,
    header: &Header,
    parts: Vec<Part>,
) -> Result<(Manifest, Progress, Vec<String>), Failure> {
    let (events, mut told) = mpsc::channel(4);
    let mut skipped = Vec::new();
    let work = async {
        let done = service
            .ingest("local", header, futures::stream::iter(parts.into_iter().map(Ok)), &events, 1_000)
            .await;
        drop(events);
        done
    };
    let watch = async {
        while let Some(progress) = told.recv().await {
            skipped.extend(
                progress.skipped.into_iter().map(|entry| format!("{}: {}", entry.path, entry.reason)),
            );
        }
    };
    let (done, ()) = futures::join!(work, watch);
    let (manifest, last) = done?;
    skipped.extend(last.skipped.iter().map(|entry| format!("{}: {}", entry.path, entry.reason)));
    Ok((manifest, last, skipped))
}

/// Ingests into the default collection.
pub(crate) async fn ingest(service: &Retrieval, parts: Vec<Part>) -> Manifest {
    ingest_with(service, &Header::default(), parts).await.unwrap().0
}

/// Folder of the default collection of tenant `local`.
pub(crate) fn collection_folder(data_dir: &Path) -> PathBuf {
    data_dir.join("local").join("default")
}

/// One request to the cluster of a test, without a client of ours.
fn curl(cluster: &assay_elastic::Options, method: &str, path: &str) -> String {
    let url = format!("{}/{path}", cluster.urls[0]);
    let out = std::process::Command::new("curl").args(["-sS", "-X", method, &url]).output().unwrap();
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    String::from_utf8(out.stdout).unwrap()
}

/// Removes what a test wrote to a cluster.
pub(crate) fn remove_indexes(cluster: &assay_elastic::Options) {
    let names = curl(cluster, "GET", &format!("_cat/indices/{}-*?h=index", cluster.prefix));
    let names: Vec<&str> = names.lines().map(str::trim).collect();
    if !names.is_empty() {
        curl(cluster, "DELETE", &names.join(","));
    }
}

/// Deletes the first document of the current indexes whose id begins so.
pub(crate) fn delete_document(cluster: &assay_elastic::Options, start: &str) {
    let alias = format!("{}-current-*", cluster.prefix);
    let found =
        curl(cluster, "GET", &format!("{alias}/_search?size=100&filter_path=hits.hits._index,hits.hits._id"));
    let found: serde_json::Value = serde_json::from_str(&found).unwrap();
    let hit = found["hits"]["hits"]
        .as_array()
        .unwrap()
        .iter()
        .find(|hit| hit["_id"].as_str().unwrap().starts_with(start));
    let hit = hit.unwrap();
    let (index, id) = (hit["_index"].as_str().unwrap(), hit["_id"].as_str().unwrap());
    curl(cluster, "DELETE", &format!("{index}/_doc/{id}?refresh=true"));
}
