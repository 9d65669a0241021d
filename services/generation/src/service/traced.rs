//! What the span and the counters of a call say of it.

use assay_domain::draft::Finish;
use assay_telemetry::names::metrics as names;
use assay_telemetry::spans;

use super::TEMPERATURE;
use crate::error::ProviderError;
use crate::ports::{End, Job, Provider};

/// The span of a call: a model's, or that of composing without one.
pub(super) fn span_of(provider: &dyn Provider, job: Job<'_>) -> tracing::Span {
    if !provider.is_model() {
        return spans::extract(&job.prompt.id.id);
    }
    let (service, model) = provider.model().split_once(':').unwrap_or(("", provider.model()));
    let span = spans::chat(&spans::Call {
        provider: service,
        model,
        prompt: &job.prompt.id.id,
        max_tokens: job.completion_tokens,
        temperature: TEMPERATURE,
        seed: provider.takes_seed().then_some(job.seed),
    });
    spans::asked(&span, &[("system", &job.prompt.system), ("user", &job.prompt.user)]);
    span
}

/// Puts on a span, and counts, how its call ended.
pub(super) fn ended(
    provider: &dyn Provider,
    span: &tracing::Span,
    result: &Result<End, ProviderError>,
    written: &str,
    elapsed_ms: u64,
) {
    if !provider.is_model() {
        return spans::output(span, written);
    }
    let model = provider.model().to_owned();
    let outcome = result.as_ref().map_or_else(ProviderError::label, |_| "ok".to_owned());
    #[allow(clippy::cast_precision_loss, reason = "milliseconds of a call fit")]
    let seconds = elapsed_ms as f64 / 1000.0;
    metrics::histogram!(names::MODEL_CALL_SECONDS, "model" => model.clone()).record(seconds);
    metrics::counter!(names::MODEL_CALLS_TOTAL, "model" => model.clone(), "outcome" => outcome.clone())
        .increment(1);
    match result {
        Ok(end) => {
            spans::answered(span, written);
            spans::used(
                span,
                end.prompt_tokens.map(u64::from),
                end.completion_tokens.map(u64::from),
                reason(end.finish),
            );
            for (direction, tokens) in [("input", end.prompt_tokens), ("output", end.completion_tokens)] {
                let counter = metrics::counter!(names::MODEL_TOKENS_TOTAL, "model" => model.clone(), "direction" => direction);
                counter.increment(tokens.map_or(0, u64::from));
            }
        }
        Err(_) => spans::failed(span, &outcome),
    }
}

/// Why a model stopped, as the GenAI conventions name it.
fn reason(finish: Finish) -> &'static str {
    match finish {
        Finish::Length => "length",
        Finish::Stop | Finish::Abstained => "stop",
    }
}
