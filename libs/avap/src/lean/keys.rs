//! Names as they are looked up: a few words of memory instead of text, and the slots of a table of them.

use super::cursor::{before, eight, word_ends};
use super::names::Symbol;
use crate::hash::{SPREAD, mix, seed};

/// A name as it is looked up. For a word of at most sixteen letters it is the letters themselves, eight in each half,
/// the first one lowest. For anything else it is a hash and the length.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Key {
    first: u64,
    second: u64,
}

/// Marks the key of what is no short word; the letters of words are ASCII.
const LONG: u64 = 1 << 63;

impl Key {
    fn long(hash: u64, length: usize) -> Self {
        Self { first: LONG | hash, second: length as u64 }
    }

    pub(super) fn is_long(self) -> bool {
        self.first & LONG != 0
    }

    /// Where to look first.
    #[inline]
    pub(super) fn place(self) -> usize {
        mix(self.first ^ seed(), self.second ^ SPREAD) as usize
    }
}

/// The key of the word that starts at a place, which may be empty, and its length.
#[inline(always)]
pub(super) fn key_at(bytes: &[u8], at: usize) -> (Key, usize) {
    let first = eight(bytes, at);
    let ends = word_ends(first);
    if ends != 0 {
        let (first, length) = before(first, ends);
        return (Key { first, second: 0 }, length);
    }
    let second = eight(bytes, at + 8);
    let ends = word_ends(second);
    if ends != 0 {
        let (second, length) = before(second, ends);
        return (Key { first, second }, 8 + length);
    }
    long_key(bytes, at, first, second)
}

#[inline(never)]
fn long_key(bytes: &[u8], at: usize, first: u64, second: u64) -> (Key, usize) {
    let mut hash = mix(first ^ seed(), second ^ SPREAD);
    let mut length = 16;
    loop {
        let next = eight(bytes, at + length);
        let ends = word_ends(next);
        if ends == 0 {
            hash = mix(hash ^ next, SPREAD);
            length += 8;
            continue;
        }
        let (rest, more) = before(next, ends);
        if more > 0 {
            hash = mix(hash ^ rest, SPREAD);
        }
        length += more;
        return (if length == 16 { Key { first, second } } else { Key::long(hash, length) }, length);
    }
}

/// The key of a text, whether it is a word or not.
pub(super) fn key_of(text: &[u8]) -> Key {
    let (key, length) = key_at(text, 0);
    if length == text.len() && length > 0 {
        return key;
    }
    let parts = (0..text.len()).step_by(8);
    Key::long(parts.fold(seed(), |hash, at| mix(hash ^ eight(text, at), SPREAD)), text.len())
}

/// An entry of a table of slots; the key of a free one is 0.
#[derive(Debug, Clone, Copy)]
pub(super) struct Slot {
    pub(super) key: Key,
    pub(super) symbol: Symbol,
    /// Where the name stands in the source.
    pub(super) start: u32,
}

impl Slot {
    pub(super) const FREE: Self = Self { key: Key { first: 0, second: 0 }, symbol: 0, start: 0 };

    pub(super) fn is_free(self) -> bool {
        self.key.first == 0
    }
}

/// Puts an entry that is not there yet into a table that has room.
pub(super) fn place(slots: &mut [Slot], slot: Slot) {
    let mask = slots.len() - 1;
    let mut at = slot.key.place() & mask;
    while !slots[at].is_free() {
        at = (at + 1) & mask;
    }
    slots[at] = slot;
}

/// Looks a name up in a table; the place of the free slot where it is not there. What has the same
/// key is the same name if `same` says so.
#[inline(always)]
pub(super) fn look(
    slots: &[Slot],
    key: Key,
    place: usize,
    same: impl Fn(Slot) -> bool,
) -> Result<Symbol, usize> {
    let mask = slots.len() - 1;
    let mut at = place & mask;
    loop {
        let slot = slots[at];
        if slot.key.first == key.first && slot.key.second == key.second && same(slot) {
            return Ok(slot.symbol);
        }
        if slot.is_free() {
            return Err(at);
        }
        at = (at + 1) & mask;
    }
}
