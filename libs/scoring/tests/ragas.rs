//! The four metrics against the package ragas, over the same verdicts. Skips, and says so, without that package.
#![allow(clippy::unwrap_used, clippy::print_stderr, clippy::disallowed_methods)]

use std::io::Write as _;
use std::process::{Command, Stdio};

use assay_scoring::{Attributed, Question, Score, Statement, Verdicts};
use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::TestRunner;

/// Cases drawn; those at the edges come on top.
const DRAWN: usize = 240;

fn question() -> impl Strategy<Value = Question> {
    let similarity = prop_oneof![8 => (-1.0..=1.0_f64).prop_map(Some), 1 => Just(Some(0.0)), 1 => Just(None)];
    let words = prop_oneof![4 => Just("What is it?".to_owned()), 1 => Just(String::new())];
    (words, similarity, any::<bool>()).prop_map(|(question, similarity, noncommittal)| Question {
        question,
        similarity,
        noncommittal,
    })
}

fn verdicts() -> impl Strategy<Value = Verdicts> {
    let flags = || prop::collection::vec(any::<bool>(), 0..9);
    (flags(), prop::collection::vec(question(), 0..4), flags(), flags()).prop_map(
        |(statements, questions, contexts, reference)| of(&statements, questions, contexts, &reference),
    )
}

fn of(statements: &[bool], questions: Vec<Question>, contexts: Vec<bool>, reference: &[bool]) -> Verdicts {
    let statement = |supported: &bool| Statement { text: "s".into(), supported: *supported };
    let attributed = |attributed: &bool| Attributed { text: "r".into(), attributed: *attributed };
    Verdicts {
        statements: Some(statements.iter().map(statement).collect()),
        questions: Some(questions),
        contexts: Some(contexts),
        reference: Some(reference.iter().map(attributed).collect()),
        ..Verdicts::default()
    }
}

fn edges() -> Vec<Verdicts> {
    let asked = |question: &str, similarity, noncommittal| Question {
        question: question.into(),
        similarity,
        noncommittal,
    };
    vec![
        of(&[], vec![], vec![], &[]),
        of(&[true], vec![asked("q", Some(1.0), false)], vec![true], &[true]),
        of(&[false], vec![asked("q", Some(1.0), true)], vec![false; 5], &[false]),
        of(&[false, true], vec![asked("", Some(0.4), false)], vec![false, true], &[]),
        of(&[], vec![asked("q", Some(0.4), true), asked("", Some(0.2), false)], vec![true, false, true], &[]),
        of(&[], vec![asked("q", None, false)], vec![true; 40], &[]),
        of(&[], vec![asked("q", Some(-1.0), false)], vec![], &[true; 200]),
    ]
}

#[test]
fn the_four_metrics_are_those_of_ragas() {
    let Some(python) = std::env::var_os("ASSAY_TEST_RAGAS_PYTHON") else {
        eprintln!("SKIPPED: ASSAY_TEST_RAGAS_PYTHON names no Python with ragas");
        return;
    };
    let mut runner = TestRunner::deterministic();
    let strategy = verdicts();
    let drawn = (0..DRAWN).map(|_| strategy.new_tree(&mut runner).unwrap().current());
    let cases: Vec<Verdicts> = edges().into_iter().chain(drawn).collect();

    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/ragas/peer.py");
    let mut peer =
        Command::new(python).arg(script).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut input = peer.stdin.take().unwrap();
    let lines: String =
        cases.iter().map(|case| format!("{}\n", serde_json::to_string(case).unwrap())).collect();
    let writer = std::thread::spawn(move || input.write_all(lines.as_bytes()).unwrap());
    let output = peer.wait_with_output().unwrap();
    writer.join().unwrap();
    let theirs: Vec<[Option<f64>; 4]> = String::from_utf8(output.stdout)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(theirs.len(), cases.len());
    let mut numbers = 0;
    for (case, theirs) in cases.iter().zip(theirs) {
        let ours =
            [case.faithfulness(), case.answer_relevancy(), case.context_precision(), case.context_recall()];
        for (ours, theirs) in ours.into_iter().map(Score::value).zip(theirs) {
            let equal = match (ours, theirs) {
                (Some(ours), Some(theirs)) => (ours - theirs).abs() <= 1e-9,
                (ours, theirs) => ours.is_none() && theirs.is_none(),
            };
            assert!(equal, "{ours:?} is not {theirs:?}: {case:?}");
            numbers += usize::from(ours.is_some());
        }
    }
    assert!(numbers > 3 * DRAWN, "{numbers}");
}
