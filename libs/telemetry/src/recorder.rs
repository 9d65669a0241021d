//! The metrics of this process: counters and histograms with the trace they last happened in as exemplar, gauges, and
//! their text, in the format the scraper asks for.
//!
//! A metric holds at most 1,000 combinations of labels; what comes after is counted in one series whose only
//! label is `overflow`, so that a caller who invents labels cannot fill the memory.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use metrics::{
    Counter, CounterFn, Gauge, GaugeFn, Histogram, HistogramFn, Key, KeyName, Metadata, SharedString,
};
use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeMetric, MetricEncoder};
use prometheus_client::metrics::MetricType;
use prometheus_client::metrics::counter::Atomic as _;
use prometheus_client::metrics::exemplar::{CounterWithExemplar, HistogramWithExemplars};
use prometheus_client::metrics::gauge::Gauge as PlainGauge;
use prometheus_client::registry::{Registry, Unit};

use crate::names::metrics::buckets;
use crate::propagation::entered;

mod text;

/// Combinations of labels that a metric may have.
const MOST_SERIES: usize = 1_000;
/// Longest value of a label, in bytes; what is longer is no name of ours and reads `overflow`.
const LONGEST_VALUE: usize = 256;
/// Label of the series that holds the rest.
const OVERFLOW: &str = "overflow";
/// Names of metrics about telemetry itself, which happen in no trace.
const OWN: &str = "assay_telemetry_";

type Labels = Vec<(String, String)>;

/// Metrics as text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exposition {
    /// Media type of the text.
    pub content_type: &'static str,
    /// The text.
    pub body: String,
}

/// Records metrics.
#[derive(Debug, Clone, Default)]
pub(crate) struct Recorder {
    store: Arc<Store>,
}

#[derive(Debug, Default)]
struct Store {
    /// By the key that call sites use, so that the usual case is one look-up.
    known: RwLock<HashMap<Key, Series>>,
    families: RwLock<BTreeMap<String, Family>>,
    meanings: RwLock<HashMap<String, String>>,
}

#[derive(Debug, Default)]
struct Family {
    series: BTreeMap<Labels, Series>,
}

#[derive(Debug, Clone)]
enum Series {
    Counter(Arc<Counted>),
    Gauge(Arc<Level>),
    Histogram(Arc<Observed>),
}

#[derive(Debug)]
struct Counted {
    metric: CounterWithExemplar<Labels>,
    traced: bool,
}

#[derive(Debug, Default)]
struct Level(PlainGauge<f64, AtomicU64>);

#[derive(Debug)]
struct Observed(HistogramWithExemplars<Labels>);

/// The trace that this thread is in, as the labels of an exemplar; none outside a recorded trace.
fn exemplar() -> Option<Labels> {
    let (trace, span, sampled) = entered()?;
    sampled.then(|| vec![("trace_id".to_owned(), trace), ("span_id".to_owned(), span)])
}

#[allow(clippy::disallowed_methods, reason = "the time of an exemplar is no time of the product")]
fn now() -> Option<std::time::SystemTime> {
    Some(std::time::SystemTime::now())
}

impl CounterFn for Counted {
    fn increment(&self, value: u64) {
        match exemplar().filter(|_| self.traced && value > 0) {
            Some(labels) => {
                self.metric.inc_by(value, Some(labels), now());
            }
            // An increment outside a trace leaves the last exemplar where it is.
            None => {
                self.metric.inner().inc_by(value);
            }
        }
    }

    fn absolute(&self, value: u64) {
        self.metric.inner().fetch_max(value, Ordering::Relaxed);
    }
}

impl GaugeFn for Level {
    fn increment(&self, value: f64) {
        self.0.inc_by(value);
    }

    fn decrement(&self, value: f64) {
        self.0.dec_by(value);
    }

    fn set(&self, value: f64) {
        self.0.set(value);
    }
}

impl HistogramFn for Observed {
    fn record(&self, value: f64) {
        let labels = exemplar();
        let at = labels.as_ref().and_then(|_| now());
        self.0.observe(value, labels, at);
    }
}

impl Series {
    fn encode(&self, encoder: MetricEncoder<'_>) -> std::fmt::Result {
        match self {
            Self::Counter(counter) => counter.metric.encode(encoder),
            Self::Gauge(gauge) => gauge.0.encode(encoder),
            Self::Histogram(histogram) => histogram.0.encode(encoder),
        }
    }
}

// === impl Store ===

