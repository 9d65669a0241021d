//! OpenAI's Responses over answers that were checked.
//!
//! A conversation goes on by the session that the record of the earlier response names, so nothing is kept here.

use std::convert::Infallible;
use std::sync::Arc;

use assay_api::openai::Error;
use assay_api::responses as api;
use assay_domain::{AuditId, Code, Failure, RequestId, SessionId};
use assay_rpc::entropy;
use axum::extract::{Extension, Request, State};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse as _, Response};
use futures::{StreamExt as _, stream};
use http::{HeaderMap, StatusCode};
use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};

use super::chat::{Chat, Conversation, flag, invalid, refuse_tools, says_nothing, session};
use super::openai::{UNBUFFERED, model_of};
use super::{Delivered, Wishes, annotations, assay, held, whole};
use crate::authorize::Caller;
use crate::body;
use crate::json;
use crate::options::seconds;
use crate::problem::Problem;
use crate::routes::context;
use crate::shared::{Shared, json_response};

/// What the id of a response begins with; the audit id follows.
const PREFIX: &str = "resp_";

/// Fields that are understood; any other that says something is named as ignored.
const UNDERSTOOD: &[&str] = &[
    "model",
    "input",
    "stream",
    "previous_response_id",
    "conversation",
    "store",
    "tools",
    "tool_choice",
    "text",
    "background",
    "metadata",
    "assay",
];

/// A request for a response.
struct Asked {
    chat: Chat,
    stream: bool,
    previous: Option<AuditId>,
    /// Whether a session begins, so that the answer can be continued.
    begins: bool,
    metadata: Map<String, Value>,
    origin: String,
}

/// `POST /v1/responses`.
pub(super) async fn respond(
    State(shared): State<Arc<Shared>>,
    Extension(caller): Extension<Caller>,
    request: Request,
) -> Result<Response, Problem> {
    let origin = annotations::origin(request.headers(), &shared.options.auth.sign_in);
    let parse = move |bytes: &[u8], headers: &HeaderMap| Asked::parse(bytes, headers, origin);
    let mut asked = body::of(request, &shared.options, parse).await?;
    if let Some(previous) = asked.previous {
        asked.chat.question.session = Some(session_of(&shared, &caller, previous).await?);
    } else if asked.begins {
        asked.chat.question.session = new_session(&caller, asked.chat.question.request_id);
    }
    if !asked.stream {
        let delivered = whole(&shared, &caller, &asked.chat).await?;
        return Ok(json_response(StatusCode::OK, &asked.response(&delivered, &caller)));
    }
    let end = held(&shared, &caller, &asked.chat).await?;
    let alive = KeepAlive::new().interval(seconds(shared.options.keep_alive_seconds));
    let events = stream::once(async move { asked.events(end.await, &caller) })
        .flat_map(stream::iter)
        .map(|(name, data)| Ok::<_, Infallible>(Event::default().event(name).data(data.to_string())));
    let mut response = Sse::new(events).keep_alive(alive).into_response();
    response.headers_mut().insert(UNBUFFERED, http::HeaderValue::from_static("no"));
    Ok(response)
}

/// The session of an earlier response of the caller.
async fn session_of(shared: &Shared, caller: &Caller, id: AuditId) -> Result<SessionId, Problem> {
    let context = context(&shared.options, caller.clone());
    let stored = context.within(shared.records.get(&context, id)).await?;
    let gone = |text: &str| Problem::from(Failure::new(Code::NotFound, text).field("previous_response_id"));
    let none = || gone("there is no such response of yours");
    let stored = stored.map_err(|failure| match failure.code {
        Code::NotFound => none(),
        _ => failure.into(),
    })?;
    // Reviewers may read the records of others, and not go on in their sessions.
    if stored.record.identity.principal != caller.identity.principal {
        return Err(none());
    }
    SessionId::parse(&stored.record.session_id)
        .ok_or_else(|| gone("that response was not stored; ask it with `store`"))
}

