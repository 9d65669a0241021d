//! Values with stable names, as text.

use std::borrow::Cow;
use std::fmt::Display;

use assay_domain::Named;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Serialize, Serializer};

/// A value that leaves as its name; its schema lists every name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Name<T>(pub T);

impl<T: Display> Serialize for Name<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

impl<T: Named> JsonSchema for Name<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Name".into()
    }

    fn schema_id() -> Cow<'static, str> {
        std::any::type_name::<Self>().into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "string", "enum": T::NAMES})
    }
}
