//! Ingest and search through the service: incremental, atomic, restartable, honest about what it cannot do.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use assay_documents::Lines;
use assay_domain::evidence::SearchMode;
use assay_domain::{Code, LineRange};
use assay_retrieval::corpus::sha256_hex;
use assay_retrieval::ingest::Header;
use assay_retrieval::lookup::{self, Cited, Resolution};
use assay_retrieval::search::Request;
use assay_retrieval::{EmbedderChoice, Options, Retrieval, Weights, assemble, few_shot};
use common::{collection_folder, file, ingest, ingest_with, item, options, service};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

const GUIDE: &str = "---\ntitle: Parameters\n---\n\n# Reading parameters\n\nUse `addParam` to read a request parameter.\n\n```avap\naddParam(\"name\", name)\n```\n";
const LOOPS: &str = "# Loops\n\nA loop runs from a start to an end with a step.\n";

async fn paths(service: &Retrieval, query: &str, mode: SearchMode) -> Vec<String> {
    let request = Request { mode, ..Request::new(query) };
    service.search("local", &request).await.unwrap().hits.into_iter().map(|hit| hit.source.path).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hit_can_be_recomputed_from_the_file() {
    let dir = tempfile::tempdir().unwrap();
    let service = service(dir.path());
    let manifest =
        ingest(&service, vec![file("guide/params.md", GUIDE), file("guide/loops.md", LOOPS)]).await;
    let found = service.search("local", &Request::new("How do I read a request parameter?")).await.unwrap();
    let hit = &found.hits[0];
    assert_eq!(hit.source.path, "guide/params.md");
    assert_eq!(hit.source.title, "Parameters");
    assert_eq!(hit.source.lines, LineRange::new(5, 11));
    let range = Lines::of(GUIDE).bytes(hit.source.lines).unwrap();
    assert_eq!(hit.source.text, GUIDE[range]);
    assert_eq!(hit.source.sha256, sha256_hex(hit.source.text.as_bytes()));
    assert_eq!(hit.source.file_sha256, sha256_hex(GUIDE.as_bytes()));
    assert_eq!(hit.bm25.unwrap().rank, 1);
    assert!(hit.knn.is_some());
    assert_eq!(found.index_manifest, manifest.id);
    assert!(found.degraded.is_empty());
    assert_eq!(manifest.lint.blocks, 1);
    assert_eq!(manifest.lint.invalid, 0, "{:?}", manifest.lint);
}

#[tokio::test(flavor = "multi_thread")]
async fn modes_report_their_own_legs_and_scores() {
    let dir = tempfile::tempdir().unwrap();
    let service = service(dir.path());
    ingest(&service, vec![file("params.md", GUIDE), file("loops.md", LOOPS)]).await;
    for (mode, bm25, knn) in [
        (SearchMode::Bm25Only, true, false),
        (SearchMode::KnnOnly, false, true),
        (SearchMode::Hybrid, true, true),
    ] {
        let found = service.search("local", &Request { mode, ..Request::new("loop step") }).await.unwrap();
        let first = &found.hits[0];
        assert_eq!(first.source.path, "loops.md", "{mode}");
        assert_eq!((first.bm25.is_some(), first.knn.is_some()), (bm25, knn), "{mode}");
        match mode {
            SearchMode::Hybrid => {
                let cosine = first.knn.unwrap().score;
                assert!((first.score - (0.6 + 0.4 * cosine)).abs() < 1e-9);
            }
            SearchMode::Bm25Only => assert!((first.score - first.bm25.unwrap().score).abs() < 1e-12),
            SearchMode::KnnOnly => assert!((first.score - first.knn.unwrap().score).abs() < 1e-12),
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_index_survives_a_restart() {
    let dir = tempfile::tempdir().unwrap();
    let manifest = ingest(&service(dir.path()), vec![file("loops.md", LOOPS)]).await;
    let again = service(dir.path());
    assert_eq!(paths(&again, "loops", SearchMode::Hybrid).await, ["loops.md"]);
    assert_eq!(again.collections("local").await.unwrap(), [manifest]);
    assert_eq!(again.collections("other").await.unwrap(), []);
}

#[tokio::test(flavor = "multi_thread")]
async fn unchanged_corpus_is_not_rebuilt_and_edits_embed_the_change() {
    let dir = tempfile::tempdir().unwrap();
    let service = service(dir.path());
    let section = |name: &str| format!("## {name}\n\n{}\n\n", format!("{name} text. ").repeat(60));
    let long = format!("# Page\n\n{}{}{}", section("One"), section("Two"), section("Three"));
    let both = vec![file("a.md", &long), file("b.md", LOOPS)];
    let (first, told, _) = ingest_with(&service, &Header::default(), both.clone()).await.unwrap();
    assert_eq!(told.chunks_embedded, first.passages);

    let (same, told, _) = ingest_with(&service, &Header::default(), both).await.unwrap();
    assert_eq!((same, told.files_unchanged, told.chunks_embedded), (first.clone(), 2, 0));

    let edited = long.replace("Two text.", "New text.");
    let (second, told, _) =
        ingest_with(&service, &Header::default(), vec![file("a.md", &edited), file("b.md", LOOPS)])
            .await
            .unwrap();
    assert_ne!(second.id, first.id);
    assert_eq!(second.passages, first.passages);
    assert!(told.chunks_embedded > 0 && told.chunks_embedded < first.passages - 1, "{told:?}");
    assert_eq!(told.files_unchanged, 1);
    let generations = fs::read_dir(collection_folder(dir.path())).unwrap().count();
    assert_eq!(generations, 2, "CURRENT and one generation");
}

#[tokio::test(flavor = "multi_thread")]
async fn unsent_files_stay_unless_replace_is_asked_for() {
    let dir = tempfile::tempdir().unwrap();
    let service = service(dir.path());
    ingest(
        &service,
        vec![file("x/a.md", GUIDE), file("x/b.md", LOOPS), file("y/c.md", "# Other\n\nWords.\n")],
    )
    .await;
    let keys = |manifest: &assay_retrieval::corpus::Manifest| {
        manifest.files.iter().map(|file| file.document.key.clone()).collect::<Vec<_>>()
    };
    let kept = ingest(&service, vec![file("x/a.md", GUIDE)]).await;
    assert_eq!(keys(&kept), ["x/a.md", "x/b.md", "y/c.md"]);
    let below = Header { replace_below: vec!["x".into()], ..Header::default() };
    let (manifest, ..) = ingest_with(&service, &below, vec![file("x/a.md", GUIDE)]).await.unwrap();
    assert_eq!(keys(&manifest), ["x/a.md", "y/c.md"]);
    let all = Header { replace: true, ..Header::default() };
    let (manifest, ..) = ingest_with(&service, &all, vec![file("y/c.md", "# New\n")]).await.unwrap();
    assert_eq!(keys(&manifest), ["y/c.md"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_process_that_died_while_building_leaves_the_old_index() {
    let dir = tempfile::tempdir().unwrap();
    let first = ingest(&service(dir.path()), vec![file("loops.md", LOOPS)]).await;
    // What a kill can leave: a half-built generation, a switch that was not renamed yet, kept vectors with a torn end.
    let folder = collection_folder(dir.path());
    let half = folder.join("g-00000002");
    fs::create_dir_all(half.join("lexical")).unwrap();
    fs::write(half.join("texts.bin"), b"half").unwrap();
    fs::write(folder.join("CURRENT.new"), b"g-0000").unwrap();
    fs::write(folder.join("vectors.partial"), [1, 2, 3]).unwrap();

    let again = service(dir.path());
    assert_eq!(paths(&again, "loops", SearchMode::Hybrid).await, ["loops.md"]);
    assert_eq!(again.collections("local").await.unwrap(), [first]);
    let second = ingest(&again, vec![file("params.md", GUIDE)]).await;
    assert_eq!(second.files.len(), 2);
    let mut left: Vec<String> = fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    left.sort();
    assert_eq!(left.len(), 2, "{left:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cancelled_ingest_changes_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let service = service(dir.path());
    let first = ingest(&service, vec![file("loops.md", LOOPS)]).await;
    let (events, mut told) = tokio::sync::mpsc::channel(64);
    // A stream that never ends: dropped once a part of its first file is in the build.
    let long = format!("{GUIDE}\n").repeat(300);
    let endless = futures::StreamExt::chain(
        futures::stream::iter([Ok(file("params.md", &long))]),
        futures::stream::pending(),
    );
    let header = Header::default();
    tokio::select! {
        ended = service.ingest("local", &header, endless, &events, 2) => panic!("it ended: {ended:?}"),
        () = async { while told.recv().await.is_some_and(|progress| progress.chunks_embedded == 0) {} } => {}
    }
    assert_eq!(service.collections("local").await.unwrap(), [first]);
    assert_eq!(paths(&service, "parameters", SearchMode::Bm25Only).await, [""; 0]);
    // And the collection is free for the next one.
    assert_eq!(ingest(&service, vec![file("params.md", GUIDE)]).await.files.len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn items_keep_their_id_and_unreadable_files_are_reported() {
    let dir = tempfile::tempdir().unwrap();
    let service = service(dir.path());
    let bad = assay_retrieval::ingest::Part::File {
        path: "bad.md".into(),
        content: vec![b'a', 0xff],
        commit: String::new(),
    };
    let parts = vec![
        item("doc-7", "Immune cells", "T cells respond to antigens.\n"),
        bad,
        file("../up.md", "x"),
        item("doc-7", "again", "twice"),
        file("empty.md", "\n\n"),
    ];
    let (manifest, told, skipped) = ingest_with(&service, &Header::default(), parts).await.unwrap();
    assert_eq!((manifest.files.len(), manifest.passages, told.files_done), (2, 1, 5));
    assert_eq!(skipped.len(), 3, "{skipped:?}");
    assert!(skipped[0].contains("bad.md: byte 1 is not UTF-8"));
    let found = service.search("local", &Request::new("antigen response of immune cells")).await.unwrap();
    let source = &found.hits[0].source;
    assert_eq!(
        (source.id.as_str(), source.path.as_str(), source.title.as_str()),
        ("doc-7", "", "Immune cells")
    );
    assert_eq!(source.text, "T cells respond to antigens.");
}

/// A service with the small model of this seed over the indexes of `data_dir`.
fn with_model(data_dir: &Path, models_dir: &Path, seed: usize) -> Retrieval {
    common::model::small_model(models_dir, seed);
    let embedder = EmbedderChoice::Minilm;
    assemble(Options { models_dir: models_dir.to_owned(), embedder, ..options(data_dir) }).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn index_of_another_model_answers_bm25_only_until_reembedded() {
    let (dir, models) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let knn = Request { mode: SearchMode::KnnOnly, ..Request::new("loop step") };
    ingest(&service(dir.path()), vec![file("loops.md", LOOPS), file("guide/params.md", GUIDE)]).await;
    // Hashed words, then a model, then a model of the same name and size with other weights.
    let mut before = service(dir.path()).embedding().clone();
    for seed in [1, 2] {
        let other = with_model(dir.path(), models.path(), seed);
        let found = other.search("local", &Request::new("loop step")).await.unwrap();
        assert_eq!(found.hits[0].source.path, "loops.md");
        assert_eq!(found.degraded[0].leg, "knn");
        let refused = other.search("local", &knn).await.unwrap_err();
        assert_eq!(refused.code, Code::SearchUnavailable);
        let told = [before.to_string(), other.embedding().to_string()];
        for part in [&told[0], &told[1], "assay ingest --reembed --collection default"] {
            assert!(refused.message.contains(part), "{refused}");
        }
        // The next ingest embeds everything anew, although no file changed.
        let manifest = ingest(&other, vec![]).await;
        assert_eq!((manifest.files.len(), &manifest.embedding), (2, other.embedding()));
        let found = other.search("local", &knn).await.unwrap();
        assert_eq!((found.hits[0].source.path.as_str(), found.degraded.len()), ("loops.md", 0));
        before = other.embedding().clone();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn look_ups_resolve_paths_names_and_cited_bytes() {
    let dir = tempfile::tempdir().unwrap();
    let service = service(dir.path());
    ingest(&service, vec![file("guide/params.md", GUIDE)]).await;
    let cited = |first, last, text: &str| Cited {
        path: "guide/params.md".into(),
        lines: LineRange::new(first, last),
        sha256: sha256_hex(text.as_bytes()),
    };
    let line = "Use `addParam` to read a request parameter.";
    let request = lookup::Request {
        paths: vec!["guide/params.md".into(), "./params.md".into(), "params.md".into(), "parms.md".into()],
        names: vec!["addParam()".into(), "addParm".into()],
        cited: vec![cited(7, 7, line), cited(3, 3, line), cited(7, 7, "gone")],
    };
    let facts = service.look_up("local", "", &request).await.unwrap();
    assert_eq!((facts.paths[0].exists, facts.paths[0].line_count), (true, 11));
    assert_eq!(
        (facts.paths[1].exists, facts.paths[1].near.clone()),
        (false, vec!["guide/params.md".to_owned()])
    );
    assert_eq!((facts.paths[2].exists, facts.paths[2].line_count), (true, 11));
    assert_eq!(facts.paths[3].near, ["guide/params.md"]);
    assert!(facts.names[0].exists);
    assert_eq!((facts.names[1].exists, facts.names[1].near.clone()), (false, vec!["addParam".to_owned()]));
    assert_eq!(
        facts.cited,
        [Resolution::Exact, Resolution::Moved(LineRange::new(7, 7)), Resolution::Dangling]
    );
    let other = service.look_up("somebody-else", "", &request).await.unwrap_err();
    assert_eq!(other.code, Code::NotFound);
}

#[tokio::test(flavor = "multi_thread")]
async fn wrong_requests_name_their_field() {
    let dir = tempfile::tempdir().unwrap();
    let service = service(dir.path());
    ingest(&service, vec![file("loops.md", LOOPS)]).await;
    let check = async |request: Request, code: Code, field: &str| {
        let failure = service.search("local", &request).await.unwrap_err();
        assert_eq!((failure.code, failure.field.as_str()), (code, field), "{failure}");
    };
    check(Request::new("  "), Code::InvalidArgument, "query").await;
    check(Request { limit: 5000, ..Request::new("x") }, Code::InvalidArgument, "limit").await;
    check(Request { collection: "../x".into(), ..Request::new("x") }, Code::InvalidArgument, "collection")
        .await;
    check(Request { collection: "absent".into(), ..Request::new("x") }, Code::NotFound, "collection").await;
    check(Request::new("x".repeat(40_000)), Code::PayloadTooLarge, "query").await;
    let failure = service.embed(vec![String::new(); 300]).await.unwrap_err();
    assert_eq!((failure.code, failure.field.as_str()), (Code::PayloadTooLarge, "texts"));
    let refused = Options {
        weights: BTreeMap::from([("d".into(), Weights { bm25: 0.0, knn: 0.0 })]),
        ..options(dir.path())
    };
    assert_eq!(assemble(refused).unwrap_err().code, Code::Configuration);
}

#[tokio::test(flavor = "multi_thread")]
async fn further_formulations_are_fused_with_the_question() {
    let dir = tempfile::tempdir().unwrap();
    let service = service(dir.path());
    ingest(&service, vec![file("params.md", GUIDE), file("loops.md", LOOPS)]).await;
    let request = Request {
        mode: SearchMode::Bm25Only,
        further_queries: vec!["loop".into(), " ".into()],
        ..Request::new("parameter")
    };
    let found = service.search("local", &request).await.unwrap();
    let mut paths: Vec<&str> = found.hits.iter().map(|hit| hit.source.path.as_str()).collect();
    paths.sort_unstable();
    assert_eq!(paths, ["loops.md", "params.md"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn examples_are_found_by_their_task_in_both_languages() {
    let dir = tempfile::tempdir().unwrap();
    let service = service(dir.path());
    for task in [
        "read the request parameter 'name' and return it",
        "lee el parámetro 'name' de la petición y devuélvelo",
    ] {
        let request = few_shot::Request { task: task.into(), ..few_shot::Request::default() };
        let found = service.few_shot(&request).await.unwrap();
        assert_eq!(found.examples.len(), 5);
        assert!(!found.degraded);
        let first = &found.examples[0].source;
        assert!(first.text.contains("addParam(\"name\", name)"), "{}: {}", first.title, first.text);
        let mut ids: Vec<&str> = found.examples.iter().map(|hit| hit.source.id.as_str()).collect();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), 5, "each example once");
    }
    let python = few_shot::Request { task: "x".into(), language: "python".into(), limit: 3 };
    assert!(service.few_shot(&python).await.unwrap().examples.is_empty());
    assert_eq!(service.collections("local").await.unwrap(), [], "the pool belongs to no tenant");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_saved_page_is_found_by_its_shown_words() {
    const PAGE: &str = "<html><head><title>Limits</title>\n<script>\nlet tracker = 1;\n</script></head>\n<body>\n<h1>Uploads</h1>\n<p onclick=\"track()\">An upload has <b>fif</b>teen parts.</p>\n</body></html>\n";
    let dir = tempfile::tempdir().unwrap();
    let service = service(dir.path());
    ingest(&service, vec![file("limits.html", PAGE)]).await;
    let found = service.search("local", &Request::new("fifteen parts")).await.unwrap();
    let source = &found.hits[0].source;
    assert_eq!((source.title.as_str(), source.headings.as_slice()), ("Limits", &["Uploads".to_owned()][..]));
    assert_eq!(source.text, PAGE[Lines::of(PAGE).bytes(source.lines).unwrap()]);
    for hidden in ["tracker", "onclick", "h1"] {
        assert_eq!(paths(&service, hidden, SearchMode::Bm25Only).await, Vec::<String>::new(), "{hidden}");
    }
}
