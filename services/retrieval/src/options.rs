//! Settings of retrieval.

use assay_domain::{Code, Failure};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Which embedder runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Default)]
#[serde(rename_all = "snake_case")]
pub enum EmbedderChoice {
    /// MiniLM if the models folder lists it, else hashing, said loudly.
    #[default]
    Auto,
    /// MiniLM; a models folder that does not list it is an error.
    Minilm,
    /// Feature hashing: no model, no meaning beyond shared words.
    Hashing,
    /// A model of an Ollama server.
    Ollama,
    /// A model of an OpenAI-compatible server.
    Openai,
    /// An ONNX model of a folder.
    Onnx,
}

impl EmbedderChoice {
    /// Whether the section `embedding` says which model it is.
    #[must_use]
    pub fn is_configured(self) -> bool {
        matches!(self, Self::Ollama | Self::Openai | Self::Onnx)
    }
}

/// How token states become one vector.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Default)]
#[serde(rename_all = "snake_case")]
pub enum Pooling {
    /// Their mean.
    #[default]
    Mean,
    /// The state of the first token.
    First,
}

/// The model of the embedders `ollama`, `openai` and `onnx`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Embedding {
    /// Address of the server: of Ollama its root (`http://localhost:11434`), of others with the version
    /// (`https://HOST/v1`).
    pub url: String,
    /// Name of the model at the server, such as `bge-m3`; for `onnx` the folder with `model.onnx` and `tokenizer.json`.
    pub model: String,
    /// File with the server's API key; empty means none.
    pub api_key_file: PathBuf,
    /// Text before every query, as the model was trained (`query: `).
    pub query_prefix: String,
    /// Text before every passage (`passage: `).
    pub passage_prefix: String,
    /// How an ONNX model that does not pool by itself is read: `mean`, or `first` for the `[CLS]` token.
    pub pooling: Pooling,
    /// Texts in one request to the server, 1 to 1000.
    pub batch: usize,
}

impl Default for Embedding {
    fn default() -> Self {
        Self {
            url: String::new(),
            model: String::new(),
            api_key_file: PathBuf::new(),
            query_prefix: String::new(),
            passage_prefix: String::new(),
            pooling: Pooling::Mean,
            batch: 32,
        }
    }
}

/// Where the indexes are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Default)]
#[serde(rename_all = "snake_case")]
pub enum Backend {
    /// In the folder `data_dir`, which one process owns.
    #[default]
    Embedded,
    /// In an Elasticsearch cluster, which all retrieval processes share.
    Elasticsearch,
}

/// Weights of the two legs in the fusion; only their ratio counts.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Weights {
    /// Weight of the BM25 leg.
    pub bm25: f64,
    /// Weight of the nearest-neighbour leg.
    pub knn: f64,
}

impl Default for Weights {
    fn default() -> Self {
        // Above the better leg on each of seven sets; the table is in `tools/train/questions/README.md`.
        Self { bm25: 0.6, knn: 0.4 }
    }
}

/// Settings that are gone, with what took their place.
pub const GONE: &[(&str, &str)] = &[
    (
        "service.reranker_model",
        "none: searches keep their fused order; the reader says what a passage answers",
    ),
    ("service.rerank_depth", "none: searches keep their fused order"),
    ("service.rerank_timeout", "none: searches keep their fused order"),
];

