//! How a command reaches the services: embedded in this process, or a system that runs already.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use assay_domain::{Code, Failure, Identity};
use assay_proto::{audit, evaluation, parser, retrieval, router, validation};
use assay_rpc::{Channel, Context, MAX_MESSAGE_BYTES, Peers, clock};
use tonic::Status;
use tonic::metadata::{Ascii, MetadataValue};
use tonic::service::Interceptor;
use tonic::service::interceptor::InterceptedService;

use crate::endpoint;
use crate::flags::Global;
use crate::folder::{self, Folder};
use crate::settings::Settings;
use crate::system::System;

/// Bytes of a message that are left to what stands around a text.
const AROUND: usize = 64 * 1024;

/// Time a single command may take when it asks a service.
pub const BUDGET: Duration = Duration::from_secs(120);
/// Time a long job may take: ingest, evaluation, verification of a whole log.
pub const LONG_BUDGET: Duration = Duration::from_secs(24 * 3600);

/// Wait for another command that has the data folder.
const PATIENCE: Duration = Duration::from_secs(10);
/// Time between two looks whether it ended.
const BETWEEN: Duration = Duration::from_millis(50);

/// The way to a service, with the credentials that every call carries.
pub type Link = InterceptedService<Channel, Credentials>;

/// The key that a running system asks for; none inside this process.
#[derive(Debug, Clone, Default)]
pub struct Credentials(Option<MetadataValue<Ascii>>);

/// The services in this process, and the folder that they hold.
type Owned = (System, Option<Arc<Folder>>);

/// Channels to the services, and whatever must live as long as they are used.
#[derive(Debug)]
pub struct Clients {
    peers: Peers,
    credentials: Credentials,
    /// Services in this process until they are closed; behind a lock, since threads may not share what ends them.
    owned: Option<Mutex<Option<Owned>>>,
}

