//! The system under measurement, started as its users start it: one process, or one for each service.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail, ensure};
use assay::system::SPECS;
use serde_json::Value;

use crate::mix;

/// Time that a start, and a stop, may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// How the services are laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Layout {
    /// All services in one process, `assay up`.
    Embedded,
    /// One process for each service, on loopback.
    Processes,
}

impl Layout {
    /// The name in the report.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Embedded => "embedded",
            Self::Processes => "processes",
        }
    }
}

/// A running system on a folder of its own; its processes are killed when it is dropped.
#[derive(Debug)]
pub(crate) struct System {
    layout: Layout,
    address: String,
    children: Vec<Child>,
    dir: tempfile::TempDir,
}

// === impl System ===

impl System {
    /// Starts the system, waits until it is ready and indexes the page of the mix.
    pub(crate) async fn start(layout: Layout, assay: &Path, model: &str) -> anyhow::Result<Self> {
        let assay = assay
            .canonicalize()
            .with_context(|| format!("{}: build it first: make bench does", assay.display()))?;
        let dir = tempfile::tempdir()?;
        let (page, text) = mix::PAGE;
        std::fs::write(dir.path().join(page), text)?;
        let mut system = Self { layout, address: String::new(), children: Vec::new(), dir };
        let door = match layout {
            Layout::Embedded => system.start_embedded(&assay, model)?,
            Layout::Processes => system.start_processes(&assay, model)?,
        };
        system.wait_until_ready().await?;
        let mut ingest = Command::new(&assay);
        ingest.args(["--endpoint", &door, "ingest"]).arg(system.dir.path().join(page));
        let done = ingest.stdin(Stdio::null()).output()?;
        ensure!(done.status.success(), "ingest: {}", String::from_utf8_lossy(&done.stderr));
        Ok(system)
    }

    /// One process; the address of its gRPC door.
    fn start_embedded(&mut self, assay: &Path, model: &str) -> anyhow::Result<String> {
        let door = format!("127.0.0.1:{}", free_ports(1)?[0]);
        let mut command = self.command(assay, "assay", model);
        command
            .env("ASSAY_RETRIEVAL__EMBEDDER", "hashing")
            .env("ASSAY_GENERATION__WARM", "false")
            .args(["--data"])
            .arg(self.dir.path().join("data"))
            .args(["up", "--http", "127.0.0.1:0", "--grpc", &door])
            .stdout(Stdio::piped());
        let mut child = command.spawn()?;
        let out = child.stdout.take().context("no standard output")?;
        self.children.push(child);
        let mut lines = BufReader::new(out).lines();
        self.address = lines.next().with_context(|| self.log("assay"))??;
        Ok(format!("http://{door}"))
    }

    /// A process for each service; the address of the gateway's gRPC door.
    fn start_processes(&mut self, assay: &Path, model: &str) -> anyhow::Result<String> {
        let ports = free_ports(2 * SPECS.len() + 3)?;
        let (calls, rest) = ports.split_at(SPECS.len());
        let (admin, gateway) = rest.split_at(SPECS.len());
        let peers: String = SPECS
            .iter()
            .zip(calls)
            .map(|(spec, port)| format!("{} = \"http://127.0.0.1:{port}\"\n", spec.name))
            .collect();
        for ((spec, port), admin) in SPECS.iter().zip(calls).zip(admin) {
            let service = match spec.name {
                "retrieval" => "embedder = \"hashing\"\n",
                "generation" => "warm = false\n",
                _ => "",
            };
            self.start_service(assay, model, spec.name, spec.calls, *port, *admin, &peers, service)?;
        }
        let (http, door) = (gateway[0], gateway[1]);
        self.address = format!("http://127.0.0.1:{http}");
        let service = format!("grpc = \"127.0.0.1:{door}\"\n");
        self.start_service(
            assay,
            model,
            "gateway",
            assay_gateway::SPEC.calls,
            http,
            gateway[2],
            &peers,
            &service,
        )?;
        Ok(format!("http://127.0.0.1:{door}"))
    }

