//! The words of the graph: what is planned, where a request stands, what happened, what to do.

use assay_domain::answer::Outcome;
use assay_domain::error::Code;
use assay_domain::question::{Mode, QueryType};
use assay_domain::report::{Attempt, Verdict};

use crate::assess::Assessment;

/// What is fixed for a request before it starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Plan {
    /// What happens to an answer that is still rejected after its retry.
    pub mode: Mode,
    /// Milliseconds after receipt at which the request must be over.
    pub deadline_ms: u64,
    /// Profile `strict`: without checks there is no answer.
    pub require_checks: bool,
    /// Have the sources judged against the question where the search did not do it.
    pub assess_relevance: bool,
    /// The first segment that is sent spends the retry budget. Only for a client who takes segments.
    pub commit_first: bool,
    /// Whether a rejected draft is tried again at all.
    pub retries: bool,
}

impl Default for Plan {
    fn default() -> Self {
        Self {
            mode: Mode::Strict,
            deadline_ms: 60_000,
            require_checks: false,
            assess_relevance: false,
            commit_first: false,
            retries: true,
        }
    }
}

/// First or second search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Round {
    /// With the question itself, rewritten locally.
    First,
    /// With the hint that the first context was not enough.
    Second,
}

/// First or second draft of a request. Not the budget: the only draft after a second search is the first draft, as
/// `Attempt::Retry`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Nth {
    /// The first draft.
    First,
    /// The one that quotes the defects of the first.
    Second,
}

impl Nth {
    /// 1 or 2, as streams and records count attempts.
    #[must_use]
    pub const fn number(self) -> u32 {
        match self {
            Self::First => 1,
            Self::Second => 2,
        }
    }
}

/// Why a possible retry was not started.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Skipped {
    /// Not enough time was left for an attempt as long as the first.
    Deadline,
}

impl Skipped {
    /// The word that the record keeps.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Deadline => "deadline",
        }
    }
}

/// What every state after routing remembers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Run {
    /// The type that was decided.
    pub kind: QueryType,
    /// The retry budget (RC-08).
    pub attempt: Attempt,
    /// Whether a retry was wanted and skipped.
    pub skipped: Option<Skipped>,
    /// When the present attempt began, in milliseconds after receipt.
    pub since_ms: u64,
}

/// A first draft that waits beside the second.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Kept {
    /// What its checks said; none if they could not run.
    pub assessment: Option<Assessment>,
    /// Whether it was cut off at a failing segment; a cut draft is never delivered.
    pub cut: bool,
}

/// Where a request stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// Nothing has happened.
    Received,
    /// The type is being decided.
    Routing,
    /// A search for a `RETRIEVAL` request runs; the flag says whether the first search had hits.
    Searching(Run, Round, bool),
    /// Relevance is being judged; the flag says whether there are hits at all.
    Judging(Run, Round, bool),
    /// The question is being reformulated; the flag says whether the first search had hits.
    Reformulating(Run, bool),
    /// Search and examples for `CODE_GENERATION` run.
    Gathering(Run),
    /// A draft is being written, and its check runs beside it.
    Drafting(Run, Drafting),
    /// The draft is complete; its check is not.
    Checking(Run, Checking),
    /// It is over.
    Settled,
}

/// Which draft is written, and what became of its segments so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Drafting {
    /// The draft.
    pub draft: Nth,
    /// What its check judges it as, from its start on.
    pub attempt: Attempt,
    /// The first draft, while the second is written.
    pub kept: Option<Kept>,
    /// Whether a segment failed: what follows it would stand out of its place, so nothing more is sent.
    pub withheld: bool,
    /// Whether its check broke off or never ran.
    pub unchecked: bool,
}

/// Which draft is checked, and as what.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Checking {
    /// The draft under check.
    pub draft: Nth,
    /// Judged with or without a retry in hand.
    pub attempt: Attempt,
    /// Whether the draft was cut off at a failing segment.
    pub cut: bool,
    /// The first draft, while the second is under check.
    pub kept: Option<Kept>,
    /// Whether whatever this check says is the end.
    pub last: bool,
    /// Whether none of its segments is sent: one failed, or the draft is checked once more.
    pub silent: bool,
}

/// A draft that was written to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Written {
    /// Whether a language model wrote it; else it holds fixed words of ours or of the evidence.
    pub by_model: bool,
    /// Whether it says that there is no answer.
    pub abstained: bool,
    /// Whether it has no text.
    pub empty: bool,
}

/// Something that happened, with the time at which it did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Event {
    /// Milliseconds after receipt.
    pub at_ms: u64,
    /// What happened.
    pub kind: EventKind,
}

/// What happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EventKind {
    /// The request was accepted.
    Start,
    /// The type is decided.
    Routed(QueryType),
    /// A search came back with this many sources, after fusion in the second round.
    Found {
        /// Sources at hand.
        hits: u32,
    },
    /// A search did not come back.
    SearchFailed(Code),
    /// Relevance was judged, or could not be.
    Judged(Option<bool>),
    /// There is a query for the second search, from the model or made locally.
    Reformulated,
    /// A segment of the draft passed its own checks and may be sent.
    SegmentPassed,
    /// A segment of the draft failed its own checks.
    SegmentFailed {
        /// Whether it is a code block.
        code: bool,
    },
    /// The draft is written.
    Drafted(Written),
    /// No draft could be made.
    DraftFailed(Code),
    /// The checks are done.
    Checked(Assessment),
    /// The checks could not run, or broke off.
    CheckFailed,
    /// Time is up.
    Deadline,
    /// The client went away.
    Gone,
}

/// What the driver has to do; named after what it starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// Decide the type.
    Classify,
    /// Search the index.
    Search(Round),
    /// Search the index and fetch validated examples beside it; a request goes on without examples.
    Gather,
    /// Have the sources judged against the original question.
    AssessRelevance,
    /// Ask for a query with broader terms.
    Reformulate,
    /// Start to write a draft; the second quotes the defects of the first.
    Draft {
        /// Which draft.
        draft: Nth,
        /// As what it will be judged.
        attempt: Attempt,
    },
    /// Start the check of the draft that is written from now on.
    Check {
        /// Which draft.
        draft: Nth,
        /// As what it is judged.
        attempt: Attempt,
    },
    /// Send the segment that passed last.
    SendSegment,
    /// Stop the running draft and keep what was written.
    Interrupt,
    /// Tell the running check that its draft is complete, and wait for the report.
    FinishCheck,
    /// Check a complete draft once more, judged as something else, and wait for the report.
    Recheck {
        /// Which draft.
        draft: Nth,
        /// As what it is judged.
        attempt: Attempt,
    },
    /// Withdraw every segment of a draft that was sent.
    Retract(Nth),
    /// Record and deliver the end.
    Settle(Settlement),
}

/// How a request ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Settlement {
    /// The outcome.
    pub outcome: Outcome,
    /// The draft that is delivered, or withheld when rejected; none if nothing was drafted or nothing stands.
    pub draft: Option<Nth>,
    /// The verdict; none unless answered or rejected.
    pub verdict: Option<Verdict>,
    /// What went wrong, when refused or failed.
    pub code: Option<Code>,
    /// Why a possible retry was skipped.
    pub skipped: Option<Skipped>,
}
