//! Every JSON shape that leaves Assay, over HTTP and from the command line alike.
//!
//! The shapes are built here and nowhere else, with their fields in the order in which they are documented. A number
//! that is not there is `null`, never left out and never NaN.

mod answer;
mod problem;
mod record;
mod report;
mod rows;

pub use answer::{answer_json, event_json, rejection_json, route_json, source_json};
pub use problem::problem_json;
pub use record::{receipt_json, record_json, timestamp};
pub use report::{check_json, report_json};
pub use rows::{
    classification_json, diagnostic_json, explain_json, hit_json, manifest_json, parse_json, search_json,
};

use serde_json::{Map, Value, json};

/// A finite number, or null.
#[must_use]
pub fn number(value: Option<f64>) -> Value {
    value.filter(|value| value.is_finite()).map_or(Value::Null, |value| json!(value))
}

/// Milliseconds with three digits behind the point.
#[must_use]
pub fn millis(value: f64) -> Value {
    number(Some((value * 1000.0).round() / 1000.0))
}

/// The text, or null if it is empty.
#[must_use]
pub fn some_text(text: &str) -> Value {
    if text.is_empty() { Value::Null } else { json!(text) }
}

/// The object with these fields added at its end.
#[must_use]
pub fn with(mut object: Value, fields: Value) -> Value {
    if let (Value::Object(target), Value::Object(fields)) = (&mut object, fields) {
        target.extend(fields);
    }
    object
}

/// The fields of an object; empty for anything else.
#[must_use]
pub fn fields(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}
