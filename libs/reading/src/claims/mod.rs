//! Cuts an answer into claims and binds each marker to the claim it cites.
//!
//! A claim is a sentence (also in list items and quotations) or a table cell. A label (heading, table head, footnote,
//! image text, title) is a claim if it states something; a heading or table head with a marker is else of kind meta.

mod plain;
mod split;

use crate::citations::Mark;
use crate::document::{Document, Leaf, LeafKind};
use assay_domain::evidence::LineRange;
use assay_domain::report::ClaimKind;
use plain::Plain;
use std::ops::Range;

/// A claim and its place in the block structure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unit {
    /// Plain text, without markup and markers, with single spaces.
    pub text: String,
    /// The same with inline code in backticks, for analysis.
    pub marked_up: String,
    /// The part that states something, if not all: without a refusal or cited editor lines.
    pub stated: Option<String>,
    /// Numbers (from 1) of sources that it, or a reference after it, names in prose.
    pub named: Vec<u32>,
    /// Lines of the caller's editor that it cites.
    pub editor: Vec<LineRange>,
    /// Bytes in the answer.
    pub range: Range<usize>,
    /// Its kind.
    pub kind: ClaimKind,
    /// Whether it needs no marker: a label that states something, or a lead-in.
    pub exempt: bool,
    /// Whether all its figures are struck out.
    pub struck: bool,
    /// Index of its block among the leaves.
    pub leaf: usize,
    /// Table and row of a cell.
    pub row: Option<(usize, usize)>,
}

/// The claims of an answer, and the claim of each mark.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Units {
    /// Claims in text order.
    pub(crate) units: Vec<Unit>,
    /// Index of the claim of each mark.
    pub(crate) of_mark: Vec<Option<usize>>,
}

/// Cuts the answer; total and linear.
pub(crate) fn segment(document: &Document, marks: &[Mark]) -> Units {
    let mut cutter = Cutter { document, marks, out: Units::default(), last: None, heading: None, row: None };
    cutter.out.of_mark = vec![None; marks.len()];
    let cited_heads = cutter.cited_heads();
    for (index, leaf) in document.leaves.iter().enumerate() {
        cutter.leaf(index, leaf, &cited_heads);
    }
    in_text_order(cutter.out)
}

/// Moves footnotes and image texts, which are read after their block, to their place in the answer.
fn in_text_order(found: Units) -> Units {
    if found.units.is_sorted_by_key(|unit| unit.range.start) {
        return found;
    }
    let mut units: Vec<(usize, Unit)> = found.units.into_iter().enumerate().collect();
    units.sort_by_key(|(_, unit)| unit.range.start);
    let mut place = vec![0; units.len()];
    for (to, (from, _)) in units.iter().enumerate() {
        place[*from] = to;
    }
    Units {
        units: units.into_iter().map(|(_, unit)| unit).collect(),
        of_mark: found.of_mark.into_iter().map(|claim| claim.map(|from| place[from])).collect(),
    }
}

struct Cutter<'d> {
    document: &'d Document,
    marks: &'d [Mark],
    out: Units,
    /// The last claim that is no code.
    last: Option<usize>,
    /// A heading that may still be cited by a marker alone in the next paragraph.
    heading: Option<Unit>,
    /// Table row being read and its last claim.
    row: Option<((usize, usize), Option<usize>)>,
}

impl Cutter<'_> {
    /// Marks inside a range.
    fn marks_in(&self, range: &Range<usize>) -> Range<usize> {
        let first = self.marks.partition_point(|mark| mark.range.start < range.start);
        let last = self.marks.partition_point(|mark| mark.range.start < range.end);
        first..last
    }

    /// Tables whose head holds a marker.
    fn cited_heads(&self) -> Vec<usize> {
        let mut tables: Vec<usize> = self
            .document
            .leaves
            .iter()
            .filter_map(|leaf| match leaf.kind {
                LeafKind::Cell { table, row: 0 } if !self.marks_in(&leaf.range).is_empty() => Some(table),
                _ => None,
            })
            .collect();
        tables.dedup();
        tables
    }

    fn leaf(&mut self, index: usize, leaf: &Leaf, cited_heads: &[usize]) {
        if let LeafKind::Code { code, .. } = &leaf.kind {
            let kind = ClaimKind::Code;
            let range = leaf.range.start..trimmed_end(&self.document.text, &leaf.range);
            let text = code.trim_end().to_owned();
            let marked_up = String::new();
            self.out.units.push(Unit {
                marked_up,
                text,
                stated: None,
                named: Vec::new(),
                editor: Vec::new(),
                range,
                kind,
                exempt: true,
                struck: false,
                leaf: index,
                row: None,
            });
            return;
        }
        let plain = self.plain(leaf);
        let mut row = None;
        if let LeafKind::Cell { table, row: number } = leaf.kind {
            row = Some((table, number));
            if self.row.as_ref().is_none_or(|(place, _)| *place != (table, number)) {
                self.row = Some(((table, number), None));
            }
        }
        let mut units = self.units(index, leaf, &plain, row);
        if leaf.kind == LeafKind::Aside {
            units.retain(|(_, unit)| unit.kind != ClaimKind::Meta);
            self.out.units.extend(units.into_iter().map(|(_, unit)| unit));
            return;
        }
        let states = units.iter().any(|(_, unit)| unit.kind != ClaimKind::Meta);
        let judged = match leaf.kind {
            LeafKind::Heading => states || !plain.marks.is_empty(),
            LeafKind::Cell { table, row: 0 } => states || cited_heads.contains(&table),
            _ => true,
        };
        if units.is_empty() {
            self.bind_alone(&plain, leaf);
            return;
        }
        if !judged {
            if leaf.kind == LeafKind::Heading {
                self.heading = units.into_iter().next().map(|(_, unit)| unit);
            }
            return;
        }
        self.heading = None;
        let base = self.out.units.len();
        let ranges: Vec<Range<usize>> = units.iter().map(|(range, _)| range.clone()).collect();
        for (mark, at) in &plain.marks {
            let place = ranges.partition_point(|range| range.end < *at).min(ranges.len() - 1);
            self.out.of_mark[*mark] = Some(base + place);
        }
        self.out.units.extend(units.into_iter().map(|(_, unit)| unit));
        self.last = Some(self.out.units.len() - 1);
        if let (Some((_, last)), true) = (&mut self.row, row.is_some()) {
            *last = self.last;
        }
    }

    /// Binds the markers of a block that has no words of its own.
    fn bind_alone(&mut self, plain: &Plain, leaf: &Leaf) {
        if plain.marks.is_empty() {
            return;
        }
        if !matches!(leaf.kind, LeafKind::Cell { .. })
            && let Some(heading) = self.heading.take()
        {
            // Only code, which no marker cites, can stand between the heading and here.
            let place = self.out.units.partition_point(|unit| unit.range.start < heading.range.start);
            self.out.units.insert(place, heading);
            self.last = Some(place);
        }
        let claim = match (&leaf.kind, &self.row) {
            (LeafKind::Cell { .. }, Some((_, last))) => *last,
            _ => self.last,
        };
        for (mark, _) in &plain.marks {
            self.out.of_mark[*mark] = claim;
        }
    }
}

impl Unit {
    /// The text to compare with sources: [`Self::stated`], else the whole claim.
    #[must_use]
    pub fn judged(&self) -> &str {
        self.stated.as_deref().unwrap_or(&self.marked_up)
    }
}

/// End of a range without the white space before it.
fn trimmed_end(text: &str, range: &Range<usize>) -> usize {
    range.start + text[range.clone()].trim_end().len()
}
