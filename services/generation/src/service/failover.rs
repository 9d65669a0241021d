//! One walk along a chain of providers: another one is asked before the first token only.

use std::sync::Arc;
use std::time::Duration;

use assay_domain::draft::{Finish, Generator, ProviderCall};
use assay_domain::{Code, Failure};
use futures::StreamExt as _;
use tracing::Instrument as _;

use super::output::Output;
use super::traced::{ended, span_of};
use super::{Chain, Generation};
use crate::error::ProviderError;
use crate::ports::{Chunk, End, Job, Provider};

/// One walk along a chain.
pub(super) struct Failover<'a> {
    service: &'a Generation,
    /// Time on the clock after which the caller no longer waits.
    deadline_ms: u64,
    pub(super) trail: Vec<ProviderCall>,
    pub(super) model_calls: u32,
}

impl<'a> Failover<'a> {
    pub(super) fn new(service: &'a Generation, budget: Duration) -> Self {
        let deadline_ms = service.clock.now_ms().saturating_add(millis(budget));
        Self { service, deadline_ms, trail: Vec::new(), model_calls: 0 }
    }

    /// Asks the providers in turn until one ends well. Text goes to `take`, which says whether anybody still listens.
    pub(super) async fn run<'c>(
        &mut self,
        chain: &'c Chain,
        job: Job<'_>,
        output: &mut Output<'_>,
    ) -> Result<(&'c Arc<dyn Provider>, End), Failure> {
        let mut last = Failure::new(Code::GenerationUnavailable, "no provider is configured").field("main");
        for provider in chain {
            let start = self.service.clock.now_ms();
            self.model_calls += u32::from(provider.is_model());
            let mut begun = false;
            let span = span_of(provider.as_ref(), job);
            output.raw.clear();
            let result = self.call(provider, job, &mut begun, output).instrument(span.clone()).await;
            let elapsed_ms = self.service.clock.now_ms().saturating_sub(start);
            span.in_scope(|| ended(provider.as_ref(), &span, &result, &output.raw, elapsed_ms));
            let outcome = result.as_ref().map_or_else(ProviderError::label, |_| "ok".to_owned());
            self.trail.push(ProviderCall { model: provider.model().to_owned(), outcome, elapsed_ms });
            match result {
                Ok(end) => return Ok((provider, end)),
                Err(error) => {
                    tracing::warn!(target: "assay", model = provider.model(), error = error.logged(), "a provider failed");
                    let next = error.fails_over() && !begun;
                    last = self.failure(error, provider.model());
                    if !next {
                        break;
                    }
                }
            }
        }
        Err(last)
    }

    /// A time-out that came from the caller's own deadline blames no setting of ours.
    fn failure(&self, error: ProviderError, model: &str) -> Failure {
        let expired = self.service.clock.now_ms() >= self.deadline_ms;
        match error {
            ProviderError::Timeout(_) if expired => Failure::new(
                Code::DeadlineExceeded,
                format!("the request ran out of time while {model} was writing"),
            ),
            error => error.into_failure(model),
        }
    }

    async fn call(
        &self,
        provider: &Arc<dyn Provider>,
        job: Job<'_>,
        begun: &mut bool,
        output: &mut Output<'_>,
    ) -> Result<End, ProviderError> {
        let now = self.service.clock.now_ms();
        let limit = self.service.limits.call.min(Duration::from_millis(self.deadline_ms.saturating_sub(now)));
        let late = || ProviderError::Timeout(millis(limit));
        if limit.is_zero() {
            return Err(late());
        }
        let model = provider.is_model();
        let work = async {
            let mut stream = provider.stream(Job { within: limit, ..job }).await?;
            let mut bytes = 0usize;
            // A server that ignores its completion limit is stopped at sixteen bytes a token.
            let most = (job.completion_tokens as usize).saturating_mul(16);
            while let Some(chunk) = stream.next().await {
                match chunk? {
                    Chunk::Text(piece) => {
                        *begun = true;
                        bytes += piece.len();
                        if !output.take(piece, model).await {
                            return Err(ProviderError::Cut);
                        }
                        if model && bytes > most {
                            return Ok(End {
                                generator: Generator::Model,
                                finish: Finish::Length,
                                prompt_tokens: None,
                                completion_tokens: None,
                            });
                        }
                    }
                    Chunk::End(end) => return Ok(end),
                }
            }
            Err(ProviderError::Cut)
        };
        tokio::time::timeout(limit, work).await.map_err(|_| late())?
    }
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
