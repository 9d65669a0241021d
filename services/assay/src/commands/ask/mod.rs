//! `assay ask`: the main job.

mod args;

pub use args::Ask;

use std::sync::Arc;

use assay_api as api;
use assay_domain::answer::EventBody;
use assay_domain::{Answer, AnswerEvent, Code, Failure, Outcome, QueryType, Question, SessionId};
use assay_proto::router as wire;
use assay_wire::{FromWire as _, ToWire as _};
use futures::StreamExt as _;
use serde_json::{Value, json};

use crate::batch;
use crate::clients::{BUDGET, Clients, LONG_BUDGET, failure};
use crate::exit;
use crate::flags::Global;
use crate::output;

/// A line of a batch.
#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    #[serde(default, rename = "id")]
    _id: Value,
    query: String,
    #[serde(default)]
    session: String,
    #[serde(default)]
    query_type: String,
    #[serde(default)]
    extra_context: String,
}

const FIELDS: &[&str] = &["id", "query", "session", "query_type", "extra_context"];

/// Runs the command.
///
/// # Errors
/// What the services say.
pub async fn run(global: &Global, args: &Ask, clients: &Clients) -> Result<u8, Failure> {
    if let Some(path) = &args.jsonl {
        return batch(args, clients, path).await;
    }
    let question = question(args)?;
    if args.explain {
        return explain(global, clients, &question).await;
    }
    let (answer, followed) = if args.stream {
        stream(global, clients, &question).await?
    } else {
        (ask(clients, &question).await?, String::new())
    };
    if global.json {
        println!("{:#}", json!(api::Answer::from(&answer)));
    } else {
        output::answer(&answer, &followed);
    }
    Ok(code(&answer))
}

fn question(args: &Ask) -> Result<Question, Failure> {
    let mut question = Question::new(args.query.clone().unwrap_or_default());
    question.declared_type = args.kind.map(Into::into);
    question.mode = args.mode.into();
    question.collection.clone_from(&args.collection);
    question.session = session(&args.session)?;
    if let Some(path) = &args.extra_context {
        question.extra_context = batch::read(path)?;
    }
    if let Some(path) = &args.editor_content {
        question.editor_content = batch::read(path)?;
    }
    question.check_limits()?;
    Ok(question)
}

fn session(text: &str) -> Result<Option<SessionId>, Failure> {
    if text.is_empty() {
        return Ok(None);
    }
    SessionId::parse(text).map(Some).ok_or_else(|| {
        let text = format!("a session id has 1 to {} printable characters", SessionId::MAX_CHARS);
        Failure::new(Code::InvalidArgument, text).field("session")
    })
}

/// Asks a question and waits for the settled answer.
///
/// # Errors
/// What the router says.
pub async fn ask(clients: &Clients, question: &Question) -> Result<Answer, Failure> {
    let request = wire::AskRequest { question: Some(question.to_wire()) };
    let reply = clients.router()?.ask(clients.context(BUDGET).request(request)).await.map_err(failure)?;
    let answer = reply.into_inner().answer.ok_or_else(|| Failure::internal("the router sent no answer"))?;
    Answer::from_wire(answer)
}

/// The settled answer, and the text that was shown while it came: text that nobody could check comes only with the
/// settled answer.
async fn stream(
    global: &Global,
    clients: &Clients,
    question: &Question,
) -> Result<(Answer, String), Failure> {
    let request = wire::AskStreamRequest {
        question: Some(question.to_wire()),
        delivery: wire::Delivery::Verified.into(),
    };
    let mut events = clients
        .router()?
        .ask_stream(clients.context(BUDGET).request(request))
        .await
        .map_err(failure)?
        .into_inner();
    let mut followed = String::new();
    while let Some(event) = events.next().await {
        let event = AnswerEvent::from_wire(event.map_err(failure)?)?;
        match &event.body {
            EventBody::Segment(text) => followed.push_str(text),
            EventBody::Retracted => followed.clear(),
            _ => {}
        }
        match event.body {
            EventBody::Settled(answer) => {
                return Ok((*answer, followed));
            }
            EventBody::Failed(failure) => return Err(failure),
            body if !global.json => output::event(&body),
            _ => {}
        }
    }
    Err(Failure::internal("the answer stream ended without an end"))
}

async fn explain(global: &Global, clients: &Clients, question: &Question) -> Result<u8, Failure> {
    let request = wire::ExplainRequest { question: Some(question.to_wire()) };
    let plan = clients
        .router()?
        .explain(clients.context(BUDGET).request(request))
        .await
        .map_err(failure)?
        .into_inner();
    if global.json {
        println!("{:#}", api::explained(&plan)?);
    } else {
        let route = plan.route.map(assay_domain::Route::from_wire).transpose()?;
        let hits = assay_wire::list_from_wire("sources", plan.sources)?;
        output::plan(route.as_ref(), &plan.search_query, &plan.steps, &plan.model_slot, &hits);
    }
    Ok(0)
}

async fn batch(args: &Ask, clients: &Clients, path: &std::path::Path) -> Result<u8, Failure> {
    let base = Arc::new((question_base(args)?, args.lenient_input));
    let router = clients.router()?;
    let context = clients.context(LONG_BUDGET);
    let totals = batch::run(path, "questions answered", |line| {
        let (base, mut router, context) = (Arc::clone(&base), router.clone(), context.capped(BUDGET));
        async move {
            let (base, lenient) = (&base.0, base.1);
            let line: Line = batch::decode(&line, lenient, FIELDS)?;
            let mut question = base.clone();
            question.text = line.query;
            if !line.session.is_empty() {
                question.session = session(&line.session).map_err(|f| f.message)?;
            }
            if !line.query_type.is_empty() {
                let kind = QueryType::from_name(&line.query_type);
                question.declared_type =
                    Some(kind.ok_or_else(|| format!("query_type: {:?} is no query type", line.query_type))?);
            }
            if !line.extra_context.is_empty() {
                question.extra_context = line.extra_context;
            }
            question.check_limits().map_err(|f| f.message)?;
            let request = wire::AskRequest { question: Some(question.to_wire()) };
            let reply = router.ask(context.request(request)).await.map_err(failure)?;
            let answer =
                reply.into_inner().answer.ok_or_else(|| Failure::internal("the router sent no answer"))?;
            Ok(json!(api::Answer::from(&Answer::from_wire(answer)?)))
        }
    })
    .await?;
    Ok(totals.code)
}

fn question_base(args: &Ask) -> Result<Question, Failure> {
    let mut base = Question::new("");
    base.declared_type = args.kind.map(Into::into);
    base.mode = args.mode.into();
    base.collection.clone_from(&args.collection);
    base.session = session(&args.session)?;
    if let Some(path) = &args.extra_context {
        base.extra_context = batch::read(path)?;
    }
    Ok(base)
}

fn code(answer: &Answer) -> u8 {
    match (&answer.failure, answer.outcome) {
        (Some(failure), Outcome::Failed | Outcome::Refused) => crate::exit::code(failure),
        _ => exit::of_verdict(answer.verdict),
    }
}
