//! Evidence of a request: runs the searches, fuses their hits, and adds the caller's editor as a source.

use assay_domain::evidence::{Hit, Source, SourceKind};
use assay_domain::fusion::{self, Ranking};
use assay_domain::{Failure, QueryType, Question, Relevance};
use assay_graph::{Round, What};
use assay_rpc::clock;
use assay_telemetry::spans;
use tracing::Instrument as _;

use crate::ports::{Examples, Found, SearchQuery};
use crate::record::sha256;
use crate::service::{Request, Router};
use crate::trail::Trail;
use crate::{brief, query, traces};

/// Searches the index.
pub(crate) async fn search(router: &Router, request: &Request, trail: &mut Trail, round: Round) -> What {
    let (since, question) = (clock::now(), &request.question);
    let limit = router.options.search_depth;
    let query = match round {
        Round::First => query::first(question, trail.topic.as_deref(), limit),
        Round::Second => query::second(question, trail.queries.get(1).cloned().unwrap_or_default(), limit),
    };
    let search = router.ports.retriever.search(&request.context, query.clone());
    let found = traces::retrieve(&question.text, search).await;
    trail.timing.search_ms += clock::elapsed_ms(since);
    take(trail, round, query, found)
}

/// Searches the index and fetches validated examples beside it.
pub(crate) async fn gather(router: &Router, request: &Request, trail: &mut Trail) -> What {
    let (since, question) = (clock::now(), &request.question);
    let query = query::first(question, trail.topic.as_deref(), router.options.search_depth);
    let language = brief::wanted_language(&router.options, question);
    let (retriever, context) = (&router.ports.retriever, &request.context);
    let (found, examples) = tokio::join!(
        traces::retrieve(&question.text, retriever.search(context, query.clone())),
        traces::examples(retriever.examples(context, &question.text, &language, router.options.few_shot))
    );
    trail.timing.search_ms += clock::elapsed_ms(since);
    take_examples(trail, examples);
    take(trail, Round::First, query, found)
}

fn take(trail: &mut Trail, round: Round, query: SearchQuery, found: Result<Found, Failure>) -> What {
    let found = match found {
        Ok(found) => found,
        Err(failure) => {
            tracing::warn!(%failure, "search failed");
            return What::SearchFailed(trail.fail(failure));
        }
    };
    let depth = query.limit as usize;
    if !trail.queries.contains(&query.query) {
        trail.queries.push(query.query);
    }
    for leg in &found.degraded {
        trail.warn(format!("a leg of the search was not available: {leg}"));
    }
    trail.hits = match round {
        Round::First => found.hits,
        Round::Second => fuse(&trail.hits, &found.hits, depth),
    };
    trail.index_manifest = found.index_manifest;
    What::Found { hits: trail.hits.len().try_into().unwrap_or(u32::MAX) }
}

fn take_examples(trail: &mut Trail, examples: Result<Examples, Failure>) {
    let degraded = match examples {
        Ok(examples) => {
            trail.examples = examples.sources;
            examples.degraded
        }
        Err(failure) => {
            tracing::debug!(%failure, "no examples");
            true
        }
    };
    if degraded {
        trail.warn("few_shot_injection: degraded");
    }
}

/// The best `top` of two searches. A hit is kept as the list has it that places it better.
fn fuse(first: &[Hit], second: &[Hit], top: usize) -> Vec<Hit> {
    if second.is_empty() {
        return first.iter().take(top).cloned().collect();
    }
    let fused = fusion::fuse(&[ranking(first), ranking(second)]);
    let hit = |fused: &fusion::Fused<'_>| {
        let places = [first, second].into_iter().zip(&fused.ranks);
        let (list, rank) =
            places.filter_map(|(list, rank)| Some((list, (*rank)?))).min_by_key(|(_, rank)| *rank)?;
        Some(Hit { score: fused.score, ..list.get(rank as usize - 1)?.clone() })
    };
    fused.iter().filter_map(hit).take(top).collect()
}

