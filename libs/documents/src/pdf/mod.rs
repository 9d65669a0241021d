//! PDF files: the text of their pages as it is stored, cited and hashed, and the reading of that text.

mod cmap;
mod content;
mod error;
mod font;
mod heads;
mod hyphens;
mod layout;
mod paragraphs;
mod stored;

use std::collections::{HashMap, HashSet};

use lopdf::{Document, LoadOptions, Object, ObjectId};

pub use error::PdfError;
pub(crate) use stored::read;
pub use stored::{PAGE_BREAK, pages_and_paragraphs};

use content::{Budget, Page};

/// Most bytes that one stream of a file unpacks to.
const MAX_STREAM_BYTES: usize = 32 << 20;
/// Most pages of a file.
const MAX_PAGES: usize = 5_000;

/// Text of a PDF as it is stored: [`PAGE_BREAK`] before each page, a sentence a line, a blank line between paragraphs,
/// `#` and a space before a heading, four spaces before a line of code.
///
/// Columns are read one after the other; hyphens at line ends and heads, feet and numbers of pages are left out.
///
/// # Errors
/// [`PdfError`] where the file is none, is encrypted, is too large or holds no text.
pub fn text(bytes: &[u8], max_bytes: usize) -> Result<String, PdfError> {
    let pdf = load(bytes)?;
    let mut budget = Budget::default();
    let mut fonts = HashMap::new();
    let mut pages = Vec::new();
    for id in page_ids(&pdf)? {
        let runs = Page::new(&pdf, id, &mut fonts, &mut budget).runs()?;
        pages.push(layout::lines(runs));
    }
    heads::remove(&mut pages);
    let text = stored::write(paragraphs::of_pages(pages));
    if text.len() > max_bytes {
        return Err(PdfError::TooLarge { most: max_bytes });
    }
    if text.trim().is_empty() {
        return Err(PdfError::NoText);
    }
    Ok(text)
}

/// The pages in their order; a node of their tree that stands in itself is read once.
fn page_ids(pdf: &Document) -> Result<Vec<ObjectId>, PdfError> {
    let root = pdf.catalog().and_then(|catalog| catalog.get(b"Pages")).and_then(Object::as_reference);
    let mut open: Vec<ObjectId> = root.into_iter().collect();
    let (mut seen, mut pages) = (HashSet::new(), Vec::new());
    while let Some(id) = open.pop() {
        if !seen.insert(id) {
            continue;
        }
        let Ok(node) = pdf.get_dictionary(id) else { continue };
        match node.get_deref(b"Kids", pdf).and_then(Object::as_array) {
            Ok(kids) => open.extend(kids.iter().rev().filter_map(|kid| kid.as_reference().ok())),
            Err(_) if pages.len() >= MAX_PAGES => return Err(PdfError::TooManyPages { most: MAX_PAGES }),
            Err(_) => pages.push(id),
        }
    }
    Ok(pages)
}

fn load(bytes: &[u8]) -> Result<Document, PdfError> {
    let options = LoadOptions::with_max_decompressed_size(MAX_STREAM_BYTES);
    match Document::load_mem_with_options(bytes, options) {
        Ok(pdf) if pdf.trailer.has(b"Encrypt") => Err(PdfError::Encrypted),
        Ok(pdf) => Ok(pdf),
        Err(lopdf::Error::InvalidPassword | lopdf::Error::Decryption(_)) => Err(PdfError::Encrypted),
        Err(error) => Err(PdfError::Unreadable(error.to_string())),
    }
}
