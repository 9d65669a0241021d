//! An opened generation.

use super::admitted::Admitted;
use super::blocking;
use super::layout::{IDS, LEXICAL, MANIFEST, NAMES, PASSAGES, PASSAGES_INDEX, TEXTS, TEXTS_INDEX, VECTORS};
use super::lexical::Lexical;
use super::records::{Span, read_span, spans};
use super::vectors::Vectors;
use crate::corpus::{Document, Filter, Manifest, Passage};
use crate::error::Error;
use crate::ports::{Found, Leg, NameFact, Scored, Snapshot, WithVectors};
use crate::spelling::Spellings;
use crate::text::QueryTerms;
use assay_domain::Source;
use async_trait::async_trait;
use std::collections::HashSet;
use std::fs::{self, File};
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::sync::{Arc, OnceLock};

/// Names that are offered for an unknown one.
const NEAR_NAMES: usize = 3;

/// An opened generation. Files stay open, so that a sweep does not disturb a search that is under way.
#[derive(Debug)]
pub(super) struct DiskSnapshot {
    generation: String,
    manifest: Manifest,
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    /// Id of each row, ascending, and its document.
    ids: Vec<(String, usize)>,
    /// Rows of each document.
    rows: Vec<Vec<usize>>,
    passage_spans: Vec<Span>,
    text_spans: Vec<Span>,
    passages: File,
    texts: File,
    vectors: Vectors,
    lexical: Lexical,
    names_file: File,
    names: OnceLock<Spellings>,
    documents: Vec<(Document, String)>,
    /// Language of each row; read for the first filter that asks for one.
    languages: OnceLock<Vec<Arc<str>>>,
}

impl DiskSnapshot {
    pub(super) fn open(folder: &Path, generation: &str) -> Result<Self, Error> {
        let dir = folder.join(generation);
        let corrupt = |what: &str| Error::Corrupt(format!("{generation}: {what}"));
        let read =
            |name: &str| fs::read(dir.join(name)).map_err(|error| corrupt(&format!("{name}: {error}")));
        let file =
            |name: &str| File::open(dir.join(name)).map_err(|error| corrupt(&format!("{name}: {error}")));

        let manifest: Manifest = serde_json::from_slice(&read(MANIFEST)?)
            .map_err(|error| corrupt(&format!("{MANIFEST}: {error}")))?;
        if manifest.schema != Manifest::SCHEMA {
            return Err(corrupt(&format!("schema {} is not {}", manifest.schema, Manifest::SCHEMA)));
        }
        if manifest.id != manifest.content_id() {
            return Err(corrupt("the manifest does not match its id"));
        }
        let ids: Vec<(String, usize)> =
            serde_json::from_slice(&read(IDS)?).map_err(|error| corrupt(&format!("{IDS}: {error}")))?;
        let passage_spans = spans(&read(PASSAGES_INDEX)?);
        let text_spans = spans(&read(TEXTS_INDEX)?);
        let vectors = file(VECTORS)?;
        let vector_bytes = vectors.metadata().map_err(|error| corrupt(&format!("{VECTORS}: {error}")))?.len();
        let rows_expected = usize::try_from(manifest.passages).unwrap_or(usize::MAX);
        if ids.len() != rows_expected
            || passage_spans.len() != rows_expected
            || vector_bytes
                != (rows_expected as u64).saturating_mul((manifest.embedding.dims * size_of::<f32>()) as u64)
            || text_spans.len() != manifest.files.len()
        {
            return Err(corrupt("its files do not belong together"));
        }
        let mut rows = vec![Vec::new(); manifest.files.len()];
        for (row, (_, document)) in ids.iter().enumerate() {
            rows.get_mut(*document).ok_or_else(|| corrupt("a passage has no document"))?.push(row);
        }
        let documents =
            manifest.files.iter().map(|file| (file.document.clone(), file.sha256.clone())).collect();
        let inner = Inner {
            ids,
            rows,
            passage_spans,
            text_spans,
            passages: file(PASSAGES)?,
            texts: file(TEXTS)?,
            vectors: Vectors::open(vectors, manifest.embedding.dims, rows_expected)?,
            lexical: Lexical::open(&dir.join(LEXICAL))?,
            names_file: file(NAMES)?,
            names: OnceLock::new(),
            documents,
            languages: OnceLock::new(),
        };
        Ok(Self { generation: generation.to_owned(), manifest, inner: Arc::new(inner) })
    }

