//! The gRPC face: decode, call the service, encode.

use crate::corpus::{Filter, Manifest, SourceFile};
use crate::few_shot;
use crate::ingest::{Header, Part, Progress};
use crate::lookup::{self, Cited, Facts, Resolution};
use crate::search;
use crate::service::Retrieval;
use assay_documents::{Block, Kind};
use assay_domain::evidence::SearchMode;
use assay_domain::{Code, Failure, LineRange, Role};
use assay_lint::Finding;
use assay_proto::common;
use assay_proto::retrieval::ingest_request::Part as WirePart;
use assay_proto::retrieval::retrieval_service_server::RetrievalService;
use assay_proto::retrieval::{
    DeleteCollectionRequest, DeleteCollectionResponse, DescribeCollectionRequest, DescribeCollectionResponse,
    EmbedRequest, EmbedResponse, FewShotRequest, FewShotResponse, Filter as WireFilter, IndexedDocument,
    IngestRequest, IngestResponse, LintCollectionRequest, LintCollectionResponse, LintFinding,
    ListCollectionsRequest, ListCollectionsResponse, LookupRequest, LookupResponse, Manifest as WireManifest,
    NameFact, PathFact, ReadBlock, ReadLinesRequest, ReadLinesResponse, SearchRequest, SearchResponse,
    SkippedFile, Vector,
};
use assay_rpc::Context;
use assay_wire::{FromWire, ToWire, from_status, list_to_wire, missing, required, to_status};
use futures::{Stream, StreamExt, stream};
use std::pin::Pin;
use std::sync::Arc;
use tokio::sync::{mpsc, oneshot};
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Request, Response, Status, Streaming};

/// Documents of one message of a description.
const DOCUMENTS_PER_MESSAGE: usize = 1000;
/// Progress messages that wait for a slow caller.
const PROGRESS_BUFFER: usize = 16;

/// The service behind its generated face.
pub(crate) struct Grpc {
    retrieval: Arc<Retrieval>,
}

impl Grpc {
    pub(crate) fn new(retrieval: Arc<Retrieval>) -> Self {
        Self { retrieval }
    }
}

fn filter(wire: WireFilter) -> Filter {
    let paths = wire.paths.into_iter().map(|path| path.trim_matches('/').to_owned()).collect();
    Filter { paths, kinds: wire.kinds, languages: wire.languages, tags: wire.tags }
}

fn context<T>(request: &Request<T>) -> Result<Context, Status> {
    Context::from_request(request).map_err(|failure| to_status(&failure))
}

#[tonic::async_trait]
impl RetrievalService for Grpc {
    async fn search(&self, request: Request<SearchRequest>) -> Result<Response<SearchResponse>, Status> {
        let context = context(&request)?;
        let wire = request.into_inner();
        let answer = async {
            let request = search::Request {
                query: wire.query,
                further_queries: wire.further_queries,
                collection: wire.collection,
                mode: SearchMode::from_wire(wire.mode)?,
                limit: usize::try_from(wire.limit).unwrap_or(usize::MAX),
                filter: wire.filter.map(filter).unwrap_or_default(),
            };
            context.within(self.retrieval.search(&context.identity().tenant, &request)).await?
        };
        let found = answer.await.map_err(|failure: Failure| to_status(&failure))?;
        for leg in &found.degraded {
            tracing::warn!(leg = leg.leg, reason = %leg.reason, "a search leg could not be used");
        }
        Ok(Response::new(SearchResponse {
            hits: list_to_wire(&found.hits),
            index_manifest: found.index_manifest,
            degraded: found.degraded.iter().map(|leg| leg.leg.to_owned()).collect(),
            degraded_reasons: found.degraded.into_iter().map(|leg| leg.reason).collect(),
            embedding_model: found.embedding_model,
            mode: found.mode.to_wire(),
        }))
    }

