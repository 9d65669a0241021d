//! Searches of a large index: median and p99 by leg, start, memory, and for the embedded one the float scan as a baseline.
//!
//!     cargo bench -p assay-retrieval --bench size -- [PASSAGES …] [--keep FOLDER] [--elasticsearch URL]
//!
//! With `--elasticsearch` the index lies in that cluster, below the prefix `size`; memory is that of this process, the
//! client. `elastic_peer.py` compares that with a plain Python client.
//! Texts are synthetic: words by Zipf's law, 120 a passage; vectors are random directions. With `--keep` the index of the
//! last size stays, beside `queries.txt` and `queries.f32`, for `peer.py`.
#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a benchmark prints and stops at the first surprise"
)]

use assay_retrieval::adapters::elastic::ElasticStore;
use assay_retrieval::adapters::embedded::EmbeddedStore;
use assay_retrieval::corpus::{
    Document, EmbeddingIdentity, FileLint, Filter, Lint, Manifest, Passage, Scope, sha256_hex,
};
use assay_retrieval::ports::{Leg, Snapshot, Store};
use assay_retrieval::text::{QueryTerms, Terms};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

const DIMS: usize = 384;
const WORDS: usize = 120;
const VOCABULARY: f64 = 60_000.0;
const QUERIES: usize = 200;
const DEPTH: usize = 50;

/// A small generator, so that every run has the same texts.
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / 9_007_199_254_740_992.0
    }

    /// A word by Zipf's law, the rank as its name.
    fn word(&mut self) -> String {
        format!("w{}", (VOCABULARY.powf(self.next()) - 1.0) as u32)
    }

    fn unit(&mut self) -> Vec<f32> {
        let vector: Vec<f64> = (0..DIMS).map(|_| (0..4).map(|_| self.next() - 0.5).sum()).collect();
        let norm = vector.iter().map(|x| x * x).sum::<f64>().sqrt();
        vector.into_iter().map(|x| (x / norm) as f32).collect()
    }
}

fn words(chance: &mut Chance, count: usize) -> String {
    (0..count).map(|_| chance.word()).collect::<Vec<_>>().join(" ")
}

/// A store as a process that has just started sees it.
fn store(folder: &Path, cluster: Option<&str>) -> Box<dyn Store> {
    let Some(url) = cluster else { return Box::new(EmbeddedStore::new(folder)) };
    let options = assay_elastic::Options {
        urls: vec![url.to_owned()],
        prefix: "size".to_owned(),
        replicas: 0,
        ..assay_elastic::Options::default()
    };
    let client = assay_elastic::Client::new(&options, "retrieval.elasticsearch").unwrap();
    Box::new(ElasticStore::new(Arc::new(client), options))
}

async fn build(store: &dyn Store, scope: &Scope, passages: usize, mut texts: Option<&mut Vec<String>>) {
    let mut build = store.build(scope, DIMS).await.unwrap();
    let mut chance = Chance(7);
    for file in 0..passages.div_ceil(100) {
        let mut made = Vec::new();
        for number in 0..100.min(passages - file * 100) {
            let content = words(&mut chance, WORDS);
            let terms = Terms {
                title: words(&mut chance, 3),
                headings: words(&mut chance, 4),
                identifiers: words(&mut chance, 2),
                names: String::new(),
                content,
            };
            if let Some(texts) = &mut texts {
                texts.push(terms.content.clone());
            }
            let passage = Passage {
                id: format!("{file:06}#{number:02}"),
                first: 1,
                last: 1,
                start: 0,
                end: 0,
                title: String::new(),
                headings: Vec::new(),
                anchor: String::new(),
                language: "en".into(),
                sha256: sha256_hex(b""),
                terms,
            };
            made.push((passage, chance.unit()));
        }
        let document = Document {
            key: format!("{file:06}"),
            path: format!("{file:06}"),
            title: String::new(),
            kind: "doc".into(),
            commit: String::new(),
            tags: Vec::new(),
            lint: FileLint::default(),
            text: String::new(),
        };
        build.add(document, made).await.unwrap();
        if file % 1_000 == 999 {
            eprintln!("{} of {passages} passages written", (file + 1) * 100);
        }
    }
    eprintln!("written; now the index is merged");
    let manifest = Manifest {
        schema: Manifest::SCHEMA,
        id: String::new(),
        collection: scope.collection().to_owned(),
        chunker: "bench".into(),
        analysis: "bench".into(),
        embedding: EmbeddingIdentity { model: "bench".into(), digest: "0".into(), dims: DIMS },
        passages: 0,
        created_unix_ms: 0,
        lint: Lint::default(),
        files: Vec::new(),
    };
    build.finish(manifest).await.unwrap();
}

/// Resident memory of this process, in MiB.
fn resident_mib() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.trim().strip_suffix(" kB")?.parse::<f64>().ok()).unwrap_or(0.0) / 1024.0
}

fn spread(times: &mut [Duration]) -> (f64, f64) {
    times.sort_unstable();
    let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize].as_secs_f64() * 1e3;
    (at(0.5), at(0.99))
}