macro_rules! client {
    ($(#[$meta:meta])* $name:ident, $module:ident, $server:ident, $client:ident) => {
        $(#[$meta])*
        ///
        /// # Errors
        /// `CONFIGURATION` if there is no channel to it.
        pub fn $name(&self) -> Result<$module::$server::$client<Link>, Failure> {
            let channel = self.peers.channel(stringify!($name))?;
            Ok($module::$server::$client::with_interceptor(channel, self.credentials.clone())
                .max_decoding_message_size(MAX_MESSAGE_BYTES)
                .max_encoding_message_size(MAX_MESSAGE_BYTES))
        }
    };
}

// === impl Credentials ===

impl Credentials {
    /// The key as a bearer token.
    fn of(key: Option<&str>) -> Result<Self, Failure> {
        let Some(key) = key.filter(|key| !key.is_empty()) else { return Ok(Self::default()) };
        let mut value: MetadataValue<Ascii> = format!("Bearer {key}").parse().map_err(|_| {
            let text = "the key has characters that no key has; look at --api-key or ASSAY_API_KEY";
            Failure::new(Code::InvalidArgument, text).field("api-key")
        })?;
        value.set_sensitive(true);
        Ok(Self(Some(value)))
    }
}

impl Interceptor for Credentials {
    fn call(&mut self, mut request: tonic::Request<()>) -> Result<tonic::Request<()>, Status> {
        if let Some(key) = &self.0 {
            request.metadata_mut().insert("authorization", key.clone());
        }
        Ok(request)
    }
}

// === impl Clients ===

impl Clients {
    /// Reaches a running system if there is one (`--endpoint`, or one that owns the data folder); else takes the data
    /// folder and runs every service in this process. Waits a while for another command that has the folder.
    ///
    /// # Errors
    /// `DATA_FOLDER_IN_USE`, `CONFIGURATION`, or what a service says that cannot start.
    pub async fn connect(global: &Global, settings: &Settings) -> Result<Self, Failure> {
        let patient_until = clock::now() + PATIENCE;
        let folder = loop {
            if let Some(remote) = Self::remote(global).await? {
                return Ok(remote);
            }
            match Folder::own(&global.data) {
                Err(failure) if failure.code == Code::DataFolderInUse && clock::now() < patient_until => {
                    tokio::time::sleep(BETWEEN).await;
                }
                owned => break owned?,
            }
        };
        let system = System::start(settings).await?;
        Ok(Self::within(system, Some(Arc::new(folder))))
    }

    /// Reaches the indexes of a running system if there is one; else those of the data folder, which other commands may
    /// have at the same time.
    ///
    /// # Errors
    /// `CONFIGURATION`, or what retrieval says if it cannot start.
    pub async fn indexes(global: &Global, settings: &Settings) -> Result<Self, Failure> {
        if let Some(remote) = Self::remote(global).await? {
            return Ok(remote);
        }
        Ok(Self::within(System::start_indexes(settings).await?, None))
    }

    /// Reaches the router of a running system if there is one; else one in this process that only classifies and leaves
    /// the data folder to others.
    ///
    /// # Errors
    /// `CONFIGURATION`, or what a service says that cannot start.
    pub async fn classifying(global: &Global, settings: &Settings) -> Result<Self, Failure> {
        if let Some(remote) = Self::remote(global).await? {
            return Ok(remote);
        }
        Ok(Self::within(System::start_classifying(settings).await?, None))
    }

    /// Reaches the parser and the checks; without `--endpoint` they run in this process and touch no folder.
    ///
    /// # Errors
    /// `CONFIGURATION`, or what a service says that cannot start.
    pub async fn checks(global: &Global, settings: &Settings) -> Result<Self, Failure> {
        if let Some(endpoint) = &global.endpoint {
            return Self::to(endpoint, global).await;
        }
        Ok(Self::within(System::start_checks(settings).await?, None))
    }

    /// Reaches the audit log of a running system if there is one; else reads a private copy of it. Starts nothing else,
    /// takes no folder and writes nothing into it.
    ///
    /// # Errors
    /// `NOT_FOUND` if there is no log, or what opening it says.
    pub async fn records(global: &Global, settings: &Settings) -> Result<Self, Failure> {
        if let Some(remote) = Self::remote(global).await? {
            return Ok(remote);
        }
        Ok(Self::within(System::start_reading(settings).await?, None))
    }

    /// As [`Clients::records`], with the indexes.
    ///
    /// # Errors
    /// As [`Clients::records`] and [`Clients::indexes`].
    pub async fn records_and_indexes(global: &Global, settings: &Settings) -> Result<Self, Failure> {
        if let Some(remote) = Self::remote(global).await? {
            return Ok(remote);
        }
        Ok(Self::within(System::start_reading(settings).await?.with_indexes(settings).await?, None))
    }

    fn within(system: System, folder: Option<Arc<Folder>>) -> Self {
        let peers = system.peers().clone();
        Self { peers, credentials: Credentials::default(), owned: Some(Mutex::new(Some((system, folder)))) }
    }

    /// Over services that run already in this process.
    #[must_use]
    pub fn over(peers: Peers) -> Self {
        Self { peers, credentials: Credentials::default(), owned: None }
    }

    async fn remote(global: &Global) -> Result<Option<Self>, Failure> {
        if let Some(endpoint) = &global.endpoint {
            return Self::to(endpoint, global).await.map(Some);
        }
        match folder::running(&global.data) {
            Some(address) => Self::to(&address.grpc, global).await.map(Some),
            None => Ok(None),
        }
    }

    async fn to(address: &str, global: &Global) -> Result<Self, Failure> {
        let credentials = Credentials::of(global.api_key.as_deref())?;
        let channel = endpoint::connect(address, global.ca.as_deref()).await?;
        let peers = crate::system::SPECS
            .iter()
            .fold(Peers::none(), |peers, spec| peers.with(spec.name, channel.clone()));
        Ok(Self { peers, credentials, owned: None })
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

    /// Ends the services that run in this process, whoever else still holds the clients.
    pub async fn close(&self) {
        let take = |owned: &Mutex<Option<_>>| owned.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some((system, folder)) = self.owned.as_ref().and_then(take) {
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

/// The failure inside a status; one that a key would cure names the flag.
#[must_use]
pub fn failure(status: tonic::Status) -> Failure {
    let failure = assay_wire::from_status(&status);
    if failure.code == Code::Unauthenticated {
        let message = format!("{}; give the key with --api-key KEY or ASSAY_API_KEY", failure.message);
        return Failure { message, field: "api-key".into(), ..failure };
    }
    failure
}

/// Whether a text fits into one message to a service; a longer one would break the connection instead of being refused.
///
/// # Errors
/// `PAYLOAD_TOO_LARGE`, beginning with `what`.
pub fn fits(what: &str, bytes: usize) -> Result<(), Failure> {
    let most = MAX_MESSAGE_BYTES - AROUND;
    if bytes <= most {
        return Ok(());
    }
    let text = format!("{what} {bytes} bytes; at most {most} can be sent");
    Err(Failure::new(Code::PayloadTooLarge, text))
}
