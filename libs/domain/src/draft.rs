//! What a generator produced and everything needed to say how.

use crate::evidence::Source;
use crate::names::named;
use crate::question::QueryType;

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

/// What language models were asked, and at what cost.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Spent {
    /// Calls of a language model.
    pub model_calls: u32,
    /// Prompts used, each once.
    pub prompts: Vec<PromptId>,
    /// Providers tried, in order.
    pub provider_trail: Vec<ProviderCall>,
}

impl Spent {
    /// Adds what was spent later.
    pub fn add(&mut self, more: Self) {
        self.model_calls += more.model_calls;
        for prompt in more.prompts {
            if !self.prompts.contains(&prompt) {
                self.prompts.push(prompt);
            }
        }
        self.provider_trail.extend(more.provider_trail);
    }
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

impl Draft {
    /// What was spent on it.
    #[must_use]
    pub fn spent(&self) -> Spent {
        Spent {
            model_calls: self.model_calls,
            prompts: self.prompts.clone(),
            provider_trail: self.provider_trail.clone(),
        }
    }
}

/// An earlier turn of the session.
#[derive(Debug, Clone, PartialEq)]
pub struct Turn {
    /// What was asked, redacted.
    pub question: String,
    /// What was delivered, with its markers.
    pub answer: String,
    /// The sources that its markers mean.
    pub sources: Vec<Source>,
}

/// Everything a draft is made from.
#[derive(Debug, Clone, PartialEq)]
pub struct DraftRequest {
    /// The caller's words.
    pub question: String,
    /// The kind of request.
    pub query_type: QueryType,
    /// Sources in marker order: the first is `[^1]`.
    pub sources: Vec<Source>,
    /// Validated examples; not citable.
    pub examples: Vec<Source>,
    /// Earlier turns, oldest first; only for conversational requests.
    pub turns: Vec<Turn>,
    /// Account data; only for platform requests.
    pub extra_context: String,
    /// The draft that was rejected; empty on the first attempt.
    pub rejected_draft: String,
    /// Its defects as the checks wrote them; empty on the first attempt.
    pub retry_prompt: String,
    /// Whether the sources were judged able to answer; none if nothing was judged.
    pub context_relevant: Option<bool>,
}

impl DraftRequest {
    /// A request without sources, session, data or feedback.
    #[must_use]
    pub fn new(query_type: QueryType, question: impl Into<String>) -> Self {
        Self {
            question: question.into(),
            query_type,
            sources: Vec::new(),
            turns: Vec::new(),
            examples: Vec::new(),
            extra_context: String::new(),
            rejected_draft: String::new(),
            retry_prompt: String::new(),
            context_relevant: None,
        }
    }

    /// The sources that the draft's markers mean: those given, or in a conversation those of the last answer.
    #[must_use]
    pub fn citable(&self) -> &[Source] {
        match (self.query_type, self.turns.last()) {
            (QueryType::Conversational, Some(turn)) if self.sources.is_empty() => &turn.sources,
            _ => &self.sources,
        }
    }

    /// Like [`Self::citable`], to be changed.
    pub fn citable_mut(&mut self) -> &mut [Source] {
        match (self.query_type, self.turns.last_mut()) {
            (QueryType::Conversational, Some(turn)) if self.sources.is_empty() => &mut turn.sources,
            _ => &mut self.sources,
        }
    }
}
