//! Answers of other systems to check, and programs to parse: the bodies of `/v1/check` and `/v1/parse`, and the lines of
//! batches.

use std::num::NonZeroU32;

use assay_domain::{AuditState, Code, Failure, Mode, Named as _, QueryType, Source, SourceKind};
use assay_proto::{common, validation};
use assay_wire::ToWire as _;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::Name;

/// A source that an answer was made from.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a source {id, text, path?, first_line?}")]
pub struct GivenSource {
    /// What it is called: a string or a number; without one it is called by its place in the list.
    #[serde(default)]
    pub id: Value,
    /// Its text.
    pub text: String,
    /// Its file, for findings.
    #[serde(default)]
    pub path: Option<String>,
    /// Line of the file at which the text begins, from 1.
    #[serde(default)]
    pub first_line: Option<NonZeroU32>,
    /// Its title; not looked at.
    #[serde(default, rename = "title")]
    pub _title: Option<String>,
}

/// An answer of any system, with the sources that it was made from.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "an object {id, question, sources, answer, …}")]
pub struct ToCheck {
    /// Anything; comes back.
    #[serde(default)]
    pub id: Value,
    /// The question; without one nothing is said about whether the sources can answer it.
    #[serde(default)]
    pub question: String,
    /// `RETRIEVAL` unless given, `CODE_GENERATION`, `CONVERSATIONAL` or `PLATFORM`.
    #[serde(default)]
    pub query_type: Option<String>,
    /// `STRICT` unless given, or `LENIENT`.
    #[serde(default)]
    pub mode: Option<String>,
    /// `strict`, `balanced` or `lenient`; absent means the configured policy.
    #[serde(default)]
    pub policy: Option<String>,
    /// `true` unless given; `false` for systems that cite nothing.
    #[serde(default)]
    pub require_citations: Option<bool>,
    /// In the order of the markers.
    #[serde(default)]
    pub sources: Vec<GivenSource>,
    /// The facts of a `PLATFORM` answer.
    #[serde(default)]
    pub extra_context: Option<String>,
    /// Markdown; `[^N]` behind a claim cites source N, from 1.
    pub answer: String,
}

/// A program.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "an object {id, language, code}")]
pub struct ToParse {
    /// Anything; comes back.
    #[serde(default)]
    pub id: Value,
    /// Its language; `avap` unless given.
    #[serde(default = "avap")]
    pub language: String,
    /// Its text.
    pub code: String,
}

fn avap() -> String {
    "avap".to_owned()
}

/// Several of them at once.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "Batch{T}")]
#[serde(deny_unknown_fields)]
pub struct Batch<T> {
    /// At most 100; each is answered, or refused, for itself.
    pub batch: Vec<T>,
}

/// The results of a batch, in its order.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Results{T}")]
pub struct Results<T> {
    /// One for each item.
    pub results: Vec<Outcome<T>>,
}

/// The result of an item, or why it has none.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Outcome{T}")]
#[serde(untagged)]
pub enum Outcome<T> {
    /// The result.
    Done(T),
    /// Why there is none.
    Failed(Failed),
}

/// An item without a result.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Failed {
    /// The item's own.
    pub id: Value,
    /// What is wrong with it.
    pub error: ItemError,
}

/// Which result leaves a record.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RecordParameters {
    /// Whether each result leaves a record in the audit log; none does otherwise.
    pub record: Option<bool>,
}

/// A result, with the record that it left where one was wanted.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Recorded{T}")]
pub struct Recorded<T> {
    /// The result.
    #[serde(flatten)]
    result: T,
    /// Its record; absent where none was wanted.
    #[serde(skip_serializing_if = "Option::is_none")]
    record: Option<LeftRecord>,
}

/// A record that was left.
#[derive(Debug, Serialize, JsonSchema)]
pub struct LeftRecord {
    /// Its id.
    audit_id: String,
    /// `STORED` in the log, or `QUEUED` for it.
    state: Name<AuditState>,
}

// === impl Recorded ===

