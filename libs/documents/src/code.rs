//! A file of code: one block.

use assay_domain::LineRange;

use crate::builder::Builder;

/// Reads the file as one block of code.
pub(crate) fn read(builder: &mut Builder<'_>, language: &str) {
    let text = builder.text;
    let last = builder.lines.count().max(1);
    builder.code(language, text, 1, LineRange::new(1, last), None);
}
