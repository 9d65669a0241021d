//! Answers: a request is fitted to the limits, drafted along the chain of its type, and streamed.

use std::time::Duration;

use assay_domain::draft::{Finish, Generator, Spent};
use assay_domain::{Draft, Failure};
use futures::channel::mpsc;
use futures::{SinkExt as _, Stream, StreamExt as _};

use super::failover::Failover;
use super::output::{Events, Output};
use super::{Generation, TEMPERATURE};
use crate::determinism;
use crate::error::ProviderError;
use crate::fit::fit;
use crate::ports::{DraftRequest, Job, Shape};
use crate::prompts;

/// A part of a drafted answer.
#[derive(Debug, Clone, PartialEq)]
pub enum DraftEvent {
    /// Text to append.
    Delta(String),
    /// The finished draft; nothing follows.
    Done(Box<Draft>),
    /// What was spent on a draft that cannot be made; a failure follows.
    Spent(Box<Spent>),
}

impl Generation {
    /// Drafts an answer. The stream gives pieces of text and ends with the finished draft or with a failure; dropping
    /// it stops the provider. `budget` is the time the caller still has.
    pub fn draft(
        &self,
        request: DraftRequest,
        budget: Duration,
    ) -> impl Stream<Item = Result<DraftEvent, Failure>> + Send + use<> {
        let (sender, events) = mpsc::channel(1);
        let service = self.clone();
        // The work runs inside the stream, not in a task of its own: who drops the stream drops the work.
        let work = async move {
            let mut sender = sender;
            if let Err(failure) = service.write(request, budget, &mut sender).await {
                let _ = sender.send(Err(failure)).await;
            }
        };
        let work = futures::stream::once(work).filter_map(|()| std::future::ready(None));
        futures::stream::select(events, work)
    }

    async fn write(
        &self,
        request: DraftRequest,
        budget: Duration,
        events: &mut Events,
    ) -> Result<(), Failure> {
        let chain = self.chain(request.query_type);
        let asks_model = chain.iter().any(|provider| provider.is_model());
        let fitted = fit(request, self.limits.source_bytes, asks_model.then_some(self.limits.prompt_tokens))?;
        let (request, prompt) = (&fitted.request, fitted.prompt);
        let seed = determinism::seed(&request.question, &determinism::fingerprint(request.citable()));
        let mut walk = Failover::new(self, budget);
        let mut warnings = fitted.warnings;
        warnings.extend(prompts::warnings(request));
        let mut output = Output::new(Some(events));
        let job = Job {
            prompt: &prompt,
            request: Some(request),
            shape: Shape::Text,
            completion_tokens: self.limits.completion_tokens,
            context_tokens: self.limits.prompt_tokens.saturating_add(self.limits.completion_tokens),
            seed,
            within: self.limits.call,
        };
        let (provider, end) = match walk.run(chain, job, &mut output).await {
            Ok(done) => done,
            Err(failure) => {
                let prompts = if walk.model_calls > 0 { vec![prompt.id.clone()] } else { Vec::new() };
                let spent = Spent { model_calls: walk.model_calls, prompts, provider_trail: walk.trail };
                let _ = events.send(Ok(DraftEvent::Spent(Box::new(spent)))).await;
                return Err(failure);
            }
        };
        if !output.close().await {
            return Ok(());
        }
        let (mut text, abstained) = (output.text, output.filter.abstained());
        let model = provider.is_model();
        let mut finish = end.finish;
        if model && finish == Finish::Length {
            let limit = self.limits.completion_tokens;
            warnings.push(format!("the answer was cut at max_completion_tokens = {limit}"));
        }
        if model && abstained {
            finish = Finish::Abstained;
        }
        if text.trim().is_empty() {
            let why = if abstained {
                None
            } else {
                Some(ProviderError::Protocol("the model returned no text".to_owned()))
            };
            match why {
                Some(error) => return Err(error.into_failure(provider.model())),
                None => text.clear(),
            }
        }
        let draft = Draft {
            text,
            generator: if model { Generator::Model } else { end.generator },
            model: provider.model().to_owned(),
            finish,
            prompts: if model { vec![prompt.id.clone()] } else { Vec::new() },
            provider_trail: walk.trail,
            model_calls: walk.model_calls,
            temperature: model.then_some(TEMPERATURE),
            seed: (model && provider.takes_seed()).then_some(seed),
            prompt_tokens: end.prompt_tokens,
            completion_tokens: end.completion_tokens,
            warnings,
        };
        let _ = events.send(Ok(DraftEvent::Done(Box::new(draft)))).await;
        Ok(())
    }
}