    /// Whether this is the generation of that name. Another process may have deleted the collection and made it anew
    /// under the same name: the files that are open here then have no name any more.
    pub(super) fn is_generation(&self, name: &str) -> bool {
        self.generation == name && self.inner.passages.metadata().is_ok_and(|file| file.nlink() > 0)
    }
}

impl Inner {
    fn scored(&self, rows: Vec<(usize, f32)>) -> Vec<Scored> {
        rows.into_iter()
            .filter_map(|(row, score)| {
                self.ids.get(row).map(|(id, _)| Scored { id: id.clone(), score: f64::from(score) })
            })
            .collect()
    }

    fn passage(&self, row: usize) -> Result<Passage, Error> {
        let span =
            *self.passage_spans.get(row).ok_or_else(|| Error::Corrupt("a row is missing".to_owned()))?;
        serde_json::from_slice(&read_span(&self.passages, span)?)
            .map_err(|error| Error::Corrupt(format!("{PASSAGES}: {error}")))
    }

    fn text(&self, document: usize, start: usize, length: Option<usize>) -> Result<String, Error> {
        let (offset, whole) =
            *self.text_spans.get(document).ok_or_else(|| Error::Corrupt("a text is missing".to_owned()))?;
        let length = length.map_or(whole, |length| length as u64);
        let bytes = read_span(&self.texts, (offset + start as u64, length))?;
        String::from_utf8(bytes).map_err(|_| Error::Corrupt(format!("{TEXTS} is not UTF-8")))
    }

    fn fetch(&self, ids: &[String]) -> Result<Vec<Source>, Error> {
        let mut out = Vec::with_capacity(ids.len());
        for id in ids {
            let Ok(row) = self.ids.binary_search_by(|(known, _)| known.as_str().cmp(id)) else { continue };
            let document = self.ids.get(row).map_or(0, |(_, document)| *document);
            let passage = self.passage(row)?;
            let Some((owner, sha256)) = self.documents.get(document) else { continue };
            let text = self.text(document, passage.start, Some(passage.end.saturating_sub(passage.start)))?;
            out.push(passage.source(owner, sha256, text));
        }
        Ok(out)
    }

    /// The rows that a filter admits; none means all.
    fn admitted(&self, filter: &Filter) -> Result<Option<Admitted>, Error> {
        if filter.is_empty() {
            return Ok(None);
        }
        let documents: Vec<bool> =
            self.documents.iter().map(|(document, _)| filter.admits(document)).collect();
        let languages = if filter.languages.is_empty() { None } else { Some(self.languages()?) };
        let spoken = |row: usize| {
            languages.is_none_or(|known| {
                known.get(row).is_some_and(|language| filter.languages.iter().any(|one| **one == **language))
            })
        };
        let admits = |(row, (_, document)): (usize, &(String, usize))| {
            documents.get(*document).copied().unwrap_or(false) && spoken(row)
        };
        Ok(Some(Admitted::of(self.ids.iter().enumerate().map(admits))))
    }

    fn languages(&self) -> Result<&Vec<Arc<str>>, Error> {
        if let Some(known) = self.languages.get() {
            return Ok(known);
        }
        let mut names: HashSet<Arc<str>> = HashSet::new();
        let mut read = Vec::with_capacity(self.ids.len());
        for row in 0..self.ids.len() {
            let language: Arc<str> = self.passage(row)?.language.into();
            names.insert(Arc::clone(&language));
            read.extend(names.get(&language).cloned());
        }
        Ok(self.languages.get_or_init(|| read))
    }

