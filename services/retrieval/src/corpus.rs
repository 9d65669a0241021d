//! What an index is made of: documents, passages, and the manifest that says how it was made.

use crate::error::Error;
use crate::text::Terms;
use assay_documents::Lines;
use assay_domain::{LineRange, Source, SourceKind};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// A collection of a tenant. Both names are checked, so that they can be parts of a path.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Scope {
    tenant: String,
    collection: String,
}

impl Scope {
    /// Collection that an empty name means.
    pub const DEFAULT_COLLECTION: &'static str = "default";

    /// Checks both names.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` unless the tenant has 1 to 128 characters without controls, and the collection 1 to 64
    /// of `a`–`z`, `0`–`9`, `.`, `_`, `-`, beginning with a letter or digit.
    pub fn new(tenant: &str, collection: &str) -> Result<Self, Error> {
        let chars = tenant.chars().count();
        if chars == 0 || chars > 128 || tenant.chars().any(char::is_control) {
            return Err(Error::invalid("tenant", "a tenant has 1 to 128 characters without controls"));
        }
        let collection = if collection.is_empty() { Self::DEFAULT_COLLECTION } else { collection };
        let good = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
        let fine = collection.len() <= 64
            && collection.starts_with(good)
            && collection.chars().all(|c| good(c) || matches!(c, '.' | '_' | '-'));
        if !fine {
            let message = format!(
                "`{}` is no collection name; use 1 to 64 of a-z, 0-9, `.`, `_`, `-`, beginning with a letter or digit",
                collection.escape_debug()
            );
            return Err(Error::invalid("collection", message));
        }
        Ok(Self { tenant: tenant.to_owned(), collection: collection.to_owned() })
    }

    /// The scope that this system itself owns; no tenant can be named so.
    pub(crate) fn built_in(collection: &str) -> Self {
        Self { tenant: "\0system".to_owned(), collection: collection.to_owned() }
    }

    /// Whose it is.
    #[must_use]
    pub fn tenant(&self) -> &str {
        &self.tenant
    }

    /// Its name.
    #[must_use]
    pub fn collection(&self) -> &str {
        &self.collection
    }
}

/// A file or item as it was taken in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Document {
    /// Identity inside the collection: the path of a file, the id of an item.
    pub key: String,
    /// Path of a file; empty for an item.
    pub path: String,
    /// Title of an item; of a file the one that its text gives, empty without any.
    pub title: String,
    /// `doc`, `code` or `example`.
    pub kind: String,
    /// Commit when known; else empty.
    pub commit: String,
    /// Tags that its front matter gives it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// What the lint found in it.
    pub lint: FileLint,
    /// The whole text.
    #[serde(skip)]
    pub text: String,
}

impl Document {
    /// Kind as the vocabulary knows it.
    #[must_use]
    pub fn source_kind(&self) -> SourceKind {
        SourceKind::from_name(&self.kind).unwrap_or(SourceKind::Doc)
    }

    /// What tells whether the document changed: everything but its key and what was computed from it, as the title of
    /// a file is.
    #[must_use]
    pub fn fingerprint(&self) -> String {
        let title = if self.path.is_empty() { self.title.as_str() } else { "" };
        let parts = [&self.path, title, &self.kind, &self.commit, &self.text];
        let mut bytes = Vec::new();
        for part in parts {
            bytes.extend_from_slice(&(part.len() as u64).to_le_bytes());
            bytes.extend_from_slice(part.as_bytes());
        }
        sha256_hex(&bytes)
    }
}

/// What the lint found in one document.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct FileLint {
    /// AVAP blocks.
    pub blocks: u32,
    /// First lines of those that the parser rejects.
    pub invalid_lines: Vec<u32>,
}

