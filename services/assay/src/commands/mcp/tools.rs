//! The tools: what each takes, what it gives, and how it says that to an assistant.

use std::fmt::Write as _;

use assay_api as api;
use assay_domain::answer::EventBody;
use assay_domain::report::CheckStatus;
use assay_domain::{
    Answer, AnswerEvent, BlockStatus, Code, Failure, Hit, Mode, Named as _, QueryType, Question, Record,
    Report, SessionId,
};
use assay_proto::parser::ParseOptions;
use assay_proto::{audit, retrieval, router};
use assay_wire::{FromWire as _, ToWire as _};
use futures::StreamExt as _;
use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::sync::mpsc;

use crate::clients::{BUDGET, Clients, failure};
use crate::commands::audit::explanation;
use crate::commands::check::check as checked;
use crate::commands::parse::{Parsed, parse as parsed};

/// Hits of a search unless its caller says otherwise.
const HITS: u32 = 8;

/// What a tool gives.
pub(super) struct Done {
    /// For the assistant to read.
    pub(super) text: String,
    /// The same as data.
    pub(super) object: Value,
}

/// Why a tool gives nothing.
pub(super) enum Trouble {
    /// There is no such tool, or it does not take these arguments.
    Call(String),
    /// What the services say.
    Failed(Failure),
}

impl From<Failure> for Trouble {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

/// Where a tool says how far it is.
pub(super) struct Telling(mpsc::UnboundedSender<String>);

impl Telling {
    pub(super) fn new() -> (Self, mpsc::UnboundedReceiver<String>) {
        let (sender, receiver) = mpsc::unbounded_channel();
        (Self(sender), receiver)
    }

    fn say(&self, message: impl Into<String>) {
        // Nobody listens any more where the call was cancelled.
        let _ = self.0.send(message.into());
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Ask {
    /// The question, as a whole sentence.
    query: String,
    /// Collection to search; absent for the default one.
    #[serde(default)]
    collection: String,
    /// `RETRIEVAL`, `CODE_GENERATION`, `CONVERSATIONAL` or `PLATFORM`; absent lets Assay decide.
    query_type: Option<String>,
    /// `STRICT` withholds what fails its checks, `LENIENT` shows it with warnings.
    mode: Option<String>,
    /// Conversation to continue; a new id begins one.
    session: Option<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Search {
    /// Words to search for.
    query: String,
    /// Collection to search; absent for the default one.
    #[serde(default)]
    collection: String,
    /// Most hits, 1 to 50; 8 unless given.
    limit: Option<u32>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct AuditShow {
    /// Id of an answer, a UUID.
    id: String,
}

/// Hits of a search.
#[derive(Debug, serde::Serialize, JsonSchema)]
struct Found<'a> {
    /// Best first.
    hits: Vec<api::Hit<'a>>,
    /// Parts of the search that could not be used.
    degraded: &'a [String],
}

fn schema<T: JsonSchema>(sent: bool) -> JsonObject {
    let settings = SchemaSettings::draft2020_12();
    let settings = if sent { settings.for_serialize() } else { settings };
    let schema = settings.into_generator().into_root_schema_for::<T>();
    match schema.to_value() {
        Value::Object(mut schema) => {
            schema.insert("type".into(), json!("object"));
            schema
        }
        _ => JsonObject::new(),
    }
}

fn tool<In: JsonSchema, Out: JsonSchema>(
    name: &'static str,
    title: &'static str,
    what: &'static str,
) -> Tool {
    let hints =
        ToolAnnotations::with_title(title).read_only(name != "ask").destructive(false).open_world(false);
    let mut tool = Tool::new(name, what, schema::<In>(false));
    tool.title = Some(title.to_owned());
    tool.output_schema = Some(schema::<Out>(true).into());
    tool.annotations = Some(hints);
    tool
}

/// Every tool.
pub(super) fn all() -> Vec<Tool> {
    vec![
        tool::<Ask, api::Answer<'_>>(
            "ask",
            "Ask the documentation",
            "Answers a question from the indexed documentation and code, with citations and a verdict of its checks.",
        ),
        tool::<Search, Found<'_>>(
            "search",
            "Search the documentation",
            "Finds passages of the indexed documentation and code, without writing an answer.",
        ),
        tool::<api::ToCheck, api::Checked<'_>>(
            "check",
            "Check an answer",
            "Compares an answer with the sources that it was made from, claim by claim, and parses its code.",
        ),
        tool::<api::ToParse, api::Parsed<'_>>(
            "parse",
            "Parse a program",
            "Validates a program with the parser of its language, AVAP unless another is named.",
        ),
        tool::<AuditShow, api::Stored<'_>>(
            "audit_show",
            "Show a record",
            "Shows the audit record of an answer, and says in plain words why it was given or withheld.",
        ),
    ]
}

