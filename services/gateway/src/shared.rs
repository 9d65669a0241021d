//! What the handlers of every protocol share.

use std::sync::Arc;

use assay_telemetry::Exposition;
use axum::Json;
use axum::response::{IntoResponse as _, Response};
use http::StatusCode;
use serde::Serialize;

use crate::access_log::AccessLog;
use crate::authorize::Authorizer;
use crate::options::Options;
use crate::ports::{Checks, Evaluations, Health, Library, Records, Reviews, Runs};
use crate::refusals::Refusals;
use crate::service::Asking;

/// Renders the metrics of this process in the format that the `Accept` header of a scraper asks for.
pub type MetricsRenderer = Arc<dyn Fn(Option<&str>) -> Exposition + Send + Sync>;

/// What the handlers share.
pub(crate) struct Shared {
    pub(crate) asking: Asking,
    pub(crate) records: Arc<dyn Records>,
    pub(crate) reviews: Arc<dyn Reviews>,
    pub(crate) library: Arc<dyn Library>,
    pub(crate) checks: Arc<dyn Checks>,
    pub(crate) evaluations: Arc<dyn Evaluations>,
    pub(crate) runs: Arc<dyn Runs>,
    pub(crate) health: Arc<dyn Health>,
    pub(crate) metrics: MetricsRenderer,
    pub(crate) options: Options,
    pub(crate) authorizer: Arc<Authorizer>,
    pub(crate) log: Arc<AccessLog>,
    pub(crate) refusals: Refusals,
}

/// A body as JSON.
pub(crate) fn json_response(status: StatusCode, body: &impl Serialize) -> Response {
    (status, Json(body)).into_response()
}
