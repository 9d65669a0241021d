//! Options to routes; the only place that names a concrete adapter.

use std::sync::Arc;
use std::time::Duration;

use assay_domain::{Code, Failure};
use assay_proto::router::router_service_server::RouterServiceServer;
use assay_rpc::{MAX_MESSAGE_BYTES, Peers, Service, ServiceSpec, clock, task};

use crate::adapters::database::private_folder;
use crate::adapters::elastic_sessions::ElasticSessions;
use crate::adapters::grpc_audit::GrpcAudit;
use crate::adapters::grpc_generation::GrpcGeneration;
use crate::adapters::grpc_retrieval::GrpcRetrieval;
use crate::adapters::grpc_validation::GrpcValidation;
use crate::adapters::no_sessions::NoSessions;
use crate::adapters::sqlite_messages::SqliteMessages;
use crate::adapters::sqlite_outbox::SqliteOutbox;
use crate::adapters::sqlite_sessions::SqliteSessions;
use crate::classify::Heads;
use crate::collect::{self, Collector};
use crate::grpc::Grpc;
use crate::invariants;
use crate::options::{Options, SessionStore};
use crate::ports::{Messages, Ports, Sessions, Traces};
use crate::state::Router;

/// What the service is, and whom it calls.
pub const SPEC: ServiceSpec = ServiceSpec {
    name: "router",
    grpc: "assay.router.v1alpha1.RouterService",
    port: 7101,
    calls: &["retrieval", "generation", "validation", "audit"],
    callers: &["gateway", "evaluation"],
    purpose: "sessions, classification and the answer graph",
};

/// Time between two looks for expired sessions.
const SWEEP_EVERY: Duration = Duration::from_secs(3600);
/// Longest wait for the end of the delivery at a drain.
const LAST_ROUND: Duration = Duration::from_secs(5);
const HOUR_MS: u64 = 3_600_000;

/// Opens the stores, closes what an earlier process left open, and composes the service.
///
/// # Errors
/// `CONFIGURATION` for a wrong setting or a missing peer; what opening the stores says.
pub async fn compose(options: Options, peers: &Peers) -> Result<Service, Failure> {
    options.check()?;
    private_folder(&options.data_dir).map_err(|error| {
        let text = format!("cannot make {}: {error}", options.data_dir.display());
        Failure::new(Code::Configuration, text).field("router.data_dir")
    })?;
    let outbox = SqliteOutbox::open_file(
        &options.data_dir.join("outbox.sqlite"),
        options.outbox_records,
        options.request_hours.saturating_mul(HOUR_MS),
        options.requests_per_principal,
    )?;
    let outbox = Arc::new(outbox);
    let (sessions, kept) = sessions(&options)?;
    let collected = messages(&options);
    let mut traces: Vec<Arc<dyn Traces>> = vec![outbox.clone()];
    traces.extend(kept);
    traces.extend(collected.clone().map(|messages| messages as Arc<dyn Traces>));
    let ports = Ports {
        retriever: Arc::new(GrpcRetrieval::new(peers)?),
        generator: Arc::new(GrpcGeneration::new(peers)?),
        validator: Arc::new(GrpcValidation::new(peers)?),
        ledger: Arc::new(GrpcAudit::new(peers)?),
        outbox,
        sessions,
        messages: collected.map(|messages| messages as Arc<dyn Messages>),
        traces,
    };
    compose_with(options, ports).await
}

/// The sessions, and the same as a store of traces.
type Kept = (Arc<dyn Sessions>, Option<Arc<dyn Traces>>);

/// The sessions, or a stand-in that says why there are none: answers then come without them, and say so.
fn sessions(options: &Options) -> Result<Kept, Failure> {
    let (idle_ms, most) = (options.session_hours.saturating_mul(HOUR_MS), options.sessions_per_principal);
    if options.sessions == SessionStore::Elasticsearch {
        let client = assay_elastic::Client::new(&options.elasticsearch, "router.elasticsearch")?;
        let sessions =
            Arc::new(ElasticSessions::new(Arc::new(client), &options.elasticsearch, idle_ms, most));
        return Ok((sessions.clone(), Some(sessions)));
    }
    let opened = SqliteSessions::open_file(&options.data_dir.join("sessions.sqlite"), idle_ms, most);
    Ok(match opened {
        Ok(sessions) => {
            let sessions = Arc::new(sessions);
            (sessions.clone(), Some(sessions))
        }
        Err(failure) => {
            tracing::error!(%failure, "there are no sessions until this process starts again");
            (Arc::new(NoSessions(failure)), None)
        }
    })
}

/// The store of routed messages, where something is to be kept or was: what is too old goes although collection is off.
/// Without it questions are answered all the same.
fn messages(options: &Options) -> Option<Arc<SqliteMessages>> {
    if !options.keeps_messages() && !options.messages_file().exists() {
        return None;
    }
    match SqliteMessages::open_file(&options.messages_file(), options.collect_days) {
        Ok(store) => Some(Arc::new(store)),
        Err(failure) => {
            tracing::error!(%failure, "no message is collected until this process starts again");
            None
        }
    }
}

/// Composes the service over given parts.
///
/// # Errors
/// `CONFIGURATION` for a wrong setting; what the outbox says about an earlier process.
pub async fn compose_with(options: Options, ports: Ports) -> Result<Service, Failure> {
    options.check()?;
    let aborted = ports.outbox.recover(clock::unix_ms()).await?;
    if aborted > 0 {
        tracing::warn!(
            requests = aborted,
            "an earlier process died; its open requests are recorded as ABORTED"
        );
    }
    invariants::begin_counting();
    collect::begin_counting();
    let heads = Heads { head: options.chosen_head()?, shadow: options.shadow_head()? };
    let router = Router::with_heads(options, ports.clone(), heads);
    let collector = router.collector.clone();
    let collecting = collector.clone().map(|collector| task::spawn(async move { collector.run().await }));
    let recorder = Arc::clone(&router.recorder);
    recorder.recall().await?;
    let delivering = task::spawn({
        let recorder = recorder.clone();
        async move { recorder.run().await }
    });
    let sweeping = task::spawn(sweep(ports.clone(), collector.clone()));
    let server = RouterServiceServer::new(Grpc(router))
        .max_decoding_message_size(MAX_MESSAGE_BYTES)
        .max_encoding_message_size(MAX_MESSAGE_BYTES);
    let outbox = Arc::clone(&ports.outbox);
    let service = Service::new(&SPEC, assay_proto::DESCRIPTORS)?.ready_when(move || {
        let outbox = Arc::clone(&outbox);
        async move { outbox.usable().await }
    });
    Ok(service.with(|routes| routes.add_service(server)).on_drain(move || async move {
        sweeping.abort();
        delivering.abort();
        // Its end is awaited: two rounds at once would forget records that only one of them closed.
        let _ = tokio::time::timeout(LAST_ROUND, delivering).await;
        recorder.round().await;
        if let (Some(collecting), Some(collector)) = (collecting, collector) {
            collecting.abort();
            collector.round().await;
        }
    }))
}

/// Drops what is too old, now and then every hour.
async fn sweep(ports: Ports, collector: Option<Arc<Collector>>) {
    let mut ticks = tokio::time::interval(SWEEP_EVERY);
    loop {
        ticks.tick().await;
        if let Err(failure) = ports.sessions.sweep(clock::unix_ms()).await {
            tracing::warn!(%failure, "expired sessions were not dropped; it is tried again");
        }
        if let Some(collector) = &collector {
            collector.sweep(clock::unix_ms()).await;
        }
    }
}
