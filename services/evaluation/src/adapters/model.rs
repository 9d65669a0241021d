//! A model as the judge, asked through generation; what it says is recorded call by call.

use std::time::Duration;

use assay_domain::{Failure, Source, SourceKind};
use assay_proto::generation::generation_service_client::GenerationServiceClient;
use assay_proto::generation::{AssessRequest, AssessTask};
use assay_proto::retrieval::EmbedRequest;
use assay_proto::retrieval::retrieval_service_client::RetrievalServiceClient;
use assay_rpc::{Channel, Context};
use assay_scoring::judge::{Ask, Call, Task, asks, questions_in, verdicts};
use assay_scoring::{Verdicts, cosine};
use assay_wire::{ToWire as _, from_status};
use async_trait::async_trait;

use crate::ports::{Case, Judge};

/// Judges by one model.
pub(crate) struct ModelJudge {
    pub(crate) name: String,
    pub(crate) generation: GenerationServiceClient<Channel>,
    pub(crate) retrieval: RetrievalServiceClient<Channel>,
    /// Time of one call.
    pub(crate) patience: Duration,
}

#[async_trait]
impl Judge for ModelJudge {
    fn name(&self) -> &str {
        &self.name
    }

    async fn judge(&self, context: &Context, case: Case<'_>) -> Verdicts {
        let mut calls = Vec::new();
        for ask in asks(&self.name, case.recorded) {
            let context = Context::new(context.identity().clone(), self.patience);
            let mut call = self.call(&context, &ask).await;
            if ask.task == Task::Questions
                && let Some((questions, _)) = questions_in(&call.reply)
            {
                match self.similarities(&context, &case.question.text, &questions).await {
                    Ok(similarities) => call.similarities = similarities,
                    Err(failure) => call.failure = failure.message,
                }
            }
            if !call.failure.is_empty() {
                tracing::warn!(judge = self.name, task = ?ask.task, reason = call.failure, "a judge gave no verdict");
            }
            calls.push(call);
        }
        verdicts(&self.name, case.recorded, calls)
    }
}

impl ModelJudge {
    async fn call(&self, context: &Context, ask: &Ask) -> Call {
        let key = ask.key();
        let passage = |(number, text): (usize, &String)| {
            Source::given(number.to_string(), SourceKind::Doc, text.clone(), 1).to_wire()
        };
        let request = AssessRequest {
            model: self.name.clone(),
            task: match ask.task {
                Task::Support | Task::Attribution => AssessTask::Support,
                Task::Questions => AssessTask::Questions,
                Task::Usefulness => AssessTask::Usefulness,
            }
            .into(),
            question: ask.question.clone(),
            answer: ask.answer.clone(),
            reference: ask.reference.clone(),
            sources: (1..).zip(&ask.passages).map(passage).collect(),
            statements: ask.statements.clone(),
        };
        match self.generation.clone().assess(context.request(request)).await {
            Ok(reply) => {
                let reply = reply.into_inner();
                Call {
                    key,
                    reply: reply.reply,
                    failure: reply.reason,
                    prompt_tokens: reply.prompt_tokens,
                    completion_tokens: reply.completion_tokens,
                    ..Call::default()
                }
            }
            Err(status) => Call { key, failure: from_status(&status).message, ..Call::default() },
        }
    }

    /// The cosine of each question and the one asked; none of each where no model makes the vectors.
    async fn similarities(
        &self,
        context: &Context,
        asked: &str,
        questions: &[String],
    ) -> Result<Vec<Option<f64>>, Failure> {
        let texts = std::iter::once(asked.to_owned()).chain(questions.iter().cloned()).collect();
        let reply = self.retrieval.clone().embed(context.request(EmbedRequest { texts })).await;
        let reply = reply.map_err(|status| from_status(&status))?.into_inner();
        let [asked, derived @ ..] = reply.vectors.as_slice() else {
            return Err(Failure::internal("retrieval sent no vectors"));
        };
        let similarity = |one: &assay_proto::retrieval::Vector| {
            cosine(&asked.values, &one.values).filter(|_| !reply.hashed)
        };
        Ok(derived.iter().map(similarity).collect())
    }
}
