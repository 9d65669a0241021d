//! Decode, run, encode.

use std::pin::Pin;

use assay_domain::{Code, Failure};
use assay_proto::evaluation::evaluate_rag_response::Part;
use assay_proto::evaluation::evaluation_service_server::EvaluationService;
use assay_proto::evaluation::{
    EvaluateRagRequest, EvaluateRagResponse, EvaluationReport, ItemResult, ScoreRequest, ScoreResponse,
};
use assay_rpc::{Context, task};
use assay_scoring::Manifest;
use assay_wire::to_status;
use futures::{Stream, StreamExt as _};
use serde::Serialize;
use tonic::{Request, Response, Status};

use crate::golden;
use crate::score::score;
use crate::service::{Evaluator, MOST_REPETITIONS, Order, Progress};

/// The service on the wire.
pub(crate) struct Grpc(pub(crate) Evaluator);

type Messages = Pin<Box<dyn Stream<Item = Result<EvaluateRagResponse, Status>> + Send>>;

#[tonic::async_trait]
impl EvaluationService for Grpc {
    type EvaluateRAGStream = Messages;

    async fn evaluate_rag(&self, request: Request<EvaluateRagRequest>) -> Result<Response<Messages>, Status> {
        let context = Context::from_request(&request).map_err(|failure| to_status(&failure))?;
        let wanted = request.into_inner();
        let items = match wanted.golden_jsonl.as_str() {
            "" => Ok(wanted.items),
            text => golden::read(text),
        };
        let golden = items.and_then(|items| golden::questions(&items, &wanted.collection));
        let golden = golden.map_err(|failure| to_status(&failure))?;
        let order = Order {
            golden,
            collection: wanted.collection,
            repetitions: repetitions(wanted.repetitions).map_err(|failure| to_status(&failure))?,
            judges: if wanted.judges.is_empty() { vec![Manifest::CHECKS.into()] } else { wanted.judges },
            done: wanted.done.into_iter().map(|done| (done.id, done.repetition)).collect(),
        };
        let messages = self.0.run(context.identity().clone(), order).map(|progress| {
            let part = progress.and_then(part).map_err(|failure| to_status(&failure))?;
            Ok(EvaluateRagResponse { part: Some(part) })
        });
        Ok(Response::new(messages.boxed()))
    }

    async fn score(&self, request: Request<ScoreRequest>) -> Result<Response<ScoreResponse>, Status> {
        let lines = request.into_inner().lines;
        let scored = task::blocking(move || score(&lines).and_then(|scored| json(&scored)));
        let report_json = scored.await.map_err(Failure::from).and_then(|scored| scored);
        Ok(Response::new(ScoreResponse { report_json: report_json.map_err(|failure| to_status(&failure))? }))
    }
}

fn repetitions(wanted: u32) -> Result<u32, Failure> {
    if wanted > MOST_REPETITIONS {
        let text = format!("a set is repeated at most {MOST_REPETITIONS} times");
        return Err(Failure::new(Code::InvalidArgument, text).field("repetitions"));
    }
    Ok(wanted.max(1))
}

fn part(progress: Progress) -> Result<Part, Failure> {
    Ok(match progress {
        Progress::Manifest(manifest) => Part::ManifestJson(json(&manifest)?),
        Progress::Item(item) => Part::Item(ItemResult {
            recorded_json: json(&item.recorded)?,
            id: item.recorded.id,
            repetition: item.recorded.repetition,
            outcome: item.outcome.to_string(),
        }),
        Progress::Report(report) => Part::Report(EvaluationReport {
            report_json: json(&report)?,
            missing_for_binding: report.missing_for_binding,
        }),
    })
}

fn json(value: &impl Serialize) -> Result<String, Failure> {
    serde_json::to_string(value).map_err(|error| Failure::internal(error.to_string()))
}