/// A session that nobody else has. A repeated request gets the same one, so that it stays the same request.
fn new_session(caller: &Caller, request: Option<RequestId>) -> Option<SessionId> {
    let bytes = match request {
        None => entropy::bytes16().to_vec(),
        Some(id) => {
            let (tenant, principal) = (&caller.identity.tenant, &caller.identity.principal);
            Sha256::digest(format!("{tenant}\0{principal}\0{id}"))[..16].to_vec()
        }
    };
    SessionId::parse(&format!("{PREFIX}{}", hex::encode(bytes)))
}

// === impl Asked ===

impl Asked {
    fn parse(bytes: &[u8], headers: &HeaderMap, origin: String) -> Result<Self, Failure> {
        let fields = json::object(bytes)?;
        refuse_the_impossible(&fields)?;
        let (model, note) = model_of(&fields)?;
        let said = conversation(fields.get("input"))?;
        let mut chat = Chat::new(said.question.clone(), model, &fields, Wishes::of(headers)?)?;
        let previous = previous(&fields)?;
        if let Some(given) = fields.get("conversation").filter(|given| !given.is_null())
            && chat.question.session.is_none()
        {
            let id = given.as_str().or_else(|| given.get("id")?.as_str());
            chat.question.session = Some(session("conversation", id.unwrap_or_default())?);
        }
        let remembers = previous.is_some() || chat.question.session.is_some();
        let begins = flag(&fields, "store")?.unwrap_or(true) && !remembers;
        if !remembers {
            chat.question.prior.clone_from(&said.prior);
        }
        let mut chat = chat.checked("input")?;
        chat.notes = said.notes(remembers);
        chat.notes.extend(note);
        chat.ignored = fields
            .iter()
            .filter(|(name, value)| !UNDERSTOOD.contains(&name.as_str()) && !says_nothing(Some(value)))
            .map(|(name, _)| name.clone())
            .collect();
        let metadata = fields.get("metadata").and_then(Value::as_object).cloned().unwrap_or_default();
        let stream = flag(&fields, "stream")?.unwrap_or(false);
        Ok(Self { chat, stream, previous, begins, metadata, origin })
    }

    /// The response as far as it is there: before its end without output.
    fn begun(&self, id: AuditId) -> api::Response {
        api::Response {
            id: format!("{PREFIX}{id}"),
            object: "response",
            created_at: id.unix_ms() / 1000,
            status: "in_progress",
            error: (),
            incomplete_details: None,
            instructions: (),
            metadata: self.metadata.clone(),
            model: self.chat.model.name,
            output: Vec::new(),
            parallel_tool_calls: false,
            previous_response_id: self.previous.map(|id| format!("{PREFIX}{id}")),
            tool_choice: "none",
            tools: [],
            usage: None,
            assay: None,
        }
    }

    fn response(&self, delivered: &Delivered, caller: &Caller) -> api::Response {
        let rejected = delivered.notice.is_some();
        let status = if rejected { "incomplete" } else { "completed" };
        api::Response {
            status,
            incomplete_details: rejected.then_some(api::Incomplete { reason: "content_filter" }),
            output: vec![message(delivered, status, self.parts(delivered))],
            usage: delivered.answer.usage.map(|usage| api::Usage {
                input_tokens: usage.prompt_tokens,
                input_tokens_details: api::Cached::default(),
                output_tokens: usage.completion_tokens,
                output_tokens_details: api::Reasoning::default(),
                total_tokens: usage.prompt_tokens.saturating_add(usage.completion_tokens),
            }),
            assay: Some(json!(assay(delivered, &self.chat, &caller.request_id))),
            ..self.begun(delivered.answer.audit_id)
        }
    }

