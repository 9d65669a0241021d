//! The shapes of OpenAI's protocol, as far as they are served.

use assay_domain::answer::TokenUsage;
use assay_domain::{Code, Failure};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::{Assay, Name, Settings, filled};

/// The fields of a request that are understood; any other is ignored and named.
#[derive(Debug, JsonSchema)]
#[schemars(rename = "OpenAiRequest")]
pub struct Request {
    /// `assay`, `assay/retrieval`, `assay/code` or `assay/conversational`; other names are answered by `assay`.
    pub model: Option<String>,
    /// The last `user` message is the question.
    pub messages: Vec<Message>,
    /// Whether the answer comes in chunks.
    pub stream: Option<bool>,
    /// How a stream ends.
    pub stream_options: Option<StreamOptions>,
    /// Only 1.
    pub n: Option<u32>,
    /// Refused unless empty.
    pub tools: Option<Vec<Value>>,
    /// Refused unless empty.
    pub functions: Option<Vec<Value>>,
    /// Only `none` or `auto`.
    pub tool_choice: Option<String>,
    /// Only `none` or `auto`.
    pub function_call: Option<String>,
    /// Only of type `text`.
    pub response_format: Option<ResponseFormat>,
    /// Refused unless `false`.
    pub logprobs: Option<bool>,
    /// Refused unless 0.
    pub top_logprobs: Option<u32>,
    /// Only `text`.
    pub modalities: Option<Vec<String>>,
    /// Refused unless empty.
    pub audio: Option<Map<String, Value>>,
    /// What the client keeps beside its request.
    pub metadata: Option<Metadata>,
    /// How the question is answered.
    #[schemars(extend("unevaluatedProperties" = false))]
    pub assay: Option<Settings>,
}

/// A message; only the last of a user is read.
#[derive(Debug, JsonSchema)]
pub struct Message {
    /// `system`, `developer`, `user`, `assistant`, `tool` or `function`.
    pub role: String,
    /// Text, or parts of type `text`; required of the last `user` message.
    pub content: Option<Content>,
}

/// What a message says.
#[derive(Debug, JsonSchema)]
#[schemars(untagged)]
pub enum Content {
    /// As one text.
    Text(String),
    /// In parts.
    Parts(Vec<Part>),
}

/// A part of a message.
#[derive(Debug, JsonSchema)]
pub struct Part {
    /// Only `text`.
    pub r#type: String,
    /// The text.
    pub text: String,
}

/// How a stream ends.
#[derive(Debug, JsonSchema)]
pub struct StreamOptions {
    /// Whether a last chunk has `usage`.
    pub include_usage: Option<bool>,
}

/// The form of a reply.
#[derive(Debug, JsonSchema)]
pub struct ResponseFormat {
    /// Only `text`.
    pub r#type: String,
}

/// What the client keeps beside its request.
#[derive(Debug, JsonSchema)]
pub struct Metadata {
    /// Session; `assay.session` goes before it, the header `Assay-Session` before both.
    pub assay_session: Option<String>,
}

/// What every reply and chunk begins with.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Head {
    /// `chatcmpl-` and the audit id.
    pub id: String,
    /// `chat.completion`, in a stream `chat.completion.chunk`.
    pub object: &'static str,
    /// Unix seconds of the audit id.
    pub created: u64,
    /// Name of the model that answered.
    pub model: &'static str,
}

/// A whole reply.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "OpenAiCompletion")]
pub struct Completion<'a> {
    /// What it is.
    #[serde(flatten)]
    pub head: Head,
    /// Always one.
    pub choices: [Choice<'a>; 1],
    /// Tokens of the drafts; null where a model did not say.
    pub usage: Option<Usage>,
    /// What is known of the answer.
    pub assay: Assay<'a>,
}

/// The answer of a reply.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "OpenAiChoice")]
pub struct Choice<'a> {
    /// Always 0.
    pub index: u32,
    /// The answer.
    pub message: Reply<'a>,
    /// Always null.
    pub logprobs: (),
    /// `stop`; `content_filter` for a rejected answer, whose `content` is the partial text.
    pub finish_reason: &'static str,
}

/// The answer of a reply.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "OpenAiMessage")]
pub struct Reply<'a> {
    /// Always `assistant`.
    pub role: &'static str,
    /// The text.
    pub content: String,
    /// The reason of a rejection, or null.
    pub refusal: Option<&'a str>,
    /// The citations of the text; none of a rejected answer.
    pub annotations: Vec<Annotation>,
}

