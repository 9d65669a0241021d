//! Lines of a batch to what they mean.

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// Reads a line as `T`. With `lenient`, fields outside `known` are dropped first; `T` should deny unknown ones.
///
/// # Errors
/// What is wrong with the line.
pub fn decode<T: DeserializeOwned>(line: &str, lenient: bool, known: &[&str]) -> Result<T, String> {
    decode_nested(line, lenient, known, "", &[])
}

/// As [`decode`]; with `lenient`, the objects of the list `list` lose their fields outside `inner`, too.
///
/// # Errors
/// What is wrong with the line.
pub fn decode_nested<T: DeserializeOwned>(
    line: &str,
    lenient: bool,
    known: &[&str],
    list: &str,
    inner: &[&str],
) -> Result<T, String> {
    if !line.trim_start().starts_with('{') {
        return Err("not a JSON object".to_owned());
    }
    if !lenient {
        return serde_json::from_str(line).map_err(|error| wrong(&error));
    }
    let mut object: Map<String, Value> = serde_json::from_str(line).map_err(|error| wrong(&error))?;
    object.retain(|key, _| known.contains(&key.as_str()));
    for item in object.get_mut(list).and_then(Value::as_array_mut).into_iter().flatten() {
        if let Value::Object(fields) = item {
            fields.retain(|key, _| inner.contains(&key.as_str()));
        }
    }
    serde_json::from_value(Value::Object(object)).map_err(|error| wrong(&error))
}

/// What is wrong with one line of JSON: the column stays, "line 1" does not, for the line has a number of its own.
#[must_use]
pub fn wrong(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let text =
        text.strip_suffix(&format!(" at line {} column {}", error.line(), error.column())).unwrap_or(&text);
    let place = if error.column() > 0 { format!(" at column {}", error.column()) } else { String::new() };
    let kind = if error.is_syntax() || error.is_eof() { "not JSON: " } else { "" };
    format!("{kind}{text}{place}")
}

/// The id of a line, the rest of which is not kept.
pub(super) fn id_of(line: &str) -> Option<Value> {
    #[derive(serde::Deserialize)]
    struct Named {
        #[serde(default)]
        id: Option<Value>,
    }
    line.trim_start().starts_with('{').then(|| serde_json::from_str::<Named>(line).ok()?.id)?
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_id_of_a_line_is_read_from_objects_only() {
        assert_eq!(id_of("{\"x\":[1,2],\"id\":\"a\"}"), Some(json!("a")));
        assert_eq!([id_of("[\"a\"]"), id_of("{\"id\":"), id_of("{}")], [None, None, None]);
    }
}
