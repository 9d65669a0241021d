//! The transition function: total, pure, and the only place where the road of an answer is decided.

use assay_domain::answer::Outcome;
use assay_domain::error::Code;
use assay_domain::question::{Mode, QueryType};
use assay_domain::report::{Attempt, Verdict};

use crate::assess::Assessment;
use crate::state::{
    Arrived, Checking, Effect, Event, Kept, Nth, Plan, Round, Run, Settlement, Skipped, State, What,
};

/// Time that a retry needs beyond the first attempt's own duration, in milliseconds.
pub const RETRY_MARGIN_MS: u64 = 500;

/// Most events that move a request on before it is settled.
pub const MAX_STEPS: usize = 12;

type Next = (State, Vec<Effect>);

/// What happens next. An event that a state does not expect changes nothing and has no effect.
#[must_use]
pub fn step(plan: &Plan, state: State, event: Event) -> Next {
    let at = event.at_ms;
    match (state, event.what) {
        (State::Settled, _) => (State::Settled, Vec::new()),
        (_, What::Gone) => settle(Outcome::Cancelled, None, None, None, skipped(state)),
        (_, What::Deadline) => fail(Code::DeadlineExceeded, skipped(state)),

        (State::Received, What::Start) => (State::Routing, vec![Effect::Classify]),
        (State::Routing, What::Routed(kind)) => routed(kind, at),

        (State::Searching(run, round, earlier), What::Found { hits, relevant }) => {
            let some = hits > 0 || (round == Round::Second && earlier);
            if plan.assess_relevance && some {
                (State::Judging(run, round, some), vec![Effect::AssessRelevance])
            } else {
                judged(plan, run, round, some, relevant, at)
            }
        }
        (State::Searching(run, Round::Second, true), What::SearchFailed(_)) => draft(run, at),
        (State::Searching(run, ..) | State::Gathering(run, _), What::SearchFailed(code)) => {
            fail(code, run.skipped)
        }
        (State::Judging(run, round, some), What::Judged(relevant)) => {
            judged(plan, run, round, some, relevant, at)
        }
        (State::Reformulating(run, some), What::Reformulated) => {
            (State::Searching(run, Round::Second, some), vec![Effect::Search(Round::Second)])
        }

        (State::Gathering(run, got), What::Found { .. }) => {
            gathered(run, Arrived { search: true, ..got }, at)
        }
        (State::Gathering(run, got), What::Examples) => gathered(run, Arrived { examples: true, ..got }, at),

        (State::Drafting(run, nth, kept), What::SegmentSent) if plan.commit_first => {
            (State::Drafting(Run { attempt: Attempt::Retry, ..run }, nth, kept), Vec::new())
        }
        (State::Drafting(run, Nth::First, None), What::SegmentFailed { code })
            if wants_retry(plan, run.attempt, code) && has_time(plan, run, at) =>
        {
            let (state, check) = check(run, Nth::First, run.attempt, true, None, false);
            (state, [vec![Effect::Interrupt], check].concat())
        }
        (State::Drafting(run, nth, _), What::Abstained) => {
            settle(Outcome::Abstained, Some(nth), None, None, run.skipped)
        }
        (State::Drafting(run, nth, kept), What::Drafted) => check(run, nth, run.attempt, false, kept, false),
        (State::Drafting(run, Nth::Second, Some(kept)), What::DraftFailed(_)) if !kept.cut => {
            check(run, Nth::First, Attempt::Retry, false, Some(kept), true)
        }
        (State::Drafting(run, ..), What::DraftFailed(code)) => fail(code, run.skipped),

        (State::Checking(run, now), What::Checked(report)) => checked(plan, run, now, report, at),
        (State::Checking(run, now), What::CheckFailed) => unchecked(plan, run, now, at),

        (state, _) => (state, Vec::new()),
    }
}

/// The road of each type.
fn routed(kind: QueryType, at: u64) -> Next {
    let run = Run { kind, attempt: Attempt::First, skipped: None, since_ms: at };
    match kind {
        QueryType::Retrieval => {
            (State::Searching(run, Round::First, false), vec![Effect::Search(Round::First)])
        }
        QueryType::CodeGeneration => {
            (State::Gathering(run, Arrived::default()), vec![Effect::Search(Round::First), Effect::FewShot])
        }
        QueryType::Conversational | QueryType::Platform => draft(run, at),
    }
}

/// After a search and its relevance: draft, search once more, or abstain.
fn judged(plan: &Plan, run: Run, round: Round, some: bool, relevant: Option<bool>, at: u64) -> Next {
    let enough = some && relevant != Some(false);
    match round {
        Round::First if enough => draft(run, at),
        Round::First if has_time(plan, run, at) => {
            let run = Run { attempt: Attempt::Retry, ..run };
            (State::Reformulating(run, some), vec![Effect::Reformulate])
        }
        Round::First => {
            let run = Run { attempt: Attempt::Retry, skipped: Some(Skipped::Deadline), ..run };
            proceed(run, some, at)
        }
        Round::Second => proceed(run, some, at),
    }
}

/// Generation goes on with what there is; with nothing at all there is no model call.
fn proceed(run: Run, some: bool, at: u64) -> Next {
    if some { draft(run, at) } else { settle(Outcome::Abstained, None, None, None, run.skipped) }
}

