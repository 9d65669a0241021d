//! The routes of evaluation runs: what was measured on this server, for the console.

use std::sync::Arc;

use assay_api as api;
use assay_domain::{Code, Failure};
use assay_scoring::Difference;
use axum::Router;
use axum::extract::{Path, State};
use axum::response::{Html, IntoResponse as _};
use axum::routing::get;
use http::{HeaderValue, StatusCode, header};

use crate::routes::{App, Known, Parsed, Reply, parameters};
use crate::shared::{Shared, json_response};

/// A report is one file with its own style and drawings, and runs nothing.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; \
     form-action 'none'; frame-ancestors 'none'; sandbox";

/// The routes.
pub(crate) fn routes() -> Router<Arc<Shared>> {
    Router::new()
        .route("/v1/evaluations", get(list))
        .route("/v1/evaluations/compare", get(compare))
        .route("/v1/evaluations/{name}/report", get(report))
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

async fn compare(State(shared): App, caller: Known, parsed: Parsed) -> Reply {
    let mut given = parameters(parsed)?;
    let (first, second) = (given.text("first"), given.text("second"));
    given.done()?;
    for (name, value) in [("first", &first), ("second", &second)] {
        if value.is_empty() {
            let text = format!("the parameter `{name}` is missing; it names a run");
            return Err(Failure::new(Code::InvalidArgument, text).field(name).into());
        }
    }
    let compared = shared.runs.compare(&caller.0.identity.tenant, &first, &second).await?;
    let difference = |one: &Difference| api::Difference {
        questions: one.questions,
        first: one.first,
        second: one.second,
        difference: one.difference,
        interval: one.interval.map(<[f64; 2]>::from),
        p_value: one.p_value,
        detectable: one.detectable,
        verdict: one.verdict,
    };
    let body = api::Comparison {
        manifests: &compared.manifests,
        differs: &compared.differs,
        unpaired: compared.unpaired,
        scores: compared.scores.iter().map(|(name, one)| (name.as_str(), difference(one))).collect(),
    };
    Ok(json_response(StatusCode::OK, &body))
}

async fn report(State(shared): App, caller: Known, Path(name): Path<String>) -> Reply {
    let page = shared.runs.page(&caller.0.identity.tenant, &name).await?;
    let mut response = Html(page).into_response();
    response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    Ok(response)
}
