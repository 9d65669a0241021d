//! OpenTelemetry start and stop, trace context on the wire, and the one list of span, attribute and metric names.
//!
//! No other crate names an OpenTelemetry type. A process calls [`start`] once in `main`; libraries use `tracing`
//! and `metrics` with the names of [`names`].

pub mod file_exporter;
pub mod names;
pub mod propagation;

use std::io::IsTerminal as _;
use std::path::PathBuf;

use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle};
use opentelemetry::KeyValue;
use opentelemetry::trace::TracerProvider as _;
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::propagation::TraceContextPropagator;
use opentelemetry_sdk::trace::SdkTracerProvider;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{EnvFilter, Layer as _};

/// How log lines look.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LogFormat {
    /// One readable line each.
    #[default]
    Text,
    /// One JSON object each.
    Json,
}

/// Settings of logs and traces.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Options {
    /// Which log lines are written, in the syntax of `tracing_subscriber::EnvFilter`.
    pub log: String,
    /// How they look.
    pub log_format: LogFormat,
    /// File that finished spans are appended to, one JSON object a line; none means that spans are only propagated.
    pub trace_file: Option<PathBuf>,
}

impl Default for Options {
    fn default() -> Self {
        Self { log: "warn,assay=info".into(), log_format: LogFormat::Text, trace_file: None }
    }
}

/// Why telemetry could not start.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The log filter cannot be read.
    #[error("setting `log`: {0}")]
    Filter(#[from] tracing_subscriber::filter::ParseError),
    /// The trace file cannot be opened.
    #[error("setting `trace_file`: {path}: {source}")]
    TraceFile {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// Telemetry was started before in this process.
    #[error("telemetry was started twice: {0}")]
    Twice(String),
}

/// Running telemetry; dropping it flushes what is left.
#[derive(Debug)]
pub struct Telemetry {
    provider: SdkTracerProvider,
    metrics: Option<PrometheusHandle>,
}

impl Telemetry {
    /// The metrics of this process in the Prometheus text format; empty if another recorder was installed first.
    #[must_use]
    pub fn render_metrics(&self) -> String {
        self.metrics.as_ref().map(PrometheusHandle::render).unwrap_or_default()
    }

    /// A function that renders the metrics, for the gateway's route.
    #[must_use]
    pub fn metrics_renderer(&self) -> std::sync::Arc<dyn Fn() -> String + Send + Sync> {
        let handle = self.metrics.clone();
        std::sync::Arc::new(move || handle.as_ref().map(PrometheusHandle::render).unwrap_or_default())
    }
}

impl Drop for Telemetry {
    fn drop(&mut self) {
        if let Err(error) = self.provider.shutdown() {
            tracing::debug!(%error, "telemetry did not shut down cleanly");
        }
    }
}

/// Starts logs, traces and metrics of this process under the given service name.
///
/// # Errors
/// If a setting is wrong or telemetry runs already.
pub fn start(service: &'static str, options: &Options) -> Result<Telemetry, Error> {
    let filter = EnvFilter::try_new(&options.log)?;
    let resource = Resource::builder()
        .with_attributes([
            KeyValue::new(names::attributes::SERVICE_NAME, service),
            KeyValue::new(names::attributes::SERVICE_VERSION, env!("CARGO_PKG_VERSION")),
        ])
        .build();
    let mut builder = SdkTracerProvider::builder().with_resource(resource);
    if let Some(path) = &options.trace_file {
        let exporter = file_exporter::FileExporter::open(path)
            .map_err(|source| Error::TraceFile { path: path.clone(), source })?;
        builder = builder.with_batch_exporter(exporter);
    }
    let provider = builder.build();
    opentelemetry::global::set_text_map_propagator(TraceContextPropagator::new());
    let spans = tracing_opentelemetry::layer().with_tracer(provider.tracer("assay"));
    // Spans go to the trace store; a log line says what happened and not where it was called from.
    let events = tracing_subscriber::filter::filter_fn(|meta| meta.is_event());
    let lines = tracing_subscriber::fmt::layer()
        .with_writer(std::io::stderr)
        .with_ansi(std::io::stderr().is_terminal())
        .with_target(false);
    let lines = match options.log_format {
        LogFormat::Text => lines.compact().boxed(),
        LogFormat::Json => lines.json().flatten_event(true).boxed(),
    };
    tracing_subscriber::registry()
        .with(lines.with_filter(events).with_filter(filter))
        .with(spans.with_filter(tracing_subscriber::filter::filter_fn(|meta| {
            meta.is_span() && meta.target().starts_with("assay")
        })))
        .try_init()
        .map_err(|error| Error::Twice(error.to_string()))?;
    let metrics = PrometheusBuilder::new().install_recorder().ok();
    names::metrics::describe();
    Ok(Telemetry { provider, metrics })
}
