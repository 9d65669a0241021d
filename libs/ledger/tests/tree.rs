//! The tree against the known vectors of certificate transparency, against the definition of RFC 6962 itself, and
//! against every kind of tampering.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::collections::HashMap;
use std::convert::Infallible;

use assay_ledger::proof::{verify_consistency, verify_inclusion};
use assay_ledger::tree::{consistency_proof, inclusion_proof, root};
use assay_ledger::{Frontier, Hash, Nodes};
use proptest::prelude::*;

/// A store of nodes, as a database would hold them.
#[derive(Default)]
struct Stored(HashMap<(u32, u64), Hash>);

impl Nodes for Stored {
    type Error = Infallible;

    fn node(&self, level: u32, index: u64) -> Result<Hash, Infallible> {
        Ok(*self.0.get(&(level, index)).expect("asked for a node that no append completed"))
    }
}

fn grow(leaves: &[Hash]) -> (Stored, Vec<Hash>) {
    let (mut stored, mut frontier) = (Stored::default(), Frontier::new());
    let mut roots = vec![frontier.root()];
    for leaf in leaves {
        for node in frontier.push(*leaf) {
            let before = stored.0.insert((node.level, node.index), node.hash);
            assert_eq!(before, None, "a stored node never changes");
        }
        roots.push(frontier.root());
    }
    (stored, roots)
}

/// MTH of RFC 6962 §2.1, as written there.
fn definition(leaves: &[Hash]) -> Hash {
    match leaves {
        [] => Hash::empty_root(),
        [leaf] => *leaf,
        _ => {
            let k = leaves.len().next_power_of_two() / 2;
            Hash::node(&definition(&leaves[..k]), &definition(&leaves[k..]))
        }
    }
}

fn leaves(count: usize) -> Vec<Hash> {
    (0..count).map(|i| Hash::leaf(&i.to_be_bytes())).collect()
}

fn hex(text: &str) -> Hash {
    Hash::from_hex(text).unwrap()
}

