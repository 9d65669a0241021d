//! Options to routes; the only place that names a concrete adapter.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use assay_domain::{Failure, Record};
use assay_ledger::{Salt, VerifierKey};
use assay_proto::audit::audit_service_server::AuditServiceServer;
use assay_rpc::{MAX_MESSAGE_BYTES, Peers, Service, ServiceSpec, clock, entropy, task};
use async_trait::async_trait;

use crate::adapters::sqlite::{Birth, SqliteLog, SqliteReader, remembered_heads};
use crate::error::AuditError;
use crate::grpc::Grpc;
use crate::options::Options;
use crate::ports::{
    Appended, Erased, ErasedOf, Log as _, Notes, Reading, Remark, Remarked, Remembered, Selector, Verified,
    Writer,
};
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
    let reader = Arc::new(log.reader());
    let probed = Arc::clone(&reader);
    let store = Store {
        writer: log.clone(),
        notes: log,
        records: reader.clone(),
        reviews: reader.clone(),
        log: reader,
    };
    let audit = Audit::new(store, &options);
    let retention = task::spawn(retain(audit.clone()));
    let server = server(audit.clone());
    let service = Service::new(&SPEC, assay_proto::DESCRIPTORS)?.ready_when(move || {
        let log = Arc::clone(&probed);
        async move { Ok(log.head().await.map(drop)?) }
    });
    Ok(service.with(|routes| routes.add_service(server)).on_drain(move || async move {
        retention.abort();
        audit.close().await;
    }))
}

fn server(audit: Audit) -> AuditServiceServer<Grpc> {
    AuditServiceServer::new(Grpc(audit))
        .max_decoding_message_size(MAX_MESSAGE_BYTES)
        .max_encoding_message_size(MAX_MESSAGE_BYTES)
}

/// Composes the service over a private copy of the log: reads, proves and exports, takes no records, erases nothing and
/// writes nothing beside the log.
///
/// # Errors
/// `NOT_FOUND` if there is no log; what opening it says.
pub async fn compose_read_only(options: Options) -> Result<Service, Failure> {
    let reader = Arc::new(SqliteReader::copied(&options, None).await?);
    let store = Store {
        writer: Arc::new(Nobody),
        notes: Arc::new(Nobody),
        records: reader.clone(),
        reviews: reader.clone(),
        log: reader,
    };
    let audit = Audit::new(store, &options);
    Ok(Service::new(&SPEC, assay_proto::DESCRIPTORS)?.with(|routes| routes.add_service(server(audit))))
}

/// Verifies the log of a folder through a private copy, whoever else has it open. The router's outbox, where given,
/// tells what the log once was.
///
/// # Errors
/// `NOT_FOUND` if there is no log; what opening it says.
pub async fn verify_folder(
    options: &Options,
    trusted: Option<VerifierKey>,
    checkpoint: Option<String>,
    outbox: Option<&Path>,
) -> Result<Verified, Failure> {
    let heads = match outbox {
        Some(outbox) => remembered_heads(outbox).await?,
        None => Vec::new(),
    };
    let no_witness = checkpoint.is_none() && heads.is_empty();
    let reader = SqliteReader::copied(options, trusted).await?;
    let mut verified = reader.verify(Remembered { checkpoint, heads }).await?;
    if no_witness {
        let unknown = "whether entries were cut off the end: no outbox of a router and no --checkpoint says how long the log was";
        verified.verification.not_covered.push(unknown.to_owned());
    }
    Ok(verified)
}

/// The writer of a log that is only read.
struct Nobody;

#[async_trait]
impl Writer for Nobody {
    async fn append(&self, _: Record, _: Salt, _: u64) -> Result<Appended, AuditError> {
        Err(AuditError::Closed)
    }

    async fn erase_before(&self, _: u64, _: u64) -> Result<Erased, AuditError> {
        Err(AuditError::Closed)
    }

    async fn close(&self) {}
}

#[async_trait]
impl Notes for Nobody {
    async fn erase(&self, _: &str, _: Selector, _: u64) -> Result<ErasedOf, AuditError> {
        Err(AuditError::Closed)
    }

    async fn remark(&self, _: Remark) -> Result<Remarked, AuditError> {
        Err(AuditError::Closed)
    }

    /// A private copy records nothing.
    async fn read(&self, _: Reading) -> Result<(), AuditError> {
        Ok(())
    }
}

/// Erases what has expired, now and then every hour.
async fn retain(audit: Audit) {
    let mut ticks = tokio::time::interval(RETENTION_EVERY);
    loop {
        ticks.tick().await;
        match audit.erase_expired(clock::unix_ms()).await {
            Ok(Erased { payloads, held_back, backups }) => {
                if payloads > 0 {
                    tracing::info!(
                        payloads,
                        ?backups,
                        "erased payloads beyond their retention, and backups of migrations"
                    );
                }
                if held_back > 0 {
                    tracing::error!(
                        held_back,
                        "payloads beyond their retention are kept: a time without records before now is longer than \
                         audit.clock_gap_days; if the clock is right, set it to 0 for one start"
                    );
                }
            }
            Err(failure) => tracing::error!(%failure, "erasing expired payloads failed; it is tried again"),
        }
    }
}
