//! An opened generation: every leg of a search in one round trip, with the sources of the hits.

use super::mapping::{FILE, MANIFEST, NAMES, PASSAGE};
use super::stored::{self, Kept, StoredPassage};
use crate::corpus::{Document, Filter, Manifest, SourceFile};
use crate::error::Error;
use crate::ports::{Found, Leg, NameFact, Scored, Snapshot, WithVectors};
use crate::spelling::Spellings;
use crate::text::{Field, QueryTerms};
use assay_domain::Source;
use assay_elastic::{Attempts, Call, Client, Neighbours};
use async_trait::async_trait;
use bytes::Bytes;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::Arc;
use tokio::sync::OnceCell;

/// Attempts of a search.
const ATTEMPTS: u32 = 5;
/// Hits beyond the depth that are fetched so that ties at its edge are broken by id.
const TIE_MARGIN: usize = 32;
/// Fewest candidates that a shard looks at for nearest neighbours; more are looked at where more hits are asked for.
const FEWEST_CANDIDATES: usize = 200;
/// Most candidates that Elasticsearch looks at.
const MOST_CANDIDATES: usize = 10_000;
/// How many more candidates than hits are scored again with their full vectors.
const OVERSAMPLE: f64 = 3.0;
/// Documents of one page.
const PAGE: usize = 500;
/// Names that are offered for an unknown one.
const NEAR_NAMES: usize = 3;
/// Names that are looked up in one request.
const NAMES_ASKED: usize = 100;

/// An opened generation.
#[derive(Debug)]
pub(super) struct ElasticSnapshot {
    client: Arc<Client>,
    index: String,
    manifest: Manifest,
    /// Whether scores of several shards need statistics over all of them.
    many_shards: bool,
    neighbours: Neighbours,
    names: OnceCell<Arc<Spellings>>,
}

#[derive(Deserialize)]
struct Meta {
    shards: u16,
    neighbours: Neighbours,
}

#[derive(Deserialize)]
struct Hits<T> {
    hits: Inner<T>,
}

#[derive(Deserialize)]
struct Inner<T> {
    hits: Vec<Hit<T>>,
}

#[derive(Deserialize)]
struct Hit<T> {
    #[serde(rename = "_score")]
    score: Option<f64>,
    #[serde(rename = "_source")]
    source: Option<StoredIn<T>>,
    #[serde(default)]
    fields: KeptIn,
    #[serde(default)]
    sort: Vec<Value>,
}

#[derive(Deserialize)]
struct StoredIn<T> {
    stored: T,
}

#[derive(Deserialize, Default)]
struct KeptIn {
    #[serde(default)]
    kept: Vec<String>,
}

#[derive(Deserialize)]
struct Answers {
    responses: Vec<Value>,
}

fn corrupt(what: &str) -> Error {
    Error::Corrupt(what.to_owned())
}

impl ElasticSnapshot {
    pub(super) async fn open(client: Arc<Client>, index: &str) -> Result<Self, Error> {
        let told: HashMap<String, Value> =
            client.send(&Call::get(&format!("/{index}/_mapping"))).await?.json()?;
        let meta = told.get(index).map(|told| told["mappings"]["_meta"].clone()).unwrap_or_default();
        let meta: Meta = serde_json::from_value(meta).map_err(|error| Error::Corrupt(error.to_string()))?;
        let mut snapshot = Self {
            client,
            index: index.to_owned(),
            manifest: Manifest::empty(),
            many_shards: meta.shards > 1,
            neighbours: meta.neighbours,
            names: OnceCell::new(),
        };
        let mut header: Vec<Hit<Manifest>> = snapshot.pages(&of_type(MANIFEST), "type", false).await?;
        let manifest =
            header.pop().and_then(|hit| hit.source).ok_or_else(|| corrupt("it has no manifest"))?.stored;
        if manifest.schema != Manifest::SCHEMA {
            return Err(Error::Corrupt(format!("schema {} is not {}", manifest.schema, Manifest::SCHEMA)));
        }
        let files: Vec<Hit<SourceFile>> = snapshot.pages(&of_type(FILE), "key", false).await?;
        let files = files.into_iter().filter_map(|hit| hit.source).map(|source| source.stored).collect();
        snapshot.manifest = Manifest { files, ..manifest };
        if snapshot.manifest.id != snapshot.manifest.content_id() {
            return Err(corrupt("the manifest does not match its id"));
        }
        Ok(snapshot)
    }