/// Settings of retrieval.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// Where the indexes are: `embedded` (in `data_dir`) or `elasticsearch`.
    pub backend: Backend,
    /// Folder of the indexes.
    pub data_dir: PathBuf,
    /// Folder of models with their lock file, as `assay models pull` makes it.
    pub models_dir: PathBuf,
    /// Which embedder runs: `minilm`, `hashing`, `auto` (MiniLM if the models folder lists it), or the model of the
    /// section `embedding`: `ollama`, `openai`, `onnx`.
    pub embedder: EmbedderChoice,
    /// Hits a search returns unless it asks for another number.
    pub hits: usize,
    /// Most hits a search can ask for.
    pub max_hits: usize,
    /// Passages each leg contributes to the fusion; never fewer than the hits asked for.
    pub leg_depth: usize,
    /// Examples that a few-shot request returns unless it asks for another number.
    pub few_shot: usize,
    /// Weights per collection; one that is not named has `bm25 = 0.6, knn = 0.4`.
    pub weights: BTreeMap<String, Weights>,
    /// Most texts in one `Embed` call.
    pub max_embed_texts: usize,
    /// Largest text in one `Embed` call, in bytes.
    pub max_text_bytes: usize,
    /// Largest file, in bytes.
    pub max_file_bytes: usize,
    /// Most files in a collection.
    pub max_files: usize,
    /// Largest collection, in bytes of text.
    pub max_collection_bytes: u64,
    /// Most entries of each kind in one `Lookup` call.
    pub max_lookups: usize,
    /// Searches, look-ups and embeddings that compute at once, more wait for their turn; also the most cores that the
    /// embedding model works on. 0 means one for each core.
    pub parallel: usize,
    /// Whether the model is loaded and the examples are indexed at start; readiness does not wait for it.
    pub warm: bool,
    /// The model of the embedders `ollama`, `openai` and `onnx`.
    pub embedding: Embedding,
    /// The cluster of the backend `elasticsearch`.
    pub elasticsearch: assay_elastic::Options,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            backend: Backend::Embedded,
            data_dir: PathBuf::from(".assay/retrieval"),
            models_dir: PathBuf::from(".assay/models"),
            embedder: EmbedderChoice::Auto,
            hits: 8,
            max_hits: 1000,
            leg_depth: 50,
            few_shot: 5,
            weights: BTreeMap::new(),
            max_embed_texts: 256,
            max_text_bytes: 64 * 1024,
            max_file_bytes: 4 * 1024 * 1024,
            max_files: 200_000,
            max_collection_bytes: 2 * 1024 * 1024 * 1024,
            max_lookups: 1000,
            parallel: 0,
            warm: true,
            embedding: Embedding::default(),
            elasticsearch: assay_elastic::Options::default(),
        }
    }
}

impl Options {
    /// Requests that compute at once, and cores that the embedding model works on.
    pub(crate) fn parallel(&self) -> usize {
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        if self.parallel == 0 { cores() } else { self.parallel }
    }

    /// Refuses settings that cannot work.
    ///
    /// # Errors
    /// `CONFIGURATION`, naming the setting.
    pub fn check(&self) -> Result<(), Failure> {
        let wrong = |field: &str, text: &str| Err(Failure::new(Code::Configuration, text).field(field));
        if self.hits == 0 || self.hits > self.max_hits {
            return wrong("retrieval.hits", "hits must lie between 1 and max_hits");
        }
        if self.data_dir.as_os_str().is_empty() {
            return wrong("retrieval.data_dir", "data_dir must name a folder");
        }
        for (field, zero) in [
            ("retrieval.leg_depth", self.leg_depth == 0),
            ("retrieval.max_embed_texts", self.max_embed_texts == 0),
            ("retrieval.max_text_bytes", self.max_text_bytes == 0),
            ("retrieval.max_file_bytes", self.max_file_bytes == 0),
            ("retrieval.max_files", self.max_files == 0),
            ("retrieval.max_collection_bytes", self.max_collection_bytes == 0),
            ("retrieval.max_lookups", self.max_lookups == 0),
        ] {
            if zero {
                return wrong(field, "a limit of 0 would refuse everything; give at least 1");
            }
        }
        if self.few_shot == 0 || self.few_shot > 50 {
            return wrong("retrieval.few_shot", "few_shot must lie between 1 and 50");
        }
        if self.embedder.is_configured() {
            if self.embedding.model.is_empty() {
                return wrong("retrieval.embedding.model", "this embedder needs the name of a model");
            }
            let served = self.embedder != EmbedderChoice::Onnx;
            if served && !["http://", "https://"].iter().any(|start| self.embedding.url.starts_with(start)) {
                return wrong(
                    "retrieval.embedding.url",
                    "this embedder needs an address, http:// or https://",
                );
            }
            if self.embedding.batch == 0 || self.embedding.batch > 1000 {
                return wrong("retrieval.embedding.batch", "batch must lie between 1 and 1000");
            }
        }
        if self.backend == Backend::Elasticsearch {
            self.elasticsearch.check("retrieval.elasticsearch")?;
        }
        let positive = |weight: f64| weight.is_finite() && weight >= 0.0;
        for weights in self.weights.values() {
            if !positive(weights.bm25) || !positive(weights.knn) || weights.bm25 + weights.knn == 0.0 {
                return wrong("retrieval.weights", "weights must not be negative, and not both zero");
            }
        }
        Ok(())
    }
}