impl Store {
    fn series(&self, key: &Key, make: impl Fn() -> Series) -> Series {
        if let Some(series) = self.known.read().unwrap_or_else(PoisonError::into_inner).get(key) {
            return series.clone();
        }
        let bounded = |value: &str| if value.len() > LONGEST_VALUE { OVERFLOW } else { value }.to_owned();
        let long = key.labels().any(|label| label.value().len() > LONGEST_VALUE);
        let mut labels: Labels =
            key.labels().map(|label| (label.key().to_owned(), bounded(label.value()))).collect();
        labels.sort();
        labels.dedup_by(|a, b| a.0 == b.0);
        let mut families = self.families.write().unwrap_or_else(PoisonError::into_inner);
        let family = families.entry(key.name().to_owned()).or_default();
        let full = family.series.len() >= MOST_SERIES && !family.series.contains_key(&labels);
        if full {
            labels = vec![(OVERFLOW.to_owned(), "true".to_owned())];
        }
        let series = family.series.entry(labels).or_insert_with(make).clone();
        drop(families);
        if !(full || long) {
            self.known.write().unwrap_or_else(PoisonError::into_inner).insert(key.clone(), series.clone());
        }
        series
    }

    fn describe(&self, name: &KeyName, meaning: &SharedString) {
        let mut meanings = self.meanings.write().unwrap_or_else(PoisonError::into_inner);
        meanings.insert(name.as_str().to_owned(), meaning.to_string());
    }
}

// === impl Recorder ===

impl Recorder {
    /// The text that the scraper asks for by its `Accept` header: OpenMetrics with exemplars, else the older format.
    pub(crate) fn render(&self, accept: Option<&str>) -> Exposition {
        let mut registry = Registry::default();
        registry.register_collector(Box::new(self.clone()));
        let mut body = String::new();
        // Writing to memory cannot fail.
        let _ = prometheus_client::encoding::text::encode(&mut body, &registry);
        if text::wants_openmetrics(accept) {
            Exposition { content_type: text::OPENMETRICS, body }
        } else {
            Exposition { content_type: text::PLAIN, body: text::plain(&body) }
        }
    }
}

impl metrics::Recorder for Recorder {
    fn describe_counter(&self, key: KeyName, _: Option<metrics::Unit>, meaning: SharedString) {
        self.store.describe(&key, &meaning);
    }

    fn describe_gauge(&self, key: KeyName, _: Option<metrics::Unit>, meaning: SharedString) {
        self.store.describe(&key, &meaning);
    }

    fn describe_histogram(&self, key: KeyName, _: Option<metrics::Unit>, meaning: SharedString) {
        self.store.describe(&key, &meaning);
    }

    fn register_counter(&self, key: &Key, _: &Metadata<'_>) -> Counter {
        let traced = !key.name().starts_with(OWN);
        let make = || Series::Counter(Arc::new(Counted { metric: CounterWithExemplar::default(), traced }));
        match self.store.series(key, make) {
            Series::Counter(counter) => Counter::from_arc(counter),
            _ => Counter::noop(),
        }
    }

    fn register_gauge(&self, key: &Key, _: &Metadata<'_>) -> Gauge {
        match self.store.series(key, || Series::Gauge(Arc::default())) {
            Series::Gauge(gauge) => Gauge::from_arc(gauge),
            _ => Gauge::noop(),
        }
    }

    fn register_histogram(&self, key: &Key, _: &Metadata<'_>) -> Histogram {
        let make = || {
            let bounds = buckets(key.name()).iter().copied();
            Series::Histogram(Arc::new(Observed(HistogramWithExemplars::new(bounds))))
        };
        match self.store.series(key, make) {
            Series::Histogram(histogram) => Histogram::from_arc(histogram),
            _ => Histogram::noop(),
        }
    }
}

impl Collector for Recorder {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> std::fmt::Result {
        let meanings = self.store.meanings.read().unwrap_or_else(PoisonError::into_inner);
        let families = self.store.families.read().unwrap_or_else(PoisonError::into_inner);
        for (name, family) in families.iter() {
            let Some(first) = family.series.values().next() else { continue };
            let (metric_type, base) = match first {
                // OpenMetrics adds the ending of counters itself.
                Series::Counter(_) => (MetricType::Counter, name.strip_suffix("_total").unwrap_or(name)),
                Series::Gauge(_) => (MetricType::Gauge, name.as_str()),
                Series::Histogram(_) => (MetricType::Histogram, name.as_str()),
            };
            let (base, unit) = match base.strip_suffix("_seconds") {
                Some(base) => (base, Some(Unit::Seconds)),
                None => (base, None),
            };
            let meaning = meanings.get(name).map_or("", String::as_str);
            let mut of_name = encoder.encode_descriptor(base, meaning, unit.as_ref(), metric_type)?;
            if let [(labels, alone)] = family.series.iter().collect::<Vec<_>>().as_slice()
                && labels.is_empty()
            {
                alone.encode(of_name)?;
                continue;
            }
            for (labels, series) in &family.series {
                series.encode(of_name.encode_family(labels)?)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
