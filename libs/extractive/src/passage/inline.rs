//! Inline text of one block, with the source bytes of each piece and the emphasis marks around them.

use std::ops::Range;

use assay_reading::citations::neutralise_markers;

/// Inline text being collected; `end` is the source byte behind its last piece.
#[derive(Default)]
pub(super) struct Inline {
    pub(super) out: String,
    /// Where each piece begins in `out`, and its bytes in the source.
    pieces: Vec<(usize, Range<usize>)>,
    pub(super) code: Vec<Range<usize>>,
    marks: Vec<Mark>,
    open: Vec<usize>,
    pub(super) end: usize,
}

/// An emphasis mark and the index of its partner.
struct Mark {
    range: Range<usize>,
    partner: Option<usize>,
}

impl Inline {
    pub(super) fn push(&mut self, text: &str, source: &Range<usize>) {
        if text.is_empty() {
            return;
        }
        self.pieces.push((self.out.len(), source.clone()));
        self.out.push_str(text);
        self.end = source.end;
    }

    /// Bytes in the source of the pieces that a range of the collected text touches.
    pub(super) fn bytes(&self, range: &Range<usize>) -> Range<usize> {
        let at = |place: usize| {
            let next = self.pieces.partition_point(|(start, _)| *start <= place);
            self.pieces
                .get(next.saturating_sub(1))
                .map_or(0..0, |(start, source)| (source.start + (place - start)).min(source.end)..source.end)
        };
        let last = range.end.saturating_sub(1).max(range.start);
        at(range.start).start..(at(last).start + 1).min(at(last).end)
    }

    pub(super) fn space(&mut self) {
        if !self.out.is_empty() && !self.out.ends_with(' ') {
            self.out.push(' ');
        }
    }

    pub(super) fn open_mark(&mut self, mark: &str, source: &Range<usize>) {
        let start = self.out.len();
        self.push(mark, &(source.start..source.start + mark.len()));
        self.open.push(self.marks.len());
        self.marks.push(Mark { range: start..self.out.len(), partner: None });
    }

    pub(super) fn close_mark(&mut self) {
        let Some(opener) = self.open.pop() else { return };
        let start = self.out.len();
        let text = self.out[self.marks[opener].range.clone()].to_owned();
        self.out.push_str(&text);
        let closer = self.marks.len();
        self.marks[opener].partner = Some(closer);
        self.marks.push(Mark { range: start..self.out.len(), partner: Some(opener) });
    }

    /// The text of a range without marks whose partner lies outside it.
    pub(super) fn slice(&self, range: &Range<usize>) -> String {
        let mut text = String::with_capacity(range.len());
        let mut at = range.start;
        for mark in &self.marks {
            let inside = mark.range.start >= range.start && mark.range.end <= range.end;
            let paired = mark
                .partner
                .and_then(|partner| self.marks.get(partner))
                .is_some_and(|partner| partner.range.start >= range.start && partner.range.end <= range.end);
            if inside && !paired && mark.range.start >= at {
                text.push_str(&self.out[at..mark.range.start]);
                at = mark.range.end;
            }
        }
        text.push_str(&self.out[at..range.end]);
        neutralise_markers(text.trim())
    }
}
