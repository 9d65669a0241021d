//! The shapes of Ollama's protocol, as far as they are served.

use assay_domain::{Code, Failure};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::openai::Message;
use crate::{Assay, Name, Settings, filled};

/// The fields of a request that are understood; any other is ignored and named.
#[derive(Debug, JsonSchema)]
#[schemars(rename = "OllamaRequest")]
pub struct Request {
    /// `assay`, `assay/retrieval`, `assay/code` or `assay/conversational`, also with the tag `:latest`.
    pub model: Option<String>,
    /// In the place of `model`; one of the two is required.
    pub name: Option<String>,
    /// Of `/api/chat`: the last `user` message is the question.
    pub messages: Option<Vec<Message>>,
    /// Of `/api/generate`: the question.
    pub prompt: Option<String>,
    /// Whether the answer comes in lines; `true` if it is not given.
    pub stream: Option<bool>,
    /// Accepted without effect.
    pub keep_alive: Option<Value>,
    /// Refused unless empty.
    pub tools: Option<Vec<Value>>,
    /// Refused unless empty.
    pub format: Option<Value>,
    /// Refused unless empty.
    pub images: Option<Vec<String>>,
    /// Refused unless empty.
    pub suffix: Option<String>,
    /// How the question is answered.
    #[schemars(extend("unevaluatedProperties" = false))]
    pub assay: Option<Settings>,
}

/// The body of `POST /api/show`.
#[derive(Debug, JsonSchema)]
#[schemars(rename = "OllamaShow")]
pub struct Show {
    /// Name of the model.
    pub model: Option<String>,
    /// In the place of `model`; one of the two is required.
    pub name: Option<String>,
}

/// A line of a stream; a whole answer is one such line, the last, with all text.
#[derive(Debug, Default, Serialize, JsonSchema)]
#[schemars(rename = "OllamaLine")]
pub struct Line<'a> {
    /// Name as the client gave it.
    pub model: &'a str,
    /// Instant in RFC 3339.
    pub created_at: String,
    /// On every line of `/api/chat`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<Piece<'a>>,
    /// On every line of `/api/generate`: text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub response: Option<&'a str>,
    /// Whether this is the last line.
    pub done: bool,
    /// On the last line: `stop`, `load`, or `content_filter` for a rejected answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub done_reason: Option<&'static str>,
    /// On the last line: nanoseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total_duration: Option<u64>,
    /// On the last line: nanoseconds, always 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub load_duration: Option<u64>,
    /// On the last line: tokens; left out where a model did not say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt_eval_count: Option<u64>,
    /// On the last line: tokens; left out where a model did not say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub eval_count: Option<u64>,
    /// On the last line: nanoseconds of all drafts; left out with the tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub eval_duration: Option<u64>,
    /// On the last line: what is known of the answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub assay: Option<Assay<'a>>,
}

/// A piece of the answer.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "OllamaMessage")]
pub struct Piece<'a> {
    /// Always `assistant`.
    pub role: &'static str,
    /// Text.
    pub content: &'a str,
}

/// A failure.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "OllamaError")]
pub struct Error<'a> {
    /// What is wrong.
    pub error: &'a str,
    /// Our error code.
    pub code: Name<Code>,
    /// Field to blame, or null.
    pub field: Option<&'a str>,
    /// `X-Request-Id` of the response.
    pub request_id: &'a str,
    /// Record of the request; left out where it has none of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub audit_id: Option<&'a str>,
}

/// The models.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "OllamaModels")]
pub struct Models {
    /// The usual one first.
    pub models: Vec<Model>,
}

/// A model.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "OllamaModel")]
pub struct Model {
    /// Its name with its tag.
    pub name: String,
    /// The same name.
    pub model: String,
    /// Instant in RFC 3339.
    pub modified_at: String,
    /// Bytes, always 0.
    pub size: u64,
    /// SHA-256 of the name and version of the program, lower-case hex.
    pub digest: String,
    /// What it is made of.
    pub details: Details,
}

/// What a model is made of; no file stands behind it.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "OllamaDetails")]
pub struct Details {
    /// Empty.
    pub parent_model: &'static str,
    /// Empty.
    pub format: &'static str,
    /// Always `assay`.
    pub family: &'static str,
    /// Always `assay` alone.
    pub families: [&'static str; 1],
    /// Empty.
    pub parameter_size: &'static str,
    /// Empty.
    pub quantization_level: &'static str,
}

/// The version of the gateway.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "OllamaVersion")]
pub struct Version {
    /// The version.
    pub version: &'static str,
}

/// A model in full.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "OllamaShown")]
pub struct Shown {
    /// Empty.
    pub modelfile: &'static str,
    /// Empty.
    pub parameters: &'static str,
    /// Empty.
    pub template: &'static str,
    /// Empty.
    pub license: &'static str,
    /// Instant in RFC 3339.
    pub modified_at: String,
    /// What it is made of.
    pub details: Details,
    /// What it is.
    pub model_info: ModelInfo,
    /// Always `completion` alone.
    pub capabilities: [&'static str; 1],
}

/// What a model is.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "OllamaModelInfo")]
pub struct ModelInfo {
    /// Always `assay`.
    #[serde(rename = "general.architecture")]
    pub architecture: &'static str,
    /// Its name.
    #[serde(rename = "general.name")]
    pub name: &'static str,
    /// What it is for, in a sentence.
    #[serde(rename = "general.description")]
    pub description: &'static str,
}

impl<'a> Error<'a> {
    /// A failure.
    #[must_use]
    pub fn new(failure: &'a Failure, audit_id: Option<&'a str>, request_id: &'a str) -> Self {
        Self {
            error: &failure.message,
            code: Name(failure.code),
            field: filled(&failure.field),
            request_id,
            audit_id,
        }
    }
}

impl Details {
    /// What every model of ours is made of.
    pub const OURS: Self = Self {
        parent_model: "",
        format: "",
        family: "assay",
        families: ["assay"],
        parameter_size: "",
        quantization_level: "",
    };
}
