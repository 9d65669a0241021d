//! The embedded system: every service composed over in-memory channels, exactly as separate processes compose them.

use std::sync::Arc;

use assay_domain::{Code, Failure};
use assay_rpc::{Channel, Peers, Running, ServiceSpec};
use tempfile::TempDir;

use crate::in_box::IN_BOX;
use crate::settings::Settings;

/// Every gRPC service of Assay.
pub const SPECS: [&ServiceSpec; 7] = [
    &assay_router::SPEC,
    &assay_retrieval::SPEC,
    &assay_generation::SPEC,
    &assay_validation::SPEC,
    &assay_audit::SPEC,
    &assay_parser::SPEC,
    &assay_evaluation::SPEC,
];

/// Running services and the channels to them.
#[derive(Debug)]
pub struct System {
    peers: Peers,
    running: Vec<Running>,
    /// Stores that nobody reads again; removed at the end.
    scratch: Option<TempDir>,
}

/// Settings of validation with the reader that this program brings along.
fn reading(mut options: assay_validation::Options) -> assay_validation::Options {
    options.reader.in_box = IN_BOX;
    options
}

// === impl System ===

impl System {
    fn empty(peers: Peers) -> Self {
        Self { peers, running: Vec::new(), scratch: None }
    }

    /// Starts every service, those that call nobody first.
    ///
    /// # Errors
    /// What the service that cannot start says.
    pub async fn start(settings: &Settings) -> Result<Self, Failure> {
        let mut system = Self::empty(Peers::none());
        let s = settings.clone();
        system.add(settings, assay_parser::compose(s.parser, &system.allowed(&assay_parser::SPEC)).await?);
        system.add(
            settings,
            assay_retrieval::compose(s.retrieval, &system.allowed(&assay_retrieval::SPEC)).await?,
        );
        system.add(
            settings,
            assay_generation::compose(s.generation, &system.allowed(&assay_generation::SPEC)).await?,
        );
        system.add(settings, assay_audit::compose(s.audit, &system.allowed(&assay_audit::SPEC)).await?);
        system.add(
            settings,
            assay_validation::compose(reading(s.validation), &system.allowed(&assay_validation::SPEC))
                .await?,
        );
        system.add(settings, assay_router::compose(s.router, &system.allowed(&assay_router::SPEC)).await?);
        system.add(
            settings,
            assay_evaluation::compose(&s.evaluation, &system.allowed(&assay_evaluation::SPEC))?,
        );
        Ok(system)
    }

    /// Starts only what judges text and code: parser and validation. Needs no data folder.
    ///
    /// # Errors
    /// What the service that cannot start says.
    pub async fn start_checks(settings: &Settings) -> Result<Self, Failure> {
        let mut system = Self::empty(Peers::none());
        let s = settings.clone();
        system.add(settings, assay_parser::compose(s.parser, &system.allowed(&assay_parser::SPEC)).await?);
        let peers = system.peers.clone().with(assay_retrieval::SPEC.name, assay_rpc::peers::nobody());
        let peers = peers.restricted_to(&assay_validation::SPEC);
        let validation = assay_validation::compose(reading(s.validation), &peers).await?;
        system.add(settings, validation);
        Ok(system)
    }

    /// Composes what opens no store and serves nothing, so that a setting with which it would not start is found:
    /// files, models and addresses too.
    ///
    /// # Errors
    /// What the service that could not start says.
    pub async fn check(settings: &Settings) -> Result<(), Failure> {
        let nobody = |peers: Peers, spec: &ServiceSpec| peers.with(spec.name, assay_rpc::peers::nobody());
        let system = Self::empty(SPECS.into_iter().fold(Peers::none(), nobody));
        let s = settings.clone();
        assay_rpc::task::blocking(move || {
            assay_retrieval::assemble(s.retrieval)?;
            assay_generation::assemble(&s.generation)
        })
        .await??;
        assay_validation::compose(reading(s.validation), &system.allowed(&assay_validation::SPEC)).await?;
        system.gateway(settings, Arc::new(assay_telemetry::exposition)).map(drop)
    }

