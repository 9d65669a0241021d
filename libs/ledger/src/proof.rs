//! Verifiers of inclusion and consistency proofs; the algorithms of RFC 9162 §2.1.3.2 and §2.1.4.2, total over any
//! input.

use crate::hash::Hash;

/// Root that follows from a leaf, its place and its audit path; `None` if the path has the wrong length or the
/// index is not below the size.
#[must_use]
pub fn root_from_inclusion(leaf: Hash, index: u64, size: u64, path: &[Hash]) -> Option<Hash> {
    if index >= size {
        return None;
    }
    let (mut node, mut last) = (index, size - 1);
    let mut hash = leaf;
    for sibling in path {
        if last == 0 {
            return None;
        }
        if node & 1 == 1 || node == last {
            hash = Hash::node(sibling, &hash);
            while node & 1 == 0 && node != 0 {
                node >>= 1;
                last >>= 1;
            }
        } else {
            hash = Hash::node(&hash, sibling);
        }
        node >>= 1;
        last >>= 1;
    }
    (last == 0).then_some(hash)
}

/// Whether the path proves that the leaf is the one at `index` in the tree of this size and root.
#[must_use]
pub fn verify_inclusion(leaf: Hash, index: u64, size: u64, path: &[Hash], root: Hash) -> bool {
    root_from_inclusion(leaf, index, size, path) == Some(root)
}

/// Whether the path proves that the tree `(old_size, old_root)` is a prefix of `(new_size, new_root)`.
///
/// The empty tree is a prefix of every tree by an empty path.
#[must_use]
pub fn verify_consistency(
    old_size: u64,
    old_root: Hash,
    new_size: u64,
    new_root: Hash,
    path: &[Hash],
) -> bool {
    if old_size > new_size {
        return false;
    }
    if old_size == new_size {
        return path.is_empty() && old_root == new_root;
    }
    if old_size == 0 {
        return path.is_empty() && old_root == Hash::empty_root();
    }
    let (start, rest) = match (old_size.is_power_of_two(), path.split_first()) {
        (true, _) => (old_root, path),
        (false, Some((first, rest))) => (*first, rest),
        (false, None) => return false,
    };
    let (mut node, mut last) = (old_size - 1, new_size - 1);
    while node & 1 == 1 {
        node >>= 1;
        last >>= 1;
    }
    let (mut old, mut new) = (start, start);
    for hash in rest {
        if last == 0 {
            return false;
        }
        if node & 1 == 1 || node == last {
            old = Hash::node(hash, &old);
            new = Hash::node(hash, &new);
            while node & 1 == 0 && node != 0 {
                node >>= 1;
                last >>= 1;
            }
        } else {
            new = Hash::node(&new, hash);
        }
        node >>= 1;
        last >>= 1;
    }
    last == 0 && old == old_root && new == new_root
}
