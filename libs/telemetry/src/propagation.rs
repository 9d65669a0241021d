//! W3C trace context in headers: taken from a request into a span, and put from the current span on a request.

use http::{HeaderMap, HeaderName, HeaderValue};
use opentelemetry::propagation::{Extractor, Injector};
use tracing_opentelemetry::OpenTelemetrySpanExt as _;

struct Read<'a>(&'a HeaderMap);

impl Extractor for Read<'_> {
    fn get(&self, key: &str) -> Option<&str> {
        self.0.get(key).and_then(|value| value.to_str().ok())
    }

    fn keys(&self) -> Vec<&str> {
        self.0.keys().map(HeaderName::as_str).collect()
    }
}

struct Write<'a>(&'a mut HeaderMap);

impl Injector for Write<'_> {
    fn set(&mut self, key: &str, value: String) {
        if let (Ok(name), Ok(value)) = (HeaderName::from_bytes(key.as_bytes()), HeaderValue::from_str(&value))
        {
            self.0.insert(name, value);
        }
    }
}

/// Makes the caller's span the parent of `span`, if the headers carry one.
pub fn set_parent(span: &tracing::Span, headers: &HeaderMap) {
    let parent =
        opentelemetry::global::get_text_map_propagator(|propagator| propagator.extract(&Read(headers)));
    // A span that has no subscriber cannot take a parent; there is nothing to do about it.
    let _ = span.set_parent(parent);
}

/// Writes the current span's context as `traceparent` and `tracestate`.
pub fn inject(headers: &mut HeaderMap) {
    let context = tracing::Span::current().context();
    opentelemetry::global::get_text_map_propagator(|propagator| {
        propagator.inject_context(&context, &mut Write(headers));
    });
}

/// The current trace id as 32 hex digits; none outside a trace.
#[must_use]
pub fn trace_id() -> Option<String> {
    let mut headers = HeaderMap::new();
    inject(&mut headers);
    let parent = headers.get("traceparent")?.to_str().ok()?;
    parent.split('-').nth(1).map(str::to_owned)
}
