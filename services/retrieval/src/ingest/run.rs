//! One ingest: compares what comes with what is there, makes passages and vectors for what changed, and switches.

use super::prepare::{Prepared, keys, prepare};
use super::{Header, Part, Progress, Skipped};
use crate::corpus::{Document, Lint, Manifest, Scope, is_below};
use crate::error::Error;
use crate::options::Options;
use crate::ports::{Build, Embedder, Purpose, Snapshot, Store, VectorKey, WithVectors};
use crate::text::ANALYSIS;
use assay_chunk::CHUNKER;
use assay_domain::Failure;
use futures::{Stream, StreamExt};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;
use tokio::sync::mpsc;

/// Passages that are embedded together; also how often progress is told and vectors are kept.
const WINDOW: usize = 128;
/// Files between two progress messages at most.
const FILES_PER_MESSAGE: u64 = 32;

/// What an ingest works with.
pub(crate) struct Run<'a> {
    pub(crate) store: &'a dyn Store,
    pub(crate) embedder: &'a dyn Embedder,
    pub(crate) options: &'a Options,
    pub(crate) scope: &'a Scope,
    pub(crate) header: &'a Header,
    /// When the index is made, in milliseconds since the Unix epoch.
    pub(crate) now_unix_ms: u64,
}

/// Documents on their way to the build.
#[derive(Default)]
struct Pending {
    documents: Vec<Prepared>,
    passages: usize,
}

impl Run<'_> {
    /// Takes in the stream; gives the manifest and the progress that was not told yet. Nothing is visible before the end, and nothing at all if it fails or is dropped.
    pub(crate) async fn run(
        &self,
        parts: impl Stream<Item = Result<Part, Failure>> + Send,
        events: &mpsc::Sender<Progress>,
    ) -> Result<(Manifest, Progress), Failure> {
        let old = self.store.open(self.scope).await?;
        let state = State {
            reusable: old.as_ref().is_some_and(|old| self.is_current(old.manifest())),
            old,
            progress: Progress::default(),
            lint: Lint::default(),
            pending: Pending::default(),
            build: None,
            seen: BTreeSet::new(),
            bytes: 0,
        };
        state.run(self, parts, events).await
    }

    /// Whether passages of this index can be taken over as they are.
    fn is_current(&self, manifest: &Manifest) -> bool {
        manifest.chunker == CHUNKER
            && manifest.analysis == ANALYSIS
            && manifest.embedding == *self.embedder.identity()
    }

    /// Whether a document that the stream did not bring is forgotten.
    fn forgets(&self, document: &Document) -> bool {
        let below = |folder: &String| folder.is_empty() || is_below(&document.path, folder);
        self.header.replace || (!document.path.is_empty() && self.header.replace_below.iter().any(below))
    }
}

/// What changes while the stream is read.
struct State {
    old: Option<Arc<dyn Snapshot>>,
    reusable: bool,
    progress: Progress,
    lint: Lint,
    pending: Pending,
    build: Option<Box<dyn Build>>,
    seen: BTreeSet<String>,
    bytes: u64,
}

impl State {
    async fn run(
        mut self,
        run: &Run<'_>,
        parts: impl Stream<Item = Result<Part, Failure>> + Send,
        events: &mpsc::Sender<Progress>,
    ) -> Result<(Manifest, Progress), Failure> {
        let mut parts = std::pin::pin!(parts);
        let mut unchanged: Vec<String> = Vec::new();
        while let Some(part) = parts.next().await {
            if let Some(kept) = self.take(run, part?).await? {
                unchanged.push(kept);
            }
            if self.pending.passages >= WINDOW {
                self.flush(run, events).await?;
            } else if self.progress.files_done.is_multiple_of(FILES_PER_MESSAGE)
                || !self.progress.skipped.is_empty()
            {
                self.tell(events).await;
            }
        }
        // What was there and was not sent again stays, unless it is to be forgotten.
        let mut kept = unchanged;
        let mut forgotten = false;
        if let Some(old) = &self.old {
            for file in &old.manifest().files {
                if self.seen.contains(&file.document.key) {
                    continue;
                }
                if run.forgets(&file.document) {
                    forgotten = true;
                } else {
                    self.bytes += file.bytes;
                    kept.push(file.document.key.clone());
                }
            }
        }
        self.check_size(run, kept.len())?;
        let changed =
            self.build.is_some() || !self.pending.documents.is_empty() || forgotten || !self.reusable;
        if let (false, Some(old)) = (changed, &self.old) {
            return Ok((old.manifest().clone(), self.progress));
        }
        for key in kept {
            self.keep(run, &key).await?;
            if self.pending.passages >= WINDOW {
                self.flush(run, events).await?;
            }
        }
        self.flush(run, events).await?;
        self.build(run).await?;
        let build = self.build.take().ok_or_else(|| Error::Internal("no build was started".to_owned()))?;
        let manifest = Manifest {
            schema: Manifest::SCHEMA,
            id: String::new(),
            collection: run.scope.collection().to_owned(),
            chunker: CHUNKER.to_owned(),
            analysis: ANALYSIS.to_owned(),
            embedding: run.embedder.identity().clone(),
            passages: 0,
            created_unix_ms: run.now_unix_ms,
            lint: std::mem::take(&mut self.lint),
            files: Vec::new(),
        };
        let manifest = build.finish(manifest).await?.manifest().clone();
        Ok((manifest, self.progress))
    }