    async fn few_shot(&self, request: Request<FewShotRequest>) -> Result<Response<FewShotResponse>, Status> {
        let context = context(&request)?;
        let wire = request.into_inner();
        let limit = usize::try_from(wire.limit).unwrap_or(usize::MAX);
        let request = few_shot::Request { task: wire.task, language: wire.language, limit };
        let found = context.within(self.retrieval.few_shot(&request)).await.and_then(std::convert::identity);
        let found = found.map_err(|failure| to_status(&failure))?;
        Ok(Response::new(FewShotResponse {
            examples: list_to_wire(&found.examples),
            degraded: found.degraded,
        }))
    }

    async fn lookup(&self, request: Request<LookupRequest>) -> Result<Response<LookupResponse>, Status> {
        let context = context(&request)?;
        let wire = request.into_inner();
        let answer = async {
            let cited = wire
                .cited
                .into_iter()
                .map(|cited| {
                    let lines: LineRange = required("cited.lines", cited.lines)?;
                    Ok(Cited { path: cited.path, lines, sha256: cited.sha256 })
                })
                .collect::<Result<_, Failure>>()?;
            let request = lookup::Request { paths: wire.paths, names: wire.names, cited };
            let work = self.retrieval.look_up(&context.identity().tenant, &wire.collection, &request);
            Ok::<_, Failure>((context.within(work).await??, request))
        };
        let (facts, request) = answer.await.map_err(|failure| to_status(&failure))?;
        Ok(Response::new(facts_to_wire(facts, request)))
    }

    async fn read_lines(
        &self,
        request: Request<ReadLinesRequest>,
    ) -> Result<Response<ReadLinesResponse>, Status> {
        let context = context(&request)?;
        let ReadLinesRequest { collection, path, lines } = request.into_inner();
        let answer = async {
            let wanted: LineRange = required("lines", lines)?;
            let work = self.retrieval.read_lines(&context.identity().tenant, &collection, &path, wanted);
            context.within(work).await?
        };
        let found = answer.await.map_err(|failure: Failure| to_status(&failure))?;
        Ok(Response::new(ReadLinesResponse {
            lines: Some(found.lines.to_wire()),
            text: found.text,
            line_count: found.line_count,
            sha256: found.sha256,
            index_manifest: found.index_manifest,
            blocks: found.blocks.into_iter().map(block_to_wire).collect(),
        }))
    }

    async fn lint_collection(
        &self,
        request: Request<LintCollectionRequest>,
    ) -> Result<Response<LintCollectionResponse>, Status> {
        let context = context(&request)?;
        let collection = request.into_inner().collection;
        let work = self.retrieval.lint(&context.identity().tenant, &collection);
        let found = context.within(work).await.and_then(std::convert::identity);
        let found = found.map_err(|failure| to_status(&failure))?;
        let finding = |Finding { rule, place, message, .. }: Finding| LintFinding {
            rule: rule.as_str().to_owned(),
            path: place.path,
            first_line: place.lines.first,
            last_line: place.lines.last,
            message,
        };
        Ok(Response::new(LintCollectionResponse {
            findings: found.findings.into_iter().map(finding).collect(),
            total: found.total,
            files: found.files,
        }))
    }

    async fn embed(&self, request: Request<EmbedRequest>) -> Result<Response<EmbedResponse>, Status> {
        let context = context(&request)?;
        let work = self.retrieval.embed(request.into_inner().texts);
        let vectors = context.within(work).await.and_then(std::convert::identity);
        let vectors = vectors.map_err(|failure| to_status(&failure))?;
        Ok(Response::new(EmbedResponse {
            vectors: vectors.into_iter().map(|values| Vector { values }).collect(),
            embedding_model: self.retrieval.embedding().to_string(),
            hashed: self.retrieval.embedding().is_hashed(),
        }))
    }

    type IngestStream = Pin<Box<dyn Stream<Item = Result<IngestResponse, Status>> + Send>>;

