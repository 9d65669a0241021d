//! Retrieval, generation and validation as scripts: they say what they are, and judge relevance alone.

use assay_proto::generation::generation_service_server::{GenerationService, GenerationServiceServer};
use assay_proto::retrieval::retrieval_service_server::{RetrievalService, RetrievalServiceServer};
use assay_proto::validation::validation_service_server::{ValidationService, ValidationServiceServer};
use assay_proto::{generation, retrieval, validation};
use assay_rpc::{Channel, Limits, Running, Service, ServiceSpec};
use futures::stream::{Empty, Iter};
use tonic::{Request, Response, Status, Streaming};

/// What the scripts are called.
struct Script;

type Reply<T> = Result<Response<T>, Status>;

fn unscripted<T>() -> Reply<T> {
    Err(Status::unimplemented("not scripted"))
}

#[tonic::async_trait]
impl RetrievalService for Script {
    type IngestStream = Empty<Result<retrieval::IngestResponse, Status>>;
    type DescribeCollectionStream =
        Iter<std::array::IntoIter<Result<retrieval::DescribeCollectionResponse, Status>, 1>>;

    async fn describe_collection(
        &self,
        _: Request<retrieval::DescribeCollectionRequest>,
    ) -> Reply<Self::DescribeCollectionStream> {
        let manifest = retrieval::Manifest {
            id: "m".into(),
            embedding_model: "vectors/1".into(),
            ..retrieval::Manifest::default()
        };
        let first = retrieval::DescribeCollectionResponse { manifest: Some(manifest), documents: Vec::new() };
        Ok(Response::new(futures::stream::iter([Ok(first)])))
    }
    async fn delete_collection(
        &self,
        _: Request<retrieval::DeleteCollectionRequest>,
    ) -> Reply<retrieval::DeleteCollectionResponse> {
        unscripted()
    }
    async fn search(&self, _: Request<retrieval::SearchRequest>) -> Reply<retrieval::SearchResponse> {
        unscripted()
    }
    async fn few_shot(&self, _: Request<retrieval::FewShotRequest>) -> Reply<retrieval::FewShotResponse> {
        unscripted()
    }
    async fn lookup(&self, _: Request<retrieval::LookupRequest>) -> Reply<retrieval::LookupResponse> {
        unscripted()
    }
    async fn read_lines(
        &self,
        _: Request<retrieval::ReadLinesRequest>,
    ) -> Reply<retrieval::ReadLinesResponse> {
        unscripted()
    }
    async fn lint_collection(
        &self,
        _: Request<retrieval::LintCollectionRequest>,
    ) -> Reply<retrieval::LintCollectionResponse> {
        unscripted()
    }
    /// Every text points the same way, but for one that begins with `Other`.
    async fn embed(&self, request: Request<retrieval::EmbedRequest>) -> Reply<retrieval::EmbedResponse> {
        let vector = |text: &String| retrieval::Vector {
            values: if text.starts_with("Other") { vec![0.0, 1.0] } else { vec![1.0, 0.0] },
        };
        let vectors = request.into_inner().texts.iter().map(vector).collect();
        Ok(Response::new(retrieval::EmbedResponse { vectors, ..retrieval::EmbedResponse::default() }))
    }
    async fn ingest(&self, _: Request<Streaming<retrieval::IngestRequest>>) -> Reply<Self::IngestStream> {
        unscripted()
    }
    async fn list_collections(
        &self,
        _: Request<retrieval::ListCollectionsRequest>,
    ) -> Reply<retrieval::ListCollectionsResponse> {
        unscripted()
    }
}

#[tonic::async_trait]
impl GenerationService for Script {
    type DraftStream = Empty<Result<generation::DraftResponse, Status>>;

