//! One suite over both backends: the same corpus and queries give the same terms, scores and hits.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use assay_domain::evidence::SearchMode;
use assay_domain::{Code, Hit};
use assay_elastic::Neighbours;
use assay_retrieval::corpus::Filter;
use assay_retrieval::ingest::{Header, Part};
use assay_retrieval::lookup;
use assay_retrieval::search::Request;
use assay_retrieval::{Backend, Options, Retrieval, assemble};
use common::{file, ingest_with};
use proptest::prelude::*;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

/// A backend over data of its own; every service that it makes sees the same indexes, as processes would.
struct Place {
    name: &'static str,
    options: Options,
    cluster: Option<assay_elastic::Options>,
    _folder: tempfile::TempDir,
}

impl Place {
    fn service(&self) -> Retrieval {
        assemble(self.options.clone()).unwrap()
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if let Some(cluster) = &self.cluster {
            common::remove_indexes(cluster);
        }
    }
}

/// The embedded backend, and a cluster if the environment names one.
fn places() -> Vec<Place> {
    let place = |name, cluster: Option<assay_elastic::Options>| {
        let folder = tempfile::tempdir().unwrap();
        let mut options = common::options(folder.path());
        if let Some(cluster) = &cluster {
            options.backend = Backend::Elasticsearch;
            options.elasticsearch = cluster.clone();
        }
        Place { name, options, cluster, _folder: folder }
    };
    let cluster = common::elastic(Neighbours::Exact);
    let mut out = vec![place("embedded", None)];
    out.extend(cluster.map(|cluster| place("elasticsearch", Some(cluster))));
    out
}

/// The pages of this repository's own documentation.
fn pages() -> Vec<Part> {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs"));
    let mut names: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    names.retain(|path| path.extension().is_some_and(|extension| extension == "md"));
    names.sort();
    assert!(names.len() > 10, "{names:?}");
    let read = |path: &std::path::PathBuf| std::fs::read_to_string(path).unwrap();
    names.iter().map(|path| file(path.file_name().unwrap().to_str().unwrap(), &read(path))).collect()
}

async fn ingest(service: &Retrieval, parts: Vec<Part>) -> assay_retrieval::corpus::Manifest {
    ingest_with(service, &Header::default(), parts).await.unwrap().0
}

async fn search(service: &Retrieval, mode: SearchMode, query: &str) -> Vec<Hit> {
    let request = Request { mode, limit: 40, ..Request::new(query) };
    let found = service.search("local", &request).await.unwrap();
    assert!(found.degraded.is_empty(), "{:?}", found.degraded);
    found.hits
}

const QUERIES: &[&str] = &[
    "How is a record verified?",
    "which port does the gateway listen on",
    "ASSAY_MODELS_DIR",
    "retrieval.leg_depth",
    "¿Cómo se comprueba una cita?",
    "audit verify --checkpoint FILE",
    "policy strict balanced difference",
    "what is not checked",
    "the the the",
    "assay",
    "Kubernetes overlay with three replicas of the router",
    "qzxvwq",
];

