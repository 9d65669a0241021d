//! The shapes of OpenAI's Responses and Embeddings, as far as they are served.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::Assay;
use crate::openai::UrlCitation;

/// The fields of a request that are understood; any other is ignored and named.
#[derive(Debug, JsonSchema)]
#[schemars(rename = "OpenAiResponseRequest")]
pub struct Request {
    /// As of chat completions.
    pub model: Option<String>,
    /// The question, or messages of which the last of a user is the question.
    pub input: Value,
    /// Whether the answer comes as events.
    pub stream: Option<bool>,
    /// `resp_…` of an earlier answer whose session goes on.
    pub previous_response_id: Option<String>,
    /// Session to continue, as its id or `{"id": …}`.
    pub conversation: Option<Value>,
    /// Whether the answer can be continued; `true` unless given.
    pub store: Option<bool>,
    /// Refused unless empty.
    pub tools: Option<Vec<Value>>,
    /// Only `none` or `auto`.
    pub tool_choice: Option<String>,
    /// Only the format `text`.
    pub text: Option<Map<String, Value>>,
    /// Refused unless `false`.
    pub background: Option<bool>,
    /// Kept as it is.
    pub metadata: Option<Map<String, Value>>,
    /// How the question is answered.
    pub assay: Option<crate::Settings>,
}

/// A response.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "OpenAiResponse")]
pub struct Response {
    /// `resp_` and the audit id.
    pub id: String,
    /// Always `response`.
    pub object: &'static str,
    /// Unix seconds.
    pub created_at: u64,
    /// `in_progress`, `completed` or, for a rejected answer, `incomplete`.
    pub status: &'static str,
    /// Always null: a failure has the form of an error.
    pub error: (),
    /// Why it is incomplete.
    pub incomplete_details: Option<Incomplete>,
    /// Always null.
    pub instructions: (),
    /// The client's own.
    pub metadata: Map<String, Value>,
    /// Name of the model that answered.
    pub model: &'static str,
    /// One message.
    pub output: Vec<Message>,
    /// Always `false`.
    pub parallel_tool_calls: bool,
    /// The response that it continues.
    pub previous_response_id: Option<String>,
    /// Always `none`.
    pub tool_choice: &'static str,
    /// Always empty.
    #[schemars(with = "Vec<serde_json::Value>")]
    pub tools: [(); 0],
    /// Tokens of the drafts; null where a model did not say.
    pub usage: Option<Usage>,
    /// What is known of the answer; absent before its end.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Assay<'static>>")]
    pub assay: Option<Value>,
}

/// Why a response is incomplete.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
#[schemars(rename = "OpenAiIncomplete")]
pub struct Incomplete {
    /// Always `content_filter`.
    pub reason: &'static str,
}

/// The message of a response.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "OpenAiOutputMessage")]
pub struct Message {
    /// `msg_` and the audit id.
    pub id: String,
    /// Always `message`.
    pub r#type: &'static str,
    /// As of the response.
    pub status: &'static str,
    /// Always `assistant`.
    pub role: &'static str,
    /// The text, and behind it the reason of a rejection.
    pub content: Vec<Part>,
}

/// A part of a message.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "OpenAiOutputPart")]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Part {
    /// The text.
    OutputText {
        /// Markdown.
        text: String,
        /// Its citations.
        annotations: Vec<Annotation>,
        /// Always empty.
        #[schemars(with = "Vec<serde_json::Value>")]
        logprobs: [(); 0],
    },
    /// Why it was rejected.
    Refusal {
        /// The reason and what to do.
        refusal: String,
    },
}

/// A citation.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "OpenAiAnnotation")]
pub struct Annotation {
    /// Always `url_citation`.
    pub r#type: &'static str,
    /// Where and what.
    #[serde(flatten)]
    pub citation: UrlCitation,
}

/// Tokens of the drafts.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "OpenAiResponseUsage")]
pub struct Usage {
    /// Tokens of the prompts.
    pub input_tokens: u64,
    /// Of these from a cache: 0.
    pub input_tokens_details: Cached,
    /// Tokens of the completions.
    pub output_tokens: u64,
    /// Of these for reasoning: 0.
    pub output_tokens_details: Reasoning,
    /// Both together.
    pub total_tokens: u64,
}

/// Tokens from a cache.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
#[schemars(rename = "OpenAiCachedTokens")]
pub struct Cached {
    /// Not told: 0.
    pub cached_tokens: u64,
}

/// Tokens for reasoning.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
#[schemars(rename = "OpenAiReasoningTokens")]
pub struct Reasoning {
    /// Not told: 0.
    pub reasoning_tokens: u64,
}

/// The fields of a request for embeddings.
#[derive(Debug, JsonSchema)]
#[schemars(rename = "OpenAiEmbeddingRequest")]
pub struct EmbeddingRequest {
    /// A text, or at most 256 of them.
    pub input: Value,
    /// Any name: the model of the index answers.
    pub model: Option<String>,
    /// `float` or `base64` (little-endian 32-bit floats).
    pub encoding_format: Option<String>,
    /// Refused unless it is the length that the model has.
    pub dimensions: Option<u32>,
}

/// Vectors of texts.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "OpenAiEmbeddings")]
pub struct Embeddings {
    /// Always `list`.
    pub object: &'static str,
    /// In the order of the texts.
    pub data: Vec<Embedding>,
    /// Name and digest of the model that made them.
    pub model: String,
    /// No language model was used: 0.
    pub usage: EmbeddingUsage,
}

/// The vector of a text.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "OpenAiEmbedding")]
pub struct Embedding {
    /// Always `embedding`.
    pub object: &'static str,
    /// Place of the text, from 0.
    pub index: usize,
    /// Of unit length.
    pub embedding: Vector,
}

/// The components of a vector.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "OpenAiVector")]
#[serde(untagged)]
pub enum Vector {
    /// As numbers.
    Floats(Vec<f32>),
    /// As base64 of little-endian 32-bit floats.
    Base64(String),
}

/// Tokens of embeddings.
#[derive(Debug, Default, Serialize, JsonSchema)]
#[schemars(rename = "OpenAiEmbeddingUsage")]
pub struct EmbeddingUsage {
    /// Always 0.
    pub prompt_tokens: u64,
    /// Always 0.
    pub total_tokens: u64,
}
