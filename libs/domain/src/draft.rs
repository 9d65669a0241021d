//! What a generator produced and everything needed to say how.

use crate::names::named;

named! {
    /// Who wrote a draft.
    pub enum Generator {
        /// Composed from evidence sentences; no model.
        Extractive = "EXTRACTIVE",
        /// A language model.
        Model = "MODEL",
        /// A fixed text (greetings).
        Fixed = "FIXED",
    }
}

named! {
    /// Why a draft ended.
    pub enum Finish {
        /// The generator came to its end.
        Stop = "STOP",
        /// The completion limit was reached.
        Length = "LENGTH",
        /// It honestly said that the sources do not answer.
        Abstained = "ABSTAINED",
    }
}

/// A prompt template that was used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PromptId {
    /// Name and version, e.g. `answer/3`.
    pub id: String,
    /// SHA-256 of the template text, lower-case hex.
    pub sha256: String,
}

/// One call of a provider, in order, with its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProviderCall {
    /// `provider:model`.
    pub model: String,
    /// `ok` or the reason it failed.
    pub outcome: String,
    /// Milliseconds from request to end.
    pub elapsed_ms: u64,
}

/// A finished draft.
#[derive(Debug, Clone, PartialEq)]
pub struct Draft {
    /// Markdown with `[^N]` markers.
    pub text: String,
    /// Who wrote it.
    pub generator: Generator,
    /// `provider:model`, or the extractive composer with its version.
    pub model: String,
    /// Why it ended.
    pub finish: Finish,
    /// Prompts used.
    pub prompts: Vec<PromptId>,
    /// Providers tried.
    pub provider_trail: Vec<ProviderCall>,
    /// Calls of a language model spent on it.
    pub model_calls: u32,
    /// Temperature that was sent; none if none was.
    pub temperature: Option<f64>,
    /// Seed that was sent; none if the provider has none.
    pub seed: Option<u64>,
    /// Tokens of the prompt as the provider counted them.
    pub prompt_tokens: Option<u32>,
    /// Tokens of the completion as the provider counted them.
    pub completion_tokens: Option<u32>,
    /// Things the reader should know (injection phrases seen, limits reached).
    pub warnings: Vec<String>,
}
