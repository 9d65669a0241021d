//! Models outside that are asked about claims which words leave open, and what they said.
//!
//! Pure values: [`crate::Judge::asks`] says what to ask, somebody outside asks, and [`Scores`] bring the words back. A word
//! counts for every claim with the same text and evidence, so that one attempt asks nothing twice.

use std::collections::HashMap;
use std::ops::Range;

use assay_domain::report::Evidence;

use crate::join::{Join, Said};

/// Kinds of models that may be asked, in the order in which their scores count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Who {
    /// An entailment model: a claim against its one best sentence.
    Entailment,
    /// A token classifier: the whole answer against the sources.
    Spans,
    /// A language model that answers yes or no.
    Judge,
}

impl Who {
    /// Its name in reasons and records.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Entailment => "entailment",
            Self::Spans => "spans",
            Self::Judge => "judge",
        }
    }
}

/// A model that judging may ask.
#[derive(Debug, Clone, PartialEq)]
pub struct Scorer {
    /// What it is.
    pub who: Who,
    /// Its name, for people.
    pub name: String,
    /// SHA-256 of the model file, lower-case hex; empty for a language model.
    pub sha256: String,
    /// Its own join. Without one it flags only: it neither lifts nor rejects a claim. A language model needs none.
    pub join: Option<Join>,
    /// Most claims that are asked about at a time; the rest is said to be missing, but for those of a language model.
    pub most: usize,
}

impl Scorer {
    /// A language model that is asked about so many claims of an answer.
    #[must_use]
    pub fn judge(most: usize) -> Self {
        Self { who: Who::Judge, name: "judge".to_owned(), sha256: String::new(), join: None, most }
    }

    /// A model by the SHA-256 of its file. A join of another file does not count.
    #[must_use]
    pub fn of_file(who: Who, name: impl Into<String>, sha256: impl Into<String>, join: Option<Join>) -> Self {
        let (name, sha256) = (name.into(), sha256.into());
        let join = join.filter(|join| join.model.eq_ignore_ascii_case(&sha256));
        Self { who, name, sha256, join, most: usize::MAX }
    }
}

/// A claim that a model is to be asked about.
#[derive(Debug, Clone, PartialEq)]
pub struct Ask {
    /// The kind of model.
    pub who: Who,
    /// Its index among the claims of the text.
    pub claim: usize,
    /// What is to be judged: the sentence, or what it states beside a refusal.
    pub text: String,
    /// What to hold it against: one sentence for an entailment model, passages for a language model.
    pub evidence: Vec<Evidence>,
}

/// What is to be asked next.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Asks {
    /// Of an entailment model, those first that words leave unflagged.
    pub entailment: Vec<Ask>,
    /// Passages that a token classifier is to read beside the answer; empty where it is not to be asked.
    pub spans: Vec<String>,
    /// Of a language model, those nearest to the bar first. Empty until the other models have answered.
    pub judge: Vec<Ask>,
}

/// A stretch of the answer that a token classifier flags.
#[derive(Debug, Clone, PartialEq)]
pub struct Stretch {
    /// Bytes of the answer.
    pub bytes: Range<usize>,
    /// How probable it is that nothing supports it, 0 to 1.
    pub probability: f64,
}

/// Why a model has not said a word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Missing {
    /// Nobody asked it.
    NotAsked,
    /// Time ran out.
    OutOfTime,
    /// It could not or would not tell; the stable word why.
    Failed(String),
}

impl std::fmt::Display for Missing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::NotAsked => "not_asked",
            Self::OutOfTime => "deadline_exceeded",
            Self::Failed(word) => word,
        })
    }
}

/// What a word counts for.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Key(Who, String, String);

impl Key {
    fn of(ask: &Ask) -> Self {
        let shown = ask.evidence.first().map(|evidence| evidence.text.clone()).unwrap_or_default();
        Self(ask.who, ask.text.clone(), shown)
    }
}

/// What the models said in one attempt.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Scores {
    said: HashMap<Key, Result<Said, Missing>>,
    stretches: Option<Result<Vec<Stretch>, Missing>>,
}

impl Scores {
    /// Takes the word on a claim, or why there is none.
    pub fn take(&mut self, ask: &Ask, said: Result<Said, Missing>) {
        self.said.insert(Key::of(ask), said);
    }

    /// Takes what the token classifier flagged in the whole answer, or why it did not read it.
    pub fn take_stretches(&mut self, stretches: Result<Vec<Stretch>, Missing>) {
        self.stretches = Some(stretches);
    }

    pub(crate) fn of(&self, ask: &Ask) -> Option<&Result<Said, Missing>> {
        self.said.get(&Key::of(ask))
    }

    pub(crate) fn stretches(&self) -> Option<&Result<Vec<Stretch>, Missing>> {
        self.stretches.as_ref()
    }

    /// How many claims a kind of model was asked about in the attempt, and of how many it said something.
    #[must_use]
    pub fn asked(&self, who: Who) -> (usize, usize) {
        if who == Who::Spans {
            let asked = usize::from(self.stretches.is_some());
            return (asked, usize::from(matches!(self.stretches, Some(Ok(_)))));
        }
        let own = || self.said.iter().filter(|(key, _)| key.0 == who);
        (own().count(), own().filter(|(_, said)| said.is_ok()).count())
    }
}
