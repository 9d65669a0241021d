//! Chat models behind the OpenAI-compatible and the Anthropic protocol, over genai. Its types never leave this file.
//!
//! A dropped stream drops the HTTP response, which closes the socket, so that the server stops generating.

use assay_domain::draft::{Finish, Generator};
use assay_domain::{Code, Failure};
use async_trait::async_trait;
use futures::{Stream, StreamExt as _};
use genai::adapter::AdapterKind;
use genai::chat::{ChatMessage, ChatOptions, ChatRequest, ChatStreamEvent, JsonSpec, StopReason, StreamEnd};
use genai::resolver::{AuthData, Endpoint};
use genai::{Client, ModelIden, ServiceTarget};
use serde_json::json;

use super::ollama::http_client;
use crate::error::ProviderError;
use crate::options::ApiKey;
use crate::ports::{Chunk, ChunkStream, End, Job, Provider, Shape};
use crate::service::TEMPERATURE;
use crate::slot::Protocol;

/// A chat model.
pub struct Chat {
    name: String,
    client: Client,
    target: ServiceTarget,
    openai: bool,
    json_schema: bool,
}

impl std::fmt::Debug for Chat {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Chat").field("name", &self.name).finish_non_exhaustive()
    }
}

// === impl Chat ===

impl Chat {
    /// A model at a server of the OpenAI-compatible or the Anthropic protocol. `base_url` holds the version path.
    ///
    /// # Errors
    /// `CONFIGURATION` for a client that cannot be built.
    pub fn new(
        protocol: Protocol,
        model: &str,
        base_url: &str,
        key: &ApiKey,
        json_schema: bool,
    ) -> Result<Self, Failure> {
        let kind = match protocol {
            Protocol::Anthropic => AdapterKind::Anthropic,
            Protocol::OpenAi | Protocol::Ollama | Protocol::Extractive => AdapterKind::OpenAI,
        };
        let prefix = protocol.name();
        let client = Client::builder().with_reqwest(http_client()?).build().map_err(|error| {
            Failure::new(
                Code::Configuration,
                format!("the client of {prefix}:{model} cannot be built: {error}"),
            )
        })?;
        let base = format!("{}/", base_url.trim_end_matches('/'));
        let target = ServiceTarget {
            endpoint: Endpoint::from_owned(base),
            // A server on the own machine needs no key, the protocol's header wants some text.
            auth: AuthData::from_single(key.expose().unwrap_or("none")),
            model: ModelIden::new(kind, model),
        };
        Ok(Self {
            name: format!("{prefix}:{model}"),
            client,
            target,
            openai: kind == AdapterKind::OpenAI,
            json_schema,
        })
    }

    fn options(&self, job: &Job<'_>) -> ChatOptions {
        let mut options = ChatOptions::default()
            .with_temperature(TEMPERATURE)
            .with_max_tokens(job.completion_tokens)
            .with_capture_usage(true);
        if self.openai {
            // genai reads `-high` and the like at the end of a model's name as a setting; the name goes as it is.
            options = options
                .with_seed(job.seed)
                .with_extra_body(json!({ "model": self.target.model.model_name.to_string() }));
            let schema = match job.shape {
                Shape::OneOf(labels) => Some(("label", label_schema(labels))),
                Shape::Object(schema) => Some(("reply", schema.clone())),
                Shape::Text | Shape::Query(_) => None,
            };
            if let Some((name, schema)) = schema.filter(|_| self.json_schema) {
                options = options.with_response_format(JsonSpec::new(name, schema));
            }
        }
        options
    }
}

/// Schema of an object with one of the labels.
pub(super) fn label_schema(labels: &[String]) -> serde_json::Value {
    json!({
        "type": "object",
        "properties": { "label": { "type": "string", "enum": labels } },
        "required": ["label"],
        "additionalProperties": false,
    })
}

#[async_trait]
impl Provider for Chat {
    fn model(&self) -> &str {
        &self.name
    }

    fn is_model(&self) -> bool {
        true
    }

    fn takes_seed(&self) -> bool {
        self.openai
    }

