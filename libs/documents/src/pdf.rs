//! Text that was taken from the pages of a PDF.

use crate::builder::Builder;

/// Stands before the first line of a page.
pub const PAGE_BREAK: char = '\u{c}';

/// Reads a page.
pub(crate) fn read(builder: &mut Builder<'_>) {
    crate::plain::read(builder);
}