    /// Takes one file or item; gives its key back if it is unchanged.
    async fn take(&mut self, run: &Run<'_>, part: Part) -> Result<Option<String>, Failure> {
        self.progress.files_done += 1;
        let name = part.name().to_owned();
        let most = run.options.max_file_bytes;
        let read = assay_rpc::task::blocking(move || {
            part.into_document(most).map(|document| (document.fingerprint(), document))
        });
        let (fingerprint, document) = match read.await? {
            Ok(read) => read,
            Err(reason) => {
                self.progress.skipped.push(Skipped { path: name, reason });
                return Ok(None);
            }
        };
        if !self.seen.insert(document.key.clone()) {
            let reason = "it was given twice; the first one counts".to_owned();
            self.progress.skipped.push(Skipped { path: name, reason });
            return Ok(None);
        }
        self.bytes += document.text.len() as u64;
        self.check_size(run, 0)?;
        let known = self.old.as_ref().and_then(|old| old.manifest().file(&document.key));
        if self.reusable && known.is_some_and(|known| known.fingerprint == fingerprint) {
            self.progress.files_unchanged += 1;
            return Ok(Some(document.key));
        }
        self.prepare(run, document).await?;
        Ok(None)
    }

    /// Takes a document over from the old index.
    async fn keep(&mut self, run: &Run<'_>, key: &str) -> Result<(), Failure> {
        let Some(old) = &self.old else { return Ok(()) };
        let found = old.document(key).await?;
        let (document, passages) = found.ok_or_else(|| Error::Corrupt(format!("`{key}` cannot be read")))?;
        if !self.reusable {
            return self.prepare(run, document).await;
        }
        self.lint.add(&document);
        self.progress.chunks_done += passages.len() as u64;
        self.build(run).await?.add(document, passages).await?;
        Ok(())
    }

    async fn prepare(&mut self, run: &Run<'_>, document: Document) -> Result<(), Failure> {
        let model = run.embedder.identity().clone();
        let prepared = assay_rpc::task::blocking(move || prepare(document, &model)).await?;
        self.progress.chunks_done += prepared.passages.len() as u64;
        self.pending.passages += prepared.passages.len();
        self.pending.documents.push(prepared);
        Ok(())
    }

    /// The build, started when it is first needed.
    async fn build(&mut self, run: &Run<'_>) -> Result<&mut Box<dyn Build>, Error> {
        let build = match self.build.take() {
            Some(build) => build,
            None => {
                let build = run.store.build(run.scope, run.embedder.identity().dims).await?;
                // What another process wrote after the old index was read would be lost.
                let id = |index: &Arc<dyn Snapshot>| index.manifest().id.clone();
                if run.store.open(run.scope).await?.as_ref().map(id) != self.old.as_ref().map(id) {
                    return Err(Error::Busy(run.scope.collection().to_owned()));
                }
                build
            }
        };
        Ok(self.build.insert(build))
    }

