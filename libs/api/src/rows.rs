//! Replies of the smaller routes, and lines of the smaller commands.

use std::collections::BTreeMap;

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
    /// Parts of the search that could not be used: `bm25`, `knn`.
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

/// A collection with its documents.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Collection<'a> {
    /// What it is made of.
    #[serde(flatten)]
    pub collection: Manifest<'a>,
    /// In the order of their keys.
    pub documents: Vec<Document<'a>>,
}

/// A document of a collection.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Document<'a> {
    /// Path of a file, id of an item.
    pub path: &'a str,
    /// Its title.
    pub title: &'a str,
    /// SHA-256 of its text, lower-case hex.
    pub sha256: &'a str,
    /// Size of its text in bytes.
    pub bytes: u64,
    /// Lines of its text.
    pub lines: u32,
    /// Chunks made of it.
    pub chunks: u32,
}

/// Lines of a document as they were indexed.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Lines<'a> {
    /// The path as asked.
    pub path: &'a str,
    /// First line that was read, from 1.
    pub first_line: u32,
    /// Last line that was read.
    pub last_line: u32,
    /// Lines of the document.
    pub line_count: u32,
    /// The lines.
    pub text: &'a str,
    /// SHA-256 of the whole document, lower-case hex.
    pub sha256: &'a str,
    /// Manifest of the index that was read.
    pub index_manifest: &'a str,
    /// What the lines show a reader, in order; none of code.
    pub blocks: Vec<ShownBlock<'a>>,
}

/// A block of a document as a reader sees it.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ShownBlock<'a> {
    /// `heading`, `paragraph`, `item`, `row`, `code`, `definition`, `admonition` or `caption`.
    pub kind: &'a str,
    /// First and last line, from 1, inclusive.
    pub lines: [u32; 2],
    /// Visible text; cells of a row are parted by tabs, a term and its description by a line break.
    pub text: &'a str,
    /// Level of a heading, depth of a list item, from 1; 0 for other kinds.
    pub level: u32,
    /// Language of code, label of an admonition, number of a list item.
    pub label: Option<&'a str>,
}

/// Mistakes in the documents of a collection.
#[derive(Debug, Serialize, JsonSchema)]
pub struct LintReport<'a> {
    /// Files of the collection.
    pub files: u64,
    /// Findings in all.
    pub total: u64,
    /// The first thousand of them, in order of paths and lines.
    pub findings: Vec<LintFinding<'a>>,
}

/// A mistake in a document.
#[derive(Debug, Serialize, JsonSchema)]
pub struct LintFinding<'a> {
    /// Id of the rule that it breaks.
    pub rule: &'a str,
    /// Path of the document.
    pub path: &'a str,
    /// First line of the place.
    pub first_line: u32,
    /// Last line of the place.
    pub last_line: u32,
    /// What is wrong, as a clause.
    pub message: &'a str,
}

/// Runs of golden sets.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Runs<'a> {
    /// The folder that they are in.
    pub folder: &'a str,
    /// The newest first.
    pub runs: Vec<Run<'a>>,
}

/// A run of a golden set.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Run<'a> {
    /// Name of its folder.
    pub name: &'a str,
    /// Its folder.
    pub path: &'a str,
    /// When its report was written.
    pub ended: String,
    /// `BINDING` or `NON_BINDING`.
    pub standing: &'a str,
    /// Answers.
    pub answers: u64,
    /// Figures by name, as in `report.json`.
    pub figures: &'a Value,
    /// Whether it has a page.
    pub report: bool,
}

/// Two runs side by side.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Comparison<'a> {
    /// SHA-256 of the two manifests, lower-case hex.
    pub manifests: &'a [String; 2],
    /// What the manifests have different, with both values.
    pub differs: &'a BTreeMap<String, [String; 2]>,
    /// Questions that only one of the runs has.
    pub unpaired: usize,
    /// Scores by name.
    pub scores: BTreeMap<&'a str, Difference>,
}

/// How a score differs.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Difference {
    /// Questions that have the score in both runs.
    pub questions: usize,
    /// Mean of the first run over them.
    pub first: f64,
    /// Mean of the second run.
    pub second: f64,
    /// Second less first.
    pub difference: f64,
    /// Bootstrap interval of the difference at 95 %.
    pub interval: Option<[f64; 2]>,
    /// Probability under chance, by a paired permutation test.
    pub p_value: f64,
    /// Smallest difference that so many questions show with a power of 80 %.
    pub detectable: Option<f64>,
    /// `higher`, `lower`, `no difference`, or `cannot tell` where the test finds none at 5 %.
    pub verdict: &'static str,
}

/// A caller.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Me<'a> {
    /// Its name.
    pub principal: &'a str,
    /// Whose data it sees.
    pub tenant: &'a str,
    /// What it may do.
    pub roles: Vec<&'static str>,
}

/// How one signs in.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SignIn<'a> {
    /// Whether a credential is needed at all.
    pub required: bool,
    /// Whether API keys are known.
    pub keys: bool,
    /// Whether tokens of an issuer are accepted.
    pub tokens: bool,
    /// Path that leads to the issuer; null where there is none.
    pub sign_in: Option<&'a str>,
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
#[derive(Debug, Serialize, JsonSchema)]
pub struct Parsed<'a> {
    id: &'a Value,
    /// None where the program was not checked; `not_checked` says why.
    valid: Option<bool>,
    diagnostics: Vec<Diagnostic<'a>>,
    parser: Parser<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    not_checked: Option<&'a str>,
}

#[derive(Debug, Serialize, JsonSchema)]
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

impl<'a> Collection<'a> {
    /// A collection and what it holds.
    #[must_use]
    pub fn new(manifest: &'a retrieval::Manifest, documents: &'a [retrieval::IndexedDocument]) -> Self {
        let document = |one: &'a retrieval::IndexedDocument| Document {
            path: &one.key,
            title: &one.title,
            sha256: &one.sha256,
            bytes: one.bytes,
            lines: one.lines,
            chunks: one.chunks,
        };
        Self { collection: manifest.into(), documents: documents.iter().map(document).collect() }
    }
}

impl<'a> Lines<'a> {
    /// Lines of the document at this path.
    #[must_use]
    pub fn new(path: &'a str, found: &'a retrieval::ReadLinesResponse) -> Self {
        let lines = found.lines.unwrap_or_default();
        Self {
            path,
            first_line: lines.first,
            last_line: lines.last,
            line_count: found.line_count,
            text: &found.text,
            sha256: &found.sha256,
            index_manifest: &found.index_manifest,
            blocks: each(&found.blocks),
        }
    }
}

impl<'a> From<&'a retrieval::ReadBlock> for ShownBlock<'a> {
    fn from(block: &'a retrieval::ReadBlock) -> Self {
        let lines = block.lines.unwrap_or_default();
        Self {
            kind: &block.kind,
            lines: [lines.first, lines.last],
            text: &block.text,
            level: block.level,
            label: filled(&block.label),
        }
    }
}

impl<'a> From<&'a retrieval::LintCollectionResponse> for LintReport<'a> {
    fn from(found: &'a retrieval::LintCollectionResponse) -> Self {
        Self { files: found.files, total: found.total, findings: each(&found.findings) }
    }
}

impl<'a> From<&'a retrieval::LintFinding> for LintFinding<'a> {
    fn from(finding: &'a retrieval::LintFinding) -> Self {
        Self {
            rule: &finding.rule,
            path: &finding.path,
            first_line: finding.first_line,
            last_line: finding.last_line,
            message: &finding.message,
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
