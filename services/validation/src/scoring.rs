//! Asks the models about the claims that words leave open, and keeps what they said for the whole attempt.

use std::sync::Arc;
use std::time::Duration;

use assay_domain::draft::Spent;
use assay_domain::report::Evidence;
use assay_domain::{Failure, Source};
use assay_grounding::join::Said;
use assay_grounding::scores::{Ask, Asks, Missing, Scorer, Scores};
use assay_rpc::Context;

use crate::options::Options;
use crate::ports::{JudgePort, JudgeQuery, Judgement, PairPort, SpanPort, SpanQuery};

/// The models of a process that may be asked.
#[derive(Clone, Default)]
pub struct Models {
    /// The entailment model.
    pub pairs: Option<Arc<dyn PairPort>>,
    /// The token classifier.
    pub spans: Option<Arc<dyn SpanPort>>,
    /// The language model.
    pub judge: Option<Arc<dyn JudgePort>>,
}

/// What the models of an attempt said, and what a language model cost.
#[derive(Debug, Default)]
pub(crate) struct Scored {
    pub(crate) scores: Scores,
    pub(crate) spent: Spent,
}

impl Models {
    /// Those that are asked under a policy.
    pub(crate) fn scorers(&self, options: &Options, policy: &str) -> Vec<Scorer> {
        let files =
            [self.pairs.as_ref().map(|port| port.scorer()), self.spans.as_ref().map(|port| port.scorer())];
        let judge = self.judge.as_ref().filter(|_| options.judge.asks(policy));
        let judge = judge.map(|_| Scorer::judge(options.judge_claims));
        files.into_iter().flatten().cloned().chain(judge).collect()
    }

    /// Asks what is to be asked, each kind in one batch, and takes the words.
    pub(crate) async fn ask(
        &self,
        context: &Context,
        options: &Options,
        of: (&str, &[Source], &Arc<String>),
        asks: Asks,
        scored: &mut Scored,
    ) {
        let (question, sources, answer) = of;
        let models = context.capped(Duration::from_secs_f64(options.model_timeout));
        self.ask_pairs(&models, asks.entailment, scored).await;
        if let (Some(port), false) = (&self.spans, asks.spans.is_empty()) {
            let query =
                SpanQuery { question: question.to_owned(), passages: asks.spans, answer: Arc::clone(answer) };
            scored.scores.take_stretches(port.flag(&models, query).await);
        }
        if let (Some(port), false) = (&self.judge, asks.judge.is_empty()) {
            let context = context.capped(Duration::from_secs_f64(options.judge_timeout));
            let queries = asks.judge.iter().map(|ask| query(ask, sources)).collect();
            scored.take(&asks.judge, port.judge(&context, queries).await);
        }
    }

    /// Asks the entailment model about pairs.
    pub(crate) async fn ask_pairs(&self, context: &Context, asks: Vec<Ask>, scored: &mut Scored) {
        let Some(port) = self.pairs.as_ref().filter(|_| !asks.is_empty()) else { return };
        let premise = |ask: &Ask| ask.evidence.first().map(|own| own.text.clone()).unwrap_or_default();
        let pairs = asks.iter().map(|ask| (premise(ask), ask.text.clone())).collect();
        for (ask, said) in asks.iter().zip(port.score(context, pairs).await) {
            scored.scores.take(ask, said);
        }
    }
}

impl Scored {
    /// Takes what a judge said of claims; one that did not answer has said nothing of any.
    fn take(&mut self, asks: &[Ask], said: Result<Judgement, Failure>) {
        let words = match said {
            // Where there is no model none was to be asked.
            Ok(judgement) if judgement.no_model => return,
            Ok(judgement) => {
                self.spent.add(judgement.spent);
                judgement.supported
            }
            Err(failure) => {
                tracing::warn!(target: "assay", %failure, "the judge of claims did not answer");
                vec![Err(failure.code.as_str().to_owned()); asks.len()]
            }
        };
        let none = || Err("no label".to_owned());
        for (at, ask) in asks.iter().enumerate() {
            let word = words.get(at).cloned().unwrap_or_else(none);
            self.scores.take(ask, word.map(Said::Answer).map_err(Missing::Failed));
        }
    }
}

/// What a judge is asked about a claim: its evidence stands for the sources.
fn query(ask: &Ask, sources: &[Source]) -> JudgeQuery {
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
    JudgeQuery { claim: ask.text.clone(), sources: ask.evidence.iter().filter_map(passage).collect() }
}
