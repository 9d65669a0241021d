//! Packing: lines with cut marks become passages of a good size.

use crate::{Cut, Lines, Outline, Worth};

/// Sizes of passages, in bytes of text.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    /// A section smaller than this is joined with what follows.
    pub(crate) least: usize,
    /// Passages are filled up to here if a cut allows it.
    pub(crate) most: usize,
}

/// Documentation: what the embedding model reads whole, and what a reader takes for one thought.
pub(crate) const PROSE: Limits = Limits { least: 240, most: 1200 };
/// Prose between tags, which take about half of the bytes.
pub(crate) const MARKED_UP: Limits = Limits { least: 480, most: 2400 };
/// Code: most functions whole.
pub(crate) const CODE: Limits = Limits { least: 300, most: 1600 };

/// A run of lines, counted from 0, last one included, that is not cut any further.
#[derive(Debug, Clone, Copy)]
struct Atom {
    first: usize,
    last: usize,
    bytes: usize,
    cut: Cut,
    /// It introduces the next one: ends with a colon, or is a bare heading.
    leads: bool,
}

/// First and last line (from 0) of each passage, without blank lines at its ends.
pub(crate) fn pack(text: &str, lines: &Lines, outline: &Outline, limits: Limits) -> Vec<(usize, usize)> {
    let mut out = Vec::new();
    let mut next = 0;
    while next < lines.len() {
        let is_out = |line: &usize| outline.worth(*line) == Worth::Out;
        let first = (next..lines.len()).find(|line| !is_out(line)).unwrap_or(lines.len());
        next = (first..lines.len()).find(is_out).unwrap_or(lines.len());
        if first < next {
            run(text, lines, outline, (first, next - 1), limits, &mut out);
        }
    }
    out
}

/// Packs a run of lines, last one included.
fn run(
    text: &str,
    lines: &Lines,
    outline: &Outline,
    (first, last): (usize, usize),
    limits: Limits,
    out: &mut Vec<(usize, usize)>,
) {
    let mut atoms = Vec::new();
    split(text, lines, outline, first, last, Cut::Section, limits, &mut atoms);
    let mut open: Option<Atom> = None;
    for atom in atoms {
        open = Some(match open {
            None => atom,
            Some(current) if joins(&current, &atom, limits) => {
                Atom { last: atom.last, bytes: current.bytes + atom.bytes, leads: atom.leads, ..current }
            }
            Some(current) => {
                out.push((current.first, current.last));
                atom
            }
        });
    }
    out.extend(open.map(|current| (current.first, current.last)));
}

/// Whether the next atom belongs to the open passage.
fn joins(current: &Atom, next: &Atom, limits: Limits) -> bool {
    let together = current.bytes + next.bytes;
    match next.cut {
        Cut::Never => true,
        Cut::Section => current.bytes < limits.least && together <= limits.most,
        _ if current.leads => together <= 2 * limits.most,
        _ => together <= limits.most,
    }
}

/// Splits lines at cuts of at least the given quality; pieces that are still too large at lesser ones.
#[allow(clippy::too_many_arguments, reason = "one recursion over one state; a struct would only rename it")]
fn split(
    text: &str,
    lines: &Lines,
    outline: &Outline,
    first: usize,
    last: usize,
    quality: Cut,
    limits: Limits,
    out: &mut Vec<Atom>,
) {
    let mut start = first;
    for line in first..=last {
        let ends = line == last || outline.cuts.get(line + 1).is_some_and(|cut| *cut >= quality);
        if !ends {
            continue;
        }
        let cut = outline.cuts.get(start).copied().unwrap_or(Cut::Section);
        let lesser = match quality {
            Cut::Section => Some(Cut::Block),
            Cut::Block => Some(Cut::Inner),
            Cut::Inner => Some(Cut::Line),
            Cut::Line | Cut::Never => None,
        };
        let blank =
            |index: usize| outline.worth(index) == Worth::Bare || lines.line(text, index).trim().is_empty();
        let (mut from, mut to) = (start, line);
        while from < to && blank(from) {
            from += 1;
        }
        while to > from && blank(to) {
            to -= 1;
        }
        let bytes = (from..=to).map(|index| lines.line(text, index).len() + 1).sum::<usize>();
        match lesser {
            Some(lesser) if bytes > limits.most => {
                split(text, lines, outline, start, line, lesser, limits, out)
            }
            _ if blank(from) => {}
            _ => {
                let colon = || lines.line(text, to).trim_end().ends_with(':');
                out.push(Atom {
                    first: from,
                    last: to,
                    bytes,
                    cut,
                    leads: outline.leads.get(to).copied().unwrap_or_else(colon),
                });
            }
        }
        start = line + 1;
    }
}
