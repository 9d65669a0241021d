//! Settings of logs, traces and metrics, and what keeps them from working.

use std::path::PathBuf;
use std::time::Duration;

use secrecy::{ExposeSecret as _, SecretString};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::Error;

/// Flat environment names and the key each sets; the standard ones of OpenTelemetry.
pub const FLAT: &[(&str, &str)] = &[
    ("OTEL_EXPORTER_OTLP_ENDPOINT", "telemetry.otlp.endpoint"),
    ("OTEL_EXPORTER_OTLP_PROTOCOL", "telemetry.otlp.protocol"),
    ("OTEL_EXPORTER_OTLP_HEADERS", "telemetry.otlp.headers"),
    ("OTEL_EXPORTER_OTLP_TIMEOUT", "telemetry.otlp.timeout_ms"),
    ("OTEL_EXPORTER_OTLP_CERTIFICATE", "telemetry.otlp.ca_file"),
    ("OTEL_BSP_MAX_QUEUE_SIZE", "telemetry.otlp.queue_spans"),
    ("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", "telemetry.otlp.batch_spans"),
    ("OTEL_BSP_SCHEDULE_DELAY", "telemetry.otlp.delay_ms"),
    ("OTEL_RESOURCE_ATTRIBUTES", "telemetry.resource"),
];

/// How log lines look.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LogFormat {
    /// One readable line each.
    #[default]
    Text,
    /// One JSON object each.
    Json,
}

/// How spans travel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Protocol {
    /// gRPC, usually port 4317.
    #[default]
    #[serde(rename = "grpc")]
    Grpc,
    /// HTTP with protobuf bodies, usually port 4318.
    #[serde(rename = "http/protobuf")]
    Http,
}

/// Settings of logs, traces and metrics.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Options {
    /// Which log lines are written, in the syntax of `tracing_subscriber::EnvFilter`. The provider library is silent: it
    /// would write what a model server answered into the log, and generation reports the failure itself.
    pub log: String,
    /// Format of log lines: `text` or `json`.
    pub log_format: LogFormat,
    /// File that finished spans are appended to, one JSON object a line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace_file: Option<PathBuf>,
    /// Put questions, answers, sources and principals on spans. They are redacted as records are.
    pub content: bool,
    /// Longest text on a span, in bytes; the rest is cut off.
    pub content_bytes: usize,
    /// Share of requests that are traced, 0 to 1; a request that arrives in a trace follows its caller.
    pub sampling_ratio: f64,
    /// Further attributes of this process, as `name=value,name=value`.
    pub resource: String,
    /// Project under which Phoenix files the traces.
    pub project: String,
    /// Name of this replica of the service; empty means the pod name, else the process id.
    pub instance: String,
    /// Pod of this process; Kubernetes tells it by the downward API.
    pub pod: String,
    /// Kubernetes namespace of this process.
    pub namespace: String,
    /// Kubernetes node of this process.
    pub node: String,
    /// Where traces are sent.
    pub otlp: Otlp,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            log: "warn,assay=info,genai=off".into(),
            log_format: LogFormat::Text,
            trace_file: None,
            content: false,
            content_bytes: 16 * 1024,
            sampling_ratio: 1.0,
            resource: String::new(),
            project: "assay".into(),
            instance: String::new(),
            pod: String::new(),
            namespace: String::new(),
            node: String::new(),
            otlp: Otlp::default(),
        }
    }
}

/// Where traces are sent, and what may wait.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Otlp {
    /// Address of the collector, e.g. `http://127.0.0.1:4317`; empty means that traces are not sent. Over HTTP
    /// `/v1/traces` is added.
    pub endpoint: String,
    /// How spans travel: `grpc` or `http/protobuf`.
    pub protocol: Protocol,
    /// Headers of each request, as `name=value,name=value`; values may be percent-encoded. Secret.
    pub headers: Headers,
    /// Longest time of one delivery, retries included, in milliseconds.
    pub timeout_ms: u64,
    /// Certificates that the collector's is checked against, as PEM. gRPC over TLS needs it; HTTP without it takes the
    /// system's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ca_file: Option<PathBuf>,
    /// Finished spans that may wait; more are dropped and counted.
    pub queue_spans: usize,
    /// Most spans of one delivery.
    pub batch_spans: usize,
    /// Longest time that a finished span waits for others, in milliseconds.
    pub delay_ms: u64,
    /// Longest time that the end of the process waits for the last delivery, in milliseconds.
    pub shutdown_ms: u64,
}

