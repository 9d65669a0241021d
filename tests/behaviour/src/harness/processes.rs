//! The system as separate processes on loopback: the binary that users run, with settings from files and environment.

use std::collections::BTreeMap;
use std::fs::File;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

use assay::clients::Clients;
use assay::system::SPECS;
use assay_rpc::tls::Tls;
use assay_rpc::{Outbound, Peers, ServiceSpec};
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_check_response::ServingStatus;
use tonic_health::pb::health_client::HealthClient;

use super::ports::Block;
use super::{Harness, Layout, until};

/// First port of the services' own numbers; a place in a block of ports is the distance to it.
const FIRST: u16 = assay_gateway::SPEC.port;
/// Place of the gateway's gRPC door.
const DOOR: u16 = 10;
/// Lines of each log that are shown when a test fails.
const SHOWN: usize = 30;

/// Whom a test calls, in the role of the gateway: all that it may call.
static TEST: ServiceSpec =
    ServiceSpec { purpose: "a test in the role of the gateway", ..assay_gateway::SPEC };

/// What the processes are told beyond the usual.
#[derive(Debug, Default)]
pub struct Builder {
    settings: Vec<(&'static str, String, String)>,
    environment: Vec<(&'static str, String, String)>,
    peers: Vec<(&'static str, &'static str, String)>,
    absent: Vec<&'static str>,
    tls: bool,
}

/// Running processes, one for each service; killed when dropped.
#[derive(Debug)]
pub struct Processes {
    dir: tempfile::TempDir,
    ports: Block,
    builder: Builder,
    children: BTreeMap<&'static str, Child>,
}

/// The binary under test: `assay` of the folder that this test was built into.
#[must_use]
pub fn assay() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let folder = test.ancestors().find(|folder| folder.ends_with("deps")).and_then(Path::parent).unwrap();
    let binary = folder.join("assay");
    assert!(binary.exists(), "{} is not there; run `cargo build --bin assay`", binary.display());
    binary
}

/// Makes an authority in this folder, and below it a folder with a certificate for each service.
pub fn certificates(folder: &Path) {
    let made = Command::new(assay()).env_clear().args(["certs", "--out"]).arg(folder).output().unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
}

/// Every specification, those that call nobody first and the gateway last.
fn all() -> impl DoubleEndedIterator<Item = &'static ServiceSpec> {
    const ORDER: [&str; 7] =
        ["parser", "retrieval", "generation", "audit", "validation", "router", "evaluation"];
    let of = |name: &str| SPECS.into_iter().find(|spec| spec.name == name).unwrap();
    ORDER.into_iter().map(of).chain([&assay_gateway::SPEC])
}

// === impl Builder ===

impl Builder {
    /// Usual processes: hashed embeddings, plaintext, no model.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A setting in the file of a service, its value as TOML, e.g. `("router", "service.append_ms", "300")`.
    #[must_use]
    pub fn set(mut self, service: &'static str, key: &str, value: &str) -> Self {
        self.settings.push((service, key.to_owned(), value.to_owned()));
        self
    }

    /// A variable in the environment of a service.
    #[must_use]
    pub fn env(mut self, service: &'static str, name: &str, value: &str) -> Self {
        self.environment.push((service, name.to_owned(), value.to_owned()));
        self
    }

    /// Has `service` call `peer` at another address than its own, such as that of a proxy.
    #[must_use]
    pub fn peer(mut self, service: &'static str, peer: &'static str, url: String) -> Self {
        self.peers.push((service, peer, url));
        self
    }

    /// Has no service wait for one that cannot be reached, so that a test of what happens then need not wait either.
    #[must_use]
    pub fn impatient(self) -> Self {
        all().fold(self, |builder, spec| builder.set(spec.name, "retry.patience_seconds", "0.2"))
    }

    /// Lets an OpenAI-compatible server at this base address write the drafts.
    #[must_use]
    pub fn model(self, base_url: &str) -> Self {
        self.env("generation", "OLLAMA_MODEL_NAME", "openai:script")
            .env("generation", "OPENAI_BASE_URL", base_url)
            .env("generation", "OPENAI_API_KEY", "none")
    }

    /// Has every service prove who it is by certificate, and accept only those that may call it.
    #[must_use]
    pub fn tls(mut self) -> Self {
        self.tls = true;
        self
    }

    /// Does not start a service; [`Processes::start`] does later.
    #[must_use]
    pub fn without(mut self, service: &'static str) -> Self {
        self.absent.push(service);
        self
    }

    /// Reserves addresses and writes the settings; nothing runs yet. Proxies can be put between from here on.
    #[must_use]
    pub fn lay_out(self) -> Processes {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let (dir, ports) = (tempfile::tempdir().unwrap(), Block::reserve());
        let processes = Processes { dir, ports, builder: self, children: BTreeMap::new() };
        if processes.builder.tls {
            certificates(&processes.folder().join("certs"));
        }
        processes
    }

