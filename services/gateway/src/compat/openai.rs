//! OpenAI's chat completions over answers that were checked.
//!
//! A rejected answer is a completion with `finish_reason: "content_filter"`, the text that stands and the reason as its
//! `refusal`. Everything else that is known of an answer is in the object `assay`, which other clients do not see.

use std::convert::Infallible;
use std::sync::Arc;

use assay_domain::{Code, Failure};
use axum::extract::{Extension, Path, Request, State};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse as _, Response};
use futures::{StreamExt as _, stream};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use serde_json::{Map, Value, json};

use super::chat::{Chat, Conversation, flag, invalid, refuse_tools, says_nothing, session};
use super::models::{MODELS, Model, SINCE, named, names, usual};
use super::{Delivered, Wishes, annotations, assay, held, whole};
use crate::authorize::Caller;
use crate::body;
use crate::json;
use crate::options::seconds;
use crate::problem::Problem;
use crate::shared::{Shared, json_response};
use assay_api::openai as api;

/// Tells proxies not to gather a stream before they pass it on.
pub(super) const UNBUFFERED: HeaderName = HeaderName::from_static("x-accel-buffering");

type App = State<Arc<Shared>>;
type Reply = Result<Response, Problem>;

/// `POST /v1/chat/completions`.
pub(super) async fn complete(
    State(shared): App,
    Extension(caller): Extension<Caller>,
    request: Request,
) -> Reply {
    let origin = annotations::origin(request.headers(), &shared.options.auth.sign_in);
    let parse = move |bytes: &[u8], headers: &HeaderMap| Asked::parse(bytes, headers, origin);
    let asked = body::of(request, &shared.options, parse).await?;
    let chat = &asked.chat;
    if !asked.stream {
        let delivered = whole(&shared, &caller, chat).await?;
        let reply = completion(&delivered, &asked, &caller.request_id);
        return Ok(json_response(StatusCode::OK, &reply));
    }
    let end = held(&shared, &caller, chat).await?;
    let alive = KeepAlive::new().interval(seconds(shared.options.keep_alive_seconds));
    let chunks = stream::once(async move { asked.chunks(end.await, &caller) })
        .flat_map(stream::iter)
        .map(|data| Ok::<_, Infallible>(Event::default().data(data)));
    let mut response = Sse::new(chunks).keep_alive(alive).into_response();
    response.headers_mut().insert(UNBUFFERED, HeaderValue::from_static("no"));
    Ok(response)
}

/// A request for a completion.
struct Asked {
    chat: Chat,
    stream: bool,
    include_usage: bool,
    /// The address by which clients reach us.
    origin: String,
}

/// Parameters that are understood; any other that says something is named as ignored.
const UNDERSTOOD: &[&str] = &[
    "model",
    "messages",
    "stream",
    "stream_options",
    "n",
    "tools",
    "functions",
    "tool_choice",
    "function_call",
    "response_format",
    "logprobs",
    "top_logprobs",
    "modalities",
    "audio",
    "metadata",
    "assay",
];

/// Parameters whose usual value asks for nothing.
const USUAL: &[(&str, f64)] =
    &[("top_p", 1.0), ("temperature", 0.0), ("presence_penalty", 0.0), ("frequency_penalty", 0.0)];

// === impl Asked ===

