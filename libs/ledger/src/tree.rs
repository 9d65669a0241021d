//! The Merkle tree of RFC 6962 §2.1 over stored hashes: appends by a frontier, roots and proofs by lookup.
//!
//! Only *complete* subtrees are stored: the node at `(level, index)` covers the leaves `index·2^level` up to, not
//! including, `(index+1)·2^level`. Such a node never changes once written, so a store only ever adds rows, and any
//! root or proof of any past size can be made from them.

use crate::hash::Hash;

/// A complete subtree, ready to be stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Node {
    /// 0 for leaves; a node at level `l` covers 2^l leaves.
    pub level: u32,
    /// Position among the nodes of its level, from 0.
    pub index: u64,
    /// Its hash.
    pub hash: Hash,
}

/// Where stored hashes come from.
pub trait Nodes {
    /// Why a lookup failed.
    type Error;

    /// Hash of the complete subtree at this level and index.
    ///
    /// # Errors
    /// Whatever the store says; a missing node is an error of the store, since no caller asks beyond the size it
    /// was given.
    fn node(&self, level: u32, index: u64) -> Result<Hash, Self::Error>;
}

impl<E, F: Fn(u32, u64) -> Result<Hash, E>> Nodes for F {
    type Error = E;

    fn node(&self, level: u32, index: u64) -> Result<Hash, E> {
        self(level, index)
    }
}

/// The right edge of a tree: one hash per set bit of its size, largest subtree first.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Frontier {
    size: u64,
    hashes: Vec<Hash>,
}

impl Frontier {
    /// The frontier of the empty tree.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Reads the frontier of a tree of this size.
    ///
    /// # Errors
    /// What the store says.
    pub fn load<N: Nodes>(nodes: &N, size: u64) -> Result<Self, N::Error> {
        let hashes = peaks(0, size).into_iter().map(|(level, index)| nodes.node(level, index));
        Ok(Self { size, hashes: hashes.collect::<Result<_, _>>()? })
    }

    /// Number of leaves.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Adds a leaf and returns the subtrees that it completed, the leaf itself first.
    pub fn push(&mut self, leaf: Hash) -> Vec<Node> {
        let mut node = Node { level: 0, index: self.size, hash: leaf };
        let mut done = vec![node];
        while node.index & 1 == 1 {
            let Some(left) = self.hashes.pop() else { break };
            node =
                Node { level: node.level + 1, index: node.index >> 1, hash: Hash::node(&left, &node.hash) };
            done.push(node);
        }
        self.hashes.push(node.hash);
        self.size += 1;
        done
    }

    /// Root of the tree.
    #[must_use]
    pub fn root(&self) -> Hash {
        fold(self.hashes.iter().copied())
    }
}

/// Folds subtree hashes from the right, as RFC 6962 splits a tree at the largest power of two.
fn fold(hashes: impl DoubleEndedIterator<Item = Hash>) -> Hash {
    let mut hashes = hashes.rev();
    let Some(last) = hashes.next() else { return Hash::empty_root() };
    hashes.fold(last, |right, left| Hash::node(&left, &right))
}

/// Complete subtrees `(level, index)` that cover the leaves `first..end`, left to right, where `first` is a multiple
/// of the largest power of two that is not above `end - first`.
fn peaks(first: u64, end: u64) -> Vec<(u32, u64)> {
    let mut peaks = Vec::new();
    let mut at = first;
    while at < end {
        let level = (end - at).ilog2();
        peaks.push((level, at >> level));
        at += 1 << level;
    }
    peaks
}

/// Hash of the subtree over the leaves `first..end`, which need not be complete.
fn subtree<N: Nodes>(nodes: &N, first: u64, end: u64) -> Result<Hash, N::Error> {
    let hashes: Result<Vec<Hash>, _> =
        peaks(first, end).into_iter().map(|(level, index)| nodes.node(level, index)).collect();
    Ok(fold(hashes?.into_iter()))
}

/// Largest power of two below `size`; `size` is at least 2.
fn split(size: u64) -> u64 {
    1 << (size - 1).ilog2()
}

/// Root of the tree of the first `size` leaves.
///
/// # Errors
/// What the store says.
pub fn root<N: Nodes>(nodes: &N, size: u64) -> Result<Hash, N::Error> {
    subtree(nodes, 0, size)
}

/// Audit path of a leaf (RFC 6962 §2.1.1), nearest sibling first; `None` unless `index < size`.
///
/// # Errors
/// What the store says.
pub fn inclusion_proof<N: Nodes>(nodes: &N, index: u64, size: u64) -> Result<Option<Vec<Hash>>, N::Error> {
    if index >= size {
        return Ok(None);
    }
    let (mut first, mut end) = (0, size);
    let mut path = Vec::new();
    while end - first > 1 {
        let middle = first + split(end - first);
        if index < middle {
            path.push(subtree(nodes, middle, end)?);
            end = middle;
        } else {
            path.push(subtree(nodes, first, middle)?);
            first = middle;
        }
    }
    path.reverse();
    Ok(Some(path))
}

/// Proof that the tree of the first `old` leaves is a prefix of the one of the first `new` (RFC 6962 §2.1.2);
/// empty where `old` is 0 or equal to `new`, `None` where `old > new`.
///
/// # Errors
/// What the store says.
pub fn consistency_proof<N: Nodes>(nodes: &N, old: u64, new: u64) -> Result<Option<Vec<Hash>>, N::Error> {
    if old > new {
        return Ok(None);
    }
    if old == 0 || old == new {
        return Ok(Some(Vec::new()));
    }
    let (mut first, mut end) = (0, new);
    let mut path = Vec::new();
    while end != old {
        let middle = first + split(end - first);
        if old <= middle {
            path.push(subtree(nodes, middle, end)?);
            end = middle;
        } else {
            path.push(subtree(nodes, first, middle)?);
            first = middle;
        }
    }
    // The old tree's own subtree is known to the verifier only if it is the whole old tree.
    if first > 0 {
        path.push(subtree(nodes, first, end)?);
    }
    path.reverse();
    Ok(Some(path))
}
