//! What an evaluation asks a model about an answer: one named model, whose place no other takes.

use std::time::Duration;

use assay_domain::Failure;
use serde_json::{Value, json};

use super::complete::Completion;
use super::{Generation, TEMPERATURE};
use crate::limits;
use crate::ports::{Prompt, Shape};
use crate::prompts;
use assay_domain::Source;

/// What is asked about an answer.
#[derive(Debug, Clone, PartialEq)]
pub enum Assessment {
    /// Whether the sources state each statement.
    Support {
        /// The statements.
        statements: Vec<String>,
        /// Passages, best ranked first.
        sources: Vec<Source>,
    },
    /// Questions that the answer would answer.
    Questions {
        /// The answer.
        answer: String,
    },
    /// Whether each source helps to give the reference answer.
    Usefulness {
        /// The question.
        question: String,
        /// The reference answer.
        reference: String,
        /// Passages, best ranked first.
        sources: Vec<Source>,
    },
}

impl Assessment {
    fn prompt(&self) -> Prompt {
        match self {
            Self::Support { statements, sources } => prompts::support(statements, sources),
            Self::Questions { answer } => prompts::questions(answer),
            Self::Usefulness { question, reference, sources } => {
                prompts::usefulness(question, reference, sources)
            }
        }
    }

    fn sources(&self) -> &[Source] {
        match self {
            Self::Support { sources, .. } | Self::Usefulness { sources, .. } => sources,
            Self::Questions { .. } => &[],
        }
    }

    /// Schema of the reply.
    fn schema(&self) -> Value {
        let object = |properties: Value, required: &[&str]| json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false });
        match self {
            Self::Support { .. } | Self::Usefulness { .. } => {
                let verdict = object(
                    json!({ "n": { "type": "integer" }, "reason": { "type": "string" }, "holds": { "type": "boolean" } }),
                    &["n", "reason", "holds"],
                );
                object(json!({ "verdicts": { "type": "array", "items": verdict } }), &["verdicts"])
            }
            Self::Questions { .. } => object(
                json!({
                    "questions": { "type": "array", "items": { "type": "string" } },
                    "noncommittal": { "type": "boolean" },
                }),
                &["questions", "noncommittal"],
            ),
        }
    }
}

impl Generation {
    /// Asks `model` (`provider:model`, with or without `@` and its version) about an answer; the text is its reply as it
    /// came, or there is none and a reason.
    ///
    /// # Errors
    /// `CONFIGURATION` for a model that cannot be opened.
    pub async fn assess(
        &self,
        model: &str,
        asked: &Assessment,
        budget: Duration,
    ) -> Result<Completion, Failure> {
        let chain = vec![self.models.open(unversioned(model))?];
        if let Err(failure) = limits::check_sources(asked.sources(), self.limits.source_bytes) {
            return Ok(Completion { reason: failure.message, ..Completion::default() });
        }
        let schema = asked.schema();
        Ok(self.complete(&chain, &asked.prompt(), Shape::Object(&schema), budget).await)
    }

    /// `provider:model` with the digest that its server tells, if it tells one; a version that the name has stays.
    ///
    /// # Errors
    /// `CONFIGURATION` for a model that cannot be opened; what asking its server gives.
    pub async fn version(&self, model: &str) -> Result<String, Failure> {
        let provider = self.models.open(unversioned(model))?;
        let told = provider.digest().await.map_err(|error| error.into_failure(provider.model()))?;
        Ok(match told {
            Some(digest) => format!("{}@sha256:{digest}", provider.model()),
            None => model.to_owned(),
        })
    }

    /// Temperature of every model.
    #[must_use]
    pub const fn temperature(&self) -> f64 {
        TEMPERATURE
    }
}

fn unversioned(model: &str) -> &str {
    model.rsplit_once('@').map_or(model, |(name, _)| name)
}
