//! The only place that names concrete adapters.

use crate::adapters::cached::Cached;
use crate::adapters::elastic::ElasticStore;
use crate::adapters::embedded::EmbeddedStore;
use crate::adapters::hashing::Hashing;
use crate::adapters::minilm::MiniLm;
use crate::adapters::onnx::Onnx;
use crate::adapters::prefixed::Prefixed;
use crate::adapters::remote::{Protocol, Remote};
use crate::adapters::traced::Traced;
use crate::grpc::Grpc;
use crate::options::{Backend, EmbedderChoice, Options, Pooling};
use crate::ports::{Embedder, Store};
use crate::service::Retrieval;
use assay_domain::{Code, Failure};
use assay_models::minilm;
use assay_proto::retrieval::retrieval_service_server::RetrievalServiceServer;
use assay_rpc::{Peers, Service, ServiceSpec};
use std::path::PathBuf;
use std::sync::Arc;

/// What this service is called, where it listens and whom it may call.
pub const SPEC: ServiceSpec = ServiceSpec {
    name: "retrieval",
    grpc: "assay.retrieval.v1alpha1.RetrievalService",
    port: 7102,
    calls: &[],
    callers: &["router", "validation", "evaluation", "gateway"],
    purpose: "ingests, chunks, indexes, embeds, searches, resolves sources",
};

/// Flat environment names of the contract and the settings they set.
pub const FLAT: &[(&str, &str)] = &[("ASSAY_MODELS_DIR", "service.models_dir")];

/// Where the settings of the cluster stand.
const CLUSTER: &str = "retrieval.elasticsearch";

/// Composes the service. The model is loaded and the example pool indexed in the background, if the options say so.
///
/// # Errors
/// `CONFIGURATION` for settings that cannot work, `SEARCH_UNAVAILABLE` if the index folder cannot be written.
pub async fn compose(options: Options, peers: &Peers) -> Result<Service, Failure> {
    let _ = peers;
    let (shared, warm) = (options.backend == Backend::Elasticsearch, options.warm);
    options.check()?;
    let embedder = configured(&options).await?;
    let retrieval = Arc::new(assemble_with(options, embedder)?);
    match retrieval.check().await {
        // A cluster may come up later: searches say so until then, and the service is not ready.
        Err(failure) if shared && failure.code == Code::SearchUnavailable => {
            tracing::warn!(%failure, "the search cluster cannot be used yet");
        }
        checked => checked?,
    }
    if warm {
        let warming = Arc::clone(&retrieval);
        assay_rpc::task::spawn(async move { warming.warm().await });
    }
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

/// The service without a transport, over the adapters that the options choose. Its embedder is one of this process.
///
/// # Errors
/// `CONFIGURATION` for settings that cannot work.
pub fn assemble(options: Options) -> Result<Retrieval, Failure> {
    options.check()?;
    let embedder = embedder(&options)?;
    assemble_with(options, embedder)
}

fn assemble_with(options: Options, embedder: Arc<dyn Embedder>) -> Result<Retrieval, Failure> {
    let embedder = Arc::new(Traced(Arc::new(Cached::over(embedder))));
    let store: Arc<dyn Store> = match options.backend {
        Backend::Embedded => Arc::new(EmbeddedStore::new(&options.data_dir)),
        Backend::Elasticsearch => {
            let client = assay_elastic::Client::new(&options.elasticsearch, CLUSTER)?;
            Arc::new(ElasticStore::new(Arc::new(client), options.elasticsearch.clone()))
        }
    };
    Ok(Retrieval::new(options, store, embedder))
}

/// The embedder that the options name; the model of a server is asked who it is.
async fn configured(options: &Options) -> Result<Arc<dyn Embedder>, Failure> {
    let settings = &options.embedding;
    let wrong = |error: crate::Error| {
        Failure::new(Code::Configuration, error.to_string()).field("retrieval.embedding")
    };
    let model: Arc<dyn Embedder> = match options.embedder {
        EmbedderChoice::Ollama => Arc::new(Remote::connect(Protocol::Ollama, settings).await.map_err(wrong)?),
        EmbedderChoice::Openai => Arc::new(Remote::connect(Protocol::OpenAi, settings).await.map_err(wrong)?),
        EmbedderChoice::Onnx => {
            let (folder, cores) = (PathBuf::from(&settings.model), options.parallel());
            let pooling = match settings.pooling {
                Pooling::Mean => assay_models::Pooling::Mean,
                Pooling::First => assay_models::Pooling::First,
            };
            let loaded = assay_rpc::task::blocking(move || Onnx::load(&folder, cores, pooling)).await?;
            Arc::new(loaded.map_err(wrong)?)
        }
        EmbedderChoice::Auto | EmbedderChoice::Minilm | EmbedderChoice::Hashing => return embedder(options),
    };
    Ok(Prefixed::over(model, &settings.query_prefix, &settings.passage_prefix))
}

fn embedder(options: &Options) -> Result<Arc<dyn Embedder>, Failure> {
    let folder = options.models_dir.display();
    if options.embedder.is_configured() {
        let text = "this embedder is asked when the service is composed";
        return Err(Failure::internal(text));
    }
    if options.embedder != EmbedderChoice::Hashing {
        let listed = MiniLm::listed(&options.models_dir, options.parallel());
        let wrong = |text: String| Failure::new(Code::Configuration, text).field("retrieval.models_dir");
        if let Some(model) = listed.map_err(|error| wrong(error.to_string()))? {
            return Ok(Arc::new(model));
        }
        if options.embedder == EmbedderChoice::Minilm {
            let text = format!("{folder} lists no {}; fetch it with `assay models pull`", minilm::NAME);
            return Err(wrong(text));
        }
        tracing::warn!(
            %folder,
            "NO EMBEDDING MODEL: falling back to feature hashing, which knows shared words and no meaning; \
             fetch the model with `assay models pull`, then run `assay ingest --reembed`"
        );
    } else {
        tracing::warn!(
            "the hashing embedder was chosen: nearest neighbours know shared words and no meaning"
        );
    }
    Ok(Arc::new(Hashing::default()))
}
