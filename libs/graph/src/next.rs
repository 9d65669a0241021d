//! What follows an event: the next state and its effects, for each decision on the road of an answer.

use assay_domain::answer::Outcome;
use assay_domain::error::Code;
use assay_domain::question::{Mode, QueryType};
use assay_domain::report::{Attempt, Verdict};

use crate::assess::Assessment;
use crate::state::{
    Checking, Drafting, Effect, Kept, Nth, Plan, Round, Run, Settlement, Skipped, State, Written,
};

/// Time that a retry needs beyond the first attempt's own duration, in milliseconds.
pub const RETRY_MARGIN_MS: u64 = 500;

pub(crate) type Next = (State, Vec<Effect>);

/// The road of each type.
pub(crate) fn routed(kind: QueryType, at: u64) -> Next {
    let run = Run { kind, attempt: Attempt::First, skipped: None, since_ms: at };
    match kind {
        QueryType::Retrieval => {
            (State::Searching(run, Round::First, false), vec![Effect::Search(Round::First)])
        }
        QueryType::CodeGeneration => (State::Gathering(run), vec![Effect::Gather]),
        QueryType::Conversational | QueryType::Platform => draft(run, at),
    }
}

/// After a search and its relevance: draft, search once more, or abstain.
pub(crate) fn judged(
    plan: &Plan,
    run: Run,
    round: Round,
    some: bool,
    relevant: Option<bool>,
    at: u64,
) -> Next {
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

/// Starts the first draft.
pub(crate) fn draft(run: Run, at: u64) -> Next {
    write(Run { since_ms: at, ..run }, Nth::First, None)
}

/// Starts the second draft, with the first kept beside it.
fn redraft(run: Run, kept: Kept, at: u64) -> Next {
    let run = Run { attempt: Attempt::Retry, since_ms: at, ..run };
    let (state, effects) = write(run, Nth::Second, Some(kept));
    (state, [vec![Effect::Retract(Nth::First)], effects].concat())
}

/// A draft and its check run side by side.
fn write(run: Run, draft: Nth, kept: Option<Kept>) -> Next {
    let attempt = run.attempt;
    let now = Drafting { draft, attempt, kept, withheld: false, unchecked: false };
    (State::Drafting(run, now), vec![Effect::Draft { draft, attempt }, Effect::Check { draft, attempt }])
}

/// A complete draft. Fixed words that say that there is no answer need no check; those of a model do.
pub(crate) fn drafted(plan: &Plan, run: Run, now: Drafting, written: Written, at: u64) -> Next {
    if written.abstained && !written.by_model {
        return settle(Outcome::Abstained, Some(now.draft), None, None, run.skipped);
    }
    if written.empty && !written.abstained {
        return draft_failed(run, now, Code::GenerationUnavailable);
    }
    if now.unchecked {
        return unchecked(plan, run, under_check(run, now, false), at);
    }
    finish_check(run, now, false)
}

/// Without a second draft the first stands, unless it was cut.
pub(crate) fn draft_failed(run: Run, now: Drafting, code: Code) -> Next {
    match now.kept {
        Some(kept) if !kept.cut => recheck(run, Some(kept)),
        Some(_) | None => fail(code, run.skipped),
    }
}

/// Waits for the report on the draft. A budget that a sent segment spent has it judged anew, as a retry.
pub(crate) fn finish_check(run: Run, now: Drafting, cut: bool) -> Next {
    let (draft, attempt) = (now.draft, run.attempt);
    let effect =
        if attempt == now.attempt { Effect::FinishCheck } else { Effect::Recheck { draft, attempt } };
    (State::Checking(run, under_check(run, now, cut)), vec![effect])
}

fn under_check(run: Run, now: Drafting, cut: bool) -> Checking {
    let silent = now.withheld || run.attempt != now.attempt;
    Checking { draft: now.draft, attempt: run.attempt, cut, kept: now.kept, last: false, silent }
}

/// Checks the first draft once more, judged as final.
fn recheck(run: Run, kept: Option<Kept>) -> Next {
    let (draft, attempt) = (Nth::First, Attempt::Retry);
    let now = Checking { draft, attempt, cut: false, kept, last: true, silent: true };
    (State::Checking(run, now), vec![Effect::Recheck { draft, attempt }])
}

/// Verdict × attempt × mode.
pub(crate) fn checked(plan: &Plan, run: Run, now: Checking, report: Assessment, at: u64) -> Next {
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
            recheck(Run { skipped: wanted.then_some(Skipped::Deadline).or(run.skipped), ..run }, Some(kept))
        }
        (Nth::Second, ..) if keeps_first(&now, &report, run.kind) => recheck(run, now.kept),
        (draft, _, verdict) => finish(plan, run, draft, verdict),
    }
}

/// The checks are down: text without checks is for review, unless the profile demands them.
pub(crate) fn unchecked(plan: &Plan, run: Run, now: Checking, at: u64) -> Next {
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
pub(crate) fn wants_retry(plan: &Plan, attempt: Attempt, code: bool) -> bool {
    plan.retries && attempt == Attempt::First && (plan.mode == Mode::Strict || code)
}

/// A retry starts only if the time left is at least the attempt's own duration and the margin.
pub(crate) fn has_time(plan: &Plan, run: Run, at: u64) -> bool {
    let own = at.saturating_sub(run.since_ms);
    plan.deadline_ms.saturating_sub(at) >= own.saturating_add(RETRY_MARGIN_MS)
}

pub(crate) fn stay(state: State) -> Next {
    (state, Vec::new())
}

pub(crate) fn gone(skipped: Option<Skipped>) -> Next {
    settle(Outcome::Cancelled, None, None, None, skipped)
}

pub(crate) fn late(skipped: Option<Skipped>) -> Next {
    fail(Code::DeadlineExceeded, skipped)
}

pub(crate) fn fail(code: Code, skipped: Option<Skipped>) -> Next {
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
