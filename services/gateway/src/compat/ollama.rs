//! Ollama's chat and generate over answers that were checked.
//!
//! A stream is lines of JSON; while an answer is checked, lines with empty text keep it alive. The last line holds the
//! object `assay`. The protocol has no place for a refusal, so a rejected answer says so behind the text that stands.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use assay_domain::{Code, Failure};
use assay_rpc::clock;
use axum::body::Body;
use axum::extract::{Extension, Request, State};
use axum::response::{IntoResponse as _, Response};
use bytes::Bytes;
use futures::future::BoxFuture;
use futures::{FutureExt as _, Stream, StreamExt as _, stream};
use http::{HeaderMap, StatusCode, header};
use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};

use super::chat::{Chat, Conversation, flag, invalid, says_nothing};
use super::models::{MODELS, Model, SINCE, named, names};
use super::{Delivered, Wishes, assay, held, whole};
use crate::authorize::Caller;
use crate::body;
use crate::json;
use crate::options::seconds;
use crate::problem::Problem;
use crate::shared::{Shared, json_response};
use assay_api::ollama as api;
use assay_api::timestamp;

type App = State<Arc<Shared>>;
type Reply = Result<Response, Problem>;

/// The two ways to ask.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    Chat,
    Generate,
}

/// `POST /api/chat`.
pub(super) async fn chat(app: App, caller: Extension<Caller>, request: Request) -> Reply {
    answer(Way::Chat, app, caller, request).await
}

/// `POST /api/generate`.
pub(super) async fn generate(app: App, caller: Extension<Caller>, request: Request) -> Reply {
    answer(Way::Generate, app, caller, request).await
}

async fn answer(
    way: Way,
    State(shared): App,
    Extension(caller): Extension<Caller>,
    request: Request,
) -> Reply {
    let (head, body) = request.into_parts();
    let bytes = body::read(&head.headers, body, &shared.options).await?;
    let parse = move |bytes: &[u8]| Asked::parse(way, bytes, &head.headers);
    let asked = match body::parsed(bytes, parse).await? {
        Wanted::Answer(asked) => asked,
        Wanted::Nothing(name) => return Ok(loaded(way, &name)),
    };
    if !asked.stream {
        let mut delivered = whole(&shared, &caller, &asked.chat).await?;
        delivered.say_the_notice();
        let text = delivered.text();
        let line = asked.last(&text, &delivered, &caller);
        return Ok(json_response(StatusCode::OK, &line));
    }
    let end = held(&shared, &caller, &asked.chat).await?;
    let every = seconds(shared.options.keep_alive_seconds);
    let asked: Arc<Asked> = Arc::from(asked);
    let lines = Arc::clone(&asked);
    let end = async move { lines.lines(end.await, &caller) };
    let body = kept_alive(end.boxed(), every, move || asked.line("", clock::unix_ms()));
    let kind = [(header::CONTENT_TYPE, "application/x-ndjson")];
    Ok((kind, Body::from_stream(body)).into_response())
}

/// What a request wants.
enum Wanted {
    /// An answer.
    Answer(Box<Asked>),
    /// The model of this name in memory, which it always is.
    Nothing(String),
}

/// A request for an answer.
struct Asked {
    way: Way,
    /// The model as the client calls it.
    name: String,
    chat: Chat,
    stream: bool,
}

/// Parameters that are understood; any other that says something is named as ignored.
const UNDERSTOOD: &[&str] = &[
    "model",
    "name",
    "messages",
    "prompt",
    "stream",
    "keep_alive",
    "tools",
    "format",
    "images",
    "suffix",
    "assay",
];

impl Asked {
    fn parse(way: Way, bytes: &[u8], headers: &HeaderMap) -> Result<Wanted, Failure> {
        let fields = json::object(bytes)?;
        let (name, model) = model_of(&fields)?;
        for (field, text) in [
            ("tools", "answers come from the indexed sources; they call no tools"),
            ("format", "answers are Markdown with citations; no other format can be asked for"),
            ("images", "questions are text; images cannot be read"),
            ("suffix", "answers are whole; text cannot be filled in"),
        ] {
            if !says_nothing(fields.get(field)) {
                return Err(invalid(field, text));
            }
        }
        let (question, said) = match way {
            Way::Chat if says_nothing(fields.get("messages")) => return Ok(Wanted::Nothing(name)),
            Way::Chat => {
                let said = Conversation::read(fields.get("messages"))?;
                (said.question.clone(), Some(said))
            }
            Way::Generate if says_nothing(fields.get("prompt")) => return Ok(Wanted::Nothing(name)),
            Way::Generate => {
                let prompt = fields.get("prompt").and_then(Value::as_str);
                let prompt = prompt.ok_or_else(|| invalid("prompt", "`prompt` must be a string"))?;
                (prompt.to_owned(), None)
            }
        };
        let field = if way == Way::Chat { "messages" } else { "prompt" };
        let mut chat = Chat::new(question, model, &fields, Wishes::of(headers)?)?;
        if let Some(said) = said.as_ref().filter(|_| chat.question.session.is_none()) {
            chat.question.prior.clone_from(&said.prior);
        }
        let mut chat = chat.checked(field)?;
        let in_session = chat.question.session.is_some();
        chat.notes = said.map(|said| said.notes(in_session)).unwrap_or_default();
        chat.ignored = fields
            .iter()
            .filter(|(name, value)| !UNDERSTOOD.contains(&name.as_str()) && !says_nothing(Some(value)))
            .map(|(name, _)| name.clone())
            .collect();
        let stream = flag(&fields, "stream")?.unwrap_or(true);
        Ok(Wanted::Answer(Box::new(Self { way, name, chat, stream })))
    }

