//! What the indentation tells about missing and extra closers.

use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};

use super::{Event, Placed, Structure, TENTATIVE_DEPTH, closes_nothing, unclosed};
use crate::diagnostic::{Code, Finding};

/// A closer with the opener that the order of the text gives it, by line.
struct Pair {
    opener: Placed,
    closer: Placed,
}

/// Moves findings about a missing or an extra closer to the block that the layout of the lines tells: where an inner
/// block lost its closer it takes that of the block around it, which is then the one that the order of the text leaves
/// open. `indentation` gives the width of the white space before a line; where it tells nothing, nothing moves.
pub(crate) fn by_layout(structure: &mut Structure, events: &[Placed], indentation: impl Fn(usize) -> usize) {
    let moves = |finding: &Finding| matches!(finding.code, Code::UNCLOSED_BLOCK | Code::EXTRA_CLOSER);
    if !structure.findings.iter().any(|(_, finding)| moves(finding)) {
        return;
    }
    // Pairs whose closer stands further left, by its indentation; and further right, by that of the opener.
    let mut left: HashMap<usize, Vec<Pair>> = HashMap::new();
    let mut right: HashMap<usize, Vec<Pair>> = HashMap::new();
    for pair in pairs(events) {
        let (opener, closer) = (indentation(pair.opener.line), indentation(pair.closer.line));
        match closer.cmp(&opener) {
            Ordering::Less => left.entry(closer).or_default().push(pair),
            Ordering::Greater => right.entry(opener).or_default().push(pair),
            Ordering::Equal => {}
        }
    }
    for pairs in left.values_mut() {
        pairs.sort_by_key(|pair| pair.opener.line);
    }
    let mut taken: HashSet<usize> = HashSet::new();
    for (line, finding) in &mut structure.findings {
        for _ in 0..TENTATIVE_DEPTH {
            let width = indentation(*line);
            if finding.code == Code::UNCLOSED_BLOCK
                && let Some(pairs) = left.get(&width)
                && let Some(pair) = pairs.get(pairs.partition_point(|pair| pair.opener.line <= *line))
                && let Event::Open { block, .. } = pair.opener.event
                && taken.insert(pair.opener.line)
            {
                *line = pair.opener.line;
                *finding = unclosed(block, pair.opener.span);
            } else if finding.code == Code::EXTRA_CLOSER
                && let Some(pairs) = right.get(&width)
                && let Some(before) = pairs.partition_point(|pair| pair.closer.line < *line).checked_sub(1)
                && let Event::Close { closer, .. } = pairs[before].closer.event
                && taken.insert(pairs[before].closer.line)
            {
                *line = pairs[before].closer.line;
                *finding = closes_nothing(closer, pairs[before].closer.span);
            } else {
                break;
            }
        }
    }
}

/// The closers with their openers, in the order of the closers, as a plain stack pairs them.
fn pairs(events: &[Placed]) -> Vec<Pair> {
    let mut open: Vec<(Placed, u8)> = Vec::new();
    let mut out = Vec::new();
    for placed in events {
        match placed.event {
            Event::Open { block, required: true, .. } => open.push((*placed, block.closer())),
            Event::Close { closer, lenient: false }
                if open.last().is_some_and(|(_, needs)| *needs == closer) =>
            {
                if let Some((opener, _)) = open.pop() {
                    out.push(Pair { opener, closer: *placed });
                }
            }
            _ => {}
        }
    }
    out
}