impl Asked {
    fn parse(bytes: &[u8], headers: &HeaderMap, origin: String) -> Result<Self, Failure> {
        let fields = json::object(bytes)?;
        refuse_the_impossible(&fields)?;
        let (model, note) = model_of(&fields)?;
        let said = Conversation::read(fields.get("messages"))?;
        let mut chat = Chat::new(said.question.clone(), model, &fields, Wishes::of(headers)?)?;
        if let Some(name) = fields.get("metadata").and_then(|metadata| metadata.get("assay_session"))
            && chat.question.session.is_none()
        {
            chat.question.session =
                Some(session("metadata.assay_session", name.as_str().unwrap_or_default())?);
        }
        if chat.question.session.is_none() {
            chat.question.prior.clone_from(&said.prior);
        }
        let mut chat = chat.checked("messages")?;
        chat.notes = said.notes(chat.question.session.is_some());
        chat.notes.extend(note);
        chat.ignored = ignored(&fields);
        let options = fields.get("stream_options").filter(|value| !value.is_null());
        let include_usage = match options.map(Value::as_object) {
            None => false,
            Some(Some(options)) => flag(options, "include_usage")
                .map_err(|failure| assay_wire::inside("stream_options", failure))?
                .unwrap_or(false),
            Some(None) => return Err(invalid("stream_options", "`stream_options` must be an object")),
        };
        let stream = flag(&fields, "stream")?.unwrap_or(false);
        Ok(Self { chat, stream, include_usage, origin })
    }

    /// The data of every event, in order; the mark `[DONE]` stands behind an answer and never behind an error.
    fn chunks(&self, end: Result<Delivered, Problem>, caller: &Caller) -> Vec<String> {
        let delivered = match end {
            Ok(delivered) => delivered,
            Err(problem) => {
                let audit_id = problem.audit_id.as_deref();
                let error = api::Error::new(&problem.failure, audit_id, &caller.request_id);
                return vec![json!(error).to_string()];
            }
        };
        let chunk = |choices: Vec<api::ChunkChoice<'_>>, usage: Option<api::Usage>, assay| {
            let head = head(&delivered, &self.chat, "chat.completion.chunk");
            json!(api::Chunk { head, choices, usage: self.include_usage.then_some(usage), assay }).to_string()
        };
        let choice =
            |delta, finish_reason| vec![api::ChunkChoice { index: 0, delta, logprobs: (), finish_reason }];
        let piece = |delta| chunk(choice(delta, None), None, None);
        let nothing = api::Delta::default;
        let mut chunks = vec![piece(api::Delta { role: Some("assistant"), content: Some(""), ..nothing() })];
        chunks.extend(
            delivered.pieces.iter().map(|text| piece(api::Delta { content: Some(text), ..nothing() })),
        );
        chunks.extend(
            delivered.notice.iter().map(|notice| piece(api::Delta { refusal: Some(notice), ..nothing() })),
        );
        let assay = assay(&delivered, &self.chat, &caller.request_id);
        let last = api::Delta { annotations: cited(&delivered, &self.origin), ..nothing() };
        chunks.push(chunk(choice(last, Some(finish(&delivered))), None, Some(Box::new(assay))));
        if self.include_usage {
            chunks.push(chunk(Vec::new(), usage(&delivered), None));
        }
        chunks.push("[DONE]".to_owned());
        chunks
    }
}

/// What no answer of ours can be.
fn refuse_the_impossible(fields: &Map<String, Value>) -> Result<(), Failure> {
    let refuse = |field: &str, text: &str| Err(invalid(field, text));
    let set = |field: &str| !says_nothing(fields.get(field));
    if fields.get("n").is_some_and(|n| !n.is_null() && n.as_u64() != Some(1)) {
        return refuse("n", "there is one answer to a question; `n` must be 1");
    }
    refuse_tools(fields)?;
    let format = fields.get("response_format").and_then(|format| format.get("type")).and_then(Value::as_str);
    if set("response_format") && format != Some("text") {
        return refuse("response_format", "answers are Markdown with citations; the format must be `text`");
    }
    for field in ["logprobs", "top_logprobs"] {
        if set(field) {
            return refuse(field, "a checked answer has no token probabilities");
        }
    }
    let text_only = |modality: &Value| modality.as_str() == Some("text");
    let modalities = fields.get("modalities").and_then(Value::as_array);
    if set("audio") || (set("modalities") && !modalities.is_some_and(|all| all.iter().all(text_only))) {
        return refuse(if set("audio") { "audio" } else { "modalities" }, "answers are text");
    }
    Ok(())
}

