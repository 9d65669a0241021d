//! The routes of people who judge answers: the review queue, feedback, erasing.

use std::sync::Arc;

use assay_api as api;
use assay_domain::report::Verdict;
use assay_domain::{AuditId, Code, Failure};
use assay_proto::{audit, router};
use assay_wire::ToWire as _;
use axum::Router;
use axum::extract::{Path, Request, State};
use axum::routing::{get, post};
use http::StatusCode;
use serde::de::DeserializeOwned;

use crate::body;
use crate::json;
use crate::ports::Stored;
use crate::problem::Problem;
use crate::routes::{App, Known, Parsed, Reply, context, parameters, shape};
use crate::shared::{Shared, json_response};

/// The routes.
pub(crate) fn routes() -> Router<Arc<Shared>> {
    Router::new()
        .route("/v1/audit/{id}/feedback", post(feedback))
        .route("/v1/reviews", get(list))
        .route("/v1/reviews/rates", get(rates))
        .route("/v1/reviews/{id}/claim", post(claim))
        .route("/v1/reviews/{id}/release", post(release))
        .route("/v1/reviews/{id}/decision", post(decide))
        .route("/v1/erase", post(erase))
}

/// The id of a path.
pub(crate) fn audit_id(text: &str) -> Result<AuditId, Failure> {
    AuditId::parse(text).ok_or_else(|| {
        let text = format!("{text:?} is no audit id; it is a UUID of version 7");
        Failure::new(Code::InvalidArgument, text).field("id")
    })
}

/// The JSON body of a request.
async fn read<T: DeserializeOwned + Send + 'static>(shared: &Shared, request: Request) -> Result<T, Problem> {
    body::of(request, &shared.options, |bytes, _| body::fields(json::object(bytes)?)).await
}

async fn list(State(shared): App, caller: Known, parsed: Parsed) -> Reply {
    let mut given = parameters(parsed)?;
    let request = audit::ListReviewsRequest {
        page_size: given.number("limit", 1000)?,
        page_token: given.text("page_token"),
        verdict: given.name("verdict", Verdict::from_name, Verdict::ALL)?.to_wire(),
        free: given.flag("free")?,
    };
    given.done()?;
    let context = context(&shared.options, caller.0);
    let reply = context.within(shared.reviews.list(&context, request)).await??;
    let records: Vec<(Stored, &audit::WaitingRecord)> = reply
        .records
        .iter()
        .map(|one| Ok((crate::adapters::stored(one.record.clone().unwrap_or_default())?, one)))
        .collect::<Result<_, Failure>>()?;
    let waiting = records.iter().map(|(stored, one)| {
        api::Waiting::new(shape(stored), one.one_in, &one.claimed_by, one.claimed_unix_ms)
    });
    let records = waiting.collect();
    let next_page_token = Some(reply.next_page_token.as_str()).filter(|token| !token.is_empty());
    Ok(json_response(StatusCode::OK, &api::Reviews { records, next_page_token }))
}

async fn rates(State(shared): App, caller: Known, parsed: Parsed) -> Reply {
    let mut given = parameters(parsed)?;
    let request = audit::ReviewRatesRequest {
        from_unix_ms: given.moment("from_ms")?,
        until_unix_ms: given.moment("until_ms")?,
    };
    given.done()?;
    let context = context(&shared.options, caller.0);
    let reply = context.within(shared.reviews.rates(&context, request)).await??;
    Ok(json_response(StatusCode::OK, &api::ReviewRates::from(&reply)))
}

async fn claim(State(shared): App, caller: Known, Path(id): Path<String>) -> Reply {
    claimed(&shared, caller, &id, false).await
}

async fn release(State(shared): App, caller: Known, Path(id): Path<String>) -> Reply {
    claimed(&shared, caller, &id, true).await
}

async fn claimed(shared: &Shared, caller: Known, id: &str, release: bool) -> Reply {
    let id = audit_id(id)?;
    let context = context(&shared.options, caller.0);
    context.within(shared.reviews.claim(&context, id, release)).await??;
    Ok(json_response(StatusCode::OK, &api::Claimed { audit_id: id.to_string(), claimed: !release }))
}

async fn decide(State(shared): App, caller: Known, Path(id): Path<String>, request: Request) -> Reply {
    let id = audit_id(&id)?;
    let given: api::Decision = read(&shared, request).await?;
    let context = context(&shared.options, caller.0);
    let decide = shared.reviews.decide(&context, id, given.decision, given.reason);
    let receipt = context.within(decide).await??;
    Ok(json_response(StatusCode::OK, &api::Receipt::from(&receipt)))
}

async fn feedback(State(shared): App, caller: Known, Path(id): Path<String>, request: Request) -> Reply {
    let request_id = audit_id(&id)?;
    let given: api::Feedback = read(&shared, request).await?;
    let wire = audit::GiveFeedbackRequest {
        audit_id: request_id.to_string(),
        rating: given.rating,
        claim: given.claim,
        reason: given.reason.unwrap_or_default(),
    };
    let context = context(&shared.options, caller.0);
    let receipt = context.within(shared.reviews.feedback(&context, wire)).await??;
    Ok(json_response(StatusCode::OK, &api::Receipt::from(&receipt)))
}

async fn erase(State(shared): App, caller: Known, request: Request) -> Reply {
    use router::forget_request::Whose;
    let given: api::Erasing = read(&shared, request).await?;
    let named = [
        given.principal.map(Whose::Principal),
        given.session_id.map(Whose::SessionId),
        given.audit_id.map(Whose::AuditId),
    ];
    let mut named = named.into_iter().flatten();
    let (Some(whose), None) = (named.next(), named.next()) else {
        let text = "name one of principal, session_id and audit_id";
        return Err(Failure::new(Code::InvalidArgument, text).field("body").into());
    };
    let context = context(&shared.options, caller.0);
    let reply = context.within(shared.reviews.erase(&context, whose)).await??;
    Ok(json_response(StatusCode::OK, &api::Erased::from(&reply)))
}
