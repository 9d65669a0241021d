//! The retrieval service over gRPC.

use assay_domain::evidence::SearchMode;
use assay_domain::{Failure, Hit};
use assay_proto::retrieval::retrieval_service_client::RetrievalServiceClient;
use assay_proto::retrieval::{ListCollectionsRequest, Manifest, SearchRequest};
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

    async fn collections(&self, context: &Context) -> Result<Vec<Manifest>, Failure> {
        let request = context.request(ListCollectionsRequest {});
        let reply = self.0.clone().list_collections(request).await.map_err(|status| from_status(&status))?;
        Ok(reply.into_inner().collections)
    }
}
