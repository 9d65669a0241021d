//! The gRPC face: decode, call the service, encode.

use std::pin::Pin;
use std::task::Poll;

use assay_domain::answer::{AnswerEvent, Layer};
use assay_domain::question::limits::QUERY_CHARS;
use assay_domain::question::{Delivery, HistoryEntry};
use assay_domain::{AuditId, Code, Failure, QueryType, Question};
use assay_proto::router as wire;
use assay_proto::router::router_service_server::RouterService;
use assay_routing::HISTORY_KEPT;
use assay_rpc::{Context, task};
use assay_telemetry::names::metrics as names;
use assay_wire::{
    FromWire, ToWire as _, inside, list_from_wire, list_to_wire, metadata, required, to_status,
};
use futures::Stream;
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tokio_util::sync::{CancellationToken, DropGuard};
use tonic::{Request, Response, Status};

use crate::ports::Trace;
use crate::record::CheckedAnswer;
use crate::state::Router;

/// Events that wait for a slow client before the answer waits too.
const EVENTS: usize = 64;
/// Messages of one classification call.
const MAX_ITEMS: usize = 1024;
/// Bytes of a head that a caller sends along.
const MAX_HEAD_BYTES: usize = 8 * 1024 * 1024;

/// Serves [`Router`] over gRPC.
#[derive(Clone)]
pub(crate) struct Grpc(pub(crate) Router);

fn context<T>(request: &Request<T>) -> Result<Context, Status> {
    Context::from_request(request).map_err(|failure| to_status(&failure))
}

/// Refuses a classification request that is larger than any that is meant.
fn classifiable(request: &wire::ClassifyRequest) -> Result<(), Failure> {
    let refuse = |field: String, found: usize, what: &str, most: usize| {
        let text = format!("{field} has {found} {what}; at most {most} are accepted");
        Err(Failure::new(Code::InvalidArgument, text).field(field))
    };
    if request.items.len() > MAX_ITEMS {
        return refuse("items".into(), request.items.len(), "messages", MAX_ITEMS);
    }
    if request.head_json.len() > MAX_HEAD_BYTES {
        return refuse("head_json".into(), request.head_json.len(), "bytes", MAX_HEAD_BYTES);
    }
    for (index, item) in request.items.iter().enumerate() {
        let chars = item.text.chars().count();
        if chars > QUERY_CHARS {
            return refuse(format!("items[{index}].text"), chars, "characters", QUERY_CHARS);
        }
        if item.history.len() > HISTORY_KEPT {
            return refuse(format!("items[{index}].history"), item.history.len(), "entries", HISTORY_KEPT);
        }
    }
    Ok(())
}

/// The status of a failure that has its record.
fn recorded(failure: &Failure, audit_id: AuditId) -> Status {
    let mut status = to_status(failure);
    if let Ok(id) = audit_id.to_string().parse() {
        status.metadata_mut().insert(metadata::AUDIT_ID, id);
    }
    status
}

impl Grpc {
    /// The question, or the status of one that cannot be read; that too leaves its record.
    async fn question(
        &self,
        context: &Context,
        wire: Option<assay_proto::common::Question>,
    ) -> Result<Question, Status> {
        match required("question", wire) {
            Ok(question) => Ok(question),
            Err(failure) => Err(match self.0.refuse(context, failure.clone(), "", 1).await {
                Ok(audit_id) => recorded(&failure, audit_id),
                Err(worse) => to_status(&worse),
            }),
        }
    }

