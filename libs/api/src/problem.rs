//! Failures as problem documents (RFC 9457).

use assay_domain::Failure;
use assay_wire::meaning;
use serde_json::{Map, Value, json};

/// The document of a failure.
#[must_use]
pub fn problem_json(failure: &Failure, status: u16, audit_id: Option<&str>, request_id: &str) -> Value {
    let mut body = Map::new();
    body.insert("type".into(), json!(format!("/errors/{}", failure.code)));
    body.insert("title".into(), json!(meaning(failure.code).trim_end_matches('.')));
    body.insert("status".into(), json!(status));
    body.insert("detail".into(), json!(failure.message));
    body.insert("code".into(), json!(failure.code.as_str()));
    if !failure.field.is_empty() {
        body.insert("field".into(), json!(failure.field));
    }
    if let Some(id) = audit_id {
        body.insert("audit_id".into(), json!(id));
    }
    body.insert("request_id".into(), json!(request_id));
    Value::Object(body)
}
