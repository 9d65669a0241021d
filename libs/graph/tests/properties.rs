//! What holds for every run of the graph, whatever the world answers.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use assay_domain::answer::Outcome;
use assay_domain::error::Code;
use assay_domain::question::{Mode, QueryType};
use assay_domain::report::{Attempt, Verdict};
use assay_graph::{
    Assessment, Effect, Event, MAX_STEPS, Nth, Plan, Round, Settlement, State, What, Written, step,
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

fn what() -> impl Strategy<Value = What> {
    let codes = (0..Code::ALL.len()).prop_map(|index| Code::ALL[index]);
    prop_oneof![
        Just(What::Start),
        (0..4_usize).prop_map(|index| What::Routed(QueryType::ALL[index])),
        (0..3_u32).prop_map(|hits| What::Found { hits }),
        codes.clone().prop_map(What::SearchFailed),
        any::<Option<bool>>().prop_map(What::Judged),
        Just(What::Reformulated),
        Just(What::SegmentPassed),
        any::<bool>().prop_map(|code| What::SegmentFailed { code }),
        (any::<bool>(), any::<bool>(), any::<bool>())
            .prop_map(|(by_model, abstained, empty)| What::Drafted(Written { by_model, abstained, empty })),
        codes.prop_map(What::DraftFailed),
        assessment().prop_map(What::Checked),
        Just(What::CheckFailed),
        Just(What::Deadline),
        Just(What::Gone),
    ]
}

fn plans() -> impl Strategy<Value = Plan> {
    (0..2_usize, 0..120_000_u64, any::<bool>(), any::<bool>(), any::<bool>()).prop_map(
        |(mode, deadline_ms, require_checks, assess_relevance, commit_first)| Plan {
            mode: Mode::ALL[mode],
            deadline_ms,
            require_checks,
            assess_relevance,
            commit_first,
        },
    )
}

/// Feeds arbitrary events, expected or not, and returns all effects.
fn feed(plan: &Plan, whats: &[(u64, What)]) -> (State, Vec<Effect>) {
    let (mut state, mut all, mut now) = (State::Received, Vec::new(), 0);
    for (later, what) in whats {
        now += later;
        let (next, effects) = step(plan, state, at(now, *what));
        state = next;
        all.extend(effects);
    }
    (state, all)
}

/// A world that always answers what it was asked, by chance.
fn live(plan: &Plan, kind: QueryType, dice: &[(u64, What)]) -> (usize, State, Vec<Effect>) {
    let (mut state, mut all, mut now) = (State::Received, Vec::new(), 0);
    let mut pending = vec![What::Start];
    let mut useful = 0;
    let mut rolls = dice.iter();
    while let Some(what) = pending.pop() {
        let (later, roll) = rolls.next().copied().unwrap_or((1, What::CheckFailed));
        now += later;
        let (next, effects) = step(plan, state, at(now, what));
        useful += usize::from(next != state || !effects.is_empty());
        state = next;
        for effect in &effects {
            pending.push(match (effect, roll) {
                (Effect::Classify, _) => What::Routed(kind),
                (Effect::Search(_) | Effect::Gather, What::Found { .. } | What::SearchFailed(_)) => roll,
                (Effect::Search(_) | Effect::Gather, _) => What::Found { hits: 0 },
                (Effect::AssessRelevance, What::Judged(_)) => roll,
                (Effect::AssessRelevance, _) => What::Judged(None),
                (Effect::Reformulate, _) => What::Reformulated,
                (Effect::Draft { .. }, What::DraftFailed(_) | What::Drafted(_)) => roll,
                (Effect::Draft { .. }, _) => What::Drafted(TEXT),
                (Effect::FinishCheck | Effect::Recheck { .. }, What::Checked(_) | What::CheckFailed) => roll,
                (Effect::FinishCheck | Effect::Recheck { .. }, _) => What::Checked(BAD_CODE),
                (Effect::Check { .. }, What::CheckFailed) => roll,
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
        whats in prop::collection::vec((0..20_000_u64, what()), 0..60),
    ) {
        let (state, effects) = feed(&plan, &whats);
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
        dice in prop::collection::vec((0..20_000_u64, what()), 40),
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
        whats in prop::collection::vec((0..20_000_u64, what()), 0..60),
    ) {
        let kind = if platform { QueryType::Platform } else { QueryType::Conversational };
        let mut events = vec![(0, What::Start), (0, What::Routed(kind))];
        events.extend(whats);
        let (_, effects) = feed(&plan, &events);
        let searches = |e: &Effect| {
            matches!(e, Effect::Search(_) | Effect::Gather | Effect::AssessRelevance | Effect::Reformulate)
        };
        prop_assert_eq!(count(&effects, searches), 0);
    }

    #[test]
    fn a_request_has_one_retry_of_either_kind(
        plan in plans(),
        whats in prop::collection::vec((0..20_000_u64, what()), 0..60),
    ) {
        let (_, effects) = feed(&plan, &whats);
        let drafted = count(&effects, |e| matches!(e, Effect::Draft { draft: Nth::Second, .. }));
        let searched = count(&effects, |e| matches!(e, Effect::Search(Round::Second)));
        prop_assert!(drafted + searched <= 1, "one retry of whatever kind (RC-08)");
    }

    #[test]
    fn drafts_are_settled_only_after_their_check(
        plan in plans(),
        whats in prop::collection::vec((0..20_000_u64, what()), 0..60),
    ) {
        let (mut state, mut over) = (State::Received, false);
        for (_, what) in whats {
            let ours = matches!(what, What::Drafted(written) if written.abstained && !written.by_model);
            over |= matches!(what, What::Checked(_) | What::CheckFailed);
            let (next, effects) = step(&plan, state, at(0, what));
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
        whats in prop::collection::vec((0..20_000_u64, what()), 0..60),
    ) {
        let (mut state, mut failed) = (State::Received, false);
        for (_, what) in [(0, What::Start), (0, What::Routed(QueryType::Platform))].into_iter().chain(whats) {
            failed |= matches!(what, What::SegmentFailed { .. });
            let (next, effects) = step(&plan, state, at(0, what));
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
        for (_, what) in events() {
            for at_ms in [0, 2_000, u64::MAX] {
                let _ =
                    step(&Plan { deadline_ms: u64::MAX, ..Plan::default() }, state, Event { at_ms, what });
            }
        }
    }
}

fn settlement(plan: &Plan, whats: &[What]) -> Settlement {
    let timed: Vec<_> = whats.iter().map(|what| (10, *what)).collect();
    match feed(plan, &timed).1.last() {
        Some(Effect::Settle(settlement)) => *settlement,
        other => panic!("not settled: {other:?}"),
    }
}

const FOUND: What = What::Found { hits: 8 };
const DRAFTED: What = What::Drafted(TEXT);
const ROUTED: What = What::Routed(QueryType::Retrieval);

#[test]
fn the_verdict_table_holds_for_both_attempts_and_both_modes() {
    let road = |mode, first, second: Option<Assessment>| {
        let mut whats = vec![What::Start, ROUTED, FOUND, DRAFTED, What::Checked(first)];
        if let Some(second) = second {
            whats.extend([DRAFTED, What::Checked(second)]);
        }
        let end = settlement(&plan(mode), &whats);
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
    let whats = [What::Start, ROUTED, FOUND, DRAFTED, What::Checked(UNCITED), What::Checked(UNCITED)];
    let end = settlement(&plan(lenient), &whats);
    assert_eq!((end.outcome, end.verdict, end.draft), (Outcome::Answered, Some(Verdict::Reject), one));
    assert_eq!(road(lenient, BAD_CODE, Some(BAD_CODE)), (Outcome::Answered, Some(Verdict::Reject), two));
}

#[test]
fn strictly_worse_second_attempt_yields_to_the_first() {
    let whats = [
        What::Start,
        ROUTED,
        FOUND,
        DRAFTED,
        What::Checked(UNCITED),
        DRAFTED,
        What::Checked(TWO_FAILS),
        What::Checked(FLAGGED),
    ];
    let end = settlement(&plan(Mode::Strict), &whats);
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
    let none = What::Found { hits: 0 };
    let whats = [(1, What::Start), (1, ROUTED), (1, none), (1, What::Reformulated), (1, none)];
    let (_, effects) = feed(&plan(Mode::Strict), &whats);
    assert_eq!(count(&effects, |e| matches!(e, Effect::Draft { .. })), 0);
    assert!(matches!(effects.last(), Some(Effect::Settle(end)) if end.outcome == Outcome::Abstained));
}

#[test]
fn an_honest_refusal_is_an_abstention_and_no_rejection() {
    let said = [What::Start, ROUTED, FOUND, What::Drafted(OURS)];
    assert_eq!(settlement(&plan(Mode::Strict), &said).outcome, Outcome::Abstained);
    let found = [What::Start, ROUTED, FOUND, DRAFTED, What::Checked(REFUSAL)];
    assert_eq!(settlement(&plan(Mode::Strict), &found).outcome, Outcome::Abstained);
}

#[test]
fn draft_after_a_relevance_retry_is_judged_as_retry() {
    let plan = Plan { assess_relevance: true, ..plan(Mode::Strict) };
    let poor = What::Judged(Some(false));
    let whats =
        [What::Start, ROUTED, FOUND, poor, What::Reformulated, FOUND, poor, DRAFTED].map(|what| (1, what));
    let (_, effects) = feed(&plan, &whats);
    assert!(effects.contains(&Effect::Draft { draft: Nth::First, attempt: Attempt::Retry }));
    assert!(effects.contains(&Effect::Check { draft: Nth::First, attempt: Attempt::Retry }));
    let mut more = whats.to_vec();
    more.push((1, What::Checked(UNCITED)));
    let (_, effects) = feed(&plan, &more);
    assert!(matches!(effects.last(), Some(Effect::Settle(end)) if end.outcome == Outcome::Rejected));
}

#[test]
fn retry_needs_the_first_duration_plus_500_ms() {
    let road = |check_at: u64| {
        let plan = Plan { deadline_ms: 10_000, ..Plan::default() };
        let (mut state, mut last) = (State::Received, Vec::new());
        for (at_ms, what) in [
            (0, What::Start),
            (0, ROUTED),
            (0, FOUND),
            (check_at, DRAFTED),
            (check_at, What::Checked(UNCITED)),
        ] {
            (state, last) = step(&plan, state, at(at_ms, what));
        }
        let (_, end) = step(&plan, state, at(check_at, What::Checked(UNCITED)));
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
    let whats = [What::Start, ROUTED, FOUND, What::CheckFailed, DRAFTED];
    let end = settlement(&plan(Mode::Strict), &whats);
    assert_eq!((end.outcome, end.verdict), (Outcome::Answered, Some(Verdict::Review)));
    let demanding = Plan { require_checks: true, ..plan(Mode::Strict) };
    assert_eq!(settlement(&demanding, &whats).code, Some(Code::ValidationUnavailable));
}

#[test]
fn a_sent_segment_has_the_draft_checked_as_retry() {
    let plan = Plan { commit_first: true, ..plan(Mode::Strict) };
    let whats = [What::Start, ROUTED, FOUND, What::SegmentPassed, DRAFTED].map(|what| (1, what));
    let (_, effects) = feed(&plan, &whats);
    assert_eq!(effects.last(), Some(&Effect::Recheck { draft: Nth::First, attempt: Attempt::Retry }));
}