    async fn do_classify(
        &self,
        context: &Context,
        request: wire::ClassifyRequest,
    ) -> Result<wire::ClassifyResponse, Failure> {
        classifiable(&request)?;
        if !request.head_json.is_empty() {
            let texts: Vec<String> = request.items.into_iter().map(|item| item.text).collect();
            let found = self.0.head_alone(context, request.head_json, texts).await?;
            let items = found.into_iter().map(|one| wire::Classification {
                label: one.label,
                probability: one.prediction.probability(),
                in_scope: one.prediction.in_scope,
                layer: Layer::Classifier.to_wire(),
                accepted: one.prediction.in_scope != Some(false),
                because: "the given head alone".into(),
            });
            return Ok(wire::ClassifyResponse { items: items.collect() });
        }
        let mut items = Vec::with_capacity(request.items.len());
        let (mut spent, most) = (0, self.0.options.classify_model_calls);
        for (index, item) in request.items.into_iter().enumerate() {
            let named = |failure| inside(&format!("items[{index}]"), failure);
            let declared = Option::<QueryType>::from_wire(item.declared_type)
                .map_err(|failure| named(inside("declared_type", failure)))?;
            let history: Vec<HistoryEntry> = list_from_wire("history", item.history).map_err(named)?;
            let classified = self.0.classify(context, &item.text, declared, &history, spent < most).await?;
            spent += classified.model_calls;
            let route = classified.route;
            metrics::counter!(names::CLASSIFIED_TOTAL, "layer" => route.layer.as_str()).increment(1);
            items.push(wire::Classification {
                label: route.query_type.to_string(),
                probability: route.probability,
                in_scope: None,
                layer: route.layer.to_wire(),
                accepted: route.accepted,
                because: route.reason,
            });
        }
        Ok(wire::ClassifyResponse { items })
    }
}

/// The check of an answer of another system.
fn checked(request: wire::RecordCheckRequest) -> Result<CheckedAnswer, Failure> {
    Ok(CheckedAnswer {
        question: request.question,
        answer: request.answer,
        query_type: FromWire::from_wire(request.query_type)?,
        mode: FromWire::from_wire(request.mode)?,
        policy: request.policy,
        check_ms: request.check_ms,
        sources: assay_wire::list_from_wire("sources", request.sources)?,
        report: request.report.ok_or_else(|| assay_wire::missing("report")).and_then(FromWire::from_wire)?,
    })
}

/// Whose traces are to be erased.
fn trace(request: wire::ForgetRequest) -> Result<Trace, Failure> {
    use wire::forget_request::Whose;
    let filled = |field: &str, text: String| {
        if text.is_empty() { Err(assay_wire::missing(field)) } else { Ok(text) }
    };
    match request.whose {
        Some(Whose::Principal(principal)) => Ok(Trace::Principal(filled("principal", principal)?)),
        Some(Whose::SessionId(session)) => Ok(Trace::Session(filled("session_id", session)?)),
        Some(Whose::AuditId(id)) => AuditId::parse(&id).map(Trace::Request).ok_or_else(|| {
            Failure::new(Code::InvalidArgument, "an audit id is a version 7 UUID").field("audit_id")
        }),
        None => Err(assay_wire::missing("whose")),
    }
}

#[tonic::async_trait]
impl RouterService for Grpc {
    async fn ask(&self, request: Request<wire::AskRequest>) -> Result<Response<wire::AskResponse>, Status> {
        let context = context(&request)?;
        let question = self.question(&context, request.into_inner().question).await?;
        let gone = CancellationToken::new();
        // A caller that goes away drops this future and with it the guard; the request itself ends in its own task.
        let guard = gone.clone().drop_guard();
        let router = self.0.clone();
        let work =
            task::spawn(async move { router.ask(context, question, Delivery::Held, None, gone).await });
        let answer =
            work.await.map_err(|error| Status::internal(format!("the request was lost: {error}")))?;
        drop(guard.disarm());
        let answer = answer.map_err(|failure| to_status(&failure))?;
        if let Some(failure) = &answer.failure {
            return Err(recorded(failure, answer.audit_id));
        }
        Ok(Response::new(wire::AskResponse { answer: Some(answer.to_wire()) }))
    }

    type AskStreamStream = Pin<Box<dyn Stream<Item = Result<wire::AskStreamResponse, Status>> + Send>>;

    async fn ask_stream(
        &self,
        request: Request<wire::AskStreamRequest>,
    ) -> Result<Response<Self::AskStreamStream>, Status> {
        let context = context(&request)?;
        let request = request.into_inner();
        let delivery = Option::<Delivery>::from_wire(request.delivery)
            .map_err(|failure| to_status(&inside("delivery", failure)))?
            .unwrap_or(Delivery::Verified);
        let question = self.question(&context, request.question).await?;
        let (sender, receiver) = mpsc::channel(EVENTS);
        let gone = CancellationToken::new();
        let events = Events { events: ReceiverStream::new(receiver), _guard: gone.clone().drop_guard() };
        let router = self.0.clone();
        task::spawn(async move { router.ask(context, question, delivery, Some(sender), gone).await });
        Ok(Response::new(Box::pin(events)))
    }

