//! The only place that names concrete adapters.

use crate::adapters::embedded::EmbeddedStore;
use crate::adapters::hashing::Hashing;
use crate::adapters::minilm::MiniLm;
use crate::adapters::traced::Traced;
use crate::grpc::Grpc;
use crate::models::MINILM;
use crate::options::{EmbedderChoice, Options};
use crate::ports::Embedder;
use crate::service::Retrieval;
use assay_domain::{Code, Failure};
use assay_proto::retrieval::retrieval_service_server::RetrievalServiceServer;
use assay_rpc::{Peers, Service, ServiceSpec};
use std::sync::Arc;

/// What this service is called, where it listens and whom it may call.
pub const SPEC: ServiceSpec = ServiceSpec {
    name: "retrieval",
    grpc: "assay.retrieval.v1alpha1.RetrievalService",
    port: 7102,
    calls: &[],
    callers: &["router", "validation", "gateway"],
    purpose: "ingests, chunks, indexes, embeds, searches, resolves sources",
};

/// Flat environment names of the contract and the settings they set.
pub const FLAT: &[(&str, &str)] = &[("ASSAY_MODELS_DIR", "service.models_dir")];

/// Composes the service. The model is loaded and the example pool indexed in the background.
///
/// # Errors
/// `CONFIGURATION` for settings that cannot work, `SEARCH_UNAVAILABLE` if the index folder cannot be written.
pub async fn compose(options: Options, peers: &Peers) -> Result<Service, Failure> {
    let _ = peers;
    let retrieval = Arc::new(assemble(options)?);
    retrieval.check().await?;
    let warming = Arc::clone(&retrieval);
    assay_rpc::task::spawn(async move { warming.warm().await });
    let probed = Arc::clone(&retrieval);
    let server = RetrievalServiceServer::new(Grpc::new(retrieval))
        .max_decoding_message_size(assay_rpc::MAX_MESSAGE_BYTES)
        .max_encoding_message_size(assay_rpc::MAX_MESSAGE_BYTES);
    let service = Service::new(&SPEC, assay_proto::DESCRIPTORS)?.ready_when(move || {
        let retrieval = Arc::clone(&probed);
        async move { retrieval.check().await }
    });
    Ok(service.with(|routes| routes.add_service(server)))
}

/// The service without a transport, over the adapters that the options choose.
///
/// # Errors
/// `CONFIGURATION` for settings that cannot work.
pub fn assemble(options: Options) -> Result<Retrieval, Failure> {
    options.check()?;
    let embedder = Arc::new(Traced(embedder(&options)?));
    let store = Arc::new(EmbeddedStore::new(&options.data_dir));
    Ok(Retrieval::new(options, store, embedder))
}

fn embedder(options: &Options) -> Result<Arc<dyn Embedder>, Failure> {
    let present = MINILM.is_present(&options.models_dir);
    let folder = MINILM.folder(&options.models_dir);
    match options.embedder {
        EmbedderChoice::Auto | EmbedderChoice::Minilm if present => {
            Ok(Arc::new(MiniLm::new(&options.models_dir)))
        }
        EmbedderChoice::Minilm => {
            let text = format!("no model in {}; fetch it with `assay models pull`", folder.display());
            Err(Failure::new(Code::Configuration, text).field("retrieval.embedder"))
        }
        EmbedderChoice::Auto => {
            tracing::warn!(
                folder = %folder.display(),
                "NO EMBEDDING MODEL: falling back to feature hashing, which knows shared words and no meaning; \
                 fetch the model with `assay models pull` and ingest again"
            );
            Ok(Arc::new(Hashing::default()))
        }
        EmbedderChoice::Hashing => {
            tracing::warn!(
                "the hashing embedder was chosen: nearest neighbours know shared words and no meaning"
            );
            Ok(Arc::new(Hashing::default()))
        }
    }
}
