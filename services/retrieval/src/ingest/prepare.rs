//! From a document to passages with tokens and the text to embed. Pure computing.

use super::lint;
use crate::corpus::{Document, EmbeddingIdentity, Passage, sha256_hex};
use crate::ports::VectorKey;
use crate::text::{self, Language};
use assay_chunk::{chunk, words};
use assay_documents::{Format, Lines};
use assay_domain::{LineRange, SourceKind};
use sha2::{Digest, Sha256};

/// A document that is ready but for its vectors.
#[derive(Debug)]
pub(crate) struct Prepared {
    pub(crate) document: Document,
    pub(crate) passages: Vec<Passage>,
    /// Words that the vectors of the passages stand for.
    pub(crate) embedded: Vec<String>,
    /// Keys of these vectors.
    pub(crate) keys: Vec<VectorKey>,
}

/// Chunks and analyses a document by its kind, for vectors of a model.
pub(crate) fn prepare(mut document: Document, model: &EmbeddingIdentity) -> Prepared {
    let lines = Lines::of(&document.text);
    let mut embedded = Vec::new();
    let passages: Vec<Passage> = match (document.source_kind(), format_of(&document)) {
        (SourceKind::Example, _) => vec![example(&document, &lines)],
        (_, None) => vec![item(&document, &lines)],
        (_, Some(format)) => {
            document.lint = lint::lint(format, &document.path, &document.text);
            let chunked = chunk(format, &document.path, &document.text);
            document.tags = chunked.tags;
            document.title = chunked.title;
            let title = titled(&document);
            chunked
                .chunks
                .into_iter()
                .filter_map(|chunk| {
                    let bytes = lines.bytes(chunk.lines)?;
                    let language = Language::of_tag(&chunk.language).unwrap_or(Language::English);
                    embedded.push(headed(&title, &chunk.headings, &chunk.words));
                    Some(Passage {
                        id: format!("{}#L{}-{}", document.path, chunk.lines.first, chunk.lines.last),
                        first: chunk.lines.first,
                        last: chunk.lines.last,
                        start: bytes.start,
                        end: bytes.end,
                        sha256: sha256_hex(chunk.text.as_bytes()),
                        terms: text::terms(
                            &title,
                            &chunk.headings,
                            &chunk.words,
                            &format!("{}\n{}", named(&document.path), chunk.names),
                            language,
                        ),
                        title: title.clone(),
                        headings: chunk.headings,
                        anchor: chunk.anchor,
                        language: chunk.language,
                    })
                })
                .collect()
        }
    };
    if embedded.is_empty() {
        embedded = embedding_texts(&document, &passages);
    }
    let keys = embedded.iter().map(|text| vector_key(model, text)).collect();
    Prepared { document, passages, embedded, keys }
}

/// Format of a file; none for an item.
fn format_of(document: &Document) -> Option<Format> {
    (!document.path.is_empty()).then(|| Format::of_file(&document.path, &document.text)).flatten()
}

/// The words that the vectors of a document's passages stand for: title and headings, then the visible text; of an
/// example, its task.
fn embedding_texts(document: &Document, passages: &[Passage]) -> Vec<String> {
    if document.source_kind() == SourceKind::Example {
        return passages.iter().map(|passage| passage.title.clone()).collect();
    }
    let bodies = match format_of(document) {
        Some(format) => {
            let ranges: Vec<LineRange> =
                passages.iter().map(|passage| LineRange::new(passage.first, passage.last)).collect();
            words(format, &document.path, &document.text, &ranges)
        }
        None => {
            let body =
                |passage: &Passage| document.text.get(passage.start..passage.end).unwrap_or("").to_owned();
            passages.iter().map(body).collect()
        }
    };
    let texts = passages.iter().zip(&bodies);
    texts.map(|(passage, body)| headed(&passage.title, &passage.headings, body)).collect()
}

/// A text below its title and headings.
fn headed(title: &str, headings: &[String], body: &str) -> String {
    let mut head: Vec<&str> = Vec::new();
    if !title.is_empty() && headings.first().is_none_or(|first| first != title) {
        head.push(title);
    }
    head.extend(headings.iter().map(String::as_str));
    if head.is_empty() { body.to_owned() } else { format!("{}\n{body}", head.join(" > ")) }
}

/// Keys of the vectors of a document's passages.
pub(crate) fn keys(document: &Document, passages: &[Passage], model: &EmbeddingIdentity) -> Vec<VectorKey> {
    embedding_texts(document, passages).iter().map(|text| vector_key(model, text)).collect()
}

/// Key of a vector: the model and the words.
fn vector_key(model: &EmbeddingIdentity, text: &str) -> VectorKey {
    let mut hasher = Sha256::new();
    hasher.update(format!("{}\n{}\n{}\n", model.model, model.digest, model.dims));
    hasher.update(text);
    hasher.finalize().into()
}

/// An item is one passage with its own id.
fn item(document: &Document, lines: &Lines) -> Passage {
    let detected = assay_text::detect(&format!("{}\n{}", document.title, document.text));
    let language = detected.unwrap_or(Language::English);
    let terms = text::terms(&document.title, &[], &document.text, "", language);
    whole(document, lines, detected.map_or("", Language::code), terms)
}

/// An example is found by its task and holds its program.
fn example(document: &Document, lines: &Lines) -> Passage {
    let tag = document.key.rsplit_once('@').map_or("", |(_, tag)| tag);
    let language = Language::of_tag(tag).unwrap_or(Language::English);
    let mut terms = text::terms("", &[], &document.title, "", language);
    terms.names = text::names(&document.text).join(" ");
    whole(document, lines, "avap", terms)
}

fn whole(document: &Document, lines: &Lines, language: &str, terms: text::Terms) -> Passage {
    let range = LineRange::new(1, lines.count().max(1));
    let bytes = lines.bytes(range).unwrap_or(0..0);
    Passage {
        id: document.key.clone(),
        first: range.first,
        last: range.last,
        sha256: sha256_hex(document.text.get(bytes.clone()).unwrap_or("").as_bytes()),
        start: bytes.start,
        end: bytes.end,
        title: document.title.clone(),
        headings: Vec::new(),
        anchor: String::new(),
        language: language.to_owned(),
        terms,
    }
}

/// The words of a path: its folder and its name without ending.
fn named(path: &str) -> String {
    let stem = path.rsplit_once('.').map_or(path, |(stem, _)| stem);
    let mut parts: Vec<&str> = stem.rsplit('/').take(2).collect();
    parts.reverse();
    parts.join("\n").replace(['-', '_'], " ")
}

/// Title of a file: its own, else its name without extension; separators become spaces in prose.
fn titled(document: &Document) -> String {
    if !document.title.is_empty() {
        return document.title.clone();
    }
    let path = &document.path;
    let name = path.rsplit('/').next().unwrap_or(path);
    if Format::of_path(path).is_some_and(|format| format.kind() == SourceKind::Doc) {
        return name.rsplit_once('.').map_or(name, |(stem, _)| stem).replace(['-', '_'], " ");
    }
    name.to_owned()
}