/// Calls a tool. Dropping the future cancels the work.
///
/// # Errors
/// A wrong call; what the services say.
pub(super) async fn call(
    clients: &Clients,
    name: &str,
    arguments: JsonObject,
    telling: &Telling,
) -> Result<Done, Trouble> {
    let done = match name {
        "ask" => ask(clients, given(arguments)?, telling).await,
        "search" => search(clients, given(arguments)?).await,
        "check" => check(clients, given(arguments)?).await,
        "parse" => parse(clients, given(arguments)?).await,
        "audit_show" => audit_show(clients, given(arguments)?).await,
        _ => return Err(Trouble::Call(format!("there is no tool {name:?}"))),
    };
    Ok(done?)
}

fn given<T: DeserializeOwned>(arguments: JsonObject) -> Result<T, Trouble> {
    serde_json::from_value(Value::Object(arguments))
        .map_err(|error| Trouble::Call(format!("the arguments: {error}")))
}

fn named<T>(
    field: &str,
    given: Option<&str>,
    read: impl Fn(&str) -> Option<T>,
    names: &[&str],
) -> Result<Option<T>, Failure> {
    let Some(text) = given.filter(|text| !text.is_empty()) else { return Ok(None) };
    read(&text.to_ascii_uppercase()).map(Some).ok_or_else(|| {
        let text = format!("{text:?} is not one of {}", names.join(", "));
        Failure::new(Code::InvalidArgument, text).field(field)
    })
}

async fn ask(clients: &Clients, given: Ask, telling: &Telling) -> Result<Done, Failure> {
    let mut question = Question::new(given.query);
    question.collection = given.collection;
    question.declared_type =
        named("query_type", given.query_type.as_deref(), QueryType::from_name, QueryType::NAMES)?;
    question.mode =
        named("mode", given.mode.as_deref(), Mode::from_name, Mode::NAMES)?.unwrap_or(Mode::Strict);
    question.session = match given.session.as_deref().filter(|text| !text.is_empty()) {
        None => None,
        Some(text) => Some(SessionId::parse(text).ok_or_else(|| {
            let text = "a session id has 1 to 128 characters without control characters";
            Failure::new(Code::InvalidArgument, text).field("session")
        })?),
    };
    question.check_limits()?;
    let request = router::AskStreamRequest {
        question: Some(question.to_wire()),
        delivery: router::Delivery::Verified.into(),
    };
    let context = clients.context(BUDGET);
    let mut events =
        clients.router()?.ask_stream(context.request(request)).await.map_err(failure)?.into_inner();
    while let Some(event) = events.next().await {
        match AnswerEvent::from_wire(event.map_err(failure)?)?.body {
            EventBody::Routed { route, .. } => telling.say(format!("routed as {}", route.query_type)),
            EventBody::Sources(sources) => telling.say(format!("{} sources found", sources.len())),
            EventBody::Segment(_) => telling.say("writing and checking"),
            EventBody::Retracted => telling.say("the first draft failed its checks; writing again"),
            EventBody::Settled(answer) => {
                return Ok(Done { text: told(&answer), object: json!(api::Answer::from(&*answer)) });
            }
            EventBody::Failed(failure) => return Err(failure),
        }
    }
    Err(Failure::internal("the answer stream ended without an end"))
}

/// An answer in words: the text, the verdict, the sources, and what was not checked.
fn told(answer: &Answer) -> String {
    let mut out = String::new();
    match &answer.rejection {
        Some(rejection) => {
            let _ = writeln!(out, "REJECTED: {} {}", rejection.reason, rejection.suggestion);
            if !rejection.partial_response.is_empty() {
                let _ = writeln!(out, "\nWhat passed its checks:\n\n{}", rejection.partial_response);
            }
        }
        None => {
            let _ = writeln!(out, "{}", answer.text);
        }
    }
    let verdict = answer.verdict.map_or(String::new(), |verdict| format!(", verdict {verdict}"));
    let _ = writeln!(out, "\n{}{verdict}. Record: {}.", answer.outcome, answer.audit_id);
    for (number, hit) in (1..).zip(&answer.sources) {
        let _ = writeln!(out, "[{number}] {}", place(hit));
    }
    let unchecked = answer.report.iter().flat_map(|report| &report.checks);
    for check in unchecked.filter(|check| check.status == CheckStatus::NotChecked) {
        let _ = writeln!(out, "Not checked: {} ({}).", check.name, check.reason);
    }
    for warning in &answer.warnings {
        let _ = writeln!(out, "Warning: {warning}");
    }
    out
}

