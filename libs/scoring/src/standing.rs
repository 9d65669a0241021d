//! What makes a run binding (contract §11): every requirement, and whether this run meets it.

use std::collections::BTreeSet;

use crate::recorded::{Manifest, Recorded};

/// Repetitions that a binding run needs at least.
const LEAST_REPETITIONS: u32 = 5;

/// Each requirement that the run does not meet, in the order of the contract; none means binding.
pub(crate) fn missing(manifest: &Manifest, recorded: &[Recorded]) -> Vec<String> {
    let mut missing = Vec::new();
    let mut need = |met: bool, text: String| {
        if !met {
            missing.push(text);
        }
    };
    need(
        manifest.image_digest.starts_with("sha256:"),
        "official image: evaluation.image_digest is not set".into(),
    );
    need(!manifest.clean_commit.is_empty(), "clean git state: evaluation.clean_commit is not set".into());
    need(manifest.seed.is_some(), "seed: EVAL_SEED is not set".into());
    let by_model =
        recorded.iter().filter_map(|one| one.answer.as_ref()).filter(|answer| answer.by_model).count();
    need(
        by_model == 0 || manifest.temperature == Some(0.0),
        format!("temperature 0: {by_model} answers come from a model with another temperature or none told"),
    );
    need(manifest.judge_pinned, format!("judge: {:?} is not pinned to a version", manifest.judge));
    let searched: BTreeSet<&str> = recorded
        .iter()
        .filter_map(|one| one.answer.as_ref())
        .map(|answer| answer.index.as_str())
        .filter(|index| !index.is_empty())
        .collect();
    need(
        !manifest.index.is_empty() && searched.iter().all(|index| *index == manifest.index),
        format!("one index manifest, recorded first: the answers rest on {}", searched.len()),
    );
    need(!manifest.parser.is_empty(), "pipeline manifest: it names no parser".into());
    need(manifest.gate, "gate: the parser does not decide before anything is scored".into());
    need(
        manifest.repetitions >= LEAST_REPETITIONS,
        format!("N >= {LEAST_REPETITIONS}: the set was asked {} times", manifest.repetitions),
    );
    missing
}