/// A passage of a document, ready for both legs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Passage {
    /// Identity inside the collection.
    pub id: String,
    /// First line.
    pub first: u32,
    /// Last line.
    pub last: u32,
    /// Byte of the document at which its text starts.
    pub start: usize,
    /// Byte behind its text.
    pub end: usize,
    /// Document title, or the passage's own.
    pub title: String,
    /// Headings above it, outermost first.
    pub headings: Vec<String>,
    /// Id of the nearest heading; empty if there is none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub anchor: String,
    /// Language of its text.
    pub language: String,
    /// SHA-256 of its text, lower-case hex.
    pub sha256: String,
    /// Tokens, ready made.
    pub terms: Terms,
}

impl Passage {
    /// The passage as a citable source.
    #[must_use]
    pub fn source(&self, document: &Document, file_sha256: &str, text: String) -> Source {
        Source {
            id: self.id.clone(),
            kind: document.source_kind(),
            path: document.path.clone(),
            lines: LineRange::new(self.first, self.last),
            title: self.title.clone(),
            headings: self.headings.clone(),
            anchor: self.anchor.clone(),
            text,
            sha256: self.sha256.clone(),
            file_sha256: file_sha256.to_owned(),
            commit: document.commit.clone(),
            language: self.language.clone(),
        }
    }
}

/// A document in the manifest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceFile {
    /// The document without its text.
    #[serde(flatten)]
    pub document: Document,
    /// SHA-256 of its text, lower-case hex.
    pub sha256: String,
    /// See [`Document::fingerprint`].
    pub fingerprint: String,
    /// Size of the text in bytes.
    pub bytes: u64,
    /// Lines of the text.
    pub lines: u32,
    /// Passages made of it.
    pub passages: u32,
}

impl SourceFile {
    /// The entry of a document of which so many passages were made.
    #[must_use]
    pub fn of(document: &Document, passages: usize) -> Self {
        Self {
            sha256: sha256_hex(document.text.as_bytes()),
            fingerprint: document.fingerprint(),
            bytes: document.text.len() as u64,
            lines: Lines::of(&document.text).count(),
            passages: u32::try_from(passages).unwrap_or(u32::MAX),
            document: Document { text: String::new(), ..document.clone() },
        }
    }
}

/// What a search is limited to. A passage is admitted if it fits every list that is not empty.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Filter {
    /// Paths of files, or of folders with everything below them.
    pub paths: Vec<String>,
    /// Kinds of documents: `doc`, `code`, `example`.
    pub kinds: Vec<String>,
    /// Languages of passages: `en`, `es`, or a programming language.
    pub languages: Vec<String>,
    /// Tags of documents.
    pub tags: Vec<String>,
}

impl Filter {
    /// Whether everything is admitted.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self == &Self::default()
    }

    /// Whether the passages of a document are admitted, whatever their language.
    #[must_use]
    pub fn admits(&self, document: &Document) -> bool {
        let any = |list: &[String], fits: &dyn Fn(&String) -> bool| list.is_empty() || list.iter().any(fits);
        any(&self.paths, &|path| is_below(&document.path, path))
            && any(&self.kinds, &|kind| *kind == document.kind)
            && any(&self.tags, &|tag| document.tags.contains(tag))
    }
}

/// Whether a path is this one or below it.
pub(crate) fn is_below(path: &str, folder: &str) -> bool {
    path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Which model made the vectors.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct EmbeddingIdentity {
    /// Name of the model.
    pub model: String,
    /// SHA-256 of its weights, or a version where there are none.
    pub digest: String,
    /// Components of a vector.
    pub dims: usize,
}

impl EmbeddingIdentity {
    /// Name under which hashed words stand in for a model.
    pub const HASHED: &str = "hashing-no-model";

    /// Whether no model makes the vectors.
    #[must_use]
    pub fn is_hashed(&self) -> bool {
        self.model == Self::HASHED
    }
}

impl std::fmt::Display for EmbeddingIdentity {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}@{}", self.model, self.digest.get(..16).unwrap_or(&self.digest))
    }
}