fn place(hit: &Hit) -> String {
    let source = &hit.source;
    let name = if source.path.is_empty() { &source.id } else { &source.path };
    format!("{name}:{}-{} {}", source.lines.first, source.lines.last, source.title)
}

async fn search(clients: &Clients, given: Search) -> Result<Done, Failure> {
    let request = retrieval::SearchRequest {
        query: given.query,
        collection: given.collection,
        mode: retrieval::SearchMode::Hybrid.into(),
        limit: given.limit.unwrap_or(HITS).clamp(1, 50),
        ..retrieval::SearchRequest::default()
    };
    let reply = clients.retrieval()?.search(clients.context(BUDGET).request(request)).await;
    let reply = reply.map_err(failure)?.into_inner();
    let hits: Vec<Hit> = assay_wire::list_from_wire("hits", reply.hits)?;
    let mut text = String::new();
    for (number, hit) in (1..).zip(&hits) {
        let _ = writeln!(text, "[{number}] {}\n{}\n", place(hit), hit.source.text);
    }
    if hits.is_empty() {
        text.push_str("Nothing was found.");
    }
    let found = Found { hits: hits.iter().map(api::Hit::from).collect(), degraded: &reply.degraded };
    Ok(Done { text, object: json!(found) })
}

async fn check(clients: &Clients, given: api::ToCheck) -> Result<Done, Failure> {
    let id = given.id.clone();
    let (open, answer) = given.open(api::ToCheck::alone())?;
    let start = assay_rpc::clock::now();
    let report = checked(clients.validation()?, clients.context(BUDGET), open, answer).await?;
    let took = assay_rpc::clock::elapsed_ms(start);
    Ok(Done { text: verdict(&report), object: json!(api::Checked::new(&id, &report, took)) })
}

/// A report in words: the verdict, each claim with its status, what failed or was not checked.
fn verdict(report: &Report) -> String {
    let mut out = format!("{}\n", report.verdict);
    for claim in report.claims.iter().filter(|claim| !claim.reason.is_empty()) {
        let _ = writeln!(out, "{}: {} ({})", claim.status, claim.text, claim.reason);
    }
    for finding in report.errors.iter().chain(&report.warnings) {
        let _ = writeln!(out, "{}: {}", finding.kind, finding.detail);
    }
    out
}

async fn parse(clients: &Clients, given: api::ToParse) -> Result<Done, Failure> {
    let api::ToParse { id, language, code } = given;
    let named = language.clone();
    let parsed =
        parsed(clients.parser()?, clients.context(BUDGET), language, code, ParseOptions::default()).await?;
    if parsed.status == BlockStatus::NoGrammar {
        return Err(api::ToParse::no_grammar(&named));
    }
    let Parsed { status, diagnostics: found, version, grammar_hash, .. } = &parsed;
    let valid = *status == BlockStatus::Valid;
    let mut text = format!("{}\n", if valid { "valid" } else { "INVALID" });
    for one in found {
        let _ = writeln!(text, "line {}, column {}: {} [{}]", one.line, one.column, one.message, one.code);
        if let Some(suggestion) = &one.suggestion {
            let _ = writeln!(text, "  write: {suggestion}");
        }
    }
    let object = api::Parsed::new(&id, status, found, version, grammar_hash);
    Ok(Done { text, object: json!(object) })
}

async fn audit_show(clients: &Clients, given: AuditShow) -> Result<Done, Failure> {
    let request = audit::GetRequest { audit_id: given.id };
    let reply = clients.audit()?.get(clients.context(BUDGET).request(request)).await;
    let reply = reply.map_err(failure)?.into_inner();
    let record = reply.record.clone().ok_or_else(|| Failure::internal("audit sent no record"))?;
    let record = Record::from_wire(record)?;
    let text = explanation(&record, &reply.notes, reply.payload_erased);
    let stored = api::Stored {
        record: api::Record::from(&record),
        receipt: reply.receipt.as_ref().map(api::Receipt::from),
        payload_erased: reply.payload_erased,
        notes: reply.notes.iter().map(api::Note::from).collect(),
    };
    Ok(Done { text, object: json!(stored) })
}
