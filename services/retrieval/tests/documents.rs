//! A real documentation set: the questions of a Prometheus user find the page that holds the answer.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    clippy::disallowed_methods
)]

mod common;

use assay_documents::Lines;
use assay_domain::evidence::SearchMode;
use assay_retrieval::ingest::{Header, Part, walk};
use assay_retrieval::{EmbedderChoice, Options, assemble, search};
use std::path::{Path, PathBuf};

/// Question and the page, written down before the first search.
const QUESTIONS: &[(&str, &str)] = &[
    ("What is the difference between a counter and a gauge?", "concepts/metric_types.md"),
    ("How do I protect Prometheus with a user name and password?", "guides/basic-auth.md"),
    ("Which characters may a metric name contain?", "concepts/data_model.md"),
    ("When should I use the Pushgateway?", "practices/pushing.md"),
    ("How do I discover scrape targets from a JSON file?", "guides/file-sd.md"),
    ("How can I log all queries that the server runs?", "guides/query-log.md"),
    (
        "What labels does Prometheus attach to scraped time series automatically?",
        "concepts/jobs_instances.md",
    ),
    ("How do I monitor Linux host metrics such as CPU and memory?", "guides/node-exporter.md"),
    ("Should I choose a summary or a histogram to compute quantiles?", "practices/histograms.md"),
    ("How do I send OpenTelemetry metrics to Prometheus over OTLP?", "guides/opentelemetry.md"),
    ("How does Prometheus compare with Graphite?", "introduction/comparison.md"),
    ("How do I add Prometheus as a data source in Grafana?", "visualization/grafana.md"),
];

fn documents() -> Option<PathBuf> {
    let root = std::env::var_os("ASSAY_SHARED")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared"), PathBuf::from);
    let folder = root.join("data/documents/prometheus/docs");
    if !folder.is_dir() {
        assay_testkit::external::loudly(format_args!("SKIPPED: no documentation set"));
    }
    folder.is_dir().then_some(folder)
}

/// Place of the page among the distinct pages of the hits.
fn place(found: &search::Response, page: &str) -> Option<usize> {
    let mut pages: Vec<&str> = Vec::new();
    for hit in &found.hits {
        if !pages.contains(&hit.source.path.as_str()) {
            pages.push(&hit.source.path);
        }
    }
    pages.iter().position(|path| path.ends_with(page)).map(|place| place + 1)
}

async fn check(options: Options, modes: &[SearchMode]) {
    let Some(folder) = documents() else { return };
    let service = assemble(options).unwrap();
    let mut files = Vec::new();
    let mut visit = |found: walk::Found| {
        files.push(found.unwrap());
        true
    };
    walk(&folder, None).unwrap().each(&mut visit).unwrap();
    let texts: std::collections::HashMap<String, String> = files
        .iter()
        .map(|file| (file.path.clone(), String::from_utf8(file.content.clone()).unwrap()))
        .collect();
    let parts: Vec<Part> = files
        .into_iter()
        .map(|file| Part::File { path: file.path, content: file.content, commit: String::new() })
        .collect();
    let (manifest, _, skipped) = common::ingest_with(&service, &Header::default(), parts).await.unwrap();
    assert_eq!((manifest.files.len(), skipped.len()), (71, 0), "{skipped:?}");
    eprintln!("{} passages", manifest.passages);

    for mode in modes {
        let mut at_three = 0;
        for (question, page) in QUESTIONS {
            let request = search::Request { mode: *mode, ..search::Request::new(*question) };
            let found = service.search("local", &request).await.unwrap();
            let place = place(&found, page);
            at_three += usize::from(place.is_some_and(|place| place <= 3));
            let first = &found.hits[0].source;
            eprintln!("{mode} {place:?} {question} -> {} {}", first.id, first.headings.join(" > "));
            for hit in &found.hits {
                let text = &texts[&hit.source.path];
                let bytes = Lines::of(text).bytes(hit.source.lines).unwrap();
                assert_eq!(hit.source.text, text[bytes], "the text is not that of its lines");
            }
        }
        assert!(
            at_three + 2 >= QUESTIONS.len(),
            "{mode}: only {at_three} of {} in the first three",
            QUESTIONS.len()
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn words_alone_find_the_page() {
    let dir = tempfile::tempdir().unwrap();
    check(common::options(dir.path()), &[SearchMode::Bm25Only]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn both_legs_find_the_page() {
    if std::env::var_os("ASSAY_SLOW_TESTS").is_none() {
        assay_testkit::external::loudly(format_args!(
            "SKIPPED: embedding a documentation set takes minutes; set ASSAY_SLOW_TESTS=1"
        ));
        return;
    }
    let Some(models_dir) = common::models_dir() else { return };
    let dir = tempfile::tempdir().unwrap();
    let options = Options { models_dir, embedder: EmbedderChoice::Minilm, ..common::options(dir.path()) };
    check(options, SearchMode::ALL).await;
}
