//! Assessments and states that the tests of the graph share.
#![allow(dead_code, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use assay_domain::question::{Mode, QueryType};
use assay_domain::report::{Attempt, Verdict};
use assay_graph::state::{Checking, Drafting, Kept, Run};
use assay_graph::{Assessment, Event, EventKind, Nth, Plan, Round, State, Written};

pub(crate) const CLEAN: Assessment = Assessment {
    verdict: Verdict::Pass,
    fails: 0,
    invalid: 0,
    flags: 0,
    unchecked: 0,
    has_code: false,
    code_failed: false,
    refusal: false,
};
pub(crate) const FLAGGED: Assessment = Assessment { verdict: Verdict::Review, flags: 1, ..CLEAN };
pub(crate) const UNCITED: Assessment = Assessment { verdict: Verdict::Reject, fails: 1, ..CLEAN };
pub(crate) const TWO_FAILS: Assessment = Assessment { verdict: Verdict::Reject, fails: 2, ..CLEAN };
pub(crate) const BAD_CODE: Assessment =
    Assessment { verdict: Verdict::Reject, fails: 1, invalid: 1, has_code: true, code_failed: true, ..CLEAN };
pub(crate) const REFUSAL: Assessment = Assessment { refusal: true, ..CLEAN };

/// A draft of a model with text.
pub(crate) const TEXT: Written = Written { by_model: true, abstained: false, empty: false };
/// Fixed words of ours that say that there is no answer.
pub(crate) const OURS: Written = Written { by_model: false, abstained: true, empty: false };

pub(crate) fn plan(mode: Mode) -> Plan {
    Plan { mode, ..Plan::default() }
}

pub(crate) fn at(at_ms: u64, kind: EventKind) -> Event {
    Event { at_ms, kind }
}

pub(crate) fn run(kind: QueryType, attempt: Attempt) -> Run {
    Run { kind, attempt, skipped: None, since_ms: 1_000 }
}

pub(crate) fn checking(draft: Nth, attempt: Attempt) -> Checking {
    Checking { draft, attempt, cut: false, kept: None, last: false, silent: false }
}

pub(crate) fn drafting(draft: Nth, attempt: Attempt, kept: Option<Kept>) -> Drafting {
    Drafting { draft, attempt, kept, withheld: false, unchecked: false }
}

/// Every shape of state, named.
pub(crate) fn states() -> Vec<(&'static str, State)> {
    use Attempt::{First, Retry};
    let retrieval = run(QueryType::Retrieval, First);
    let spent = run(QueryType::Retrieval, Retry);
    let code = run(QueryType::CodeGeneration, First);
    let kept = Kept { assessment: Some(UNCITED), cut: false };
    let cut = Kept { assessment: Some(UNCITED), cut: true };
    vec![
        ("Received", State::Received),
        ("Routing", State::Routing),
        ("Searching 1", State::Searching(retrieval, Round::First, false)),
        ("Searching 2 after none", State::Searching(spent, Round::Second, false)),
        ("Searching 2 after some", State::Searching(spent, Round::Second, true)),
        ("Judging 1", State::Judging(retrieval, Round::First, true)),
        ("Judging 2", State::Judging(spent, Round::Second, true)),
        ("Reformulating", State::Reformulating(spent, false)),
        ("Gathering", State::Gathering(code)),
        ("Drafting 1", State::Drafting(retrieval, drafting(Nth::First, First, None))),
        (
            "Drafting 1, withheld",
            State::Drafting(retrieval, Drafting { withheld: true, ..drafting(Nth::First, First, None) }),
        ),
        (
            "Drafting 1, unchecked",
            State::Drafting(retrieval, Drafting { unchecked: true, ..drafting(Nth::First, First, None) }),
        ),
        ("Drafting 1, committed", State::Drafting(spent, drafting(Nth::First, First, None))),
        ("Drafting 1, spent", State::Drafting(spent, drafting(Nth::First, Retry, None))),
        ("Drafting 2", State::Drafting(spent, drafting(Nth::Second, Retry, Some(kept)))),
        ("Drafting 2 after cut", State::Drafting(spent, drafting(Nth::Second, Retry, Some(cut)))),
        ("Checking 1 as First", State::Checking(retrieval, checking(Nth::First, First))),
        ("Checking 1 cut", State::Checking(retrieval, Checking { cut: true, ..checking(Nth::First, First) })),
        ("Checking 1 as Retry", State::Checking(spent, checking(Nth::First, Retry))),
        (
            "Checking 1 at last",
            State::Checking(
                spent,
                Checking { last: true, silent: true, kept: Some(kept), ..checking(Nth::First, Retry) },
            ),
        ),
        ("Checking 2", State::Checking(spent, Checking { kept: Some(kept), ..checking(Nth::Second, Retry) })),
        ("Settled", State::Settled),
    ]
}

/// Every shape of event, named.
pub(crate) fn events() -> Vec<(&'static str, EventKind)> {
    use assay_domain::error::Code;
    let mut all = vec![("Start", EventKind::Start)];
    for kind in QueryType::ALL {
        all.push((kind.as_str(), EventKind::Routed(*kind)));
    }
    all.extend([
        ("Found none", EventKind::Found { hits: 0 }),
        ("Found some", EventKind::Found { hits: 8 }),
        ("SearchFailed", EventKind::SearchFailed(Code::SearchUnavailable)),
        ("Judged enough", EventKind::Judged(Some(true))),
        ("Judged not enough", EventKind::Judged(Some(false))),
        ("Judged by nobody", EventKind::Judged(None)),
        ("Reformulated", EventKind::Reformulated),
        ("SegmentPassed", EventKind::SegmentPassed),
        ("SegmentFailed prose", EventKind::SegmentFailed { code: false }),
        ("SegmentFailed code", EventKind::SegmentFailed { code: true }),
        ("Drafted", EventKind::Drafted(TEXT)),
        ("Drafted empty", EventKind::Drafted(Written { empty: true, ..TEXT })),
        ("Drafted refusal", EventKind::Drafted(Written { abstained: true, ..TEXT })),
        ("Drafted fixed refusal", EventKind::Drafted(OURS)),
        ("DraftFailed", EventKind::DraftFailed(Code::GenerationUnavailable)),
        ("DraftFailed at limit", EventKind::DraftFailed(Code::PayloadTooLarge)),
        ("Checked pass", EventKind::Checked(CLEAN)),
        ("Checked review", EventKind::Checked(FLAGGED)),
        ("Checked uncited", EventKind::Checked(UNCITED)),
        ("Checked two fails", EventKind::Checked(TWO_FAILS)),
        ("Checked bad code", EventKind::Checked(BAD_CODE)),
        ("Checked refusal", EventKind::Checked(REFUSAL)),
        ("CheckFailed", EventKind::CheckFailed),
        ("Deadline", EventKind::Deadline),
        ("Gone", EventKind::Gone),
    ]);
    all
}
