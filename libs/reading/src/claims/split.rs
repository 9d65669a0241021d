//! Cuts the plain text of a block into claims.

use super::plain::{Plain, single_spaced};
use super::{Cutter, Unit};
use crate::document::{Leaf, LeafKind};
use crate::{kinds, passages};
use assay_domain::report::ClaimKind;
use assay_text::{readable, sentences};
use std::ops::Range;

impl Cutter<'_> {
    /// Claims of a block, each with its range in the plain text, trailing white space included.
    pub(super) fn units(
        &self,
        index: usize,
        leaf: &Leaf,
        plain: &Plain,
        row: Option<(usize, usize)>,
    ) -> Vec<(Range<usize>, Unit)> {
        let whole = row.is_some() || leaf.kind == LeafKind::Heading;
        let ranges = if whole {
            std::iter::once(0..plain.text.len()).collect()
        } else {
            sentences::split(&plain.text, &plain.code, &plain.breaks)
        };
        let ranges = shorten(&plain.text, ranges);
        let leads_in = self.document.leaves.get(index + 1).is_some_and(|next| {
            matches!(next.kind, LeafKind::Code { .. } | LeafKind::Cell { .. })
                || next.list_depth > leaf.list_depth
        });
        let emphasised =
            leaf.runs.len() == 1 && self.document.text[leaf.range.clone()].trim().starts_with("**");
        let mut units: Vec<(Range<usize>, Unit)> = Vec::new();
        for mut range in ranges {
            if let Some((last, before)) = units.last_mut() {
                // "It works. (Passage 2) It stops.": the reference belongs to the sentence before.
                let reference = kinds::leading_reference(&plain.text[range.clone()]);
                before.named.extend(passages::named(&plain.text[range.start..range.start + reference]));
                range.start += reference;
                last.end = range.start;
            }
            let text = &plain.text[range.clone()];
            if !text.contains(char::is_alphanumeric) || (!units.is_empty() && kinds::is_reference(text)) {
                if let Some((last, before)) = units.last_mut() {
                    before.named.extend(passages::named(text));
                    last.end = range.end;
                }
                continue;
            }
            let bare = text.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
            let task = leaf.list_depth > 0 && units.is_empty();
            let bare = [("[ ] "), ("[x] "), ("[X] ")]
                .iter()
                .find_map(|mark| bare.strip_prefix(mark).filter(|_| task))
                .unwrap_or(bare);
            let lead = text.len() - bare.len();
            let (start, end) = (range.start + lead, range.start + text.trim_end().len());
            let source = plain.source_start(start)..plain.source_end(end);
            let marked_up = readable(&plain.with_backticks(start..end)).into_owned();
            let text = single_spaced(&plain.text[start..end]);
            let read = readable(&text);
            let label =
                matches!(leaf.kind, LeafKind::Heading | LeafKind::Aside | LeafKind::Cell { row: 0, .. })
                    || emphasised && kinds::is_title(&read);
            let kind = match leaf.kind {
                _ if label => kinds::of_label(&read),
                LeafKind::Cell { .. } => kinds::of_cell(&read),
                _ => kinds::of_sentence(&read, leads_in),
            };
            let stated = match kind {
                ClaimKind::Refusal => kinds::beside(&marked_up),
                ClaimKind::Factual => kinds::behind_talk(&marked_up),
                _ => None,
            };
            let kind = if stated.is_some() { ClaimKind::Factual } else { kind };
            let digits = read.contains(char::is_numeric);
            let struck = !digits && plain.struck.iter().any(|at| (range.start..=range.end).contains(at));
            let exempt = label || kinds::is_lead_in(&read, leads_in);
            let named = passages::named(&text);
            let (editor, stated) = match passages::editor(stated.as_deref().unwrap_or(&marked_up)) {
                Some((editor, bare)) => (editor, Some(bare)),
                None => (Vec::new(), stated),
            };
            let leaf = index;
            let unit = Unit {
                text,
                marked_up,
                stated,
                named,
                editor,
                range: source,
                kind,
                exempt,
                struck,
                leaf,
                row,
            };
            units.push((range, unit));
        }
        units
    }
}

/// Longest claim, in bytes; longer text is cut, so that judging it stays cheap.
const LONGEST: usize = 2000;

/// Cuts over-long ranges at white space, or at a character where there is none.
pub(super) fn shorten(text: &str, ranges: Vec<Range<usize>>) -> Vec<Range<usize>> {
    let mut out = Vec::with_capacity(ranges.len());
    for mut range in ranges {
        while range.len() > LONGEST {
            let limit =
                (range.start + LONGEST..range.end).find(|at| text.is_char_boundary(*at)).unwrap_or(range.end);
            let part = &text[range.start..limit];
            let cut = part.rfind(char::is_whitespace).filter(|at| *at > LONGEST / 2);
            let cut = cut
                .map_or(limit, |at| range.start + at + part[at..].chars().next().map_or(1, char::len_utf8));
            if cut >= range.end {
                break;
            }
            out.push(range.start..cut);
            range.start = cut;
        }
        out.push(range);
    }
    out
}
