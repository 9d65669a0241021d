//! The use cases of retrieval over its ports.

use crate::corpus::{EmbeddingIdentity, Filter, Manifest, Scope, sha256_hex};
use crate::error::Error;
use crate::few_shot;
use crate::ingest::run::Run;
use crate::ingest::{Header, Part, Progress};
use crate::lines::{self, Lines};
use crate::lint::{self, Linted};
use crate::lookup::{self, Facts};
use crate::options::{Options, Weights};
use crate::ports::{Embedder, Purpose, Snapshot, Store};
use crate::search::{self, Plan};
use assay_domain::evidence::SearchMode;
use assay_domain::{Failure, LineRange, SourceKind};
use futures::Stream;
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::{OnceCell, OwnedSemaphorePermit, Semaphore, mpsc};

/// Longest query, in bytes; longer than any question, because a retry's hint quotes one.
const MAX_QUERY_BYTES: usize = 32 * 1024;
/// Texts that are embedded together in one `Embed` call.
const EMBED_STEP: usize = 64;
/// Most formulations of one search.
const MAX_QUERIES: usize = 8;

/// Finds evidence; the only owner of the vector space.
pub struct Retrieval {
    options: Options,
    store: Arc<dyn Store>,
    embedder: Arc<dyn Embedder>,
    /// One ingest per collection at a time.
    writing: Mutex<HashMap<Scope, Arc<tokio::sync::Mutex<()>>>>,
    /// The example pool, indexed once per process.
    pool: OnceCell<()>,
    /// Requests that compute at once.
    turns: Arc<Semaphore>,
}

impl std::fmt::Debug for Retrieval {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Retrieval").field("embedder", self.embedder.identity()).finish_non_exhaustive()
    }
}

impl Retrieval {
    /// A service over these adapters.
    #[must_use]
    pub fn new(options: Options, store: Arc<dyn Store>, embedder: Arc<dyn Embedder>) -> Self {
        let turns = Arc::new(Semaphore::new(options.parallel().min(Semaphore::MAX_PERMITS)));
        Self { options, store, embedder, writing: Mutex::default(), pool: OnceCell::new(), turns }
    }

    /// Which model embeds here.
    #[must_use]
    pub fn embedding(&self) -> &EmbeddingIdentity {
        self.embedder.identity()
    }

    /// Its settings.
    #[must_use]
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Whether the service can answer: its own storage is usable.
    ///
    /// # Errors
    /// `SEARCH_UNAVAILABLE` with the reason.
    pub async fn check(&self) -> Result<(), Failure> {
        Ok(self.store.check().await?)
    }

    /// Loads the model and indexes the example pool, so that the first request need not. Failures are logged; the
    /// requests that need the part will name them.
    pub async fn warm(&self) {
        if let Err(error) = self.embedder.embed(vec!["warm up".to_owned()], Purpose::Query).await {
            tracing::warn!(%error, "the embedding model cannot be used");
        }
        if let Err(error) = self.pool().await {
            tracing::warn!(%error, "the example pool cannot be used");
        }
    }

    /// Searches a collection of a tenant.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` for an empty or over-long query and a limit out of range, `NOT_FOUND` without such a
    /// collection, `SEARCH_UNAVAILABLE` if no leg of the mode can be used.
    pub async fn search(&self, tenant: &str, request: &search::Request) -> Result<search::Response, Failure> {
        let scope = Scope::new(tenant, &request.collection)?;
        let mut queries = vec![request.query.clone()];
        queries.extend(request.further_queries.iter().filter(|query| !query.trim().is_empty()).cloned());
        check_queries(&queries)?;
        if let Some(kind) = request.filter.kinds.iter().find(|kind| SourceKind::from_name(kind).is_none()) {
            let message = format!("`{kind}` is no kind of document; there are doc, code and example");
            return Err(Error::invalid("kind", message).into());
        }
        let limit = self.limit(request.limit, self.options.hits)?;
        let plan = Plan {
            mode: request.mode,
            limit,
            depth: self.options.leg_depth.max(limit),
            weights: self.options.weights.get(scope.collection()).copied().unwrap_or_default(),
        };
        let _turn = self.turn().await?;
        let snapshot = self.snapshot(&scope).await?;
        search::search(snapshot.as_ref(), self.embedder.as_ref(), &queries, &request.filter, plan).await
    }