/// Hits of two backends are the same, but for the order of those whose scores differ by float error alone.
fn same(query: &str, one: &[Hit], other: &[Hit]) {
    const ERROR: f64 = 1e-4;
    assert_eq!(one.len(), other.len(), "{query}");
    for (place, (a, b)) in one.iter().zip(other).enumerate() {
        let near = (a.score - b.score).abs() <= ERROR * a.score.abs().max(1.0);
        assert!(near, "{query}, place {place}: {} {} and {} {}", a.source.id, a.score, b.source.id, b.score);
        if a.source.id != b.source.id {
            let twin = other.iter().find(|hit| hit.source.id == a.source.id);
            // At the end of the list the twin may be cut off.
            let tied = twin.map_or(place + 1 == one.len(), |twin| (twin.score - a.score).abs() <= ERROR);
            assert!(tied, "{query}, place {place}: {} is elsewhere", a.source.id);
        } else {
            assert_eq!(a.source, b.source);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn both_backends_find_the_same_with_the_same_scores() {
    let places = places();
    let mut services = Vec::new();
    let mut ids = Vec::new();
    for place in &places {
        let service = place.service();
        ids.push(ingest(&service, pages()).await.id);
        services.push(service);
    }
    assert!(ids.windows(2).all(|pair| pair[0] == pair[1]), "the same corpus has the same manifest");
    for query in QUERIES {
        for mode in [SearchMode::Bm25Only, SearchMode::KnnOnly, SearchMode::Hybrid] {
            let first = search(&services[0], mode, query).await;
            for other in &services[1..] {
                same(query, &first, &search(other, mode, query).await);
            }
        }
    }
    for (place, service) in places.iter().zip(&services) {
        assert!(!search(service, SearchMode::Bm25Only, QUERIES[0]).await.is_empty(), "{}", place.name);
        assert!(search(service, SearchMode::Bm25Only, QUERIES[11]).await.is_empty(), "{}", place.name);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_process_sees_edits_and_deletions() {
    for place in places() {
        let service = place.service();
        ingest(&service, vec![file("a.md", "# A\n\nAlpha words.\n"), file("b.md", "# B\n\nBeta words.\n")])
            .await;
        let all = Header { replace: true, ..Header::default() };
        let parts = vec![file("a.md", "# A\n\nAlpha changed.\n")];
        let (manifest, told, _) = ingest_with(&service, &all, parts).await.unwrap();
        assert_eq!((manifest.files.len(), told.files_unchanged), (1, 0), "{}", place.name);

        let restarted = place.service();
        assert_eq!(restarted.collections("local").await.unwrap(), [manifest], "{}", place.name);
        let found = search(&restarted, SearchMode::Bm25Only, "words changed").await;
        let texts: Vec<&str> = found.iter().map(|hit| hit.source.text.as_str()).collect();
        assert_eq!(texts, ["# A\n\nAlpha changed."], "{}", place.name);
        let (_, told, _) =
            ingest_with(&restarted, &all, vec![file("a.md", "# A\n\nAlpha changed.\n")]).await.unwrap();
        assert_eq!((told.files_unchanged, told.chunks_embedded), (1, 0), "{}", place.name);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_deleted_collection_is_gone_and_can_be_made_anew() {
    for place in places() {
        let (service, other) = (place.service(), place.service());
        let parts = || vec![file("a.md", "---\ntags: [one]\n---\n# A\n\nAlpha words.\n")];
        let made = ingest(&service, parts()).await;
        let described = other.describe("local", "").await.unwrap();
        assert_eq!(described.files[0].document.tags, ["one"], "{}", place.name);
        assert_eq!(described, made);
        assert_eq!(service.delete("local", "").await.unwrap_err().code, Code::InvalidArgument);
        assert_eq!(service.delete("other", "default").await.unwrap_err().code, Code::NotFound);
        service.delete("local", "default").await.unwrap();
        for service in [&service, &other] {
            assert_eq!(service.collections("local").await.unwrap(), [], "{}", place.name);
            let gone = service.search("local", &Request::new("words")).await.unwrap_err();
            assert_eq!(gone.code, Code::NotFound, "{}", place.name);
        }
        assert_eq!(service.delete("local", "default").await.unwrap_err().code, Code::NotFound);
        assert_eq!(ingest(&other, parts()).await.id, made.id, "{}", place.name);
        // What another process deletes and makes anew is not taken for what was there.
        service.delete("local", "default").await.unwrap();
        let anew = ingest(&service, vec![file("b.md", "# B\n\nBeta words.\n")]).await;
        assert_eq!(other.describe("local", "").await.unwrap(), anew, "{}", place.name);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn paths_names_and_citations_are_looked_up() {
    for place in places() {
        let service = place.service();
        let text = "# Guide\n\nCall `addVar` with std::fs::read.\n\nLast line.\n";
        ingest(&service, vec![file("guide/a.md", text)]).await;
        let cited = |first, last, text: &str| lookup::Cited {
            path: "guide/a.md".into(),
            lines: assay_domain::LineRange::new(first, last),
            sha256: assay_retrieval::service::text_sha256(text),
        };
        let request = lookup::Request {
            paths: vec!["guide/a.md".into(), "guide/b.md".into()],
            names: vec!["addVar(x)".into(), "addvar".into(), "std::fs::read".into()],
            cited: vec![cited(5, 5, "Last line."), cited(1, 1, "Last line."), cited(1, 1, "Gone.")],
        };
        let facts = service.look_up("local", "", &request).await.unwrap();
        assert_eq!(
            facts.paths.iter().map(|fact| fact.exists).collect::<Vec<_>>(),
            [true, false],
            "{}",
            place.name
        );
        assert_eq!(
            facts.names.iter().map(|fact| fact.exists).collect::<Vec<_>>(),
            [true, false, true],
            "{}",
            place.name
        );
        assert_eq!(facts.names[1].near, ["addVar"], "{}", place.name);
        let moved = lookup::Resolution::Moved(assay_domain::LineRange::new(5, 5));
        assert_eq!(
            facts.cited,
            [lookup::Resolution::Exact, moved, lookup::Resolution::Dangling],
            "{}",
            place.name
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn searches_answer_while_indexes_are_written() {
    for place in places() {
        let (writer, reader) = (place.service(), place.service());
        let text = |version: usize| format!("# Page\n\nEverlasting words, version {version}.\n");
        ingest(&writer, vec![file("a.md", &text(0))]).await;
        let ended = AtomicBool::new(false);
        let write = async {
            for version in 1..6 {
                ingest(&writer, vec![file("a.md", &text(version))]).await;
            }
            ended.store(true, Ordering::Relaxed);
        };
        let read = async {
            let mut searches = 0;
            while !ended.load(Ordering::Relaxed) {
                let found = search(&reader, SearchMode::Hybrid, "everlasting").await;
                assert_eq!(found.len(), 1, "{}", place.name);
                searches += 1;
            }
            searches
        };
        let ((), searches) = futures::join!(write, read);
        assert!(searches > 0, "{}", place.name);
        let last = search(&reader, SearchMode::Hybrid, "everlasting").await;
        assert!(last[0].source.text.contains("version 5"), "{}", place.name);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn two_processes_never_write_one_collection_at_once() {
    for place in places() {
        let (one, other) = (place.service(), place.service());
        let (events, mut told) = tokio::sync::mpsc::channel(64);
        let section = format!("# Page\n\n{}\n\n", "Words that fill a passage.\n".repeat(60));
        let long = section.repeat(200);
        let endless = futures::StreamExt::chain(
            futures::stream::iter([Ok(file("a.md", &long))]),
            futures::stream::pending(),
        );
        let header = Header::default();
        tokio::select! {
            ended = one.ingest("local", &header, endless, &events, 2) => panic!("it ended: {ended:?}"),
            () = async {
                while told.recv().await.is_some_and(|progress| progress.chunks_embedded == 0) {}
                let refused = ingest_with(&other, &header, vec![file("b.md", "# B\n\nWords.\n")]).await.unwrap_err();
                assert_eq!(refused.code, Code::Unavailable, "{refused}");
                assert!(refused.message.contains("another process"), "{refused}");
            } => {}
        }
        // The first one was dropped: what it held is free, and what it wrote is gone.
        let manifest = ingest(&other, vec![file("b.md", "# B\n\nWords.\n")]).await;
        assert_eq!(manifest.files.len(), 1);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_another_process_wrote_meanwhile_is_not_lost() {
    for place in places() {
        let (one, other) = (place.service(), place.service());
        ingest(&one, vec![file("a.md", "# A\n\nWords.\n")]).await;
        let (events, _ignored) = tokio::sync::mpsc::channel(64);
        // The first ingest has read the index when it takes its second file; the other one writes before that.
        let meanwhile = async {
            ingest(&other, vec![file("b.md", "# B\n\nMore words.\n")]).await;
            Ok(file("c.md", "# C\n\nOther words.\n"))
        };
        let unchanged = futures::stream::iter([Ok(file("a.md", "# A\n\nWords.\n"))]);
        let parts = futures::StreamExt::chain(unchanged, futures::stream::once(meanwhile));
        let header = Header::default();
        let ended = one.ingest("local", &header, parts, &events, 2).await;
        assert_eq!(ended.unwrap_err().code, Code::Unavailable);
        let manifest = ingest(&one, vec![file("c.md", "# C\n\nOther words.\n")]).await;
        assert_eq!(manifest.files.len(), 3);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cluster_that_is_down_is_told_and_ends_no_process() {
    let folder = tempfile::tempdir().unwrap();
    let mut options = common::options(folder.path());
    options.backend = Backend::Elasticsearch;
    let listener = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap();
    options.elasticsearch.urls = vec![format!("http://{}", listener.local_addr().unwrap())];
    drop(listener);
    assay_retrieval::compose(options.clone(), &assay_rpc::Peers::none()).await.unwrap();
    let service = assemble(options).unwrap();
    let failure = service.search("local", &Request::new("words")).await.unwrap_err();
    assert_eq!(failure.code, Code::SearchUnavailable, "{failure}");
    assert_eq!(service.check().await.unwrap_err().code, Code::SearchUnavailable);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_damaged_index_is_told_not_searched() {
    for place in places().into_iter().filter(|place| place.cluster.is_some()) {
        ingest(&place.service(), vec![file("a.md", "# A\n\nWords.\n"), file("b.md", "# B\n\nWords.\n")])
            .await;
        common::delete_document(place.cluster.as_ref().unwrap(), "f-");
        let failure = place.service().search("local", &Request::new("words")).await.unwrap_err();
        assert_eq!(failure.code, Code::StorageCorrupt, "{failure}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3))]
    #[test]
    fn a_tenant_never_sees_the_passages_of_another(
        texts in prop::collection::vec(("[a-z]{3,8}( [a-z]{3,8}){0,12}", 0_usize..3), 2..6),
        query in "[a-z]{3,8}( [a-z]{3,8}){0,3}",
    ) {
        const TENANTS: [&str; 3] = ["acme", "Acme", "acme/../beta"];
        let runtime = tokio::runtime::Runtime::new().unwrap();
        runtime.block_on(async {
            for place in places() {
                let service = place.service();
                for (number, tenant) in TENANTS.iter().enumerate() {
                    let own = texts.iter().enumerate().filter(|(_, (_, owner))| *owner == number);
                    let parts: Vec<Result<Part, assay_domain::Failure>> =
                        own.map(|(at, (text, _))| Ok(file(&format!("t{number}/{at}.md"), text))).collect();
                    let (events, _told) = tokio::sync::mpsc::channel(1024);
                    let stream = futures::stream::iter(parts);
                    service.ingest(tenant, &Header::default(), stream, &events, 1).await.unwrap();
                }
                for (number, tenant) in TENANTS.iter().enumerate() {
                    for filter in [Filter::default(), Filter { paths: vec!["t0".into()], ..Filter::default() }] {
                        let request = Request { limit: 100, filter, ..Request::new(query.clone()) };
                        let found = service.search(tenant, &request).await.unwrap();
                        let mine = format!("t{number}/");
                        assert!(found.hits.iter().all(|hit| hit.source.path.starts_with(&mine)), "{}", place.name);
                    }
                    let cited = lookup::Request { paths: vec!["t0/0.md".into()], ..lookup::Request::default() };
                    let facts = service.look_up(tenant, "", &cited).await.unwrap();
                    assert!(!facts.paths[0].exists || number == 0, "{}", place.name);
                }
            }
        });
    }
}