    pub(super) fn is(&self, index: &str) -> bool {
        self.index == index
    }

    async fn page<T: DeserializeOwned>(
        &self,
        query: &Value,
        sort: &str,
        kept: bool,
        after: Option<&Value>,
    ) -> Result<Vec<Hit<T>>, Error> {
        let mut body = json!({
            "query": query,
            "size": PAGE,
            "sort": [{ sort: "asc" }],
            "_source": ["stored"],
            "track_total_hits": false,
        });
        if kept {
            body["stored_fields"] = json!(["kept"]);
        }
        if let Some(after) = after {
            body["search_after"] = json!([after]);
        }
        let path = format!("/{}/_search", self.index);
        let call = Call::post(&path).param("allow_partial_search_results", false).json(&body);
        let found: Hits<T> = self.client.send(&call).await?.json()?;
        Ok(found.hits.hits)
    }

    /// All documents of a query, in the order of a field in which they differ; with what is kept apart if asked for.
    async fn pages<T: DeserializeOwned>(
        &self,
        query: &Value,
        sort: &str,
        kept: bool,
    ) -> Result<Vec<Hit<T>>, Error> {
        let mut out: Vec<Hit<T>> = Vec::new();
        loop {
            let after = out.last().and_then(|hit| hit.sort.first()).cloned();
            let page = self.page(query, sort, kept, after.as_ref()).await?;
            let full = page.len() == PAGE;
            out.extend(page);
            if !full {
                return Ok(out);
            }
        }
    }

    /// Asks several searches in one round trip; again where a shard was busy.
    async fn ask(&self, bodies: &[Value]) -> Result<Vec<Value>, Error> {
        let mut header = json!({ "allow_partial_search_results": false });
        if self.many_shards {
            header["search_type"] = json!("dfs_query_then_fetch");
        }
        let lines: String = bodies.iter().map(|body| format!("{header}\n{body}\n")).collect();
        let path = format!("/{}/_msearch", self.index);
        let call = Call::post(&path).lines(Bytes::from(lines));
        let mut attempts = Attempts::new(ATTEMPTS);
        let answers = loop {
            match self.ask_once(&call, &path).await {
                Err(error) if attempts.again(&error).await => {}
                done => break done?,
            }
        };
        if answers.responses.len() != bodies.len() {
            return Err(corrupt("an answer is missing"));
        }
        Ok(answers.responses)
    }

    /// One search that failed for a moment is asked again with the others.
    async fn ask_once(&self, call: &Call<'_>, path: &str) -> Result<Answers, assay_elastic::Error> {
        let answers: Answers = self.client.once(call).await?.json()?;
        let failed = |one: &Value| assay_elastic::Error::of_part(path, one);
        match answers.responses.iter().filter_map(failed).find(assay_elastic::Error::is_transient) {
            Some(error) => Err(error),
            None => Ok(answers),
        }
    }

    fn bm25(&self, terms: &QueryTerms, filter: &Filter, depth: usize) -> Value {
        let should: Vec<Value> = terms
            .clauses()
            .map(|(field, term, boost)| json!({ "term": { name(field): { "value": term, "boost": boost } } }))
            .collect();
        json!({
            "query": { "bool": { "should": should, "minimum_should_match": 1, "filter": conditions(filter) } },
            "size": depth + TIE_MARGIN,
            "_source": ["stored"],
            "track_total_hits": false,
        })
    }

