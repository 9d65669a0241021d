//! QuickScorer layout of the trees (Lucchese 2015): nodes grouped by feature and sorted by threshold.
//!
//! Walking tree by tree waits for memory at every step. Here each node is read once, in rising order, until the value is
//! not above its bar. Each tree keeps a mask of its leaves; a node below the value clears the leaves on its left. The first
//! leaf that is left is the one a walk would reach (Lucchese et al., QuickScorer, SIGIR 2015).

use super::{Boosted, Tree};
use crate::features::NAMES;

/// Most leaves of a tree: as many as a mask has bits. Few, so that all nodes and leaves stay in the nearest memory.
const LEAVES: usize = 16;

/// Most trees: a place for each needs no check then.
const TREES: usize = 512;

/// The trees of a model.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct QuickScorer {
    /// Bars by measure, rising, without repeats.
    bars: Vec<f64>,
    /// What being above them takes away, bar after bar.
    cuts: Vec<Cut>,
    /// Where the cuts of each bar begin.
    starts: Vec<u32>,
    /// Where the bars of each measure end.
    ends: Vec<usize>,
    /// What the leaves of each tree add, in millionths, in the order of the model.
    leaves: Vec<[i32; LEAVES]>,
}

/// An inner node: above its bar, only the leaves of the mask remain of its tree.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Cut {
    tree: u16,
    keeps: u16,
}

impl QuickScorer {
    /// Lays out trees whose every walk ends at a leaf; `None` for others, where a tree has more leaves than bits, and where a
    /// leaf has more than six decimals.
    pub(super) fn new(model: &Boosted) -> Option<Self> {
        let place = |feature: &String| NAMES.iter().position(|name| name == feature);
        let measures: Vec<usize> = model.features.iter().map(place).collect::<Option<_>>()?;
        if model.trees.len() > TREES {
            return None;
        }
        let mut by_measure: Vec<Vec<(f64, Cut)>> = vec![Vec::new(); NAMES.len()];
        let mut leaves = Vec::with_capacity(model.trees.len());
        for (number, tree) in model.trees.iter().enumerate() {
            let mut plot = Plot { tree, taken: 0, row: [0; LEAVES], masks: vec![0; tree.split.len()] };
            plot.walk(if tree.split.is_empty() { -1 } else { 0 }, 0)?;
            for (node, left) in plot.masks.iter().enumerate() {
                let measure = *measures.get(usize::from(*tree.split.get(node)?))?;
                let cut = Cut { tree: u16::try_from(number).ok()?, keeps: !left };
                by_measure.get_mut(measure)?.push((*tree.at.get(node)?, cut));
            }
            leaves.push(plot.row);
        }
        let (mut bars, mut cuts, mut starts, mut ends) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for mut nodes in by_measure {
            nodes.sort_by(|one, two| one.0.total_cmp(&two.0));
            for alike in nodes.chunk_by(|one, two| one.0 == two.0) {
                bars.extend(alike.first().map(|(bar, _)| bar));
                starts.push(u32::try_from(cuts.len()).ok()?);
                cuts.extend(alike.iter().map(|(_, cut)| cut));
            }
            ends.push(bars.len());
        }
        starts.push(u32::try_from(cuts.len()).ok()?);
        Some(Self { bars, cuts, starts, ends, leaves })
    }

    /// Sum of the trees, in the order of the model.
    pub(super) fn margin(&self, values: &[f64]) -> f64 {
        let mut open = [u16::MAX; TREES];
        let mut start = 0;
        for (value, end) in values.iter().zip(&self.ends) {
            let bars = self.bars.get(start..*end).unwrap_or_default();
            // Up to a bar a walk goes left; what is no number goes right.
            let below = match bars {
                _ if value.is_nan() => bars.len(),
                // Many measures of a claim are 0, which is above no bar.
                [] => 0,
                [least, ..] if value <= least => 0,
                _ => bars.partition_point(|bar| bar < value),
            };
            // Several at a time: there are thousands, and counting them costs as much as they do.
            let mut take = |cut: &Cut| open[usize::from(cut.tree) % TREES] &= cut.keeps;
            let cuts = |bar: usize| self.starts.get(bar).map_or(0, |cuts| *cuts as usize);
            let cuts = self.cuts.get(cuts(start)..cuts(start + below)).unwrap_or_default();
            let (runs, rest) = cuts.as_chunks::<8>();
            runs.iter().for_each(|run| run.iter().for_each(&mut take));
            rest.iter().for_each(&mut take);
            start = *end;
        }
        let said = |(open, leaves): (&u16, &[i32; LEAVES])| leaves[open.trailing_zeros() as usize % LEAVES];
        let millionths: i64 = open.iter().zip(&self.leaves).map(said).map(i64::from).sum();
        #[allow(clippy::cast_precision_loss)]
        let margin = millionths as f64 / 1e6;
        margin
    }
}

/// What a leaf adds, in millionths, if that is exact: sums of them are the same in any order.
fn millionths(leaf: f64) -> Option<i32> {
    let millionths = (leaf * 1e6).round();
    let exact = millionths.abs() < f64::from(i32::MAX) && (millionths / 1e6 - leaf).abs() < 1e-12;
    #[allow(clippy::cast_possible_truncation)]
    exact.then_some(millionths as i32)
}

/// A tree whose leaves are being numbered.
struct Plot<'t> {
    tree: &'t Tree,
    /// Leaves that have a number.
    taken: usize,
    row: [i32; LEAVES],
    /// Leaves to the left of each node.
    masks: Vec<u16>,
}

impl Plot<'_> {
    /// Numbers the leaves of a child, from left to right, and says which they are.
    fn walk(&mut self, child: i32, depth: usize) -> Option<u16> {
        // A node that is met twice would not end.
        if depth > self.tree.split.len() {
            return None;
        }
        let Ok(node) = usize::try_from(child) else {
            let leaf = usize::try_from(-(i64::from(child) + 1)).ok()?;
            *self.row.get_mut(self.taken)? = millionths(*self.tree.leaf.get(leaf)?)?;
            self.taken += 1;
            return Some(1 << (self.taken - 1));
        };
        let left = self.walk(*self.tree.left.get(node)?, depth + 1)?;
        *self.masks.get_mut(node)? = left;
        Some(left | self.walk(*self.tree.right.get(node)?, depth + 1)?)
    }
}
