//! Running text: paragraphs between blank lines.

use assay_domain::LineRange;

use crate::Kind;
use crate::builder::Builder;
use crate::inline::Inline;

/// Reads paragraphs.
pub(crate) fn read(builder: &mut Builder<'_>) {
    let text = builder.text;
    let mut open: Option<(Inline, LineRange)> = None;
    for (number, line) in (1..).zip(text.lines()) {
        if line.trim().is_empty() {
            if let Some((inline, lines)) = open.take() {
                builder.block(Kind::Paragraph, inline, lines, 0, None);
            }
            continue;
        }
        let (inline, lines) = open.get_or_insert_with(|| (Inline::default(), LineRange::new(number, number)));
        inline.push(line, number);
        inline.space();
        lines.last = number;
    }
    if let Some((inline, lines)) = open {
        builder.block(Kind::Paragraph, inline, lines, 0, None);
    }
}
