//! The transition function: total and pure; one function a state, one arm an event.

use assay_domain::report::Attempt;

use crate::next::{
    Next, checked, draft, draft_failed, drafted, fail, finish_check, gone, has_time, judged, late, routed,
    stay, unchecked, wants_retry,
};
use crate::state::{Checking, Drafting, Effect, Event, EventKind, Nth, Plan, Round, Run, State};

/// Most events, segments aside, that move a request on before it is settled.
pub const MAX_STEPS: usize = 12;

/// What happens next. An event that a state does not expect changes nothing and has no effect; each such event is
/// written out, so that a new one has to be thought of everywhere.
#[must_use]
pub fn step(plan: &Plan, state: State, event: Event) -> Next {
    let (kind, at) = (event.kind, event.at_ms);
    match state {
        State::Received => received(kind),
        State::Routing => routing(kind, at),
        State::Searching(run, round, earlier) => searching(plan, run, round, earlier, kind, at),
        State::Judging(run, round, some) => judging(plan, run, round, some, kind, at),
        State::Reformulating(run, some) => reformulating(run, some, kind),
        State::Gathering(run) => gathering(run, kind, at),
        State::Drafting(run, now) => drafting(plan, run, now, kind, at),
        State::Checking(run, now) => checking(plan, run, now, kind, at),
        State::Settled => (State::Settled, Vec::new()),
    }
}

fn received(kind: EventKind) -> Next {
    match kind {
        EventKind::Start => (State::Routing, vec![Effect::Classify]),
        EventKind::Deadline => late(None),
        EventKind::Gone => gone(None),
        EventKind::Routed(_)
        | EventKind::Found { .. }
        | EventKind::SearchFailed(_)
        | EventKind::Judged(_)
        | EventKind::Reformulated
        | EventKind::SegmentPassed
        | EventKind::SegmentFailed { .. }
        | EventKind::Drafted(_)
        | EventKind::DraftFailed(_)
        | EventKind::Checked(_)
        | EventKind::CheckFailed => stay(State::Received),
    }
}

fn routing(kind: EventKind, at: u64) -> Next {
    match kind {
        EventKind::Routed(query_type) => routed(query_type, at),
        EventKind::Deadline => late(None),
        EventKind::Gone => gone(None),
        EventKind::Start
        | EventKind::Found { .. }
        | EventKind::SearchFailed(_)
        | EventKind::Judged(_)
        | EventKind::Reformulated
        | EventKind::SegmentPassed
        | EventKind::SegmentFailed { .. }
        | EventKind::Drafted(_)
        | EventKind::DraftFailed(_)
        | EventKind::Checked(_)
        | EventKind::CheckFailed => stay(State::Routing),
    }
}

fn searching(plan: &Plan, run: Run, round: Round, earlier: bool, kind: EventKind, at: u64) -> Next {
    match kind {
        EventKind::Found { hits } => {
            let some = hits > 0 || (round == Round::Second && earlier);
            if plan.assess_relevance && some {
                (State::Judging(run, round, some), vec![Effect::AssessRelevance])
            } else {
                judged(plan, run, round, some, None, at)
            }
        }
        EventKind::SearchFailed(_) if round == Round::Second && earlier => draft(run, at),
        EventKind::SearchFailed(code) => fail(code, run.skipped),
        EventKind::Deadline => late(run.skipped),
        EventKind::Gone => gone(run.skipped),
        EventKind::Start
        | EventKind::Routed(_)
        | EventKind::Judged(_)
        | EventKind::Reformulated
        | EventKind::SegmentPassed
        | EventKind::SegmentFailed { .. }
        | EventKind::Drafted(_)
        | EventKind::DraftFailed(_)
        | EventKind::Checked(_)
        | EventKind::CheckFailed => stay(State::Searching(run, round, earlier)),
    }
}

fn judging(plan: &Plan, run: Run, round: Round, some: bool, kind: EventKind, at: u64) -> Next {
    match kind {
        EventKind::Judged(relevant) => judged(plan, run, round, some, relevant, at),
        EventKind::Deadline => late(run.skipped),
        EventKind::Gone => gone(run.skipped),
        EventKind::Start
        | EventKind::Routed(_)
        | EventKind::Found { .. }
        | EventKind::SearchFailed(_)
        | EventKind::Reformulated
        | EventKind::SegmentPassed
        | EventKind::SegmentFailed { .. }
        | EventKind::Drafted(_)
        | EventKind::DraftFailed(_)
        | EventKind::Checked(_)
        | EventKind::CheckFailed => stay(State::Judging(run, round, some)),
    }
}

