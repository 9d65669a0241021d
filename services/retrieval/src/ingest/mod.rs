//! Taking in files and items: what is sent becomes documents, documents become passages, passages become an index.
//!
//! [`walk`] runs at the caller and finds files on disk; everything else runs in the service, which never opens a path
//! that a caller names.

mod lint;
pub(crate) mod prepare;
pub(crate) mod run;
pub mod walk;

pub use walk::walk;

use crate::corpus::{Document, FileLint, Manifest};
use assay_documents::{Format, pdf};
use assay_domain::SourceKind;

/// First message of an ingest stream.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Header {
    /// Collection; empty means the default one.
    pub collection: String,
    /// Forget every document that the stream does not bring.
    pub replace: bool,
    /// Forget the files below these paths that the stream does not bring.
    pub replace_below: Vec<String>,
}

/// What follows the header.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    /// A file, chunked by its kind.
    File {
        /// Path inside the collection, `/`-separated.
        path: String,
        /// Content.
        content: Vec<u8>,
        /// Commit when known; else empty.
        commit: String,
    },
    /// A ready-made chunk, kept whole under its own id.
    Item {
        /// Its id.
        id: String,
        /// Title; may be empty.
        title: String,
        /// Text.
        text: String,
    },
    /// A validated example: found by its task sentence, its text is code.
    Example {
        /// Its id and the language of the sentence, `name@en`.
        id: String,
        /// The task in words.
        task: String,
        /// The program.
        code: String,
    },
}

/// A file that was not indexed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skipped {
    /// Its path or id.
    pub path: String,
    /// Why.
    pub reason: String,
}

/// How far an ingest has come; counts are totals so far, `skipped` is news.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Progress {
    /// Files and items taken in, unchanged and skipped ones included.
    pub files_done: u64,
    /// Files and items that were unchanged.
    pub files_unchanged: u64,
    /// Passages made.
    pub chunks_done: u64,
    /// Passages that need a vector.
    pub chunks_to_embed: u64,
    /// Vectors made.
    pub chunks_embedded: u64,
    /// Files that were not indexed since the last message.
    pub skipped: Vec<Skipped>,
    /// Set in the last message.
    pub manifest: Option<Manifest>,
}

impl Part {
    /// Path or id, for messages.
    fn name(&self) -> &str {
        match self {
            Self::File { path, .. } => path,
            Self::Item { id, .. } | Self::Example { id, .. } => id,
        }
    }

    /// The document, or why it cannot be one.
    fn into_document(self, max_bytes: usize) -> Result<Document, String> {
        let document =
            |key: String, path: String, title: String, kind: SourceKind, commit: String, text: String| {
                Document {
                    tags: Vec::new(),
                    key,
                    path,
                    title,
                    kind: kind.as_str().to_owned(),
                    commit,
                    lint: FileLint::default(),
                    text,
                }
            };
        let size = match &self {
            Self::File { content, .. } => content.len(),
            Self::Item { title, text, .. } => title.len() + text.len(),
            Self::Example { task, code, .. } => task.len() + code.len(),
        };
        if size > max_bytes {
            return Err(format!(
                "it has {size} bytes; at most {max_bytes} are taken (setting max_file_bytes)"
            ));
        }
        match self {
            Self::File { path, content, commit } => {
                check_path(&path)?;
                let (format, text) = text_of(&path, content, max_bytes)?;
                Ok(document(path.clone(), path, String::new(), format.kind(), commit, text))
            }
            Self::Item { id, title, text } => {
                check_id(&id)?;
                if title.trim().is_empty() && text.trim().is_empty() {
                    return Err("it has neither title nor text".to_owned());
                }
                Ok(document(id, String::new(), title, SourceKind::Doc, String::new(), text))
            }
            Self::Example { id, task, code } => {
                check_id(&id)?;
                Ok(document(id, String::new(), task, SourceKind::Example, String::new(), code))
            }
        }
    }
}

/// The text that is indexed of a file, and its format; or why there is none.
///
/// # Errors
/// In words.
pub fn text_of(path: &str, content: Vec<u8>, max_bytes: usize) -> Result<(Format, String), String> {
    let Some(format) = Format::of_path(path) else {
        return Err("files of this kind are not indexed".to_owned());
    };
    let text = match format {
        Format::Pdf => pdf::text(&content, max_bytes).map_err(|error| error.to_string())?,
        _ => String::from_utf8(content)
            .map_err(|error| format!("byte {} is not UTF-8", error.utf8_error().valid_up_to()))?,
    };
    if text.contains('\0') {
        return Err("it holds zero bytes, so it is no text".to_owned());
    }
    match Format::of_file(path, &text) {
        Some(format) => Ok((format, text)),
        None => Err("its name ends like a manual page and its text is none".to_owned()),
    }
}

/// Longest path or id, in bytes.
const MAX_KEY_BYTES: usize = 1024;

/// Only relative paths below the collection: no `..`, no root, nothing that another system would read differently.
fn check_path(path: &str) -> Result<(), String> {
    check_id(path)?;
    let fine = !path.contains('\\') && path.split('/').all(|part| !matches!(part, "" | "." | ".."));
    if fine { Ok(()) } else { Err("a path is relative, `/`-separated and has no `.` or `..`".to_owned()) }
}

fn check_id(id: &str) -> Result<(), String> {
    if id.is_empty() || id.len() > MAX_KEY_BYTES || id.chars().any(char::is_control) {
        return Err(format!("a path or id has 1 to {MAX_KEY_BYTES} bytes and no controls"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use super::*;

    #[test]
    fn what_cannot_be_indexed_says_why() {
        let file = |path: &str, content: &[u8]| {
            Part::File { path: path.to_owned(), content: content.to_vec(), commit: String::new() }
                .into_document(100)
        };
        assert!(file("a/b.md", b"# Hi").is_ok());
        for (path, content, why) in [
            ("../a.md", &b"x"[..], "relative"),
            ("/etc/a.md", b"x", "relative"),
            ("a//b.md", b"x", "relative"),
            ("a\\b.md", b"x", "relative"),
            ("a.png", b"x", "kind"),
            ("a.md", b"ab\xff", "byte 2"),
            ("a.md", b"a\0b", "zero"),
            ("a.pdf", b"no PDF", "the PDF cannot be read"),
            ("a.md", &[b'x'; 101], "at most 100"),
            ("", b"x", "1 to"),
        ] {
            let error = file(path, content).unwrap_err();
            assert!(error.contains(why), "{path}: {error}");
        }
    }
}
