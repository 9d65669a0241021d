//! The embedded system: every service composed over in-memory channels, exactly as separate processes compose them.

use std::sync::Arc;

use assay_domain::Failure;
use assay_rpc::{Channel, Peers, Running, ServiceSpec};

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
}

// === impl System ===

impl System {
    /// Starts every service, those that call nobody first.
    ///
    /// # Errors
    /// What the service that cannot start says.
    pub async fn start(settings: &Settings) -> Result<Self, Failure> {
        let mut system = Self { peers: Peers::none(), running: Vec::new() };
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
            assay_validation::compose(s.validation, &system.allowed(&assay_validation::SPEC)).await?,
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
        let mut system = Self { peers: Peers::none(), running: Vec::new() };
        let s = settings.clone();
        system.add(settings, assay_parser::compose(s.parser, &system.allowed(&assay_parser::SPEC)).await?);
        let mut absent = vec![&assay_retrieval::SPEC];
        if s.validation.judge != assay_validation::AskJudge::Never {
            let peers = system.allowed(&assay_generation::SPEC);
            // A model is loaded when the first claim is put to it.
            let generation = assay_generation::Options { warm: false, ..s.generation };
            system.add(settings, assay_generation::compose(generation, &peers).await?);
        } else {
            absent.push(&assay_generation::SPEC);
        }
        let peers = absent
            .iter()
            .fold(system.peers.clone(), |peers, spec| peers.with(spec.name, assay_rpc::peers::nobody()));
        let validation =
            assay_validation::compose(s.validation, &peers.restricted_to(&assay_validation::SPEC)).await?;
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
        let system = Self { peers: SPECS.into_iter().fold(Peers::none(), nobody), running: Vec::new() };
        let s = settings.clone();
        assay_rpc::task::blocking(move || {
            assay_retrieval::assemble(s.retrieval)?;
            assay_generation::assemble(&s.generation)
        })
        .await??;
        assay_validation::compose(s.validation, &system.allowed(&assay_validation::SPEC)).await?;
        system.gateway(settings, Arc::new(assay_telemetry::exposition)).map(drop)
    }

    /// Starts only audit, over a private copy of its log.
    ///
    /// # Errors
    /// What opening the log says.
    pub async fn start_reading(settings: &Settings) -> Result<Self, Failure> {
        let mut system = Self { peers: Peers::none(), running: Vec::new() };
        system.add(settings, assay_audit::compose_read_only(settings.audit.clone()).await?);
        Ok(system)
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
