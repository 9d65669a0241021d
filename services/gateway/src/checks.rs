//! The routes that check answers and programs of other systems; nothing of them is kept.

use std::sync::Arc;

use assay_api as api;
use assay_domain::question::Mode;
use assay_domain::{BlockStatus, Code, Failure, QueryType, Report};
use assay_proto::{parser, validation};
use assay_rpc::{Context, clock};
use assay_wire::ToWire as _;
use axum::Router;
use axum::extract::{Request, State};
use axum::response::Response;
use axum::routing::post;
use futures::{StreamExt as _, stream};
use http::StatusCode;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::body;
use crate::json;
use crate::ports::Checks;
use crate::problem::Problem;
use crate::routes::{App, Known, Reply, context};
use crate::shared::{Shared, json_response};

/// Most items of a batch.
const MOST_ITEMS: usize = 100;

/// Items of one request under way at once.
const AT_ONCE: usize = 4;

/// The routes.
pub(crate) fn routes() -> Router<Arc<Shared>> {
    Router::new().route("/v1/check", post(check)).route("/v1/parse", post(parse))
}

/// One item, or a batch of them.
enum Body {
    One(Value),
    Batch(Vec<Value>),
}

/// Reads a body: an item, or `{"batch": [items]}`.
async fn read(shared: &Shared, request: Request) -> Result<Body, Problem> {
    let (head, body) = request.into_parts();
    body::json_only(&head.headers)?;
    let bytes = body::read(&head.headers, body, &shared.options).await?;
    body::parsed(bytes, |bytes| items(json::object(bytes)?)).await
}

fn items(fields: Map<String, Value>) -> Result<Body, Failure> {
    if !fields.contains_key("batch") {
        return Ok(Body::One(Value::Object(fields)));
    }
    let api::Batch::<Value> { batch } = body::fields(fields)?;
    if (1..=MOST_ITEMS).contains(&batch.len()) {
        return Ok(Body::Batch(batch));
    }
    let text = format!("the batch has {} items; send 1 to {MOST_ITEMS}", batch.len());
    Err(Failure::new(Code::InvalidArgument, text).field("batch"))
}

/// The fields of an item.
fn item<T: DeserializeOwned>(value: Value) -> Result<T, Failure> {
    match value {
        Value::Object(fields) => body::fields(fields),
        _ => Err(Failure::new(Code::InvalidArgument, "an item is a JSON object").field("batch")),
    }
}

/// What the items say of themselves.
fn ids(items: &[Value]) -> Vec<Value> {
    items.iter().map(|item| item.get("id").cloned().unwrap_or_default()).collect()
}

async fn check(State(shared): App, caller: Known, request: Request) -> Reply {
    let body = read(&shared, request).await?;
    let _slot = shared.asking.permit(&caller.0)?;
    let context = context(&shared.options, caller.0);
    match body {
        Body::One(value) => {
            let id = value.get("id").cloned().unwrap_or_default();
            let (report, ms) = checked(&*shared.checks, &context, value).await?;
            Ok(json_response(StatusCode::OK, &api::Checked::new(&id, &report, ms)))
        }
        Body::Batch(values) => {
            let ids = ids(&values);
            let work = values.into_iter().map(|value| checked(&*shared.checks, &context, value));
            let done: Vec<_> = stream::iter(work).buffered(AT_ONCE).collect().await;
            Ok(results(&ids, &done, |id, (report, ms)| api::Checked::new(id, report, *ms)))
        }
    }
}

async fn checked(checks: &dyn Checks, context: &Context, value: Value) -> Result<(Report, f64), Failure> {
    let base = validation::Open {
        query_type: Some(QueryType::Retrieval).to_wire(),
        mode: Mode::Strict.to_wire(),
        attempt: assay_proto::common::Attempt::First.into(),
        sources_only: true,
        ..validation::Open::default()
    };
    let (open, answer) = item::<api::ToCheck>(value)?.open(base)?;
    let start = clock::now();
    let report = context.within(checks.check(context, open, answer)).await??;
    Ok((report, clock::elapsed_ms(start)))
}

/// A program as the parser sees it.
struct Program {
    status: BlockStatus,
    diagnostics: Vec<assay_domain::Diagnostic>,
    version: String,
    grammar_hash: String,
}

impl Program {
    fn shape<'a>(&'a self, id: &'a Value) -> api::Parsed<'a> {
        api::Parsed::new(id, &self.status, &self.diagnostics, &self.version, &self.grammar_hash)
    }
}

async fn parse(State(shared): App, caller: Known, request: Request) -> Reply {
    let body = read(&shared, request).await?;
    let _slot = shared.asking.permit(&caller.0)?;
    let context = context(&shared.options, caller.0);
    match body {
        Body::One(value) => {
            let id = value.get("id").cloned().unwrap_or_default();
            let program = parsed(&*shared.checks, &context, value).await?;
            Ok(json_response(StatusCode::OK, &program.shape(&id)))
        }
        Body::Batch(values) => {
            let ids = ids(&values);
            let work = values.into_iter().map(|value| parsed(&*shared.checks, &context, value));
            let done: Vec<_> = stream::iter(work).buffered(AT_ONCE).collect().await;
            Ok(results(&ids, &done, |id, program: &Program| program.shape(id)))
        }
    }
}

async fn parsed(checks: &dyn Checks, context: &Context, value: Value) -> Result<Program, Failure> {
    let api::ToParse { language, code, .. } = item(value)?;
    let programs = vec![parser::Program { language: language.clone(), code }];
    let request = parser::ParseRequest { programs, options: None };
    let reply = context.within(checks.parse(context, request)).await??;
    let program = reply.programs.into_iter().next();
    let program = program.ok_or_else(|| Failure::internal("the parser sent no result"))?;
    let status = assay_wire::block_status(program.state, String::new());
    if status == BlockStatus::NoGrammar {
        let text = format!("there is no grammar for {language:?}; `assay version` lists the languages");
        return Err(Failure::new(Code::InvalidArgument, text).field("language"));
    }
    Ok(Program {
        status,
        diagnostics: assay_wire::list_from_wire("diagnostics", program.diagnostics)?,
        version: reply.version,
        grammar_hash: reply.grammar_hash,
    })
}

/// The results of a batch, in its order.
fn results<'a, T, S: Serialize>(
    ids: &'a [Value],
    done: &'a [Result<T, Failure>],
    shape: impl Fn(&'a Value, &'a T) -> S,
) -> Response {
    let results = ids.iter().zip(done).map(|(id, outcome)| match outcome {
        Ok(found) => api::Outcome::Done(shape(id, found)),
        Err(failure) => api::Outcome::Failed(api::Failed::new(id.clone(), failure.clone())),
    });
    json_response(StatusCode::OK, &api::Results { results: results.collect() })
}