/// The eight leaves used by the reference implementation of certificate transparency.
fn classic() -> Vec<Hash> {
    ["", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f"]
        .iter()
        .map(|data| Hash::leaf(&hex::decode(data).unwrap()))
        .collect()
}

#[test]
fn the_empty_tree_has_the_hash_of_nothing() {
    let empty = hex("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    assert_eq!(Frontier::new().root(), empty);
    assert_eq!(Hash::empty_root(), empty);
}

#[test]
fn roots_of_the_classic_leaves_are_the_known_ones() {
    let known = [
        "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
        "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
        "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
        "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
        "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
        "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
        "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
        "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
    ];
    let (stored, roots) = grow(&classic());
    for (size, known) in (1..).zip(known) {
        assert_eq!(roots[size], hex(known), "size {size}");
        assert_eq!(root(&stored, size as u64).unwrap(), hex(known), "size {size}");
    }
}

#[test]
fn proofs_over_the_classic_leaves_are_the_known_ones() {
    let (stored, _) = grow(&classic());
    let first = [
        "96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7",
        "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
        "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4",
    ];
    assert_eq!(inclusion_proof(&stored, 0, 8).unwrap().unwrap(), first.map(hex));
    let six_to_eight = [
        "0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a",
        "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
        "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    ];
    assert_eq!(consistency_proof(&stored, 6, 8).unwrap().unwrap(), six_to_eight.map(hex));
}

#[test]
fn roots_follow_the_definition_and_a_frontier_can_continue() {
    let all = leaves(70);
    let (stored, roots) = grow(&all);
    for size in 0..=all.len() {
        assert_eq!(roots[size], definition(&all[..size]), "size {size}");
        let mut resumed = Frontier::load(&stored, size as u64).unwrap();
        for leaf in &all[size..] {
            resumed.push(*leaf);
        }
        assert_eq!(resumed.root(), roots[all.len()], "resumed at {size}");
    }
}

#[test]
fn every_proof_of_every_small_tree_verifies() {
    let all = leaves(34);
    let (stored, roots) = grow(&all);
    for size in 0..=all.len() as u64 {
        for index in 0..size {
            let path = inclusion_proof(&stored, index, size).unwrap().unwrap();
            assert!(verify_inclusion(all[index as usize], index, size, &path, roots[size as usize]));
        }
        for old in 0..=size {
            let path = consistency_proof(&stored, old, size).unwrap().unwrap();
            assert!(
                verify_consistency(old, roots[old as usize], size, roots[size as usize], &path),
                "{old} {size}"
            );
        }
    }
    assert_eq!(inclusion_proof(&stored, 5, 5).unwrap(), None);
    assert_eq!(consistency_proof(&stored, 6, 5).unwrap(), None);
}

fn flip(hash: Hash, bit: usize) -> Hash {
    let mut bytes = hash.0;
    bytes[bit / 8 % 32] ^= 1 << (bit % 8);
    Hash(bytes)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn a_changed_inclusion_proof_fails(size in 1_u64..260, at in any::<prop::sample::Index>(), bit in 0_usize..256,
                                       part in any::<prop::sample::Index>()) {
        let all = leaves(size as usize);
        let (stored, roots) = grow(&all);
        let index = at.index(size as usize) as u64;
        let (leaf, root) = (all[index as usize], roots[size as usize]);
        let path = inclusion_proof(&stored, index, size).unwrap().unwrap();
        prop_assert!(verify_inclusion(leaf, index, size, &path, root));
        prop_assert!(!verify_inclusion(flip(leaf, bit), index, size, &path, root));
        prop_assert!(!verify_inclusion(leaf, index, size, &path, flip(root, bit)));
        prop_assert!(!verify_inclusion(leaf, size, size, &path, root));
        for other in (0..size).filter(|other| *other != index) {
            prop_assert!(!verify_inclusion(leaf, other, size, &path, root), "the proof of {index} proves {other}");
        }
        if !path.is_empty() {
            let part = part.index(path.len());
            let mut changed = path.clone();
            changed[part] = flip(changed[part], bit);
            prop_assert!(!verify_inclusion(leaf, index, size, &changed, root));
            prop_assert!(!verify_inclusion(leaf, index, size, &path[1..], root));
        }
        let mut longer = path.clone();
        longer.push(root);
        prop_assert!(!verify_inclusion(leaf, index, size, &longer, root));
    }

    #[test]
    fn a_changed_consistency_proof_fails(new in 2_u64..260, at in any::<prop::sample::Index>(), bit in 0_usize..256,
                                         part in any::<prop::sample::Index>()) {
        let all = leaves(new as usize);
        let (stored, roots) = grow(&all);
        let old = at.index(new as usize - 1) as u64 + 1;
        let (old_root, new_root) = (roots[old as usize], roots[new as usize]);
        let path = consistency_proof(&stored, old, new).unwrap().unwrap();
        prop_assert!(verify_consistency(old, old_root, new, new_root, &path));
        prop_assert!(!verify_consistency(old, flip(old_root, bit), new, new_root, &path));
        prop_assert!(!verify_consistency(old, old_root, new, flip(new_root, bit), &path));
        if !path.is_empty() {
            let part = part.index(path.len());
            let mut changed = path.clone();
            changed[part] = flip(changed[part], bit);
            prop_assert!(!verify_consistency(old, old_root, new, new_root, &changed));
            prop_assert!(!verify_consistency(old, old_root, new, new_root, &path[..path.len() - 1]));
        }
        let mut longer = path.clone();
        longer.push(new_root);
        prop_assert!(!verify_consistency(old, old_root, new, new_root, &longer));
    }

    #[test]
    fn verifiers_are_total(index: u64, size: u64, old: u64, bytes in prop::collection::vec(any::<[u8; 32]>(), 0..80)) {
        let path: Vec<Hash> = bytes.into_iter().map(Hash).collect();
        let hash = Hash([9; 32]);
        prop_assert!(!verify_inclusion(hash, index, size, &path, hash) || size == 1);
        let proved = verify_consistency(old, hash, size, hash, &path);
        prop_assert!(!proved || (old == size && path.is_empty()));
    }
}
