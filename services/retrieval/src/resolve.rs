//! Cited bytes of a document: at their lines, at other lines, or gone. Pure computing of bounded work.

use std::collections::{BTreeMap, HashMap};

use assay_documents::Lines;
use assay_domain::LineRange;
use sha2::{Digest, Sha256};

use crate::error::Error;
use crate::lookup::{Cited, Resolution};

/// Most bytes that one look-up hashes, about a second of work.
pub(crate) const MOST_HASHED: u64 = 512 * 1024 * 1024;
/// Windows of lines that are hashed between two questions whether to stop.
const STEP: u32 = 64;

type Hash = [u8; 32];

/// Finds citations in a text, in their order; `left` is what may still be hashed. `stop` is asked while it works.
///
/// # Errors
/// `PAYLOAD_TOO_LARGE` if more than `left` bytes would be hashed, before any is; `CANCELLED` if `stop` said so.
pub(crate) fn resolve(
    text: &str,
    cited: &[Cited],
    left: &mut u64,
    stop: &dyn Fn() -> bool,
) -> Result<Vec<Resolution>, Error> {
    let lines = Lines::of(text);
    let mut found = vec![Resolution::Dangling; cited.len()];
    let mut at_place: HashMap<LineRange, Hash> = HashMap::new();
    // What is not at its lines, by height, so that a window is hashed once for all of them.
    let mut elsewhere: BTreeMap<u32, HashMap<Hash, Vec<usize>>> = BTreeMap::new();
    for (number, citation) in cited.iter().enumerate() {
        let (range, Some(wanted)) = (citation.lines, hash_from_hex(&citation.sha256)) else { continue };
        if !range.is_well_formed() {
            continue;
        }
        if stop() {
            return Err(Error::Stopped);
        }
        if let Some(bytes) = lines.bytes(range) {
            let here = match at_place.get(&range) {
                Some(known) => *known,
                None => {
                    spend(left, bytes.len() as u64)?;
                    *at_place.entry(range).or_insert(hash(text, bytes))
                }
            };
            if here == wanted {
                if let Some(slot) = found.get_mut(number) {
                    *slot = Resolution::Exact;
                }
                continue;
            }
        }
        let wanting = elsewhere.entry(range.last - range.first).or_default();
        wanting.entry(wanted).or_default().push(number);
    }
    let windows = |height: u32| {
        let last = lines.count().saturating_sub(height);
        (1..=last).filter_map(move |first| Some((first, LineRange::new(first, first.checked_add(height)?))))
    };
    for height in elsewhere.keys() {
        let bytes = windows(*height).filter_map(|(_, range)| lines.bytes(range));
        spend(left, bytes.map(|bytes| bytes.len() as u64).sum())?;
    }
    for (height, wanting) in &elsewhere {
        for (first, range) in windows(*height) {
            if first % STEP == 0 && stop() {
                return Err(Error::Stopped);
            }
            let numbers = lines.bytes(range).and_then(|bytes| wanting.get(&hash(text, bytes)));
            for number in numbers.into_iter().flatten() {
                let (Some(citation), Some(slot)) = (cited.get(*number), found.get_mut(*number)) else {
                    continue;
                };
                // Of several copies the one that moved least is meant; of two such, the upper one.
                let moved = |range: LineRange| range.first.abs_diff(citation.lines.first);
                match slot {
                    Resolution::Moved(best) if moved(*best) <= moved(range) => {}
                    slot => *slot = Resolution::Moved(range),
                }
            }
        }
    }
    Ok(found)
}

fn spend(left: &mut u64, bytes: u64) -> Result<(), Error> {
    *left = left.checked_sub(bytes).ok_or_else(|| {
        let text = format!(
            "finding the citations takes hashing more than {MOST_HASHED} bytes; send fewer, or of fewer lines"
        );
        Error::TooLarge { field: "cited", message: text }
    })?;
    Ok(())
}

fn hash(text: &str, bytes: std::ops::Range<usize>) -> Hash {
    Sha256::digest(text.as_bytes().get(bytes).unwrap_or_default()).into()
}

fn hash_from_hex(text: &str) -> Option<Hash> {
    let mut hash = Hash::default();
    let lower = !text.contains(|c: char| c.is_ascii_uppercase());
    (lower && hex::decode_to_slice(text, &mut hash).is_ok()).then_some(hash)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::corpus::sha256_hex;

    fn cite(first: u32, last: u32, text: &str) -> Cited {
        Cited { path: String::new(), lines: LineRange::new(first, last), sha256: sha256_hex(text.as_bytes()) }
    }

    #[test]
    fn cited_bytes_are_exact_moved_or_gone() {
        let moved = |first, last| Resolution::Moved(LineRange::new(first, last));
        let (cited, expected): (Vec<Cited>, Vec<Resolution>) = [
            (cite(2, 3, "b\nc"), Resolution::Exact),
            (cite(1, 2, "b\nc"), moved(2, 3)),
            (cite(3, 3, "b"), moved(2, 2)),
            (cite(1, 1, "b"), moved(2, 2)),
            (cite(9, 9, "b"), moved(4, 4)),
            (cite(1, 1, "x"), Resolution::Dangling),
            (cite(0, 1, "a"), Resolution::Dangling),
            (cite(1, 99, "a"), Resolution::Dangling),
            (cite(1, u32::MAX, "a"), Resolution::Dangling),
            (Cited { sha256: "0".into(), ..cite(1, 1, "a") }, Resolution::Dangling),
        ]
        .into_iter()
        .unzip();
        assert_eq!(resolve("a\nb\nc\nb\n", &cited, &mut MOST_HASHED.clone(), &|| false), Ok(expected));
    }

    #[test]
    fn a_window_is_hashed_once_for_all_citations() {
        let text = "line\n".repeat(1000);
        let cited: Vec<Cited> = (0..100).map(|n| cite(1, 10, &format!("gone {n}"))).collect();
        let mut left = MOST_HASHED;
        assert_eq!(resolve(&text, &cited, &mut left, &|| false).unwrap(), vec![Resolution::Dangling; 100]);
        // One window of ten lines at each line, and the cited lines themselves.
        assert_eq!(MOST_HASHED - left, 992 * 49);
    }

    #[test]
    fn work_is_bounded_before_it_begins_and_ends_when_told() {
        let text = "some words\n".repeat(60_000);
        let cited = vec![cite(1, 30_000, "gone"); 1000];
        let refused = resolve(&text, &cited, &mut MOST_HASHED.clone(), &|| false).unwrap_err();
        assert!(matches!(refused, Error::TooLarge { field: "cited", .. }), "{refused}");
        assert_eq!(
            resolve("a\n", &[cite(1, 1, "b")], &mut MOST_HASHED.clone(), &|| true),
            Err(Error::Stopped)
        );
    }
}
