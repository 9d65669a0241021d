//! The paths.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;

use assay_domain::answer::Outcome;
use assay_domain::question::Delivery;
use assay_domain::report::Verdict;
use assay_domain::{Answer, Code, Failure, QueryType};
use assay_rpc::Context;
use assay_telemetry::Exposition;
use axum::Router;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Extension, Path, Query, Request, State};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{get, post};
use futures::StreamExt as _;
use http::{HeaderMap, StatusCode, header};

use crate::authorize::Caller;
use crate::body::{self, Ask, Parameters};
use crate::hosts::Hosts;
use crate::middleware::{Middleware, RequestTag, handle};
use crate::options::{Options, seconds};
use crate::ports::{RecordFilter, Stored};
use crate::problem::Problem;
use crate::reviews::audit_id;
use crate::shared::{Shared, json_response};
use crate::{compat, console, documents, repeat};
use assay_api as api;

pub(crate) type App = State<Arc<Shared>>;
pub(crate) type Known = Extension<Caller>;
pub(crate) type Reply = Result<Response, Problem>;

/// Every path, behind the middleware for the bound address. `draining` says whether the server is going away.
pub(crate) fn router(
    shared: Arc<Shared>,
    bound: SocketAddr,
    draining: tokio_util::sync::CancellationToken,
) -> Router {
    let Shared { authorizer, log, options, refusals, .. } = &*shared;
    let layer = Middleware {
        hosts: Hosts::of(bound, options),
        authorizer: Arc::clone(authorizer),
        log: Arc::clone(log),
        refusals: refusals.clone(),
    };
    let ready = move |State(shared): App| readyz(shared, draining.is_cancelled());
    Router::new()
        .route("/v1/ask", post(ask))
        .route("/v1/audit", get(list_records))
        .route("/v1/audit/{id}", get(show_record))
        .route("/errors/{code}", get(documents::error_page))
        .route("/openapi.json", get(documents::openapi))
        .route("/healthz", get(async || json_response(StatusCode::OK, &api::Alive { status: "alive" })))
        .route("/readyz", get(ready))
        .route("/metrics", get(metrics))
        .merge(console::routes())
        .merge(crate::checks::routes())
        .merge(crate::library::routes())
        .merge(crate::receipts::routes())
        .merge(crate::reviews::routes())
        .merge(crate::runs::routes())
        .merge(crate::sign_in::routes())
        .merge(crate::who::routes())
        .merge(compat::routes())
        .fallback(not_found)
        .layer(axum::middleware::from_fn_with_state(layer, handle))
        .with_state(shared)
}

pub(crate) fn context(options: &Options, caller: Caller) -> Context {
    Context::new(caller.identity, seconds(options.request_seconds)).with_request_id(&caller.request_id)
}

async fn ask(
    State(shared): App,
    Extension(tag): Extension<RequestTag>,
    Extension(caller): Extension<Caller>,
    request: Request,
) -> Reply {
    let (head, body) = request.into_parts();
    body::json_only(&head.headers)?;
    let bytes = body::read(&head.headers, body, &shared.options).await?;
    let Ask { mut question, stream } = body::parsed(bytes, Ask::parse).await?;
    repeat::named(&mut question, repeat::key(&head.headers)?)?;
    if stream.unwrap_or_else(|| accepts_events(&head.headers)) {
        let last = repeat::last_event(&question, &head.headers)?;
        let events = shared.asking.ask_stream(caller, &question, Delivery::Verified).await?;
        let events = repeat::resumed(events, last).map(move |event| {
            let (name, data) = api::Event::new(&event, &tag.0).parts();
            Ok::<_, Infallible>(
                Event::default().event(name).id(event.sequence.to_string()).data(data.to_string()),
            )
        });
        let alive = KeepAlive::new().interval(seconds(shared.options.keep_alive_seconds));
        return Ok(Sse::new(events).keep_alive(alive).into_response());
    }
    let answer = shared.asking.ask(caller, &question).await?;
    settled(&answer, &tag)
}

fn accepts_events(headers: &HeaderMap) -> bool {
    headers
        .get_all(header::ACCEPT)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .any(|kind| {
            kind.split(';').next().is_some_and(|kind| kind.trim().eq_ignore_ascii_case("text/event-stream"))
        })
}

