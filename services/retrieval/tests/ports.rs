//! One conformance suite for every adapter of a port.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use assay_chunk::CHUNKER;
use assay_elastic::Neighbours;
use assay_models::minilm::NAME;
use assay_models::store;
use assay_retrieval::Embedding;
use assay_retrieval::Error;
use assay_retrieval::adapters::elastic::ElasticStore;
use assay_retrieval::adapters::embedded::EmbeddedStore;
use assay_retrieval::adapters::hashing::Hashing;
use assay_retrieval::adapters::minilm::MiniLm;
use assay_retrieval::adapters::onnx::Onnx;
use assay_retrieval::adapters::remote::{Protocol, Remote};
use assay_retrieval::corpus::{
    Document, EmbeddingIdentity, FileLint, Filter, Lint, Manifest, Passage, Scope, sha256_hex,
};
use assay_retrieval::ports::{Embedder, Leg, Purpose, Scored, Snapshot, Store, WithVectors};
use assay_retrieval::text::{self, ANALYSIS, Language};
use assay_testkit::script_server::ScriptServer;
use std::path::Path;
use std::sync::Arc;

// === embedders ===

fn cosine(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

async fn check_embedder(embedder: &dyn Embedder) {
    let identity = embedder.identity().clone();
    assert!(!identity.model.is_empty() && !identity.digest.is_empty() && identity.dims > 0);
    assert_eq!(embedder.embed(Vec::new(), Purpose::Query).await.unwrap(), Vec::<Vec<f32>>::new());

    let long = "many words ".repeat(2000);
    let texts: Vec<String> = [
        "reading a request parameter",
        "",
        "leer un parámetro",
        "x",
        &long,
        "reading request parameters",
        "🦀",
    ]
    .map(str::to_owned)
    .to_vec();
    let vectors = embedder.embed(texts.clone(), Purpose::Query).await.unwrap();
    assert_eq!(vectors.len(), texts.len());
    for vector in &vectors {
        assert_eq!(vector.len(), identity.dims);
        assert!((cosine(vector, vector) - 1.0).abs() < 1e-4, "not of unit length");
    }
    assert!(
        cosine(&vectors[0], &vectors[5]) > cosine(&vectors[0], &vectors[6]) + 0.2,
        "related texts are nearer"
    );

    // Neither order nor company changes a vector.
    let reversed: Vec<String> = texts.iter().rev().cloned().collect();
    let again = embedder.embed(reversed, Purpose::Query).await.unwrap();
    let alone = embedder.embed(vec![texts[2].clone()], Purpose::Query).await.unwrap();
    for (vector, other) in vectors.iter().zip(again.iter().rev()) {
        assert!((cosine(vector, other) - 1.0).abs() < 1e-4);
    }
    assert!((cosine(&vectors[2], &alone[0]) - 1.0).abs() < 1e-4);
}

#[tokio::test(flavor = "multi_thread")]
async fn hashing_is_an_embedder() {
    let embedder = Hashing::default();
    check_embedder(&embedder).await;
    assert!(embedder.identity().to_string().contains("no-model"), "its name says what it is");
}

fn minilm(models: &Path) -> MiniLm {
    MiniLm::listed(models, 2).unwrap().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn minilm_is_an_embedder() {
    let Some(models) = common::models_dir() else { return };
    let embedder = minilm(&models);
    check_embedder(&embedder).await;
    // Components computed by a forward pass written apart from this one (numpy, the f32 weights).
    let texts = ["How do I read a request parameter?".to_owned(), "word ".repeat(400)];
    let expected = [
        [0.00706, 0.06202, -0.10825, 0.00884, -0.06593, -0.03813],
        [-0.00812, -0.09559, -0.03867, 0.04966, -0.04379, 0.02372],
    ];
    for (vector, expected) in
        embedder.embed(texts.to_vec(), Purpose::Query).await.unwrap().iter().zip(expected)
    {
        for (found, wanted) in vector.iter().zip(expected) {
            assert!((found - wanted).abs() < 0.02, "{found} is not near {wanted}");
        }
    }
    // Meaning without shared words.
    let texts = ["The car needs petrol.", "An automobile runs on gasoline.", "The poem has four verses."];
    let vectors = embedder.embed(texts.map(str::to_owned).to_vec(), Purpose::Query).await.unwrap();
    assert!(cosine(&vectors[0], &vectors[1]) > 0.6);
    assert!(cosine(&vectors[0], &vectors[2]) < 0.3);
}

#[tokio::test]
async fn a_model_that_is_not_recorded_is_not_listed() {
    let dir = tempfile::tempdir().unwrap();
    assert!(MiniLm::listed(dir.path(), 1).unwrap().is_none());
    // Files alone are no model: nobody recorded what they should hold.
    let folder = dir.path().join(NAME);
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("model.onnx"), "weights").unwrap();
    assert!(MiniLm::listed(dir.path(), 1).unwrap().is_none());
    std::fs::write(dir.path().join("models.lock.json"), "{").unwrap();
    let broken = MiniLm::listed(dir.path(), 1).unwrap_err();
    assert!(broken.to_string().contains("models.lock.json"), "{broken}");
}

#[tokio::test]
async fn changed_weights_are_refused_with_the_file_and_the_cure() {
    let dir = tempfile::tempdir().unwrap();
    common::model::small_model(dir.path(), 1);
    let embedder = minilm(dir.path());
    let weights = dir.path().join(NAME).join("model.onnx");
    let mut bytes = std::fs::read(&weights).unwrap();
    bytes.push(0);
    std::fs::write(&weights, bytes).unwrap();
    let refused = embedder.embed(vec!["x".into()], Purpose::Query).await.unwrap_err();
    assert!(
        matches!(&refused, Error::Model(store::Error::Changed { path, .. }) if *path == weights),
        "{refused}"
    );
    assert!(refused.to_string().contains("assay models pull"), "{refused}");
}

#[tokio::test]
async fn a_small_model_gives_vectors_of_its_own_identity() {
    let dir = tempfile::tempdir().unwrap();
    common::model::small_model(dir.path(), 1);
    let embedder = minilm(dir.path());
    let vectors =
        embedder.embed(vec!["loop".into(), "step loop".into(), "step".into()], Purpose::Query).await.unwrap();
    assert!((cosine(&vectors[0], &vectors[1]) - 0.5_f32.sqrt()).abs() < 1e-4);
    assert!(cosine(&vectors[0], &vectors[2]).abs() < 1e-4);
    let found = sha256_hex(&std::fs::read(dir.path().join(NAME).join("model.onnx")).unwrap());
    assert_eq!(embedder.identity().digest, found);
}

// === model servers ===

fn embedding(url: &str, model: &str) -> Embedding {
    Embedding { url: url.to_owned(), model: model.to_owned(), batch: 2, ..Embedding::default() }
}

#[tokio::test]
async fn ollama_is_asked_for_its_digest_and_in_batches() {
    let server = ScriptServer::start(&[
        (200, r#"{"models":[{"name":"other:latest","digest":"1"},{"name":"bge-m3:latest","digest":"abc"}]}"#),
        (200, r#"{"embeddings":[[3.0,4.0]]}"#),
        (500, "loading"),
        (200, r#"{"embeddings":[[1.0,0.0],[0.0,2.0]]}"#),
        (200, r#"{"embeddings":[[0.0,-1.0]]}"#),
    ]);
    let server = server.await.unwrap();
    let model = Remote::connect(Protocol::Ollama, &embedding(&server.url(), "bge-m3")).await.unwrap();
    let identity = model.identity();
    assert_eq!(
        (identity.model.as_str(), identity.digest.as_str(), identity.dims),
        ("ollama:bge-m3", "abc", 2)
    );
    let texts = ["a", "b", "c"].map(str::to_owned).to_vec();
    let vectors = model.embed(texts, Purpose::Query).await.unwrap();
    assert_eq!(vectors, [[1.0, 0.0], [0.0, 1.0], [0.0, -1.0]]);
    let asked = server.asked();
    let routes: Vec<&str> = asked.iter().map(|asked| asked.path.as_str()).collect();
    assert_eq!(routes, ["/api/tags", "/api/embed", "/api/embed", "/api/embed", "/api/embed"]);
    assert!(asked[4].body.contains(r#""input":["c"]"#), "{}", asked[4].body);
}

#[tokio::test]
async fn an_openai_server_may_answer_in_any_order() {
    let server = ScriptServer::start(&[
        (200, r#"{"data":[{"index":0,"embedding":[1.0,0.0]}]}"#),
        (200, r#"{"data":[{"index":1,"embedding":[0.0,1.0]},{"index":0,"embedding":[1.0,0.0]}]}"#),
        (200, r#"{"data":[{"index":0,"embedding":[1.0,0.0]}]}"#),
        (401, "no key"),
    ]);
    let server = server.await.unwrap();
    let url = format!("{}/v1/", server.url());
    let model = Remote::connect(Protocol::OpenAi, &embedding(&url, "e5")).await.unwrap();
    let two = || ["a", "b"].map(str::to_owned).to_vec();
    assert_eq!(model.embed(two(), Purpose::Passage).await.unwrap(), [[1.0, 0.0], [0.0, 1.0]]);
    let short = model.embed(two(), Purpose::Passage).await.unwrap_err();
    assert!(short.to_string().contains("1 vectors for 2 texts"), "{short}");
    let refused = model.embed(two(), Purpose::Passage).await.unwrap_err();
    assert!(refused.to_string().contains("401") && refused.to_string().contains("no key"), "{refused}");
    assert!(server.asked().iter().all(|asked| asked.path == "/v1/embeddings"));
}

#[tokio::test]
async fn a_text_that_a_server_finds_too_long_is_cut() {
    let one = r#"{"data":[{"index":0,"embedding":[0.0,1.0]}]}"#;
    let answers = [(200, one), (400, "too long"), (200, one), (400, "too long"), (200, one)];
    let server = ScriptServer::start(&answers).await.unwrap();
    let model = Remote::connect(Protocol::OpenAi, &embedding(&server.url(), "e5")).await.unwrap();
    let texts = vec!["short".to_owned(), "é".repeat(200)];
    assert_eq!(model.embed(texts, Purpose::Passage).await.unwrap(), [[0.0, 1.0], [0.0, 1.0]]);
    let asked = server.asked();
    assert!(asked[3].body.contains(&"é".repeat(200)), "whole first: {}", asked[3].body);
    assert!(asked[4].body.contains(&"é".repeat(100)) && !asked[4].body.contains(&"é".repeat(101)));
}

#[tokio::test]
async fn a_model_that_ollama_lacks_is_named_with_the_cure() {
    let server = ScriptServer::start(&[(200, r#"{"models":[]}"#)]).await.unwrap();
    let lacking = Remote::connect(Protocol::Ollama, &embedding(&server.url(), "bge-m3")).await.unwrap_err();
    assert!(lacking.to_string().contains("ollama pull bge-m3"), "{lacking}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_real_embeddings_server_is_an_embedder() {
    let Some(url) = assay_testkit::external::from_environment("ASSAY_TEST_EMBEDDINGS_URL") else { return };
    let settings = embedding(&format!("{url}/v1"), "minilm");
    check_embedder(&Remote::connect(Protocol::OpenAi, &settings).await.unwrap()).await;
}

#[tokio::test]
async fn a_model_of_a_folder_is_pooled_as_told() {
    let dir = tempfile::tempdir().unwrap();
    common::model::small_model(dir.path(), 1);
    let load = |pooling| Onnx::load(&dir.path().join(NAME), 1, pooling).unwrap();
    let (mean, first) = (load(assay_models::Pooling::Mean), load(assay_models::Pooling::First));
    assert_ne!(mean.identity(), first.identity());
    let texts = || vec!["step loop".to_owned()];
    let mean = mean.embed(texts(), Purpose::Query).await.unwrap();
    assert_eq!(mean, minilm(dir.path()).embed(texts(), Purpose::Query).await.unwrap());
    assert_ne!(mean, first.embed(texts(), Purpose::Query).await.unwrap());
}

// === stores ===

fn manifest() -> Manifest {
    Manifest {
        schema: Manifest::SCHEMA,
        id: String::new(),
        collection: "docs".into(),
        chunker: CHUNKER.into(),
        analysis: ANALYSIS.into(),
        embedding: EmbeddingIdentity { model: "test".into(), digest: "0".into(), dims: 2 },
        passages: 0,
        created_unix_ms: 5,
        lint: Lint::default(),
        files: Vec::new(),
    }
}

/// A document of one line per passage; the vector of a passage is its angle.
fn document(key: &str, texts: &[&str], angle: f32) -> (Document, WithVectors) {
    let text = texts.join("\n");
    let mut start = 0;
    let passages = texts
        .iter()
        .enumerate()
        .map(|(line, body)| {
            let number = u32::try_from(line + 1).unwrap();
            let passage = Passage {
                id: format!("{key}#{number}"),
                first: number,
                last: number,
                start,
                end: start + body.len(),
                title: String::new(),
                headings: vec!["Head".into()],
                anchor: String::new(),
                language: "en".into(),
                sha256: sha256_hex(body.as_bytes()),
                terms: text::terms("", &[], body, "", Language::English),
            };
            start += body.len() + 1;
            let angle = angle + line as f32 * 0.1;
            (passage, vec![angle.cos(), angle.sin()])
        })
        .collect();
    let document = Document {
        key: key.into(),
        path: key.into(),
        title: "Title".into(),
        kind: "doc".into(),
        commit: String::new(),
        tags: vec![key.split('.').next().unwrap().to_owned()],
        lint: FileLint::default(),
        text,
    };
    (document, passages)
}

async fn leg(snapshot: &dyn Snapshot, leg: Leg<'_>, depth: usize) -> Vec<Scored> {
    filtered(snapshot, leg, &Filter::default(), depth).await
}

async fn filtered(snapshot: &dyn Snapshot, leg: Leg<'_>, filter: &Filter, depth: usize) -> Vec<Scored> {
    snapshot.search(&[leg], filter, depth).await.unwrap().rankings.remove(0).unwrap()
}

async fn fill(store: &dyn Store, scope: &Scope, documents: Vec<(Document, WithVectors)>) -> String {
    let mut build = store.build(scope, 2).await.unwrap();
    for (document, passages) in documents {
        build.add(document, passages).await.unwrap();
    }
    build.finish(manifest()).await.unwrap().manifest().id.clone()
}

/// `reopen` gives a second store over the same data, as after a restart.
async fn check_store(store: &dyn Store, reopen: &dyn Fn() -> Arc<dyn Store>) {
    let scope = Scope::new("Tenant/1", "docs").unwrap();
    store.check().await.unwrap();
    assert!(store.open(&scope).await.unwrap().is_none());
    assert_eq!(store.collections("Tenant/1").await.unwrap(), []);

    let a = document("a.md", &["the quick fox calls addVar", "a lazy dog sleeps"], 0.0);
    let b = document("b.md", &["the quick brown fox runs quickly after the fox"], 0.3);
    let first = fill(store, &scope, vec![b.clone(), a.clone()]).await;
    let snapshot = store.open(&scope).await.unwrap().unwrap();
    assert_eq!(snapshot.manifest().id, first);
    assert_eq!(snapshot.manifest().passages, 3);
    assert_eq!(store.collections("Tenant/1").await.unwrap(), std::slice::from_ref(&scope));
    assert_eq!(store.collections("tenant/1").await.unwrap(), [], "tenants are apart");

    let query = text::query_terms("foxes");
    let hits = leg(&*snapshot, Leg::Bm25(&query), 10).await;
    let ids: Vec<&str> = hits.iter().map(|hit| hit.id.as_str()).collect();
    assert_eq!(ids, ["b.md#1", "a.md#1"]);
    assert!(hits[0].score > hits[1].score && hits[1].score > 0.0);
    assert_eq!(leg(&*snapshot, Leg::Bm25(&query), 1).await.len(), 1);
    assert_eq!(leg(&*snapshot, Leg::Bm25(&text::query_terms("absent")), 5).await, []);

    let near = leg(&*snapshot, Leg::Knn(&[1.0, 0.0]), 2).await;
    let ids: Vec<&str> = near.iter().map(|hit| hit.id.as_str()).collect();
    assert_eq!(ids, ["a.md#1", "a.md#2"]);
    assert!((near[0].score - 1.0).abs() < 1e-6);

    let only = |change: &dyn Fn(&mut Filter)| {
        let mut filter = Filter::default();
        change(&mut filter);
        filter
    };
    for (filter, expected) in [
        (only(&|filter| filter.paths = vec!["a.md".into()]), 1),
        (only(&|filter| filter.paths = vec!["a".into()]), 0),
        (only(&|filter| filter.paths = vec!["a.md".into(), "b.md".into()]), 2),
        (only(&|filter| filter.kinds = vec!["doc".into()]), 2),
        (only(&|filter| filter.kinds = vec!["code".into()]), 0),
        (only(&|filter| filter.languages = vec!["en".into()]), 2),
        (only(&|filter| filter.languages = vec!["es".into()]), 0),
        (only(&|filter| filter.tags = vec!["b".into(), "x".into()]), 1),
    ] {
        let found = filtered(&*snapshot, Leg::Bm25(&query), &filter, 10).await;
        assert_eq!(found.len(), expected, "{filter:?}");
        // A filter changes what is found, not how it scores.
        assert!(found.iter().all(|hit| hits.contains(hit)), "{filter:?}");
        let near = filtered(&*snapshot, Leg::Knn(&[1.0, 0.0]), &filter, 10).await;
        assert_eq!(near.is_empty(), expected == 0, "{filter:?}");
    }

    let found = snapshot.fetch(&["b.md#1".into(), "nobody".into(), "a.md#2".into()]).await.unwrap();
    let texts: Vec<&str> = found.iter().map(|found| found.text.as_str()).collect();
    assert_eq!(texts, ["the quick brown fox runs quickly after the fox", "a lazy dog sleeps"]);
    assert_eq!(found[1].lines, assay_domain::LineRange::new(2, 2));
    assert_eq!(found[1].sha256, sha256_hex(b"a lazy dog sleeps"));
    assert_eq!(found[1].file_sha256, sha256_hex(a.0.text.as_bytes()));

    let (whole, passages) = snapshot.document("a.md").await.unwrap().unwrap();
    assert_eq!((whole, passages), a.clone());
    assert!(snapshot.document("c.md").await.unwrap().is_none());

    let names = snapshot.names(&["addVar".into(), "addvar".into(), "nothing_like_it".into()]).await.unwrap();
    assert_eq!(names.iter().map(|fact| fact.exists).collect::<Vec<_>>(), [true, false, false]);
    assert_eq!(names[1].near, ["addVar"]);

    // The order in which documents are added changes nothing.
    let other = Scope::new("Tenant/1", "other").unwrap();
    assert_eq!(fill(store, &other, vec![a.clone(), b.clone()]).await, first);

    // A build that is dropped changes nothing; one that ends replaces everything, also for a new store.
    let mut dropped = store.build(&scope, 2).await.unwrap();
    dropped.add(b.0.clone(), b.1.clone()).await.unwrap();
    let key = [7_u8; 32];
    dropped.remember(&[(key, vec![0.5, 0.5])]).await.unwrap();
    drop(dropped);
    assert_eq!(store.open(&scope).await.unwrap().unwrap().manifest().id, first);
    let mut next = reopen().build(&scope, 2).await.unwrap();
    assert_eq!(next.recall(&[key, [8; 32]]).await.unwrap(), [Some(vec![0.5, 0.5]), None]);
    next.add(b.0.clone(), b.1.clone()).await.unwrap();
    let second = next.finish(manifest()).await.unwrap().manifest().id.clone();
    assert_ne!(first, second);
    assert_eq!(store.open(&scope).await.unwrap().unwrap().manifest().id, second);
    assert_eq!(reopen().open(&scope).await.unwrap().unwrap().manifest().id, second);
    // A snapshot that was opened before still answers.
    assert_eq!(leg(&*snapshot, Leg::Bm25(&query), 10).await.len(), 2);
    assert_eq!(snapshot.fetch(&["a.md#2".into()]).await.unwrap().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_embedded_store_is_a_store() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().to_owned();
    let store = EmbeddedStore::new(&root);
    check_store(&store, &|| Arc::new(EmbeddedStore::new(&root))).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_elasticsearch_store_is_a_store() {
    for neighbours in [Neighbours::Exact, Neighbours::Hnsw] {
        let Some(options) = common::elastic(neighbours) else { return };
        let store = || {
            let client = Arc::new(assay_elastic::Client::new(&options, "test").unwrap());
            Arc::new(ElasticStore::new(client, options.clone()))
        };
        check_store(&*store(), &|| store()).await;
    }
}

#[tokio::test]
async fn index_with_mismatched_files_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let store = EmbeddedStore::new(dir.path());
    let scope = Scope::new("t", "docs").unwrap();
    fill(&store, &scope, vec![document("a.md", &["one"], 0.0)]).await;
    let vectors = dir.path().join("t/docs/g-00000001/vectors.f32");
    std::fs::write(&vectors, [0_u8; 4]).unwrap();
    let error = EmbeddedStore::new(dir.path()).open(&scope).await.err().unwrap();
    assert_eq!(error.code(), assay_domain::Code::StorageCorrupt);
}
