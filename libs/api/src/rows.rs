//! Replies of the smaller routes, and lines of the smaller commands.

use assay_domain::answer::Layer;
use assay_domain::evidence::SearchMode;
use assay_domain::{BlockStatus, Failure};
use assay_proto::{retrieval, router};
use assay_wire::{FromWire as _, from_peer};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use crate::{Diagnostic, Hit, Name, Route, Source, each, filled, timestamp};

/// What a search found.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Searched<'a> {
    /// The query as read.
    pub query: &'a str,
    /// The mode as read.
    pub mode: Name<SearchMode>,
    /// Best first.
    pub hits: Vec<Hit<'a>>,
    /// Manifest of the searched index.
    pub index_manifest: Option<&'a str>,
    /// Parts of the search that could not be used: `bm25`, `knn`, `rerank`.
    pub degraded: &'a [String],
}

/// The collections of a tenant.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Collections<'a> {
    /// By name.
    pub collections: Vec<Manifest<'a>>,
}

/// What a collection is made of.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Manifest<'a> {
    /// Collection.
    pub name: &'a str,
    /// Id: SHA-256 over contents and methods, lower-case hex.
    pub manifest: &'a str,
    /// Files.
    pub files: u64,
    /// Chunks.
    pub chunks: u64,
    /// Chunker and version.
    pub chunker: &'a str,
    /// Text analysis and version.
    pub analysis: &'a str,
    /// Embedding model and digest.
    pub embedding_model: &'a str,
    /// When the index was made.
    pub created: String,
    /// AVAP blocks in the documents.
    pub lint: Lint<'a>,
}

/// The AVAP blocks of a collection.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Lint<'a> {
    /// Code blocks of the language in the documents.
    pub blocks: u64,
    /// Those that its parser rejects.
    pub invalid_blocks: u64,
    /// Where they are, `path:line`.
    pub invalid_at: &'a [String],
}

/// The process lives.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Alive {
    /// Always `alive`.
    pub status: &'static str,
}

/// The process takes work.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Ready<'a> {
    /// `ready` or `degraded`.
    pub status: &'static str,
    /// Peers that do not serve.
    pub degraded: Vec<&'a str>,
}

/// A line of a batch of `assay search`.
#[derive(Debug, Serialize)]
pub struct Found<'a> {
    id: &'a Value,
    hits: Vec<Hit<'a>>,
}

/// A line of `assay parse`.
#[derive(Debug, Serialize)]
pub struct Parsed<'a> {
    id: &'a Value,
    /// None where the program was not checked; `not_checked` says why.
    valid: Option<bool>,
    diagnostics: Vec<Diagnostic<'a>>,
    parser: Parser<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    not_checked: Option<&'a str>,
}

#[derive(Debug, Serialize)]
struct Parser<'a> {
    version: &'a str,
    grammar_hash: &'a str,
}

/// A line of `assay router classify`.
#[derive(Debug, Serialize)]
pub struct Classification<'a> {
    id: &'a Value,
    label: &'a str,
    probability: f64,
    in_scope: Option<bool>,
    layer: Option<Name<Layer>>,
    accepted: bool,
    because: &'a str,
}

/// The plan of an answer, as `assay ask --explain` tells it.
#[derive(Debug, Serialize)]
struct Explained<'a> {
    route: Option<Route<'a>>,
    search_query: Option<&'a str>,
    sources: Vec<Source<'a>>,
    model_slot: Option<&'a str>,
    steps: &'a [String],
}

impl<'a> From<&'a retrieval::Manifest> for Manifest<'a> {
    fn from(manifest: &'a retrieval::Manifest) -> Self {
        Self {
            name: &manifest.collection,
            manifest: &manifest.id,
            files: manifest.files,
            chunks: manifest.chunks,
            chunker: &manifest.chunker,
            analysis: &manifest.analysis,
            embedding_model: &manifest.embedding_model,
            created: timestamp(manifest.created_unix_ms),
            lint: Lint {
                blocks: manifest.lint_blocks,
                invalid_blocks: manifest.lint_invalid_blocks,
                invalid_at: &manifest.lint_invalid_at,
            },
        }
    }
}

impl<'a> Found<'a> {
    /// The hits of a line.
    #[must_use]
    pub fn new(id: &'a Value, hits: &'a [assay_domain::Hit]) -> Self {
        Self { id, hits: each(hits) }
    }
}

impl<'a> Parsed<'a> {
    /// What the parser of this version and grammar said.
    #[must_use]
    pub fn new(
        id: &'a Value,
        status: &'a BlockStatus,
        diagnostics: &'a [assay_domain::Diagnostic],
        version: &'a str,
        grammar_hash: &'a str,
    ) -> Self {
        let (valid, not_checked) = match status {
            BlockStatus::Valid => (Some(true), None),
            BlockStatus::Invalid | BlockStatus::WrongLanguage(_) => (Some(false), None),
            BlockStatus::NoGrammar => (None, Some("no_grammar")),
            BlockStatus::Plain => (None, Some("plain")),
            BlockStatus::Unavailable(reason) => (None, Some(reason.as_str())),
        };
        Self {
            id,
            valid,
            diagnostics: each(diagnostics),
            parser: Parser { version, grammar_hash },
            not_checked,
        }
    }
}

impl<'a> Classification<'a> {
    /// How an item was classified.
    #[must_use]
    pub fn new(id: &'a Value, item: &'a router::Classification) -> Self {
        Self {
            id,
            label: &item.label,
            probability: item.probability,
            in_scope: item.in_scope,
            layer: Layer::from_wire(item.layer).ok().map(Name),
            accepted: item.accepted,
            because: &item.because,
        }
    }
}

/// The plan of an answer as JSON.
///
/// # Errors
/// `internal` if the plan cannot be read.
pub fn explained(plan: &router::ExplainResponse) -> Result<Value, Failure> {
    let sources = plan.sources.iter().cloned().map(from_peer::<assay_domain::Hit, _>);
    let sources = sources.collect::<Result<Vec<_>, _>>()?;
    let route = plan.route.clone().map(from_peer::<assay_domain::Route, _>).transpose()?;
    Ok(json!(Explained {
        route: route.as_ref().map(Route::from),
        search_query: filled(&plan.search_query),
        sources: Source::all(&sources),
        model_slot: filled(&plan.model_slot),
        steps: &plan.steps,
    }))
}