fn gathered(run: Run, got: Arrived, at: u64) -> Next {
    if got.search && got.examples { draft(run, at) } else { (State::Gathering(run, got), Vec::new()) }
}

/// Starts the first draft.
fn draft(run: Run, at: u64) -> Next {
    let effect = Effect::Draft { draft: Nth::First, attempt: run.attempt };
    (State::Drafting(Run { since_ms: at, ..run }, Nth::First, None), vec![effect])
}

/// Starts the second draft, with the first kept beside it.
fn redraft(run: Run, kept: Kept, at: u64) -> Next {
    let run = Run { attempt: Attempt::Retry, since_ms: at, ..run };
    let effects =
        vec![Effect::Retract(Nth::First), Effect::Draft { draft: Nth::Second, attempt: run.attempt }];
    (State::Drafting(run, Nth::Second, Some(kept)), effects)
}

fn check(run: Run, draft: Nth, attempt: Attempt, cut: bool, kept: Option<Kept>, last: bool) -> Next {
    let state = State::Checking(run, Checking { draft, attempt, cut, kept, last });
    (state, vec![Effect::Check { draft, attempt }])
}

/// Verdict × attempt × mode.
fn checked(plan: &Plan, run: Run, now: Checking, report: Assessment, at: u64) -> Next {
    if report.refusal && !now.cut {
        return settle(Outcome::Abstained, Some(now.draft), None, None, run.skipped);
    }
    if now.cut {
        return redraft(run, Kept { assessment: Some(report), cut: true }, at);
    }
    if now.last {
        return finish(plan, run, now.draft, report.verdict);
    }
    match (now.draft, now.attempt, report.verdict) {
        (Nth::First, Attempt::First, Verdict::Reject) => {
            let kept = Kept { assessment: Some(report), cut: false };
            let wanted = wants_retry(plan, run.attempt, report.code_failed);
            if wanted && has_time(plan, run, at) {
                return redraft(run, kept, at);
            }
            let run = Run { skipped: wanted.then_some(Skipped::Deadline).or(run.skipped), ..run };
            check(run, Nth::First, Attempt::Retry, false, Some(kept), true)
        }
        (Nth::Second, ..) if keeps_first(&now, &report, run.kind) => {
            check(run, Nth::First, Attempt::Retry, false, now.kept, true)
        }
        (draft, _, verdict) => finish(plan, run, draft, verdict),
    }
}

/// The checks are down: text without checks is for review, unless the profile demands them.
fn unchecked(plan: &Plan, run: Run, now: Checking, at: u64) -> Next {
    if plan.require_checks {
        fail(Code::ValidationUnavailable, run.skipped)
    } else if now.cut {
        redraft(run, Kept { assessment: None, cut: true }, at)
    } else {
        let earlier = now.kept.filter(|_| now.last).and_then(|kept| kept.assessment);
        finish(plan, run, now.draft, earlier.map_or(Verdict::Review, |report| report.verdict))
    }
}

/// Whether the first draft stands because the second is strictly worse.
fn keeps_first(now: &Checking, second: &Assessment, kind: QueryType) -> bool {
    match now.kept {
        Some(Kept { assessment: Some(first), cut: false }) => second.worse_than(&first, kind),
        _ => false,
    }
}

fn finish(plan: &Plan, run: Run, draft: Nth, verdict: Verdict) -> Next {
    let outcome = match (verdict, plan.mode) {
        (Verdict::Pass | Verdict::Review, _) | (Verdict::Reject, Mode::Lenient) => Outcome::Answered,
        (Verdict::Reject, Mode::Strict) => Outcome::Rejected,
    };
    settle(outcome, Some(draft), Some(verdict), None, run.skipped)
}

/// A rejected first attempt asks for a retry in strict mode always, in lenient mode only for its code.
fn wants_retry(plan: &Plan, attempt: Attempt, code: bool) -> bool {
    attempt == Attempt::First && (plan.mode == Mode::Strict || code)
}

/// A retry starts only if the time left is at least the attempt's own duration and the margin.
fn has_time(plan: &Plan, run: Run, at: u64) -> bool {
    let own = at.saturating_sub(run.since_ms);
    plan.deadline_ms.saturating_sub(at) >= own.saturating_add(RETRY_MARGIN_MS)
}

fn fail(code: Code, skipped: Option<Skipped>) -> Next {
    let outcome = match code {
        Code::Cancelled => Outcome::Cancelled,
        Code::InvalidArgument | Code::PermissionDenied | Code::PayloadTooLarge | Code::ResourceExhausted => {
            Outcome::Refused
        }
        _ => Outcome::Failed,
    };
    settle(outcome, None, None, Some(code), skipped)
}

fn settle(
    outcome: Outcome,
    draft: Option<Nth>,
    verdict: Option<Verdict>,
    code: Option<Code>,
    skipped: Option<Skipped>,
) -> Next {
    (State::Settled, vec![Effect::Settle(Settlement { outcome, draft, verdict, code, skipped })])
}

fn skipped(state: State) -> Option<Skipped> {
    match state {
        State::Searching(run, ..)
        | State::Judging(run, ..)
        | State::Reformulating(run, _)
        | State::Gathering(run, _)
        | State::Drafting(run, ..)
        | State::Checking(run, _) => run.skipped,
        State::Received | State::Routing | State::Settled => None,
    }
}
