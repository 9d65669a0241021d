//! What is asked of a pair, the fixed words in which a served reader is asked, and how its answer is counted.

use std::collections::BTreeMap;

use assay_domain::reader::Window;
use assay_telemetry::names::metrics::READER_PAIRS_TOTAL;

use crate::port::Missing;

/// Version of the words below; they decide what a served reader says.
pub(crate) const VERSION: &str = "template/1";

/// What is asked of a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Task {
    /// Whether the window says the statement.
    Read,
    /// Whether the window answers the question.
    Answers,
}

impl Task {
    fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Answers => "answers",
        }
    }

    /// Counts what came of the pairs.
    pub(crate) fn told<T>(self, said: Vec<Result<T, Missing>>) -> Vec<Result<T, Missing>> {
        let mut counts: BTreeMap<String, u64> = BTreeMap::new();
        for one in &said {
            let outcome = one.as_ref().map_or_else(ToString::to_string, |_| "read".to_owned());
            *counts.entry(outcome).or_default() += 1;
        }
        for (outcome, count) in counts {
            metrics::counter!(READER_PAIRS_TOTAL, "task" => self.as_str(), "outcome" => outcome)
                .increment(count);
        }
        said
    }

    /// The task in words: the form of MiniCheck (Tang et al., 2024), which models such as `bespoke-minicheck` are made
    /// for and any chat model follows.
    pub(crate) fn system(self) -> &'static str {
        match self {
            Self::Read => {
                "Determine whether the provided claim is consistent with the corresponding document. Consistency in this \
                 context implies that all information presented in the claim is substantiated by the document. If not, it \
                 should be considered inconsistent. Please assess the claim's consistency with the document by responding \
                 with either \"Yes\" or \"No\"."
            }
            Self::Answers => {
                "Determine whether the provided document answers the question. A document that is only about the same \
                 subject does not answer it. Please respond with either \"Yes\" or \"No\"."
            }
        }
    }

    /// The pair in words.
    pub(crate) fn user(self, window: &Window, text: &str) -> String {
        let what = match self {
            Self::Read => "Claim",
            Self::Answers => "Question",
        };
        format!("Document: {}\n{what}: {text}", window.text)
    }
}