    /// Finds validated examples for a task. A pool in another language than AVAP does not exist and is empty.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` for an empty task, a limit out of range; what the pool's own search says.
    pub async fn few_shot(&self, request: &few_shot::Request) -> Result<few_shot::Response, Failure> {
        let queries = [request.task.clone()];
        check_queries(&queries)?;
        let limit = self.limit(request.limit, self.options.few_shot)?;
        if !request.language.is_empty() && !request.language.eq_ignore_ascii_case("avap") {
            return Ok(few_shot::Response::default());
        }
        let _turn = self.turn().await?;
        self.pool().await?;
        let snapshot = self.snapshot(&few_shot::scope()).await?;
        // Each example is there once per language, so twice as many are ranked.
        let plan = Plan {
            mode: SearchMode::Hybrid,
            limit: limit * 2,
            depth: self.options.leg_depth.max(limit * 2),
            weights: Weights::default(),
        };
        let found =
            search::search(snapshot.as_ref(), self.embedder.as_ref(), &queries, &Filter::default(), plan)
                .await?;
        let degraded = !found.degraded.is_empty();
        let mut seen = HashSet::new();
        let mut examples = found.hits;
        examples.retain(|hit| seen.insert(few_shot::example_id(&hit.source.id).to_owned()));
        examples.truncate(limit);
        for hit in &mut examples {
            hit.source.id = few_shot::example_id(&hit.source.id).to_owned();
        }
        Ok(few_shot::Response { examples, degraded })
    }

    /// Resolves paths, names and cited bytes against a collection.
    ///
    /// # Errors
    /// `PAYLOAD_TOO_LARGE` for too many entries, `NOT_FOUND` without such a collection.
    pub async fn look_up(
        &self,
        tenant: &str,
        collection: &str,
        request: &lookup::Request,
    ) -> Result<Facts, Failure> {
        let scope = Scope::new(tenant, collection)?;
        let most = self.options.max_lookups;
        for (field, count) in
            [("paths", request.paths.len()), ("names", request.names.len()), ("cited", request.cited.len())]
        {
            if count > most {
                let message = format!("{count} entries were sent; at most {most} are looked up at once");
                return Err(Error::TooLarge { field, message }.into());
            }
        }
        let _turn = self.turn().await?;
        let snapshot = self.snapshot(&scope).await?;
        Ok(lookup::look_up(&snapshot, request).await?)
    }

    /// Reads lines of a document.
    ///
    /// # Errors
    /// `NOT_FOUND` without such a collection or document, `INVALID_ARGUMENT` for lines that it does not have.
    pub async fn read_lines(
        &self,
        tenant: &str,
        collection: &str,
        path: &str,
        wanted: LineRange,
    ) -> Result<Lines, Failure> {
        let scope = Scope::new(tenant, collection)?;
        let _turn = self.turn().await?;
        let snapshot = self.snapshot(&scope).await?;
        Ok(lines::read(&snapshot, path, wanted).await?)
    }

    /// Finds the mistakes in the documents of a collection.
    ///
    /// # Errors
    /// `NOT_FOUND` without such a collection, `PAYLOAD_TOO_LARGE` if it has too much text.
    pub async fn lint(&self, tenant: &str, collection: &str) -> Result<Linted, Failure> {
        let scope = Scope::new(tenant, collection)?;
        let turn = self.turn().await?;
        let snapshot = self.snapshot(&scope).await?;
        Ok(lint::lint(snapshot.as_ref(), turn).await?)
    }

    /// Embeds texts.
    ///
    /// # Errors
    /// `PAYLOAD_TOO_LARGE` for too many or too large texts, `SEARCH_UNAVAILABLE` if the model cannot be used.
    pub async fn embed(&self, texts: Vec<String>) -> Result<Vec<Vec<f32>>, Failure> {
        if texts.len() > self.options.max_embed_texts {
            let message = format!(
                "{} texts were sent; at most {} are embedded at once",
                texts.len(),
                self.options.max_embed_texts
            );
            return Err(Error::TooLarge { field: "texts", message }.into());
        }
        let most = self.options.max_text_bytes;
        if let Some(text) = texts.iter().find(|text| text.len() > most) {
            let message = format!("a text has {} bytes; at most {most} are embedded", text.len());
            return Err(Error::TooLarge { field: "texts", message }.into());
        }
        let _turn = self.turn().await?;
        let mut vectors = Vec::with_capacity(texts.len());
        // In steps, so that a call that nobody waits for any more ends.
        for step in texts.chunks(EMBED_STEP) {
            vectors.extend(self.embedder.embed(step.to_vec(), Purpose::Query).await?);
        }
        Ok(vectors)
    }

    /// Manifests of a tenant's collections, by name. A collection that cannot be opened is logged and left out.
    ///
    /// # Errors
    /// `SEARCH_UNAVAILABLE` if the store cannot be read.
    pub async fn collections(&self, tenant: &str) -> Result<Vec<Manifest>, Failure> {
        let mut out = Vec::new();
        for scope in self.store.collections(tenant).await? {
            match self.store.open(&scope).await {
                Ok(Some(snapshot)) => out.push(snapshot.manifest().clone()),
                Ok(None) => {}
                Err(error) => {
                    tracing::error!(%error, collection = scope.collection(), "a collection cannot be opened")
                }
            }
        }
        Ok(out)
    }

    /// What a collection holds.
    ///
    /// # Errors
    /// `NOT_FOUND` without such a collection, `SEARCH_UNAVAILABLE` if it cannot be read.
    pub async fn describe(&self, tenant: &str, collection: &str) -> Result<Manifest, Failure> {
        Ok(self.snapshot(&Scope::new(tenant, collection)?).await?.manifest().clone())
    }