    fn parts(&self, delivered: &Delivered) -> Vec<api::Part> {
        let cited = annotations::of(delivered, &self.origin).into_iter();
        let annotations =
            cited.map(|citation| api::Annotation { r#type: "url_citation", citation }).collect();
        let text = api::Part::OutputText { text: delivered.text(), annotations, logprobs: [] };
        let refusal = delivered.notice.iter().map(|notice| api::Part::Refusal { refusal: notice.clone() });
        std::iter::once(text).chain(refusal).collect()
    }

    /// Every event in order, with its number.
    fn events(&self, end: Result<Delivered, Problem>, caller: &Caller) -> Vec<(&'static str, Value)> {
        let mut events = Vec::new();
        let mut add = |name: &'static str, fields: Value| {
            let mut data = json!({"type": name, "sequence_number": events.len()});
            if let (Some(data), Value::Object(fields)) = (data.as_object_mut(), fields) {
                data.extend(fields);
            }
            events.push((name, data));
        };
        let delivered = match end {
            Ok(delivered) => delivered,
            Err(problem) => {
                let told = Error::new(&problem.failure, problem.audit_id.as_deref(), &caller.request_id);
                let mut told = json!(told.error);
                // The type of an event is its name.
                if let Some(told) = told.as_object_mut() {
                    told.shift_remove("type");
                }
                add("error", told);
                return events;
            }
        };
        let begun = self.begun(delivered.answer.audit_id);
        let item = message(&delivered, "in_progress", Vec::new());
        let id = item.id.clone();
        add("response.created", json!({"response": begun}));
        add("response.in_progress", json!({"response": begun}));
        add("response.output_item.added", json!({"output_index": 0, "item": item}));
        for (index, part) in self.parts(&delivered).into_iter().enumerate() {
            let at = |more: Value| {
                let mut place = json!({"item_id": id, "output_index": 0, "content_index": index});
                if let (Some(place), Value::Object(more)) = (place.as_object_mut(), more) {
                    place.extend(more);
                }
                place
            };
            match &part {
                api::Part::OutputText { text, annotations, .. } => {
                    let empty =
                        api::Part::OutputText { text: String::new(), annotations: Vec::new(), logprobs: [] };
                    add("response.content_part.added", at(json!({"part": empty})));
                    for piece in &delivered.pieces {
                        add("response.output_text.delta", at(json!({"delta": piece, "logprobs": []})));
                    }
                    for (number, annotation) in annotations.iter().enumerate() {
                        let told = json!({"annotation_index": number, "annotation": annotation});
                        add("response.output_text.annotation.added", at(told));
                    }
                    add("response.output_text.done", at(json!({"text": text, "logprobs": []})));
                }
                api::Part::Refusal { refusal } => {
                    let empty = api::Part::Refusal { refusal: String::new() };
                    add("response.content_part.added", at(json!({"part": empty})));
                    add("response.refusal.delta", at(json!({"delta": refusal})));
                    add("response.refusal.done", at(json!({"refusal": refusal})));
                }
            }
            add("response.content_part.done", at(json!({"part": part})));
        }
        let response = self.response(&delivered, caller);
        add("response.output_item.done", json!({"output_index": 0, "item": response.output.first()}));
        let rejected = delivered.notice.is_some();
        let last = if rejected { "response.incomplete" } else { "response.completed" };
        add(last, json!({"response": response}));
        events
    }
}

fn message(delivered: &Delivered, status: &'static str, content: Vec<api::Part>) -> api::Message {
    let id = format!("msg_{}", delivered.answer.audit_id);
    api::Message { id, r#type: "message", status, role: "assistant", content }
}

/// The id of an earlier response.
fn previous(fields: &Map<String, Value>) -> Result<Option<AuditId>, Failure> {
    let field = "previous_response_id";
    match fields.get(field) {
        None | Some(Value::Null) => Ok(None),
        Some(given) => {
            let id = given.as_str().and_then(|text| AuditId::parse(text.strip_prefix(PREFIX)?));
            id.map(Some).ok_or_else(|| {
                invalid(field, "`previous_response_id` is the id of a response, `resp_` and a UUID")
            })
        }
    }
}

/// The question of `input`: a text, or messages as of chat completions, whose parts are named `input_text` here.
fn conversation(input: Option<&Value>) -> Result<Conversation, Failure> {
    let messages = match input {
        Some(Value::String(text)) => json!([{"role": "user", "content": text}]),
        Some(Value::Array(items)) => Value::Array(items.iter().map(as_message).collect()),
        _ => return Err(invalid("input", "`input` must be a text, or a list of messages")),
    };
    Conversation::read(Some(&messages)).map_err(|failure| {
        let rest = failure.field.strip_prefix("messages").map(str::to_owned);
        Failure { field: rest.map_or(failure.field.clone(), |rest| format!("input{rest}")), ..failure }
    })
}

fn as_message(item: &Value) -> Value {
    let mut item = item.clone();
    for part in item.get_mut("content").and_then(Value::as_array_mut).into_iter().flatten() {
        let kind = part.get("type").and_then(Value::as_str).unwrap_or_default();
        if ["input_text", "output_text"].contains(&kind)
            && let Some(fields) = part.as_object_mut()
        {
            fields.insert("type".into(), json!("text"));
        }
    }
    item
}

/// What no answer of ours can be.
fn refuse_the_impossible(fields: &Map<String, Value>) -> Result<(), Failure> {
    refuse_tools(fields)?;
    if !says_nothing(fields.get("background")) {
        return Err(invalid("background", "an answer is made while its caller waits"));
    }
    let format = fields.get("text").and_then(|text| text.get("format")?.get("type")?.as_str());
    if format.is_some_and(|format| format != "text") {
        return Err(invalid("text.format", "answers are Markdown with citations; the format must be `text`"));
    }
    if !says_nothing(fields.get("previous_response_id")) && !says_nothing(fields.get("conversation")) {
        return Err(invalid("conversation", "name `previous_response_id` or `conversation`, not both"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn parse(body: &Value) -> Result<Asked, Failure> {
        Asked::parse(body.to_string().as_bytes(), &HeaderMap::new(), String::new())
    }

    #[test]
    fn the_documented_request_has_the_understood_fields() {
        let schema = serde_json::Value::from(schemars::schema_for!(api::Request));
        let documented: Vec<&String> = schema["properties"].as_object().unwrap().keys().collect();
        assert_eq!(documented, UNDERSTOOD);
    }

    #[test]
    fn a_text_and_messages_are_questions_and_begin_a_session() {
        let asked = parse(&json!({"input": "q"})).unwrap();
        assert_eq!((asked.chat.question.text.as_str(), asked.begins), ("q", true));
        for (body, begins) in [
            (json!({"input": "q", "store": false}), false),
            (json!({"input": "q", "conversation": null}), true),
            (json!({"input": "q", "assay": {"session": "s"}}), false),
        ] {
            assert_eq!(parse(&body).unwrap().begins, begins, "{body}");
        }
        let asked = parse(&json!({"conversation": {"id": "c"}, "temperature": 1, "input": [
            {"role": "user", "content": "a"}, {"type": "message", "role": "assistant",
                "content": [{"type": "output_text", "text": "b"}]},
            {"role": "user", "content": [{"type": "input_text", "text": "q"}]}]}))
        .unwrap();
        assert_eq!(asked.chat.question.text, "q");
        assert_eq!(asked.chat.question.session, SessionId::parse("c"));
        assert_eq!(asked.chat.ignored, ["temperature"]);
    }

    #[test]
    fn what_cannot_be_answered_names_its_field() {
        for (fields, field) in [
            (json!({}), "input"),
            (json!({"input": 7}), "input"),
            (
                json!({"input": [{"role": "user", "content": [{"type": "input_image"}]}]}),
                "input[0].content[0]",
            ),
            (json!({"input": "q", "tools": [{"type": "web_search"}]}), "tools"),
            (json!({"input": "q", "tool_choice": "required"}), "tool_choice"),
            (json!({"input": "q", "background": true}), "background"),
            (json!({"input": "q", "text": {"format": {"type": "json_schema"}}}), "text.format"),
            (json!({"input": "q", "previous_response_id": "resp_1"}), "previous_response_id"),
            (json!({"input": "q", "conversation": {"name": "c"}}), "conversation"),
            (json!({"input": "q", "conversation": "c", "previous_response_id": "resp_1"}), "conversation"),
        ] {
            let failure = parse(&fields).map(|_| ()).unwrap_err();
            assert_eq!((failure.code, failure.field.as_str()), (Code::InvalidArgument, field), "{fields}");
        }
    }
}
