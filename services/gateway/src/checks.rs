//! The routes that check answers and programs of other systems; they leave a record only where one is wanted.

use std::sync::Arc;

use assay_api as api;
use assay_domain::report::{Check, CheckName, CheckStatus, Verdict};
use assay_domain::{BlockStatus, Code, Diagnostic, Failure, Mode, QueryType};
use assay_proto::router::RecordCheckRequest;
use assay_proto::{common, parser};
use assay_rpc::{Context, clock};
use assay_wire::ToWire as _;
use axum::Router;
use axum::extract::{Request, State};
use axum::routing::post;
use futures::{StreamExt as _, stream};
use http::StatusCode;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use crate::body;
use crate::json;
use crate::ports::Checks;
use crate::routes::{App, Known, Parsed, Reply, context, parameters};
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
    parsed: Parsed,
    request: Request,
    work: impl Fn(Work, Value) -> F,
) -> Reply {
    let mut given = parameters(parsed)?;
    let record = given.flag("record")?;
    given.done()?;
    let body = body::of(request, &shared.options, |bytes, _| items(json::object(bytes)?)).await?;
    let _slot = shared.asking.permit(&caller.0)?;
    let context = context(&shared.options, caller.0);
    let work = |value| work(Work { checks: shared.checks.clone(), context: context.clone(), record }, value);
    let values = match body {
        Body::One(value) => return Ok(json_response(StatusCode::OK, &work(value).await?)),
        Body::Batch(values) => values,
    };
    let each = values.into_iter().map(|value| {
        let id = value.get("id").cloned().unwrap_or_default();
        let done = work(value);
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

/// What the work on an item needs.
struct Work {
    checks: Arc<dyn Checks>,
    context: Context,
    /// Whether it leaves a record.
    record: bool,
}

impl Work {
    /// The result with its record; without one where none is wanted.
    async fn done<T: Serialize>(
        &self,
        result: T,
        check: impl FnOnce() -> RecordCheckRequest,
    ) -> Result<Value, Failure> {
        if !self.record {
            return Ok(json!(result));
        }
        let stored = self.checks.record_check(&self.context, check());
        let (audit_id, state) = self.context.within(stored).await??;
        Ok(json!(api::Recorded::new(result, audit_id, state)))
    }
}

async fn check(State(shared): App, caller: Known, parsed: Parsed, request: Request) -> Reply {
    answered(&shared, caller, parsed, request, checked).await
}

async fn checked(work: Work, value: Value) -> Result<Value, Failure> {
    let given: api::ToCheck = item(value)?;
    let id = given.id.clone();
    let (open, answer) = given.open(api::ToCheck::alone())?;
    let start = clock::now();
    let checking = work.checks.check(&work.context, open.clone(), answer.clone());
    let (report, policy) = work.context.within(checking).await??;
    let check_ms = clock::elapsed_ms(start);
    let record = || RecordCheckRequest {
        question: open.question,
        answer,
        query_type: open.query_type,
        mode: open.mode,
        policy,
        check_ms,
        sources: open.sources,
        report: Some(report.to_wire()),
    };
    work.done(api::Checked::new(&id, &report, check_ms), record).await
}

async fn parse(State(shared): App, caller: Known, parsed: Parsed, request: Request) -> Reply {
    answered(&shared, caller, parsed, request, parsed_program).await
}

async fn parsed_program(work: Work, value: Value) -> Result<Value, Failure> {
    let api::ToParse { id, language, code } = item(value)?;
    let programs = vec![parser::Program { language: language.clone(), code: code.clone() }];
    let request = parser::ParseRequest { programs, options: None };
    let start = clock::now();
    let reply = work.context.within(work.checks.parse(&work.context, request)).await??;
    let check_ms = clock::elapsed_ms(start);
    let program = reply.programs.into_iter().next();
    let program = program.ok_or_else(|| Failure::internal("the parser sent no result"))?;
    let status = assay_wire::block_status(program.state, String::new());
    if status == BlockStatus::NoGrammar {
        return Err(api::ToParse::no_grammar(&language));
    }
    let found: Vec<Diagnostic> = assay_wire::list_from_wire("diagnostics", program.diagnostics)?;
    let record = || RecordCheckRequest {
        answer: fenced(&language, &code),
        query_type: Some(QueryType::CodeGeneration).to_wire(),
        mode: Mode::Strict.to_wire(),
        check_ms,
        report: Some(report_of(&status)),
        ..RecordCheckRequest::default()
    };
    work.done(api::Parsed::new(&id, &status, &found, &reply.version, &reply.grammar_hash), record).await
}

/// A program as a block of Markdown, behind a fence that it does not hold itself.
fn fenced(language: &str, code: &str) -> String {
    let mut fence = "```".to_owned();
    while code.contains(&fence) {
        fence.push('`');
    }
    format!("{fence}{language}\n{code}\n{fence}")
}

/// The report of a program: the one check that it passed or failed, or that could not be made.
fn report_of(status: &BlockStatus) -> common::Report {
    let (verdict, outcome, reason) = match status {
        BlockStatus::Valid => (Verdict::Pass, CheckStatus::Passed, String::new()),
        BlockStatus::Invalid | BlockStatus::WrongLanguage(_) => {
            (Verdict::Reject, CheckStatus::Failed, String::new())
        }
        BlockStatus::Unavailable(reason) => (Verdict::Review, CheckStatus::NotChecked, reason.clone()),
        BlockStatus::NoGrammar | BlockStatus::Plain => {
            (Verdict::Review, CheckStatus::NotChecked, String::new())
        }
    };
    let check = Check { name: CheckName::CodeSyntax, status: outcome, reason, required: true };
    common::Report { verdict: verdict.to_wire(), checks: vec![check.to_wire()], ..common::Report::default() }
}
