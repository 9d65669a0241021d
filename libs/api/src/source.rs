//! Hits of a search, and the sources of an answer.

use assay_domain::SourceKind;
use assay_domain::evidence::LegRank;
use schemars::JsonSchema;
use serde::Serialize;

use crate::{Name, filled};

/// A hit of a search.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Hit<'a> {
    /// Identity of the chunk in the index.
    pub id: &'a str,
    /// File inside the collection.
    pub path: &'a str,
    /// First line of `text`, from 1.
    pub first_line: u32,
    /// Last line of `text`, inclusive.
    pub last_line: u32,
    /// Fused score, 0 to 1; with one leg that leg's score.
    pub score: f64,
    /// Place in each leg; 1 is best.
    pub ranks: Legs<u32>,
    /// BM25 score, and cosine similarity.
    pub scores: Legs<f64>,
    /// SHA-256 of `text`, lower-case hex.
    pub sha256: &'a str,
    /// Title of the document, or headings of the passage.
    pub title: &'a str,
    /// The lines.
    pub text: &'a str,
}

/// A number of each leg of a search.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct Legs<T> {
    /// Of the leg of words; null where the hit was not there.
    pub bm25: Option<T>,
    /// Of the leg of vectors; null where the hit was not there.
    pub knn: Option<T>,
}

/// A source of an answer, under its number.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Source<'a> {
    /// The `N` of `[^N]`, from 1.
    pub number: u32,
    /// Identity of the chunk, or of the attachment.
    pub id: &'a str,
    /// `doc`, `code`, `example`, `session`, `editor` or `platform`.
    pub kind: Name<SourceKind>,
    /// File inside the collection; may be empty.
    pub path: &'a str,
    /// First and last line, from 1, inclusive.
    pub lines: [u32; 2],
    /// Title of the document, or headings of the passage.
    pub title: &'a str,
    /// Headings above the passage, outermost first.
    pub headings: &'a [String],
    /// Id of the nearest heading as the page's site generator makes it: the fragment of a link.
    pub anchor: Option<&'a str>,
    /// SHA-256 of `text`, lower-case hex.
    pub sha256: &'a str,
    /// SHA-256 of the whole file when it was indexed.
    pub file_sha256: Option<&'a str>,
    /// Commit of the file.
    pub commit: Option<&'a str>,
    /// `en`, `es`, or a programming language.
    pub language: Option<&'a str>,
    /// The cited lines.
    pub text: &'a str,
    /// As in Hit; 0 for what was not searched.
    pub score: f64,
    /// As in Hit.
    pub ranks: Legs<u32>,
    /// As in Hit.
    pub scores: Legs<f64>,
}

impl<T> Legs<T> {
    fn of(hit: &assay_domain::Hit, number: impl Fn(LegRank) -> T) -> Self {
        Self { bm25: hit.bm25.map(&number), knn: hit.knn.map(&number) }
    }
}

impl<'a> From<&'a assay_domain::Hit> for Hit<'a> {
    fn from(hit: &'a assay_domain::Hit) -> Self {
        Self {
            id: &hit.source.id,
            path: &hit.source.path,
            first_line: hit.source.lines.first,
            last_line: hit.source.lines.last,
            score: hit.score,
            ranks: Legs::of(hit, |leg| leg.rank),
            scores: Legs::of(hit, |leg| leg.score),
            sha256: &hit.source.sha256,
            title: &hit.source.title,
            text: &hit.source.text,
        }
    }
}

impl<'a> Source<'a> {
    /// The source at a position, from 1.
    #[must_use]
    pub fn new(position: u32, hit: &'a assay_domain::Hit) -> Self {
        let source = &hit.source;
        Self {
            number: position,
            id: &source.id,
            kind: Name(source.kind),
            path: &source.path,
            lines: [source.lines.first, source.lines.last],
            title: &source.title,
            headings: &source.headings,
            anchor: filled(&source.anchor),
            sha256: &source.sha256,
            file_sha256: filled(&source.file_sha256),
            commit: filled(&source.commit),
            language: filled(&source.language),
            text: &source.text,
            score: hit.score,
            ranks: Legs::of(hit, |leg| leg.rank),
            scores: Legs::of(hit, |leg| leg.score),
        }
    }

    /// Every source under its number.
    pub(crate) fn all(hits: &'a [assay_domain::Hit]) -> Vec<Self> {
        (1..).zip(hits).map(|(position, hit)| Self::new(position, hit)).collect()
    }
}
