//! A table of many numbers by hash. Beside each number stands a tag of eight bits, and the tags of eight slots are one
//! word: a search reads one word of tags, and the number itself nearly only where it is the one that is looked for. So
//! the memory that a search runs over at random is a byte for each slot, which stays near the processor where a table of
//! what is looked for would long have left its caches.

use super::cursor::each;

/// The slots of a word of tags.
const GROUP: usize = 8;
/// Words of tags that a table has at least; a power of two.
const LEAST_GROUPS: usize = 32;
/// By how much it is widened at most; a power of two.
const MOST_GROWTH: usize = 16;

/// Numbers from 0 up, in the order in which they were added.
#[derive(Debug, Default)]
pub(super) struct Table {
    /// The tags, the one of a group's first slot lowest; 0 where a slot is free. As many as a power of two.
    tags: Vec<u64>,
    /// The numbers, in the same order.
    numbers: Vec<u32>,
    count: usize,
}

/// The tag of what has a hash: bits that do not choose the group, and never 0.
#[inline]
fn tag(hash: usize) -> u8 {
    (hash >> (usize::BITS - 7)) as u8 | 0x80
}

/// Marks the bytes of a word that are zero by their highest bit; right up to the first one.
#[inline]
fn zeros(word: u64) -> u64 {
    word.wrapping_sub(each(1)) & !word & each(0x80)
}

impl Table {
    /// Whether it has to be widened before another number goes in.
    pub(super) fn is_full(&self) -> bool {
        self.count >= self.room()
    }

    /// The number with this hash that `same` says yes to.
    #[inline(always)]
    pub(super) fn find(&self, hash: usize, same: impl Fn(usize) -> bool) -> Option<usize> {
        let mask = self.tags.len().wrapping_sub(1);
        let mut group = hash & mask;
        loop {
            let tags = *self.tags.get(group)?;
            let mut found = zeros(tags ^ each(tag(hash)));
            while found != 0 {
                let slot = group * GROUP + (found.trailing_zeros() / 8) as usize;
                let number = self.numbers[slot] as usize;
                if same(number) {
                    return Some(number);
                }
                found &= found - 1;
            }
            if zeros(tags) != 0 {
                return None;
            }
            group = (group + 1) & mask;
        }
    }

    /// Puts a number in that is not there yet; the table is not full.
    #[inline]
    pub(super) fn add(&mut self, hash: usize, number: usize) {
        let mask = self.tags.len() - 1;
        let mut group = hash & mask;
        loop {
            let free = zeros(self.tags[group]);
            if free != 0 {
                let at = (free.trailing_zeros() / 8) as usize;
                self.tags[group] |= u64::from(tag(hash)) << (8 * at);
                self.numbers[group * GROUP + at] = number as u32;
                self.count += 1;
                return;
            }
            group = (group + 1) & mask;
        }
    }

    /// How many numbers it takes before it has to be widened.
    pub(super) fn room(&self) -> usize {
        self.numbers.len() / 4 * 3
    }

    /// Makes it anew, at least twice as large and at most [`MOST_GROWTH`] times, for as many numbers as are expected;
    /// `hashes` are those of all numbers from 0 on.
    #[cold]
    pub(super) fn widen(&mut self, expected: usize, hashes: impl Iterator<Item = usize>) {
        let wanted = (expected / 3 * 4 / GROUP).next_power_of_two();
        let groups = self.tags.len().max(LEAST_GROUPS / 2);
        let groups = wanted.clamp(groups * 2, groups * MOST_GROWTH);
        self.tags.clear();
        self.tags.resize(groups, 0);
        // What stands in a free slot is never read.
        self.numbers.resize(groups * GROUP, 0);
        self.count = 0;
        for (number, hash) in hashes.enumerate() {
            self.add(hash, number);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A table with a number for each of these hashes; so many times as many were expected whenever it was full.
    fn table(hashes: &[usize], growth: usize) -> Table {
        let mut table = Table::default();
        for number in 0..hashes.len() {
            if table.is_full() {
                table.widen(number * growth, hashes[..=number].iter().copied());
            } else {
                table.add(hashes[number], number);
            }
        }
        table
    }

    #[test]
    fn an_empty_table_holds_nothing() {
        assert!(Table::default().is_full());
        assert_eq!(Table::default().find(7, |_| true), None);
    }

    #[test]
    fn every_number_is_found_by_its_hash_and_nothing_else() {
        let spread = |number: usize| number.wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(17);
        // Spread ones; all in the last groups, so that a search goes round; all the same.
        let hashes: [&dyn Fn(usize) -> usize; 3] = [&spread, &|number| usize::MAX - number % 3, &|_| 5];
        for hash in hashes {
            for (count, growth) in
                [(1, 1), (100, 0), (190, 1), (195, 1), (700, 9), (3_000, 1_000), (3_000, 0)]
            {
                let all: Vec<usize> = (0..count).map(hash).collect();
                let table = table(&all, growth);
                for (number, hash) in all.iter().enumerate() {
                    assert_eq!(table.find(*hash, |found| found == number), Some(number), "{count}");
                    assert_eq!(table.find(*hash, |_| false), None, "{count}");
                }
            }
        }
    }

    #[test]
    fn a_number_is_shown_only_where_its_tag_fits() {
        let all: Vec<usize> = (0..1_000_usize).map(|number| number.reverse_bits() | 3).collect();
        let table = table(&all, 2);
        let shown = std::cell::Cell::new(0);
        for hash in &all {
            table.find(*hash, |_| {
                shown.set(shown.get() + 1);
                false
            });
        }
        // A tag has seven bits; all are searched for in one run of groups.
        assert!(shown.get() <= 1_000 * 1_000 / 64, "{}", shown.get());
    }
}
