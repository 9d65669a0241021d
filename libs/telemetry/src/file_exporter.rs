//! Writes finished spans to a file, one JSON object a line; the trace store of the embedded system.

use std::fs::File;
use std::io::Write as _;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use opentelemetry_sdk::error::{OTelSdkError, OTelSdkResult};
use opentelemetry_sdk::trace::{SpanData, SpanExporter};

/// Appends spans to a file.
#[derive(Debug)]
pub struct FileExporter {
    file: Mutex<File>,
}

impl FileExporter {
    /// Opens the file for appending and creates it if need be.
    ///
    /// # Errors
    /// What the system says.
    pub fn open(path: &Path) -> std::io::Result<Self> {
        let file = File::options().create(true).append(true).open(path)?;
        Ok(Self { file: Mutex::new(file) })
    }
}

fn nanos(time: SystemTime) -> u64 {
    time.duration_since(UNIX_EPOCH).map_or(0, |d| u64::try_from(d.as_nanos()).unwrap_or(u64::MAX))
}

fn line(span: &SpanData) -> String {
    let attributes: serde_json::Map<String, serde_json::Value> = span
        .attributes
        .iter()
        .map(|pair| (pair.key.to_string(), serde_json::Value::from(pair.value.to_string())))
        .collect();
    serde_json::json!({
        "trace_id": span.span_context.trace_id().to_string(),
        "span_id": span.span_context.span_id().to_string(),
        "parent_span_id": span.parent_span_id.to_string(),
        "name": span.name,
        "kind": format!("{:?}", span.span_kind),
        "start_unix_ns": nanos(span.start_time),
        "end_unix_ns": nanos(span.end_time),
        "status": format!("{:?}", span.status),
        "attributes": attributes,
    })
    .to_string()
}

impl SpanExporter for FileExporter {
    async fn export(&self, batch: Vec<SpanData>) -> OTelSdkResult {
        let mut text = String::new();
        for span in &batch {
            text.push_str(&line(span));
            text.push('\n');
        }
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.write_all(text.as_bytes()).map_err(|error| OTelSdkError::InternalFailure(error.to_string()))
    }
}