    #[allow(clippy::too_many_arguments, reason = "the parts of one settings file")]
    fn start_service(
        &mut self,
        assay: &Path,
        model: &str,
        name: &'static str,
        calls: &[&str],
        port: u16,
        admin: u16,
        peers: &str,
        service: &str,
    ) -> anyhow::Result<()> {
        let peers: String = peers
            .lines()
            .filter(|line| calls.iter().any(|call| line.starts_with(&format!("{call} "))))
            .flat_map(|line| [line, "\n"])
            .collect();
        let settings = self.dir.path().join(format!("{name}.toml"));
        std::fs::write(
            &settings,
            format!(
                "listen = \"127.0.0.1:{port}\"\nadmin = \"127.0.0.1:{admin}\"\n[peers]\n{peers}[service]\n{service}"
            ),
        )?;
        let mut command = self.command(assay, name, model);
        command.arg("--data").arg(self.dir.path()).args(["service", name, "--config"]).arg(settings);
        let child = command.stdout(Stdio::null()).spawn()?;
        self.children.push(child);
        Ok(())
    }

    fn command(&self, assay: &Path, name: &str, model: &str) -> Command {
        let mut command = Command::new(assay);
        command
            .env("ASSAY_TELEMETRY__TRACE_FILE", self.dir.path().join(format!("{name}.spans.jsonl")))
            .env("OLLAMA_MODEL_NAME", "openai:script")
            .env("OPENAI_BASE_URL", model)
            .env("OPENAI_API_KEY", "none")
            .stdin(Stdio::null());
        match std::fs::File::create(self.dir.path().join(format!("{name}.log"))) {
            Ok(log) => command.stderr(log),
            Err(_) => command.stderr(Stdio::null()),
        };
        command
    }

    async fn wait_until_ready(&self) -> anyhow::Result<()> {
        let begin = Instant::now();
        let url = format!("{}/readyz", self.address);
        loop {
            if reqwest::get(&url).await.is_ok_and(|reply| reply.status().is_success()) {
                return Ok(());
            }
            ensure!(begin.elapsed() < PATIENCE, "not ready after {PATIENCE:?}: {}", self.log("gateway"));
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    }

    fn log(&self, name: &str) -> String {
        std::fs::read_to_string(self.dir.path().join(format!("{name}.log"))).unwrap_or_default()
    }

    /// Where its HTTP gateway answers.
    pub(crate) fn address(&self) -> &str {
        &self.address
    }

    /// How it is laid out.
    pub(crate) fn layout(&self) -> Layout {
        self.layout
    }

    /// Stops every process and returns the spans that all of them wrote.
    pub(crate) async fn stop(mut self) -> anyhow::Result<Vec<Value>> {
        // The gateway was started last and is stopped first.
        for child in self.children.iter_mut().rev() {
            let asked = Command::new("kill").args(["-TERM", &child.id().to_string()]).status()?;
            ensure!(asked.success(), "a process is gone already");
            let begin = Instant::now();
            while child.try_wait()?.is_none() {
                if begin.elapsed() > PATIENCE {
                    bail!("a process did not stop within {PATIENCE:?}");
                }
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        }
        let mut spans = Vec::new();
        for file in self.span_files()? {
            for line in std::fs::read_to_string(file)?.lines() {
                spans.push(serde_json::from_str(line)?);
            }
        }
        Ok(spans)
    }

    fn span_files(&self) -> std::io::Result<Vec<PathBuf>> {
        let entries = std::fs::read_dir(self.dir.path())?.collect::<Result<Vec<_>, _>>()?;
        let paths = entries.into_iter().map(|entry| entry.path());
        Ok(paths.filter(|path| path.to_string_lossy().ends_with(".spans.jsonl")).collect())
    }
}

impl Drop for System {
    fn drop(&mut self) {
        for child in &mut self.children {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// Loopback ports that were free a moment ago.
fn free_ports(count: usize) -> std::io::Result<Vec<u16>> {
    let listeners: Vec<_> =
        (0..count).map(|_| std::net::TcpListener::bind(("127.0.0.1", 0))).collect::<Result<_, _>>()?;
    listeners.iter().map(|listener| Ok(listener.local_addr()?.port())).collect()
}
