//! The retrieval service over gRPC.

use assay_domain::evidence::SearchMode;
use assay_domain::{Failure, Hit, LineRange};
use assay_proto::retrieval::retrieval_service_client::RetrievalServiceClient;
use assay_proto::retrieval::{
    DescribeCollectionRequest, EmbedRequest, EmbedResponse, IndexedDocument, LintCollectionRequest,
    LintCollectionResponse, ListCollectionsRequest, Manifest, ReadLinesRequest, ReadLinesResponse,
    SearchRequest,
};
use assay_rpc::{Channel, Context, MAX_MESSAGE_BYTES};
use assay_wire::{ToWire as _, from_peer, from_status};
use async_trait::async_trait;

use crate::ports::{Found, Library};

/// Searches through the retrieval service.
#[derive(Debug, Clone)]
pub(crate) struct GrpcLibrary(RetrievalServiceClient<Channel>);

impl GrpcLibrary {
    pub(crate) fn new(channel: Channel) -> Self {
        Self(RetrievalServiceClient::new(channel).max_decoding_message_size(MAX_MESSAGE_BYTES))
    }
}

#[async_trait]
impl Library for GrpcLibrary {
    async fn search(
        &self,
        context: &Context,
        query: &str,
        collection: &str,
        mode: SearchMode,
        limit: u32,
    ) -> Result<Found, Failure> {
        let request = context.request(SearchRequest {
            query: query.to_owned(),
            collection: collection.to_owned(),
            mode: mode.to_wire(),
            limit,
            ..SearchRequest::default()
        });
        let reply = self.0.clone().search(request).await.map_err(|status| from_status(&status))?.into_inner();
        Ok(Found {
            hits: reply.hits.into_iter().map(from_peer::<Hit, _>).collect::<Result<_, _>>()?,
            index_manifest: reply.index_manifest,
            degraded: reply.degraded,
        })
    }

    async fn describe(
        &self,
        context: &Context,
        collection: &str,
    ) -> Result<(Manifest, Vec<IndexedDocument>), Failure> {
        let request = context.request(DescribeCollectionRequest { collection: collection.to_owned() });
        let reply =
            self.0.clone().describe_collection(request).await.map_err(|status| from_status(&status))?;
        let mut messages = reply.into_inner();
        let (mut manifest, mut documents) = (None, Vec::new());
        while let Some(part) = messages.message().await.map_err(|status| from_status(&status))? {
            manifest = manifest.or(part.manifest);
            documents.extend(part.documents);
        }
        let manifest = manifest.ok_or_else(|| Failure::internal("retrieval sent no manifest"))?;
        Ok((manifest, documents))
    }

    async fn lines(
        &self,
        context: &Context,
        collection: &str,
        path: &str,
        lines: LineRange,
    ) -> Result<ReadLinesResponse, Failure> {
        let request = context.request(ReadLinesRequest {
            collection: collection.to_owned(),
            path: path.to_owned(),
            lines: Some(lines.to_wire()),
        });
        Ok(self.0.clone().read_lines(request).await.map_err(|status| from_status(&status))?.into_inner())
    }

    async fn lint(&self, context: &Context, collection: &str) -> Result<LintCollectionResponse, Failure> {
        let request = context.request(LintCollectionRequest { collection: collection.to_owned() });
        Ok(self.0.clone().lint_collection(request).await.map_err(|status| from_status(&status))?.into_inner())
    }

    async fn embed(&self, context: &Context, texts: Vec<String>) -> Result<EmbedResponse, Failure> {
        let request = context.request(EmbedRequest { texts });
        Ok(self.0.clone().embed(request).await.map_err(|status| from_status(&status))?.into_inner())
    }

    async fn collections(&self, context: &Context) -> Result<Vec<Manifest>, Failure> {
        let request = context.request(ListCollectionsRequest {});
        let reply = self.0.clone().list_collections(request).await.map_err(|status| from_status(&status))?;
        Ok(reply.into_inner().collections)
    }
}
