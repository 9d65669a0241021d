//! The protocols of other systems: OpenAI's chat completions and Ollama's chat, so that their clients work by changing
//! their address.
//!
//! Neither can take back what it sent. Text is therefore held until the verdict, and only the clients' own keep-alives
//! leave before. What a client asks for and cannot have is refused; what makes no difference here is ignored and named
//! in the `assay` object of the answer. Messages of a client are a question, never identity and never evidence.
//!
//! | file | holds |
//! |---|---|
//! | `annotations` | citations as OpenAI's clients show them |
//! | `chat` | from messages to a question, and what was not used |
//! | `held` | the events of a held answer, and what is delivered of it |
//! | `models` | the models that are listed, each a declared query type |
//! | `openai` | `/v1/chat/completions`, `/v1/models` |
//! | `responses`, `embeddings` | `/v1/responses`, `/v1/embeddings` |
//! | `ollama` | `/api/chat`, `/api/generate`, `/api/tags` and what their clients ask beside |

mod annotations;
mod chat;
mod embeddings;
mod held;
mod models;
mod ollama;
mod openai;
mod responses;

use std::sync::Arc;

use assay_domain::question::Delivery;
use assay_domain::{Answer, Code, Failure, RequestId};
use axum::Router;
use axum::routing::{get, post};
use futures::FutureExt as _;
use futures::future::BoxFuture;
use http::{HeaderMap, HeaderName, HeaderValue};
use serde_json::{Value, json};

pub(crate) use held::{Delivered, End, Held};

use crate::authorize::Caller;
use crate::options::seconds;
use crate::ports::Refused;
use crate::problem::Problem;
use crate::repeat;
use crate::shared::Shared;
use assay_api as api;
use chat::Chat;

/// The paths of the other protocols.
pub(crate) fn routes() -> Router<Arc<Shared>> {
    Router::new()
        .route("/v1/chat/completions", post(openai::complete))
        .route("/v1/responses", post(responses::respond))
        .route("/v1/embeddings", post(embeddings::embed))
        .route("/v1/models", get(openai::models))
        .route("/v1/models/{*id}", get(openai::model))
        .route("/api/chat", post(ollama::chat))
        .route("/api/generate", post(ollama::generate))
        .route("/api/tags", get(ollama::tags))
        .route("/api/ps", get(ollama::running))
        .route("/api/version", get(ollama::version))
        .route("/api/show", post(ollama::show))
}

/// The body of a failure in the words of the protocol that `route` belongs to; none where it is ours.
pub(crate) fn problem_body(route: &str, problem: &Problem, request_id: &str) -> Option<Value> {
    if route.starts_with("/api/") {
        Some(json!(api::ollama::Error::new(&problem.failure, problem.audit_id.as_deref(), request_id)))
    } else if OPENAI.iter().any(|theirs| route.starts_with(theirs)) {
        Some(json!(api::openai::Error::new(&problem.failure, problem.audit_id.as_deref(), request_id)))
    } else {
        None
    }
}

/// What routes begin with that only OpenAI's clients ask for.
const OPENAI: [&str; 4] = ["/v1/models", "/v1/chat/", "/v1/responses", "/v1/embeddings"];
/// What routes of ours begin with.
const OURS: [&str; 11] = [
    "/v1/ask",
    "/v1/audit",
    "/v1/check",
    "/v1/collections",
    "/v1/erase",
    "/v1/evaluations",
    "/v1/me",
    "/v1/parse",
    "/v1/reviews",
    "/v1/search",
    "/v1/sign-in",
];

/// The route in whose words a problem is told: where nothing is, that of the clients who look there.
pub(crate) fn shape<'a>(matched: Option<&'a str>, path: &'a str) -> &'a str {
    let part =
        |ours: &str| path.strip_prefix(ours).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    let theirs = path.starts_with("/v1/") && !OURS.iter().any(|ours| part(ours));
    matched.unwrap_or(if theirs { OPENAI[0] } else { path })
}

/// Headers of a failure that the clients of `route` understand. OpenAI's ask again by themselves after a time-out or a
/// conflict; both would do the work once more, and the first was slow already.
pub(crate) fn problem_headers(route: &str, problem: &Problem) -> Option<(HeaderName, HeaderValue)> {
    let hopeless = matches!(
        problem.failure.code,
        Code::DeadlineExceeded | Code::RequestConflict | Code::SessionConflict | Code::AnswerRejected
    );
    let never = (HeaderName::from_static("x-should-retry"), HeaderValue::from_static("false"));
    let asks = route.starts_with("/v1/chat/") || route == "/v1/responses";
    (asks && hopeless).then_some(never)
}

/// What the headers of ours ask for, whatever the protocol.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Wishes {
    /// A rejected answer is an error.
    pub(crate) reject_is_error: bool,
    /// The cited sources follow the text as footnotes.
    pub(crate) footnotes: bool,
    /// The session to continue.
    pub(crate) session: String,
    /// The name under which the answer is stored.
    pub(crate) request_id: Option<RequestId>,
}

