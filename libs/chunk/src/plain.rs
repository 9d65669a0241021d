//! Outline of AVAP and of code without a grammar: cuts at blank lines.

use crate::{Cut, Lines, Outline};

/// Cuts before a line that follows a blank one, best where it is not indented.
pub(crate) fn outline(text: &str, lines: &Lines) -> Outline {
    let blank = |line: usize| lines.line(text, line).trim().is_empty();
    let cuts = (0..lines.len())
        .map(|line| match line.checked_sub(1).is_none_or(blank) {
            true if lines.line(text, line).starts_with([' ', '\t']) => Cut::Inner,
            true => Cut::Block,
            false => Cut::Line,
        })
        .collect();
    Outline { cuts, ..Outline::default() }
}
