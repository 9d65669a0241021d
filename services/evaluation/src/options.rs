//! Settings of the evaluation.

use std::time::Duration;

use assay_domain::{Code, Failure};

/// Settings of the evaluation. What identifies a run is empty unless the operator says it; an empty value makes the
/// run non-binding.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Options {
    /// Time that one question, and one call of a judge, may take, in seconds.
    pub question_seconds: f64,
    /// Questions under way at the same time; the report does not depend on it.
    pub concurrent_questions: usize,
    /// Language of code blocks that declare none; empty means detect.
    pub default_language: String,
    /// Digest of the official image that runs, `sha256:…`; empty outside of it.
    pub image_digest: String,
    /// Commit of a clean tree; empty if it is not clean or not known.
    pub clean_commit: String,
    /// Seed of the run (`EVAL_SEED`); none if it was not set.
    pub seed: Option<u64>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            question_seconds: 60.0,
            concurrent_questions: 2,
            default_language: String::new(),
            image_digest: String::new(),
            clean_commit: String::new(),
            seed: None,
        }
    }
}

/// Flat environment names of the contract and the setting that each sets in this service's options.
pub const FLAT: &[(&str, &str)] = &[("EVAL_SEED", "service.seed")];

impl Options {
    /// Time that one question, or one call of a judge, may take.
    #[must_use]
    pub fn question_budget(&self) -> Duration {
        Duration::try_from_secs_f64(self.question_seconds).unwrap_or(Duration::from_secs(60))
    }

    /// Refuses settings that cannot work.
    ///
    /// # Errors
    /// `configuration` naming the setting.
    pub fn check(&self) -> Result<(), Failure> {
        let wrong = |field: &str, text: &str| Err(Failure::new(Code::Configuration, text).field(field));
        if !(self.question_seconds > 0.0 && self.question_seconds <= 120.0) {
            return wrong("question_seconds", "question_seconds must be above 0 and at most 120");
        }
        if self.concurrent_questions == 0 || self.concurrent_questions > 256 {
            return wrong("concurrent_questions", "concurrent_questions must be from 1 to 256");
        }
        Ok(())
    }
}
