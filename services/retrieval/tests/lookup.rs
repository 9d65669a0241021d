//! Look-ups of hostile size: bounded, beside the async threads, in turns; and indexes that are their owner's alone.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use assay_domain::{Code, LineRange};
use assay_lint::{Finding, Rule};
use assay_retrieval::corpus::sha256_hex;
use assay_retrieval::lookup::{Cited, Request, Resolution};
use assay_retrieval::{Options, Retrieval, assemble};
use common::{file, ingest, item, options, service};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

/// A service whose index holds one file of so many short lines.
async fn with_lines(dir: &Path, count: usize) -> Retrieval {
    let service = assemble(Options { parallel: 1, ..options(dir) }).unwrap();
    let text: String = (0..count).map(|line| format!("line {line}\n")).collect();
    ingest(&service, vec![file("big.md", &text)]).await;
    service
}

fn cited(first: u32, last: u32, text: &str) -> Cited {
    let sha256 = sha256_hex(text.as_bytes());
    Cited { path: "big.md".into(), lines: LineRange::new(first, last), sha256 }
}

fn request(cited: Vec<Cited>) -> Request {
    Request { cited, ..Request::default() }
}

#[tokio::test(flavor = "multi_thread")]
async fn citations_of_endless_work_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let service = with_lines(dir.path(), 60_000).await;
    let hostile = request(vec![cited(1, 30_000, "gone"); 1000]);
    let refused = service.look_up("local", "", &hostile).await.unwrap_err();
    assert_eq!((refused.code, refused.field.as_str()), (Code::PayloadTooLarge, "cited"));
    assert!(refused.message.contains("send fewer"), "{refused}");
    // As many short ones are answered.
    let short: Vec<Cited> = (0..1000).map(|line| cited(1, 1, &format!("line {line}"))).collect();
    let facts = service.look_up("local", "", &request(short)).await.unwrap();
    assert_eq!(facts.cited[0], Resolution::Exact);
    assert_eq!(facts.cited[999], Resolution::Moved(LineRange::new(1000, 1000)));
}

/// The runtime has one thread: who computed on it would answer first.
#[tokio::test]
async fn others_are_answered_while_a_look_up_computes() {
    let dir = tempfile::tempdir().unwrap();
    let service = with_lines(dir.path(), 20_000).await;
    let long = request(vec![cited(1, 2000, "gone")]);
    tokio::select! {
        biased;
        done = service.look_up("local", "", &long) => panic!("it came first: {done:?}"),
        listed = service.collections("local") => assert_eq!(listed.unwrap().len(), 1),
    }
    // The one turn is free again, since nobody waits for the long one any more.
    let short = service.look_up("local", "", &request(vec![cited(3, 3, "line 2")])).await.unwrap();
    assert_eq!(short.cited, [Resolution::Exact]);
}

#[tokio::test(flavor = "multi_thread")]
async fn unknown_names_and_paths_get_near_ones() {
    let dir = tempfile::tempdir().unwrap();
    let service = service(dir.path());
    let files =
        (0..60).map(|n| file(&format!("docs/part-{n}/page-{n}.md"), &format!("# Page {n}\n\nsetting_{n}\n")));
    ingest(&service, files.collect()).await;
    let asked = Request {
        paths: (0..200).map(|n| format!("docs/part-{n}/pgae-{n}.md")).collect(),
        names: (0..200).map(|n| format!("setting_{n}")).collect(),
        cited: Vec::new(),
    };
    let facts = service.look_up("local", "", &asked).await.unwrap();
    assert_eq!(facts.paths.iter().filter(|fact| fact.exists).count(), 0);
    assert_eq!(facts.paths[7].near[0], "docs/part-7/page-7.md");
    assert_eq!(facts.names.iter().filter(|fact| fact.exists).count(), 60);
    assert!(facts.names[199].near.len() <= 3);
}

