//! The routes of evaluation runs: what was measured on this server, for the console.

use std::sync::Arc;

use assay_api as api;
use axum::Router;
use axum::extract::{Path, State};
use axum::response::{Html, IntoResponse as _};
use axum::routing::get;
use http::{HeaderValue, StatusCode, header};

use crate::routes::{App, Known, Reply};
use crate::shared::{Shared, json_response};

/// A report is one file with its own style and drawings, and runs nothing.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; \
     form-action 'none'; frame-ancestors 'none'; sandbox";

/// The routes.
pub(crate) fn routes() -> Router<Arc<Shared>> {
    Router::new().route("/v1/evaluations", get(list)).route("/v1/evaluations/{name}/report", get(report))
}

async fn list(State(shared): App, caller: Known) -> Reply {
    let tenant = &caller.0.identity.tenant;
    let runs = shared.runs.list(tenant).await?;
    let runs = runs.iter().map(|run| api::Run {
        name: &run.name,
        path: &run.path,
        ended: api::timestamp(run.ended_unix_ms),
        standing: &run.standing,
        answers: run.answers,
        figures: &run.figures,
        report: run.has_page,
    });
    let folder = shared.runs.folder(tenant);
    Ok(json_response(StatusCode::OK, &api::Runs { folder: &folder, runs: runs.collect() }))
}

async fn report(State(shared): App, caller: Known, Path(name): Path<String>) -> Reply {
    let page = shared.runs.page(&caller.0.identity.tenant, &name).await?;
    let mut response = Html(page).into_response();
    response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    Ok(response)
}
