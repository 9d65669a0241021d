//! Options and peers make a gateway; the only place that names an adapter.

use std::sync::Arc;

use assay_domain::Failure;
use assay_rpc::{Channel, Limits, Peers};

use crate::access_log::AccessLog;
use crate::adapters::{
    Folder, GrpcChecks, GrpcEngine, GrpcEvaluations, GrpcHealth, GrpcLibrary, GrpcRecords, GrpcReviews,
    SERVICES,
};
use crate::authorize::Authorizer;
use crate::options::Options;
use crate::ports::Engine;
use crate::refusals::Refusals;
use crate::service::Asking;
use crate::shared::{MetricsRenderer, Shared};

/// A composed gateway; [`Gateway::listen`] serves it.
pub struct Gateway {
    pub(crate) options: Options,
    pub(crate) shared: Shared,
    /// Services that the gRPC listener leads to, by full name.
    pub(crate) behind: Vec<(&'static str, Channel)>,
    pub(crate) limits: Limits,
}

impl Gateway {
    /// Leads the gRPC listener to these services, each under its full name, instead of to the peers. In one process
    /// they are all there.
    #[must_use]
    pub fn leading_to(mut self, services: Vec<(&'static str, Channel)>) -> Self {
        self.behind = services;
        self
    }

    /// Limits of the gRPC listener.
    #[must_use]
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }
}

impl std::fmt::Debug for Gateway {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Gateway").field("options", &self.options).finish_non_exhaustive()
    }
}

/// Makes a gateway. `metrics` renders what `/metrics` shows.
///
/// # Errors
/// `configuration` if an option is wrong or a peer that the routes need has no channel.
pub fn compose(options: &Options, peers: &Peers, metrics: MetricsRenderer) -> Result<Gateway, Failure> {
    options.check()?;
    let authorizer = Arc::new(Authorizer::of(options)?);
    let engine: Arc<dyn Engine> = Arc::new(GrpcEngine::new(peers.channel("router")?));
    let shared = Shared {
        refusals: Refusals::new(Arc::clone(&engine)),
        asking: Asking::new(engine, options),
        records: Arc::new(GrpcRecords::new(peers.channel("audit")?)),
        reviews: Arc::new(GrpcReviews::new(peers.channel("audit")?, peers.channel("router")?)),
        library: Arc::new(GrpcLibrary::new(peers.channel("retrieval")?)),
        checks: Arc::new(GrpcChecks::new(
            peers.channel("validation")?,
            peers.channel("parser")?,
            peers.channel("router")?,
        )),
        evaluations: Arc::new(GrpcEvaluations::new(peers.channel("evaluation")?)),
        runs: Arc::new(Folder { path: options.runs.clone(), tenant: options.runs_tenant.clone() }),
        health: Arc::new(GrpcHealth::new(peers)),
        metrics,
        options: options.clone(),
        authorizer,
        log: AccessLog::new(options.access_log, options.access_log_names),
    };
    let behind =
        SERVICES.iter().filter_map(|(name, grpc)| Some((*grpc, peers.channel(name).ok()?))).collect();
    Ok(Gateway { options: options.clone(), shared, behind, limits: Limits::default() })
}