    async fn ingest(
        &self,
        request: Request<Streaming<IngestRequest>>,
    ) -> Result<Response<Self::IngestStream>, Status> {
        let context = context(&request)?;
        may_write(&context)?;
        let tenant = context.identity().tenant.clone();
        let retrieval = Arc::clone(&self.retrieval);
        let mut incoming = request.into_inner();
        let (events, progress) = mpsc::channel(PROGRESS_BUFFER);
        // The work is polled by the response stream itself: a caller that goes away drops it, and nothing changes.
        let work = async move {
            let header = match incoming.message().await.map_err(|status| from_status(&status))? {
                Some(IngestRequest { part: Some(WirePart::Header(header)) }) => Header {
                    collection: header.collection,
                    replace: header.replace,
                    replace_below: header.replace_below,
                },
                _ => return Err(missing("header")),
            };
            let parts = incoming.map(|message| part(message.map_err(|status| from_status(&status))?));
            let done = retrieval.ingest(&tenant, &header, parts, &events, assay_rpc::clock::unix_ms()).await;
            done.map(|(manifest, last)| Progress { manifest: Some(manifest), ..last })
        };
        let (end, ended) = oneshot::channel();
        let driver = stream::once(async move { end.send(work.await).ok() }).filter_map(|_| async { None });
        let told = ReceiverStream::new(progress).map(Ok);
        let last = stream::once(async move {
            ended.await.unwrap_or_else(|_| Err(Failure::internal("the ingest ended without a result")))
        });
        let answer = stream::select(told, driver)
            .chain(last)
            .map(|event| event.map(progress_to_wire).map_err(|failure: Failure| to_status(&failure)));
        Ok(Response::new(Box::pin(answer)))
    }

    async fn list_collections(
        &self,
        request: Request<ListCollectionsRequest>,
    ) -> Result<Response<ListCollectionsResponse>, Status> {
        let context = context(&request)?;
        let work = self.retrieval.collections(&context.identity().tenant);
        let manifests = context.within(work).await.and_then(std::convert::identity);
        let manifests = manifests.map_err(|failure| to_status(&failure))?;
        Ok(Response::new(ListCollectionsResponse {
            collections: manifests.iter().map(manifest_to_wire).collect(),
        }))
    }

    type DescribeCollectionStream =
        Pin<Box<dyn Stream<Item = Result<DescribeCollectionResponse, Status>> + Send>>;

    async fn describe_collection(
        &self,
        request: Request<DescribeCollectionRequest>,
    ) -> Result<Response<Self::DescribeCollectionStream>, Status> {
        let context = context(&request)?;
        let collection = request.into_inner().collection;
        let work = self.retrieval.describe(&context.identity().tenant, &collection);
        let manifest = context.within(work).await.and_then(std::convert::identity);
        let manifest = manifest.map_err(|failure| to_status(&failure))?;
        Ok(Response::new(Box::pin(stream::iter(described(&manifest).into_iter().map(Ok)))))
    }

    async fn delete_collection(
        &self,
        request: Request<DeleteCollectionRequest>,
    ) -> Result<Response<DeleteCollectionResponse>, Status> {
        let context = context(&request)?;
        may_write(&context)?;
        let collection = request.into_inner().collection;
        let work = self.retrieval.delete(&context.identity().tenant, &collection);
        let done = context.within(work).await.and_then(std::convert::identity);
        done.map_err(|failure| to_status(&failure))?;
        Ok(Response::new(DeleteCollectionResponse {}))
    }
}

fn may_write(context: &Context) -> Result<(), Status> {
    if context.identity().has(Role::Ingest) {
        return Ok(());
    }
    let text = "the caller lacks the role `ingest`";
    Err(to_status(&Failure::new(Code::PermissionDenied, text).field("roles")))
}

/// A manifest in messages that each hold so many documents at most.
fn described(manifest: &Manifest) -> Vec<DescribeCollectionResponse> {
    let mut parts: Vec<DescribeCollectionResponse> = manifest
        .files
        .chunks(DOCUMENTS_PER_MESSAGE)
        .map(|files| DescribeCollectionResponse {
            manifest: None,
            documents: files.iter().map(document_to_wire).collect(),
        })
        .collect();
    if parts.is_empty() {
        parts.push(DescribeCollectionResponse::default());
    }
    if let Some(first) = parts.first_mut() {
        first.manifest = Some(manifest_to_wire(manifest));
    }
    parts
}

