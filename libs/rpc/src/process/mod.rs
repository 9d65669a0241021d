//! A service as a process of its own: settings, telemetry, compose, serve until a signal says stop, drain.
//!
//! Every binary and `assay service NAME` run a [`Program`] through the same function, so there is one behaviour.

mod arguments;
mod settings;

use std::io::Write as _;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use assay_config::{Environment, FlatName, Gone};
use assay_domain::{Code, Failure};
use futures::future::BoxFuture;
use serde::Serialize;
use serde::de::DeserializeOwned;
use tonic_health::server::HealthReporter;

pub use arguments::{Action, Arguments};
pub use settings::{FLAT, Settings};

use crate::accept::Listener;
use crate::admin;
use crate::channel::Outbound;
use crate::methods::Methods;
use crate::peers::Peers;
use crate::server::{Limits, READY, Service, shutdown_signal};
use crate::spec::{ServiceSpec, local_address};

/// What a service is given to start with.
#[derive(Clone)]
pub struct Stage {
    /// The peers it may call.
    pub peers: Peers,
    /// Address that the process was told to listen on.
    pub listen: Option<SocketAddr>,
    /// Limits of its servers.
    pub limits: Limits,
}

/// What a start made: a service to be served, or something that serves already.
pub enum Part {
    /// A gRPC service.
    Grpc(Box<Service>),
    /// A server of another kind that listens already.
    Listening {
        /// Where.
        address: SocketAddr,
        /// Ends it.
        drain: Box<dyn FnOnce() -> BoxFuture<'static, ()> + Send>,
    },
}

impl From<Service> for Part {
    fn from(service: Service) -> Self {
        Self::Grpc(Box::new(service))
    }
}

type Run = Box<
    dyn FnOnce(Arguments, Environment, &'static [Gone]) -> BoxFuture<'static, Result<(), Failure>> + Send,
>;

/// A service that can be run as a process.
pub struct Program {
    spec: &'static ServiceSpec,
    gone: &'static [Gone],
    run: Run,
}

impl std::fmt::Debug for Program {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Program").field("name", &self.spec.name).finish_non_exhaustive()
    }
}

impl Program {
    /// A program with the options `T`. `descriptors` say what may be repeated, `flat` are the contract's names of
    /// settings, `check` refuses options that cannot work, and `start` composes the service.
    pub fn new<T, F, Fut>(
        spec: &'static ServiceSpec,
        descriptors: &'static [u8],
        flat: &[&[FlatName]],
        check: fn(&T) -> Result<(), Failure>,
        start: F,
    ) -> Self
    where
        T: DeserializeOwned + Serialize + Default + Clone + Send + Sync + 'static,
        F: FnOnce(T, Stage) -> Fut + Send + 'static,
        Fut: Future<Output = Result<Part, Failure>> + Send,
    {
        let flat: Vec<FlatName> = [FLAT, assay_telemetry::FLAT]
            .iter()
            .chain(flat)
            .flat_map(|names| names.iter().copied())
            .collect();
        let run = move |arguments: Arguments,
                        environment: Environment,
                        gone: &'static [Gone]|
              -> BoxFuture<'static, Result<(), Failure>> {
            Box::pin(async move {
                let file = arguments.config.or_else(|| environment.get("ASSAY_CONFIG").map(PathBuf::from));
                let mut settings: Settings<T> =
                    assay_config::load_without(file.as_deref(), &environment, &flat, gone)
                        .map_err(|error| Failure::new(Code::Configuration, error.to_string()))?;
                settings.check(spec)?;
                check(&settings.service)?;
                for name in spec.calls {
                    if let Some(address) = local_address(name) {
                        settings.peers.entry((*name).to_owned()).or_insert(address);
                    }
                }
                match arguments.action {
                    Action::Serve => serve(spec, descriptors, settings, start).await,
                    Action::Check => {
                        outbound(&settings, descriptors)?;
                        say("the settings are fine\n")
                    }
                    Action::Dump => say(&assay_config::dump(&settings)
                        .map_err(|error| Failure::new(Code::Configuration, error.to_string()))?),
                }
            })
        };
        Self { spec, gone: &[], run: Box::new(run) }
    }

    /// The same program, which refuses settings that are gone and names their successors.
    #[must_use]
    pub fn without(self, gone: &'static [Gone]) -> Self {
        Self { gone, ..self }
    }

    /// What the service is.
    #[must_use]
    pub fn spec(&self) -> &'static ServiceSpec {
        self.spec
    }

    /// Runs it in the runtime that is there.
    ///
    /// # Errors
    /// `CONFIGURATION` for a wrong setting; what the service says that cannot start.
    pub async fn run(self, arguments: Arguments, environment: Environment) -> Result<(), Failure> {
        // One TLS provider for every client in the process; a second installation is harmless.
        let _ = rustls::crypto::ring::default_provider().install_default();
        (self.run)(arguments, environment, self.gone).await
    }
}

