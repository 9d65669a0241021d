//! What a model is for, and how its `config.json` says so.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::pairs::entails;

/// What a model is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Turns a text into a vector.
    Embedding,
    /// Says of a premise and a hypothesis whether the one follows from the other.
    Entailment,
    /// Marks the words of an answer that its context does not hold.
    Spans,
    /// Scores how well a passage answers a question.
    Rerank,
}

// === impl Kind ===

impl Kind {
    /// Every kind.
    pub const ALL: [Self; 4] = [Self::Embedding, Self::Entailment, Self::Spans, Self::Rerank];

    /// The word for it in the lock file and on the command line.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Embedding => "embedding",
            Self::Entailment => "entailment",
            Self::Spans => "spans",
            Self::Rerank => "rerank",
        }
    }

    /// The kind that a `config.json` describes: by its architecture, its labels and their number. `None` if it could be
    /// several.
    #[must_use]
    pub fn of_config(config: &Value) -> Option<Self> {
        let architecture = config.pointer("/architectures/0").and_then(Value::as_str).unwrap_or_default();
        if architecture.ends_with("ForTokenClassification") {
            return Some(Self::Spans);
        }
        if !architecture.ends_with("ForSequenceClassification") {
            let plain = architecture.ends_with("Model") || architecture.ends_with("ForMaskedLM");
            return plain.then_some(Self::Embedding);
        }
        let labels = config.get("id2label").and_then(Value::as_object);
        let labels: Option<Vec<String>> =
            labels.map(|labels| labels.values().filter_map(Value::as_str).map(str::to_owned).collect());
        let number = labels.as_ref().map(Vec::len).or_else(|| {
            config.get("num_labels").and_then(Value::as_u64).and_then(|n| usize::try_from(n).ok())
        });
        match number {
            Some(1) => Some(Self::Rerank),
            _ => labels.is_some_and(|labels| entails(&labels)).then_some(Self::Entailment),
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Kind {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, String> {
        Self::ALL
            .into_iter()
            .find(|kind| kind.as_str() == word)
            .ok_or_else(|| format!("the kinds are {}", Self::ALL.map(Self::as_str).join(", ")))
    }
}
