//! Cuts an answer into claims and binds each marker to the claim it cites.
//!
//! A claim is a sentence, also inside list items and quotations, or a table cell. Headings are no claims, unless a
//! marker cites one; then it is carried as talk about the answer and not judged.

use crate::citations::Mark;
use crate::clauses;
use crate::document::{Document, Leaf, LeafKind, Run, RunKind};
use crate::kinds;
use crate::passages;
use crate::sentences;
use assay_domain::evidence::LineRange;
use assay_domain::report::ClaimKind;
use std::ops::Range;

/// A claim with its place in the structure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Unit {
    /// Its words: markup and markers left out, white space folded.
    pub(crate) text: String,
    /// The same with inline code between backticks, for analysis.
    pub(crate) marked_up: String,
    /// What it states, where that is not all of it: beside a refusal, or without the lines of the editor that it cites.
    pub(crate) stated: Option<String>,
    /// Numbers of the sources that it names in words, also in a reference behind it; from 1.
    pub(crate) named: Vec<u32>,
    /// Lines of the caller's editor that it cites.
    pub(crate) editor: Vec<LineRange>,
    /// Where it stands.
    pub(crate) range: Range<usize>,
    /// What it is.
    pub(crate) kind: ClaimKind,
    /// Index of its block among the leaves.
    pub(crate) leaf: usize,
    /// Table and row of a cell.
    pub(crate) row: Option<(usize, usize)>,
}

/// The claims of an answer and, for every mark, the claim it belongs to.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Units {
    /// In text order.
    pub(crate) units: Vec<Unit>,
    /// One entry a mark.
    pub(crate) of_mark: Vec<Option<usize>>,
}

/// Plain text of a block with the way back into the answer.
#[derive(Default)]
struct Plain {
    text: String,
    /// Start in the plain text, source range, whether the source has the same bytes.
    pieces: Vec<(usize, Range<usize>, bool)>,
    code: Vec<Range<usize>>,
    breaks: Vec<usize>,
    /// Mark and the plain offset at which it was taken out.
    marks: Vec<(usize, usize)>,
}

/// Cuts the answer; total and linear.
pub(crate) fn segment(document: &Document<'_>, marks: &[Mark]) -> Units {
    let mut cutter = Cutter { document, marks, out: Units::default(), last: None, heading: None, row: None };
    cutter.out.of_mark = vec![None; marks.len()];
    let cited_heads = cutter.cited_heads();
    for (index, leaf) in document.leaves.iter().enumerate() {
        cutter.leaf(index, leaf, &cited_heads);
    }
    cutter.out
}

struct Cutter<'d, 'a> {
    document: &'d Document<'a>,
    marks: &'d [Mark],
    out: Units,
    /// The last claim that is no code.
    last: Option<usize>,
    /// A heading that may still be cited by a marker alone in the next paragraph.
    heading: Option<Unit>,
    /// Table row being read and its last claim.
    row: Option<((usize, usize), Option<usize>)>,
}

impl Cutter<'_, '_> {
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
            let range = leaf.range.start..trimmed_end(self.document.text, &leaf.range);
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
        let judged = match leaf.kind {
            LeafKind::Heading => !plain.marks.is_empty(),
            LeafKind::Cell { table, row: 0 } => cited_heads.contains(&table),
            _ => true,
        };
        let units = self.units(index, leaf, &plain, row);
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

    /// The words of a block, its markers and definition lines taken out.
    fn plain(&self, leaf: &Leaf) -> Plain {
        let mut plain = Plain::default();
        let inside = self.marks_in(&leaf.range);
        let mut next = inside.start;
        let mut taken = false;
        for run in &leaf.runs {
            match run.kind {
                RunKind::Break { hard } => {
                    if hard {
                        plain.breaks.push(plain.text.len());
                    }
                    plain.push(" ", run.range.clone(), false);
                }
                RunKind::Code => {
                    if taken && plain.text.ends_with(|c: char| !c.is_whitespace()) {
                        plain.push(" ", run.range.start..run.range.start, false);
                    }
                    taken = false;
                    let start = plain.text.len();
                    plain.push(&run.text, run.range.clone(), false);
                    plain.code.push(start..plain.text.len());
                }
                RunKind::Text => {
                    for part in self.outside_marks(run) {
                        while next < inside.end && self.marks[next].range.start < part.start {
                            plain.marks.push((next, plain.text.len()));
                            taken = true;
                            next += 1;
                        }
                        let exact = run.text.len() == run.range.len();
                        let text = if exact {
                            &run.text[part.start - run.range.start..part.end - run.range.start]
                        } else {
                            run.text.as_str()
                        };
                        if taken {
                            plain.mend(text, part.start);
                            taken = false;
                        }
                        plain.push(text, part, exact);
                    }
                }
            }
        }
        for mark in next..inside.end {
            plain.marks.push((mark, plain.text.len()));
        }
        plain
    }