    async fn stream(&self, job: Job<'_>) -> Result<ChunkStream, ProviderError> {
        let request = ChatRequest::new(vec![ChatMessage::user(job.prompt.user.clone())])
            .with_system(job.prompt.system.clone());
        let options = self.options(&job);
        let response = self
            .client
            .exec_chat_stream(self.target.clone(), request, Some(&options))
            .await
            .map_err(provider_error)?;
        Ok(Box::pin(chunks(response.stream)))
    }

    async fn warm(&self) -> Result<(), ProviderError> {
        let options = ChatOptions::default().with_max_tokens(1).with_temperature(0.0);
        let request = ChatRequest::new(vec![ChatMessage::user("ok")]);
        self.client
            .exec_chat(self.target.clone(), request, Some(&options))
            .await
            .map(drop)
            .map_err(provider_error)
    }
}

/// The events that matter; a stream that ends without its end mark was cut.
fn chunks<S>(events: S) -> impl Stream<Item = Result<Chunk, ProviderError>> + Send
where
    S: Stream<Item = genai::Result<ChatStreamEvent>> + Send + Unpin,
{
    futures::stream::unfold(Some(events), |state| async move {
        let mut events = state?;
        loop {
            match events.next().await {
                Some(Ok(ChatStreamEvent::Chunk(chunk))) if chunk.content.is_empty() => {}
                Some(Ok(ChatStreamEvent::Chunk(chunk))) => {
                    return Some((Ok(Chunk::Text(chunk.content)), Some(events)));
                }
                Some(Ok(ChatStreamEvent::End(end))) => return Some((Ok(Chunk::End(ended(&end))), None)),
                Some(Ok(_)) => {}
                Some(Err(error)) => return Some((Err(provider_error(error)), None)),
                None => return Some((Err(ProviderError::Cut), None)),
            }
        }
    })
}

fn ended(end: &StreamEnd) -> End {
    let count = |tokens: Option<i32>| tokens.and_then(|tokens| u32::try_from(tokens).ok());
    let usage = end.captured_usage.as_ref();
    End {
        generator: Generator::Model,
        finish: match end.captured_stop_reason {
            Some(StopReason::MaxTokens(_)) => Finish::Length,
            _ => Finish::Stop,
        },
        prompt_tokens: usage.and_then(|usage| count(usage.prompt_tokens)),
        completion_tokens: usage.and_then(|usage| count(usage.completion_tokens)),
    }
}

/// What an error of genai means. Its texts may hold the whole request, so that only parts of them are kept.
fn provider_error(error: genai::Error) -> ProviderError {
    match error {
        genai::Error::HttpError { status, body, .. } => {
            ProviderError::Status { status: status.as_u16(), body: short(&body) }
        }
        genai::Error::WebStream { error, cause, .. } => match error.downcast::<genai::Error>() {
            Ok(inner) => provider_error(*inner),
            Err(error) => transport(&*error, &cause),
        },
        genai::Error::WebModelCall { webc_error, .. } | genai::Error::WebAdapterCall { webc_error, .. } => {
            match webc_error {
                genai::webc::Error::ResponseFailedStatus { status, body, .. } => {
                    ProviderError::Status { status: status.as_u16(), body: short(&body) }
                }
                genai::webc::Error::Reqwest(error) => transport(&error, "request failed"),
                other => ProviderError::Protocol(short(&other.to_string())),
            }
        }
        genai::Error::ChatResponse { body, .. } => {
            let status = body
                .get("code")
                .and_then(serde_json::Value::as_u64)
                .and_then(|code| u16::try_from(code).ok());
            ProviderError::Status {
                status: status.filter(|code| *code >= 400).unwrap_or(500),
                body: short(&body.to_string()),
            }
        }
        genai::Error::StreamParse { serde_error, .. } => {
            ProviderError::Protocol(short(&serde_error.to_string()))
        }
        other => ProviderError::Protocol(short(other.to_string().lines().next().unwrap_or_default())),
    }
}

/// A transport error with its innermost cause, which says what happened.
pub(super) fn transport(error: &(dyn std::error::Error + 'static), what: &str) -> ProviderError {
    let mut cause = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    let detail = cause.to_string();
    ProviderError::Transport(short(if detail.is_empty() { what } else { &detail }))
}

/// The first line's start of a text that came from outside.
pub(super) fn short(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(300).collect::<String>().trim().to_owned()
}