impl Wishes {
    /// Reads `Assay-Reject`, `Assay-Footnotes`, `Assay-Session` and `Idempotency-Key`.
    ///
    /// # Errors
    /// `invalid_argument` naming the header.
    pub(crate) fn of(headers: &HeaderMap) -> Result<Self, Failure> {
        let text = |name: &str| match headers.get(name) {
            None => Ok(""),
            Some(value) => value.to_str().map_err(|_| wrong(name, "it must be plain text")),
        };
        let reject_is_error = match text("assay-reject")? {
            "" => false,
            value if value.eq_ignore_ascii_case("error") => true,
            value => {
                return Err(wrong("assay-reject", &format!("{value:?} is not known; it can be `error`")));
            }
        };
        let footnotes = match text("assay-footnotes")? {
            "" => false,
            value if value.eq_ignore_ascii_case("true") => true,
            value if value.eq_ignore_ascii_case("false") => false,
            value => {
                let what = format!("{value:?} is not known; it can be `true` or `false`");
                return Err(wrong("assay-footnotes", &what));
            }
        };
        let session = text("assay-session")?.to_owned();
        Ok(Self { reject_is_error, footnotes, session, request_id: repeat::key(headers)? })
    }
}

fn wrong(header: &str, what: &str) -> Failure {
    Failure::new(Code::InvalidArgument, format!("the header {header}: {what}")).field(header)
}

/// The settled answer, ready to be delivered in one piece.
async fn whole(shared: &Shared, caller: &Caller, chat: &Chat) -> Result<Delivered, Problem> {
    let answer = shared.asking.ask(caller.clone(), &chat.question).await?;
    finished(answer, Vec::new(), &chat.wishes)
}

/// A held answer, ready to be delivered when it ends. Its problem has a status of its own if it comes within a
/// keep-alive's time; after that it is the end of the answer.
async fn held(
    shared: &Shared,
    caller: &Caller,
    chat: &Chat,
) -> Result<BoxFuture<'static, Result<Delivered, Problem>>, Problem> {
    let events = shared.asking.ask_stream(caller.clone(), &chat.question, Delivery::Held).await?;
    let held = Held::begin(events, seconds(shared.options.keep_alive_seconds)).await?;
    let wishes = chat.wishes.clone();
    if held.is_over() {
        let delivered = ended(held.end().await, &wishes)?;
        return Ok(async { Ok(delivered) }.boxed());
    }
    Ok(async move { ended(held.end().await, &wishes) }.boxed())
}

fn ended(end: End, wishes: &Wishes) -> Result<Delivered, Problem> {
    match end {
        End::Settled(answer, pieces) => finished(*answer, pieces, wishes),
        End::Failed(failure) => Err(Refused::by_peer(failure, None).into()),
    }
}

fn finished(answer: Answer, pieces: Vec<String>, wishes: &Wishes) -> Result<Delivered, Problem> {
    let mut delivered = Delivered::of(answer, pieces)?;
    if wishes.reject_is_error
        && let Some(notice) = &delivered.notice
    {
        let id = delivered.answer.audit_id.to_string();
        return Err(Problem::new(Code::AnswerRejected, notice.clone()).with_audit(id));
    }
    if wishes.footnotes {
        delivered.add_footnotes();
    }
    Ok(delivered)
}

/// The `assay` object: the answer object of `/v1/ask` without its text, which stands elsewhere, and with what was
/// ignored of the request.
fn assay<'a>(delivered: &'a Delivered, chat: &'a Chat, request_id: &'a str) -> api::Assay<'a> {
    api::Assay::new(&delivered.answer, &chat.notes, &chat.ignored, request_id)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn wishes(name: &'static str, value: &str) -> Result<Wishes, Failure> {
        let mut headers = HeaderMap::new();
        headers.insert(name, value.parse().unwrap());
        Wishes::of(&headers)
    }

    #[test]
    fn where_nothing_is_the_clients_who_look_there_are_answered() {
        assert_eq!(shape(None, "/v1/completions"), OPENAI[0]);
        assert_eq!(shape(None, "/v1/messages"), OPENAI[0], "`/v1/me` is another path");
        assert_eq!(shape(None, "/api/pull"), "/api/pull");
        assert_eq!(shape(None, "/v1/audit/a/b"), "/v1/audit/a/b");
        assert_eq!(shape(Some("/v1/secret"), "/v1/secret"), "/v1/secret");
    }

    #[test]
    fn our_headers_are_read_and_a_wrong_one_named() {
        assert_eq!(Wishes::of(&HeaderMap::new()).unwrap(), Wishes::default());
        assert!(wishes("assay-reject", "Error").unwrap().reject_is_error);
        assert!(wishes("assay-footnotes", "true").unwrap().footnotes);
        assert!(!wishes("assay-footnotes", "false").unwrap().footnotes);
        assert_eq!(wishes("assay-session", "s-1").unwrap().session, "s-1");
        assert_eq!(wishes("assay-reject", "yes").unwrap_err().field, "assay-reject");
        assert_eq!(wishes("assay-footnotes", "1").unwrap_err().field, "assay-footnotes");
    }
}
