//! Spans of a request as the file sink writes them, and who called whom.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use assay::system::SPECS;
use assay_rpc::ServiceSpec;
use serde_json::Value;

/// Finished spans.
#[derive(Debug, Default)]
pub struct Spans(Vec<Value>);

/// A call of one service to another: who called, and the path that was called.
pub type Edge = (&'static str, String);

/// Every specification.
pub fn specs() -> impl Iterator<Item = &'static ServiceSpec> {
    SPECS.into_iter().chain([&assay_gateway::SPEC])
}

/// The service that received a call; none for a span that is no received call.
fn called(span: &Value) -> Option<&'static str> {
    let name = span["name"].as_str()?;
    if !span["kind"].as_str().is_some_and(|kind| kind.eq_ignore_ascii_case("server")) {
        return None;
    }
    if name.starts_with('/') || name.contains(" /") {
        return Some("gateway");
    }
    let of = |spec: &&ServiceSpec| !spec.grpc.is_empty() && name.starts_with(&format!("{}/", spec.grpc));
    specs().find(of).map(|spec| spec.name)
}

// === impl Spans ===

impl Spans {
    /// Reads files of spans; one that is not there holds none.
    #[must_use]
    pub fn read<P: AsRef<Path>>(files: impl IntoIterator<Item = P>) -> Self {
        let texts = files.into_iter().map(|file| std::fs::read_to_string(file).unwrap_or_default());
        let parse = |text: String| {
            text.lines().map(|line| serde_json::from_str(line).unwrap()).collect::<Vec<Value>>()
        };
        Self(texts.flat_map(parse).collect())
    }

    /// Whole names and kinds of all spans, for messages.
    #[must_use]
    pub fn names(&self) -> Vec<&str> {
        self.0.iter().filter_map(|span| span["name"].as_str()).collect()
    }

    /// The spans of the traces in which a span has this attribute with this value.
    #[must_use]
    pub fn traces_with(&self, attribute: &str, value: &str) -> Self {
        let has = |span: &&Value| span["attributes"][attribute].as_str().is_some_and(|found| found == value);
        let traces: BTreeSet<&str> =
            self.0.iter().filter(has).filter_map(|span| span["trace_id"].as_str()).collect();
        let of = |span: &&Value| span["trace_id"].as_str().is_some_and(|id| traces.contains(id));
        Self(self.0.iter().filter(of).cloned().collect())
    }

    /// Number of traces.
    #[must_use]
    pub fn traces(&self) -> usize {
        self.0.iter().filter_map(|span| span["trace_id"].as_str()).collect::<BTreeSet<_>>().len()
    }

    /// Every call between services, with the service that made it.
    #[must_use]
    pub fn calls(&self) -> Vec<Edge> {
        let by_id: BTreeMap<&str, &Value> =
            self.0.iter().filter_map(|span| Some((span["span_id"].as_str()?, span))).collect();
        let above = |span: &Value| span["parent_span_id"].as_str().and_then(|id| by_id.get(id)).copied();
        let mut calls = Vec::new();
        for span in self.0.iter().filter(|span| called(span).is_some()) {
            let mut caller = above(span);
            while let Some(further) = caller.filter(|span| called(span).is_none()) {
                caller = above(further);
            }
            if let Some(caller) = caller.and_then(called) {
                calls.push((caller, span["name"].as_str().unwrap_or_default().to_owned()));
            }
        }
        calls
    }

    /// Every pair of caller and called service.
    #[must_use]
    pub fn pairs(&self) -> BTreeSet<(&'static str, &'static str)> {
        let callee = |path: &str| specs().find(|s| !s.grpc.is_empty() && path.starts_with(s.grpc));
        self.calls().iter().filter_map(|(from, path)| Some((*from, callee(path)?.name))).collect()
    }
}
