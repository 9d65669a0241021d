//! The lines of the smaller commands: hits, diagnostics, parsed programs, classifications, plans, manifests.

use assay_domain::answer::Layer;
use assay_domain::evidence::LegRank;
use assay_domain::{BlockStatus, Diagnostic, Hit};
use assay_proto::{retrieval, router};
use assay_wire::{FromWire as _, from_peer};
use serde_json::{Value, json};

use super::{number, record::timestamp, route_json, some_text, source_json, with};

/// A hit of a search: `{id, path, first_line, last_line, score, ranks: {bm25, knn}, sha256}`, then what a reader
/// wants to see of it.
#[must_use]
pub fn hit_json(hit: &Hit) -> Value {
    let rank = |leg: Option<LegRank>| leg.map(|leg| leg.rank);
    let score = |leg: Option<LegRank>| number(leg.map(|leg| leg.score));
    json!({
        "id": hit.source.id,
        "path": hit.source.path,
        "first_line": hit.source.lines.first,
        "last_line": hit.source.lines.last,
        "score": number(Some(hit.score)),
        "ranks": {"bm25": rank(hit.bm25), "knn": rank(hit.knn)},
        "scores": {"bm25": score(hit.bm25), "knn": score(hit.knn)},
        "sha256": hit.source.sha256,
        "title": hit.source.title,
        "text": hit.source.text,
    })
}

/// One line of a search batch: `{id, hits}`.
#[must_use]
pub fn search_json(id: &Value, hits: &[Hit]) -> Value {
    json!({"id": id, "hits": hits.iter().map(hit_json).collect::<Vec<_>>()})
}

/// A finding of a parser; `help` only where there is some.
#[must_use]
pub fn diagnostic_json(diagnostic: &Diagnostic) -> Value {
    let shape = json!({
        "line": diagnostic.line,
        "column": diagnostic.column,
        "end_column": diagnostic.end_column,
        "severity": diagnostic.severity.as_str(),
        "category": diagnostic.category.as_str(),
        "code": diagnostic.code,
        "message": diagnostic.message,
        "suggestion": diagnostic.suggestion,
    });
    match &diagnostic.help {
        Some(help) => with(shape, json!({"help": help})),
        None => shape,
    }
}

/// One line of a parse batch: `{id, valid, diagnostics, parser: {version, grammar_hash}}`. `valid` is null where the
/// program was not checked, and `not_checked` says why.
#[must_use]
pub fn parse_json(
    id: &Value,
    status: &BlockStatus,
    diagnostics: &[Diagnostic],
    version: &str,
    grammar_hash: &str,
) -> Value {
    let (valid, reason) = match status {
        BlockStatus::Valid => (Some(true), None),
        BlockStatus::Invalid | BlockStatus::WrongLanguage(_) => (Some(false), None),
        BlockStatus::NoGrammar => (None, Some("no_grammar")),
        BlockStatus::Plain => (None, Some("plain")),
        BlockStatus::Unavailable(reason) => (None, Some(reason.as_str())),
    };
    let shape = json!({
        "id": id,
        "valid": valid,
        "diagnostics": diagnostics.iter().map(diagnostic_json).collect::<Vec<_>>(),
        "parser": {"version": version, "grammar_hash": grammar_hash},
    });
    match reason {
        Some(reason) => with(shape, json!({"not_checked": reason})),
        None => shape,
    }
}

/// One line of a classification batch: `{id, label, probability, in_scope, layer, accepted, because}`.
#[must_use]
pub fn classification_json(id: &Value, item: &router::Classification) -> Value {
    json!({
        "id": id,
        "label": item.label,
        "probability": number(Some(item.probability)),
        "in_scope": item.in_scope,
        "layer": Layer::from_wire(item.layer).ok().map(|layer| layer.as_str()),
        "accepted": item.accepted,
        "because": item.because,
    })
}

/// The plan of an answer, for `assay ask --explain`.
///
/// # Errors
/// `internal` if the plan cannot be read.
pub fn explain_json(plan: &router::ExplainResponse) -> Result<Value, assay_domain::Failure> {
    let hits = plan.sources.iter().cloned().map(from_peer::<Hit, _>).collect::<Result<Vec<_>, _>>()?;
    let route = plan.route.clone().map(from_peer::<assay_domain::Route, _>).transpose()?;
    Ok(json!({
        "route": route.as_ref().map(route_json),
        "search_query": some_text(&plan.search_query),
        "sources": (1..).zip(&hits).map(|(position, hit)| source_json(position, hit)).collect::<Vec<_>>(),
        "model_slot": some_text(&plan.model_slot),
        "steps": plan.steps,
    }))
}

/// The manifest of a collection.
#[must_use]
pub fn manifest_json(manifest: &retrieval::Manifest) -> Value {
    json!({
        "name": manifest.collection,
        "manifest": manifest.id,
        "files": manifest.files,
        "chunks": manifest.chunks,
        "chunker": manifest.chunker,
        "analysis": manifest.analysis,
        "embedding_model": manifest.embedding_model,
        "created": timestamp(manifest.created_unix_ms),
        "lint": {
            "blocks": manifest.lint_blocks,
            "invalid_blocks": manifest.lint_invalid_blocks,
            "invalid_at": manifest.lint_invalid_at,
        },
    })
}
