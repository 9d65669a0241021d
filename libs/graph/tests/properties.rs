//! What holds for every run of the graph, whatever the world answers.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use assay_domain::answer::Outcome;
use assay_domain::error::Code;
use assay_domain::question::{Mode, QueryType};
use assay_domain::report::{Attempt, Verdict};
use assay_graph::{
    Assessment, Effect, Event, EventKind, MAX_STEPS, Nth, Plan, Round, Settlement, State, Written, step,
};
use common::{BAD_CODE, CLEAN, FLAGGED, OURS, REFUSAL, TEXT, TWO_FAILS, UNCITED, at, events, plan, states};
use proptest::prelude::*;

fn assessment() -> impl Strategy<Value = Assessment> {
    (0..3_usize, 0..3_u32, 0..3_u32, 0..3_u32, 0..3_u32, any::<bool>(), any::<bool>(), 0..10_u8).prop_map(
        |(verdict, fails, invalid, flags, unchecked, has_code, code_failed, refusal)| Assessment {
            verdict: Verdict::ALL[verdict],
            fails,
            invalid,
            flags,
            unchecked,
            has_code,
            code_failed,
            refusal: refusal == 0,
        },
    )
}

fn kind() -> impl Strategy<Value = EventKind> {
    let codes = (0..Code::ALL.len()).prop_map(|index| Code::ALL[index]);
    prop_oneof![
        Just(EventKind::Start),
        (0..4_usize).prop_map(|index| EventKind::Routed(QueryType::ALL[index])),
        (0..3_u32).prop_map(|hits| EventKind::Found { hits }),
        codes.clone().prop_map(EventKind::SearchFailed),
        any::<Option<bool>>().prop_map(EventKind::Judged),
        Just(EventKind::Reformulated),
        Just(EventKind::SegmentPassed),
        any::<bool>().prop_map(|code| EventKind::SegmentFailed { code }),
        (any::<bool>(), any::<bool>(), any::<bool>()).prop_map(|(by_model, abstained, empty)| {
            EventKind::Drafted(Written { by_model, abstained, empty })
        }),
        codes.prop_map(EventKind::DraftFailed),
        assessment().prop_map(EventKind::Checked),
        Just(EventKind::CheckFailed),
        Just(EventKind::Deadline),
        Just(EventKind::Gone),
    ]
}

fn plans() -> impl Strategy<Value = Plan> {
    let flags = (any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>());
    (0..2_usize, 0..120_000_u64, flags).prop_map(
        |(mode, deadline_ms, (require_checks, assess_relevance, commit_first, retries))| Plan {
            mode: Mode::ALL[mode],
            deadline_ms,
            require_checks,
            assess_relevance,
            commit_first,
            retries,
        },
    )
}

/// Feeds arbitrary events, expected or not, and returns all effects.
fn feed(plan: &Plan, kinds: &[(u64, EventKind)]) -> (State, Vec<Effect>) {
    let (mut state, mut all, mut now) = (State::Received, Vec::new(), 0);
    for (later, kind) in kinds {
        now += later;
        let (next, effects) = step(plan, state, at(now, *kind));
        state = next;
        all.extend(effects);
    }
    (state, all)
}

/// A world that always answers what it was asked, by chance.
fn live(plan: &Plan, query_type: QueryType, dice: &[(u64, EventKind)]) -> (usize, State, Vec<Effect>) {
    let (mut state, mut all, mut now) = (State::Received, Vec::new(), 0);
    let mut pending = vec![EventKind::Start];
    let mut useful = 0;
    let mut rolls = dice.iter();
    while let Some(kind) = pending.pop() {
        let (later, roll) = rolls.next().copied().unwrap_or((1, EventKind::CheckFailed));
        now += later;
        let (next, effects) = step(plan, state, at(now, kind));
        useful += usize::from(next != state || !effects.is_empty());
        state = next;
        for effect in &effects {
            pending.push(match (effect, roll) {
                (Effect::Classify, _) => EventKind::Routed(query_type),
                (
                    Effect::Search(_) | Effect::Gather,
                    EventKind::Found { .. } | EventKind::SearchFailed(_),
                ) => roll,
                (Effect::Search(_) | Effect::Gather, _) => EventKind::Found { hits: 0 },
                (Effect::AssessRelevance, EventKind::Judged(_)) => roll,
                (Effect::AssessRelevance, _) => EventKind::Judged(None),
                (Effect::Reformulate, _) => EventKind::Reformulated,
                (Effect::Draft { .. }, EventKind::DraftFailed(_) | EventKind::Drafted(_)) => roll,
                (Effect::Draft { .. }, _) => EventKind::Drafted(TEXT),
                (
                    Effect::FinishCheck | Effect::Recheck { .. },
                    EventKind::Checked(_) | EventKind::CheckFailed,
                ) => roll,
                (Effect::FinishCheck | Effect::Recheck { .. }, _) => EventKind::Checked(BAD_CODE),
                (Effect::Check { .. }, EventKind::CheckFailed) => roll,
                (Effect::Check { .. } | Effect::SendSegment | Effect::Interrupt, _)
                | (Effect::Retract(_) | Effect::Settle(_), _) => continue,
            });
        }
        all.extend(effects);
    }
    (useful, state, all)
}

