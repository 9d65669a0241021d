//! The plan of an answer that nobody asked for yet: route and evidence, without a model call or a record.

use assay_domain::evidence::Hit;
use assay_domain::{Failure, QueryType, Question, Route};
use assay_rpc::{Context, clock};

use crate::ports::Session;
use crate::query;
use crate::state::Router;

/// A plan of an answer that nobody asked for yet.
#[derive(Debug, Clone, PartialEq)]
pub struct Explanation {
    /// How it would be routed; layer 3 is not asked.
    pub route: Route,
    /// What would be searched for; empty if nothing.
    pub query: String,
    /// The evidence that would be used.
    pub sources: Vec<Hit>,
    /// `provider:model` that would be asked; empty if nobody says.
    pub model_slot: String,
    /// The steps of the graph, in order.
    pub steps: Vec<&'static str>,
}

impl Router {
    /// Plans an answer: route and evidence; no model call, no record.
    ///
    /// # Errors
    /// Limits of the question, and what the search says.
    pub async fn explain(&self, context: &Context, question: &Question) -> Result<Explanation, Failure> {
        question.check_limits()?;
        let session = match &question.session {
            Some(id) => self.ports.sessions.load(context.identity(), id, clock::unix_ms()).await?,
            None => Session::default(),
        };
        let classified = self
            .classifier
            .classify(context, &question.text, question.declared_type, &session.history, false)
            .await?;
        let (mut query, mut sources) = (String::new(), Vec::new());
        if classified.route.query_type.searches() {
            let search = query::first(question, classified.topic.as_deref(), self.options.search_depth);
            query.clone_from(&search.query);
            sources = self.ports.retriever.search(context, search).await?.hits;
        }
        let steps = match classified.route.query_type {
            QueryType::Retrieval => vec!["classify", "search", "judge relevance", "draft", "check", "settle"],
            QueryType::CodeGeneration => vec!["classify", "search and examples", "draft", "check", "settle"],
            QueryType::Conversational | QueryType::Platform => vec!["classify", "draft", "check", "settle"],
        };
        // A plan without the model's name is still a plan.
        let model_slot =
            self.ports.generator.model(context, classified.route.query_type).await.unwrap_or_default();
        Ok(Explanation { route: classified.route, query, sources, model_slot, steps })
    }
}
