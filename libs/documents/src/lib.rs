//! Documents as a reader sees them: a page of any format becomes blocks of visible text with their lines.
//!
//! Pure and total: no I/O, no clock, no failure. A page that is broken or hostile is read as far as it makes sense, in
//! time linear in its bytes, and says so in a [`Warning`]. Included files come from the caller ([`Files`]).
//!
//! Large because it reads eight formats of documents, each in a folder or file of its own.
//!
//! Absent: sizes of passages (`assay-chunk`), claims and markers of answers (`assay-reading`), judgements.

mod anchors;
mod asciidoc;
mod block;
mod builder;
mod code;
mod files;
mod format;
mod front_matter;
mod html;
mod inline;
mod lines;
mod man;
mod markdown;
mod notebook;
pub mod pdf;
mod plain;
mod rst;

pub use anchors::slug;
pub use block::{Block, Cell, Document, Kind, Section, Span, Style, Warning, WarningKind};
pub use files::{Files, NoFiles};
pub use format::Format;
pub use lines::Lines;
pub use pdf::{PAGE_BREAK, pages_and_paragraphs};

use builder::Builder;

/// Name and version of the reading; an index made by another one is read again when it is next written.
pub const READING: &str = "assay-blocks/1";

/// Reads a whole file. `path` is its place in the set that `files` answers for.
#[must_use]
pub fn read(format: Format, path: &str, text: &str, files: &dyn Files) -> Document {
    read_as(format, path, text, files, false)
}

/// Reads a passage: some whole lines of a file. References that lead out of it keep their words alone.
#[must_use]
pub fn read_part(format: Format, text: &str) -> Document {
    read_as(format, "", text, &NoFiles, true)
}

fn read_as(format: Format, path: &str, text: &str, files: &dyn Files, part: bool) -> Document {
    let mut builder = Builder::new(path, text, files, part);
    match format {
        Format::Markdown => markdown::read(&mut builder),
        Format::Plain => plain::read(&mut builder),
        Format::Rst => rst::read(&mut builder),
        Format::AsciiDoc => asciidoc::read(&mut builder),
        Format::Html => html::read(&mut builder),
        Format::Man => man::read(&mut builder),
        Format::Notebook => notebook::read(&mut builder),
        Format::Pdf => pdf::read(&mut builder),
        Format::Avap => code::read(&mut builder, "avap"),
        Format::Code(language) => code::read(&mut builder, language),
    }
    builder.finish()
}