    /// Starts every process and waits until all are ready.
    pub async fn start(self) -> Harness {
        self.lay_out().start_all().await
    }
}

// === impl Processes ===

impl Processes {
    /// Where a service takes calls.
    #[must_use]
    pub fn address(&self, service: &str) -> SocketAddr {
        let spec = all().find(|spec| spec.name == service).unwrap();
        self.ports.calls(spec.port - FIRST)
    }

    /// The same as a URL.
    #[must_use]
    pub fn url(&self, service: &str) -> String {
        format!("http://{}", self.address(service))
    }

    /// The gateway's gRPC door, as a URL.
    #[must_use]
    pub fn door(&self) -> String {
        format!("http://{}", self.ports.calls(DOOR))
    }

    /// Where a service says how it is.
    #[must_use]
    pub fn admin(&self, service: &str) -> SocketAddr {
        let spec = all().find(|spec| spec.name == service).unwrap();
        self.ports.admin(spec.port - FIRST)
    }

    /// The folder of everything: data, settings, logs, spans, certificates.
    #[must_use]
    pub fn folder(&self) -> &Path {
        self.dir.path()
    }

    /// Has `service` call `peer` elsewhere from its next start on.
    pub fn reroute(&mut self, service: &'static str, peer: &'static str, url: String) {
        self.builder.peers.push((service, peer, url));
    }

    /// Changes a setting of a service from its next start on.
    pub fn set(&mut self, service: &'static str, key: &str, value: &str) {
        self.builder.settings.push((service, key.to_owned(), value.to_owned()));
    }

    /// Asks over HTTP; the status and the body.
    ///
    /// # Errors
    /// If the gateway does not answer.
    pub async fn http_ask(&self, body: &serde_json::Value) -> reqwest::Result<(u16, serde_json::Value)> {
        let reply =
            reqwest::Client::new().post(format!("{}/v1/ask", self.url("gateway"))).json(body).send().await?;
        let status = reply.status().as_u16();
        Ok((status, reply.json().await?))
    }

    /// Starts every process that is not left out and waits until all are ready.
    pub async fn start_all(mut self) -> Harness {
        let wanted: Vec<_> = all().filter(|spec| !self.builder.absent.contains(&spec.name)).collect();
        for spec in &wanted {
            self.spawn(spec);
        }
        for spec in wanted {
            self.ready(spec).await;
        }
        self.harness().await
    }

    /// Clients to the processes, as the gateway has them.
    pub(super) async fn harness(self) -> Harness {
        let addresses = TEST.calls.iter().map(|name| ((*name).to_owned(), self.url(name))).collect();
        let peers = Peers::connect(&TEST, &addresses, &self.outbound("gateway")).unwrap();
        Harness::new(Clients::over(peers), Layout::Processes(Box::new(self)))
    }

    /// How a service of this name connects: with its certificate, if the processes have certificates.
    #[must_use]
    pub fn outbound(&self, service: &str) -> Outbound {
        let folder = self.dir.path().join("certs").join(service);
        let tls = self.builder.tls.then(|| Tls::load(&folder).unwrap());
        Outbound { tls, ..Outbound::default() }
    }

    /// Starts a service that does not run and waits until it is ready.
    pub async fn start(&mut self, service: &'static str) {
        let spec = all().find(|spec| spec.name == service).unwrap();
        self.spawn(spec);
        self.ready(spec).await;
    }

    /// Kills a service: nothing is said or written any more.
    pub fn kill(&mut self, service: &str) {
        let mut child = self.children.remove(service).unwrap_or_else(|| panic!("{service} does not run"));
        child.kill().unwrap();
        child.wait().unwrap();
    }

    /// Stops a service in its tracks: its connections stay open and nothing answers.
    pub fn pause(&mut self, service: &str) {
        self.signal(service, "-STOP");
    }

    /// Lets a paused service go on.
    pub fn resume(&mut self, service: &str) {
        self.signal(service, "-CONT");
    }

    fn signal(&self, service: &str, signal: &str) {
        let child = self.children.get(service).unwrap_or_else(|| panic!("{service} does not run"));
        let sent = Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap();
        assert!(sent.success(), "{service} cannot be sent {signal}");
    }

    /// Asks a service to end, as an orchestrator does, and waits for it.
    pub async fn terminate(&mut self, service: &str) -> ExitStatus {
        self.signal(service, "-TERM");
        let mut child = self.children.remove(service).unwrap_or_else(|| panic!("{service} does not run"));
        until(&format!("the end of {service}"), async || child.try_wait().unwrap()).await
    }

    /// Stops every service in good order, callers first, and starts them again on the same data.
    pub(super) async fn restart(&mut self) {
        self.terminate_all().await;
        for spec in all() {
            self.spawn(spec);
        }
        for spec in all() {
            self.ready(spec).await;
        }
    }