/// A citation of the text.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "OpenAiChatAnnotation")]
pub struct Annotation {
    /// Always `url_citation`.
    pub r#type: &'static str,
    /// Where and what.
    pub url_citation: UrlCitation,
}

/// Where a citation stands, and where a reader can follow it.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "OpenAiUrlCitation")]
pub struct UrlCitation {
    /// First character of the marker, from 0.
    pub start_index: usize,
    /// Character after the last.
    pub end_index: usize,
    /// The record of the answer, a page of this server.
    pub url: String,
    /// File and lines of the source.
    pub title: String,
}

/// A chunk of a stream.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "OpenAiChunk")]
pub struct Chunk<'a> {
    /// What it is.
    #[serde(flatten)]
    pub head: Head,
    /// One, or none in the chunk of the tokens.
    pub choices: Vec<ChunkChoice<'a>>,
    /// Only with `include_usage`; null but in the last chunk.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<Option<Usage>>,
    /// In the chunk with `finish_reason`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub assay: Option<Box<Assay<'a>>>,
}

/// A piece of an answer.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "OpenAiChunkChoice")]
pub struct ChunkChoice<'a> {
    /// Always 0.
    pub index: u32,
    /// What is new.
    pub delta: Delta<'a>,
    /// Always null.
    pub logprobs: (),
    /// Null before the end.
    pub finish_reason: Option<&'static str>,
}

/// What a chunk adds.
#[derive(Debug, Default, Serialize, JsonSchema)]
#[schemars(rename = "OpenAiDelta")]
pub struct Delta<'a> {
    /// `assistant`, in the first chunk.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<&'static str>,
    /// A piece of the text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<&'a str>,
    /// The reason of a rejection.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refusal: Option<&'a str>,
    /// The citations of the text, in the chunk with `finish_reason`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub annotations: Vec<Annotation>,
}

/// Tokens of the drafts.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "OpenAiUsage")]
pub struct Usage {
    /// Tokens of the prompts.
    pub prompt_tokens: u64,
    /// Tokens of the completions.
    pub completion_tokens: u64,
    /// Both together.
    pub total_tokens: u64,
}

/// A failure.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "OpenAiError")]
pub struct Error<'a> {
    /// What went wrong.
    pub error: Told<'a>,
}

/// What went wrong, in OpenAI's words.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "OpenAiErrorBody")]
pub struct Told<'a> {
    /// What is wrong.
    pub message: &'a str,
    /// `authentication_error`, `permission_error`, `rate_limit_error`, `invalid_request_error` or `server_error`.
    pub r#type: &'static str,
    /// Field to blame, or null.
    pub param: Option<&'a str>,
    /// Our error code.
    pub code: Name<Code>,
    /// `X-Request-Id` of the response.
    pub request_id: &'a str,
    /// Record of the request; left out where it has none of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub audit_id: Option<&'a str>,
}

/// The models.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "OpenAiModels")]
pub struct Models {
    /// Always `list`.
    pub object: &'static str,
    /// The usual one first.
    pub data: Vec<Model>,
}

/// A model.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "OpenAiModel")]
pub struct Model {
    /// Its name.
    pub id: &'static str,
    /// Always `model`.
    pub object: &'static str,
    /// Unix seconds.
    pub created: u64,
    /// Always `assay`.
    pub owned_by: &'static str,
    /// What it is for, in a sentence.
    pub description: &'static str,
}

impl From<TokenUsage> for Usage {
    fn from(usage: TokenUsage) -> Self {
        Self {
            prompt_tokens: usage.prompt_tokens,
            completion_tokens: usage.completion_tokens,
            total_tokens: usage.prompt_tokens.saturating_add(usage.completion_tokens),
        }
    }
}

impl<'a> Error<'a> {
    /// A failure; `code` is ours and has its page at `/errors/{code}`.
    #[must_use]
    pub fn new(failure: &'a Failure, audit_id: Option<&'a str>, request_id: &'a str) -> Self {
        let kind = match failure.code {
            Code::Unauthenticated => "authentication_error",
            Code::PermissionDenied => "permission_error",
            Code::ResourceExhausted => "rate_limit_error",
            code if assay_wire::http_status(code) < 500 => "invalid_request_error",
            _ => "server_error",
        };
        Self {
            error: Told {
                message: &failure.message,
                r#type: kind,
                param: filled(&failure.field),
                code: Name(failure.code),
                request_id,
                audit_id,
            },
        }
    }
}