async fn timed(snapshot: &dyn Snapshot, legs: &[Vec<Leg<'_>>]) -> (f64, f64) {
    let mut times = Vec::new();
    for legs in legs {
        let start = Instant::now();
        let found = snapshot.search(legs, &Filter::default(), DEPTH).await.unwrap();
        times.push(start.elapsed());
        assert!(found.rankings.iter().all(|ranking| ranking.as_ref().is_ok_and(|hits| !hits.is_empty())));
    }
    spread(&mut times)
}

/// Median of a scan of all floats on one core, in milliseconds: what the codes are compared with.
fn float_scan(folder: &Path, queries: &[Vec<f32>]) -> f64 {
    let bytes = std::fs::read(folder.join("vectors.f32")).unwrap();
    let values: Vec<f32> = bytes.as_chunks::<4>().0.iter().map(|chunk| f32::from_le_bytes(*chunk)).collect();
    let mut times = Vec::new();
    for query in queries.iter().take(20) {
        let start = Instant::now();
        let best = values.chunks_exact(DIMS).map(|row| {
            let mut sums = [0.0_f32; 8];
            for (x, y) in row.as_chunks::<8>().0.iter().zip(query.as_chunks::<8>().0) {
                sums.iter_mut().zip(x.iter().zip(y)).for_each(|(sum, (x, y))| *sum += x * y);
            }
            sums.iter().sum::<f32>()
        });
        std::hint::black_box(best.fold(f32::MIN, f32::max));
        times.push(start.elapsed());
    }
    spread(&mut times).0
}

#[tokio::main]
async fn main() {
    let mut sizes: Vec<usize> = Vec::new();
    let (mut keep, mut cluster): (Option<PathBuf>, Option<String>) = (None, None);
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--keep" => keep = arguments.next().map(PathBuf::from),
            "--elasticsearch" => cluster = arguments.next(),
            number => sizes.extend(number.parse::<usize>()),
        }
    }
    if sizes.is_empty() {
        sizes = vec![10_000, 100_000];
    }
    let mut chance = Chance(99);
    let texts: Vec<Vec<String>> =
        (0..QUERIES).map(|_| (0..6).map(|_| chance.word()).collect::<Vec<_>>()).collect();
    let vectors: Vec<Vec<f32>> = (0..QUERIES).map(|_| chance.unit()).collect();
    let terms: Vec<QueryTerms> = texts
        .iter()
        .map(|words| {
            let counted: BTreeMap<String, u32> = words.iter().map(|word| (word.clone(), 1)).collect();
            QueryTerms { stems: counted.clone(), identifiers: counted, ..QueryTerms::default() }
        })
        .collect();
    println!(
        "| passages | build s | open s | resident MiB | BM25 p50 / p99 ms | kNN p50 / p99 ms | both p50 / p99 ms | floats on one core ms |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    for passages in sizes {
        let temporary = tempfile::tempdir().unwrap();
        let folder = keep.as_deref().unwrap_or(temporary.path());
        let scope = Scope::new("bench", "size").unwrap();
        let start = Instant::now();
        let mut made = Vec::new();
        let keeping = keep.is_some().then_some(&mut made);
        build(&*store(folder, cluster.as_deref()), &scope, passages, keeping).await;
        let built = start.elapsed().as_secs_f64();
        if keep.is_some() {
            std::fs::write(folder.join("texts.txt"), made.join("\n")).unwrap();
            let lines: Vec<String> = texts.iter().map(|words| words.join(" ")).collect();
            std::fs::write(folder.join("queries.txt"), lines.join("\n")).unwrap();
            let bytes: Vec<u8> = vectors.iter().flatten().flat_map(|x| x.to_le_bytes()).collect();
            std::fs::write(folder.join("queries.f32"), bytes).unwrap();
        }
        drop(made);
        let before = resident_mib();
        let start = Instant::now();
        let snapshot = store(folder, cluster.as_deref()).open(&scope).await.unwrap().unwrap();
        let opened = start.elapsed().as_secs_f64();
        let bm25: Vec<Vec<Leg<'_>>> = terms.iter().map(|terms| vec![Leg::Bm25(terms)]).collect();
        let knn: Vec<Vec<Leg<'_>>> = vectors.iter().map(|vector| vec![Leg::Knn(vector)]).collect();
        let both: Vec<Vec<Leg<'_>>> = terms
            .iter()
            .zip(&vectors)
            .map(|(terms, vector)| vec![Leg::Bm25(terms), Leg::Knn(vector)])
            .collect();
        let (bm25, knn, both) =
            (timed(&*snapshot, &bm25).await, timed(&*snapshot, &knn).await, timed(&*snapshot, &both).await);
        let resident = resident_mib();
        let floats = match cluster {
            Some(_) => "–".to_owned(),
            None => format!("{:.2}", float_scan(&folder.join("bench/size/g-00000001"), &vectors)),
        };
        println!(
            "| {passages} | {built:.1} | {opened:.2} | {resident:.0} (+{:.0}) | {:.2} / {:.2} | {:.2} / {:.2} | {:.2} / {:.2} | {floats} |",
            resident - before,
            bm25.0,
            bm25.1,
            knn.0,
            knn.1,
            both.0,
            both.1
        );
    }
}
