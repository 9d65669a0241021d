//! A search: two legs, fused by their scores; what cannot be used is named, not hidden.

use crate::corpus::Filter;
use crate::error::Error;
use crate::options::Weights;
use crate::ports::{Embedder, Found, Leg, Purpose, Scored, Snapshot};
use crate::text::{self, QueryTerms};
use assay_domain::evidence::{LegRank, SearchMode};
use assay_domain::fusion::{self, combine};
use assay_domain::{Code, Failure, Hit};

/// What is searched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// What to search for.
    pub query: String,
    /// Further formulations, fused with the first.
    pub further_queries: Vec<String>,
    /// Collection; empty means the default one.
    pub collection: String,
    /// Which legs.
    pub mode: SearchMode,
    /// Hits wanted; 0 means the configured number.
    pub limit: usize,
    /// What is searched of the collection.
    pub filter: Filter,
}

impl Request {
    /// A hybrid search of the default collection.
    #[must_use]
    pub fn new(query: impl Into<String>) -> Self {
        Self {
            query: query.into(),
            further_queries: Vec::new(),
            collection: String::new(),
            mode: SearchMode::Hybrid,
            limit: 0,
            filter: Filter::default(),
        }
    }
}

/// What was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Response {
    /// Best first; equal scores by id.
    pub hits: Vec<Hit>,
    /// Manifest of the index that was searched.
    pub index_manifest: String,
    /// Legs that the mode wanted and that could not be used, with the reason.
    pub degraded: Vec<Degraded>,
    /// Model that runs.
    pub embedding_model: String,
    /// The mode that was asked for.
    pub mode: SearchMode,
}

/// A leg that could not be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Degraded {
    /// `bm25` or `knn`.
    pub leg: &'static str,
    /// Why.
    pub reason: String,
}

/// Limits and weights of a search.
#[derive(Clone, Copy)]
pub(crate) struct Plan {
    pub(crate) mode: SearchMode,
    /// Hits wanted.
    pub(crate) limit: usize,
    /// Passages that each leg contributes.
    pub(crate) depth: usize,
    pub(crate) weights: Weights,
}

