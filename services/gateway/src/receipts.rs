//! The routes that prove: the receipt of a record, and the check of the whole log.

use std::sync::Arc;

use assay_api as api;
use axum::Router;
use axum::extract::{Path, State};
use axum::routing::get;
use http::StatusCode;

use crate::reviews::audit_id;
use crate::routes::{App, Known, Parsed, Reply, context, parameters};
use crate::shared::{Shared, json_response};

/// The routes.
pub(crate) fn routes() -> Router<Arc<Shared>> {
    Router::new().route("/v1/audit/{id}/receipt", get(receipt)).route("/v1/audit/verify", get(verify))
}

async fn receipt(State(shared): App, caller: Known, Path(id): Path<String>, parsed: Parsed) -> Reply {
    let id = audit_id(&id)?;
    let mut given = parameters(parsed)?;
    let payload = given.flag("payload")?;
    given.done()?;
    let context = context(&shared.options, caller.0);
    let proved = context.within(shared.records.prove(&context, id)).await??;
    Ok(json_response(StatusCode::OK, &api::ReceiptFile::new(&proved, payload)?))
}

async fn verify(State(shared): App, caller: Known) -> Reply {
    let context = context(&shared.options, caller.0);
    let found = context.within(shared.records.verify(&context)).await??;
    Ok(json_response(StatusCode::OK, &api::Verified::from(&found)))
}
