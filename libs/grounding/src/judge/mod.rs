//! The judgement of an answer: what it needs from outside, and the report over it.
//!
//! [`Judge::needs`] says what must be fetched, [`Judge::asks`] what models are to be asked about once words have judged;
//! [`Judge::judge`] takes both as [`Facts`]. A fact that is missing leaves its check `NOT_CHECKED`; judging itself cannot
//! fail.

mod facts;
mod report;
mod scoring;
mod segments;

use crate::assess::Assessed;
use crate::index::SourceIndex;
use crate::policy::Policy;
use crate::reading::Parsed;
use crate::scores::Scorer;
use crate::support::Memory;
use crate::{assess, mentions, relevance};
pub use assay_domain::check::{CheckedSegment, Terms};
use assay_domain::report::{Attempt, CheckName, Report};
use assay_domain::verdict::{Weight, weight};
use assay_domain::{QueryType, Source, SourceKind};
pub use facts::{Fact, Facts, Needs};
use std::sync::{Arc, OnceLock};

/// Judges the drafts of one request.
#[derive(Debug, Clone)]
pub struct Judge {
    terms: Terms,
    /// Sources, from 0, whose bytes are not what their hash says.
    damaged: Vec<usize>,
    policy: Policy,
    index: SourceIndex,
    /// Everything that counts as known to the answer, in lower case.
    evidence: OnceLock<String>,
    relevance: Option<f64>,
    /// What was found of its claims before.
    memory: Memory,
    /// The reader that may be asked.
    scorer: Option<Scorer>,
}

impl Judge {
    /// Reads the sources; linear in their text.
    #[must_use]
    pub fn new(terms: Terms, policy: Policy) -> Self {
        let index = SourceIndex::new(&terms.sources);
        let editor =
            |source: usize| terms.sources.get(source).is_some_and(|one| one.kind == SourceKind::Editor);
        let counts = |source: usize| !(terms.assess_relevance && editor(source));
        let relevance =
            terms.context_relevance.or_else(|| relevance::probability(&terms.question, &index, counts));
        let policy = policy.of(terms.query_type);
        Self {
            terms,
            damaged: Vec::new(),
            policy,
            index,
            evidence: OnceLock::new(),
            relevance,
            memory: Memory::default(),
            scorer: None,
        }
    }

    /// With the reader that may be asked about claims which words leave open.
    #[must_use]
    pub fn asking(mut self, scorer: Option<Scorer>) -> Self {
        self.scorer = scorer;
        self
    }

    /// With sources, from 0, whose bytes are not what their hash says: they are not what the index holds.
    #[must_use]
    pub fn without(mut self, damaged: Vec<usize>) -> Self {
        self.damaged = damaged;
        self
    }

    /// Whether the bytes of a source, from 0, are not what their hash says.
    pub(crate) fn is_damaged(&self, source: usize) -> bool {
        self.damaged.contains(&source)
    }

    /// Judges another draft from now on, as a first one or a retry; the sources are not read again.
    pub fn begin(&mut self, attempt: Attempt) {
        self.terms.attempt = attempt;
    }

    /// Relevance of the sources, 0 to 1, as given or found; `None` without a question.
    #[must_use]
    pub fn relevance(&self) -> Option<f64> {
        self.relevance
    }

    /// What it judges by.
    #[must_use]
    pub fn terms(&self) -> &Terms {
        &self.terms
    }

    /// The policy.
    #[must_use]
    pub fn policy(&self) -> &Policy {
        &self.policy
    }

    pub(crate) fn index(&self) -> &SourceIndex {
        &self.index
    }

    pub(crate) fn memory(&self) -> &Memory {
        &self.memory
    }

    /// Whether sources, question or given facts hold a name.
    pub(crate) fn evidence_holds(&self, name: &str) -> bool {
        mentions::stands_in(name, self.evidence.get_or_init(|| evidence(&self.terms)))
    }

