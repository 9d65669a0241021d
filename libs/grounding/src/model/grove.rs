//! Trees laid out for vectors of this crate's measures.
//!
//! Asking the trees is a good part of judging a claim. Walking them one by one costs waiting: each step needs the one before
//! it, and all of their nodes pass through the memory nearest to the processor. So the nodes of all trees stand by measure,
//! bars rising, and what a measure is not above is never looked at. Leaves are numbered from left to right, each tree has a
//! bit for each of its leaves, and a node whose bar the measure is above takes away those on its left; the first that
//! remains is where a walk would end (Lucchese et al., QuickScorer, SIGIR 2015).

use super::{Boosted, Tree};
use crate::features::NAMES;

/// Most leaves of a tree.
const LEAVES: usize = 32;

/// The trees of a model.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Grove {
    /// Nodes by measure, bars rising.
    nodes: Vec<Node>,
    /// Where the nodes of each measure end.
    ends: Vec<usize>,
    /// What the leaves of each tree add, in the order of the model.
    leaves: Vec<[f64; LEAVES]>,
}

/// An inner node: above the bar, only the leaves of the mask remain of its tree.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Node {
    bar: f64,
    tree: u32,
    keeps: u32,
}

impl Grove {
    /// Lays out trees whose every walk ends at a leaf; `None` for others, and where a tree has more leaves than bits.
    pub(super) fn new(model: &Boosted) -> Option<Self> {
        let place = |feature: &String| NAMES.iter().position(|name| name == feature);
        let measures: Vec<usize> = model.features.iter().map(place).collect::<Option<_>>()?;
        let mut by_measure = vec![Vec::new(); NAMES.len()];
        let mut leaves = Vec::with_capacity(model.trees.len());
        for (number, tree) in model.trees.iter().enumerate() {
            let mut plot = Plot { tree, taken: 0, row: [0.0; LEAVES], masks: vec![0; tree.split.len()] };
            plot.walk(if tree.split.is_empty() { -1 } else { 0 }, 0)?;
            for (node, left) in plot.masks.iter().enumerate() {
                let measure = *measures.get(usize::from(*tree.split.get(node)?))?;
                let (bar, tree) = (*tree.at.get(node)?, u32::try_from(number).ok()?);
                by_measure.get_mut(measure)?.push(Node { bar, tree, keeps: !left });
            }
            leaves.push(plot.row);
        }
        let mut grove = Self { nodes: Vec::new(), ends: Vec::new(), leaves };
        for mut nodes in by_measure {
            nodes.sort_by(|one, two| one.bar.total_cmp(&two.bar));
            grove.nodes.extend(nodes);
            grove.ends.push(grove.nodes.len());
        }
        Some(grove)
    }

    /// Sum of the trees, in the order of the model.
    pub(super) fn margin(&self, values: &[f64]) -> f64 {
        let mut open = vec![u32::MAX; self.leaves.len()];
        let mut start = 0;
        for (value, end) in values.iter().zip(&self.ends) {
            for node in self.nodes.get(start..*end).unwrap_or_default() {
                if *value <= node.bar {
                    break;
                }
                if let Some(open) = open.get_mut(node.tree as usize) {
                    *open &= node.keeps;
                }
            }
            start = *end;
        }
        let said = |(open, leaves): (&u32, &[f64; LEAVES])| leaves[open.trailing_zeros() as usize % LEAVES];
        open.iter().zip(&self.leaves).map(said).sum()
    }
}

/// A tree whose leaves are being numbered.
struct Plot<'t> {
    tree: &'t Tree,
    /// Leaves that have a number.
    taken: usize,
    row: [f64; LEAVES],
    /// Leaves to the left of each node.
    masks: Vec<u32>,
}

impl Plot<'_> {
    /// Numbers the leaves of a child, from left to right, and says which they are.
    fn walk(&mut self, child: i32, depth: usize) -> Option<u32> {
        // A node that is met twice would not end.
        if depth > self.tree.split.len() {
            return None;
        }
        let Ok(node) = usize::try_from(child) else {
            let leaf = usize::try_from(-(i64::from(child) + 1)).ok()?;
            *self.row.get_mut(self.taken)? = *self.tree.leaf.get(leaf)?;
            self.taken += 1;
            return Some(1 << (self.taken - 1));
        };
        let left = self.walk(*self.tree.left.get(node)?, depth + 1)?;
        *self.masks.get_mut(node)? = left;
        Some(left | self.walk(*self.tree.right.get(node)?, depth + 1)?)
    }
}
