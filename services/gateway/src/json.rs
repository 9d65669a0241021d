//! JSON objects of callers, read once; a name that stands twice in one object is refused, so that no reader can differ.

use std::fmt;

use assay_domain::{Code, Failure};
use serde::Deserialize;
use serde::de::{Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

/// Starts the message about a repeated name; serde carries no other data.
const REPEATED: &str = "the name stands twice: ";

/// The JSON object of a body.
///
/// # Errors
/// `invalid_argument` naming `body`, or the name that stands twice.
pub(crate) fn object(bytes: &[u8]) -> Result<Map<String, Value>, Failure> {
    let invalid = |field: &str, text: String| Err(Failure::new(Code::InvalidArgument, text).field(field));
    match serde_json::from_slice(bytes) {
        Ok(Unique(Value::Object(fields))) => Ok(fields),
        Ok(_) => invalid("body", "the body is no JSON object".into()),
        Err(error) => {
            let text = error.to_string();
            let repeated = text.strip_prefix(REPEATED).and_then(|rest| rest.rsplit_once(" at line "));
            match repeated {
                Some((name, at)) => {
                    invalid(name, format!("the field `{name}` stands twice (line {at}); send it once"))
                }
                None => invalid("body", format!("the body is no JSON object: {text}")),
            }
        }
    }
}

/// A value without repeated names at any depth.
struct Unique(Value);

impl<'de> Deserialize<'de> for Unique {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Values).map(Self)
    }
}

struct Values;

impl<'de> Visitor<'de> for Values {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Number::from_f64(value).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut all = Vec::new();
        while let Some(Unique(item)) = items.next_element()? {
            all.push(item);
        }
        Ok(Value::Array(all))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Value, A::Error> {
        let mut all = Map::new();
        while let Some((name, Unique(value))) = fields.next_entry::<String, _>()? {
            if all.contains_key(&name) {
                return Err(A::Error::custom(format_args!("{REPEATED}{name}")));
            }
            all.insert(name, value);
        }
        Ok(Value::Object(all))
    }
}
