//! The whole transition table as one text that a person reads before it changes.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use std::fmt::Write as _;

use assay_domain::question::Mode;
use assay_domain::report::Attempt;
use assay_graph::{Effect, Plan, State, step};
use common::{at, events, plan, states};

fn state_name(state: &State) -> String {
    let spent = |attempt: Attempt| if attempt == Attempt::Retry { ", spent" } else { "" };
    let late = |skipped: Option<_>| if skipped.is_some() { ", retry skipped" } else { "" };
    match state {
        State::Received => "Received".into(),
        State::Routing => "Routing".into(),
        State::Searching(run, round, some) => {
            format!("Searching {round:?}{}{}", if *some { ", some" } else { "" }, spent(run.attempt))
        }
        State::Judging(run, round, _) => format!("Judging {round:?}{}", spent(run.attempt)),
        State::Reformulating(run, some) => {
            format!("Reformulating{}{}", if *some { ", some" } else { ", none" }, spent(run.attempt))
        }
        State::Gathering(_) => "Gathering".into(),
        State::Drafting(run, now) => {
            let withheld = if now.withheld { ", withheld" } else { "" };
            let unchecked = if now.unchecked { ", unchecked" } else { "" };
            let (spent, late) = (spent(run.attempt), late(run.skipped));
            format!("Drafting {:?}{spent}{late}{withheld}{unchecked}", now.draft)
        }
        State::Checking(run, now) => {
            let last = if now.last { ", last" } else { "" };
            let silent = if now.silent { ", silent" } else { "" };
            format!("Checking {:?} as {}{last}{silent}{}", now.draft, now.attempt, late(run.skipped))
        }
        State::Settled => "Settled".into(),
    }
}

fn effect_name(effect: &Effect) -> String {
    match effect {
        Effect::Draft { draft, attempt } => format!("Draft {draft:?} as {attempt}"),
        Effect::Check { draft, attempt } => format!("Check {draft:?} as {attempt}"),
        Effect::Recheck { draft, attempt } => format!("Recheck {draft:?} as {attempt}"),
        Effect::Retract(nth) => format!("Retract {nth:?}"),
        Effect::Search(round) => format!("Search {round:?}"),
        Effect::Settle(end) => {
            let mut text = format!("Settle {}", end.outcome);
            for part in [
                end.draft.map(|nth| format!("draft {}", nth.number())),
                end.verdict.map(|verdict| verdict.to_string()),
                end.code.map(|code| code.to_string()),
                end.skipped.map(|why| format!("retry_skipped={}", why.as_str())),
            ]
            .into_iter()
            .flatten()
            {
                let _ = write!(text, " {part}");
            }
            text
        }
        other => format!("{other:?}"),
    }
}

fn table(plan: &Plan, at_ms: u64) -> String {
    let mut text = String::new();
    for (name, state) in states() {
        let mut ignored = 0;
        let _ = writeln!(text, "{name}");
        for (event, kind) in events() {
            let (next, effects) = step(plan, state, at(at_ms, kind));
            if next == state && effects.is_empty() {
                ignored += 1;
                continue;
            }
            let effects: Vec<_> = effects.iter().map(effect_name).collect();
            let _ = writeln!(text, "  {event:22} → {:44} {}", state_name(&next), effects.join(" + "));
        }
        let _ = writeln!(text, "  {ignored} other events → no change\n");
    }
    text
}

#[test]
fn the_table_of_strict_mode_with_time_left() {
    insta::assert_snapshot!("strict", table(&plan(Mode::Strict), 2_000));
}

#[test]
fn the_table_of_lenient_mode_with_time_left() {
    insta::assert_snapshot!("lenient", table(&plan(Mode::Lenient), 2_000));
}

#[test]
fn the_table_of_strict_mode_without_time_left() {
    insta::assert_snapshot!("strict_late", table(&plan(Mode::Strict), 59_600));
}

#[test]
fn table_of_a_plan_with_required_checks_and_judge() {
    let plan = Plan { require_checks: true, assess_relevance: true, commit_first: true, ..Plan::default() };
    insta::assert_snapshot!("demanding", table(&plan, 2_000));
}
