//! Errors of this service: what a provider can do wrong, and how each reaches a caller.

use assay_domain::error::{Code, Failure};

/// Why a call of a provider failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ProviderError {
    /// No connection, or it broke.
    #[error("transport error: {0}")]
    Transport(String),
    /// It answered with a status that is not success; the body, shortened.
    #[error("HTTP status {status}: {body}")]
    Status {
        /// HTTP status.
        status: u16,
        /// Start of the body.
        body: String,
    },
    /// It did not answer in time.
    #[error("no answer within {0} ms")]
    Timeout(u64),
    /// The stream ended without its end mark.
    #[error("the stream was cut before its end")]
    Cut,
    /// It answered something that its protocol does not have, or nothing at all.
    #[error("unusable reply: {0}")]
    Protocol(String),
    /// It has no model for this task.
    #[error("no model is configured for this task")]
    NoModel,
}

impl ProviderError {
    /// Whether another provider may be asked, provided that nothing was delivered yet: transport errors, 5xx and
    /// time-outs only.
    #[must_use]
    pub const fn fails_over(&self) -> bool {
        match self {
            Self::Transport(_) | Self::Timeout(_) | Self::Cut => true,
            Self::Status { status, .. } => *status >= 500,
            Self::Protocol(_) | Self::NoModel => false,
        }
    }

    /// A short word for the trail: `transport`, `http 503`, `timeout`, `cut`, `protocol`, `no model`.
    #[must_use]
    pub fn label(&self) -> String {
        match self {
            Self::Transport(_) => "transport".to_owned(),
            Self::Status { status, .. } => format!("http {status}"),
            Self::Timeout(_) => "timeout".to_owned(),
            Self::Cut => "cut".to_owned(),
            Self::Protocol(_) => "protocol".to_owned(),
            Self::NoModel => "no model".to_owned(),
        }
    }

    /// What the log says: a status without its body, in which a server may quote the prompt.
    #[must_use]
    pub fn logged(&self) -> String {
        match self {
            Self::Status { .. } => self.label(),
            other => other.to_string(),
        }
    }

    /// What the caller is told. `model` is the provider that failed last.
    #[must_use]
    pub fn into_failure(self, model: &str) -> Failure {
        match &self {
            Self::Timeout(_) => {
                Failure::new(Code::DeadlineExceeded, format!("{model}: {self}; raise call_timeout_ms or use a faster model"))
                    .field("call_timeout_ms")
            }
            Self::Status { status: 400 | 413, body } if mentions_context(body) => {
                Failure::new(Code::PayloadTooLarge, format!("{model}: the prompt does not fit the model's context; lower max_prompt_tokens or use a model with a larger one"))
                    .field("max_prompt_tokens")
            }
            Self::Status { status: 300..=399, .. } => {
                Failure::new(Code::GenerationUnavailable, format!("{model} answered with a redirect ({}), which is not followed; set the address that it leads to", self.label()))
            }
            Self::Status { status: 429, .. } => Failure::new(Code::ResourceExhausted, format!("{model}: {self}")),
            Self::Status { status: 401 | 403, .. } => {
                Failure::new(Code::GenerationUnavailable, format!("{model} refused the credentials ({}); check the API key", self.label()))
            }
            Self::Status { status: 404, .. } => {
                Failure::new(Code::GenerationUnavailable, format!("{model} is not known to its server ({self}); check the model's name and that it is pulled"))
            }
            Self::NoModel => Failure::new(Code::GenerationUnavailable, self.to_string()).field("main"),
            _ => Failure::new(Code::GenerationUnavailable, format!("{model}: {self}")),
        }
    }
}

fn mentions_context(body: &str) -> bool {
    let body = body.to_lowercase();
    body.contains("context") && (body.contains("exceed") || body.contains("length") || body.contains("size"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_log_says_no_word_of_a_server() {
        let error = ProviderError::Status { status: 500, body: "cannot answer <the whole prompt>".into() };
        assert_eq!(error.logged(), "http 500");
        let error = ProviderError::Transport("Connection refused (os error 111)".into());
        assert!(error.logged().contains("refused"));
    }
}
