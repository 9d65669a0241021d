//! `assay index`: what collections hold, in what they differ, whether their sources changed since.

use serde_json::json;

use crate::{Cli, code, object, stderr};

fn page(name: &str) -> String {
    format!("---\ntags: [{name}]\n---\n# {name}\n\nThe page {name} says something about words.\n")
}

#[test]
fn drift_of_the_sources_is_named_and_exits_one() {
    let cli = Cli::new();
    std::fs::create_dir(cli.dir.path().join("docs")).unwrap();
    for name in ["a", "b", "c"] {
        cli.file(&format!("docs/{name}.md"), &page(name));
    }
    assert_eq!(code(&cli.run(&["ingest", "docs"])), 0);
    let clean = cli.run(&["index", "verify", "docs", "--json"]);
    assert_eq!(code(&clean), 0, "{}", stderr(&clean));
    assert_eq!(object(&clean)["unchanged"], 3);

    cli.file("docs/a.md", "# a\n\nOther words.\n");
    std::fs::rename(cli.dir.path().join("docs/b.md"), cli.dir.path().join("docs/z.md")).unwrap();
    std::fs::remove_file(cli.dir.path().join("docs/c.md")).unwrap();
    cli.file("docs/d.md", "# d\n\nNew.\n");
    let drift = cli.run(&["index", "verify", "docs", "--json"]);
    assert_eq!(code(&drift), 1);
    let expected = json!({
        "unchanged": 0,
        "changed": ["docs/a.md"],
        "moved": [{ "from": "docs/b.md", "to": "docs/z.md" }],
        "missing": ["docs/c.md"],
        "added": ["docs/d.md"],
    });
    assert_eq!(object(&drift), expected);
    let told = String::from_utf8(cli.run(&["index", "verify", "docs"]).stdout).unwrap();
    assert!(told.ends_with("0 unchanged, 1 changed, 1 moved, 1 missing, 1 new\n"), "{told}");
}

#[test]
fn collections_are_shown_compared_searched_by_tag_and_deleted() {
    let cli = Cli::new();
    cli.file("a.md", &page("a"));
    cli.file("b.md", &page("b"));
    assert_eq!(code(&cli.run(&["ingest", "a.md", "b.md", "--collection", "one"])), 0);
    assert_eq!(code(&cli.run(&["ingest", "a.md", "--collection", "two"])), 0);
    let listed = object(&cli.run(&["index", "list", "--json"]));
    let names: Vec<&str> =
        listed.as_array().unwrap().iter().map(|row| row["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["one", "two"]);
    let shown = object(&cli.run(&["index", "show", "one", "--files", "--json"]));
    assert_eq!(
        (&shown["documents"][1]["key"], &shown["documents"][1]["tags"]),
        (&json!("b.md"), &json!(["b"]))
    );

    let differing = cli.run(&["index", "diff", "one", "two", "--json"]);
    assert_eq!((code(&differing), &object(&differing)["missing"]), (1, &json!(["b.md"])));
    assert_eq!(code(&cli.run(&["index", "diff", "one", "one"])), 0);

    let found = object(&cli.run(&["search", "words", "--collection", "one", "--tag", "b", "--json"]));
    let paths: Vec<&str> =
        found["hits"].as_array().unwrap().iter().map(|hit| hit["path"].as_str().unwrap()).collect();
    assert_eq!(paths, ["b.md"]);
    let unknown = cli.run(&["search", "words", "--collection", "one", "--kind", "page"]);
    assert!(stderr(&unknown).contains("there are doc, code and example"), "{}", stderr(&unknown));

    assert_eq!(code(&cli.run(&["index", "delete", "one"])), 0);
    let gone = cli.run(&["index", "show", "one"]);
    assert_ne!(code(&gone), 0);
    assert!(stderr(&gone).contains("there is no collection `one`"), "{}", stderr(&gone));
}

#[test]
fn weights_are_proposed_with_their_evidence() {
    let cli = Cli::new();
    let (mut queries, mut judgements) = (String::new(), String::from("query-id corpus-id score\n"));
    std::fs::create_dir(cli.dir.path().join("docs")).unwrap();
    for number in 0..24 {
        cli.file(
            &format!("docs/{number}.md"),
            &format!("# Topic {number}\n\nThe word topic{number} stands here.\n"),
        );
        queries.push_str(&format!("{{\"id\": {number}, \"text\": \"topic{number}\"}}\n"));
        judgements.push_str(&format!("{number} docs/{number}.md 1\n"));
    }
    cli.file("queries.jsonl", &queries);
    cli.file("qrels.tsv", &judgements);
    assert_eq!(code(&cli.run(&["ingest", "docs"])), 0);
    let tuned = cli.run(&["search", "--tune", "queries.jsonl", "qrels.tsv", "--json"]);
    assert_eq!(code(&tuned), 0, "{}", stderr(&tuned));
    let tuned = object(&tuned);
    assert_eq!((&tuned["queries"], &tuned["kept_aside"]["bm25"]), (&json!(24), &json!(1.0)));
    let told = cli.run(&["search", "--tune", "queries.jsonl", "qrels.tsv"]);
    let told = String::from_utf8(told.stdout).unwrap();
    assert!(
        told.contains("[retrieval.weights.\"default\"]") && told.starts_with("# nDCG@10 over 12"),
        "{told}"
    );

    cli.file("few.tsv", "0 docs/0.md 1\n");
    let few = cli.run(&["search", "--tune", "queries.jsonl", "few.tsv"]);
    assert!(stderr(&few).contains("1 queries are judged; at least 20"), "{}", stderr(&few));
}
