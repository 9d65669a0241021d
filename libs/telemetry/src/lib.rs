//! OpenTelemetry start and stop, trace context on the wire, metrics, log lines, and the one list of span, attribute and
//! metric names.
//!
//! | module | holds |
//! |---|---|
//! | [`names`] | every name, with the tables that the page on telemetry shows |
//! | [`spans`] | every span, and what goes on it |
//! | [`propagation`] | trace context in headers |
//! | [`options`] | settings, and the standard names of the environment |
//! | [`content`] | whether questions and answers may be on spans |
//! | [`file_exporter`] | the trace store of the embedded system |
//!
//! No other crate names an OpenTelemetry type. A process calls [`start`] once in `main`; libraries use `tracing`
//! and `metrics` with the names of [`names`]. A trace store that is down costs a counter and never a request.

pub mod content;
mod export;
pub mod file_exporter;
mod lines;
pub mod names;
pub mod options;
mod otlp;
pub mod propagation;
mod recorder;
pub mod spans;

use std::io::IsTerminal as _;
use std::path::PathBuf;
use std::sync::OnceLock;
use std::time::Duration;

use opentelemetry::KeyValue;
use opentelemetry::trace::TracerProvider as _;
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::propagation::TraceContextPropagator;
use opentelemetry_sdk::trace::{Sampler, SdkTracerProvider};
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{EnvFilter, Layer as _};

pub use options::{FLAT, Headers, LogFormat, Options, Otlp, Protocol};
pub use recorder::Exposition;

use content::Policy;
use names::attributes as a;
use recorder::Recorder;

/// Attributes that a span may have: a search alone brings four for each document.
const MOST_ATTRIBUTES: u32 = 512;

/// The recorder of this process.
static RECORDER: OnceLock<Recorder> = OnceLock::new();

