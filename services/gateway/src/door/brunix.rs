//! The protocol of an older assistant over answers that were checked.
//!
//! Its clients cannot take back what they were sent: text is held until the verdict. They show nothing but the text, so
//! a rejected answer says so behind what stands of it.

use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::Arc;

use assay_domain::question::{Delivery, limits};
use assay_domain::{Answer, Code, Failure, QueryType, Question, SessionId};
use assay_proto::brunix::assistance_engine_server::AssistanceEngine;
use assay_proto::brunix::{AgentRequest, AgentResponse, AgentSource, EvalRequest, EvalResponse};
use assay_rpc::Context;
use assay_wire::to_status;
use base64::Engine as _;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use futures::{Stream, StreamExt as _, stream};
use tonic::{Request, Response, Status};

use super::status;
use crate::authorize::Caller;
use crate::body::named;
use crate::compat::{Delivered, End, Held};
use crate::options::seconds;
use crate::ports::Evaluated;
use crate::problem::Problem;
use crate::shared::Shared;

/// Full name of the service.
pub(super) const NAME: &str = assay_proto::brunix::assistance_engine_server::SERVICE_NAME;

/// Serves the protocol.
pub(super) struct Brunix(Arc<Shared>);

type Messages = Pin<Box<dyn Stream<Item = Result<AgentResponse, Status>> + Send>>;

impl Brunix {
    pub(super) fn new(shared: Arc<Shared>) -> Self {
        Self(shared)
    }

    /// What was asked for, or the status of its refusal, which leaves a record.
    async fn known<T>(&self, caller: &Caller, asked: Result<T, Problem>) -> Result<T, Status> {
        match asked {
            Ok(asked) => Ok(asked),
            Err(problem) => Err(status(&self.0.refusals.recorded(caller, problem).await)),
        }
    }
}

#[tonic::async_trait]
impl AssistanceEngine for Brunix {
    type AskAgentStream = Messages;
    type AskAgentStreamStream = Messages;

    async fn ask_agent(&self, request: Request<AgentRequest>) -> Result<Response<Messages>, Status> {
        let caller = caller(&request)?;
        let answer = async {
            let question = question(request.into_inner())?;
            Ok(self.0.asking.ask(caller.clone(), &question).await?)
        };
        let answer = self.known(&caller, answer.await).await?;
        let delivered = delivered(answer, Vec::new()).map_err(|problem| status(&problem))?;
        let text = delivered.text();
        Ok(Response::new(stream::iter([Ok(last(text, &delivered))]).boxed()))
    }

    async fn ask_agent_stream(&self, request: Request<AgentRequest>) -> Result<Response<Messages>, Status> {
        let caller = caller(&request)?;
        let events = async {
            let question = question(request.into_inner())?;
            Ok(self.0.asking.ask_stream(caller.clone(), &question, Delivery::Held).await?)
        };
        let events = self.known(&caller, events.await).await?;
        let patience = seconds(self.0.options.keep_alive_seconds);
        let held = Held::begin(events, patience).await.map_err(|problem| status(&problem))?;
        Ok(Response::new(
            stream::once(async move { messages(held.end().await) }).flat_map(stream::iter).boxed(),
        ))
    }

    async fn evaluate_rag(&self, request: Request<EvalRequest>) -> Result<Response<EvalResponse>, Status> {
        let context = Context::from_request(&request).map_err(|failure| to_status(&failure))?;
        let EvalRequest { golden, collection, repetitions } = request.into_inner();
        let evaluated = match golden.trim() {
            "" => Err(Failure::new(Code::InvalidArgument, "`golden` holds no question; send JSON Lines")
                .field("golden")),
            _ => self.0.evaluations.run(&context, &golden, &collection, repetitions).await,
        };
        let evaluated = evaluated.map_err(|failure| to_status(&failure))?;
        Ok(Response::new(evaluation(evaluated).map_err(|failure| to_status(&failure))?))
    }
}

