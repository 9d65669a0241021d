//! What the router puts on its spans; the spans themselves are made in telemetry.

use assay_domain::evidence::{Hit, Source};
use assay_domain::{Answer, CheckResult, Failure, Relevance};
use assay_telemetry::names::attributes as a;
use assay_telemetry::spans;
use tracing::{Instrument as _, Span};

use crate::answer::verdict_name;
use crate::journal::Journal;
use crate::ports::{Examples, Found};

/// A search in its span, with what it found.
pub(crate) async fn retrieve(
    question: &str,
    find: impl Future<Output = Result<Found, Failure>>,
) -> Result<Found, Failure> {
    let span = spans::retrieve();
    spans::input(&span, question);
    let found = find.instrument(span.clone()).await;
    match &found {
        Ok(found) => {
            spans::set(&span, a::INDEX_MANIFEST, found.index_manifest.clone());
            spans::documents(
                &span,
                found.hits.iter().map(|Hit { source, score, .. }| document(source, *score)),
            );
        }
        Err(failure) => spans::failed(&span, failure.code.as_str()),
    }
    found
}

/// A look for examples in its span, with what it found.
pub(crate) async fn examples(
    find: impl Future<Output = Result<Examples, Failure>>,
) -> Result<Examples, Failure> {
    let span = spans::examples();
    let found = find.instrument(span.clone()).await;
    match &found {
        Ok(examples) => {
            spans::documents(&span, examples.sources.iter().map(|source| document(source, 0.0)));
        }
        Err(failure) => spans::failed(&span, failure.code.as_str()),
    }
    found
}

fn document(source: &Source, score: f64) -> spans::Document<'_> {
    let lines = format!("{}-{}", source.lines.first, source.lines.last);
    let metadata = serde_json::json!({
        "path": source.path,
        "lines": lines,
        "kind": source.kind.as_str(),
        "version": source.file_sha256.get(..12).unwrap_or_default(),
    });
    spans::Document { id: &source.id, content: &source.text, score, metadata }
}

/// The decided type.
pub(crate) fn routed(span: &Span, route: &assay_domain::Route) {
    spans::set(span, a::QUERY_TYPE, route.query_type.as_str());
    spans::set(span, a::ROUTE_LAYER, route.layer.as_str());
    spans::set(span, a::ROUTE_PROBABILITY, route.probability);
}

/// Whether the evidence answers the question.
pub(crate) fn judged(span: &Span, relevance: &Result<Relevance, Failure>) {
    match relevance {
        Ok(relevance) => {
            spans::set(span, a::RELEVANT, relevance.relevant);
            spans::set(span, a::RELEVANCE, relevance.probability);
        }
        Err(failure) => spans::failed(span, failure.code.as_str()),
    }
}

/// What the checks said.
pub(crate) fn checked(span: &Span, result: &CheckResult) {
    let report = &result.report;
    let checks = report.checks.iter().map(|check| (check.name.as_str(), check.status.as_str()));
    spans::verdict(span, report.verdict.as_str(), checks, report.support);
}

/// How the request ended, on the span that this runs in.
pub(crate) fn settled(answer: &Answer, journal: &Journal) {
    let span = Span::current();
    let end = spans::Settled {
        query_type: journal.query_type().map_or("NONE", assay_domain::QueryType::as_str),
        outcome: answer.outcome.as_str(),
        verdict: verdict_name(answer.verdict),
        attempts: answer.attempts,
        model_calls: journal.spent.model_calls,
        text: &answer.text,
    };
    spans::settled(&span, &end);
    if let Some(failure) = &answer.failure {
        spans::failed(&span, failure.code.as_str());
    }
}