    /// A line that goes on.
    fn line(&self, text: &str, unix_ms: u64) -> Value {
        json!(line(self.way, &self.name, text, unix_ms))
    }

    /// The line that ends an answer.
    fn last(&self, text: &str, delivered: &Delivered, caller: &Caller) -> Value {
        let answer = &delivered.answer;
        let usage = answer.usage.as_ref();
        json!(api::Line {
            done: true,
            done_reason: Some(if delivered.notice.is_some() { "content_filter" } else { "stop" }),
            total_duration: Some(nanoseconds(answer.timing.total_ms)),
            load_duration: Some(0),
            prompt_eval_count: usage.map(|usage| usage.prompt_tokens),
            eval_count: usage.map(|usage| usage.completion_tokens),
            eval_duration: usage.map(|_| nanoseconds(answer.timing.draft_ms)),
            assay: Some(assay(delivered, &self.chat, &caller.request_id)),
            ..line(self.way, &self.name, text, answer.audit_id.unix_ms())
        })
    }

    /// Every line of an answer, or the one of its failure.
    fn lines(&self, end: Result<Delivered, Problem>, caller: &Caller) -> Vec<Value> {
        let mut delivered = match end {
            Ok(delivered) => delivered,
            Err(problem) => {
                let audit_id = problem.audit_id.as_deref();
                return vec![json!(api::Error::new(&problem.failure, audit_id, &caller.request_id))];
            }
        };
        delivered.say_the_notice();
        let made = delivered.answer.audit_id.unix_ms();
        let mut lines: Vec<Value> = delivered.pieces.iter().map(|piece| self.line(piece, made)).collect();
        lines.push(self.last("", &delivered, caller));
        lines
    }
}

fn line<'a>(way: Way, model: &'a str, text: &'a str, unix_ms: u64) -> api::Line<'a> {
    let (message, response) = match way {
        Way::Chat => (Some(api::Piece { role: "assistant", content: text }), None),
        Way::Generate => (None, Some(text)),
    };
    api::Line { model, created_at: timestamp(unix_ms), message, response, ..api::Line::default() }
}

fn nanoseconds(milliseconds: f64) -> u64 {
    // Times are positive and far below the limit; a broken one reads as zero.
    (milliseconds * 1e6).round() as u64
}

/// The reply to a request without a question: there is nothing to load.
fn loaded(way: Way, name: &str) -> Response {
    let line = line(way, name, "", clock::unix_ms());
    json_response(StatusCode::OK, &api::Line { done: true, done_reason: Some("load"), ..line })
}

/// Lines of JSON: those that `end` brings, and while it does not come one of `alive` each `every`.
fn kept_alive(
    end: BoxFuture<'static, Vec<Value>>,
    every: Duration,
    alive: impl Fn() -> Value + Send + 'static,
) -> impl Stream<Item = Result<Bytes, Infallible>> + Send + 'static {
    let lines = stream::unfold((Some(end), alive), move |(end, alive)| async move {
        let mut end = end?;
        match tokio::time::timeout(every, &mut end).await {
            Ok(lines) => Some((lines, (None, alive))),
            Err(_) => Some((vec![alive()], (Some(end), alive))),
        }
    });
    lines.flat_map(stream::iter).map(|line| Ok(Bytes::from(format!("{line}\n"))))
}

/// The name as the client gave it, and the model. The tag `latest` may stand behind a name.
fn model_of(fields: &Map<String, Value>) -> Result<(String, &'static Model), Failure> {
    let given =
        fields.get("model").or_else(|| fields.get("name")).and_then(Value::as_str).unwrap_or_default();
    if given.is_empty() {
        return Err(invalid("model", format!("`model` is missing; there are {}", names())));
    }
    let model = named(given.strip_suffix(":latest").unwrap_or(given)).ok_or_else(|| {
        let text = format!("model {given:?} not found; there are {}", names());
        Failure::new(Code::NotFound, text).field("model")
    })?;
    Ok((given.to_owned(), model))
}

/// `GET /api/tags`.
pub(super) async fn tags() -> Response {
    json_response(StatusCode::OK, &api::Models { models: MODELS.iter().map(tag).collect() })
}