    /// Deletes a collection; waits for an ingest of it that is under way in this process.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` without a name, `NOT_FOUND` without such a collection, what the store says.
    pub async fn delete(&self, tenant: &str, collection: &str) -> Result<(), Failure> {
        if collection.is_empty() {
            return Err(Error::invalid("collection", "name the collection that is to be deleted").into());
        }
        let scope = Scope::new(tenant, collection)?;
        let lock = self.writer(&scope);
        let _writing = lock.lock().await;
        if self.store.delete(&scope).await? {
            Ok(())
        } else {
            Err(Error::NoCollection(collection.to_owned()).into())
        }
    }

    /// The turn to write a collection.
    fn writer(&self, scope: &Scope) -> Arc<tokio::sync::Mutex<()>> {
        let mut writing = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(writing.entry(scope.clone()).or_default())
    }

    /// Indexes what the stream brings and switches to the new index at its end; gives its manifest and the last state
    /// of the progress. Dropping the future changes nothing.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` for a collection name that is not accepted, `PAYLOAD_TOO_LARGE` beyond the limits, what
    /// the stream, the model and the store say. Files that cannot be indexed are no errors: they are in the progress.
    pub async fn ingest(
        &self,
        tenant: &str,
        header: &Header,
        parts: impl Stream<Item = Result<Part, Failure>> + Send,
        events: &mpsc::Sender<Progress>,
        now_unix_ms: u64,
    ) -> Result<(Manifest, Progress), Failure> {
        let scope = Scope::new(tenant, &header.collection)?;
        self.ingest_into(&scope, header, parts, events, now_unix_ms).await
    }

    async fn ingest_into(
        &self,
        scope: &Scope,
        header: &Header,
        parts: impl Stream<Item = Result<Part, Failure>> + Send,
        events: &mpsc::Sender<Progress>,
        now_unix_ms: u64,
    ) -> Result<(Manifest, Progress), Failure> {
        let lock = self.writer(scope);
        let _writing = lock.lock().await;
        let run = Run {
            store: self.store.as_ref(),
            embedder: self.embedder.as_ref(),
            options: &self.options,
            scope,
            header,
            now_unix_ms,
        };
        run.run(parts, events).await
    }

    /// Sees to it that the example pool is indexed as it is compiled in.
    async fn pool(&self) -> Result<(), Failure> {
        let make = || async {
            let (events, mut ignored) = mpsc::channel(16);
            let parts = futures::stream::iter(few_shot::parts().into_iter().map(Ok));
            let (scope, header) = (few_shot::scope(), few_shot::header());
            // The pool is the same whenever it is made, so its manifest carries no time.
            let work = async {
                let done = self.ingest_into(&scope, &header, parts, &events, 0).await;
                drop(events);
                done
            };
            let (done, ()) = futures::join!(work, async { while ignored.recv().await.is_some() {} });
            done.map(|(manifest, _)| {
                tracing::debug!(examples = manifest.files.len() / 2, "the example pool is ready");
            })
        };
        self.pool.get_or_try_init(make).await?;
        Ok(())
    }

    /// A turn at the processors; a request waits for it no longer than its deadline.
    async fn turn(&self) -> Result<OwnedSemaphorePermit, Failure> {
        let turns = Arc::clone(&self.turns);
        turns.acquire_owned().await.map_err(|closed| Failure::internal(closed.to_string()))
    }

    async fn snapshot(&self, scope: &Scope) -> Result<Arc<dyn Snapshot>, Failure> {
        let found = self.store.open(scope).await?;
        Ok(found.ok_or_else(|| Error::NoCollection(scope.collection().to_owned()))?)
    }

    fn limit(&self, asked: usize, default: usize) -> Result<usize, Failure> {
        let limit = if asked == 0 { default } else { asked };
        if limit > self.options.max_hits {
            let message = format!("{limit} were asked for; at most {} are returned", self.options.max_hits);
            return Err(Error::invalid("limit", message).into());
        }
        Ok(limit)
    }
}

fn check_queries(queries: &[String]) -> Result<(), Failure> {
    if queries.first().is_none_or(|query| query.trim().is_empty()) {
        return Err(Error::invalid("query", "the query is empty; say what to search for").into());
    }
    if queries.len() > MAX_QUERIES {
        return Err(
            Error::invalid("further_queries", format!("at most {} can be sent", MAX_QUERIES - 1)).into()
        );
    }
    if let Some(query) = queries.iter().find(|query| query.len() > MAX_QUERY_BYTES) {
        let message =
            format!("a query has {} bytes; at most {MAX_QUERY_BYTES} are searched for", query.len());
        return Err(Error::TooLarge { field: "query", message }.into());
    }
    Ok(())
}

/// SHA-256 of a text as this service computes it, for peers that recompute it.
#[must_use]
pub fn text_sha256(text: &str) -> String {
    sha256_hex(text.as_bytes())
}