/// The model, and a remark if the name is not one of ours: clients are configured with the names of others.
pub(super) fn model_of(fields: &Map<String, Value>) -> Result<(&'static Model, Option<String>), Failure> {
    let name = match fields.get("model") {
        None | Some(Value::Null) => return Ok((usual(), None)),
        Some(Value::String(name)) => name.as_str(),
        Some(_) => return Err(invalid("model", "`model` must be a string")),
    };
    match named(name) {
        Some(model) => Ok((model, None)),
        None if name.starts_with("assay/") => Err(no_model(name)),
        None => Ok((usual(), Some(format!("there is no model {name:?} here; `assay` answered")))),
    }
}

fn no_model(name: &str) -> Failure {
    Failure::new(Code::NotFound, format!("the model {name:?} does not exist; there are {}", names()))
        .field("model")
}

fn ignored(fields: &Map<String, Value>) -> Vec<String> {
    let usual = |name: &str, value: &Value| {
        USUAL.iter().any(|(known, usual)| *known == name && value.as_f64() == Some(*usual))
    };
    fields
        .iter()
        .filter(|(name, value)| {
            !UNDERSTOOD.contains(&name.as_str()) && !says_nothing(Some(value)) && !usual(name, value)
        })
        .map(|(name, _)| name.clone())
        .collect()
}

fn head(delivered: &Delivered, chat: &Chat, object: &'static str) -> api::Head {
    let id = delivered.answer.audit_id;
    api::Head { id: format!("chatcmpl-{id}"), object, created: id.unix_ms() / 1000, model: chat.model.name }
}

fn completion<'a>(delivered: &'a Delivered, asked: &'a Asked, request_id: &'a str) -> api::Completion<'a> {
    let chat = &asked.chat;
    let annotations = cited(delivered, &asked.origin);
    let refusal = delivered.notice.as_deref();
    let message = api::Reply { role: "assistant", content: delivered.text(), refusal, annotations };
    api::Completion {
        head: head(delivered, chat, "chat.completion"),
        choices: [api::Choice { index: 0, message, logprobs: (), finish_reason: finish(delivered) }],
        usage: usage(delivered),
        assay: assay(delivered, chat, request_id),
    }
}