fn ranking(hits: &[Hit]) -> Ranking<'_> {
    Ranking { ids: hits.iter().map(|hit| hit.source.id.as_str()).collect(), weight: 1.0 }
}

/// What was said of the sources.
pub(crate) fn judged(trail: &mut Trail, relevance: Option<Relevance>) -> What {
    trail.relevance = relevance.map(|relevance| relevance.probability).or(trail.relevance);
    let relevant = relevance.map(|relevance| relevance.relevant);
    if trail.relevant_first.is_none() {
        trail.relevant_first = relevant;
    }
    trail.relevant = relevant;
    What::Judged(relevant)
}

/// Asks the model for a broader query; without one it is made here.
pub(crate) async fn reformulate(router: &Router, request: &Request, trail: &mut Trail) -> What {
    if trail.relevant_first.is_none() {
        trail.relevant_first = Some(false);
        trail.relevant = Some(false);
    }
    let (question, hint) = (&request.question.text, query::hint(&request.question.text));
    let topic = trail.topic.clone().unwrap_or_default();
    let asked = router.ports.generator.reformulate(&request.context, question, &hint, &topic);
    let mut text = String::new();
    if let Ok(reformulated) = asked.instrument(spans::reformulate()).await {
        trail.spent.add(reformulated.spent);
        text = query::cut(&reformulated.query);
    }
    if text.is_empty() {
        text = query::broaden(question, trail.topic.as_deref());
    }
    trail.queries.truncate(1);
    trail.queries.push(text);
    What::Reformulated
}

/// Sources in marker order: what was found, or what the previous answer stood on, then the caller's editor.
pub(crate) fn sources(question: &Question, trail: &Trail) -> Vec<Hit> {
    let plain = |source| Hit { source, score: 0.0, bm25: None, knn: None };
    match trail.query_type() {
        Some(QueryType::Retrieval | QueryType::CodeGeneration) => {
            trail.hits.iter().cloned().chain(editor(question).into_iter().map(plain)).collect()
        }
        Some(QueryType::Conversational) => {
            let last = trail.session.turns.last();
            last.map(|turn| turn.sources.iter().cloned().map(plain).collect()).unwrap_or_default()
        }
        Some(QueryType::Platform) | None => Vec::new(),
    }
}

/// The caller's selection and editor as citable sources, with the editor's own line numbers.
fn editor(question: &Question) -> Vec<Source> {
    let mut sources = Vec::new();
    let (editor, selected) = (&question.editor_content, &question.selected_text);
    if !selected.trim().is_empty() {
        let before = editor.find(selected.as_str()).map_or("", |at| &editor[..at]);
        let first = u32::try_from(before.matches('\n').count()).unwrap_or(0).saturating_add(1);
        sources.push(Source::given("editor:selection", SourceKind::Editor, selected.clone(), first));
    }
    if !editor.trim().is_empty() {
        sources.push(Source::given("editor", SourceKind::Editor, editor.clone(), 1));
    }
    for source in &mut sources {
        source.path = "editor".into();
        source.title = "editor".into();
        source.sha256 = sha256(&source.text);
    }
    sources
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hits(ids: &[&str], score: f64) -> Vec<Hit> {
        let hit = |id: &&str| {
            let source = Source::given(*id, SourceKind::Doc, *id, 1);
            Hit { source, score, bm25: None, knn: None }
        };
        ids.iter().map(hit).collect()
    }

    #[test]
    fn a_source_of_both_searches_comes_first() {
        let fused = fuse(&hits(&["a", "b"], 1.0), &hits(&["c", "b"], 1.0), 2);
        assert_eq!(fused.iter().map(|hit| hit.source.id.as_str()).collect::<Vec<_>>(), ["b", "a"]);
    }

    #[test]
    fn an_empty_second_search_changes_nothing() {
        let first = hits(&["b", "a"], 0.5);
        assert_eq!(fuse(&first, &[], 8), first);
    }
}