impl Default for Otlp {
    fn default() -> Self {
        Self {
            endpoint: String::new(),
            protocol: Protocol::Grpc,
            headers: Headers::default(),
            timeout_ms: 10_000,
            ca_file: None,
            queue_spans: 4_096,
            batch_spans: 512,
            delay_ms: 1_000,
            shutdown_ms: 3_000,
        }
    }
}

// === impl Options ===

impl Options {
    /// Whether finished spans go anywhere.
    #[must_use]
    pub fn exports(&self) -> bool {
        self.trace_file.is_some() || !self.otlp.endpoint.is_empty()
    }

    /// Refuses settings that cannot work.
    ///
    /// # Errors
    /// Naming the setting.
    pub fn check(&self) -> Result<(), Error> {
        let wrong =
            |setting: &'static str, text: &str| Err(Error::Setting { setting, text: text.to_owned() });
        if !(0.0..=1.0).contains(&self.sampling_ratio) {
            return wrong("sampling_ratio", "it must be 0 to 1");
        }
        if pairs(&self.resource).is_none() {
            return wrong("resource", "it must read `name=value,name=value`");
        }
        let otlp = &self.otlp;
        if otlp.timeout_ms == 0 || otlp.delay_ms == 0 || otlp.queue_spans == 0 || otlp.batch_spans == 0 {
            return wrong("otlp", "timeout_ms, delay_ms, queue_spans and batch_spans must be at least 1");
        }
        if otlp.batch_spans > otlp.queue_spans {
            return wrong("otlp.batch_spans", "it must be at most queue_spans");
        }
        if otlp.endpoint.is_empty() {
            return Ok(());
        }
        if otlp.headers.pairs().is_none() {
            return wrong("otlp.headers", "they must read `name=value,name=value`");
        }
        let uri = match otlp.endpoint.parse::<http::Uri>() {
            Ok(uri) => uri,
            Err(error) => return wrong("otlp.endpoint", &format!("it is no address: {error}")),
        };
        match uri.scheme_str() {
            Some("http") => Ok(()),
            Some("https") if otlp.protocol == Protocol::Grpc && otlp.ca_file.is_none() => {
                wrong("otlp.ca_file", "gRPC over TLS needs the certificates to check the collector against")
            }
            Some("https") => Ok(()),
            _ => wrong("otlp.endpoint", "it must begin with http:// or https://"),
        }
    }
}

// === impl Otlp ===

impl Otlp {
    /// Longest time of one delivery.
    pub(crate) fn timeout(&self) -> Duration {
        Duration::from_millis(self.timeout_ms)
    }

    /// Address that HTTP deliveries are posted to.
    pub(crate) fn http_endpoint(&self) -> String {
        let base = self.endpoint.trim_end_matches('/');
        if base.ends_with("/v1/traces") { base.to_owned() } else { format!("{base}/v1/traces") }
    }
}

/// Headers that hold keys: shown as `(set)`, and `(set)` is refused as a value.
#[derive(Debug, Clone, Default)]
pub struct Headers(Option<SecretString>);

/// What stands for headers in a dump of the settings.
const SHOWN: &str = "(set)";

// === impl Headers ===

impl Headers {
    /// Headers as `name=value,name=value`; an empty text is none.
    #[must_use]
    pub fn new(text: &str) -> Self {
        Self((!text.is_empty()).then(|| SecretString::from(text.to_owned())))
    }

    fn expose(&self) -> &str {
        self.0.as_ref().map_or("", |text| text.expose_secret())
    }

