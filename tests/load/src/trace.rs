//! From finished spans to the share of each service: a service's own time is its time less that of the calls it makes.

use std::collections::{BTreeMap, HashMap};

use serde_json::Value;

/// The gateway, which is called over HTTP and therefore has no gRPC name.
const GATEWAY: &str = "gateway";

/// Seconds of own time by service, summed over `requests` requests.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Shares {
    /// Requests whose trace was whole.
    pub(crate) requests: usize,
    /// Own time by service, in seconds.
    pub(crate) seconds: BTreeMap<String, f64>,
    /// Calls between services.
    pub(crate) calls: usize,
}

struct Span<'a> {
    trace: &'a str,
    parent: &'a str,
    service: Option<&'static str>,
    begin: f64,
    end: f64,
    query_type: Option<&'a str>,
}

/// The service whose work a span is, if it is the entry of a service.
fn service(span: &Value) -> Option<&'static str> {
    let kind = span["kind"].as_str()?;
    if !kind.eq_ignore_ascii_case("server") {
        return None;
    }
    let name = span["name"].as_str()?;
    let spec = assay::system::SPECS.iter().find(|spec| name.starts_with(&format!("{}/", spec.grpc)));
    Some(spec.map_or(GATEWAY, |spec| spec.name))
}

fn read(value: &Value) -> Option<(&str, Span<'_>)> {
    #[allow(clippy::cast_precision_loss, reason = "nanoseconds of a request fit")]
    let seconds = |field: &str| value[field].as_u64().map(|ns| ns as f64 / 1e9);
    let span = Span {
        trace: value["trace_id"].as_str()?,
        parent: value["parent_span_id"].as_str().unwrap_or_default(),
        service: service(value),
        begin: seconds("start_unix_ns")?,
        end: seconds("end_unix_ns")?,
        query_type: value["attributes"]["assay.query_type"].as_str(),
    };
    Some((value["span_id"].as_str()?, span))
}

/// The time that any of the intervals covers.
fn covered(mut intervals: Vec<(f64, f64)>) -> f64 {
    intervals.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (mut total, mut reached) = (0.0, f64::NEG_INFINITY);
    for (begin, end) in intervals {
        total += (end - begin.max(reached)).max(0.0);
        reached = reached.max(end);
    }
    total
}

/// Shares by query type. A trace counts if it starts in the gateway and names its query type.
pub(crate) fn shares(spans: &[Value]) -> BTreeMap<String, Shares> {
    let by_id: HashMap<&str, Span<'_>> = spans.iter().filter_map(read).collect();
    // The nearest entry of a service above a span.
    let above = |span: &Span<'_>| {
        let mut at = by_id.get_key_value(span.parent);
        while let Some((_, up)) = at.filter(|(_, up)| up.service.is_none()) {
            at = by_id.get_key_value(up.parent);
        }
        at.map(|(id, _)| *id)
    };
    let mut kinds: HashMap<&str, &str> = HashMap::new();
    let mut children: HashMap<&str, Vec<(f64, f64)>> = HashMap::new();
    let mut rooted: HashMap<&str, bool> = HashMap::new();
    for span in by_id.values() {
        if let Some(kind) = span.query_type {
            kinds.insert(span.trace, kind);
        }
        if let (Some(_), Some(caller)) = (span.service, above(span)) {
            children.entry(caller).or_default().push((span.begin, span.end));
        }
        if span.service == Some(GATEWAY) {
            rooted.insert(span.trace, true);
        }
    }
    let mut all: BTreeMap<String, Shares> = BTreeMap::new();
    for (id, span) in &by_id {
        let (Some(service), Some(kind), Some(true)) =
            (span.service, kinds.get(span.trace), rooted.get(span.trace))
        else {
            continue;
        };
        let shares = all.entry((*kind).to_owned()).or_default();
        let inside = children.remove(id).unwrap_or_default();
        let inside = inside.into_iter().map(|(b, e)| (b.max(span.begin), e.min(span.end))).collect();
        *shares.seconds.entry(service.to_owned()).or_default() +=
            (span.end - span.begin - covered(inside)).max(0.0);
        if service == GATEWAY {
            shares.requests += 1;
        } else {
            shares.calls += 1;
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn span(
        id: &str,
        parent: &str,
        name: &str,
        kind: &str,
        ms: (u64, u64),
        query_type: Option<&str>,
    ) -> Value {
        json!({
            "trace_id": "t", "span_id": id, "parent_span_id": parent, "name": name, "kind": kind,
            "start_unix_ns": ms.0 * 1_000_000, "end_unix_ns": ms.1 * 1_000_000,
            "attributes": query_type.map_or(json!({}), |kind| json!({ "assay.query_type": kind })),
        })
    }

    #[test]
    fn own_time_excludes_the_calls_made() {
        let spans = [
            span("g", "", "POST /v1/ask", "Server", (0, 100), None),
            span("r", "g", "assay.router.v1alpha1.RouterService/Ask", "Server", (10, 90), Some("RETRIEVAL")),
            span("i", "r", "assay.retrieve", "Internal", (20, 60), None),
            span("s", "i", "assay.retrieval.v1alpha1.RetrievalService/Search", "Server", (20, 50), None),
            span("f", "i", "assay.retrieval.v1alpha1.RetrievalService/FewShot", "Server", (40, 60), None),
        ];
        let all = shares(&spans);
        let shares = &all["RETRIEVAL"];
        let ms = |service: &str| (shares.seconds[service] * 1e3).round();
        assert_eq!((shares.requests, shares.calls), (1, 3));
        assert_eq!((ms("gateway"), ms("router"), ms("retrieval")), (20.0, 40.0, 50.0));
    }

    #[test]
    fn a_trace_without_its_beginning_or_kind_does_not_count() {
        let torn =
            [span("r", "g", "assay.router.v1alpha1.RouterService/Ask", "Server", (0, 9), Some("PLATFORM"))];
        assert!(shares(&torn).is_empty());
        let nameless = [span("g", "", "POST /v1/ask", "Server", (0, 9), None)];
        assert!(shares(&nameless).is_empty());
    }
}
