//! The tables of the page on telemetry are those of the code.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::fmt::Write as _;

use assay_telemetry::names::attributes::{self as a, is_content};
use assay_telemetry::names::metrics::{self, Kind};
use assay_telemetry::names::spans;

/// Groups of attributes of which one is content.
const GROUPS: [&str; 2] = [a::DOCUMENTS, a::EMBEDDED];

fn spans_table() -> String {
    let mut table = String::from("| span | kind | in | covers | carries |\n|---|---|---|---|---|\n");
    for row in spans::TABLE {
        let starred = |name: &&str| {
            let star = if is_content(name) || GROUPS.contains(name) { " *" } else { "" };
            format!("`{name}`{star}")
        };
        let carries: Vec<String> = row.attributes.iter().map(starred).collect();
        let kind = if row.kind.is_empty() { "–" } else { row.kind };
        writeln!(
            table,
            "| `{}` | {kind} | {} | {} | {} |",
            row.name,
            row.service,
            row.what,
            carries.join(", ")
        )
        .unwrap();
    }
    table
}

fn metrics_table() -> String {
    let mut table = String::from("| metric | kind | meaning |\n|---|---|---|\n");
    for (name, kind, meaning) in metrics::TABLE {
        let kind = match kind {
            Kind::Counter => "counter",
            Kind::Gauge => "gauge",
            Kind::Histogram => "histogram",
        };
        writeln!(table, "| `{name}` | {kind} | {meaning} |").unwrap();
    }
    table
}

/// The page with the part between two marks replaced.
fn with(page: &str, what: &str, table: &str) -> String {
    let (begin, end) =
        (format!("<!-- {what}: written by `make diagrams` -->\n"), format!("<!-- end of {what} -->"));
    let start = page.find(&begin).expect("the page marks where the table begins") + begin.len();
    let stop = page.find(&end).expect("the page marks where the table ends");
    format!("{}{table}{}", &page[..start], &page[stop..])
}

#[test]
fn the_page_shows_every_span_and_metric() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/telemetry.md");
    let page = std::fs::read_to_string(path).unwrap();
    let fresh = with(&with(&page, "spans", &spans_table()), "metrics", &metrics_table());
    if std::env::vars_os().any(|(key, _)| key == "ASSAY_WRITE") {
        std::fs::write(path, fresh).unwrap();
        return;
    }
    assert!(page == fresh, "docs/telemetry.md shows other names; run `make diagrams`");
}