fn reformulating(run: Run, some: bool, kind: EventKind) -> Next {
    match kind {
        EventKind::Reformulated => {
            (State::Searching(run, Round::Second, some), vec![Effect::Search(Round::Second)])
        }
        EventKind::Deadline => late(run.skipped),
        EventKind::Gone => gone(run.skipped),
        EventKind::Start
        | EventKind::Routed(_)
        | EventKind::Found { .. }
        | EventKind::SearchFailed(_)
        | EventKind::Judged(_)
        | EventKind::SegmentPassed
        | EventKind::SegmentFailed { .. }
        | EventKind::Drafted(_)
        | EventKind::DraftFailed(_)
        | EventKind::Checked(_)
        | EventKind::CheckFailed => stay(State::Reformulating(run, some)),
    }
}

fn gathering(run: Run, kind: EventKind, at: u64) -> Next {
    match kind {
        EventKind::Found { .. } => draft(run, at),
        EventKind::SearchFailed(code) => fail(code, run.skipped),
        EventKind::Deadline => late(run.skipped),
        EventKind::Gone => gone(run.skipped),
        EventKind::Start
        | EventKind::Routed(_)
        | EventKind::Judged(_)
        | EventKind::Reformulated
        | EventKind::SegmentPassed
        | EventKind::SegmentFailed { .. }
        | EventKind::Drafted(_)
        | EventKind::DraftFailed(_)
        | EventKind::Checked(_)
        | EventKind::CheckFailed => stay(State::Gathering(run)),
    }
}

fn drafting(plan: &Plan, run: Run, now: Drafting, kind: EventKind, at: u64) -> Next {
    match kind {
        EventKind::SegmentPassed if now.withheld => stay(State::Drafting(run, now)),
        EventKind::SegmentPassed => {
            let attempt = if plan.commit_first { Attempt::Retry } else { run.attempt };
            (State::Drafting(Run { attempt, ..run }, now), vec![Effect::SendSegment])
        }
        EventKind::SegmentFailed { code } => {
            let cuts = now.draft == Nth::First && wants_retry(plan, run.attempt, code);
            if cuts && has_time(plan, run, at) {
                let (state, check) = finish_check(run, Drafting { withheld: true, ..now }, true);
                (state, [vec![Effect::Interrupt], check].concat())
            } else {
                (State::Drafting(run, Drafting { withheld: true, ..now }), Vec::new())
            }
        }
        EventKind::CheckFailed => (State::Drafting(run, Drafting { unchecked: true, ..now }), Vec::new()),
        EventKind::Drafted(written) => drafted(plan, run, now, written, at),
        EventKind::DraftFailed(code) => draft_failed(run, now, code),
        EventKind::Deadline => late(run.skipped),
        EventKind::Gone => gone(run.skipped),
        EventKind::Start
        | EventKind::Routed(_)
        | EventKind::Found { .. }
        | EventKind::SearchFailed(_)
        | EventKind::Judged(_)
        | EventKind::Reformulated
        | EventKind::Checked(_) => stay(State::Drafting(run, now)),
    }
}

fn checking(plan: &Plan, run: Run, now: Checking, kind: EventKind, at: u64) -> Next {
    match kind {
        EventKind::SegmentPassed if now.silent => stay(State::Checking(run, now)),
        EventKind::SegmentPassed => (State::Checking(run, now), vec![Effect::SendSegment]),
        EventKind::SegmentFailed { .. } => stay(State::Checking(run, Checking { silent: true, ..now })),
        EventKind::Checked(report) => checked(plan, run, now, report, at),
        EventKind::CheckFailed => unchecked(plan, run, now, at),
        EventKind::Deadline => late(run.skipped),
        EventKind::Gone => gone(run.skipped),
        EventKind::Start
        | EventKind::Routed(_)
        | EventKind::Found { .. }
        | EventKind::SearchFailed(_)
        | EventKind::Judged(_)
        | EventKind::Reformulated
        | EventKind::Drafted(_)
        | EventKind::DraftFailed(_) => stay(State::Checking(run, now)),
    }
}
