//! The routes of collections: search without an answer, what they hold, lines of a document, mistakes in them.

use std::sync::Arc;

use assay_api as api;
use assay_domain::evidence::SearchMode;
use assay_domain::{Code, Failure, LineRange};
use axum::Router;
use axum::extract::{Path, State};
use axum::routing::get;
use http::StatusCode;

use crate::routes::{App, Known, Parsed, Reply, context, parameters};
use crate::shared::{Shared, json_response};

/// The routes.
pub(crate) fn routes() -> Router<Arc<Shared>> {
    Router::new()
        .route("/v1/search", get(search))
        .route("/v1/collections", get(collections))
        .route("/v1/collections/{name}", get(collection))
        .route("/v1/collections/{name}/lines", get(lines))
        .route("/v1/collections/{name}/lint", get(lint))
}

async fn search(State(shared): App, caller: Known, parsed: Parsed) -> Reply {
    let mut given = parameters(parsed)?;
    let query = given.text("q");
    let collection = given.text("collection");
    let mode = given.name("mode", SearchMode::from_name, SearchMode::ALL)?.unwrap_or(SearchMode::Hybrid);
    let limit = given.number("k", 1000)?;
    given.done()?;
    assay_domain::Question::new(query.clone())
        .check_limits()
        .map_err(|failure| Failure { field: "q".into(), ..failure })?;
    let context = context(&shared.options, caller.0);
    let found = context.within(shared.library.search(&context, &query, &collection, mode, limit)).await??;
    let body = api::Searched {
        query: &query,
        mode: api::Name(mode),
        hits: found.hits.iter().map(api::Hit::from).collect(),
        index_manifest: Some(found.index_manifest.as_str()).filter(|manifest| !manifest.is_empty()),
        degraded: &found.degraded,
    };
    Ok(json_response(StatusCode::OK, &body))
}

async fn collections(State(shared): App, caller: Known) -> Reply {
    let context = context(&shared.options, caller.0);
    let manifests = context.within(shared.library.collections(&context)).await??;
    let collections = manifests.iter().map(api::Manifest::from).collect();
    Ok(json_response(StatusCode::OK, &api::Collections { collections }))
}

async fn collection(State(shared): App, caller: Known, Path(name): Path<String>) -> Reply {
    let context = context(&shared.options, caller.0);
    let (manifest, documents) = context.within(shared.library.describe(&context, &name)).await??;
    Ok(json_response(StatusCode::OK, &api::Collection::new(&manifest, &documents)))
}

async fn lines(State(shared): App, caller: Known, Path(name): Path<String>, parsed: Parsed) -> Reply {
    let mut given = parameters(parsed)?;
    let path = given.text("path");
    let first = given.number("first", u32::MAX)?.max(1);
    let last = given.number("last", u32::MAX)?;
    given.done()?;
    if path.is_empty() {
        let text = "the parameter `path` is missing; it names a document";
        return Err(Failure::new(Code::InvalidArgument, text).field("path").into());
    }
    let wanted = LineRange::new(first, if last == 0 { u32::MAX } else { last });
    let context = context(&shared.options, caller.0);
    let found = context.within(shared.library.lines(&context, &name, &path, wanted)).await??;
    Ok(json_response(StatusCode::OK, &api::Lines::new(&path, &found)))
}

async fn lint(State(shared): App, caller: Known, Path(name): Path<String>) -> Reply {
    let context = context(&shared.options, caller.0);
    let found = context.within(shared.library.lint(&context, &name)).await??;
    Ok(json_response(StatusCode::OK, &api::LintReport::from(&found)))
}