/// The `main` of a service's binary: reads the command line, runs the program, tells a failure on standard error.
#[must_use]
pub fn main(program: Program) -> ExitCode {
    let name = program.spec.name;
    let arguments = match Arguments::parse(std::env::args_os().skip(1)) {
        Ok(arguments) => arguments,
        Err(text) => {
            tell(name, &format!("{text}; usage: assay-{name} [--config FILE] [--check | --dump-config]"));
            return ExitCode::from(64);
        }
    };
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            tell(name, &error.to_string());
            return ExitCode::from(70);
        }
    };
    match runtime.block_on(program.run(arguments, assay_config::environment())) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            let place =
                if failure.field.is_empty() { String::new() } else { format!(" ({})", failure.field) };
            tell(name, &format!("{}{place} [{}]", failure.message, failure.code));
            ExitCode::from(exit_code(&failure))
        }
    }
}

/// The exit code of a process that failed: 78 a setting is wrong, 70 a defect, 69 something is not available.
#[must_use]
pub fn exit_code(failure: &Failure) -> u8 {
    match failure.code {
        Code::Configuration | Code::DataFolderInUse | Code::StorageCorrupt => 78,
        Code::Internal => 70,
        _ => 69,
    }
}

/// Telemetry may not have started: standard error is all there is.
fn tell(name: &str, text: &str) {
    let _ = writeln!(std::io::stderr(), "assay-{name}: {text}");
}

fn say(text: &str) -> Result<(), Failure> {
    std::io::stdout().write_all(text.as_bytes()).map_err(|error| Failure::internal(error.to_string()))
}

fn outbound<T: Default>(settings: &Settings<T>, descriptors: &[u8]) -> Result<Outbound, Failure> {
    Ok(Outbound {
        connection: settings.connection,
        retry: settings.retry,
        tls: settings.tls.load()?,
        methods: Methods::read(descriptors)?,
        ..Outbound::default()
    })
}

async fn serve<T, F, Fut>(
    spec: &'static ServiceSpec,
    descriptors: &'static [u8],
    settings: Settings<T>,
    start: F,
) -> Result<(), Failure>
where
    T: Default,
    F: FnOnce(T, Stage) -> Fut + Send,
    Fut: Future<Output = Result<Part, Failure>> + Send,
{
    let _telemetry = assay_telemetry::start(spec.name, &settings.telemetry)
        .map_err(|error| Failure::new(Code::Configuration, error.to_string()).field("telemetry"))?;
    let outbound = outbound(&settings, descriptors)?;
    let tls = outbound.tls.clone();
    if let Some(tls) = &tls
        && !tls.names().iter().any(|name| name == spec.name)
    {
        let names = tls.names().join(", ");
        let text = format!("the certificate names {names:?}, and peers expect the name {:?}", spec.name);
        return Err(Failure::new(Code::Configuration, text).field("tls.folder"));
    }
    let address = settings.address(spec)?;
    let limits = settings.limits;
    let admin = Listener::bind(settings.admin_address(spec)?, "admin", limits.connection_table()).await?;
    let admin_address = admin.address();
    if !admin_address.ip().is_loopback() {
        tracing::warn!(
            target: "assay", service = spec.name, admin = %admin_address,
            "health and metrics are served in plaintext to whoever reaches this address; a network policy, or the setting \
             admin, keeps others out"
        );
    }
    let stop = shutdown_signal();
    let stage =
        Stage { peers: Peers::connect(spec, &settings.peers, &outbound)?, listen: settings.listen, limits };
    let serving = match start(settings.service, stage).await? {
        Part::Grpc(service) => Serving::Grpc(service.listen_with(address, limits, tls.clone()).await?),
        Part::Listening { address, drain } => {
            let (health, _) = tonic_health::server::health_reporter();
            health.set_service_status(READY, tonic_health::ServingStatus::Serving).await;
            Serving::Other { address, health, drain }
        }
    };
    let admin = admin::serve(admin, limits.handshake(), serving.health());
    let address = serving.address();
    tracing::info!(
        target: "assay",
        service = spec.name, %address, admin = %admin_address, tls = tls.is_some(), "ready"
    );
    stop.await;
    tracing::info!(target: "assay", service = spec.name, "draining");
    // Whoever sends calls here learns first that it is over; meanwhile everything is still served.
    serving.health().set_service_status(READY, tonic_health::ServingStatus::NotServing).await;
    tokio::time::sleep(Duration::from_secs(limits.drain_delay_seconds)).await;
    serving.drain().await;
    admin.stop().await;
    tracing::info!(target: "assay", service = spec.name, "stopped");
    Ok(())
}

enum Serving {
    Grpc(crate::server::Running),
    Other {
        address: SocketAddr,
        health: HealthReporter,
        drain: Box<dyn FnOnce() -> BoxFuture<'static, ()> + Send>,
    },
}

impl Serving {
    fn health(&self) -> HealthReporter {
        match self {
            Self::Grpc(running) => running.health(),
            Self::Other { health, .. } => health.clone(),
        }
    }

    fn address(&self) -> SocketAddr {
        match self {
            Self::Grpc(running) => running.address().unwrap_or_else(|| SocketAddr::from(([0, 0, 0, 0], 0))),
            Self::Other { address, .. } => *address,
        }
    }

    async fn drain(self) {
        match self {
            Self::Grpc(running) => running.drain().await,
            Self::Other { drain, .. } => drain().await,
        }
    }
}