impl<T> Recorded<T> {
    /// A result that left a record.
    pub fn new(result: T, audit_id: String, state: AuditState) -> Self {
        Self { result, record: Some(LeftRecord { audit_id, state: Name(state) }) }
    }
}

// === impl GivenSource ===

impl GivenSource {
    /// The names of its fields.
    pub const FIELDS: &'static [&'static str] = &["id", "text", "path", "first_line", "title"];

    /// The source as it is sent; `index` counts from 0.
    #[must_use]
    pub fn to_wire(self, index: usize) -> common::Source {
        let id = match self.id {
            Value::String(text) => text,
            Value::Null => (index + 1).to_string(),
            other => other.to_string(),
        };
        let first_line = self.first_line.map_or(1, NonZeroU32::get);
        let source = Source::given(id, SourceKind::Doc, self.text, first_line);
        Source { path: self.path.unwrap_or_default(), ..source }.to_wire()
    }
}

// === impl ToCheck ===

impl ToCheck {
    /// The names of its fields.
    pub const FIELDS: &'static [&'static str] = &[
        "id",
        "question",
        "query_type",
        "mode",
        "policy",
        "require_citations",
        "sources",
        "extra_context",
        "answer",
    ];

    /// What holds of an item unless it says otherwise, and of every item that is checked against its own sources alone:
    /// a first, strict draft of a `RETRIEVAL` answer.
    #[must_use]
    pub fn alone() -> validation::Open {
        validation::Open {
            query_type: Some(QueryType::Retrieval).to_wire(),
            mode: Mode::Strict.to_wire(),
            attempt: common::Attempt::First.into(),
            sources_only: true,
            ..validation::Open::default()
        }
    }

    /// The opening of its check and the answer; `base` holds what the item does not say.
    ///
    /// # Errors
    /// `invalid_argument` naming the field whose value does not exist.
    pub fn open(self, base: validation::Open) -> Result<(validation::Open, String), Failure> {
        let mut open = validation::Open { question: self.question, ..base };
        if let Some(name) = self.query_type {
            let kind = named("query_type", &name, QueryType::from_name(&name), QueryType::NAMES)?;
            open.query_type = Some(kind).to_wire();
        }
        if let Some(name) = self.mode {
            open.mode = named("mode", &name, Mode::from_name(&name), Mode::NAMES)?.to_wire();
        }
        if let Some(policy) = self.policy {
            (open.policy, open.policy_toml) = (policy, String::new());
        }
        open.citations_optional = self.require_citations.map_or(open.citations_optional, |wanted| !wanted);
        open.extra_context = self.extra_context.unwrap_or_default();
        let sources = self.sources.into_iter().enumerate();
        open.sources = sources.map(|(index, source)| source.to_wire(index)).collect();
        Ok((open, self.answer))
    }
}

fn named<T>(field: &str, given: &str, found: Option<T>, names: &[&str]) -> Result<T, Failure> {
    found.ok_or_else(|| {
        let text = format!("`{field}` is {given:?}; it must be one of {}", names.join(", "));
        Failure::new(Code::InvalidArgument, text).field(field)
    })
}

impl ToParse {
    /// The names of its fields.
    pub const FIELDS: &'static [&'static str] = &["id", "language", "code"];

    /// Why a program in a language that no parser knows has no result.
    #[must_use]
    pub fn no_grammar(language: &str) -> Failure {
        let text = format!("there is no grammar for {language:?}; `assay version` lists the languages");
        Failure::new(Code::InvalidArgument, text).field("language")
    }
}

impl Failed {
    /// Why the item of this id has no result.
    #[must_use]
    pub fn new(id: Value, failure: Failure) -> Self {
        let Failure { code, message, field, .. } = failure;
        Self { id, error: ItemError { code: crate::Name(code), detail: message, field } }
    }
}

/// What is wrong with an item.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ItemError {
    /// Stable error code.
    pub code: crate::Name<Code>,
    /// What is wrong, and the cure.
    pub detail: String,
    /// Field to blame; left out where there is none.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub field: String,
}