fn count(effects: &[Effect], wanted: impl Fn(&Effect) -> bool) -> usize {
    effects.iter().filter(|effect| wanted(effect)).count()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn any_sequence_of_events_is_answered_within_the_budgets(
        plan in plans(),
        kinds in prop::collection::vec((0..20_000_u64, kind()), 0..60),
    ) {
        let (state, effects) = feed(&plan, &kinds);
        let drafts = count(&effects, |e| matches!(e, Effect::Draft { .. }));
        let searches = count(&effects, |e| matches!(e, Effect::Search(_) | Effect::Gather));
        let reformulations = count(&effects, |e| matches!(e, Effect::Reformulate));
        prop_assert!(drafts <= 2 && searches <= 2 && reformulations <= 1);
        let settled = count(&effects, |e| matches!(e, Effect::Settle(_)));
        prop_assert_eq!(settled, usize::from(state == State::Settled));
        if settled == 1 {
            let last = effects.last();
            prop_assert!(matches!(last, Some(Effect::Settle(_))));
        }
    }

    #[test]
    fn a_world_that_answers_is_settled_within_the_bound(
        plan in plans(),
        kind in 0..4_usize,
        dice in prop::collection::vec((0..20_000_u64, kind()), 40),
    ) {
        let (useful, state, effects) = live(&plan, QueryType::ALL[kind], &dice);
        prop_assert_eq!(state, State::Settled);
        prop_assert!(useful <= MAX_STEPS, "{} steps", useful);
        prop_assert_eq!(count(&effects, |e| matches!(e, Effect::Settle(_))), 1);
    }

    #[test]
    fn a_request_that_must_not_search_never_does(
        plan in plans(),
        platform in any::<bool>(),
        kinds in prop::collection::vec((0..20_000_u64, kind()), 0..60),
    ) {
        let kind = if platform { QueryType::Platform } else { QueryType::Conversational };
        let mut events = vec![(0, EventKind::Start), (0, EventKind::Routed(kind))];
        events.extend(kinds);
        let (_, effects) = feed(&plan, &events);
        let searches = |e: &Effect| {
            matches!(e, Effect::Search(_) | Effect::Gather | Effect::AssessRelevance | Effect::Reformulate)
        };
        prop_assert_eq!(count(&effects, searches), 0);
    }

    #[test]
    fn a_request_has_one_retry_of_either_kind(
        plan in plans(),
        kinds in prop::collection::vec((0..20_000_u64, kind()), 0..60),
    ) {
        let (_, effects) = feed(&plan, &kinds);
        let drafted = count(&effects, |e| matches!(e, Effect::Draft { draft: Nth::Second, .. }));
        let searched = count(&effects, |e| matches!(e, Effect::Search(Round::Second)));
        prop_assert!(drafted + searched <= 1, "one retry of whatever kind (RC-08)");
    }

    #[test]
    fn drafts_are_settled_only_after_their_check(
        plan in plans(),
        kinds in prop::collection::vec((0..20_000_u64, kind()), 0..60),
    ) {
        let (mut state, mut over) = (State::Received, false);
        for (_, kind) in kinds {
            let ours = matches!(kind, EventKind::Drafted(written) if written.abstained && !written.by_model);
            over |= matches!(kind, EventKind::Checked(_) | EventKind::CheckFailed);
            let (next, effects) = step(&plan, state, at(0, kind));
            state = next;
            for effect in effects {
                match effect {
                    Effect::Draft { .. } | Effect::Recheck { .. } => over = false,
                    Effect::Settle(Settlement { draft: Some(draft), .. }) if !ours => {
                        prop_assert!(over, "{:?} was settled before its check", draft);
                    }
                    _ => {}
                }
            }
        }
    }

    #[test]
    fn nothing_is_sent_after_a_segment_that_failed(
        plan in plans(),
        kinds in prop::collection::vec((0..20_000_u64, kind()), 0..60),
    ) {
        let (mut state, mut failed) = (State::Received, false);
        for (_, kind) in [(0, EventKind::Start), (0, EventKind::Routed(QueryType::Platform))].into_iter().chain(kinds) {
            failed |= matches!(kind, EventKind::SegmentFailed { .. });
            let (next, effects) = step(&plan, state, at(0, kind));
            state = next;
            if effects.iter().any(|effect| matches!(effect, Effect::Draft { .. })) {
                failed = false;
            }
            prop_assert!(!(failed && effects.contains(&Effect::SendSegment)));
        }
    }

    #[test]
    fn of_two_attempts_the_second_is_worse_or_delivered(
        first in assessment(), second in assessment(), kind in 0..4_usize,
    ) {
        let kind = QueryType::ALL[kind];
        prop_assert!(!(first.worse_than(&second, kind) && second.worse_than(&first, kind)));
        prop_assert!(!first.worse_than(&first, kind));
    }
}