    /// Whether claims are held against sources at all: without any, only a documentation answer has to have some.
    pub(crate) fn holds_claims(&self) -> bool {
        weight(self.terms.query_type, CheckName::ClaimSupport) != Weight::Absent
            && (!self.index.is_empty() || self.terms.query_type == QueryType::Retrieval)
    }

    /// Whether nothing beside the given sources exists: wanted so, or the query type never looks anything up (RC-04).
    #[must_use]
    pub fn sources_are_all(&self) -> bool {
        self.terms.sources_only || !self.terms.query_type.searches()
    }

    /// Reads an answer once, for [`Judge::needs`], [`Judge::asks`] and [`Judge::judge_unless`].
    #[must_use]
    pub fn read(&self, answer: impl Into<Arc<str>>) -> Parsed {
        Parsed::new(answer, self.terms.sources.len())
    }

    /// What judging an answer needs from outside.
    #[must_use]
    pub fn needs(&self, draft: &Parsed) -> Needs {
        let mut needs = Needs::default();
        if weight(self.terms.query_type, CheckName::Identifiers) != Weight::Absent {
            (needs.paths, needs.names) = mentions::to_look_up(&mentions::unknown(self, draft));
        }
        needs.blocks.clone_from(&draft.reading.blocks);
        needs
    }

    /// Reads and judges a whole answer at once.
    #[must_use]
    pub fn judge(&self, answer: &str, facts: &Facts) -> Report {
        let draft = self.read(answer);
        // Nobody stops it; an assessment that is not there would leave every claim unchecked.
        let assessed = self.assess(&draft, 0, &|| false).unwrap_or_else(|| self.unassessed(&draft));
        self.settle(&draft, assessed, facts)
    }

    /// The report over a whole answer that was read; `None` where `stop` said so. It is asked before each claim, so that whoever waits no
    /// longer costs no more than one.
    #[must_use]
    pub fn judge_unless(&self, draft: &Parsed, facts: &Facts, stop: &dyn Fn() -> bool) -> Option<Report> {
        let assessed = self.assess(draft, 0, stop)?;
        (!stop()).then(|| self.settle(draft, assessed, facts))
    }

    fn assess(&self, parsed: &Parsed, from: usize, stop: &dyn Fn() -> bool) -> Option<Assessed> {
        if self.holds_claims() {
            return assess::assess(self, parsed, from, stop);
        }
        Some(self.unassessed(parsed))
    }

    /// An answer whose claims are not judged.
    fn unassessed(&self, parsed: &Parsed) -> Assessed {
        let broken = parsed.reading.citations.iter().map(|citation| assess::broken(self, citation)).collect();
        Assessed { judged: vec![None; parsed.reading.claims.len()], broken, ..Assessed::default() }
    }
}

/// Reads and compiles what the first answer of a process would wait for: tables, models, patterns.
pub fn warm() {
    let source = Source::given("1", SourceKind::Doc, "The pool opens four connections at start.", 1);
    let answer = "Here are the limits:\n\nThe pool opens \"at least four connections\" at start [^1]. \
        Source 1 says that `max_rows` is 90 seconds. The sources do not mention any other. (Passage 1)";
    if let Some(policy) = Policy::shipped(crate::policy::DEFAULT) {
        let judge = Judge::new(Terms::new("What does the pool open?", vec![source]), policy);
        let _ = judge.judge(answer, &Facts::default());
    }
}

/// The texts that [`Judge::evidence_holds`] looks in, in lower case; most answers never ask for it.
fn evidence(terms: &Terms) -> String {
    let mut evidence = String::new();
    for source in &terms.sources {
        for text in [&source.path, &source.id, &source.title, &source.text] {
            evidence.push_str(&text.to_lowercase());
            evidence.push('\n');
        }
    }
    evidence.push_str(&terms.question.to_lowercase());
    evidence.push('\n');
    evidence.push_str(&terms.extra_context.to_lowercase());
    evidence
}