/// A settled answer: 200, a rejection 422, and a failure that the router settled as one is a problem.
fn settled(answer: &Answer, tag: &RequestTag) -> Reply {
    if let Some(body) = api::Rejected::new(answer, &tag.0) {
        return Ok(json_response(StatusCode::UNPROCESSABLE_ENTITY, &body));
    }
    match (&answer.failure, answer.outcome) {
        (Some(failure), Outcome::Refused | Outcome::Failed | Outcome::Cancelled | Outcome::Aborted) => {
            Err(Problem::from(failure.clone()).with_audit(answer.audit_id.to_string()))
        }
        _ => Ok(json_response(StatusCode::OK, &api::Answer::from(answer))),
    }
}

pub(crate) type Parsed = Result<Query<BTreeMap<String, String>>, QueryRejection>;

pub(crate) fn parameters(parsed: Parsed) -> Result<Parameters, Failure> {
    match parsed {
        Ok(Query(map)) => Ok(Parameters::new(map)),
        Err(rejection) => {
            let text = format!("the parameters cannot be read: {}", rejection.body_text());
            Err(Failure::new(Code::InvalidArgument, text).field("parameters"))
        }
    }
}

async fn list_records(State(shared): App, caller: Known, parsed: Parsed) -> Reply {
    let mut given = parameters(parsed)?;
    let filter = RecordFilter {
        page_size: given.number("limit", 1000)?,
        page_token: given.text("page_token"),
        outcome: given.name("outcome", Outcome::from_name, Outcome::ALL)?,
        verdicts: given.names("verdict", Verdict::from_name, Verdict::ALL)?,
        query_type: given.name("query_type", QueryType::from_name, QueryType::ALL)?,
        session_id: given.text("session"),
        principal: given.text("principal"),
        from_unix_ms: given.moment("from_ms")?,
        until_unix_ms: given.moment("until_ms")?,
        text: given.text("text"),
    };
    given.done()?;
    let context = context(&shared.options, caller.0);
    let (records, next) = context.within(shared.records.list(&context, &filter)).await??;
    let records = records.iter().map(shape).collect();
    let next_page_token = Some(next.as_str()).filter(|token| !token.is_empty());
    Ok(json_response(StatusCode::OK, &api::Records { records, next_page_token }))
}

async fn show_record(State(shared): App, caller: Known, Path(id): Path<String>, headers: HeaderMap) -> Reply {
    let id = audit_id(&id)?;
    let context = context(&shared.options, caller.0);
    let stored = context.within(shared.records.get(&context, id)).await??;
    Ok(repeat::tagged(&headers, &shape(&stored))?)
}

pub(crate) fn shape(stored: &Stored) -> api::Stored<'_> {
    api::Stored {
        record: api::Record::from(&stored.record),
        receipt: stored.receipt.as_ref().map(api::Receipt::from),
        payload_erased: stored.payload_erased,
        notes: stored.notes.iter().map(api::Note::from).collect(),
    }
}

/// Ready means that this process can work; peers that do not answer are named and make it degraded, not unready.
async fn readyz(shared: Arc<Shared>, draining: bool) -> Reply {
    if draining {
        return Err(Problem::new(Code::Unavailable, "the server is draining; it takes no new work"));
    }
    let peers = shared.health.peers().await;
    let degraded: Vec<&str> = peers.iter().filter(|(_, serving)| !serving).map(|(name, _)| *name).collect();
    let status = if degraded.is_empty() { "ready" } else { "degraded" };
    Ok(json_response(StatusCode::OK, &api::Ready { status, degraded }))
}

async fn metrics(State(shared): App, headers: HeaderMap) -> Response {
    let accept = headers.get(header::ACCEPT).and_then(|value| value.to_str().ok());
    let Exposition { content_type, body } = (shared.metrics)(accept);
    ([(header::CONTENT_TYPE, content_type)], body).into_response()
}

async fn not_found(request: Request) -> Problem {
    let text = format!("there is nothing at {}; the console is at /", request.uri().path());
    Failure::new(Code::NotFound, text).field("path").into()
}