/// What the lint of the corpus found.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Lint {
    /// AVAP blocks in documents, and AVAP files.
    pub blocks: u64,
    /// Those that the parser rejects.
    pub invalid: u64,
    /// Where they are: `path:line`, at most a hundred.
    pub invalid_at: Vec<String>,
}

impl Lint {
    /// Most places that are listed.
    const MAX_PLACES: usize = 100;

    /// Adds what was found in one document.
    pub(crate) fn add(&mut self, document: &Document) {
        self.blocks += u64::from(document.lint.blocks);
        self.invalid += document.lint.invalid_lines.len() as u64;
        for line in &document.lint.invalid_lines {
            if self.invalid_at.len() < Self::MAX_PLACES {
                self.invalid_at.push(format!("{}:{line}", document.key));
            }
        }
    }
}

/// What an index was made of and how.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// Version of the stored layout.
    pub schema: u32,
    /// SHA-256 over contents and methods, without the time; the same corpus always gets the same id.
    pub id: String,
    /// Collection.
    pub collection: String,
    /// Chunker and version.
    pub chunker: String,
    /// Text analysis and version.
    pub analysis: String,
    /// Embedding model.
    pub embedding: EmbeddingIdentity,
    /// Number of passages.
    pub passages: u64,
    /// Milliseconds since the Unix epoch at which the index was made.
    pub created_unix_ms: u64,
    /// What the lint found.
    pub lint: Lint,
    /// Documents, by key.
    pub files: Vec<SourceFile>,
}

impl Manifest {
    /// Version of the stored layout that this code writes.
    pub const SCHEMA: u32 = 1;

    /// The id that belongs to the contents.
    #[must_use]
    pub fn content_id(&self) -> String {
        let mut text = format!(
            "schema {}\nchunker {}\nanalysis {}\nmodel {} {} {}\npassages {}\n",
            self.schema,
            self.chunker,
            self.analysis,
            self.embedding.model,
            self.embedding.digest,
            self.embedding.dims,
            self.passages
        );
        for file in &self.files {
            text.push_str(&file.document.key.escape_debug().to_string());
            text.push(' ');
            text.push_str(&file.fingerprint);
            text.push('\n');
        }
        sha256_hex(text.as_bytes())
    }

    /// A manifest of nothing.
    #[must_use]
    pub(crate) fn empty() -> Self {
        Self {
            schema: Self::SCHEMA,
            id: String::new(),
            collection: String::new(),
            chunker: String::new(),
            analysis: String::new(),
            embedding: EmbeddingIdentity { model: String::new(), digest: String::new(), dims: 0 },
            passages: 0,
            created_unix_ms: 0,
            lint: Lint::default(),
            files: Vec::new(),
        }
    }

    /// Fills in what only the store knows; the files are in order of their keys.
    pub(crate) fn complete(&mut self, files: Vec<SourceFile>, passages: u64) {
        self.schema = Self::SCHEMA;
        self.passages = passages;
        self.files = files;
        self.id = self.content_id();
    }

    /// The document with this key.
    #[must_use]
    pub fn file(&self, key: &str) -> Option<&SourceFile> {
        let at = self.files.binary_search_by(|file| file.document.key.as_str().cmp(key)).ok()?;
        self.files.get(at)
    }
}

/// SHA-256 in lower-case hex.
#[must_use]
pub fn sha256_hex(bytes: &[u8]) -> String {
    hex::encode(Sha256::digest(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_could_leave_their_folder_are_refused() {
        for bad in ["..", ".hidden", "a/b", "A", "a b", "ä", "-x"] {
            assert!(Scope::new("t", bad).is_err(), "{bad}");
        }
        assert!(Scope::new("", "a").is_err());
        assert!(Scope::new("a\n", "a").is_err());
        assert!(Scope::new("acme/../x", "docs-1.2_b").is_ok());
        assert_eq!(
            Scope::new("t", "").map(|scope| scope.collection().to_owned()).ok().as_deref(),
            Some("default")
        );
    }
}