    /// Stops every service in good order; gives the folder back.
    pub(super) async fn stop(mut self) -> tempfile::TempDir {
        self.terminate_all().await;
        std::mem::replace(&mut self.dir, tempfile::tempdir().unwrap())
    }

    async fn terminate_all(&mut self) {
        for spec in all().rev() {
            if self.children.contains_key(spec.name) {
                let status = self.terminate(spec.name).await;
                assert!(status.success(), "{} ended with {status}: {}", spec.name, self.log(spec.name));
            }
        }
    }

    /// What a service wrote to its log so far, over all its starts.
    #[must_use]
    pub fn log(&self, service: &str) -> String {
        std::fs::read_to_string(self.log_file(service)).unwrap_or_default()
    }

    /// File with the spans of a service, one JSON object a line.
    #[must_use]
    pub fn span_file(folder: &Path, service: &str) -> PathBuf {
        folder.join(format!("{service}.spans.jsonl"))
    }

    fn log_file(&self, service: &str) -> PathBuf {
        self.dir.path().join(format!("{service}.log"))
    }

    fn spawn(&mut self, spec: &'static ServiceSpec) {
        assert!(!self.children.contains_key(spec.name), "{} runs already", spec.name);
        let file = self.dir.path().join(format!("{}.toml", spec.name));
        std::fs::write(&file, self.settings(spec)).unwrap();
        let log = File::options().create(true).append(true).open(self.log_file(spec.name)).unwrap();
        let mut command = Command::new(assay());
        command.arg("--data").arg(self.dir.path()).args(["service", spec.name, "--config"]).arg(file);
        command.current_dir(self.dir.path()).env_clear().env("RUST_BACKTRACE", "1");
        if spec.name == "retrieval" {
            command.env("ASSAY_SERVICE__EMBEDDER", "hashing");
        }
        for (_, name, value) in self.builder.environment.iter().filter(|(of, ..)| *of == spec.name) {
            command.env(name, value);
        }
        let child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(log).spawn().unwrap();
        self.children.insert(spec.name, child);
    }

    /// The settings of a service as TOML; a later line wins over an earlier one of the same key.
    fn settings(&self, spec: &ServiceSpec) -> String {
        let quoted = |path: &Path| format!("{:?}", path.display().to_string());
        let mut lines: Vec<(String, String)> = vec![
            ("listen".into(), format!("\"{}\"", self.address(spec.name))),
            ("admin".into(), format!("\"{}\"", self.admin(spec.name))),
            ("telemetry.trace_file".into(), quoted(&Self::span_file(self.dir.path(), spec.name))),
        ];
        if self.builder.tls {
            let folder = self.dir.path().join("certs").join(spec.name);
            lines.push(("tls.folder".into(), quoted(&folder)));
        }
        for peer in spec.calls {
            lines.push((format!("peers.{peer}"), format!("\"{}\"", self.url(peer))));
        }
        for (_, peer, url) in self.builder.peers.iter().filter(|(of, ..)| *of == spec.name) {
            lines.push((format!("peers.{peer}"), format!("\"{url}\"")));
        }
        match spec.name {
            "generation" => lines.push(("service.warm".into(), "false".into())),
            "gateway" => lines.push(("service.grpc".into(), format!("\"{}\"", self.ports.calls(DOOR)))),
            _ => {}
        }
        let own = self.builder.settings.iter().filter(|(of, ..)| *of == spec.name);
        lines.extend(own.map(|(_, key, value)| (key.clone(), value.clone())));
        let unique: BTreeMap<_, _> = lines.into_iter().collect();
        unique.iter().map(|(key, value)| format!("{key} = {value}\n")).collect()
    }

    async fn ready(&mut self, spec: &'static ServiceSpec) {
        let url = format!("http://{}", self.admin(spec.name));
        let endpoint = tonic::transport::Endpoint::from_shared(url).unwrap();
        for _ in 0..1_200 {
            let ended = self.children.get_mut(spec.name).and_then(|child| child.try_wait().unwrap());
            assert!(ended.is_none(), "{} ended with {ended:?}: {}", spec.name, self.log(spec.name));
            if let Ok(channel) = endpoint.connect().await {
                let asked =
                    HealthClient::new(channel).check(HealthCheckRequest { service: "ready".into() }).await;
                if asked.is_ok_and(|reply| reply.get_ref().status() == ServingStatus::Serving) {
                    return;
                }
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        panic!("{} was not ready in a minute: {}", spec.name, self.log(spec.name));
    }
}

impl Drop for Processes {
    fn drop(&mut self) {
        for child in self.children.values_mut() {
            let _ = child.kill();
            let _ = child.wait();
        }
        if std::thread::panicking() {
            for spec in all() {
                let log = self.log(spec.name);
                let lines: Vec<&str> = log.lines().collect();
                let shown = &lines[lines.len().saturating_sub(SHOWN)..];
                if !shown.is_empty() {
                    eprintln!("--- {} ---\n{}", spec.name, shown.join("\n"));
                }
            }
        }
    }
}
