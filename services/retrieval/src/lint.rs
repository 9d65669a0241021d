//! The corpus lint over the documents of an index, which holds their texts whole.

use std::collections::HashSet;

use assay_documents::Format;
use assay_domain::SourceKind;
use assay_lint::{File, Finding, Rule, stack_bytes};
use tokio::sync::OwnedSemaphorePermit;

use crate::corpus::SourceFile;
use crate::error::Error;
use crate::ports::Snapshot;

/// Most bytes of text that are linted.
const MOST_BYTES: u64 = 64 * 1024 * 1024;
/// Most findings that are told.
const MOST_FINDINGS: usize = 1000;

/// Mistakes in the documents of a collection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Linted {
    /// The first thousand of them, in order of paths and lines.
    pub findings: Vec<Finding>,
    /// All of them.
    pub total: u64,
    /// Files of the collection; items are none.
    pub files: u64,
}

/// Finds the mistakes of a collection. The turn ends with the work, which cannot be broken off.
///
/// # Errors
/// `TooLarge` for a collection with too much text, what the store says.
pub(crate) async fn lint(snapshot: &dyn Snapshot, turn: OwnedSemaphorePermit) -> Result<Linted, Error> {
    let all = snapshot.manifest().files.iter().filter(|file| !file.document.path.is_empty());
    let all: Vec<&SourceFile> = all.collect();
    let bytes: u64 = all.iter().filter(|file| is_read(&file.document.path)).map(|file| file.bytes).sum();
    if bytes > MOST_BYTES {
        let message = format!("the collection has {bytes} bytes of text; at most {MOST_BYTES} are linted");
        return Err(Error::TooLarge { field: "collection", message });
    }
    let (mut files, mut longest) = (Vec::with_capacity(all.len()), 0);
    for file in all {
        let path = file.document.path.clone();
        let text = if is_read(&path) {
            let found = snapshot.document(&file.document.key).await?;
            found.ok_or_else(|| Error::NoDocument(path.clone()))?.0.text
        } else {
            String::new()
        };
        longest = longest.max(text.len());
        files.push(File { path, text });
    }
    let count = files.len() as u64;
    let work = move || {
        let _turn = turn;
        found(&files)
    };
    let work = assay_rpc::task::deep(stack_bytes(longest), work);
    let mut findings = work.await.map_err(|panic| Error::Internal(panic.to_string()))?;
    let total = findings.len() as u64;
    findings.truncate(MOST_FINDINGS);
    Ok(Linted { findings, total, files: count })
}

/// Whether a rule reads the text of a file; of others it is enough to know that they exist.
fn is_read(path: &str) -> bool {
    Format::of_path(path).is_some_and(|format| !matches!(format, Format::Code(_)))
}

fn found(files: &[File]) -> Vec<Finding> {
    let folders: HashSet<&str> = files.iter().map(|file| folder(&file.path)).collect();
    // A page beside indexed ones would be indexed, too; images, code, scanned documents and other folders may be left out.
    let is_page =
        |format: Format| format.kind() == SourceKind::Doc && !matches!(format, Format::Man | Format::Pdf);
    let exists = |path: &str| {
        let known = Format::of_path(path).is_some_and(is_page) && folders.contains(folder(path));
        known.then_some(false)
    };
    assay_lint::lint(files, &Rule::ALL, &exists)
}

fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}