/// The figures of a report.
fn evaluation(evaluated: Evaluated) -> Result<EvalResponse, Failure> {
    #[derive(serde::Deserialize)]
    struct Report {
        standing: String,
        answers: u32,
        figures: BTreeMap<String, Figure>,
    }
    #[derive(serde::Deserialize)]
    struct Figure {
        value: Option<f64>,
    }
    let report: Report = serde_json::from_str(&evaluated.report_json)
        .map_err(|error| Failure::internal(format!("the report cannot be read: {error}")))?;
    let figures = report.figures.into_iter();
    Ok(EvalResponse {
        standing: report.standing,
        missing_for_binding: evaluated.missing_for_binding,
        answers: report.answers,
        figures: figures.filter_map(|(name, figure)| Some((name, figure.value?))).collect(),
        report_json: evaluated.report_json,
    })
}

/// Who asks, as the admission found out.
fn caller<T>(request: &Request<T>) -> Result<Caller, Status> {
    let context = Context::from_request(request).map_err(|failure| to_status(&failure))?;
    let id = request.metadata().get("x-request-id").and_then(|value| value.to_str().ok()).unwrap_or_default();
    Ok(Caller { identity: context.identity().clone(), request_id: id.into() })
}

/// A question; `user_info` is not read, for it is no identity.
fn question(request: AgentRequest) -> Result<Question, Problem> {
    let words = request.query.chars().take(limits::QUERY_CHARS).collect();
    read(request).map_err(|failure| Problem::from(failure).about(words))
}

fn read(request: AgentRequest) -> Result<Question, Failure> {
    let mut question = Question::new(request.query);
    if !request.session_id.is_empty() {
        question.session = Some(SessionId::parse(&request.session_id).ok_or_else(|| {
            let limit = SessionId::MAX_CHARS;
            let text = format!("a session id has 1 to {limit} characters without control characters");
            Failure::new(Code::InvalidArgument, text).field("session_id")
        })?);
    }
    question.editor_content = decoded("editor_content", &request.editor_content)?;
    question.selected_text = decoded("selected_text", &request.selected_text)?;
    question.extra_context = decoded("extra_context", &request.extra_context)?;
    if !request.query_type.is_empty() {
        let name = request.query_type.to_ascii_uppercase();
        question.declared_type = Some(named("query_type", &name, QueryType::from_name, QueryType::ALL)?);
    }
    question.check_limits()?;
    Ok(question)
}

/// Base64 with or without padding, of either alphabet, in one line or several.
fn decoded(field: &str, text: &str) -> Result<String, Failure> {
    const LENIENT: GeneralPurpose = GeneralPurpose::new(
        &STANDARD,
        GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
    );
    let wrong =
        |what: &str| Failure::new(Code::InvalidArgument, format!("`{field}` is no {what}")).field(field);
    // Four characters stand for three bytes; a text that is far too long is not decoded first.
    if text.len() > 2 * limits::EDITOR_BYTES {
        let text = format!("{field} has {} characters of base64; that is too much", text.len());
        return Err(Failure::new(Code::PayloadTooLarge, text).field(field));
    }
    let plain: Vec<u8> = text
        .bytes()
        .filter(|byte| !byte.is_ascii_whitespace())
        .map(|byte| match byte {
            b'-' => b'+',
            b'_' => b'/',
            other => other,
        })
        .collect();
    let bytes = LENIENT.decode(plain).map_err(|_| wrong("base64"))?;
    String::from_utf8(bytes).map_err(|_| wrong("base64 of UTF-8"))
}

fn delivered(answer: Answer, pieces: Vec<String>) -> Result<Delivered, Problem> {
    let mut delivered = Delivered::of(answer, pieces)?;
    delivered.say_the_notice();
    Ok(delivered)
}

/// The messages of a held answer: its pieces, then one without text that says everything else.
fn messages(end: End) -> Vec<Result<AgentResponse, Status>> {
    let settled = match end {
        End::Settled(answer, pieces) => delivered(*answer, pieces),
        End::Failed(failure) => Err(failure.into()),
    };
    match settled {
        Ok(delivered) => {
            let piece = |text: &String| Ok(AgentResponse { text: text.clone(), ..AgentResponse::default() });
            let last = Ok(last(String::new(), &delivered));
            delivered.pieces.iter().map(piece).chain([last]).collect()
        }
        Err(problem) => vec![Err(status(&problem))],
    }
}

