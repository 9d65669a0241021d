//! Lines of a document as they were indexed, for readers who follow a citation.

use std::sync::Arc;

use assay_documents::{Block, Format, NoFiles, read as read_document};
use assay_domain::LineRange;

use crate::error::Error;
use crate::lookup::normal_path;
use crate::ports::Snapshot;

/// Most lines that are read at once.
pub const MOST_LINES: u32 = 1000;

/// Lines of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lines {
    /// The lines that were read: those asked for, as far as the document has them.
    pub lines: LineRange,
    /// Their text.
    pub text: String,
    /// Lines of the document.
    pub line_count: u32,
    /// SHA-256 of the whole document, lower-case hex.
    pub sha256: String,
    /// Manifest of the index that was read.
    pub index_manifest: String,
    /// What the lines show a reader; none of code.
    pub blocks: Vec<Block>,
}

/// Reads lines of a document.
///
/// # Errors
/// `NoDocument` if the index does not hold it, `Invalid` for lines that it does not have, what the store says.
pub(crate) async fn read(
    snapshot: &Arc<dyn Snapshot>,
    path: &str,
    wanted: LineRange,
) -> Result<Lines, Error> {
    let key = normal_path(path);
    let manifest = snapshot.manifest();
    let gone = || Error::NoDocument(path.to_owned());
    let file = manifest.file(&key).ok_or_else(gone)?;
    let last = wanted.last.min(wanted.first.saturating_add(MOST_LINES - 1)).min(file.lines);
    if wanted.first == 0 || wanted.first > last {
        let text = format!("{path} has the lines 1 to {}; it has no line {}", file.lines, wanted.first);
        return Err(Error::invalid("lines", text));
    }
    let (document, _) = snapshot.document(&key).await?.ok_or_else(gone)?;
    let place = |line: u32| usize::try_from(line).unwrap_or(usize::MAX);
    let count = place(last - wanted.first + 1);
    let text = document.text.split_inclusive('\n').skip(place(wanted.first - 1)).take(count).collect();
    let lines = LineRange::new(wanted.first, last);
    let reading = assay_rpc::task::blocking(move || blocks(&document.path, &document.text, lines));
    let blocks = reading.await.map_err(|panic| Error::Internal(panic.to_string()))?;
    Ok(Lines {
        lines,
        text,
        line_count: file.lines,
        sha256: file.sha256.clone(),
        index_manifest: manifest.id.clone(),
        blocks,
    })
}

/// The blocks of a document that have some of the lines.
fn blocks(path: &str, text: &str, lines: LineRange) -> Vec<Block> {
    match Format::of_file(path, text) {
        None | Some(Format::Avap | Format::Code(_)) => Vec::new(),
        Some(format) => {
            let mut blocks = read_document(format, path, text, &NoFiles).blocks;
            blocks.retain(|block| {
                block.file.is_none() && block.lines.first <= lines.last && lines.first <= block.lines.last
            });
            blocks
        }
    }
}
