//! The seed messages: written for this project, English and Spanish, every type; what the first head is trained on.

use std::collections::BTreeMap;

use assay_domain::error::{Code, Failure};
use assay_domain::question::QueryType;

use assay_routing::Head;

use crate::{Example, Settings, train};

const FILE: &str = include_str!("seed.toml");

/// Buckets of n-grams that the router's head uses.
pub const BUCKETS: u32 = 4096;

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

/// All seed messages, by type and language.
///
/// # Errors
/// `CONFIGURATION` if the built-in file cannot be read; a test keeps that from happening.
pub fn seeds() -> Result<Vec<Seed>, Failure> {
    let broken =
        |why: String| Failure::new(Code::Configuration, format!("the seed messages are broken: {why}"));
    let file: BTreeMap<String, BTreeMap<String, Vec<String>>> =
        toml::from_str(FILE).map_err(|error| broken(error.to_string()))?;
    let mut all = Vec::new();
    for (label, languages) in file {
        let query_type =
            QueryType::from_name(&label).ok_or_else(|| broken(format!("unknown type {label}")))?;
        for (language, texts) in languages {
            all.extend(texts.into_iter().map(|text| Seed { text, query_type, language: language.clone() }));
        }
    }
    Ok(all)
}

/// The head that ships: trained by [`first_head`] on the vectors of the embedding model that ships.
const SHIPPED: &str = include_str!("seed_head.json");

/// The head that ships, if it was made for these vectors and from the present seed messages.
///
/// # Errors
/// `STORAGE_CORRUPT` if the file was changed by hand; a test keeps that from happening.
pub fn shipped_head(embedding: &str) -> Result<Option<Head>, Failure> {
    let head = Head::from_json(SHIPPED.trim_end())?;
    Ok((head.embedding == embedding && head.report.data_sha256 == digest()?).then_some(head))
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

/// The first head of the router, trained on the seed messages. `vectors` are their embeddings in the order of
/// [`seeds`] with the model's identity; without them the head uses n-grams alone.
///
/// # Errors
/// As [`train`], or if the number of vectors is wrong.
pub fn first_head(vectors: Option<(&str, Vec<Vec<f32>>)>, threads: usize) -> Result<Head, Failure> {
    let seeds = seeds()?;
    let (embedding, vectors) = vectors.unwrap_or(("", vec![Vec::new(); seeds.len()]));
    if vectors.len() != seeds.len() {
        return Err(Failure::internal("the number of seed vectors is not the number of seed messages"));
    }
    let examples = examples(seeds.into_iter().zip(vectors));
    train(&examples, &[], &[], embedding, Settings { buckets: BUCKETS, c: 20.0, max_iterations: 60, threads })
}
