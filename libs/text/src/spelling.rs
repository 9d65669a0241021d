//! Compares spellings, and suggests known names in place of a misspelled one.

use crate::fold;

/// Edits between two texts: insertions, deletions, substitutions and swaps of neighbours (optimal string alignment).
#[must_use]
pub fn distance(one: &str, two: &str) -> usize {
    strsim::osa_distance(one, two)
}

/// Longest name that [`differ_by`] compares letter by letter.
const LONGEST: usize = 64;

/// Whether two names differ by at most `most` letters (Levenshtein); long ones do not count as alike.
#[must_use]
pub fn differ_by(one: &str, two: &str, most: usize) -> bool {
    let (first, second) = (one.chars().count(), two.chars().count());
    first.max(second) <= LONGEST && first.abs_diff(second) <= most && strsim::levenshtein(one, two) <= most
}

/// The known names nearest to an unknown one by edit distance, at most `most`, each once; ties keep their order.
///
/// The [`distance`] of the folded names is at most a third of the name's letters, from one to three.
#[must_use]
pub fn nearest<'a>(asked: &str, known: impl Iterator<Item = &'a str>, most: usize) -> Vec<String> {
    let asked = fold(asked);
    let letters = asked.chars().count();
    let allowed = (letters / 3).clamp(1, 3);
    let mut found: Vec<(usize, usize, &str)> = Vec::new();
    for (at, name) in known.enumerate() {
        if name.len().abs_diff(letters) > 4 * allowed || found.iter().any(|(_, _, other)| *other == name) {
            continue;
        }
        let distance = distance(&asked, &fold(name));
        if distance <= allowed {
            found.push((distance, at, name));
        }
    }
    found.sort_unstable();
    found.into_iter().take(most).map(|(_, _, name)| name.to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn typing_slips_are_near_and_other_words_far() {
        let known = ["addVar", "addParam", "importAll", "import_all", "max-rows"];
        let near = |asked: &str| nearest(asked, known.into_iter(), 3);
        assert_eq!(near("addvra"), ["addVar"]);
        assert_eq!(near("imprt_all"), ["import_all", "importAll"]);
        assert_eq!(near("ADDPARAM"), ["addParam"]);
        assert_eq!(near("max-row"), ["max-rows"]);
        assert!(near("zebra").is_empty());
        assert!(near("").is_empty());
        assert_eq!(nearest("añadir", ["anadir", "anadir"].into_iter(), 3), ["anadir"]);
    }
}