fn last(text: String, delivered: &Delivered) -> AgentResponse {
    let answer = &delivered.answer;
    let sources = (1..).zip(&answer.sources).map(|(number, hit)| AgentSource {
        number,
        path: hit.source.path.clone(),
        first_line: hit.source.lines.first,
        last_line: hit.source.lines.last,
        title: hit.source.title.clone(),
        sha256: hit.source.sha256.clone(),
        kind: hit.source.kind.as_str().to_owned(),
    });
    AgentResponse {
        text,
        avap_code: first_avap(answer, &delivered.text()),
        is_final: true,
        validation_status: answer.validation_status.as_str().to_owned(),
        audit_id: answer.audit_id.to_string(),
        outcome: answer.outcome.to_string(),
        verdict: answer.verdict.map(|verdict| verdict.to_string()).unwrap_or_default(),
        code_status: answer.code_status.as_str().to_owned(),
        query_type: answer.route.query_type.to_string(),
        grounding: answer.grounding.to_string(),
        audit_state: answer.audit.to_string(),
        sources: sources.collect(),
        warnings: answer.warnings.clone(),
    }
}

/// The first AVAP block of what is delivered: as the report found it, or without a report the first fence that says so.
fn first_avap(answer: &Answer, delivered: &str) -> String {
    if let Some(report) = &answer.report {
        let blocks = report.blocks.iter().map(|parsed| &parsed.block);
        let avap = blocks.filter(|block| block.language.eq_ignore_ascii_case("avap"));
        let found = avap.map(|block| &block.code).find(|code| delivered.contains(code.trim_end()));
        return found.cloned().unwrap_or_default();
    }
    let mut lines = delivered.lines();
    if !lines.any(|line| line.trim_end().eq_ignore_ascii_case("```avap")) {
        return String::new();
    }
    let code: Vec<&str> = lines.take_while(|line| !line.starts_with("```")).collect();
    code.join("\n") + if code.is_empty() { "" } else { "\n" }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn usual_base64_is_read_and_other_text_names_its_field() {
        for text in ["w7EgPz8/Pg==", "w7EgPz8/Pg", "w7EgPz8_Pg", "w7Eg\nPz8/\r\nPg=="] {
            assert_eq!(decoded("editor_content", text).unwrap(), "ñ ???>", "{text}");
        }
        assert_eq!(decoded("editor_content", "").unwrap(), "");
        for text in ["plain text!", "w7E=g", "//8="] {
            let failure = decoded("selected_text", text).unwrap_err();
            assert_eq!(
                (failure.code, failure.field.as_str()),
                (Code::InvalidArgument, "selected_text"),
                "{text}"
            );
        }
    }

    #[test]
    fn user_info_is_read_by_nobody_and_the_rest_is() {
        let request = AgentRequest {
            query: "q".into(),
            session_id: "s".into(),
            extra_context: "eA==".into(),
            user_info: "{\"roles\": [\"admin\"]}".into(),
            query_type: "retrieval".into(),
            ..AgentRequest::default()
        };
        let read = question(request).unwrap();
        let mut expected = Question::new("q");
        expected.session = SessionId::parse("s");
        expected.extra_context = "x".into();
        expected.declared_type = Some(QueryType::Retrieval);
        assert_eq!(read, expected);
        for (request, field) in [
            (AgentRequest::default(), "query"),
            (
                AgentRequest { query: "q".into(), query_type: "SEARCH".into(), ..Default::default() },
                "query_type",
            ),
            (
                AgentRequest { query: "q".into(), session_id: "a\n".into(), ..Default::default() },
                "session_id",
            ),
        ] {
            assert_eq!(question(request).unwrap_err().failure.field, field);
        }
    }
}
