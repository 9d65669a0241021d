//! Building a generation beside the current one, and switching to it.

use super::layout::{
    self, IDS, LEXICAL, MANIFEST, NAMES, PASSAGES, PASSAGES_INDEX, TEXTS, TEXTS_INDEX, VECTORS,
};
use super::partial::Partial;
use super::records::{Span, read_span};
use super::snapshot::DiskSnapshot;
use super::{Turn, blocking, lexical};
use crate::corpus::{Document, Manifest, Passage, Scope, SourceFile};
use crate::error::Error;
use crate::ports::{Build, Snapshot, VectorKey, WithVectors};
use async_trait::async_trait;
use std::collections::{BTreeSet, HashMap};
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// Snapshots that are open, shared with the store.
type Open = Arc<Mutex<HashMap<Scope, Arc<DiskSnapshot>>>>;

/// A generation being built; none while a step of it runs beside the async threads.
#[derive(Debug)]
pub(super) struct DiskBuild(Option<Generation>);

impl DiskBuild {
    /// Starts a generation; what earlier builds left half-done is removed.
    pub(super) fn start(folder: PathBuf, scope: Scope, open: Open, turn: Turn) -> Result<Self, Error> {
        Generation::start(folder, scope, open, turn).map(|generation| Self(Some(generation)))
    }

    /// Runs a step of the build beside the async threads. A step that nobody waits for ends the build.
    async fn step<T: Send + 'static>(
        &mut self,
        work: impl FnOnce(&mut Generation) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        let mut generation =
            self.0.take().ok_or_else(|| Error::Internal("the build has ended".to_owned()))?;
        let (generation, done) = blocking(move || {
            let done = work(&mut generation);
            Ok((generation, done))
        })
        .await?;
        self.0 = Some(generation);
        done
    }
}

#[derive(Debug)]
struct Generation {
    folder: PathBuf,
    scope: Scope,
    open: Open,
    generation: String,
    texts: Appender,
    passages: Appender,
    files: Vec<(SourceFile, Span)>,
    rows: Vec<Row>,
    names: BTreeSet<String>,
    partial: Partial,
    finished: bool,
    _turn: Turn,
}

/// A passage that was written.
#[derive(Debug)]
struct Row {
    id: String,
    file: usize,
    span: Span,
    vector: Vec<f32>,
}

/// A file that grows at its end.
#[derive(Debug)]
struct Appender {
    file: BufWriter<File>,
    length: u64,
}

impl Appender {
    fn create(path: &Path) -> Result<Self, Error> {
        let file = layout::create(path).map_err(|error| Error::io("cannot create an index file", &error))?;
        Ok(Self { file: BufWriter::new(file), length: 0 })
    }

    fn append(&mut self, bytes: &[u8]) -> Result<Span, Error> {
        self.file.write_all(bytes).map_err(|error| Error::io("cannot write an index file", &error))?;
        let span = (self.length, bytes.len() as u64);
        self.length += span.1;
        Ok(span)
    }

    fn close(&mut self) -> Result<(), Error> {
        let failed = |error: std::io::Error| Error::io("cannot write an index file", &error);
        self.file.flush().map_err(failed)?;
        self.file.get_ref().sync_all().map_err(failed)
    }
}

impl Generation {
    fn start(folder: PathBuf, scope: Scope, open: Open, turn: Turn) -> Result<Self, Error> {
        layout::make_folder(&folder)
            .map_err(|error| Error::io("cannot make the collection's folder", &error))?;
        let current = layout::current(&folder)?;
        layout::sweep(&folder, current.as_deref());
        let newest = layout::generations(&folder).into_iter().max().unwrap_or(0);
        let generation = layout::generation(newest + 1);
        let dir = folder.join(&generation);
        layout::make_folder(&dir).map_err(|error| Error::io("cannot make the index folder", &error))?;
        Ok(Self {
            partial: Partial::open(&folder),
            texts: Appender::create(&dir.join(TEXTS))?,
            passages: Appender::create(&dir.join(PASSAGES))?,
            folder,
            scope,
            open,
            generation,
            files: Vec::new(),
            rows: Vec::new(),
            names: BTreeSet::new(),
            finished: false,
            _turn: turn,
        })
    }

