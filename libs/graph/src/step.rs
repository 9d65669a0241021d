//! The transition function: total and pure; one function a state, one arm an event.

use assay_domain::report::Attempt;

use crate::next::{
    Next, checked, draft, draft_failed, drafted, fail, finish_check, gone, has_time, judged, late, routed,
    stay, unchecked, wants_retry,
};
use crate::state::{Checking, Drafting, Effect, Event, Nth, Plan, Round, Run, State, What};

/// Most events, segments aside, that move a request on before it is settled.
pub const MAX_STEPS: usize = 12;

/// What happens next. An event that a state does not expect changes nothing and has no effect; each such event is
/// written out, so that a new one has to be thought of everywhere.
#[must_use]
pub fn step(plan: &Plan, state: State, event: Event) -> Next {
    let (what, at) = (event.what, event.at_ms);
    match state {
        State::Received => received(what),
        State::Routing => routing(what, at),
        State::Searching(run, round, earlier) => searching(plan, run, round, earlier, what, at),
        State::Judging(run, round, some) => judging(plan, run, round, some, what, at),
        State::Reformulating(run, some) => reformulating(run, some, what),
        State::Gathering(run) => gathering(run, what, at),
        State::Drafting(run, now) => drafting(plan, run, now, what, at),
        State::Checking(run, now) => checking(plan, run, now, what, at),
        State::Settled => (State::Settled, Vec::new()),
    }
}

fn received(what: What) -> Next {
    match what {
        What::Start => (State::Routing, vec![Effect::Classify]),
        What::Deadline => late(None),
        What::Gone => gone(None),
        What::Routed(_)
        | What::Found { .. }
        | What::SearchFailed(_)
        | What::Judged(_)
        | What::Reformulated
        | What::SegmentPassed
        | What::SegmentFailed { .. }
        | What::Drafted(_)
        | What::DraftFailed(_)
        | What::Checked(_)
        | What::CheckFailed => stay(State::Received),
    }
}

fn routing(what: What, at: u64) -> Next {
    match what {
        What::Routed(kind) => routed(kind, at),
        What::Deadline => late(None),
        What::Gone => gone(None),
        What::Start
        | What::Found { .. }
        | What::SearchFailed(_)
        | What::Judged(_)
        | What::Reformulated
        | What::SegmentPassed
        | What::SegmentFailed { .. }
        | What::Drafted(_)
        | What::DraftFailed(_)
        | What::Checked(_)
        | What::CheckFailed => stay(State::Routing),
    }
}

fn searching(plan: &Plan, run: Run, round: Round, earlier: bool, what: What, at: u64) -> Next {
    match what {
        What::Found { hits } => {
            let some = hits > 0 || (round == Round::Second && earlier);
            if plan.assess_relevance && some {
                (State::Judging(run, round, some), vec![Effect::AssessRelevance])
            } else {
                judged(plan, run, round, some, None, at)
            }
        }
        What::SearchFailed(_) if round == Round::Second && earlier => draft(run, at),
        What::SearchFailed(code) => fail(code, run.skipped),
        What::Deadline => late(run.skipped),
        What::Gone => gone(run.skipped),
        What::Start
        | What::Routed(_)
        | What::Judged(_)
        | What::Reformulated
        | What::SegmentPassed
        | What::SegmentFailed { .. }
        | What::Drafted(_)
        | What::DraftFailed(_)
        | What::Checked(_)
        | What::CheckFailed => stay(State::Searching(run, round, earlier)),
    }
}

fn judging(plan: &Plan, run: Run, round: Round, some: bool, what: What, at: u64) -> Next {
    match what {
        What::Judged(relevant) => judged(plan, run, round, some, relevant, at),
        What::Deadline => late(run.skipped),
        What::Gone => gone(run.skipped),
        What::Start
        | What::Routed(_)
        | What::Found { .. }
        | What::SearchFailed(_)
        | What::Reformulated
        | What::SegmentPassed
        | What::SegmentFailed { .. }
        | What::Drafted(_)
        | What::DraftFailed(_)
        | What::Checked(_)
        | What::CheckFailed => stay(State::Judging(run, round, some)),
    }
}

fn reformulating(run: Run, some: bool, what: What) -> Next {
    match what {
        What::Reformulated => {
            (State::Searching(run, Round::Second, some), vec![Effect::Search(Round::Second)])
        }
        What::Deadline => late(run.skipped),
        What::Gone => gone(run.skipped),
        What::Start
        | What::Routed(_)
        | What::Found { .. }
        | What::SearchFailed(_)
        | What::Judged(_)
        | What::SegmentPassed
        | What::SegmentFailed { .. }
        | What::Drafted(_)
        | What::DraftFailed(_)
        | What::Checked(_)
        | What::CheckFailed => stay(State::Reformulating(run, some)),
    }
}

fn gathering(run: Run, what: What, at: u64) -> Next {
    match what {
        What::Found { .. } => draft(run, at),
        What::SearchFailed(code) => fail(code, run.skipped),
        What::Deadline => late(run.skipped),
        What::Gone => gone(run.skipped),
        What::Start
        | What::Routed(_)
        | What::Judged(_)
        | What::Reformulated
        | What::SegmentPassed
        | What::SegmentFailed { .. }
        | What::Drafted(_)
        | What::DraftFailed(_)
        | What::Checked(_)
        | What::CheckFailed => stay(State::Gathering(run)),
    }
}

fn drafting(plan: &Plan, run: Run, now: Drafting, what: What, at: u64) -> Next {
    match what {
        What::SegmentPassed if now.withheld => stay(State::Drafting(run, now)),
        What::SegmentPassed => {
            let attempt = if plan.commit_first { Attempt::Retry } else { run.attempt };
            (State::Drafting(Run { attempt, ..run }, now), vec![Effect::SendSegment])
        }
        What::SegmentFailed { code } => {
            let cuts = now.draft == Nth::First && wants_retry(plan, run.attempt, code);
            if cuts && has_time(plan, run, at) {
                let (state, check) = finish_check(run, Drafting { withheld: true, ..now }, true);
                (state, [vec![Effect::Interrupt], check].concat())
            } else {
                (State::Drafting(run, Drafting { withheld: true, ..now }), Vec::new())
            }
        }
        What::CheckFailed => (State::Drafting(run, Drafting { unchecked: true, ..now }), Vec::new()),
        What::Drafted(written) => drafted(plan, run, now, written, at),
        What::DraftFailed(code) => draft_failed(run, now, code),
        What::Deadline => late(run.skipped),
        What::Gone => gone(run.skipped),
        What::Start
        | What::Routed(_)
        | What::Found { .. }
        | What::SearchFailed(_)
        | What::Judged(_)
        | What::Reformulated
        | What::Checked(_) => stay(State::Drafting(run, now)),
    }
}

fn checking(plan: &Plan, run: Run, now: Checking, what: What, at: u64) -> Next {
    match what {
        What::SegmentPassed if now.silent => stay(State::Checking(run, now)),
        What::SegmentPassed => (State::Checking(run, now), vec![Effect::SendSegment]),
        What::SegmentFailed { .. } => stay(State::Checking(run, Checking { silent: true, ..now })),
        What::Checked(report) => checked(plan, run, now, report, at),
        What::CheckFailed => unchecked(plan, run, now, at),
        What::Deadline => late(run.skipped),
        What::Gone => gone(run.skipped),
        What::Start
        | What::Routed(_)
        | What::Found { .. }
        | What::SearchFailed(_)
        | What::Judged(_)
        | What::Reformulated
        | What::Drafted(_)
        | What::DraftFailed(_) => stay(State::Checking(run, now)),
    }
}