    /// Parts of a text run outside markers and definition lines.
    fn outside_marks(&self, run: &Run) -> Vec<Range<usize>> {
        if self.document.in_definition(run.range.start) {
            return Vec::new();
        }
        let first = self.marks.partition_point(|mark| mark.range.end <= run.range.start);
        let mut parts = Vec::new();
        let mut at = run.range.start;
        for mark in &self.marks[first..] {
            if mark.range.start >= run.range.end {
                break;
            }
            if mark.range.start > at {
                parts.push(at..mark.range.start);
            }
            at = at.max(mark.range.end);
        }
        if at < run.range.end {
            parts.push(at..run.range.end);
        }
        parts
    }

    /// Claims of a block with the plain range of each, white space behind it included.
    fn units(
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
            let marked_up = plain.with_backticks(start..end);
            let text = fold(&plain.text[start..end]);
            let kind = match leaf.kind {
                LeafKind::Heading | LeafKind::Cell { row: 0, .. } => ClaimKind::Meta,
                LeafKind::Cell { .. } => kinds::of_cell(&text),
                _ if emphasised && kinds::is_title(&text) => ClaimKind::Meta,
                _ => kinds::of_sentence(&text, leads_in),
            };
            let (kind, stated) = match kind {
                ClaimKind::Refusal => beside_refusal(&marked_up),
                kind => (kind, None),
            };
            let named = passages::named(&text);
            let (editor, stated) = match passages::editor(stated.as_deref().unwrap_or(&marked_up)) {
                Some((editor, bare)) => (editor, Some(bare)),
                None => (Vec::new(), stated),
            };
            let unit = Unit { text, marked_up, stated, named, editor, range: source, kind, leaf: index, row };
            units.push((range, unit));
        }
        units
    }
}

impl Plain {
    fn push(&mut self, text: &str, source: Range<usize>, exact: bool) {
        self.pieces.push((self.text.len(), source, exact));
        self.text.push_str(text);
    }

    /// Closes the gap that a marker left: no space before punctuation, one between words.
    fn mend(&mut self, next: &str, at: usize) {
        match next.chars().next() {
            Some('.' | ',' | ';' | ':' | '!' | '?') => {
                let kept = self.text.trim_end_matches(' ').len();
                if kept > 0 {
                    self.text.truncate(kept);
                }
            }
            Some(c)
                if !c.is_whitespace()
                    && c != ')'
                    && self.text.ends_with(|c: char| !c.is_whitespace() && c != '(') =>
            {
                self.push(" ", at..at, false);
            }
            _ => {}
        }
    }

    /// The source offset of the plain character that begins at `at`.
    fn source_start(&self, at: usize) -> usize {
        match self.piece(at) {
            Some((start, source, true)) => (source.start + (at - start)).min(source.end),
            Some((_, source, _)) => source.start,
            None => 0,
        }
    }

    /// The source offset behind the plain character that ends at `at`.
    fn source_end(&self, at: usize) -> usize {
        match self.piece(at.saturating_sub(1)) {
            Some((start, source, true)) => (source.start + (at - start)).min(source.end),
            Some((_, source, _)) => source.end,
            None => 0,
        }
    }

    fn piece(&self, at: usize) -> Option<&(usize, Range<usize>, bool)> {
        let after = self.pieces.partition_point(|piece| piece.0 <= at);
        self.pieces.get(after.checked_sub(1)?)
    }

    fn with_backticks(&self, range: Range<usize>) -> String {
        let mut out = String::with_capacity(range.len() + 8);
        let mut at = range.start;
        let first = self.code.partition_point(|code| code.end <= range.start);
        for code in &self.code[first..] {
            if code.start >= range.end {
                break;
            }
            let (start, end) = (code.start.max(at), code.end.min(range.end));
            out.push_str(&self.text[at..start]);
            out.push('`');
            out.push_str(&self.text[start..end]);
            out.push('`');
            at = end;
        }
        out.push_str(&self.text[at..range.end]);
        fold(&out)
    }
}

/// "The sources do not say how long it takes, but the limit is five": what else a refusal states is judged.
fn beside_refusal(sentence: &str) -> (ClaimKind, Option<String>) {
    let clauses = clauses::split(sentence);
    if clauses.len() < 2 {
        return (ClaimKind::Refusal, None);
    }
    let stated: Vec<&str> =
        clauses.into_iter().map(|clause| &sentence[clause]).filter(|clause| kinds::states(clause)).collect();
    match stated.is_empty() {
        true => (ClaimKind::Refusal, None),
        false => (ClaimKind::Factual, Some(stated.join(" "))),
    }
}

impl Unit {
    /// What is held against the sources: the sentence, or what it states beside a refusal.
    pub(crate) fn judged(&self) -> &str {
        self.stated.as_deref().unwrap_or(&self.marked_up)
    }
}

/// Longest sentence that is kept whole, in bytes; text without sentences is cut, so that judging it stays cheap.
const LONGEST: usize = 2000;

/// Cuts over-long ranges at white space, or at a character where there is none.
fn shorten(text: &str, ranges: Vec<Range<usize>>) -> Vec<Range<usize>> {
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

/// White space folded to single spaces.
fn fold(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
    }
    out
}

/// End of a range without the white space before it.
fn trimmed_end(text: &str, range: &Range<usize>) -> usize {
    range.start + text[range.clone()].trim_end().len()
}