fn cited(delivered: &Delivered, origin: &str) -> Vec<api::Annotation> {
    let cited = annotations::of(delivered, origin).into_iter();
    cited.map(|url_citation| api::Annotation { r#type: "url_citation", url_citation }).collect()
}

fn finish(delivered: &Delivered) -> &'static str {
    if delivered.notice.is_some() { "content_filter" } else { "stop" }
}

fn usage(delivered: &Delivered) -> Option<api::Usage> {
    delivered.answer.usage.map(api::Usage::from)
}

/// `GET /v1/models`.
pub(super) async fn models() -> Response {
    let data = MODELS.iter().map(shape).collect();
    json_response(StatusCode::OK, &api::Models { object: "list", data })
}

/// `GET /v1/models/{id}`.
pub(super) async fn model(Path(id): Path<String>) -> Reply {
    let model = named(&id).ok_or_else(|| no_model(&id))?;
    Ok(json_response(StatusCode::OK, &shape(model)))
}

fn shape(model: &Model) -> api::Model {
    api::Model {
        id: model.name,
        object: "model",
        created: SINCE,
        owned_by: "assay",
        description: model.purpose,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use assay_domain::{QueryType, SessionId};

    fn parse(body: &Value) -> Result<Asked, Failure> {
        Asked::parse(body.to_string().as_bytes(), &HeaderMap::new(), String::new())
    }

    fn with(fields: Value) -> Value {
        let mut body = json!({"model": "assay", "messages": [{"role": "user", "content": "q"}]});
        body.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        body
    }

    #[test]
    fn the_documented_request_has_the_understood_fields() {
        let schema = serde_json::Value::from(schemars::schema_for!(api::Request));
        let documented: Vec<&String> = schema["properties"].as_object().unwrap().keys().collect();
        assert_eq!(documented, UNDERSTOOD);
    }

    #[test]
    fn parameters_that_make_no_difference_are_named() {
        let asked = parse(&with(json!({
            "temperature": 0.7, "top_p": 1, "max_tokens": 5, "user": "root", "stop": null, "seed": 7, "tools": [],
            "n": 1, "response_format": {"type": "text"}, "tool_choice": "auto", "store": false, "novel": "x",
        })))
        .unwrap();
        assert_eq!(asked.chat.ignored, ["temperature", "max_tokens", "user", "seed", "novel"]);
        assert!(!asked.stream && asked.chat.notes.is_empty());
        assert_eq!(parse(&with(json!({"temperature": 0}))).unwrap().chat.ignored, [""; 0]);
    }

    #[test]
    fn what_no_answer_can_be_is_refused_by_name() {
        for (fields, field) in [
            (json!({"n": 2}), "n"),
            (json!({"tools": [{"type": "function"}]}), "tools"),
            (json!({"functions": [{}]}), "functions"),
            (json!({"tool_choice": "required"}), "tool_choice"),
            (json!({"response_format": {"type": "json_object"}}), "response_format"),
            (json!({"logprobs": true}), "logprobs"),
            (json!({"modalities": ["text", "audio"]}), "modalities"),
            (json!({"audio": {"voice": "alloy"}}), "audio"),
            (json!({"stream": "yes"}), "stream"),
            (json!({"stream_options": true}), "stream_options"),
            (json!({"stream_options": {"include_usage": 1}}), "stream_options.include_usage"),
            (json!({"model": 7}), "model"),
            (json!({"messages": [{"role": "user", "content": " "}]}), "messages"),
            (json!({"assay": {"mode": "soft"}}), "assay.mode"),
            (json!({"assay": {"query": "q"}}), "assay.query"),
            (json!({"assay": 1}), "assay"),
            (json!({"metadata": {"assay_session": "a\nb"}}), "metadata.assay_session"),
        ] {
            let failure = parse(&with(fields.clone())).map(|_| ()).unwrap_err();
            assert_eq!((failure.code, failure.field.as_str()), (Code::InvalidArgument, field), "{fields}");
        }
        let failure =
            parse(&with(json!({"assay": {"extra_context": "x".repeat(65537)}}))).map(|_| ()).unwrap_err();
        assert_eq!((failure.code, failure.field.as_str()), (Code::PayloadTooLarge, "assay.extra_context"));
    }

    #[test]
    fn foreign_model_names_are_answered_and_misspelt_ours_refused() {
        let asked = parse(&with(json!({"model": "gpt-4o"}))).unwrap();
        assert_eq!(asked.chat.model.name, "assay");
        assert!(asked.chat.notes[0].contains("gpt-4o"));
        let asked = parse(&with(json!({"model": "assay/code"}))).unwrap();
        assert_eq!(asked.chat.question.declared_type, Some(QueryType::CodeGeneration));
        let failure = parse(&with(json!({"model": "assay/cod"}))).map(|_| ()).unwrap_err();
        assert_eq!((failure.code, failure.field.as_str()), (Code::NotFound, "model"));
    }

    #[test]
    fn the_header_names_the_session_before_any_field_does() {
        let body = with(json!({"metadata": {"assay_session": "m"}, "assay": {"session": "a"}}));
        let session = |headers: &HeaderMap, body: &Value| {
            Asked::parse(body.to_string().as_bytes(), headers, String::new()).unwrap().chat.question.session
        };
        let mut headers = HeaderMap::new();
        assert_eq!(session(&headers, &body), SessionId::parse("a"));
        assert_eq!(
            session(&headers, &with(json!({"metadata": {"assay_session": "m"}}))),
            SessionId::parse("m")
        );
        headers.insert("assay-session", "h".parse().unwrap());
        assert_eq!(session(&headers, &body), SessionId::parse("h"));
    }
}