    /// Finds or makes the vectors of what is pending and adds it to the build.
    async fn flush(&mut self, run: &Run<'_>, events: &mpsc::Sender<Progress>) -> Result<(), Failure> {
        let pending = std::mem::take(&mut self.pending);
        if pending.documents.is_empty() {
            self.tell(events).await;
            return Ok(());
        }
        let model = run.embedder.identity();
        let mut wanted: Vec<(VectorKey, String)> = Vec::with_capacity(pending.passages);
        for prepared in &pending.documents {
            wanted.extend(prepared.keys.iter().copied().zip(prepared.embedded.iter().cloned()));
        }
        let mut vectors = self.old_vectors(run, &pending).await?;
        let keys: Vec<VectorKey> = wanted.iter().map(|(key, _)| *key).collect();
        let recalled = self.build(run).await?.recall(&keys).await?;
        for (key, vector) in keys.iter().zip(recalled) {
            if let Some(vector) = vector.filter(|vector| vector.len() == model.dims) {
                vectors.insert(*key, vector);
            }
        }
        let mut asked = HashSet::new();
        let mut missing = wanted;
        missing.retain(|(key, _)| !vectors.contains_key(key) && asked.insert(*key));
        self.progress.chunks_to_embed += missing.len() as u64;
        self.tell(events).await;
        // A large file is embedded in several steps, so that progress is told and little is lost by a crash.
        while !missing.is_empty() {
            let step: Vec<(VectorKey, String)> = missing.drain(..missing.len().min(WINDOW)).collect();
            let (keys, texts): (Vec<VectorKey>, Vec<String>) = step.into_iter().unzip();
            let made = run.embedder.embed(texts, Purpose::Passage).await?;
            if made.len() != keys.len() || made.iter().any(|vector| vector.len() != model.dims) {
                return Err(Error::Embedding(
                    "the model returned vectors of another number or size".to_owned(),
                )
                .into());
            }
            let made: Vec<(VectorKey, Vec<f32>)> = keys.into_iter().zip(made).collect();
            self.build(run).await?.remember(&made).await?;
            self.progress.chunks_embedded += made.len() as u64;
            vectors.extend(made);
            self.tell(events).await;
        }
        for Prepared { document, passages, keys, .. } in pending.documents {
            let made = keys.iter().map(|key| vectors.get(key).cloned().unwrap_or_default());
            let with_vectors: WithVectors = passages.into_iter().zip(made).collect();
            self.lint.add(&document);
            self.build(run).await?.add(document, with_vectors).await?;
        }
        Ok(())
    }

    /// Vectors that the old index has for documents of the same key; an edit leaves most passages as they were.
    async fn old_vectors(
        &self,
        run: &Run<'_>,
        pending: &Pending,
    ) -> Result<HashMap<VectorKey, Vec<f32>>, Error> {
        let mut out = HashMap::new();
        let model = run.embedder.identity();
        // Vectors of another chunker stand for other words.
        let usable = |old: &&Arc<dyn Snapshot>| {
            old.manifest().embedding == *model && old.manifest().chunker == CHUNKER
        };
        let Some(old) = self.old.as_ref().filter(usable) else { return Ok(out) };
        for prepared in &pending.documents {
            if let Some((document, passages)) = old.document(&prepared.document.key).await? {
                let model = model.clone();
                let made = assay_rpc::task::blocking(move || {
                    let (passages, vectors): (Vec<_>, Vec<_>) = passages.into_iter().unzip();
                    keys(&document, &passages, &model).into_iter().zip(vectors).collect::<Vec<_>>()
                });
                out.extend(made.await.map_err(|panic| Error::Internal(panic.to_string()))?);
            }
        }
        Ok(out)
    }

    fn check_size(&self, run: &Run<'_>, more_files: usize) -> Result<(), Error> {
        let limits = run.options;
        if self.seen.len() + more_files > limits.max_files {
            let message =
                format!("a collection has at most {} files; make another collection", limits.max_files);
            return Err(Error::TooLarge { field: "max_files", message });
        }
        if self.bytes > limits.max_collection_bytes {
            let message = format!(
                "a collection has at most {} bytes; make another collection",
                limits.max_collection_bytes
            );
            return Err(Error::TooLarge { field: "max_collection_bytes", message });
        }
        Ok(())
    }

    /// Tells how far it is; a caller that does not listen any more is no reason to stop.
    async fn tell(&mut self, events: &mpsc::Sender<Progress>) {
        let skipped = std::mem::take(&mut self.progress.skipped);
        let _ = events.send(Progress { skipped, ..self.progress.clone() }).await;
    }
}
