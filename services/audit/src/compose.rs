//! Options to routes; the only place that names a concrete adapter.

use std::sync::Arc;
use std::time::Duration;

use assay_domain::Failure;
use assay_proto::audit::audit_service_server::AuditServiceServer;
use assay_rpc::{MAX_MESSAGE_BYTES, Peers, Service, ServiceSpec, clock, entropy, task};

use crate::adapters::sqlite::{Birth, SqliteLog};
use crate::grpc::Grpc;
use crate::options::Options;
use crate::ports::Log as _;
use crate::service::{Audit, Store};

/// What the service is; it calls nobody.
pub const SPEC: ServiceSpec = ServiceSpec {
    name: "audit",
    grpc: "assay.audit.v1alpha1.AuditService",
    port: 7105,
    calls: &[],
    callers: &["gateway", "router"],
    purpose: "keeps the durable, verifiable record of every request",
};

/// Time between two looks for expired payloads.
const RETENTION_EVERY: Duration = Duration::from_secs(3600);

/// Opens the log and composes the service. It is ready when this returns.
///
/// # Errors
/// What [`Options::check`] and opening the log say: another process on the folder, damage, a newer format, a missing
/// key, no room. Each names its cure and changes nothing.
pub async fn compose(options: Options, _peers: &Peers) -> Result<Service, Failure> {
    options.check()?;
    let [a, b, c, d, ..] = entropy::bytes32();
    let birth = Birth { seed: entropy::bytes32(), name: [a, b, c, d], unix_ms: clock::unix_ms() };
    let log = Arc::new(SqliteLog::open(&options, birth).await?);
    let probed = Arc::clone(&log);
    let store = Store { writer: log.clone(), records: log.clone(), log };
    let audit = Audit::new(store, options.append_ms, options.retention_days);
    let retention = task::spawn(retain(audit.clone()));
    let server = AuditServiceServer::new(Grpc(audit.clone()))
        .max_decoding_message_size(MAX_MESSAGE_BYTES)
        .max_encoding_message_size(MAX_MESSAGE_BYTES);
    let service = Service::new(&SPEC, assay_proto::DESCRIPTORS)?.ready_when(move || {
        let log = Arc::clone(&probed);
        async move { Ok(log.head().await.map(drop)?) }
    });
    Ok(service.with(|routes| routes.add_service(server)).on_drain(move || async move {
        retention.abort();
        audit.close().await;
    }))
}

/// Erases what has expired, now and then every hour.
async fn retain(audit: Audit) {
    let mut ticks = tokio::time::interval(RETENTION_EVERY);
    loop {
        ticks.tick().await;
        match audit.erase_expired(clock::unix_ms()).await {
            Ok(0) => {}
            Ok(payloads) => tracing::info!(payloads, "erased payloads beyond their retention"),
            Err(failure) => tracing::error!(%failure, "erasing expired payloads failed; it is tried again"),
        }
    }
}
