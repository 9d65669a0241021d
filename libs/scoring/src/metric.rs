//! The four metrics of RAGAS (Es et al. 2024) from the verdicts of a judge, as the package of that name computes them.

use serde::{Deserialize, Serialize};

use crate::judge::Call;

/// A metric of one answer: a number, or why there is none.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Score {
    /// From 0 to 1; an answer relevancy can fall below 0.
    Value(f64),
    /// There is none.
    NotComputed {
        /// Why.
        not_computed: Reason,
    },
}

impl Score {
    /// The number, if there is one.
    #[must_use]
    pub const fn value(self) -> Option<f64> {
        match self {
            Self::Value(value) => Some(value),
            Self::NotComputed { .. } => None,
        }
    }

    pub(crate) const fn none(not_computed: Reason) -> Self {
        Self::NotComputed { not_computed }
    }
}

/// Why a metric has no value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// There is no answer to judge.
    NoAnswer,
    /// Nobody judged it.
    NotJudged,
    /// The judge could not be asked, or what it said could not be read.
    JudgeFailed,
    /// A check that judges it could not run on a part of the answer.
    PartlyChecked,
    /// The answer states nothing.
    NoStatements,
    /// No question was derived from the answer.
    NoQuestions,
    /// A vector has no direction.
    NoSimilarity,
    /// The reference states nothing, or there is none.
    NoReference,
    /// The question names no reference lines.
    NoReferenceLines,
    /// The answer cites nothing.
    NoCitations,
    /// The answer has no code that a grammar exists for.
    NoCode,
    /// The question does not say whether it can be answered.
    AnswerabilityUnknown,
    /// It is the other kind of question: answerable or not.
    OtherKind,
    /// The question names no type.
    NoExpectedType,
}

/// What a judge said; absent where it was not asked.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Verdicts {
    /// The statements of the answer, and whether the contexts support each.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub statements: Option<Vec<Statement>>,
    /// Questions derived from the answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub questions: Option<Vec<Question>>,
    /// Whether each context helps to answer, best ranked first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contexts: Option<Vec<bool>>,
    /// The statements of the reference, and whether a context holds each.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reference: Option<Vec<Attributed>>,
    /// Why metrics have no verdicts, by the name of the metric.
    #[serde(skip_serializing_if = "std::collections::BTreeMap::is_empty")]
    pub missing: std::collections::BTreeMap<String, Reason>,
    /// The calls of a model that gave them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<Call>,
}

/// A statement of an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Statement {
    /// Its words.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// Whether the contexts support it.
    pub supported: bool,
}

/// A question that the answer would answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Question {
    /// Its words; empty if the judge derived none.
    pub question: String,
    /// Cosine of its vector and that of the question asked; none if a vector has no direction.
    pub similarity: Option<f64>,
    /// Whether the answer evades.
    pub noncommittal: bool,
}

/// A statement of the reference.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Attributed {
    /// Its words.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// Whether a context holds it.
    pub attributed: bool,
}

impl Verdicts {
    /// Supported statements over statements.
    #[must_use]
    pub fn faithfulness(&self) -> Score {
        let Some(statements) = &self.statements else { return self.absent("faithfulness") };
        share(statements.iter().map(|one| one.supported), Reason::NoStatements)
    }

    /// Mean similarity of the derived questions with the question asked; 0 if every one says that the answer evades.
    #[must_use]
    pub fn answer_relevancy(&self) -> Score {
        let Some(questions) = &self.questions else { return self.absent("answer_relevancy") };
        if questions.iter().all(|one| one.question.is_empty()) {
            return Score::none(Reason::NoQuestions);
        }
        let similarities: Option<Vec<f64>> = questions.iter().map(|one| one.similarity).collect();
        let Some(similarities) = similarities else { return Score::none(Reason::NoSimilarity) };
        if questions.iter().all(|one| one.noncommittal) {
            return Score::Value(0.0);
        }
        Score::Value(similarities.iter().sum::<f64>() / similarities.len() as f64)
    }

    /// Mean precision at the rank of each useful context; 0 if none is.
    #[must_use]
    pub fn context_precision(&self) -> Score {
        let Some(contexts) = &self.contexts else { return self.absent("context_precision") };
        let (mut useful, mut sum) = (0.0, 0.0);
        for (rank, helps) in (1_u32..).zip(contexts) {
            if *helps {
                useful += 1.0;
                sum += useful / f64::from(rank);
            }
        }
        Score::Value(if useful > 0.0 { sum / useful } else { 0.0 })
    }

    /// Statements of the reference that a context holds, over its statements.
    #[must_use]
    pub fn context_recall(&self) -> Score {
        let Some(reference) = &self.reference else { return self.absent("context_recall") };
        share(reference.iter().map(|one| one.attributed), Reason::NoReference)
    }

    fn absent(&self, metric: &str) -> Score {
        Score::none(self.missing.get(metric).copied().unwrap_or(Reason::NotJudged))
    }
}

/// The share that holds; `reason` where there is nothing.
pub(crate) fn share(all: impl ExactSizeIterator<Item = bool>, reason: Reason) -> Score {
    let n = all.len();
    if n == 0 {
        return Score::none(reason);
    }
    Score::Value(all.filter(|holds| *holds).count() as f64 / n as f64)
}

/// Cosine of two vectors of the same length; none if either has no direction.
#[must_use]
pub fn cosine(a: &[f32], b: &[f32]) -> Option<f64> {
    let dot =
        |a: &[f32], b: &[f32]| -> f64 { a.iter().zip(b).map(|(x, y)| f64::from(*x) * f64::from(*y)).sum() };
    let norm = (dot(a, a) * dot(b, b)).sqrt();
    (a.len() == b.len() && norm > 0.0).then(|| dot(a, b) / norm)
}
