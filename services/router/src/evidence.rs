//! Evidence of a request: runs the searches, fuses their hits, and adds the caller's editor as a source.

use assay_domain::evidence::{Hit, Source, SourceKind};
use assay_domain::fusion::{self, Ranking};
use assay_domain::{Failure, QueryType, Question, Relevance};
use assay_graph::{EventKind, Round};
use assay_rpc::clock;
use assay_telemetry::spans;
use tracing::Instrument as _;

use crate::journal::Journal;
use crate::ports::{Examples, Found, SearchQuery};
use crate::record::sha256;
use crate::state::{Request, Router};
use crate::{orders, query, traces};

/// Searches the index.
pub(crate) async fn search(
    router: &Router,
    request: &Request,
    journal: &mut Journal,
    round: Round,
) -> EventKind {
    let (since, question) = (clock::now(), &request.question);
    let limit = router.options.search_depth;
    let query = match round {
        Round::First => query::first(question, journal.topic.as_deref(), limit),
        Round::Second => query::second(question, journal.queries.get(1).cloned().unwrap_or_default(), limit),
    };
    let search = router.ports.retriever.search(&request.context, query.clone());
    let found = traces::retrieve(&question.text, search).await;
    journal.timing.search_ms += clock::elapsed_ms(since);
    take(journal, round, query, found)
}

/// Searches the index and fetches validated examples beside it.
pub(crate) async fn gather(router: &Router, request: &Request, journal: &mut Journal) -> EventKind {
    let (since, question) = (clock::now(), &request.question);
    let query = query::first(question, journal.topic.as_deref(), router.options.search_depth);
    let language = orders::wanted_language(&router.options, question);
    let (retriever, context) = (&router.ports.retriever, &request.context);
    let (found, examples) = tokio::join!(
        traces::retrieve(&question.text, retriever.search(context, query.clone())),
        traces::examples(retriever.examples(context, &question.text, &language, router.options.few_shot))
    );
    journal.timing.search_ms += clock::elapsed_ms(since);
    take_examples(journal, examples);
    take(journal, Round::First, query, found)
}

fn take(journal: &mut Journal, round: Round, query: SearchQuery, found: Result<Found, Failure>) -> EventKind {
    let found = match found {
        Ok(found) => found,
        Err(failure) => {
            tracing::warn!(%failure, "search failed");
            return EventKind::SearchFailed(journal.fail(failure));
        }
    };
    let depth = query.limit as usize;
    if !journal.queries.contains(&query.query) {
        journal.queries.push(query.query);
    }
    for leg in &found.degraded {
        journal.warn(format!("a part of the search was not available: {leg}"));
    }
    journal.hits = match round {
        Round::First => found.hits,
        Round::Second => fuse(&journal.hits, &found.hits, depth),
    };
    journal.index_manifest = found.index_manifest;
    EventKind::Found { hits: journal.hits.len().try_into().unwrap_or(u32::MAX) }
}

fn take_examples(journal: &mut Journal, examples: Result<Examples, Failure>) {
    let degraded = match examples {
        Ok(examples) => {
            journal.examples = examples.sources;
            examples.degraded
        }
        Err(failure) => {
            tracing::debug!(%failure, "no examples");
            true
        }
    };
    if degraded {
        journal.warn("few_shot_injection: degraded");
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
pub(crate) fn judged(journal: &mut Journal, relevance: Option<Relevance>) -> EventKind {
    journal.relevance = relevance.map(|relevance| relevance.probability).or(journal.relevance);
    let relevant = relevance.map(|relevance| relevance.relevant);
    if journal.relevant_first.is_none() {
        journal.relevant_first = relevant;
    }
    journal.relevant = relevant;
    EventKind::Judged(relevant)
}

/// Asks the model for a broader query; without one it is made here.
pub(crate) async fn reformulate(router: &Router, request: &Request, journal: &mut Journal) -> EventKind {
    if journal.relevant_first.is_none() {
        journal.relevant_first = Some(false);
        journal.relevant = Some(false);
    }
    let (question, hint) = (&request.question.text, query::hint(&request.question.text));
    let topic = journal.topic.clone().unwrap_or_default();
    let asked = router.ports.generator.reformulate(&request.context, question, &hint, &topic);
    let mut text = String::new();
    if let Ok(reformulated) = asked.instrument(spans::reformulate()).await {
        journal.spent.add(reformulated.spent);
        text = query::cut(&reformulated.query);
    }
    if text.is_empty() {
        text = query::broaden(question, journal.topic.as_deref());
    }
    journal.queries.truncate(1);
    journal.queries.push(text);
    EventKind::Reformulated
}

/// Sources in marker order: what was found, or what the previous answer stood on, then the caller's editor.
pub(crate) fn sources(question: &Question, journal: &Journal) -> Vec<Hit> {
    let plain = |source| Hit { source, score: 0.0, bm25: None, knn: None };
    match journal.query_type() {
        Some(QueryType::Retrieval | QueryType::CodeGeneration) => {
            journal.hits.iter().cloned().chain(editor(question).into_iter().map(plain)).collect()
        }
        Some(QueryType::Conversational) => {
            let last = journal.session.turns.last();
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