/// Why telemetry could not start.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The log filter cannot be read.
    #[error("setting `telemetry.log`: {0}")]
    Filter(#[from] tracing_subscriber::filter::ParseError),
    /// The trace file cannot be opened.
    #[error("setting `telemetry.trace_file`: {path}: {source}")]
    TraceFile {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A setting cannot work.
    #[error("setting `telemetry.{setting}`: {text}")]
    Setting {
        /// The setting.
        setting: &'static str,
        /// What is wrong with it.
        text: String,
    },
    /// Telemetry was started before in this process.
    #[error("telemetry was started twice: {0}")]
    Twice(String),
}

/// Running telemetry; dropping it delivers what is left, within a bound.
#[derive(Debug)]
pub struct Telemetry {
    provider: SdkTracerProvider,
    /// Runs the connection to the trace store.
    runtime: Option<tokio::runtime::Runtime>,
    shutdown: Duration,
}

impl Telemetry {
    /// Turns our `tracing` spans into spans of the trace store.
    fn layer<S>(&self) -> impl tracing_subscriber::Layer<S> + Send + Sync + 'static
    where
        S: tracing::Subscriber + for<'a> tracing_subscriber::registry::LookupSpan<'a> + Send + Sync,
    {
        tracing_opentelemetry::layer()
            .with_location(false)
            .with_threads(false)
            .with_target(false)
            .with_tracked_inactivity(false)
            .with_tracer(self.provider.tracer("assay"))
            .with_filter(tracing_subscriber::filter::filter_fn(|meta| {
                meta.is_span() && meta.target().starts_with("assay")
            }))
    }

    /// Delivers the spans that have ended so far; waits at most five seconds.
    pub fn flush(&self) {
        if let Err(error) = self.provider.force_flush() {
            tracing::debug!(%error, "spans were not flushed");
        }
    }
}

impl Drop for Telemetry {
    fn drop(&mut self) {
        content::enable(false);
        if let Err(error) = self.provider.shutdown_with_timeout(self.shutdown) {
            tracing::debug!(%error, "telemetry did not shut down cleanly");
        }
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

/// The metrics of this process in the format that a scraper asks for by its `Accept` header: OpenMetrics with exemplars,
/// else the older text format. Empty before [`start`], or if another recorder was installed first.
#[must_use]
pub fn exposition(accept: Option<&str>) -> Exposition {
    match RECORDER.get() {
        Some(recorder) => recorder.render(accept),
        None => Recorder::default().render(accept),
    }
}

/// Starts logs, traces and metrics of this process under the given service name.
///
/// # Errors
/// If a setting is wrong or telemetry runs already. A trace store that cannot be reached is no error.
pub fn start(service: &'static str, options: &Options) -> Result<Telemetry, Error> {
    options.check()?;
    let filter = EnvFilter::try_new(&options.log)?;
    let recorder = Recorder::default();
    if metrics::set_global_recorder(recorder.clone()).is_ok() {
        let _ = RECORDER.set(recorder);
    }
    names::metrics::describe();

    let telemetry = pipeline(service, options)?;
    opentelemetry::global::set_text_map_propagator(TraceContextPropagator::new());
    // Spans go to the trace store; a log line says what happened and not where it was called from. What the exporter
    // has to say is said once a minute by us.
    let exporter_too = options.log.contains("opentelemetry");
    let events = tracing_subscriber::filter::filter_fn(move |meta| {
        meta.is_event() && (exporter_too || !meta.target().starts_with("opentelemetry"))
    });
    let lines = tracing_subscriber::fmt::layer()
        .with_writer(std::io::stderr)
        .with_ansi(options.log_format == LogFormat::Text && std::io::stderr().is_terminal())
        .event_format(lines::Lines(options.log_format));
    tracing_subscriber::registry()
        .with(lines.with_filter(events).with_filter(filter))
        .with(telemetry.layer())
        .try_init()
        .map_err(|error| Error::Twice(error.to_string()))?;
    content::enable(options.content && options.exports());
    Ok(telemetry)
}

/// Where spans go when they end.
fn pipeline(service: &'static str, options: &Options) -> Result<Telemetry, Error> {
    let policy = Policy { content: options.content, bytes: options.content_bytes };
    let mut builder = SdkTracerProvider::builder()
        .with_resource(resource(service, options))
        .with_max_attributes_per_span(MOST_ATTRIBUTES)
        .with_sampler(Sampler::ParentBased(Box::new(Sampler::TraceIdRatioBased(options.sampling_ratio))));
    if let Some(path) = &options.trace_file {
        let exporter = file_exporter::FileExporter::open(path)
            .map_err(|source| Error::TraceFile { path: path.clone(), source })?;
        builder = builder.with_span_processor(export::batching(exporter, &options.otlp, policy));
    }
    let mut runtime = None;
    if !options.otlp.endpoint.is_empty() {
        let delivery = otlp::delivery(&options.otlp)?;
        builder = builder.with_span_processor(export::batching(delivery.exporter, &options.otlp, policy));
        runtime = delivery.runtime;
    }
    let shutdown = Duration::from_millis(options.otlp.shutdown_ms);
    Ok(Telemetry { provider: builder.build(), runtime, shutdown })
}

/// What every span of this process has in common.
fn resource(service: &'static str, options: &Options) -> Resource {
    let instance = [&options.instance, &options.pod].into_iter().find(|name| !name.is_empty());
    let instance = instance.cloned().unwrap_or_else(|| std::process::id().to_string());
    let mut pairs = vec![
        KeyValue::new(a::SERVICE_NAME, service),
        KeyValue::new(a::SERVICE_NAMESPACE, "assay"),
        KeyValue::new(a::SERVICE_VERSION, env!("CARGO_PKG_VERSION")),
        KeyValue::new(a::SERVICE_INSTANCE, instance),
    ];
    for (name, value) in [
        (a::POD, &options.pod),
        (a::NAMESPACE, &options.namespace),
        (a::NODE, &options.node),
        (a::PROJECT, &options.project),
    ] {
        if !value.is_empty() {
            pairs.push(KeyValue::new(name, value.clone()));
        }
    }
    for (name, value) in options::pairs(&options.resource).unwrap_or_default() {
        pairs.push(KeyValue::new(name, value));
    }
    Resource::builder_empty().with_attributes(pairs).build()
}

#[cfg(test)]
mod tests;