    fn complete(mut self, mut manifest: Manifest) -> Result<Arc<DiskSnapshot>, Error> {
        let dir = self.folder.join(&self.generation);
        self.texts.close()?;
        self.passages.close()?;

        // Documents in order of key, rows in order of id: equal scores are then equal in order of id.
        let mut order: Vec<usize> = (0..self.files.len()).collect();
        order.sort_by(|a, b| self.key(*a).cmp(self.key(*b)));
        if order.windows(2).any(|pair| self.key(pair[0]) == self.key(pair[1])) {
            return Err(Error::Internal("a document was added twice".to_owned()));
        }
        let mut place_of = vec![0_usize; order.len()];
        for (place, file) in order.iter().enumerate() {
            if let Some(slot) = place_of.get_mut(*file) {
                *slot = place;
            }
        }
        self.rows.sort_by(|a, b| a.id.cmp(&b.id));
        if let Some(pair) = self.rows.windows(2).find(|pair| pair[0].id == pair[1].id) {
            return Err(Error::invalid("id", format!("two chunks have the id `{}`", pair[0].id)));
        }

        let ids: Vec<(&str, usize)> = self
            .rows
            .iter()
            .map(|row| (row.id.as_str(), place_of.get(row.file).copied().unwrap_or(0)))
            .collect();
        write_json(&dir.join(IDS), &ids)?;
        write_spans(&dir.join(PASSAGES_INDEX), self.rows.iter().map(|row| row.span))?;
        write_spans(
            &dir.join(TEXTS_INDEX),
            order.iter().filter_map(|file| self.files.get(*file)).map(|(_, span)| *span),
        )?;
        let floats =
            self.rows.iter().flat_map(|row| &row.vector).flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>();
        write(&dir.join(VECTORS), &floats)?;
        drop(floats);
        let mut names = String::new();
        for name in &self.names {
            names.push_str(name);
            names.push('\n');
        }
        write(&dir.join(NAMES), names.as_bytes())?;

        let passages =
            File::open(dir.join(PASSAGES)).map_err(|error| Error::io("cannot read an index file", &error))?;
        let terms = self.rows.iter().map(|row| {
            let bytes = read_span(&passages, row.span)?;
            let passage: Passage =
                serde_json::from_slice(&bytes).map_err(|error| Error::Corrupt(error.to_string()))?;
            Ok(passage.terms)
        });
        lexical::write(&dir.join(LEXICAL), terms)?;

        let files = order.iter().filter_map(|file| self.files.get(*file)).map(|(file, _)| file.clone());
        manifest.complete(files.collect(), self.rows.len() as u64);
        write_json(&dir.join(MANIFEST), &manifest)?;
        layout::sync_folder(&dir)?;

        // Opened before the switch: an index that cannot be opened never becomes the current one.
        let snapshot = Arc::new(DiskSnapshot::open(&self.folder, &self.generation)?);
        layout::set_current(&self.folder, &self.generation)?;
        self.finished = true;
        self.open
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(self.scope.clone(), Arc::clone(&snapshot));
        layout::sweep(&self.folder, Some(&self.generation));
        self.partial.remove();
        Ok(snapshot)
    }

    fn add(&mut self, document: Document, passages: WithVectors) -> Result<(), Error> {
        let span = self.texts.append(document.text.as_bytes())?;
        self.files.push((SourceFile::of(&document, passages.len()), span));
        for (passage, vector) in passages {
            for name in passage.terms.names.split(' ').filter(|name| !name.is_empty()) {
                if !self.names.contains(name) {
                    self.names.insert(name.to_owned());
                }
            }
            let mut line =
                serde_json::to_vec(&passage).map_err(|error| Error::Internal(error.to_string()))?;
            line.push(b'\n');
            let span = self.passages.append(&line)?;
            self.rows.push(Row { id: passage.id, file: self.files.len() - 1, span, vector });
        }
        Ok(())
    }

    fn key(&self, file: usize) -> &str {
        self.files.get(file).map_or("", |(file, _)| file.document.key.as_str())
    }
}

impl Drop for Generation {
    fn drop(&mut self) {
        if !self.finished {
            // Best effort: the next build sweeps what stays.
            let _ = fs::remove_dir_all(self.folder.join(&self.generation));
        }
    }
}

#[async_trait]
impl Build for DiskBuild {
    async fn recall(&mut self, keys: &[VectorKey]) -> Result<Vec<Option<Vec<f32>>>, Error> {
        let keys = keys.to_vec();
        self.step(move |generation| Ok(keys.iter().map(|key| generation.partial.get(key)).collect())).await
    }

    async fn remember(&mut self, vectors: &[(VectorKey, Vec<f32>)]) -> Result<(), Error> {
        let vectors = vectors.to_vec();
        self.step(move |generation| generation.partial.append(&vectors)).await
    }

    async fn add(&mut self, document: Document, passages: WithVectors) -> Result<(), Error> {
        self.step(move |generation| generation.add(document, passages)).await
    }

    async fn finish(mut self: Box<Self>, manifest: Manifest) -> Result<Arc<dyn Snapshot>, Error> {
        let generation = self.0.take().ok_or_else(|| Error::Internal("the build has ended".to_owned()))?;
        blocking(move || Ok(generation.complete(manifest)? as Arc<dyn Snapshot>)).await
    }
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    let mut file = Appender::create(path)?;
    file.append(bytes)?;
    file.close()
}

fn write_json<T: serde::Serialize>(path: &Path, value: &T) -> Result<(), Error> {
    write(path, &serde_json::to_vec(value).map_err(|error| Error::Internal(error.to_string()))?)
}

fn write_spans(path: &Path, spans: impl Iterator<Item = Span>) -> Result<(), Error> {
    let bytes: Vec<u8> =
        spans.flat_map(|(start, length)| [start.to_le_bytes(), length.to_le_bytes()].concat()).collect();
    write(path, &bytes)
}