    async fn explain(
        &self,
        request: Request<wire::ExplainRequest>,
    ) -> Result<Response<wire::ExplainResponse>, Status> {
        let context = context(&request)?;
        let result = async {
            let question: Question = required("question", request.into_inner().question)?;
            context.within(self.0.explain(&context, &question)).await?
        };
        let plan = result.await.map_err(|failure| to_status(&failure))?;
        Ok(Response::new(wire::ExplainResponse {
            route: Some(plan.route.to_wire()),
            search_query: plan.query,
            sources: list_to_wire(&plan.sources),
            model_slot: plan.model_slot,
            steps: plan.steps.into_iter().map(str::to_owned).collect(),
        }))
    }

    async fn classify(
        &self,
        request: Request<wire::ClassifyRequest>,
    ) -> Result<Response<wire::ClassifyResponse>, Status> {
        let context = context(&request)?;
        let work = self.do_classify(&context, request.into_inner());
        let result = context.within(work).await.and_then(|result| result);
        result.map(Response::new).map_err(|failure| to_status(&failure))
    }

    async fn describe(
        &self,
        _: Request<wire::DescribeRequest>,
    ) -> Result<Response<wire::DescribeResponse>, Status> {
        let settings = self.0.settings().into_iter().map(|(name, value)| (name.to_owned(), value));
        Ok(Response::new(wire::DescribeResponse { settings: settings.collect() }))
    }

    async fn forget(
        &self,
        request: Request<wire::ForgetRequest>,
    ) -> Result<Response<wire::ForgetResponse>, Status> {
        let context = context(&request)?;
        let result = async {
            let whose = trace(request.into_inner())?;
            context.within(self.0.forget(&context, &whose)).await?
        };
        let forgotten = result.await.map_err(|failure| to_status(&failure))?;
        let erased = forgotten.rows.into_iter().map(|(name, rows)| (name.to_owned(), rows)).collect();
        Ok(Response::new(wire::ForgetResponse {
            payloads: forgotten.payloads,
            erased,
            undelivered: forgotten.undelivered,
            backups: forgotten.backups,
        }))
    }

    async fn record_check(
        &self,
        request: Request<wire::RecordCheckRequest>,
    ) -> Result<Response<wire::RecordCheckResponse>, Status> {
        let context = context(&request)?;
        let checked = checked(request.into_inner()).map_err(|failure| to_status(&failure))?;
        let router = self.0.clone();
        // A caller that goes away must not leave the record half-written.
        let work = task::spawn(async move { router.record_check(&context, checked).await });
        let (audit_id, audit) = work
            .await
            .map_err(|error| Status::internal(format!("the record was lost: {error}")))?
            .map_err(|failure| to_status(&failure))?;
        Ok(Response::new(wire::RecordCheckResponse {
            audit_id: audit_id.to_string(),
            audit: audit.to_wire(),
        }))
    }

    async fn refuse(
        &self,
        request: Request<wire::RefuseRequest>,
    ) -> Result<Response<wire::RefuseResponse>, Status> {
        let context = context(&request)?;
        let request = request.into_inner();
        let code = Code::from_name(&request.code).ok_or_else(|| {
            let text = format!("`{}` is no error code", request.code.escape_debug());
            to_status(&Failure::new(Code::InvalidArgument, text).field("code"))
        })?;
        let (failure, count) = (Failure::new(code, request.detail), request.count.max(1));
        let router = self.0.clone();
        // A caller that goes away must not leave the record half-written.
        let work = task::spawn(async move { router.refuse(&context, failure, &request.query, count).await });
        let audit_id = work
            .await
            .map_err(|error| Status::internal(format!("the record was lost: {error}")))?
            .map_err(|failure| to_status(&failure))?;
        Ok(Response::new(wire::RefuseResponse { audit_id: audit_id.to_string() }))
    }
}

/// Events of an answer; dropping them tells the request that its client went away.
struct Events {
    events: ReceiverStream<AnswerEvent>,
    _guard: DropGuard,
}

impl Stream for Events {
    type Item = Result<wire::AskStreamResponse, Status>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut std::task::Context<'_>) -> Poll<Option<Self::Item>> {
        Pin::new(&mut self.events).poll_next(cx).map(|event| event.map(|event| Ok(event.to_wire())))
    }
}
