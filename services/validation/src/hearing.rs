//! What a judge model is shown of a claim, and what its answers come to.

use assay_domain::draft::{PromptId, ProviderCall};
use assay_domain::report::Evidence;
use assay_domain::{Failure, Source};
use assay_grounding::{Opinion, Uncertain};

use crate::ports::{JudgeQuery, Judgement};

/// What a judge said, and what that cost.
#[derive(Debug, Default)]
pub(crate) struct Heard {
    pub(crate) opinions: Vec<Opinion>,
    pub(crate) model_calls: u32,
    pub(crate) prompts: Vec<PromptId>,
    pub(crate) trail: Vec<ProviderCall>,
}

impl Heard {
    /// Takes what was said of a claim; a judge that did not answer has said nothing of it.
    pub(crate) fn take(&mut self, claim: &Uncertain, said: Result<Judgement, Failure>) {
        let word = match said {
            Ok(judgement) => {
                self.model_calls += judgement.model_calls;
                self.trail.extend(judgement.trail);
                for prompt in judgement.prompts {
                    if !self.prompts.contains(&prompt) {
                        self.prompts.push(prompt);
                    }
                }
                judgement.supported.ok_or(judgement.reason)
            }
            Err(failure) => {
                tracing::warn!(target: "assay", %failure, "the judge of claims did not answer");
                Err(failure.code.as_str().to_owned())
            }
        };
        self.opinions.push(Opinion::of_judge(claim, word));
    }
}

/// What a judge is asked about a claim: its evidence stands for the sources.
pub(crate) fn query(claim: &Uncertain, sources: &[Source]) -> JudgeQuery {
    let passage = |evidence: &Evidence| {
        let place = usize::try_from(evidence.source).ok()?.checked_sub(1)?;
        let source = sources.get(place)?;
        Some(Source {
            text: evidence.text.clone(),
            lines: evidence.lines,
            sha256: String::new(),
            ..source.clone()
        })
    };
    JudgeQuery { claim: claim.text.clone(), sources: claim.evidence.iter().filter_map(passage).collect() }
}