#[test]
fn every_state_answers_every_event() {
    for (_, state) in states() {
        for (_, kind) in events() {
            for at_ms in [0, 2_000, u64::MAX] {
                let _ =
                    step(&Plan { deadline_ms: u64::MAX, ..Plan::default() }, state, Event { at_ms, kind });
            }
        }
    }
}

fn settlement(plan: &Plan, kinds: &[EventKind]) -> Settlement {
    let timed: Vec<_> = kinds.iter().map(|kind| (10, *kind)).collect();
    match feed(plan, &timed).1.last() {
        Some(Effect::Settle(settlement)) => *settlement,
        other => panic!("not settled: {other:?}"),
    }
}

const FOUND: EventKind = EventKind::Found { hits: 8 };
const DRAFTED: EventKind = EventKind::Drafted(TEXT);
const ROUTED: EventKind = EventKind::Routed(QueryType::Retrieval);

#[test]
fn the_verdict_table_holds_for_both_attempts_and_both_modes() {
    let road = |mode, first, second: Option<Assessment>| {
        let mut kinds = vec![EventKind::Start, ROUTED, FOUND, DRAFTED, EventKind::Checked(first)];
        if let Some(second) = second {
            kinds.extend([DRAFTED, EventKind::Checked(second)]);
        }
        let end = settlement(&plan(mode), &kinds);
        (end.outcome, end.verdict, end.draft)
    };
    let (strict, lenient) = (Mode::Strict, Mode::Lenient);
    let (one, two) = (Some(Nth::First), Some(Nth::Second));
    for mode in [strict, lenient] {
        assert_eq!(road(mode, CLEAN, None), (Outcome::Answered, Some(Verdict::Pass), one));
        assert_eq!(road(mode, FLAGGED, None), (Outcome::Answered, Some(Verdict::Review), one));
        assert_eq!(road(mode, BAD_CODE, Some(CLEAN)), (Outcome::Answered, Some(Verdict::Pass), two));
        assert_eq!(road(mode, BAD_CODE, Some(FLAGGED)), (Outcome::Answered, Some(Verdict::Review), two));
    }
    assert_eq!(road(strict, UNCITED, Some(UNCITED)), (Outcome::Rejected, Some(Verdict::Reject), two));
    let kinds =
        [EventKind::Start, ROUTED, FOUND, DRAFTED, EventKind::Checked(UNCITED), EventKind::Checked(UNCITED)];
    let end = settlement(&plan(lenient), &kinds);
    assert_eq!((end.outcome, end.verdict, end.draft), (Outcome::Answered, Some(Verdict::Reject), one));
    assert_eq!(road(lenient, BAD_CODE, Some(BAD_CODE)), (Outcome::Answered, Some(Verdict::Reject), two));
}

#[test]
fn strictly_worse_second_attempt_yields_to_the_first() {
    let kinds = [
        EventKind::Start,
        ROUTED,
        FOUND,
        DRAFTED,
        EventKind::Checked(UNCITED),
        DRAFTED,
        EventKind::Checked(TWO_FAILS),
        EventKind::Checked(FLAGGED),
    ];
    let end = settlement(&plan(Mode::Strict), &kinds);
    assert_eq!((end.outcome, end.draft), (Outcome::Answered, Some(Nth::First)));
}

#[test]
fn code_draft_without_code_ranks_between_valid_and_invalid() {
    let valid = Assessment { has_code: true, ..CLEAN };
    let invalid = Assessment { has_code: true, invalid: 1, ..CLEAN };
    let kind = QueryType::CodeGeneration;
    assert!(CLEAN.worse_than(&valid, kind) && invalid.worse_than(&CLEAN, kind));
    assert!(!CLEAN.worse_than(&valid, QueryType::Retrieval));
}

