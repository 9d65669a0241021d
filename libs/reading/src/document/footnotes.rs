//! Takes the text of footnote definition lines out of the blocks that hold them.

use super::{Leaf, LeafKind, Run};
use std::ops::Range;

/// The blocks without the words of definition lines; each line follows its block as an aside, its label left out.
pub(super) fn apart(leaves: Vec<Leaf>, definitions: &[Range<usize>], text: &str) -> Vec<Leaf> {
    if definitions.is_empty() {
        return leaves;
    }
    let mut out = Vec::with_capacity(leaves.len() + definitions.len());
    for mut leaf in leaves {
        let mut notes: Vec<Leaf> = Vec::new();
        let (depth, mut kept) = (leaf.list_depth, Vec::with_capacity(leaf.runs.len()));
        for run in std::mem::take(&mut leaf.runs) {
            let Some(line) = holding(definitions, run.range.start) else {
                kept.push(run);
                continue;
            };
            let body = text[line.clone()].find("]:").map_or(line.end, |label| line.start + label + 2);
            let Some(run) = behind(run, body) else { continue };
            match notes.last_mut() {
                Some(note) if note.range.end == line.end => note.runs.push(run),
                _ => notes.push(Leaf {
                    kind: LeafKind::Aside,
                    range: body..line.end,
                    runs: vec![run],
                    list_depth: depth,
                }),
            }
        }
        leaf.runs = kept;
        out.push(leaf);
        out.append(&mut notes);
    }
    out
}

/// The definition line that a byte lies on.
fn holding(definitions: &[Range<usize>], byte: usize) -> Option<&Range<usize>> {
    let after = definitions.partition_point(|line| line.start <= byte);
    definitions.get(after.checked_sub(1)?).filter(|line| line.end > byte)
}

/// What of a run stands behind a place.
fn behind(run: Run, place: usize) -> Option<Run> {
    if run.range.start >= place {
        return Some(run);
    }
    let text = run.text.get(place - run.range.start..).filter(|_| run.text.len() == run.range.len())?;
    (!text.is_empty()).then(|| Run { range: place..run.range.end, text: text.to_owned(), kind: run.kind })
}
