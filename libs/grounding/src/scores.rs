//! The reader outside that is asked about claims which words leave open, and what it said.
//!
//! Pure values: [`crate::Judge::asks`] says what to ask, somebody outside asks, and [`Scores`] bring the readings back. A reading
//! counts for every claim with the same text and window, so that one attempt asks nothing twice.

use std::collections::HashMap;

use assay_domain::reader::{ReaderIdentity, Reading};
use assay_domain::report::Evidence;

use crate::join::Join;

/// The reader that judging may ask.
#[derive(Debug, Clone, PartialEq)]
pub struct Scorer {
    /// Which reader it is.
    pub identity: ReaderIdentity,
    /// How its readings are joined with the probability of words.
    pub join: Join,
}

impl Scorer {
    /// The reader with the join that was measured for it, or the careful one of a reader that nobody measured.
    #[must_use]
    pub fn new(identity: ReaderIdentity) -> Self {
        let join = Join::of(&identity);
        Self { identity, join }
    }
}

/// A pair that the reader is to be asked about.
#[derive(Debug, Clone, PartialEq)]
pub struct Ask {
    /// Index of the claim among the claims of the text.
    pub claim: usize,
    /// What is to be judged: the sentence, or what it states beside a refusal.
    pub text: String,
    /// What to hold it against.
    pub window: Evidence,
}

/// Why there is no reading.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Missing {
    /// Nobody asked for it.
    NotAsked,
    /// The reader gave none; the stable word why, such as `reader_timeout`.
    Failed(String),
}

impl std::fmt::Display for Missing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::NotAsked => "not_asked",
            Self::Failed(word) => word,
        })
    }
}

/// What the reader said in one attempt.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Scores {
    /// By text and window.
    said: HashMap<(String, String), Result<Reading, Missing>>,
}

impl Scores {
    /// Takes the reading of a pair, or why there is none.
    pub fn take(&mut self, ask: &Ask, said: Result<Reading, Missing>) {
        self.said.insert((ask.text.clone(), ask.window.text.clone()), said);
    }

    pub(crate) fn of(&self, ask: &Ask) -> Option<&Result<Reading, Missing>> {
        self.said.get(&(ask.text.clone(), ask.window.text.clone()))
    }

    /// How many pairs the reader was asked about in the attempt, and of how many it said something.
    #[must_use]
    pub fn asked(&self) -> (usize, usize) {
        (self.said.len(), self.said.values().filter(|said| said.is_ok()).count())
    }
}
