//! Retrieval over gRPC.

use assay_domain::{Code, Failure, Hit};
use assay_proto::retrieval as wire;
use assay_proto::retrieval::retrieval_service_client::RetrievalServiceClient;
use assay_rpc::{Channel, Context, MAX_MESSAGE_BYTES, Peers};
use async_trait::async_trait;

use crate::adapters::peer;
use crate::ports::{Examples, Found, Retriever, SearchQuery, Vectors};

/// The channel to the service.
#[derive(Clone)]
pub(crate) struct GrpcRetrieval(RetrievalServiceClient<Channel>);

impl GrpcRetrieval {
    /// Takes the channel of the peer.
    ///
    /// # Errors
    /// `CONFIGURATION` if it is missing.
    pub(crate) fn new(peers: &Peers) -> Result<Self, Failure> {
        let client = RetrievalServiceClient::new(peers.channel("retrieval")?)
            .max_decoding_message_size(MAX_MESSAGE_BYTES)
            .max_encoding_message_size(MAX_MESSAGE_BYTES);
        Ok(Self(client))
    }
}

#[async_trait]
impl Retriever for GrpcRetrieval {
    async fn search(&self, context: &Context, query: SearchQuery) -> Result<Found, Failure> {
        let request = wire::SearchRequest {
            query: query.query,
            further_queries: query.further,
            collection: query.collection,
            mode: wire::SearchMode::Hybrid as i32,
            limit: query.limit,
            filter: None,
        };
        let reply = self.0.clone().search(context.request(request)).await;
        let silent = |status| peer::silent(&status, Code::SearchUnavailable);
        let reply = reply.map_err(silent)?.into_inner();
        Ok(Found {
            hits: peer::list("hits", reply.hits)?,
            index_manifest: reply.index_manifest,
            degraded: reasoned(reply.degraded, &reply.degraded_reasons),
        })
    }

    async fn examples(
        &self,
        context: &Context,
        task: &str,
        language: &str,
        limit: u32,
    ) -> Result<Examples, Failure> {
        let request = wire::FewShotRequest { task: task.into(), language: language.into(), limit };
        let reply =
            self.0.clone().few_shot(context.request(request)).await.map_err(peer::failure)?.into_inner();
        let hits: Vec<Hit> = peer::list("examples", reply.examples)?;
        Ok(Examples { sources: hits.into_iter().map(|hit| hit.source).collect(), degraded: reply.degraded })
    }

    async fn embed(&self, context: &Context, texts: Vec<String>) -> Result<Vectors, Failure> {
        let request = wire::EmbedRequest { texts };
        let reply = self.0.clone().embed(context.request(request)).await.map_err(peer::failure)?.into_inner();
        let vectors = reply.vectors.into_iter().map(|vector| vector.values).collect();
        Ok(Vectors { vectors, model: reply.embedding_model, hashed: reply.hashed })
    }
}

/// Legs, each with the reason why it could not be used if there is one.
fn reasoned(legs: Vec<String>, reasons: &[String]) -> Vec<String> {
    let with = |(place, leg): (usize, String)| match reasons.get(place) {
        Some(reason) => format!("{leg}: {reason}"),
        None => leg,
    };
    legs.into_iter().enumerate().map(with).collect()
}
