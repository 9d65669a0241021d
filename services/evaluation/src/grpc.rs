//! Decode, run, encode.

use std::collections::HashMap;
use std::pin::Pin;

use assay_domain::{Code, Failure};
use assay_proto::evaluation::evaluate_rag_response::Part;
use assay_proto::evaluation::evaluation_service_server::EvaluationService;
use assay_proto::evaluation::{
    EvaluateRagRequest, EvaluateRagResponse, EvaluationReport, ItemResult, ScoreRequest, ScoreResponse,
};
use assay_rpc::Context;
use assay_statistics::wilson;
use assay_wire::{ToWire as _, to_status};
use futures::{Stream, StreamExt as _};
use tonic::{Request, Response, Status};

use crate::golden;
use crate::service::{Evaluator, Item, MOST_REPETITIONS, Progress, Report};
use crate::tally::outcome_of;

/// The service on the wire.
pub(crate) struct Grpc(pub(crate) Evaluator);

type Messages = Pin<Box<dyn Stream<Item = Result<EvaluateRagResponse, Status>> + Send>>;

#[tonic::async_trait]
impl EvaluationService for Grpc {
    type EvaluateRAGStream = Messages;

    async fn evaluate_rag(&self, request: Request<EvaluateRagRequest>) -> Result<Response<Messages>, Status> {
        let context = Context::from_request(&request).map_err(|failure| to_status(&failure))?;
        let wanted = request.into_inner();
        let golden =
            golden::questions(&wanted.items, &wanted.collection).map_err(|failure| to_status(&failure))?;
        let repetitions = repetitions(wanted.repetitions).map_err(|failure| to_status(&failure))?;
        let messages = self.0.run(context.identity().clone(), golden, repetitions).map(|progress| {
            let part = match progress.map_err(|failure| to_status(&failure))? {
                Progress::Item(item) => Part::Item(item_result(&item)),
                Progress::Report(report) => Part::Report(evaluation_report(*report)),
            };
            Ok(EvaluateRagResponse { part: Some(part) })
        });
        Ok(Response::new(messages.boxed()))
    }

    async fn score(&self, _: Request<ScoreRequest>) -> Result<Response<ScoreResponse>, Status> {
        let text = "this version computes no scores from recorded verdicts; EvaluateRAG reports syntactic validity, \
                    verdicts and outcomes";
        Err(to_status(&Failure::new(Code::Unimplemented, text)))
    }
}

fn repetitions(wanted: u32) -> Result<u32, Failure> {
    if wanted > MOST_REPETITIONS {
        let text = format!("a set is repeated at most {MOST_REPETITIONS} times");
        return Err(Failure::new(Code::InvalidArgument, text).field("repetitions"));
    }
    Ok(wanted.max(1))
}

fn item_result(item: &Item) -> ItemResult {
    let common = ItemResult {
        id: item.id.clone(),
        repetition: item.repetition,
        has_code: item.code.has_code(),
        code_valid: item.code.is_valid(),
        ..ItemResult::default()
    };
    match &item.answer {
        Ok(answer) => ItemResult {
            outcome: answer.outcome.to_string(),
            verdict: answer.verdict.map(|verdict| verdict.to_string()).unwrap_or_default(),
            audit_id: answer.audit_id.to_wire(),
            failure: answer.failure.as_ref().map(|failure| failure.code.to_string()).unwrap_or_default(),
            ..common
        },
        Err(failure) => ItemResult {
            outcome: outcome_of(failure).to_string(),
            failure: failure.code.to_string(),
            ..common
        },
    }
}

fn evaluation_report(report: Report) -> EvaluationReport {
    let tally = report.tally;
    let interval = wilson(tally.with_valid_code, tally.with_code);
    let counts = |map: std::collections::BTreeMap<&'static str, u64>| -> HashMap<String, u64> {
        map.into_iter().map(|(name, count)| (name.to_owned(), count)).collect()
    };
    EvaluationReport {
        syntactic_validity: tally.syntactic_validity(),
        answers_with_code: tally.with_code,
        answers_with_valid_code: tally.with_valid_code,
        standing: if report.missing.is_empty() { "BINDING" } else { "NON_BINDING" }.to_owned(),
        missing_for_binding: report.missing,
        parser_version: report.parser.to_string(),
        not_computed: report.not_computed.into_iter().map(|(name, why)| (name.to_owned(), why)).collect(),
        items: tally.items,
        syntactic_validity_low: interval.map(|(low, _)| low),
        syntactic_validity_high: interval.map(|(_, high)| high),
        verdicts: counts(tally.verdicts),
        outcomes: counts(tally.outcomes),
        answerability: counts(tally.answerability),
    }
}