fn block_to_wire(block: Block) -> ReadBlock {
    let (level, label) = match &block.kind {
        Kind::Heading { level } => (u32::from(*level), String::new()),
        Kind::Item { depth, number, .. } => {
            (u32::from(*depth), number.map_or_else(String::new, |number| number.to_string()))
        }
        Kind::Code { language } => (0, language.clone()),
        Kind::Admonition { label } => (0, label.clone()),
        Kind::Paragraph | Kind::Row { .. } | Kind::Definition { .. } | Kind::Caption => (0, String::new()),
    };
    let kind = block.kind.name().to_owned();
    ReadBlock { kind, lines: Some(block.lines.to_wire()), text: block.text, level, label }
}

fn document_to_wire(file: &SourceFile) -> IndexedDocument {
    let document = &file.document;
    IndexedDocument {
        key: document.key.clone(),
        path: document.path.clone(),
        sha256: file.sha256.clone(),
        bytes: file.bytes,
        lines: file.lines,
        chunks: file.passages,
        title: document.title.clone(),
        kind: document.kind.clone(),
        commit: document.commit.clone(),
        tags: document.tags.clone(),
    }
}

fn part(message: IngestRequest) -> Result<Part, Failure> {
    match message.part {
        Some(WirePart::File(file)) => {
            Ok(Part::File { path: file.path, content: file.content, commit: file.commit })
        }
        Some(WirePart::Item(item)) => Ok(Part::Item { id: item.id, title: item.title, text: item.text }),
        Some(WirePart::Header(_)) => {
            Err(Failure::new(Code::InvalidArgument, "a header comes first and only once").field("header"))
        }
        None => Err(missing("part")),
    }
}

fn progress_to_wire(progress: Progress) -> IngestResponse {
    IngestResponse {
        files_done: progress.files_done,
        chunks_done: progress.chunks_done,
        chunks_to_embed: progress.chunks_to_embed,
        chunks_embedded: progress.chunks_embedded,
        skipped: progress
            .skipped
            .into_iter()
            .map(|skipped| SkippedFile { path: skipped.path, reason: skipped.reason })
            .collect(),
        manifest: progress.manifest.as_ref().map(manifest_to_wire),
        files_unchanged: progress.files_unchanged,
    }
}

fn manifest_to_wire(manifest: &Manifest) -> WireManifest {
    WireManifest {
        id: manifest.id.clone(),
        collection: manifest.collection.clone(),
        files: manifest.files.len() as u64,
        chunks: manifest.passages,
        chunker: manifest.chunker.clone(),
        analysis: manifest.analysis.clone(),
        embedding_model: manifest.embedding.to_string(),
        created_unix_ms: manifest.created_unix_ms,
        lint_blocks: manifest.lint.blocks,
        lint_invalid_blocks: manifest.lint.invalid,
        lint_invalid_at: manifest.lint.invalid_at.clone(),
    }
}

fn facts_to_wire(facts: Facts, request: lookup::Request) -> LookupResponse {
    let now = request.cited.iter().zip(&facts.cited).map(|(cited, resolution)| match resolution {
        Resolution::Exact => cited.lines,
        Resolution::Moved(lines) => *lines,
        Resolution::Dangling => LineRange::new(0, 0),
    });
    LookupResponse {
        cited_lines: list_to_wire(&now.collect::<Vec<LineRange>>()),
        paths: request
            .paths
            .into_iter()
            .zip(facts.paths)
            .map(|(path, fact)| PathFact {
                path,
                exists: fact.exists,
                line_count: fact.line_count,
                near: fact.near,
            })
            .collect(),
        names: request
            .names
            .into_iter()
            .zip(facts.names)
            .map(|(name, fact)| NameFact { name, exists: fact.exists, near: fact.near })
            .collect(),
        cited: facts
            .cited
            .into_iter()
            .map(|resolution| match resolution {
                Resolution::Exact => common::Resolution::Exact,
                Resolution::Moved(_) => common::Resolution::Moved,
                Resolution::Dangling => common::Resolution::Dangling,
            })
            .map(i32::from)
            .collect(),
        index_manifest: facts.index_manifest,
    }
}