    /// Names and values; none if they cannot be read.
    pub(crate) fn pairs(&self) -> Option<Vec<(String, String)>> {
        pairs(self.expose())
    }
}

impl PartialEq for Headers {
    fn eq(&self, other: &Self) -> bool {
        self.expose() == other.expose()
    }
}

impl Serialize for Headers {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(if self.0.is_some() { SHOWN } else { "" })
    }
}

impl<'de> Deserialize<'de> for Headers {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        if text == SHOWN {
            let text = "`(set)` stands for headers in a dump and is none; set the headers themselves";
            return Err(serde::de::Error::custom(text));
        }
        Ok(Self::new(&text))
    }
}

/// `name=value,name=value` with percent-encoded values, as OpenTelemetry writes it; none if it reads otherwise.
pub(crate) fn pairs(text: &str) -> Option<Vec<(String, String)>> {
    text.split(',')
        .map(str::trim)
        .filter(|pair| !pair.is_empty())
        .map(|pair| {
            let (name, value) = pair.split_once('=')?;
            let name = name.trim();
            (!name.is_empty()).then(|| Some((name.to_owned(), decoded(value.trim())?)))?
        })
        .collect()
}

/// A percent-encoded text; none if what it stands for is no text.
fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, tail)) = rest.split_first() {
        let digits = (byte == b'%').then(|| tail.get(..2)).flatten();
        let digits = digits.and_then(|digits| std::str::from_utf8(digits).ok());
        match digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(decoded) => {
                bytes.push(decoded);
                rest = &tail[2..];
            }
            None => {
                bytes.push(byte);
                rest = tail;
            }
        }
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn otlp(endpoint: &str) -> Options {
        Options { otlp: Otlp { endpoint: endpoint.into(), ..Otlp::default() }, ..Options::default() }
    }

    #[test]
    fn a_setting_that_cannot_work_is_named() {
        assert!(Options::default().check().is_ok());
        assert!(otlp("http://localhost:4317").check().is_ok());
        for (options, setting) in [
            (otlp("localhost:4317"), "otlp.endpoint"),
            (otlp("https://collector:4317"), "otlp.ca_file"),
            (Options { sampling_ratio: 1.5, ..Options::default() }, "sampling_ratio"),
            (Options { resource: "nothing".into(), ..Options::default() }, "resource"),
        ] {
            let error = options.check().unwrap_err().to_string();
            assert!(error.contains(setting), "{error}");
        }
        let mut options = otlp("http://localhost:4317");
        options.otlp.headers = Headers::new("Authorization");
        assert!(options.check().unwrap_err().to_string().contains("otlp.headers"));
    }

    #[test]
    fn headers_are_read_as_opentelemetry_writes_them_and_never_shown() {
        let headers = Headers::new("Authorization=Basic%20cGs6c2s=, x-scope = a%2Cb,");
        let read = headers.pairs().unwrap();
        assert_eq!(
            read,
            [
                ("Authorization".to_owned(), "Basic cGs6c2s=".to_owned()),
                ("x-scope".to_owned(), "a,b".to_owned()),
            ]
        );
        let mut options = otlp("http://localhost:4317");
        options.otlp.headers = headers;
        let shown = serde_json::to_string(&options).unwrap() + &format!("{options:?}");
        assert!(!shown.contains("cGs6c2s="), "{shown}");
        assert!(serde_json::from_str::<Options>(&serde_json::to_string(&options).unwrap()).is_err());
    }

    #[test]
    fn the_path_of_http_deliveries_is_added_once() {
        for (endpoint, path) in [
            ("http://h:4318", "http://h:4318/v1/traces"),
            ("http://h:4318/", "http://h:4318/v1/traces"),
            ("https://h/api/public/otel", "https://h/api/public/otel/v1/traces"),
            ("https://h/api/public/otel/v1/traces", "https://h/api/public/otel/v1/traces"),
        ] {
            assert_eq!(otlp(endpoint).otlp.http_endpoint(), path);
        }
    }
}
