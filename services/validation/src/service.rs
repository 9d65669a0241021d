//! The use case: opens checks, each of which goes on as a [`CheckRun`], and judges whether sources suit a question.

use std::sync::Arc;

use assay_domain::{Failure, Identity, Relevance, Source, Terms};
use assay_grounding::Policy;
use assay_reader::Reader;

use crate::check_run::CheckRun;
use crate::cpu_slots::CpuSlots;
use crate::error::Error;
use crate::limits;
use crate::open_checks::{OpenCheck, OpenChecks};
use crate::options::Options;
use crate::ports::{LookupPort, ParserPort};

/// Runs the checks.
#[derive(Debug, Clone)]
pub struct Validation {
    shared: Arc<Shared>,
}

/// What the checks of a process share.
pub(crate) struct Shared {
    pub(crate) options: Options,
    /// The operator's own policy, if there is one.
    policy: Option<Policy>,
    pub(crate) parser: Arc<dyn ParserPort>,
    pub(crate) lookup: Arc<dyn LookupPort>,
    pub(crate) reader: Arc<dyn Reader>,
    pub(crate) slots: CpuSlots,
    open: OpenChecks,
}

impl std::fmt::Debug for Shared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Shared").field("options", &self.options).finish_non_exhaustive()
    }
}

// === impl Validation ===

impl Validation {
    /// Runs checks with these settings over these ports. The parser should be one that does not keep answers waiting;
    /// `policy` stands for the configured name.
    #[must_use]
    pub fn new(
        options: Options,
        policy: Option<Policy>,
        parser: Arc<dyn ParserPort>,
        lookup: Arc<dyn LookupPort>,
        reader: Arc<dyn Reader>,
    ) -> Self {
        let (slots, open) = (CpuSlots::new(options.parallel), OpenChecks::new(&options));
        Self { shared: Arc::new(Shared { options, policy, parser, lookup, reader, slots, open }) }
    }

    /// Makes room for a check of a caller, which counts before its first message.
    ///
    /// # Errors
    /// `RESOURCE_EXHAUSTED` naming the setting.
    pub(crate) fn room(&self, caller: &Identity) -> Result<OpenCheck, Failure> {
        self.shared.open.open(caller)
    }

    /// Opens the check of one request in the room that was made for it.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` for a policy nobody knows, a question that is too long or a relevance that is no
    /// probability, `PAYLOAD_TOO_LARGE` beyond the limits of one check, `RESOURCE_EXHAUSTED` beyond those of all.
    pub(crate) async fn open(&self, mut room: OpenCheck, terms: Terms) -> Result<CheckRun, Failure> {
        let policy = match terms.policy_toml.trim() {
            "" => self.policy(&terms.policy)?,
            text => Policy::parse(text).map_err(Error::Policy)?,
        };
        limits::check(&terms, &self.shared.options)?;
        room.hold(limits::bytes(&terms))?;
        // Whether a search was enough is decided by one bar, whatever policy the answer is judged by.
        let bar = self.policy("")?.relevance_bar();
        CheckRun::open(Arc::clone(&self.shared), room, policy, bar, terms).await
    }

    /// Probability that sources can answer a question, and whether it passes the bar of the configured policy.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` for an empty or over-long question, `PAYLOAD_TOO_LARGE` beyond the limits.
    pub(crate) async fn relevance(
        &self,
        room: OpenCheck,
        question: String,
        sources: Vec<Source>,
    ) -> Result<Relevance, Failure> {
        limits::asks(&question)?;
        Ok(self.open(room, Terms::new(question, sources)).await?.relevance())
    }

    fn policy(&self, name: &str) -> Result<Policy, Failure> {
        if let (true, Some(own)) = (name.is_empty(), &self.shared.policy) {
            return Ok(own.clone());
        }
        let name = if name.is_empty() { &self.shared.options.policy } else { name };
        Policy::shipped(name).ok_or_else(|| {
            let message = format!("there is no policy {name:?}; give strict, balanced or lenient");
            Error::Invalid { field: "policy", message }.into()
        })
    }
}
