//! Documents as they are stored, and back.

use super::mapping::{FILE, PASSAGE};
use crate::corpus::{Document, Passage, SourceFile, sha256_hex};
use crate::error::Error;
use crate::text::{Field, Terms};
use assay_domain::Source;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// What a search returns of a passage.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct StoredPassage {
    /// Without its terms, which are kept apart.
    passage: Passage,
    document: Document,
    file_sha256: String,
    text: String,
}

impl StoredPassage {
    pub(super) fn id(&self) -> &str {
        &self.passage.id
    }

    pub(super) fn source(self) -> Source {
        self.passage.source(&self.document, &self.file_sha256, self.text)
    }

    /// The passage with what was kept apart.
    pub(super) fn restored(self, kept: Kept) -> Result<(Passage, Vec<f32>), Error> {
        let vector = floats(&kept.vector)?;
        Ok((Passage { terms: kept.terms, ..self.passage }, vector))
    }
}

/// What is read of a passage when its document is taken over.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Kept {
    terms: Terms,
    vector: String,
}

/// Id of a passage's document in the index.
pub(super) fn passage_id(id: &str) -> String {
    format!("p-{}", sha256_hex(id.as_bytes()))
}

/// Id of a file's document in the index.
pub(super) fn file_id(key: &str) -> String {
    format!("f-{}", sha256_hex(key.as_bytes()))
}

/// A passage as a document. A field without tokens gets one, as in every backend: see [`Terms::of`].
pub(super) fn passage(
    place: usize,
    passage: &Passage,
    document: &Document,
    file: &SourceFile,
    vector: &[f32],
) -> Result<Value, Error> {
    let terms = &passage.terms;
    let text = document.text.get(passage.start..passage.end).unwrap_or_default();
    let stored = StoredPassage {
        passage: Passage { terms: Terms::default(), ..passage.clone() },
        document: file.document.clone(),
        file_sha256: file.sha256.clone(),
        text: text.to_owned(),
    };
    let kept = Kept { terms: terms.clone(), vector: bytes(vector) };
    let mut out = json!({
        "type": PASSAGE,
        "key": document.key,
        "place": place,
        "path": document.path,
        "kind": document.kind,
        "language": passage.language,
        "tags": document.tags,
        "content": terms.of(Field::Content),
        "title": terms.of(Field::Title),
        "headings": terms.of(Field::Headings),
        "identifiers": terms.of(Field::Identifiers),
        "names": terms.names.split(' ').filter(|name| !name.is_empty()).collect::<Vec<_>>(),
        "stored": stored,
        "kept": packed(&kept)?,
    });
    if !vector.is_empty()
        && let Some(fields) = out.as_object_mut()
    {
        fields.insert("vector".to_owned(), json!(vector));
    }
    Ok(out)
}

/// A file as a document: its entry in the manifest, and its text.
pub(super) fn file(entry: &SourceFile, text: &str) -> Value {
    json!({
        "type": FILE,
        "key": entry.document.key,
        "stored": entry,
        "kept": STANDARD.encode(text),
    })
}

/// A value as the content of a binary field.
pub(super) fn packed<T: Serialize>(value: &T) -> Result<String, Error> {
    let bytes = serde_json::to_vec(value).map_err(|error| Error::Internal(error.to_string()))?;
    Ok(STANDARD.encode(bytes))
}

/// The value of a binary field.
pub(super) fn unpacked<T: DeserializeOwned>(text: &str) -> Result<T, Error> {
    serde_json::from_slice(&decoded(text)?).map_err(|error| Error::Corrupt(error.to_string()))
}

/// The bytes of a binary field.
pub(super) fn decoded(text: &str) -> Result<Vec<u8>, Error> {
    STANDARD.decode(text).map_err(|error| Error::Corrupt(error.to_string()))
}

/// A vector as text: little-endian floats in base64.
pub(super) fn bytes(vector: &[f32]) -> String {
    STANDARD.encode(vector.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>())
}

/// The vector of a text.
pub(super) fn floats(text: &str) -> Result<Vec<f32>, Error> {
    Ok(decoded(text)?.as_chunks::<4>().0.iter().map(|chunk| f32::from_le_bytes(*chunk)).collect())
}
