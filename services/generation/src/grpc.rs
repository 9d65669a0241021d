//! The gRPC face: decode, call the service, encode.

use std::pin::Pin;

use assay_domain::draft::{ProviderCall, Spent};
use assay_domain::{Failure, QueryType, Question};
use assay_proto::generation::{self, generation_service_server::GenerationService};
use assay_rpc::Context;
use assay_wire::{FromWire as _, ToWire as _, list_from_wire, list_to_wire, metadata, required, to_status};
use futures::{Stream, StreamExt as _};
use prost::Message as _;
use tonic::metadata::MetadataValue;
use tonic::{Request, Response, Status};

use crate::ports::{DraftRequest, Turn};
use crate::service::{Assessment, DraftEvent, Generation};

/// Serves [`Generation`] over gRPC.
#[derive(Debug, Clone)]
pub(crate) struct Grpc(pub(crate) Generation);

fn turn(turn: generation::Turn) -> Result<Turn, Failure> {
    Ok(Turn {
        question: turn.question,
        answer: turn.answer,
        sources: list_from_wire("sources", turn.sources)?,
    })
}

fn decode(request: generation::DraftRequest) -> Result<DraftRequest, Failure> {
    let question: Question = required("question", request.question)?;
    let query_type: Option<QueryType> =
        Option::from_wire(request.query_type).map_err(|failure| assay_wire::inside("query_type", failure))?;
    let query_type = query_type.ok_or_else(|| assay_wire::missing("query_type"))?;
    Ok(DraftRequest {
        question: question.text,
        query_type,
        sources: list_from_wire("sources", request.sources)?,
        examples: list_from_wire("examples", request.examples)?,
        turns: request
            .turns
            .into_iter()
            .enumerate()
            .map(|(index, message)| {
                turn(message).map_err(|failure| assay_wire::inside(&format!("turns[{index}]"), failure))
            })
            .collect::<Result<_, _>>()?,
        extra_context: question.extra_context,
        rejected_draft: request.rejected_draft,
        retry_prompt: request.retry_prompt,
        context_relevant: request.context_relevant,
    })
}

fn assessment(request: generation::AssessRequest) -> Result<Assessment, Failure> {
    let sources = list_from_wire("sources", request.sources)?;
    let filled = |name: &str, text: String| {
        if text.trim().is_empty() { Err(assay_wire::missing(name)) } else { Ok(text) }
    };
    match generation::AssessTask::try_from(request.task) {
        Ok(generation::AssessTask::Support) if request.statements.is_empty() => {
            Err(assay_wire::missing("statements"))
        }
        Ok(generation::AssessTask::Support) => {
            Ok(Assessment::Support { statements: request.statements, sources })
        }
        Ok(generation::AssessTask::Questions) => {
            Ok(Assessment::Questions { answer: filled("answer", request.answer)? })
        }
        Ok(generation::AssessTask::Usefulness) => Ok(Assessment::Usefulness {
            question: filled("question", request.question)?,
            reference: filled("reference", request.reference)?,
            sources,
        }),
        Ok(generation::AssessTask::Unspecified) | Err(_) => Err(assay_wire::missing("task")),
    }
}

fn reply(part: generation::draft_response::Part) -> generation::DraftResponse {
    generation::DraftResponse { part: Some(part) }
}

/// The status of a draft that cannot be made.
fn failed(failure: &Failure, spent: Option<Box<Spent>>) -> Status {
    let mut status = to_status(failure);
    if let Some(spent) = spent {
        let spent = assay_proto::common::Draft {
            model_calls: spent.model_calls,
            prompts: list_to_wire(&spent.prompts),
            provider_trail: trail(&spent.provider_trail),
            ..Default::default()
        };
        let bytes = MetadataValue::from_bytes(&spent.encode_to_vec());
        status.metadata_mut().insert_bin(metadata::SPENT, bytes);
    }
    status
}