/// `GET /api/ps`: every model is always there.
pub(super) async fn running() -> Response {
    tags().await
}

/// `GET /api/version`.
pub(super) async fn version() -> Response {
    json_response(StatusCode::OK, &api::Version { version: env!("CARGO_PKG_VERSION") })
}

/// `POST /api/show`.
pub(super) async fn show(State(shared): App, request: Request) -> Reply {
    let (head, body) = request.into_parts();
    let fields = json::object(&body::read(&head.headers, body, &shared.options).await?)?;
    let (_, model) = model_of(&fields)?;
    let shown = api::Shown {
        modelfile: "",
        parameters: "",
        template: "",
        license: "",
        modified_at: timestamp(SINCE * 1000),
        details: api::Details::OURS,
        model_info: api::ModelInfo { architecture: "assay", name: model.name, description: model.purpose },
        capabilities: ["completion"],
    };
    Ok(json_response(StatusCode::OK, &shown))
}

fn tag(model: &Model) -> api::Model {
    let name = format!("{}:latest", model.name);
    // No file stands behind a model; the digest names the program that answers.
    let digest = Sha256::digest(format!("{name} {}", env!("CARGO_PKG_VERSION")));
    api::Model {
        model: name.clone(),
        name,
        modified_at: timestamp(SINCE * 1000),
        size: 0,
        digest: hex::encode(digest),
        details: api::Details::OURS,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::panic)]
    use super::*;

    fn parse(way: Way, body: &Value) -> Result<Wanted, Failure> {
        Asked::parse(way, body.to_string().as_bytes(), &HeaderMap::new())
    }

    fn asked(way: Way, body: &Value) -> Asked {
        match parse(way, body) {
            Ok(Wanted::Answer(asked)) => *asked,
            _ => panic!("{body}"),
        }
    }

    #[test]
    fn the_documented_request_has_the_understood_fields() {
        let schema = serde_json::Value::from(schemars::schema_for!(api::Request));
        let documented: Vec<&String> = schema["properties"].as_object().unwrap().keys().collect();
        assert_eq!(documented, UNDERSTOOD);
    }

    #[test]
    fn a_stream_is_the_usual_way_and_options_are_named() {
        let body = json!({"model": "assay:latest", "messages": [{"role": "user", "content": "q"}],
            "options": {"temperature": 1}, "keep_alive": "5m", "think": true});
        let asked = asked(Way::Chat, &body);
        assert!(asked.stream);
        assert_eq!((asked.name.as_str(), asked.chat.model.name), ("assay:latest", "assay"));
        assert_eq!(asked.chat.ignored, ["options", "think"]);
    }

    #[test]
    fn a_prompt_is_a_question_and_none_asks_for_nothing() {
        let body = json!({"model": "assay", "prompt": "q", "stream": false, "system": "be brief"});
        let asked = asked(Way::Generate, &body);
        assert_eq!((asked.chat.question.text.as_str(), asked.stream), ("q", false));
        assert_eq!(asked.chat.ignored, ["system"]);
        assert!(matches!(parse(Way::Generate, &json!({"model": "assay"})), Ok(Wanted::Nothing(_))));
        assert!(matches!(
            parse(Way::Chat, &json!({"model": "assay", "messages": []})),
            Ok(Wanted::Nothing(_))
        ));
    }

    #[test]
    fn what_cannot_be_asked_for_is_named() {
        for (way, fields, field) in [
            (
                Way::Chat,
                json!({"model": "assay", "messages": [{"role": "user", "content": "q"}], "tools": [{}]}),
                "tools",
            ),
            (
                Way::Chat,
                json!({"model": "assay", "messages": [{"role": "user", "content": "q"}], "format": "json"}),
                "format",
            ),
            (Way::Generate, json!({"model": "assay", "prompt": "q", "images": ["x"]}), "images"),
            (Way::Generate, json!({"model": "assay", "prompt": 7}), "prompt"),
            (Way::Generate, json!({"prompt": "q"}), "model"),
        ] {
            let failure = parse(way, &fields).map(|_| ()).unwrap_err();
            assert_eq!((failure.code, failure.field.as_str()), (Code::InvalidArgument, field), "{fields}");
        }
        let failure = parse(Way::Chat, &json!({"model": "llama3"})).map(|_| ()).unwrap_err();
        assert_eq!(failure.code, Code::NotFound);
    }

    #[tokio::test]
    async fn lines_with_empty_text_come_until_the_end_does() {
        let (sender, receiver) = tokio::sync::oneshot::channel::<()>();
        let end = async move {
            let _ = receiver.await;
            vec![json!("end")]
        };
        let mut body = Box::pin(kept_alive(end.boxed(), Duration::from_millis(1), || json!("alive")));
        assert_eq!(body.next().await.unwrap().unwrap(), "\"alive\"\n");
        sender.send(()).unwrap();
        let rest: Vec<_> = body.collect().await;
        assert_eq!(rest.last().unwrap().as_ref().unwrap(), "\"end\"\n");
    }
}
