//! What every part of the router works on: the router's own parts, and a request under way.

use std::sync::Arc;
use std::time::Instant;

use assay_domain::{AuditId, Question};
use assay_rpc::{Context, clock, entropy};
use tokio_util::sync::CancellationToken;

use crate::classify::Classifier;
use crate::collect::Collector;
use crate::delivery::Recorder;
use crate::options::Options;
use crate::ports::Ports;

/// Answers questions; cheap to clone.
#[derive(Clone)]
pub struct Router {
    pub(crate) ports: Ports,
    pub(crate) classifier: Arc<Classifier>,
    pub(crate) options: Arc<Options>,
    pub(crate) recorder: Arc<Recorder>,
    /// Keeps routed messages and drops old ones; none where there is no store of them.
    pub(crate) collector: Option<Arc<Collector>>,
}

/// A request under way.
pub(crate) struct Request {
    pub(crate) context: Context,
    pub(crate) question: Question,
    pub(crate) audit_id: AuditId,
    /// Milliseconds since the Unix epoch at which it was received.
    pub(crate) unix_ms: u64,
    pub(crate) started: Instant,
    /// Says that the client went away.
    pub(crate) gone: CancellationToken,
}

// === impl Request ===

impl Request {
    pub(crate) fn new(context: Context, question: Question, gone: CancellationToken) -> Self {
        let unix_ms = clock::unix_ms();
        let audit_id = AuditId::from_parts(unix_ms, entropy::bytes10());
        Self { context, question, audit_id, unix_ms, started: clock::now(), gone }
    }
}