/// Events as messages; what was spent on a failure travels with its status.
fn messages(
    events: impl Stream<Item = Result<DraftEvent, Failure>> + Send,
) -> impl Stream<Item = Result<generation::DraftResponse, Status>> + Send {
    use generation::draft_response::Part;
    let mut spent = None;
    events.filter_map(move |event| {
        std::future::ready(match event {
            Ok(DraftEvent::Delta(text)) => Some(Ok(reply(Part::Delta(text)))),
            Ok(DraftEvent::Done(draft)) => Some(Ok(reply(Part::Done(draft.to_wire())))),
            Ok(DraftEvent::Spent(so_far)) => {
                spent = Some(so_far);
                None
            }
            Err(failure) => Some(Err(failed(&failure, spent.take()))),
        })
    })
}

fn trail(trail: &[ProviderCall]) -> Vec<assay_proto::common::ProviderCall> {
    list_to_wire(trail)
}

type Responses = Pin<Box<dyn Stream<Item = Result<generation::DraftResponse, Status>> + Send>>;

#[tonic::async_trait]
impl GenerationService for Grpc {
    type DraftStream = Responses;

    async fn draft(&self, request: Request<generation::DraftRequest>) -> Result<Response<Responses>, Status> {
        let context = Context::from_request(&request).map_err(|failure| to_status(&failure))?;
        let request = decode(request.into_inner()).map_err(|failure| to_status(&failure))?;
        let model = self.0.model(request.query_type).and_then(|model| model.parse().ok());
        let events = self.0.draft(request, context.remaining());
        let mut response: Response<Responses> = Response::new(Box::pin(messages(events)));
        if let Some(model) = model {
            response.metadata_mut().insert(metadata::MODEL, model);
        }
        Ok(response)
    }

    async fn reformulate(
        &self,
        request: Request<generation::ReformulateRequest>,
    ) -> Result<Response<generation::ReformulateResponse>, Status> {
        let context = Context::from_request(&request).map_err(|failure| to_status(&failure))?;
        let request = request.into_inner();
        if request.question.trim().is_empty() {
            return Err(to_status(&assay_wire::missing("question")));
        }
        let done = self
            .0
            .reformulate(&request.question, &request.hint, &request.referred_topic, context.remaining())
            .await;
        Ok(Response::new(generation::ReformulateResponse {
            query: done.text,
            model_calls: done.model_calls,
            prompts: list_to_wire(&done.prompts),
            provider_trail: trail(&done.trail),
        }))
    }

    async fn classify(
        &self,
        request: Request<generation::ClassifyRequest>,
    ) -> Result<Response<generation::ClassifyResponse>, Status> {
        let context = Context::from_request(&request).map_err(|failure| to_status(&failure))?;
        let request = request.into_inner();
        if request.labels.is_empty() {
            return Err(to_status(&assay_wire::missing("labels")));
        }
        let done = self.0.classify(&request.prompt, &request.labels, context.remaining()).await;
        Ok(Response::new(generation::ClassifyResponse {
            label: done.text,
            model_calls: done.model_calls,
            reason: done.reason,
        }))
    }

    async fn assess(
        &self,
        request: Request<generation::AssessRequest>,
    ) -> Result<Response<generation::AssessResponse>, Status> {
        let context = Context::from_request(&request).map_err(|failure| to_status(&failure))?;
        let request = request.into_inner();
        let model = request.model.clone();
        let asked = assessment(request).map_err(|failure| to_status(&failure))?;
        let done = self.0.assess(&model, &asked, context.remaining()).await;
        let done = done.map_err(|failure| to_status(&failure))?;
        let [prompt_tokens, completion_tokens] = done.tokens;
        Ok(Response::new(generation::AssessResponse {
            reply: done.text,
            reason: done.reason,
            prompts: list_to_wire(&done.prompts),
            prompt_tokens,
            completion_tokens,
        }))
    }

    async fn describe(
        &self,
        request: Request<generation::DescribeRequest>,
    ) -> Result<Response<generation::DescribeResponse>, Status> {
        Context::from_request(&request).map_err(|failure| to_status(&failure))?;
        let mut models = Vec::new();
        for model in request.into_inner().models {
            let version = self.0.version(&model).await.map_err(|failure| to_status(&failure))?;
            models.push(generation::DescribedModel { model, version });
        }
        let description = self.0.describe();
        Ok(Response::new(generation::DescribeResponse {
            main: description.main,
            conversational: description.conversational,
            prompts: list_to_wire(&description.prompts),
            has_model: description.has_model,
            temperature: self.0.temperature(),
            models,
        }))
    }
}
