//! How a command reaches the services: embedded in this process, or a system that runs already.

use std::sync::Arc;
use std::time::Duration;

use assay_domain::{Code, Failure, Identity};
use assay_proto::{audit, evaluation, parser, retrieval, router, validation};
use assay_rpc::{Channel, Context, MAX_MESSAGE_BYTES, Peers};

use crate::cli::Global;
use crate::folder::{self, Folder};
use crate::settings::Settings;
use crate::system::System;

/// Channels to the services, and whatever must live as long as they are used.
#[derive(Debug)]
pub struct Clients {
    peers: Peers,
    owned: Option<(System, Option<Arc<Folder>>)>,
}

macro_rules! client {
    ($(#[$meta:meta])* $name:ident, $module:ident, $server:ident, $client:ident) => {
        $(#[$meta])*
        ///
        /// # Errors
        /// `CONFIGURATION` if there is no channel to it.
        pub fn $name(&self) -> Result<$module::$server::$client<Channel>, Failure> {
            Ok($module::$server::$client::new(self.peers.channel(stringify!($name))?)
                .max_decoding_message_size(MAX_MESSAGE_BYTES)
                .max_encoding_message_size(MAX_MESSAGE_BYTES))
        }
    };
}

// === impl Clients ===

impl Clients {
    /// Reaches a running system if there is one (`--endpoint`, or one that owns the data folder); else takes the data
    /// folder and runs every service in this process.
    ///
    /// # Errors
    /// `DATA_FOLDER_IN_USE`, `CONFIGURATION`, or what a service says that cannot start.
    pub async fn connect(global: &Global, settings: &Settings) -> Result<Self, Failure> {
        if let Some(remote) = Self::remote(global).await? {
            return Ok(remote);
        }
        let folder = Folder::own(&global.data)?;
        let system = System::start(settings).await?;
        Ok(Self { peers: system.peers().clone(), owned: Some((system, Some(Arc::new(folder)))) })
    }

    /// Reaches the parser and the checks; without `--endpoint` they run in this process and touch no folder.
    ///
    /// # Errors
    /// `CONFIGURATION`, or what a service says that cannot start.
    pub async fn checks(global: &Global, settings: &Settings) -> Result<Self, Failure> {
        if let Some(endpoint) = &global.endpoint {
            return Self::to(endpoint).await;
        }
        let system = System::start_checks(settings).await?;
        Ok(Self { peers: system.peers().clone(), owned: Some((system, None)) })
    }

    /// Over services that run already in this process.
    #[must_use]
    pub fn over(peers: Peers) -> Self {
        Self { peers, owned: None }
    }

    async fn remote(global: &Global) -> Result<Option<Self>, Failure> {
        if let Some(endpoint) = &global.endpoint {
            return Self::to(endpoint).await.map(Some);
        }
        match folder::running(&global.data) {
            Some(address) => Self::to(&address.grpc).await.map(Some),
            None => Ok(None),
        }
    }

    async fn to(endpoint: &str) -> Result<Self, Failure> {
        let url = if endpoint.contains("://") { endpoint.to_owned() } else { format!("http://{endpoint}") };
        let wrong = |text: String| Failure::new(Code::Configuration, text).field("endpoint");
        let endpoint = tonic::transport::Endpoint::from_shared(url.clone())
            .map_err(|error| wrong(format!("{url:?} is no address: {error}")))?
            .tcp_nodelay(true)
            .connect_timeout(Duration::from_secs(5));
        let channel = endpoint.connect().await.map_err(|_| {
            Failure::new(Code::Unavailable, format!("nothing answers at {url}; is `assay up` running?"))
                .field("endpoint")
        })?;
        let peers = crate::system::SPECS
            .iter()
            .fold(Peers::none(), |peers, spec| peers.with(spec.name, channel.clone()));
        Ok(Self { peers, owned: None })
    }

    /// Whether the services run in this process.
    #[must_use]
    pub fn is_embedded(&self) -> bool {
        self.owned.is_some()
    }

    /// The local user, with a budget.
    #[must_use]
    pub fn context(&self, budget: Duration) -> Context {
        Context::background(Identity::local(), budget)
    }

    /// Ends the services that run in this process.
    pub async fn close(self) {
        if let Some((system, folder)) = self.owned {
            system.drain().await;
            drop(folder);
        }
    }

    client!(/// The router.
        router, router, router_service_client, RouterServiceClient);
    client!(/// Retrieval.
        retrieval, retrieval, retrieval_service_client, RetrievalServiceClient);
    client!(/// Validation.
        validation, validation, validation_service_client, ValidationServiceClient);
    client!(/// The parser.
        parser, parser, parser_service_client, ParserServiceClient);
    client!(/// Audit.
        audit, audit, audit_service_client, AuditServiceClient);
    client!(/// Evaluation.
        evaluation, evaluation, evaluation_service_client, EvaluationServiceClient);
}

/// The failure inside a status.
#[must_use]
pub fn failure(status: tonic::Status) -> Failure {
    assay_wire::from_status(&status)
}
