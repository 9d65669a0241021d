//! What makes a run binding (contract §11): every requirement, and whether this run meets it.

use crate::options::Options;
use crate::tally::Tally;

/// Repetitions that a binding run needs at least.
const LEAST_REPETITIONS: u32 = 5;

/// Each requirement that the run does not meet, in the order of the contract; none means binding.
pub(crate) fn missing(options: &Options, tally: &Tally, repetitions: u32) -> Vec<String> {
    let mut missing = Vec::new();
    let mut need = |met: bool, text: String| {
        if !met {
            missing.push(text);
        }
    };
    need(
        options.image_digest.starts_with("sha256:"),
        "official image: setting image_digest is not set".into(),
    );
    need(!options.clean_commit.is_empty(), "clean git state: setting clean_commit is not set".into());
    need(options.seed.is_some(), "seed: EVAL_SEED is not set".into());
    need(
        tally.by_model == 0,
        format!(
            "temperature 0: {} answers come from a model, and an answer does not tell its temperature",
            tally.by_model
        ),
    );
    need(false, "judge: this version uses none, so none is pinned to a version".into());
    need(
        tally.manifests.len() == 1,
        format!("one index manifest: the answers rest on {} different ones", tally.manifests.len()),
    );
    need(false, "pipeline manifest: this version does not record it before the run".into());
    need(false, "gate: this version has none to switch on".into());
    need(
        repetitions >= LEAST_REPETITIONS,
        format!("N >= {LEAST_REPETITIONS}: the set was asked {repetitions} times"),
    );
    missing
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_requirement_is_listed_until_it_is_met() {
        let nothing = missing(&Options::default(), &Tally::default(), 1);
        for word in ["image", "git", "EVAL_SEED", "judge", "index manifest", "pipeline", "gate", "N >= 5"] {
            assert!(nothing.iter().any(|text| text.contains(word)), "{word}: {nothing:?}");
        }
        let options = Options {
            image_digest: "sha256:ab".into(),
            clean_commit: "0123abc".into(),
            seed: Some(1),
            ..Options::default()
        };
        let mut tally = Tally::default();
        tally.manifests.insert("m".into(), 3);
        let rest = missing(&options, &tally, 5);
        assert_eq!(rest.len(), 3, "only what this version cannot do is left: {rest:?}");
        tally.manifests.insert("n".into(), 1);
        assert_eq!(missing(&options, &tally, 5).len(), 4);
    }
}
