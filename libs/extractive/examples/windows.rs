//! Measures windows for the fit of the composer: reads lines of JSON (`id`, `question`, `context_relevant`, `sources`),
//! writes the names of the measures, and then a line for each question with its windows.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

use std::io::BufRead as _;

use assay_domain::evidence::{LineRange, Source, SourceKind};
use assay_extractive::{BESIDES, MEASURES, measure};
use serde_json::{Value, json};

fn source(value: &Value) -> Source {
    let text = |key: &str| value[key].as_str().unwrap_or_default().to_owned();
    let line = |at: usize| u32::try_from(value["lines"][at].as_u64().unwrap_or(1)).unwrap();
    let headings = value["headings"].as_array().cloned().unwrap_or_default();
    Source {
        lines: LineRange::new(line(0), line(1)),
        path: text("path"),
        title: text("title"),
        language: text("language"),
        headings: headings.iter().filter_map(|heading| heading.as_str().map(str::to_owned)).collect(),
        ..Source::given(text("id"), SourceKind::Doc, text("text"), line(0))
    }
}

fn main() {
    println!("{}", json!({ "measures": MEASURES, "besides": BESIDES }));
    for line in std::io::stdin().lock().lines() {
        let request: Value = serde_json::from_str(&line.unwrap()).unwrap();
        let sources: Vec<Source> = request["sources"].as_array().unwrap().iter().map(source).collect();
        let doubtful = request["context_relevant"].as_bool() == Some(false);
        let measured = measure(request["question"].as_str().unwrap(), &sources, doubtful);
        let windows = measured.windows.into_iter().map(|window| {
            let pieces: Vec<_> = window.pieces.iter().map(|lines| [lines.first, lines.last]).collect();
            json!({
                "source": window.source, "section": window.section, "pieces": pieces, "text": window.text,
                "measures": window.measures,
            })
        });
        let windows: Vec<Value> = windows.collect();
        println!("{}", json!({ "id": request["id"], "besides": measured.besides, "windows": windows }));
    }
}
