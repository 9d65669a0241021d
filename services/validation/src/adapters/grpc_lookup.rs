//! The index of the retrieval service as a port.

use std::time::Duration;

use assay_domain::Failure;
use assay_proto::retrieval::LookupRequest;
use assay_proto::retrieval::retrieval_service_client::RetrievalServiceClient;
use assay_rpc::{Channel, Context, MAX_MESSAGE_BYTES};
use assay_wire::from_status;
use async_trait::async_trait;

use crate::ports::{Known, KnownName, KnownPath, LookupPort, LookupQuery};

/// Asks the retrieval service.
#[derive(Debug, Clone)]
pub struct GrpcLookup {
    client: RetrievalServiceClient<Channel>,
    timeout: Duration,
}

impl GrpcLookup {
    /// Asks over a channel and waits at most `timeout` a call.
    #[must_use]
    pub fn new(channel: Channel, timeout: Duration) -> Self {
        let client = RetrievalServiceClient::new(channel)
            .max_decoding_message_size(MAX_MESSAGE_BYTES)
            .max_encoding_message_size(MAX_MESSAGE_BYTES);
        Self { client, timeout }
    }
}

#[async_trait]
impl LookupPort for GrpcLookup {
    async fn look_up(&self, context: &Context, query: LookupQuery) -> Result<Known, Failure> {
        let LookupQuery { collection, paths, names } = query;
        let (asked_paths, asked_names) = (paths.len(), names.len());
        let request = LookupRequest { collection, paths, names, cited: Vec::new() };
        let context = context.capped(self.timeout);
        let mut client = self.client.clone();
        let reply = context.within(client.lookup(context.request(request))).await?;
        let reply = reply.map_err(|status| from_status(&status))?.into_inner();
        if (reply.paths.len(), reply.names.len()) != (asked_paths, asked_names) {
            return Err(Failure::internal("the index answered for other names than were asked"));
        }
        let paths = reply.paths.into_iter();
        let names = reply.names.into_iter();
        Ok(Known {
            paths: paths
                .map(|fact| KnownPath {
                    path: fact.path,
                    exists: fact.exists,
                    line_count: fact.line_count,
                    near: fact.near,
                })
                .collect(),
            names: names
                .map(|fact| KnownName { name: fact.name, exists: fact.exists, near: fact.near })
                .collect(),
        })
    }
}