    fn knn(&self, vector: &[f32], filter: &Filter, depth: usize) -> Value {
        let wanted = depth + TIE_MARGIN;
        let candidates = (wanted * 2).clamp(FEWEST_CANDIDATES, MOST_CANDIDATES);
        let mut knn = json!({
            "field": "vector",
            "query_vector": vector,
            "k": wanted,
            "num_candidates": candidates,
            "filter": conditions(filter),
        });
        if self.neighbours == Neighbours::Hnsw {
            knn["rescore_vector"] = json!({ "oversample": OVERSAMPLE });
        }
        json!({ "knn": knn, "size": wanted, "_source": ["stored"], "track_total_hits": false })
    }

    /// Every name of the index; read once, for the first name that is not there.
    async fn known(&self) -> Result<Arc<Spellings>, Error> {
        let known = self.names.get_or_try_init(|| async {
            let pieces: Vec<Hit<NamesPiece>> = self.pages(&of_type(NAMES), "place", false).await?;
            let texts = pieces.iter().filter_map(|hit| hit.source.as_ref());
            let known = Spellings::of(texts.flat_map(|source| source.stored.names.lines()));
            Ok::<_, Error>(Arc::new(known))
        });
        known.await.map(Arc::clone)
    }

    /// Nearest known names, computed beside the async threads.
    async fn near(&self, name: &str) -> Result<Vec<String>, Error> {
        let (known, name) = (self.known().await?, name.to_owned());
        let near = move |stop: &(dyn Fn() -> bool + Sync)| known.nearest(&name, NEAR_NAMES, stop);
        let near = assay_rpc::task::while_wanted(near).await;
        near.map_err(|panic| Error::Internal(panic.to_string()))?.ok_or(Error::Stopped)
    }
}

#[derive(Deserialize)]
struct NamesPiece {
    names: String,
}

fn of_type(name: &str) -> Value {
    json!({ "term": { "type": name } })
}

fn name(field: Field) -> &'static str {
    match field {
        Field::Content => "content",
        Field::Title => "title",
        Field::Headings => "headings",
        Field::Identifiers => "identifiers",
    }
}

/// A filter as conditions that do not score.
fn conditions(filter: &Filter) -> Vec<Value> {
    let mut out = Vec::new();
    if !filter.paths.is_empty() {
        let below = filter.paths.iter().flat_map(|path| {
            [json!({ "term": { "path": path } }), json!({ "prefix": { "path": format!("{path}/") } })]
        });
        out.push(json!({ "bool": { "should": below.collect::<Vec<_>>() } }));
    }
    for (field, values) in [("kind", &filter.kinds), ("language", &filter.languages), ("tags", &filter.tags)]
    {
        if !values.is_empty() {
            out.push(json!({ "terms": { field: values } }));
        }
    }
    out
}

/// Ids with scores of one answer, and the sources beside them.
fn read(
    answer: Value,
    is_knn: bool,
    depth: usize,
    sources: &mut HashMap<String, Source>,
) -> Result<Vec<Scored>, Error> {
    let found: Hits<StoredPassage> =
        serde_json::from_value(answer).map_err(|error| Error::Corrupt(error.to_string()))?;
    let mut out = Vec::with_capacity(found.hits.hits.len());
    for hit in found.hits.hits {
        let stored = hit.source.ok_or_else(|| corrupt("a hit has no source"))?.stored;
        let score = hit.score.unwrap_or(0.0);
        // Elasticsearch gives (1 + cosine) / 2, so that no score is negative.
        let score = if is_knn { 2.0 * score - 1.0 } else { score };
        out.push(Scored { id: stored.id().to_owned(), score });
        sources.entry(stored.id().to_owned()).or_insert_with(|| stored.source());
    }
    out.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.id.cmp(&b.id)));
    out.truncate(depth);
    Ok(out)
}

