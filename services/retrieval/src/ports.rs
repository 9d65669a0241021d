//! What retrieval needs from outside: a model that embeds, and a store that keeps and searches indexes.

use crate::corpus::{Document, EmbeddingIdentity, Filter, Manifest, Passage, Scope};
use crate::error::Error;
use crate::text::QueryTerms;
use assay_domain::Source;
use async_trait::async_trait;
use std::collections::HashMap;
use std::sync::Arc;

/// What a vector is made for; some models want another prefix for each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// To search with.
    Query,
    /// To be found.
    Passage,
}

/// Turns texts into vectors of unit length. The only way into the vector space.
#[async_trait]
pub trait Embedder: Send + Sync + 'static {
    /// Which model this is; known without loading it.
    fn identity(&self) -> &EmbeddingIdentity;

    /// One vector of [`EmbeddingIdentity::dims`] components per text, in order. Texts are cut at the model's own
    /// length; an empty text has a vector too.
    async fn embed(&self, texts: Vec<String>, purpose: Purpose) -> Result<Vec<Vec<f32>>, Error>;
}

/// A key under which the vector of a text is remembered: SHA-256 of model and text.
pub type VectorKey = [u8; 32];

/// Passages with their vectors.
pub type WithVectors = Vec<(Passage, Vec<f32>)>;

/// Keeps indexes. A search never sees a half-built one.
#[async_trait]
pub trait Store: Send + Sync + 'static {
    /// Collections of a tenant, by name.
    async fn collections(&self, tenant: &str) -> Result<Vec<Scope>, Error>;

    /// The current index of a collection; `None` if there is none.
    async fn open(&self, scope: &Scope) -> Result<Option<Arc<dyn Snapshot>>, Error>;

    /// Starts a new index beside the current one, for vectors of so many components. One build per collection at a
    /// time: the caller sees to that within its process, the store between processes.
    async fn build(&self, scope: &Scope, dims: usize) -> Result<Box<dyn Build>, Error>;

    /// Removes a collection with everything that belongs to it; says whether there was one. Nobody builds it meanwhile:
    /// the caller sees to that within its process, the store between processes.
    async fn delete(&self, scope: &Scope) -> Result<bool, Error>;

    /// Whether the store can be used.
    async fn check(&self) -> Result<(), Error>;
}

/// An index being built. Dropping it leaves the current index as it is.
#[async_trait]
pub trait Build: Send + Sync {
    /// Vectors that an interrupted build of this collection left behind.
    async fn recall(&mut self, keys: &[VectorKey]) -> Result<Vec<Option<Vec<f32>>>, Error>;

    /// Keeps vectors so that an interrupted build need not make them again.
    async fn remember(&mut self, vectors: &[(VectorKey, Vec<f32>)]) -> Result<(), Error>;

    /// Adds a document with its passages, a vector each.
    async fn add(&mut self, document: Document, passages: WithVectors) -> Result<(), Error>;

    /// Makes this the current index, atomically; old ones are removed. The store fills in what only it knows:
    /// documents, number of passages and id.
    async fn finish(self: Box<Self>, manifest: Manifest) -> Result<Arc<dyn Snapshot>, Error>;
}

/// One leg of a search.
#[derive(Debug, Clone, Copy)]
pub enum Leg<'a> {
    /// Lexical.
    Bm25(&'a QueryTerms),
    /// Nearest neighbours by cosine of unit vectors.
    Knn(&'a [f32]),
}

/// A passage found by one leg.
#[derive(Debug, Clone, PartialEq)]
pub struct Scored {
    /// Id of the passage.
    pub id: String,
    /// The leg's score.
    pub score: f64,
}

/// What the legs of a search found.
#[derive(Debug, Default)]
pub struct Found {
    /// For each leg at most as many passages as were asked for, best first, equal scores by id.
    pub rankings: Vec<Result<Vec<Scored>, Error>>,
    /// Passages that came with the rankings, by id; the others are fetched.
    pub sources: HashMap<String, Source>,
}

/// An index that does not change any more.
#[async_trait]
pub trait Snapshot: Send + Sync + 'static {
    /// What it was made of.
    fn manifest(&self) -> &Manifest;

    /// Searches by every leg at once, each at most `depth` passages that the filter admits. A leg that fails leaves
    /// the others as they are; an error means that none could be asked.
    async fn search(&self, legs: &[Leg<'_>], filter: &Filter, depth: usize) -> Result<Found, Error>;

    /// Passages by id, as citable sources in the order asked; an unknown id is left out.
    async fn fetch(&self, ids: &[String]) -> Result<Vec<Source>, Error>;

    /// A document with its passages and their vectors, by key.
    async fn document(&self, key: &str) -> Result<Option<(Document, WithVectors)>, Error>;

    /// For each name whether any passage holds it exactly, and otherwise the nearest known names.
    async fn names(&self, names: &[String]) -> Result<Vec<NameFact>, Error>;
}

/// What an index knows of a name.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NameFact {
    /// Whether a passage holds it exactly as written.
    pub exists: bool,
    /// Nearest known names if not, nearest first, at most three.
    pub near: Vec<String>,
}
