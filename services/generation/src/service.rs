//! The use case: drafts and completions over chains of providers, with limits, failover before the first token, and
//! everything that the record needs to know.
//!
//! | file | holds |
//! |---|---|
//! | `draft` | answers, as a stream |
//! | `assess` | what an evaluation asks one model about an answer |
//! | `complete` | queries and labels: short completions |
//! | `failover` | one walk along a chain, and what it spent |
//! | `output` | where the text of a walk goes |
//! | `traced` | spans and counters of a call |

mod assess;
mod complete;
mod draft;
mod failover;
mod output;
mod traced;

use std::sync::Arc;
use std::time::Duration;

use assay_domain::draft::PromptId;
use assay_domain::question::QueryType;

use crate::ports::{Clock, Models, Provider};
use crate::prompts;

pub use assess::Assessment;
pub use complete::Completion;
pub use draft::DraftEvent;

/// Providers that are asked in turn.
pub type Chain = Vec<Arc<dyn Provider>>;

/// Limits of one call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CallLimits {
    /// Estimated tokens of a prompt.
    pub prompt_tokens: u32,
    /// Tokens of a completion.
    pub completion_tokens: u32,
    /// Bytes of all sources together.
    pub source_bytes: usize,
    /// Time of one provider call.
    pub call: Duration,
}

/// Chains of the slots.
#[derive(Clone)]
pub struct Chains {
    /// Documentation and code.
    pub main: Chain,
    /// Conversation and account questions.
    pub conversational: Chain,
    /// Layer 3 of the routing.
    pub classify: Chain,
    /// Query rewriting.
    pub reformulate: Chain,
}

/// Temperature of every model (contract §9).
pub const TEMPERATURE: f64 = 0.0;

/// Writes drafts and short completions.
#[derive(Clone)]
pub struct Generation {
    chains: Chains,
    models: Arc<dyn Models>,
    limits: CallLimits,
    clock: Arc<dyn Clock>,
}

impl std::fmt::Debug for Generation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Generation").field("limits", &self.limits).finish_non_exhaustive()
    }
}

/// Which providers fill the slots.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Description {
    /// Main slot.
    pub main: String,
    /// Conversational slot.
    pub conversational: String,
    /// Every template.
    pub prompts: Vec<PromptId>,
    /// Whether any slot holds a language model.
    pub has_model: bool,
}

impl Generation {
    /// A service over these chains; each holds at least one provider.
    #[must_use]
    pub fn new(chains: Chains, models: Arc<dyn Models>, limits: CallLimits, clock: Arc<dyn Clock>) -> Self {
        Self { chains, models, limits, clock }
    }

    fn chain(&self, query_type: QueryType) -> &Chain {
        match query_type {
            QueryType::Retrieval | QueryType::CodeGeneration => &self.chains.main,
            QueryType::Conversational | QueryType::Platform => &self.chains.conversational,
        }
    }

    /// `provider:model` that is asked first for this type of question; none if that is no language model.
    #[must_use]
    pub fn model(&self, query_type: QueryType) -> Option<&str> {
        self.chain(query_type).first().filter(|provider| provider.is_model()).map(|provider| provider.model())
    }

    /// Which providers fill the slots.
    #[must_use]
    pub fn describe(&self) -> Description {
        let name =
            |chain: &Chain| chain.first().map(|provider| provider.model().to_owned()).unwrap_or_default();
        let chains =
            [&self.chains.main, &self.chains.conversational, &self.chains.classify, &self.chains.reformulate];
        Description {
            main: name(&self.chains.main),
            conversational: name(&self.chains.conversational),
            prompts: prompts::ALL.iter().map(prompts::Template::prompt_id).collect(),
            has_model: chains.iter().any(|chain| chain.iter().any(|provider| provider.is_model())),
        }
    }

    /// Loads every model once. What fails is logged: the first request then says it again.
    pub async fn warm(&self) {
        let mut seen = std::collections::BTreeSet::new();
        for provider in
            [&self.chains.main, &self.chains.conversational].into_iter().filter_map(|chain| chain.first())
        {
            if !seen.insert(provider.model().to_owned()) {
                continue;
            }
            match provider.warm().await {
                Ok(()) => tracing::info!(target: "assay", model = provider.model(), "model is ready"),
                Err(error) => {
                    tracing::warn!(target: "assay", model = provider.model(), error = error.logged(), "model could not be loaded")
                }
            }
        }
    }
}
