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

/// Whether a judge is one version for good: our own checks, or a model whose name ends in a date or names a revision
/// after `@`. `latest` and names without a version are what their provider makes of them tomorrow.
#[must_use]
pub fn pinned(judge: &str) -> bool {
    if judge == Manifest::CHECKS {
        return true;
    }
    let (name, revision) = judge.rsplit_once('@').unwrap_or((judge, ""));
    let latest = |text: &str| text == "latest" || text.ends_with("-latest") || text.ends_with(":latest");
    if latest(name) || latest(revision) {
        return false;
    }
    !revision.is_empty() || ends_in_date(name)
}

/// Whether a name ends in a day such as `-20250929` or `-2025-09-29`.
fn ends_in_date(name: &str) -> bool {
    let digits: String = name.chars().rev().take_while(|c| c.is_ascii_digit() || *c == '-').collect();
    let digits: String = digits.chars().rev().filter(char::is_ascii_digit).collect();
    let day = digits.get(digits.len().saturating_sub(8)..).unwrap_or_default();
    let part = |range: std::ops::Range<usize>| day.get(range).and_then(|part| part.parse::<u32>().ok());
    matches!((part(0..4), part(4..6), part(6..8)), (Some(2000..=2999), Some(1..=12), Some(1..=31)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_a_date_or_a_revision() {
        for (judge, held) in [
            ("checks", true),
            ("openai:gpt-4o-2024-08-06", true),
            ("anthropic:claude-sonnet-4-5-20250929", true),
            ("ollama:llama3.2:3b@sha256:0f5c", true),
            ("openai:qwen@b5f1", true),
            ("openai:gpt-4o", false),
            ("anthropic:claude-3-5-sonnet-latest", false),
            ("ollama:llama3.2:latest", false),
            ("ollama:llama3.2:latest@sha256:0f5c", false),
            ("ollama:llama3.2:3b", false),
            ("openai:model-99999999", false),
            ("openai:qwen@", false),
        ] {
            assert_eq!(pinned(judge), held, "{judge}");
        }
    }
}