    async fn describe(
        &self,
        request: Request<generation::DescribeRequest>,
    ) -> Reply<generation::DescribeResponse> {
        let describe = |model: String| generation::DescribedModel { version: model.clone(), model };
        let models = request.into_inner().models.into_iter().map(describe).collect();
        Ok(Response::new(generation::DescribeResponse { models, ..generation::DescribeResponse::default() }))
    }
    /// The model `openai:mute@1` says nothing; every other finds the first thing true and the rest not.
    async fn assess(&self, request: Request<generation::AssessRequest>) -> Reply<generation::AssessResponse> {
        let request = request.into_inner();
        if request.model == "openai:mute@1" {
            let reason = "the provider is down".to_owned();
            return Ok(Response::new(generation::AssessResponse { reason, ..Default::default() }));
        }
        let count = match request.task() {
            generation::AssessTask::Usefulness => request.sources.len(),
            _ => request.statements.len(),
        };
        let verdict = |n: usize| format!("{{\"n\": {n}, \"reason\": \"\", \"holds\": {}}}", n == 1);
        let reply = match request.task() {
            generation::AssessTask::Questions => {
                "{\"questions\": [\"The same?\", \"Other?\"], \"noncommittal\": false}".to_owned()
            }
            _ => {
                let verdicts: Vec<String> = (1..=count).map(verdict).collect();
                format!("{{\"verdicts\": [{}]}}", verdicts.join(", "))
            }
        };
        let (prompt_tokens, completion_tokens) = (Some(100), Some(10));
        Ok(Response::new(generation::AssessResponse {
            reply,
            prompt_tokens,
            completion_tokens,
            ..Default::default()
        }))
    }
    async fn draft(&self, _: Request<generation::DraftRequest>) -> Reply<Self::DraftStream> {
        unscripted()
    }
    async fn reformulate(
        &self,
        _: Request<generation::ReformulateRequest>,
    ) -> Reply<generation::ReformulateResponse> {
        unscripted()
    }
    async fn classify(&self, _: Request<generation::ClassifyRequest>) -> Reply<generation::ClassifyResponse> {
        unscripted()
    }
}

#[tonic::async_trait]
impl ValidationService for Script {
    type CheckStream = Iter<std::array::IntoIter<Result<validation::CheckResponse, Status>, 1>>;

    async fn check(&self, _: Request<Streaming<validation::CheckRequest>>) -> Reply<Self::CheckStream> {
        let done = validation::CheckDone { policy: "balanced".into(), ..validation::CheckDone::default() };
        let done = validation::check_response::Part::Done(done);
        Ok(Response::new(futures::stream::iter([Ok(validation::CheckResponse { part: Some(done) })])))
    }
    async fn assess_relevance(
        &self,
        _: Request<validation::AssessRelevanceRequest>,
    ) -> Reply<validation::AssessRelevanceResponse> {
        Ok(Response::new(validation::AssessRelevanceResponse { probability: 0.75, relevant: true }))
    }
}

/// The three, each by its name.
pub(crate) fn scripts(blank: ServiceSpec) -> Vec<(&'static str, Channel, Running)> {
    let specs: [&'static ServiceSpec; 3] = [
        Box::leak(Box::new(ServiceSpec {
            name: "retrieval",
            grpc: "assay.retrieval.v1alpha1.RetrievalService",
            ..blank
        })),
        Box::leak(Box::new(ServiceSpec {
            name: "generation",
            grpc: "assay.generation.v1alpha1.GenerationService",
            ..blank
        })),
        Box::leak(Box::new(ServiceSpec {
            name: "validation",
            grpc: "assay.validation.v1alpha1.ValidationService",
            ..blank
        })),
    ];
    specs
        .into_iter()
        .map(|spec| {
            let service = Service::new(spec, assay_proto::DESCRIPTORS).unwrap();
            let service = match spec.name {
                "retrieval" => service.with(|routes| routes.add_service(RetrievalServiceServer::new(Script))),
                "generation" => {
                    service.with(|routes| routes.add_service(GenerationServiceServer::new(Script)))
                }
                _ => service.with(|routes| routes.add_service(ValidationServiceServer::new(Script))),
            };
            let (channel, running) = service.in_memory(Limits::default());
            (spec.name, channel, running)
        })
        .collect()
}