    /// Starts only audit, over a private copy of its log.
    ///
    /// # Errors
    /// What opening the log says.
    pub async fn start_reading(settings: &Settings) -> Result<Self, Failure> {
        let mut system = Self::empty(Peers::none());
        system.add(settings, assay_audit::compose_read_only(settings.audit.clone()).await?);
        Ok(system)
    }

    /// Starts only retrieval, whose indexes other processes may read and write too.
    ///
    /// # Errors
    /// What the service that cannot start says.
    pub async fn start_indexes(settings: &Settings) -> Result<Self, Failure> {
        Self::empty(Peers::none()).with_indexes(settings).await
    }

    /// Starts only what classifies a message: the router over stores of its own, retrieval, generation.
    ///
    /// # Errors
    /// What the service that cannot start says.
    pub async fn start_classifying(settings: &Settings) -> Result<Self, Failure> {
        let mut system = Self::start_indexes(settings).await?;
        let generation = assay_generation::Options { warm: false, ..settings.generation.clone() };
        let peers = system.allowed(&assay_generation::SPEC);
        system.add(settings, assay_generation::compose(generation, &peers).await?);
        let scratch = tempfile::tempdir().map_err(|error| {
            Failure::new(Code::Configuration, format!("cannot make a temporary folder: {error}"))
        })?;
        let router = assay_router::Options {
            head: settings.router.head_file()?.unwrap_or_default(),
            data_dir: scratch.path().to_owned(),
            sessions: assay_router::SessionStore::Sqlite,
            ..settings.router.clone()
        };
        system.scratch = Some(scratch);
        let absent = [&assay_validation::SPEC, &assay_audit::SPEC];
        let peers = absent
            .iter()
            .fold(system.peers.clone(), |peers, spec| peers.with(spec.name, assay_rpc::peers::nobody()));
        system.add(settings, assay_router::compose(router, &peers.restricted_to(&assay_router::SPEC)).await?);
        Ok(system)
    }

    /// Adds retrieval. A command that ends soon prepares nothing for later requests.
    ///
    /// # Errors
    /// What retrieval says if it cannot start.
    pub async fn with_indexes(mut self, settings: &Settings) -> Result<Self, Failure> {
        let retrieval = assay_retrieval::Options { warm: false, ..settings.retrieval.clone() };
        let service = assay_retrieval::compose(retrieval, &self.allowed(&assay_retrieval::SPEC)).await?;
        self.add(settings, service);
        Ok(self)
    }

    fn allowed(&self, spec: &ServiceSpec) -> Peers {
        self.peers.restricted_to(spec)
    }

    fn add(&mut self, settings: &Settings, service: assay_rpc::Service) {
        let name = service.spec().name;
        let (channel, running) = service.in_memory(settings.limits);
        self.peers.insert(name, channel);
        self.running.push(running);
    }

    /// The channels.
    #[must_use]
    pub fn peers(&self) -> &Peers {
        &self.peers
    }

    /// The gateway over these services: HTTP, and at the address `grpc` a door to every one of them.
    ///
    /// # Errors
    /// `CONFIGURATION` if its settings are wrong.
    pub fn gateway(
        &self,
        settings: &Settings,
        metrics: assay_gateway::MetricsRenderer,
    ) -> Result<assay_gateway::Gateway, Failure> {
        let mut options = settings.gateway.clone();
        options.grpc = settings.grpc;
        let services: Result<Vec<(&'static str, Channel)>, Failure> =
            SPECS.into_iter().map(|spec| Ok((spec.grpc, self.peers.channel(spec.name)?))).collect();
        let gateway = assay_gateway::compose(&options, &self.allowed(&assay_gateway::SPEC), metrics)?;
        Ok(gateway.leading_to(services?).with_limits(settings.limits))
    }

    /// Drains every service, callers before those they call.
    pub async fn drain(self) {
        for running in self.running.into_iter().rev() {
            running.drain().await;
        }
    }
}
