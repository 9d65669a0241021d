//! What happened in a request: everything that the answer and the record are made of.

use assay_domain::answer::Timing;
use assay_domain::code::{BlockStatus, Worst};
use assay_domain::draft::{Draft, Spent};
use assay_domain::evidence::{Hit, Source};
use assay_domain::report::Verdict;
use assay_domain::{CheckResult, Code, Failure, QueryType, Route};
use assay_graph::Nth;

use crate::ports::Session;

/// A draft that was started.
#[derive(Debug, Clone, Default)]
pub(crate) struct Attempted {
    /// The text as far as it was written.
    pub(crate) text: String,
    /// `provider:model` that was asked; empty if none was or nobody said.
    pub(crate) model: String,
    /// How it was written; none if it was cut off.
    pub(crate) draft: Option<Draft>,
    /// What its latest check said; none if it could not run.
    pub(crate) result: Option<CheckResult>,
    /// Verdict of its first check, before it was judged as final.
    pub(crate) first_verdict: Option<Verdict>,
    /// Its segments, in text order, of the latest check.
    pub(crate) segments: Vec<String>,
    /// Segments that failed their own checks, in text order.
    pub(crate) withheld_segments: Vec<String>,
}

impl Attempted {
    /// The text after the checks attached and removed citations.
    pub(crate) fn final_text(&self) -> &str {
        match &self.result {
            Some(result) if !result.report.text.is_empty() => &result.report.text,
            _ => &self.text,
        }
    }

    /// Its worst code block, and why the parser could not be asked if that is what is wrong.
    pub(crate) fn worst(&self) -> (Worst, String) {
        let Some(result) = &self.result else {
            let code = self.text.contains("```") || self.text.contains("~~~");
            return if code {
                (Worst::Unavailable, "validation".into())
            } else {
                (Worst::None, String::new())
            };
        };
        let mut worst = (Worst::None, String::new());
        for block in &result.report.blocks {
            let this = match &block.status {
                BlockStatus::Valid => (Worst::Valid, String::new()),
                BlockStatus::Invalid | BlockStatus::WrongLanguage(_) => (Worst::Invalid, String::new()),
                BlockStatus::NoGrammar => (Worst::Unavailable, "no_grammar".into()),
                BlockStatus::Plain => (Worst::None, String::new()),
                BlockStatus::Unavailable(reason) => (Worst::Unavailable, reason.clone()),
            };
            if this.0 > worst.0 {
                worst = this;
            }
        }
        worst
    }
}

/// What happened.
#[derive(Debug, Clone, Default)]
pub(crate) struct Journal {
    pub(crate) route: Option<Route>,
    pub(crate) session: Session,
    /// Whether the session could be read.
    pub(crate) session_known: bool,
    /// Topic of the entry that the question refers to.
    pub(crate) topic: Option<String>,
    pub(crate) queries: Vec<String>,
    pub(crate) hits: Vec<Hit>,
    /// Hits and attachments, in marker order.
    pub(crate) sources: Vec<Hit>,
    pub(crate) examples: Vec<Source>,
    pub(crate) index_manifest: String,
    pub(crate) relevant_first: Option<bool>,
    pub(crate) relevant: Option<bool>,
    pub(crate) relevance: Option<f64>,
    pub(crate) drafts: Vec<Attempted>,
    pub(crate) spent: Spent,
    pub(crate) parser_version: String,
    pub(crate) timing: Timing,
    pub(crate) check_ms: f64,
    pub(crate) warnings: Vec<String>,
    pub(crate) errors: Vec<String>,
    /// The latest failure of a part, with its words.
    pub(crate) failure: Option<Failure>,
}

impl Journal {
    /// The type, once it is decided.
    pub(crate) fn query_type(&self) -> Option<QueryType> {
        self.route.as_ref().map(|route| route.query_type)
    }

    pub(crate) fn draft(&self, nth: Nth) -> Option<&Attempted> {
        self.drafts.get(nth as usize)
    }

    pub(crate) fn draft_mut(&mut self, nth: Nth) -> &mut Attempted {
        let index = nth as usize;
        if self.drafts.len() <= index {
            self.drafts.resize_with(index + 1, Attempted::default);
        }
        &mut self.drafts[index]
    }

    /// Keeps the failure of a part; returns its code.
    pub(crate) fn fail(&mut self, failure: Failure) -> Code {
        let code = failure.code;
        self.errors.push(code.to_string());
        self.failure = Some(failure);
        code
    }

    /// Adds a warning that was not given before.
    pub(crate) fn warn(&mut self, warning: impl Into<String>) {
        let warning = warning.into();
        if !self.warnings.contains(&warning) {
            self.warnings.push(warning);
        }
    }

    /// Paths that were found, each once.
    pub(crate) fn searched(&self) -> Vec<String> {
        let mut paths: Vec<String> = Vec::new();
        for hit in &self.hits {
            let name = if hit.source.path.is_empty() { &hit.source.id } else { &hit.source.path };
            if !paths.contains(name) {
                paths.push(name.clone());
            }
        }
        paths
    }

    /// Sources without their ranks.
    pub(crate) fn plain_sources(&self) -> Vec<Source> {
        self.sources.iter().map(|hit| hit.source.clone()).collect()
    }
}
