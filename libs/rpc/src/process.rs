//! A service as a process of its own: settings, telemetry, compose, serve until a signal says stop, drain.
//!
//! Every binary and `assay service NAME` run a [`Program`] through the same function, so there is one behaviour.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::Write as _;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use assay_config::{Environment, FlatName};
use assay_domain::{Code, Failure};
use futures::future::BoxFuture;
use serde::Serialize;
use serde::de::DeserializeOwned;
use tonic_health::server::HealthReporter;

use crate::channel::{Connection, Outbound, Retry};
use crate::methods::Methods;
use crate::peers::Peers;
use crate::server::{Limits, READY, Service, shutdown_signal};
use crate::spec::{ADMIN_OFFSET, ServiceSpec, local_address};
use crate::tls;
use crate::{accept, admin};

/// Settings of a process that serves one service.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Settings<T: Default> {
    /// Address to listen on; none means 127.0.0.1 at the service's own port.
    pub listen: Option<SocketAddr>,
    /// Address of health and metrics, in plaintext; none means the address above, 1000 ports higher.
    pub admin: Option<SocketAddr>,
    /// Addresses of peers by short name, e.g. `parser = "http://parser:7106"`; none means 127.0.0.1 at the peer's port.
    pub peers: BTreeMap<String, String>,
    /// Certificates.
    pub tls: tls::Settings,
    /// Connections to peers.
    pub connection: Connection,
    /// Repeated calls.
    pub retry: Retry,
    /// Limits of the server.
    pub limits: Limits,
    /// Logs and traces.
    pub telemetry: assay_telemetry::Options,
    /// The service's own settings.
    pub service: T,
}

impl<T: Default> Default for Settings<T> {
    fn default() -> Self {
        Self {
            listen: None,
            admin: None,
            peers: BTreeMap::new(),
            tls: tls::Settings::default(),
            connection: Connection::default(),
            retry: Retry::default(),
            limits: Limits::default(),
            telemetry: assay_telemetry::Options::default(),
            service: T::default(),
        }
    }
}

/// Flat environment names of every process.
pub const FLAT: &[FlatName] = &[("ASSAY_LISTEN", "listen"), ("ASSAY_ADMIN", "admin")];

impl<T: Default> Settings<T> {
    /// Refuses settings that cannot work, as far as every service has them.
    ///
    /// # Errors
    /// `CONFIGURATION`, naming the setting.
    pub fn check(&self, spec: &ServiceSpec) -> Result<(), Failure> {
        self.tls.check()?;
        self.connection.check()?;
        self.retry.check()?;
        self.limits.check()?;
        self.address(spec)?;
        self.admin_address(spec)?;
        Ok(())
    }

    /// Where the service listens.
    ///
    /// # Errors
    /// `CONFIGURATION` if others could reach it in plaintext and nothing says that this is wanted.
    pub fn address(&self, spec: &ServiceSpec) -> Result<SocketAddr, Failure> {
        let address = self.listen.unwrap_or_else(|| SocketAddr::from(([127, 0, 0, 1], spec.port)));
        // A front door has its own rule: it believes nobody without a key.
        let guarded = self.tls.folder.is_some() || self.tls.plaintext || spec.callers.is_empty();
        if guarded || address.ip().is_loopback() {
            return Ok(address);
        }
        let text = format!(
            "the {} service would listen on {address} in plaintext, where anybody could pose as one of its callers; set \
             tls.folder to its certificates, or tls.plaintext = true if the network may be trusted",
            spec.name
        );
        Err(Failure::new(Code::Configuration, text).field("tls.folder"))
    }

    /// Where health and metrics are.
    ///
    /// # Errors
    /// `CONFIGURATION` if the port above that of the service does not exist.
    pub fn admin_address(&self, spec: &ServiceSpec) -> Result<SocketAddr, Failure> {
        if let Some(address) = self.admin {
            return Ok(address);
        }
        let service = self.address(spec)?;
        let port = match service.port() {
            0 => Some(0),
            port => port.checked_add(ADMIN_OFFSET),
        };
        let Some(port) = port else {
            let text = format!("{service} leaves no room for the admin listener; set admin to its address");
            return Err(Failure::new(Code::Configuration, text).field("admin"));
        };
        Ok(SocketAddr::new(service.ip(), port))
    }
}

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

/// What a process is asked to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Action {
    /// Serve until a signal says stop.
    #[default]
    Serve,
    /// Say whether the settings are fine.
    Check,
    /// Print the effective settings; secrets are masked.
    Dump,
}

/// The command line of a process.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Arguments {
    /// Settings file.
    pub config: Option<PathBuf>,
    /// What to do.
    pub action: Action,
}