/// Searches one snapshot for several formulations of one question.
pub(crate) async fn search(
    snapshot: &dyn Snapshot,
    embedder: &dyn Embedder,
    queries: &[String],
    filter: &Filter,
    plan: Plan,
) -> Result<Response, Failure> {
    let mut degraded = Vec::new();
    let wanted = queries.to_vec();
    let terms =
        assay_rpc::task::blocking(move || wanted.iter().map(|query| text::query_terms(query)).collect());
    let lexical = async {
        let terms: Vec<QueryTerms> = terms.await.map_err(|panic| Error::Internal(panic.to_string()))?;
        Ok::<_, Error>(terms)
    };
    let semantic = async {
        let (manifest, running) = (snapshot.manifest(), embedder.identity());
        if manifest.embedding != *running {
            return Err(Error::OtherVectorSpace {
                collection: manifest.collection.clone(),
                index: manifest.embedding.to_string(),
                running: running.to_string(),
            });
        }
        embedder.embed(queries.to_vec(), Purpose::Query).await
    };
    let (terms, vectors) = match plan.mode {
        SearchMode::Hybrid => futures::join!(lexical, semantic),
        SearchMode::Bm25Only => (lexical.await, Ok(Vec::new())),
        SearchMode::KnnOnly => (Ok(Vec::new()), semantic.await),
    };

    // Every leg goes in one call, so that a store across the network is asked once.
    let legs: Vec<Leg<'_>> = terms
        .iter()
        .flatten()
        .map(Leg::Bm25)
        .chain(vectors.iter().flatten().map(|vector| Leg::Knn(vector)))
        .collect();
    let found = snapshot.search(&legs, filter, plan.depth).await;
    let Found { mut rankings, mut sources } = match found {
        Ok(found) => found,
        Err(error) => {
            Found { rankings: legs.iter().map(|_| Err(error.clone())).collect(), ..Found::default() }
        }
    };
    let semantic = rankings.split_off(terms.as_ref().map_or(0, Vec::len));
    let lexical = terms.and_then(|_| rankings.into_iter().collect::<Result<Vec<_>, Error>>());
    let semantic = vectors.and_then(|_| semantic.into_iter().collect::<Result<Vec<_>, Error>>());

    // Without any leg there is no answer; without one of two there is half of one, and it says so.
    match (plan.mode, &lexical, &semantic) {
        (SearchMode::Bm25Only, Err(error), _)
        | (SearchMode::KnnOnly, _, Err(error))
        | (SearchMode::Hybrid, Err(error), Err(_)) => {
            return Err(Failure::new(Code::SearchUnavailable, error.to_string()));
        }
        _ => {}
    }
    let lexical = lexical.unwrap_or_else(|error| {
        degraded.push(Degraded { leg: "bm25", reason: error.to_string() });
        Vec::new()
    });
    let semantic = semantic.unwrap_or_else(|error| {
        degraded.push(Degraded { leg: "knn", reason: error.to_string() });
        Vec::new()
    });

    let mut ranked = rank(&lexical, &semantic, plan);
    ranked.truncate(plan.limit);
    let missing: Vec<String> =
        ranked.iter().map(|(id, ..)| id.clone()).filter(|id| !sources.contains_key(id)).collect();
    if !missing.is_empty() {
        sources.extend(snapshot.fetch(&missing).await?.into_iter().map(|source| (source.id.clone(), source)));
    }
    let hits = ranked
        .into_iter()
        .filter_map(|(id, score, bm25, knn)| Some(Hit { source: sources.remove(&id)?, score, bm25, knn }));
    Ok(Response {
        hits: hits.collect(),
        index_manifest: snapshot.manifest().id.clone(),
        degraded,
        embedding_model: embedder.identity().to_string(),
        mode: plan.mode,
    })
}

type Place = (String, f64, Option<LegRank>, Option<LegRank>);

fn named(hits: &[Scored]) -> Vec<(&str, f64)> {
    hits.iter().map(|hit| (hit.id.as_str(), hit.score)).collect()
}

/// Fuses the rankings of both legs for every formulation; one ranking alone keeps the leg's own scores.
fn rank(lexical: &[Vec<Scored>], semantic: &[Vec<Scored>], plan: Plan) -> Vec<Place> {
    let legs: Vec<&Vec<Scored>> = lexical.iter().chain(semantic).collect();
    let bm25 = lexical.iter().map(|hits| fusion::Scored::bm25(named(hits), plan.weights.bm25));
    let cosine = semantic.iter().map(|hits| fusion::Scored::cosine(named(hits), plan.weights.knn));
    let rankings: Vec<fusion::Scored<'_>> = bm25.chain(cosine).collect();
    let single = rankings.len() == 1 && plan.mode != SearchMode::Hybrid;
    // The leg's own score stands at the place of the hit.
    let own = |leg: usize, rank: Option<u32>| {
        let rank = rank?;
        let scored = legs.get(leg)?.get(rank as usize - 1)?;
        Some(LegRank { rank, score: scored.score })
    };
    let best = |ranks: &[Option<LegRank>]| ranks.iter().flatten().copied().min_by_key(|place| place.rank);
    combine(&rankings)
        .into_iter()
        .map(|hit| {
            let ranks: Vec<_> = hit.ranks.iter().enumerate().map(|(leg, rank)| own(leg, *rank)).collect();
            let (bm25, knn) = ranks.split_at(lexical.len().min(ranks.len()));
            let (bm25, knn) = (best(bm25), best(knn));
            let own = bm25.or(knn).map_or(hit.score, |place| place.score);
            (hit.id.to_owned(), if single { own } else { hit.score }, bm25, knn)
        })
        .collect()
}
