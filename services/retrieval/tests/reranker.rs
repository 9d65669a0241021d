//! A reranker behind a hybrid search: what it orders, where it is not asked, what is said where it does not answer.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;
#[path = "../../../libs/models/tests/small/made.rs"]
#[allow(dead_code)]
mod made;

use std::path::Path;
use std::sync::Arc;

use assay_domain::Code;
use assay_domain::evidence::SearchMode;
use assay_retrieval::adapters::embedded::EmbeddedStore;
use assay_retrieval::adapters::hashing::Hashing;
use assay_retrieval::ports::Reranker;
use assay_retrieval::search::{Request, Response};
use assay_retrieval::{Error, Options, Retrieval, assemble};
use async_trait::async_trait;
use common::{file, ingest, options};
use made::{Model, Output};

/// The more often a page says "loop", the better for both legs.
const PAGES: [(&str, &str); 3] = [
    ("a.md", "# Loops\n\nA loop is a loop.\n"),
    ("b.md", "# Ranges\n\nA loop over a range of numbers.\n"),
    ("c.md", "# Steps\n\nSome loop takes steps of two, and ends there with its last number.\n"),
];

/// Makes a reranker that likes a word.
fn likes(folder: &Path, word: &str) -> Options {
    std::fs::create_dir_all(folder).unwrap();
    Model { output: Output::Input, own: &[], all: &[(word, [3.0])], config: "{}" }.write(folder);
    Options { reranker_model: folder.display().to_string(), ..options(&folder.join("data")) }
}

async fn search(service: &Retrieval, mode: SearchMode, limit: usize) -> Response {
    service.search("local", &Request { mode, limit, ..Request::new("loop") }).await.unwrap()
}

fn order(found: &Response) -> Vec<&str> {
    found.hits.iter().map(|hit| hit.source.path.as_str()).collect()
}

async fn fill(service: &Retrieval) {
    ingest(service, PAGES.map(|(path, text)| file(path, text)).to_vec()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reranker_orders_a_hybrid_search_and_no_other() {
    let folder = tempfile::tempdir().unwrap();
    let wanted = likes(&folder.path().join("small"), "steps");
    let plain = assemble(Options { reranker_model: "off".into(), ..wanted.clone() }).unwrap();
    fill(&plain).await;
    let fused = search(&plain, SearchMode::Hybrid, 8).await;
    assert_eq!(order(&fused)[0], "a.md");

    let service = assemble(wanted.clone()).unwrap();
    let found = search(&service, SearchMode::Hybrid, 8).await;
    assert_eq!(order(&found)[0], "c.md");
    assert!(found.hits.iter().all(|hit| (1.0..=2.0).contains(&hit.score) && hit.bm25.is_some()));
    assert!(found.hits.windows(2).all(|pair| pair[0].score >= pair[1].score));
    // It reads more passages than are wanted, or it could not lift one.
    assert_eq!(order(&search(&service, SearchMode::Hybrid, 1).await), ["c.md"]);
    let words = search(&service, SearchMode::Bm25Only, 8).await;
    assert_eq!(order(&words), order(&search(&plain, SearchMode::Bm25Only, 8).await));

    let two = assemble(Options { rerank_depth: 2, ..wanted }).unwrap();
    let found = search(&two, SearchMode::Hybrid, 8).await;
    assert_eq!(order(&found)[2], "c.md", "the third of the fused order is not read");
    assert!(found.hits[2].score <= 1.0);
}

/// A reranker that cannot work, or never ends.
struct Broken(bool);

#[async_trait]
impl Reranker for Broken {
    fn model(&self) -> &str {
        "rerank:broken@0"
    }

    async fn score(&self, _: &str, _: Vec<String>) -> Result<Vec<f64>, Error> {
        if self.0 { std::future::pending().await } else { Err(Error::Reranking("out of memory".into())) }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn without_scores_the_fused_order_stays_and_the_reply_says_so() {
    for (slow, reason) in [(true, "more than 0.001 s"), (false, "out of memory")] {
        let folder = tempfile::tempdir().unwrap();
        let options = Options { rerank_timeout: 0.001, ..options(folder.path()) };
        let plain = assemble(options.clone()).unwrap();
        fill(&plain).await;
        let store = Arc::new(EmbeddedStore::new(folder.path()));
        let embedder = Arc::new(Hashing::default());
        let service = Retrieval::new(options, store, embedder, Some(Arc::new(Broken(slow))));
        let found = search(&service, SearchMode::Hybrid, 2).await;
        assert_eq!(found.hits, search(&plain, SearchMode::Hybrid, 2).await.hits);
        assert_eq!(found.degraded[0].leg, "rerank");
        assert!(found.degraded[0].reason.contains(reason), "{}", found.degraded[0].reason);
    }
}

#[test]
fn a_reranker_that_cannot_be_used_stops_the_start() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["missing", "./missing"] {
        let options = Options { reranker_model: name.into(), ..options(folder.path()) };
        let failure = assemble(options).unwrap_err();
        assert_eq!(
            (failure.code, failure.field.as_str()),
            (Code::Configuration, "retrieval.reranker_model"),
            "{failure}"
        );
        assert!(failure.message.contains("off"), "{failure}");
    }
}
