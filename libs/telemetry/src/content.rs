//! What people asked, wrote and read: whether it may be on a span, redacted as records are, bounded in length; and the
//! second names under which other conventions look for an attribute.
//!
//! Services ask [`enabled`] to spare themselves the work; whether anything leaves is decided once, in front of every
//! exporter, by the names of the attributes.

use std::sync::atomic::{AtomicBool, Ordering};

use opentelemetry::{Array, KeyValue, StringValue, Value};
use opentelemetry_sdk::trace::SpanData;

use crate::names::attributes;

static ENABLED: AtomicBool = AtomicBool::new(false);

/// Whether content may be put on spans in this process.
#[must_use]
pub fn enabled() -> bool {
    ENABLED.load(Ordering::Relaxed)
}

pub(crate) fn enable(on: bool) {
    ENABLED.store(on, Ordering::Relaxed);
}

/// What may leave the process.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Policy {
    /// Content leaves, redacted.
    pub(crate) content: bool,
    /// Longest text, in bytes.
    pub(crate) bytes: usize,
}

impl Policy {
    /// Takes away what must not leave, redacts what may, and adds the second names.
    pub(crate) fn apply(self, span: &mut SpanData) {
        if self.content {
            for pair in &mut span.attributes {
                if attributes::is_content(pair.key.as_str()) {
                    self.redact(&mut pair.value);
                }
            }
        } else {
            span.attributes.retain(|pair| !attributes::is_content(pair.key.as_str()));
        }
        synonyms(&mut span.attributes);
    }

    fn redact(self, value: &mut Value) {
        match value {
            Value::String(text) => *text = self.redacted(text.as_str()),
            Value::Array(Array::String(texts)) => {
                for text in texts {
                    *text = self.redacted(text.as_str());
                }
            }
            _ => {}
        }
    }

    fn redacted(self, text: &str) -> StringValue {
        let redacted = assay_redact::redact(text);
        clipped(&redacted, self.bytes).into_owned().into()
    }
}

/// At most so many bytes of a text, cut between characters; what was cut is marked.
pub(crate) fn clipped(text: &str, bytes: usize) -> std::borrow::Cow<'_, str> {
    if text.len() <= bytes {
        return text.into();
    }
    let end = text.floor_char_boundary(bytes);
    format!("{}…", text.get(..end).unwrap_or_default()).into()
}

fn synonyms(pairs: &mut Vec<KeyValue>) {
    let find = |pairs: &[KeyValue], name: &str| {
        pairs.iter().find(|pair| pair.key.as_str() == name).map(|pair| pair.value.clone())
    };
    let kind = find(pairs, attributes::SPAN_KIND).map(|kind| kind.as_str().into_owned()).unwrap_or_default();
    for (of, name, other) in attributes::SYNONYMS {
        if (of.is_empty() || *of == kind)
            && let Some(value) = find(pairs, name)
        {
            pairs.push(KeyValue::new(*other, value));
        }
    }
    if find(pairs, attributes::LANGFUSE_TRACE).is_some() {
        // This span stands for the whole trace, whatever was opened above it.
        for (name, other) in attributes::OF_TRACE {
            if let Some(value) = find(pairs, name) {
                pairs.push(KeyValue::new(*other, value));
            }
        }
    }
    if let (Some(Value::I64(read)), Some(Value::I64(written))) =
        (find(pairs, attributes::INPUT_TOKENS), find(pairs, attributes::OUTPUT_TOKENS))
    {
        pairs.push(KeyValue::new(attributes::LLM_TOTAL_TOKENS, read.saturating_add(written)));
    }
    if let Some((_, observation)) = attributes::LANGFUSE_KINDS.iter().find(|(name, _)| *name == kind) {
        pairs.push(KeyValue::new(attributes::LANGFUSE_TYPE, *observation));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(policy: Policy, pairs: &[(&'static str, &'static str)]) -> Vec<(String, String)> {
        let attributes = pairs.iter().map(|(name, value)| KeyValue::new(*name, *value)).collect();
        let mut span = crate::export::tests::span(attributes);
        policy.apply(&mut span);
        span.attributes.into_iter().map(|pair| (pair.key.to_string(), pair.value.to_string())).collect()
    }

    #[test]
    fn content_is_exported_only_if_allowed_redacted_and_bounded() {
        let pairs = [
            ("input.value", "write to ana@example.com please"),
            ("retrieval.documents.0.document.content", "text"),
            ("retrieval.documents.0.document.id", "guide.md#1"),
            ("llm.input_messages.0.message.content", "text"),
            ("llm.input_messages.0.message.role", "user"),
            ("user.id", "ana"),
        ];
        let off = after(Policy { content: false, bytes: 100 }, &pairs);
        assert_eq!(
            off.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(),
            ["retrieval.documents.0.document.id", "llm.input_messages.0.message.role"]
        );
        let on = after(Policy { content: true, bytes: 28 }, &pairs);
        assert_eq!(on.first().map(|(_, value)| value.as_str()), Some("write to [redacted:email] pl…"));
        assert!(on.contains(&("langfuse.user.id".into(), "ana".into())), "{on:?}");
    }

    #[test]
    fn a_model_call_is_found_under_every_convention() {
        let got = after(
            Policy { content: false, bytes: 100 },
            &[("openinference.span.kind", "LLM"), ("gen_ai.request.model", "llama3.2")],
        );
        for expected in [("llm.model_name", "llama3.2"), ("langfuse.observation.type", "generation")] {
            assert!(got.contains(&(expected.0.into(), expected.1.into())), "{got:?}");
        }
    }
}
