//! The routes that check answers and programs of other systems; nothing of them is kept.

use std::sync::Arc;

use assay_api as api;
use assay_domain::{BlockStatus, Code, Diagnostic, Failure};
use assay_proto::parser;
use assay_rpc::{Context, clock};
use axum::Router;
use axum::extract::{Request, State};
use axum::routing::post;
use futures::{StreamExt as _, stream};
use http::StatusCode;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use crate::body;
use crate::json;
use crate::ports::Checks;
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

/// Answers one item with its result or its problem, and a batch with what became of each.
async fn answered<F: Future<Output = Result<Value, Failure>>>(
    shared: &Shared,
    caller: Known,
    request: Request,
    work: impl Fn(Context, Value) -> F,
) -> Reply {
    let body = body::of(request, &shared.options, |bytes, _| items(json::object(bytes)?)).await?;
    let _slot = shared.asking.permit(&caller.0)?;
    let context = context(&shared.options, caller.0);
    let values = match body {
        Body::One(value) => return Ok(json_response(StatusCode::OK, &work(context, value).await?)),
        Body::Batch(values) => values,
    };
    let each = values.into_iter().map(|value| {
        let id = value.get("id").cloned().unwrap_or_default();
        let done = work(context.clone(), value);
        async move {
            match done.await {
                Ok(result) => api::Outcome::Done(result),
                Err(failure) => api::Outcome::Failed(api::Failed::new(id, failure)),
            }
        }
    });
    let results = stream::iter(each).buffered(AT_ONCE).collect().await;
    Ok(json_response(StatusCode::OK, &api::Results { results }))
}

async fn check(State(shared): App, caller: Known, request: Request) -> Reply {
    answered(&shared, caller, request, |context, value| checked(&*shared.checks, context, value)).await
}

async fn checked(checks: &dyn Checks, context: Context, value: Value) -> Result<Value, Failure> {
    let given: api::ToCheck = item(value)?;
    let id = given.id.clone();
    let (open, answer) = given.open(api::ToCheck::alone())?;
    let start = clock::now();
    let report = context.within(checks.check(&context, open, answer)).await??;
    Ok(json!(api::Checked::new(&id, &report, clock::elapsed_ms(start))))
}

async fn parse(State(shared): App, caller: Known, request: Request) -> Reply {
    answered(&shared, caller, request, |context, value| parsed(&*shared.checks, context, value)).await
}

async fn parsed(checks: &dyn Checks, context: Context, value: Value) -> Result<Value, Failure> {
    let api::ToParse { id, language, code } = item(value)?;
    let programs = vec![parser::Program { language: language.clone(), code }];
    let request = parser::ParseRequest { programs, options: None };
    let reply = context.within(checks.parse(&context, request)).await??;
    let program = reply.programs.into_iter().next();
    let program = program.ok_or_else(|| Failure::internal("the parser sent no result"))?;
    let status = assay_wire::block_status(program.state, String::new());
    if status == BlockStatus::NoGrammar {
        return Err(api::ToParse::no_grammar(&language));
    }
    let found: Vec<Diagnostic> = assay_wire::list_from_wire("diagnostics", program.diagnostics)?;
    Ok(json!(api::Parsed::new(&id, &status, &found, &reply.version, &reply.grammar_hash)))
}