fn modes(path: &Path, found: &mut Vec<(String, u32)>) {
    for entry in std::fs::read_dir(path).unwrap() {
        let entry = entry.unwrap();
        let (meta, path) = (entry.metadata().unwrap(), entry.path());
        let kind = if meta.is_dir() { "folder" } else { "file" };
        found.push((format!("{kind} {}", path.display()), meta.permissions().mode() & 0o777));
        if meta.is_dir() {
            modes(&path, found);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn indexes_are_their_owners_alone() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("retrieval");
    // As an older version made it.
    std::fs::create_dir(&root).unwrap();
    std::fs::set_permissions(&root, std::fs::Permissions::from_mode(0o755)).unwrap();
    let service = service(&root);
    service.check().await.unwrap();
    ingest(&service, vec![file("a.md", "# Title\n\nSome words.\n")]).await;
    let mut found = Vec::new();
    modes(dir.path(), &mut found);
    assert!(found.len() > 12, "{found:?}");
    for (name, mode) in found {
        assert_eq!(mode, if name.starts_with("folder") { 0o700 } else { 0o600 }, "{name}");
    }
}

#[tokio::test]
async fn lines_are_read_as_they_were_indexed() {
    let dir = tempfile::tempdir().unwrap();
    let service = with_lines(dir.path(), 1500).await;
    let read = async |path: &str, first, last| {
        service.read_lines("local", "", path, LineRange::new(first, last)).await
    };
    let found = read("big.md", 3, 4).await.unwrap();
    assert_eq!((found.text.as_str(), found.line_count), ("line 2\nline 3\n", 1500));
    let end = read("./big.md", 1499, 9999).await.unwrap();
    assert_eq!((end.lines, end.text.as_str()), (LineRange::new(1499, 1500), "line 1498\nline 1499\n"));
    assert_eq!(read("big.md", 1, 1500).await.unwrap().lines, LineRange::new(1, 1000), "at most a thousand");
    for (path, first, code, field) in [
        ("big.md", 1501, Code::InvalidArgument, "lines"),
        ("big.md", 0, Code::InvalidArgument, "lines"),
        ("../big.md", 1, Code::NotFound, "path"),
        ("", 1, Code::NotFound, "path"),
    ] {
        let refused = read(path, first, first).await.unwrap_err();
        assert_eq!((refused.code, refused.field.as_str()), (code, field), "{path} {first}");
    }
}

#[tokio::test]
async fn mistakes_are_told_at_the_lines_of_their_documents() {
    let dir = tempfile::tempdir().unwrap();
    let service = service(dir.path());
    let passage = "A queue keeps what is written to it until a reader has taken it. ".repeat(4);
    let outside = "![i](x.png) [s](../src/main.rs) [r](../README.md) [f](../other/page)";
    let links = format!("[b](b.md#gone) [c](c.md) [b](b) {outside}");
    let one = format!("# A\n\n{links}\n\n{passage}\n\n```avap\naddVar(x, 1)\nif (\n```\n");
    let other = format!("# B\n\n[a](a.md)\n\n{passage}\n");
    let parts = vec![file("guide/a.md", &one), file("guide/b.md", &other), item("i", "Item", "[x](gone.md)")];
    ingest(&service, parts).await;
    let linted = service.lint("local", "").await.unwrap();
    let place = |one: &Finding| (one.rule, one.place.path.clone(), one.place.lines.first);
    let told: Vec<_> = linted.findings.iter().map(place).collect();
    let at = |rule, path: &str, line| (rule, path.to_owned(), line);
    let expected = [
        at(Rule::DeadLink, "guide/a.md", 3),
        at(Rule::DeadAnchor, "guide/a.md", 3),
        at(Rule::CodeInvalid, "guide/a.md", 9),
        at(Rule::Duplicate, "guide/b.md", 5),
    ];
    assert_eq!(told, expected);
    assert_eq!((linted.total, linted.files), (4, 2), "an item is no file");
    assert_eq!(service.lint("other", "").await.unwrap_err().code, Code::NotFound);
}

#[tokio::test]
async fn of_many_mistakes_the_first_are_told_and_all_are_counted() {
    let dir = tempfile::tempdir().unwrap();
    let service = service(dir.path());
    let links: String = (0..1100).map(|n| format!("[a](gone-{n}.md)\n\n")).collect();
    ingest(&service, vec![file("a.md", &links)]).await;
    let linted = service.lint("local", "").await.unwrap();
    assert_eq!((linted.findings.len(), linted.total), (1000, 1100));
}
