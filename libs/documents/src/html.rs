//! Reads html.

use crate::builder::Builder;

/// Reads a page.
pub(crate) fn read(builder: &mut Builder<'_>) {
    crate::plain::read(builder);
}