#[async_trait]
impl Snapshot for ElasticSnapshot {
    fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    async fn search(&self, legs: &[Leg<'_>], filter: &Filter, depth: usize) -> Result<Found, Error> {
        let asks = |leg: &Leg<'_>| match leg {
            Leg::Bm25(terms) => depth > 0 && !terms.is_empty(),
            Leg::Knn(vector) => depth > 0 && vector.len() == self.manifest.embedding.dims,
        };
        let bodies: Vec<Value> = legs
            .iter()
            .filter(|leg| asks(leg))
            .map(|leg| match leg {
                Leg::Bm25(terms) => self.bm25(terms, filter, depth),
                Leg::Knn(vector) => self.knn(vector, filter, depth),
            })
            .collect();
        let answers = if bodies.is_empty() { Vec::new() } else { self.ask(&bodies).await? };
        let path = format!("/{}/_msearch", self.index);
        let mut answers = answers.into_iter();
        let mut found = Found::default();
        for leg in legs {
            let answer = if asks(leg) { answers.next() } else { None };
            let ranking = match answer {
                None => Ok(Vec::new()),
                Some(answer) => match assay_elastic::Error::of_part(&path, &answer) {
                    Some(error) => Err(error.into()),
                    None => read(answer, matches!(leg, Leg::Knn(_)), depth, &mut found.sources),
                },
            };
            found.rankings.push(ranking);
        }
        Ok(found)
    }

    async fn fetch(&self, ids: &[String]) -> Result<Vec<Source>, Error> {
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        #[derive(Deserialize)]
        struct Documents {
            docs: Vec<OneDocument>,
        }
        #[derive(Deserialize)]
        struct OneDocument {
            #[serde(rename = "_source")]
            source: Option<StoredIn<StoredPassage>>,
        }
        let asked: Vec<String> = ids.iter().map(|id| stored::passage_id(id)).collect();
        let path = format!("/{}/_mget", self.index);
        let found: Documents =
            self.client.send(&Call::post(&path).json(&json!({ "ids": asked }))).await?.json()?;
        Ok(found.docs.into_iter().filter_map(|doc| doc.source).map(|source| source.stored.source()).collect())
    }

    async fn document(&self, key: &str) -> Result<Option<(Document, WithVectors)>, Error> {
        let Some(entry) = self.manifest.file(key) else { return Ok(None) };
        #[derive(Deserialize)]
        struct WithText {
            #[serde(default)]
            fields: KeptIn,
        }
        let path = format!("/{}/_doc/{}", self.index, stored::file_id(key));
        let call = Call::get(&path).param("stored_fields", "kept");
        let mut text: WithText = self.client.send(&call).await?.json()?;
        let text = text.fields.kept.pop().ok_or_else(|| corrupt("a document has no text"))?;
        let text = String::from_utf8(stored::decoded(&text)?).map_err(|_| corrupt("a text is not UTF-8"))?;
        let query = json!({ "bool": { "filter": [
            { "term": { "type": PASSAGE } },
            { "term": { "key": key } },
        ] } });
        let hits: Vec<Hit<StoredPassage>> = self.pages(&query, "place", true).await?;
        let passages = hits
            .into_iter()
            .map(|mut hit| {
                let stored = hit.source.ok_or_else(|| corrupt("a passage has no source"))?.stored;
                let kept = hit.fields.kept.pop().ok_or_else(|| corrupt("a passage has no terms"))?;
                stored.restored(stored::unpacked::<Kept>(&kept)?)
            })
            .collect::<Result<WithVectors, Error>>()?;
        if passages.len() != entry.passages as usize {
            return Err(corrupt("passages of a document are missing"));
        }
        Ok(Some((Document { text, ..entry.document.clone() }, passages)))
    }

    async fn names(&self, names: &[String]) -> Result<Vec<NameFact>, Error> {
        let mut out = Vec::with_capacity(names.len());
        for step in names.chunks(NAMES_ASKED) {
            let bodies: Vec<Value> = step
                .iter()
                .map(|name| {
                    json!({ "query": { "term": { "names": name } }, "size": 0, "terminate_after": 1, "track_total_hits": 1 })
                })
                .collect();
            let answers = self.ask(&bodies).await?;
            for (name, answer) in step.iter().zip(answers) {
                let count = answer["hits"]["total"]["value"].as_u64();
                let exists = count.ok_or_else(|| corrupt("a search gave no count"))? > 0;
                let near = if exists { Vec::new() } else { self.near(name).await? };
                out.push(NameFact { exists, near });
            }
        }
        Ok(out)
    }
}