#[test]
fn no_hits_after_second_search_abstain_without_model_call() {
    let none = EventKind::Found { hits: 0 };
    let kinds = [(1, EventKind::Start), (1, ROUTED), (1, none), (1, EventKind::Reformulated), (1, none)];
    let (_, effects) = feed(&plan(Mode::Strict), &kinds);
    assert_eq!(count(&effects, |e| matches!(e, Effect::Draft { .. })), 0);
    assert!(matches!(effects.last(), Some(Effect::Settle(end)) if end.outcome == Outcome::Abstained));
}

#[test]
fn an_honest_refusal_is_an_abstention_and_no_rejection() {
    let said = [EventKind::Start, ROUTED, FOUND, EventKind::Drafted(OURS)];
    assert_eq!(settlement(&plan(Mode::Strict), &said).outcome, Outcome::Abstained);
    let found = [EventKind::Start, ROUTED, FOUND, DRAFTED, EventKind::Checked(REFUSAL)];
    assert_eq!(settlement(&plan(Mode::Strict), &found).outcome, Outcome::Abstained);
}

#[test]
fn draft_after_a_relevance_retry_is_judged_as_retry() {
    let plan = Plan { assess_relevance: true, ..plan(Mode::Strict) };
    let poor = EventKind::Judged(Some(false));
    let kinds = [EventKind::Start, ROUTED, FOUND, poor, EventKind::Reformulated, FOUND, poor, DRAFTED]
        .map(|kind| (1, kind));
    let (_, effects) = feed(&plan, &kinds);
    assert!(effects.contains(&Effect::Draft { draft: Nth::First, attempt: Attempt::Retry }));
    assert!(effects.contains(&Effect::Check { draft: Nth::First, attempt: Attempt::Retry }));
    let mut more = kinds.to_vec();
    more.push((1, EventKind::Checked(UNCITED)));
    let (_, effects) = feed(&plan, &more);
    assert!(matches!(effects.last(), Some(Effect::Settle(end)) if end.outcome == Outcome::Rejected));
}

#[test]
fn a_plan_without_retries_judges_the_first_draft_as_final() {
    let plan = Plan { retries: false, ..plan(Mode::Strict) };
    let kinds =
        [EventKind::Start, ROUTED, FOUND, DRAFTED, EventKind::Checked(UNCITED), EventKind::Checked(UNCITED)];
    let steps: Vec<(u64, EventKind)> = kinds.map(|kind| (1, kind)).to_vec();
    let (_, effects) = feed(&plan, &steps);
    let drafts = effects.iter().filter(|effect| matches!(effect, Effect::Draft { .. })).count();
    assert_eq!(drafts, 1, "{effects:?}");
    let end = settlement(&plan, &kinds);
    assert_eq!((end.outcome, end.skipped), (Outcome::Rejected, None));
}

#[test]
fn retry_needs_the_first_duration_plus_500_ms() {
    let road = |check_at: u64| {
        let plan = Plan { deadline_ms: 10_000, ..Plan::default() };
        let (mut state, mut last) = (State::Received, Vec::new());
        for (at_ms, kind) in [
            (0, EventKind::Start),
            (0, ROUTED),
            (0, FOUND),
            (check_at, DRAFTED),
            (check_at, EventKind::Checked(UNCITED)),
        ] {
            (state, last) = step(&plan, state, at(at_ms, kind));
        }
        let (_, end) = step(&plan, state, at(check_at, EventKind::Checked(UNCITED)));
        (last, end)
    };
    let (effects, _) = road(4_750);
    assert!(effects.contains(&Effect::Draft { draft: Nth::Second, attempt: Attempt::Retry }));
    let (effects, end) = road(4_751);
    assert_eq!(effects, [Effect::Recheck { draft: Nth::First, attempt: Attempt::Retry }]);
    assert!(matches!(end.last(), Some(Effect::Settle(end)) if end.skipped.is_some()));
}

#[test]
fn a_check_that_broke_off_leaves_the_draft_for_review() {
    let kinds = [EventKind::Start, ROUTED, FOUND, EventKind::CheckFailed, DRAFTED];
    let end = settlement(&plan(Mode::Strict), &kinds);
    assert_eq!((end.outcome, end.verdict), (Outcome::Answered, Some(Verdict::Review)));
    let demanding = Plan { require_checks: true, ..plan(Mode::Strict) };
    assert_eq!(settlement(&demanding, &kinds).code, Some(Code::ValidationUnavailable));
}

#[test]
fn a_sent_segment_has_the_draft_checked_as_retry() {
    let plan = Plan { commit_first: true, ..plan(Mode::Strict) };
    let kinds = [EventKind::Start, ROUTED, FOUND, EventKind::SegmentPassed, DRAFTED].map(|kind| (1, kind));
    let (_, effects) = feed(&plan, &kinds);
    assert_eq!(effects.last(), Some(&Effect::Recheck { draft: Nth::First, attempt: Attempt::Retry }));
}
