//! From a document to passages with tokens and the text to embed. Pure computing.

use super::lint;
use crate::corpus::{Document, EmbeddingIdentity, Passage, sha256_hex};
use crate::ports::VectorKey;
use crate::text::{self, Language};
use assay_chunk::{Format, Lines, chunk, words};
use assay_domain::{LineRange, SourceKind};
use sha2::{Digest, Sha256};
use std::borrow::Cow;

/// A document that is ready but for its vectors.
#[derive(Debug)]
pub(crate) struct Prepared {
    pub(crate) document: Document,
    pub(crate) passages: Vec<Passage>,
    /// Keys of the vectors of the passages.
    pub(crate) keys: Vec<VectorKey>,
}

/// Chunks and analyses a document by its kind, for vectors of a model.
pub(crate) fn prepare(mut document: Document, model: &EmbeddingIdentity) -> Prepared {
    let lines = Lines::of(&document.text);
    let format = (!document.path.is_empty()).then(|| Format::of_path(&document.path)).flatten();
    let passages: Vec<Passage> = match (document.source_kind(), format) {
        (SourceKind::Example, _) => vec![example(&document, &lines)],
        (_, None) => vec![item(&document, &lines)],
        (_, Some(format)) => {
            document.lint = lint::lint(format, &document.text);
            let chunked = chunk(format, &document.text);
            document.tags = chunked.tags;
            let title = if chunked.title.is_empty() { file_title(&document.path) } else { chunked.title };
            chunked
                .chunks
                .into_iter()
                .filter_map(|chunk| {
                    let bytes = lines.bytes(chunk.lines)?;
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
                            &words(format, &chunk.text),
                            Language::of_tag(&chunk.language).unwrap_or(Language::English),
                        ),
                        title: title.clone(),
                        headings: chunk.headings,
                        language: chunk.language,
                    })
                })
                .collect()
        }
    };
    let keys = keys(&document, passages.iter(), model);
    Prepared { document, passages, keys }
}

/// The words that the vector of a passage stands for: title and headings, then the text; of an example, its task.
pub(crate) fn embedding_text(document: &Document, passage: &Passage) -> String {
    if document.source_kind() == SourceKind::Example {
        return passage.title.clone();
    }
    let mut head: Vec<&str> = Vec::new();
    if !passage.title.is_empty() && passage.headings.first() != Some(&passage.title) {
        head.push(&passage.title);
    }
    head.extend(passage.headings.iter().map(String::as_str));
    let body = document.text.get(passage.start..passage.end).unwrap_or("");
    let body = Format::of_path(&document.path).map_or(Cow::Borrowed(body), |format| words(format, body));
    if head.is_empty() { body.into_owned() } else { format!("{}\n{body}", head.join(" > ")) }
}

/// Keys of the vectors of a document's passages.
pub(crate) fn keys<'a>(
    document: &Document,
    passages: impl Iterator<Item = &'a Passage>,
    model: &EmbeddingIdentity,
) -> Vec<VectorKey> {
    passages.map(|passage| vector_key(model, &embedding_text(document, passage))).collect()
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
    let terms = text::terms(&document.title, &[], &document.text, language);
    whole(document, lines, detected.map_or("", Language::code), terms)
}

/// An example is found by its task and holds its program.
fn example(document: &Document, lines: &Lines) -> Passage {
    let tag = document.key.rsplit_once('@').map_or("", |(_, tag)| tag);
    let language = Language::of_tag(tag).unwrap_or(Language::English);
    let mut terms = text::terms("", &[], &document.title, language);
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
        language: language.to_owned(),
        terms,
    }
}

/// Title of a file without one: its name without extension; separators become spaces in prose.
fn file_title(path: &str) -> String {
    let name = path.rsplit('/').next().unwrap_or(path);
    if Format::of_path(path).is_some_and(|format| format.kind() == SourceKind::Doc) {
        return name.rsplit_once('.').map_or(name, |(stem, _)| stem).replace(['-', '_'], " ");
    }
    name.to_owned()
}
