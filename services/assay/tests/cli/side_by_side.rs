//! Commands beside a running `assay ingest`: reading never waits for it, a second writer is told.

use std::io::Write as _;
use std::process::{Child, ChildStdin, Stdio};

use serde_json::json;

use crate::{Cli, code, object, stderr};

/// More chunks than an ingest keeps back before it begins to build.
const CHUNKS: usize = 300;

/// An ingest that has begun to build the default collection and waits for more input.
struct Writing {
    child: Child,
    input: ChildStdin,
}

impl Writing {
    fn start(cli: &Cli) -> Self {
        let mut child = cli
            .command(&["ingest", "--jsonl", "-", "--no-chunking"])
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut input = child.stdin.take().unwrap();
        for number in 0..CHUNKS {
            let line = json!({ "id": format!("late-{number}"), "title": "", "text": "A late lizard." });
            writeln!(input, "{line}").unwrap();
        }
        input.flush().unwrap();
        while !is_building(cli) {
            assert!(child.try_wait().unwrap().is_none(), "the ingest ended early");
            std::thread::yield_now();
        }
        Self { child, input }
    }
}

/// Whether a second generation is begun. A probe of the lock would not do: another test's child can hold the probe.
fn is_building(cli: &Cli) -> bool {
    let collection = cli.dir.path().join("data/retrieval/local/default");
    let entries = std::fs::read_dir(collection).unwrap().flatten();
    entries.filter(|entry| entry.file_name().to_string_lossy().starts_with("g-")).count() > 1
}

fn with_a_page() -> Cli {
    let cli = Cli::new();
    cli.file("page.md", "# Importer\n\nThe importer stops after one hundred errors.\n");
    assert_eq!(code(&cli.run(&["ingest", "page.md"])), 0);
    cli
}

#[test]
fn reading_goes_on_beside_an_ingest() {
    let cli = with_a_page();
    cli.file("one.avap", "addVar(a, 1)\n");
    cli.file("answer.md", "The importer stops. [^1]\n");
    cli.file("sources.jsonl", "{\"id\": \"1\", \"text\": \"The importer stops.\"}\n");
    let writing = Writing::start(&cli);
    let commands: [&[&str]; 6] = [
        &["ask", "When does the importer stop?"],
        &["search", "importer"],
        &["index", "list"],
        &["router", "classify", "When does the importer stop?"],
        &["parse", "one.avap"],
        &["check", "answer.md", "--sources", "sources.jsonl"],
    ];
    for command in commands {
        let output = cli.run(command);
        assert_eq!(code(&output), 0, "{command:?}: {}", stderr(&output));
    }
    let found = object(&cli.run(&["search", "lizard", "--mode", "bm25_only", "--json"]));
    assert_eq!(found["hits"], json!([]), "half an index is not searched");

    let Writing { mut child, input } = writing;
    drop(input);
    assert!(child.wait().unwrap().success());
    let found = object(&cli.run(&["search", "lizard", "--mode", "bm25_only", "--json"]));
    assert_eq!(found["hits"].as_array().unwrap().len(), 8);
    let kept = object(&cli.run(&["search", "importer", "--mode", "bm25_only", "--json"]));
    assert_eq!(kept["hits"][0]["path"], "page.md");
}

#[test]
fn a_second_writer_is_told_and_a_killed_one_is_no_obstacle() {
    let cli = with_a_page();
    let Writing { mut child, input } = Writing::start(&cli);
    cli.file("one.md", "# One\n\nOther words.\n");
    for second in [&["ingest", "one.md"][..], &["index", "delete", "default"]] {
        let refused = cli.run(second);
        assert_ne!(code(&refused), 0, "{second:?}");
        assert!(stderr(&refused).contains("another process writes `default`"), "{}", stderr(&refused));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    drop(input);
    let again = cli.run(&["ingest", "one.md"]);
    assert_eq!(code(&again), 0, "{}", stderr(&again));
    let listed = object(&cli.run(&["index", "list", "--json"]));
    assert_eq!(listed[0]["files"], 2);
}
