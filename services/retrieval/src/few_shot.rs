//! The pool of validated examples, compiled in and indexed like a collection: found by their task sentences.

use crate::corpus::Scope;
use crate::ingest::{Header, Part};

/// Collection of the pool; it belongs to the system and no tenant can write to it.
const COLLECTION: &str = "avap-examples";

/// What is asked.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Request {
    /// The task in words.
    pub task: String,
    /// Programming language; empty means `avap`.
    pub language: String,
    /// Examples wanted; 0 means the configured number.
    pub limit: usize,
}

/// Validated examples.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Response {
    /// Best first; the title of a source is its task sentence, its text the program.
    pub examples: Vec<assay_domain::Hit>,
    /// Whether the pool could not be used as configured.
    pub degraded: bool,
}

/// Where the pool is indexed.
pub(crate) fn scope() -> Scope {
    Scope::built_in(COLLECTION)
}

/// How the pool is ingested: what is not in it any more is forgotten.
pub(crate) fn header() -> Header {
    Header { collection: COLLECTION.to_owned(), replace: true, replace_below: Vec::new() }
}

/// The pool: each example once for each language of its task sentence.
pub(crate) fn parts() -> Vec<Part> {
    assay_avap::examples()
        .into_iter()
        .flat_map(|example| {
            [("en", example.task_en), ("es", example.task_es)].map(|(language, task)| Part::Example {
                id: format!("{}@{language}", example.id),
                task: task.to_owned(),
                code: example.code.to_owned(),
            })
        })
        .collect()
}

/// Id of an example without the language of its sentence.
pub(crate) fn example_id(id: &str) -> &str {
    id.rsplit_once('@').map_or(id, |(id, _)| id)
}
