//! What a model is for, and how its `config.json` says so.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What a model is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Turns a text into a vector.
    Embedding,
    /// Says what a window of a source says of a statement.
    Reader,
    /// Gone: a reader says whether a statement follows.
    Entailment,
    /// Gone: a reader says what no window holds.
    Spans,
    /// Gone: a reader says what a window answers.
    Rerank,
}

// === impl Kind ===

impl Kind {
    /// Every kind that something uses.
    pub const ALL: [Self; 2] = [Self::Embedding, Self::Reader];
    /// Kinds that nothing uses any more; a lock file may still list them.
    pub const GONE: [Self; 3] = [Self::Entailment, Self::Spans, Self::Rerank];

    /// The word for it in the lock file and on the command line.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Embedding => "embedding",
            Self::Reader => "reader",
            Self::Entailment => "entailment",
            Self::Spans => "spans",
            Self::Rerank => "rerank",
        }
    }

    /// Whether nothing uses models of this kind any more: the reader took their place.
    #[must_use]
    pub fn is_gone(self) -> bool {
        Self::GONE.contains(&self)
    }

    /// The kind that a `config.json` describes by its architecture. `None` if it could be several: no architecture tells a
    /// reader from other classifiers.
    #[must_use]
    pub fn of_config(config: &Value) -> Option<Self> {
        let architecture = config.pointer("/architectures/0").and_then(Value::as_str).unwrap_or_default();
        let plain = architecture.ends_with("Model") || architecture.ends_with("ForMaskedLM");
        plain.then_some(Self::Embedding)
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
        let kinds = || Self::ALL.map(Self::as_str).join(" and ");
        if Self::GONE.iter().any(|kind| kind.as_str() == word) {
            return Err(format!(
                "models of kind {word} are gone: a reader is in the box; the kinds are {}",
                kinds()
            ));
        }
        let found = Self::ALL.into_iter().find(|kind| kind.as_str() == word);
        found.ok_or_else(|| format!("the kinds are {}", kinds()))
    }
}
