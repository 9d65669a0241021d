//! The seed messages: written for this project, English and Spanish, every type; what the first head is trained on.

use assay_domain::error::{Code, Failure};
use assay_domain::question::QueryType;

use assay_routing::Head;
use serde::Deserialize;

use crate::{Example, Settings, train};

const ENGLISH: &str = include_str!("../data/seed-en.jsonl");
const SPANISH: &str = include_str!("../data/seed-es.jsonl");

/// Buckets of n-grams that the router's head uses: fewer lose accuracy, more gain none (`data/README.md`).
pub const BUCKETS: u32 = 16_384;

/// A labelled message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seed {
    /// The message.
    pub text: String,
    /// Its type.
    pub query_type: QueryType,
    /// `en` or `es`.
    pub language: String,
}

/// A line of a file of labelled messages.
#[derive(Deserialize)]
struct Line {
    text: String,
    label: String,
    lang: String,
}

/// All seed messages, English first.
///
/// # Errors
/// `CONFIGURATION` if a built-in file cannot be read; a test keeps that from happening.
pub fn seeds() -> Result<Vec<Seed>, Failure> {
    let mut all = labelled(ENGLISH)?;
    all.extend(labelled(SPANISH)?);
    Ok(all)
}

/// Reads lines `{text, label, lang}`.
///
/// # Errors
/// `CONFIGURATION` naming the line that cannot be read.
pub fn labelled(lines: &str) -> Result<Vec<Seed>, Failure> {
    let read = |(index, line): (usize, &str)| {
        let broken = |why: String| {
            Failure::new(Code::Configuration, format!("labelled messages, line {}: {why}", index + 1))
        };
        let Line { text, label, lang } =
            serde_json::from_str(line).map_err(|error| broken(error.to_string()))?;
        let query_type =
            QueryType::from_name(&label).ok_or_else(|| broken(format!("{label:?} is no query type")))?;
        Ok(Seed { text, query_type, language: lang })
    };
    lines.lines().enumerate().map(read).collect()
}

/// The heads that ship: over n-grams alone, and over the vectors of the embedding model that ships.
const SHIPPED: [&str; 2] =
    [include_str!("../data/head-words.json"), include_str!("../data/head-minilm.json")];

/// The head that ships for these vectors, or for none if `embedding` is empty.
///
/// # Errors
/// `STORAGE_CORRUPT` if a file was changed by hand; a test keeps that from happening.
pub fn shipped_head(embedding: &str) -> Result<Option<Head>, Failure> {
    for json in SHIPPED {
        let head = Head::from_json(json.trim_end())?;
        if head.embedding == embedding {
            return Ok(Some(head));
        }
    }
    Ok(None)
}

/// Digest of the seed messages as a head's report names it.
///
/// # Errors
/// As [`seeds`].
pub fn digest() -> Result<String, Failure> {
    Ok(crate::digest(&examples(seeds()?.into_iter().map(|seed| (seed, Vec::new())))))
}

fn examples(seeds: impl Iterator<Item = (Seed, Vec<f32>)>) -> Vec<Example> {
    seeds
        .map(|(seed, vector)| Example { text: seed.text, label: seed.query_type.to_string(), vector })
        .collect()
}

/// A head of the router for another embedding model than the one that ships, trained on the seed messages. `vectors` are
/// their embeddings in the order of [`seeds`].
///
/// # Errors
/// As [`train`], or if the number of vectors is wrong.
pub fn first_head(embedding: &str, vectors: Vec<Vec<f32>>, threads: usize) -> Result<Head, Failure> {
    let seeds = seeds()?;
    if vectors.len() != seeds.len() {
        return Err(Failure::internal("the number of seed vectors is not the number of seed messages"));
    }
    let examples = examples(seeds.into_iter().zip(vectors));
    train(&examples, &[], &[], embedding, Settings { buckets: BUCKETS, threads, ..Settings::default() })
}