impl Arguments {
    /// Reads `[--config FILE] [--check | --dump-config]`; a lone `FILE` means `--config FILE`.
    ///
    /// # Errors
    /// A sentence if the words are not understood.
    pub fn parse(words: impl IntoIterator<Item = OsString>) -> Result<Self, String> {
        let mut arguments = Self::default();
        let mut words = words.into_iter();
        while let Some(word) = words.next() {
            match word.to_str() {
                Some("--check") => arguments.action = Action::Check,
                Some("--dump-config") => arguments.action = Action::Dump,
                Some("--config") => {
                    let file = words.next().ok_or("--config needs a file")?;
                    arguments.config = Some(PathBuf::from(file));
                }
                Some(word) if word.starts_with("--config=") => {
                    arguments.config = word.strip_prefix("--config=").map(PathBuf::from);
                }
                Some(word) if word.starts_with('-') => return Err(format!("{word} is not known")),
                _ if arguments.config.is_none() => arguments.config = Some(PathBuf::from(word)),
                _ => return Err(format!("{} is one word too many", word.display())),
            }
        }
        Ok(arguments)
    }
}

type Run = Box<dyn FnOnce(Arguments, Environment) -> BoxFuture<'static, Result<(), Failure>> + Send>;

/// A service that can be run as a process.
pub struct Program {
    spec: &'static ServiceSpec,
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
                        environment: Environment|
              -> BoxFuture<'static, Result<(), Failure>> {
            Box::pin(async move {
                let file = arguments.config.or_else(|| environment.get("ASSAY_CONFIG").map(PathBuf::from));
                let mut settings: Settings<T> = assay_config::load(file.as_deref(), &environment, &flat)
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
        Self { spec, run: Box::new(run) }
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
        (self.run)(arguments, environment).await
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
    let (admin, admin_address) = accept::bind(settings.admin_address(spec)?, "admin").await?;
    let stop = shutdown_signal();
    let stage = Stage {
        peers: Peers::connect(spec, &settings.peers, &outbound)?,
        listen: settings.listen,
        limits: settings.limits,
    };
    let limits = settings.limits;
    let serving = match start(settings.service, stage).await? {
        Part::Grpc(service) => Serving::Grpc(service.listen_with(address, limits, tls.clone()).await?),
        Part::Listening { address, drain } => {
            let (health, _) = tonic_health::server::health_reporter();
            health.set_service_status(READY, tonic_health::ServingStatus::Serving).await;
            Serving::Other { address, health, drain }
        }
    };
    let admin = admin::serve(admin, serving.health());
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    static SPEC: ServiceSpec = ServiceSpec {
        name: "parser",
        grpc: "",
        port: 7106,
        calls: &[],
        callers: &["validation"],
        purpose: "",
    };

    fn at(listen: &str) -> Settings<()> {
        Settings { listen: Some(listen.parse().unwrap()), ..Settings::default() }
    }

    #[test]
    fn plaintext_stays_on_this_machine_unless_it_is_asked_for() {
        at("127.0.0.1:1").check(&SPEC).unwrap();
        let failure = at("0.0.0.0:7106").check(&SPEC).unwrap_err();
        assert_eq!((failure.code, failure.field.as_str()), (Code::Configuration, "tls.folder"));
        assert!(failure.message.contains("tls.plaintext"), "{failure}");
        let mut wanted = at("0.0.0.0:7106");
        wanted.tls.plaintext = true;
        wanted.check(&SPEC).unwrap();
        let mut both = wanted;
        both.tls.folder = Some("tls".into());
        assert_eq!(both.check(&SPEC).unwrap_err().field, "tls.plaintext");
    }

    #[test]
    fn the_admin_listener_is_a_thousand_ports_higher() {
        let port = |settings: Settings<()>| settings.admin_address(&SPEC).map(|address| address.port());
        assert_eq!(port(Settings::default()), Ok(8106));
        assert_eq!(port(at("127.0.0.1:0")), Ok(0));
        assert_eq!(port(at("127.0.0.1:65000")).unwrap_err().field, "admin");
    }

    #[test]
    fn the_command_line_is_understood_or_refused() {
        let parse = |words: &[&str]| Arguments::parse(words.iter().map(OsString::from));
        let file = Some(PathBuf::from("a.toml"));
        let serve = Arguments { config: file.clone(), action: Action::Serve };
        assert_eq!(parse(&["--config", "a.toml"]), Ok(serve.clone()));
        assert_eq!(parse(&["--config=a.toml"]), Ok(serve.clone()));
        assert_eq!(parse(&["a.toml"]), Ok(serve));
        assert_eq!(parse(&["a.toml", "--check"]), Ok(Arguments { config: file, action: Action::Check }));
        assert_eq!(parse(&["--dump-config"]).unwrap().action, Action::Dump);
        assert!(parse(&["--config"]).is_err() && parse(&["-x"]).is_err() && parse(&["a", "b"]).is_err());
    }
}
