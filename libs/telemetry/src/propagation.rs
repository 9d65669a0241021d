//! W3C trace context in headers: taken from a request into a span, and put from the current span on a request.

use http::{HeaderMap, HeaderName, HeaderValue};
use opentelemetry::propagation::{Extractor, Injector};
use opentelemetry::trace::TraceContextExt as _;
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
    // Without one the span keeps the parent it was opened in. A span that has no subscriber cannot take a parent;
    // there is nothing to do about it.
    if parent.span().span_context().is_valid() {
        let _ = span.set_parent(parent);
    }
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
    let context = tracing::Span::current().context();
    let ids = context.span().span_context().clone();
    ids.is_valid().then(|| ids.trace_id().to_string())
}

/// Trace id and span id of the span that this thread is in, as hex digits; none outside a trace. `sampled` says whether
/// the trace is recorded. Never enters the subscriber, so that it can be called from inside one.
pub(crate) fn entered() -> Option<(String, String, bool)> {
    let context = opentelemetry::Context::current();
    let ids = context.span().span_context().clone();
    ids.is_valid().then(|| (ids.trace_id().to_string(), ids.span_id().to_string(), ids.is_sampled()))
}