    fn leg(&self, leg: &Wanted, admitted: Option<&Admitted>, depth: usize) -> Result<Vec<Scored>, Error> {
        Ok(self.scored(match leg {
            Wanted::Bm25(terms) => self.lexical.search(terms, admitted, depth)?,
            Wanted::Knn(query) => self.vectors.nearest(query, admitted, depth)?,
        }))
    }

    fn document(&self, place: usize) -> Result<(Document, WithVectors), Error> {
        let (document, _) =
            self.documents.get(place).ok_or_else(|| Error::Corrupt("no such document".to_owned()))?;
        let text = self.text(place, 0, None)?;
        let rows = self.rows.get(place).map_or(&[][..], Vec::as_slice);
        let passages = rows
            .iter()
            .map(|row| Ok((self.passage(*row)?, self.vectors.row(*row)?)))
            .collect::<Result<_, Error>>()?;
        Ok((Document { text, ..document.clone() }, passages))
    }

    fn name(&self, asked: &str, stop: &dyn Fn() -> bool) -> Result<NameFact, Error> {
        if self.lexical.holds(asked)? {
            return Ok(NameFact { exists: true, near: Vec::new() });
        }
        let known = match self.names.get() {
            Some(known) => known,
            None => {
                let length = self.names_file.metadata().map_err(|error| Error::io("names", &error))?.len();
                let bytes = read_span(&self.names_file, (0, length))?;
                let text =
                    String::from_utf8(bytes).map_err(|_| Error::Corrupt(format!("{NAMES} is not UTF-8")))?;
                self.names.get_or_init(|| Spellings::of(text.lines()))
            }
        };
        let near = known.nearest(asked, NEAR_NAMES, stop).ok_or(Error::Stopped)?;
        Ok(NameFact { exists: false, near })
    }
}

/// A leg of its own, for work beside the async threads.
enum Wanted {
    Bm25(QueryTerms),
    Knn(Vec<f32>),
}

impl From<Leg<'_>> for Wanted {
    fn from(leg: Leg<'_>) -> Self {
        match leg {
            Leg::Bm25(terms) => Self::Bm25(terms.clone()),
            Leg::Knn(query) => Self::Knn(query.to_vec()),
        }
    }
}

#[async_trait]
impl Snapshot for DiskSnapshot {
    fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    async fn search(&self, legs: &[Leg<'_>], filter: &Filter, depth: usize) -> Result<Found, Error> {
        let (inner, filter) = (Arc::clone(&self.inner), filter.clone());
        let admitted = blocking(move || inner.admitted(&filter)).await?;
        let legs = legs.iter().map(|leg| {
            let (inner, admitted, leg) = (Arc::clone(&self.inner), admitted.clone(), Wanted::from(*leg));
            blocking(move || inner.leg(&leg, admitted.as_ref(), depth))
        });
        Ok(Found { rankings: futures::future::join_all(legs).await, ..Found::default() })
    }

    async fn fetch(&self, ids: &[String]) -> Result<Vec<Source>, Error> {
        let (inner, ids) = (Arc::clone(&self.inner), ids.to_vec());
        blocking(move || inner.fetch(&ids)).await
    }

    async fn document(&self, key: &str) -> Result<Option<(Document, WithVectors)>, Error> {
        let Ok(place) = self.manifest.files.binary_search_by(|file| file.document.key.as_str().cmp(key))
        else {
            return Ok(None);
        };
        let inner = Arc::clone(&self.inner);
        blocking(move || inner.document(place).map(Some)).await
    }

    async fn names(&self, names: &[String]) -> Result<Vec<NameFact>, Error> {
        let (inner, names) = (Arc::clone(&self.inner), names.to_vec());
        let work =
            move |stop: &(dyn Fn() -> bool + Sync)| names.iter().map(|name| inner.name(name, stop)).collect();
        assay_rpc::task::while_wanted(work).await.map_err(|panic| Error::Internal(panic.to_string()))?
    }
}
