//! Names that are spelled alike: what is offered in place of a name that nobody knows.

use crate::tokens;

/// The known names nearest to an unknown one, at most `most`, each once; ties in their order. A slip in three letters is
/// allowed, three slips at most; capitals and accents make no difference.
#[must_use]
pub fn nearest<'a>(asked: &str, known: impl Iterator<Item = &'a str>, most: usize) -> Vec<String> {
    let asked = letters(asked);
    let allowed = (asked.len() / 3).clamp(1, 3);
    let mut found: Vec<(usize, usize, &str)> = Vec::new();
    for (at, name) in known.enumerate() {
        if name.len().abs_diff(asked.len()) > 4 * allowed || found.iter().any(|(_, _, other)| *other == name)
        {
            continue;
        }
        if let Some(distance) = distance(&asked, &letters(name), allowed) {
            found.push((distance, at, name));
        }
    }
    found.sort_unstable();
    found.into_iter().take(most).map(|(_, _, name)| name.to_owned()).collect()
}

fn letters(name: &str) -> Vec<char> {
    tokens::fold(name).chars().collect()
}

/// Number of letters to insert, drop, change or swap with the next; none beyond `most`.
fn distance(one: &[char], other: &[char], most: usize) -> Option<usize> {
    if one.len().abs_diff(other.len()) > most {
        return None;
    }
    let (mut before, mut last): (Vec<usize>, Vec<usize>) = (Vec::new(), (0..=other.len()).collect());
    for (row, a) in one.iter().enumerate() {
        let mut next = vec![row + 1];
        for (column, b) in other.iter().enumerate() {
            let mut least =
                (last[column] + usize::from(a != b)).min(last[column + 1] + 1).min(next[column] + 1);
            let swapped = row > 0 && column > 0 && one[row - 1] == *b && *a == other[column - 1];
            if swapped && let Some(two_ago) = before.get(column - 1) {
                least = least.min(two_ago + 1);
            }
            next.push(least);
        }
        if next.iter().min().is_some_and(|least| *least > most) {
            return None;
        }
        before = std::mem::replace(&mut last, next);
    }
    last.last().copied().filter(|distance| *distance <= most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_of_the_finger_are_near_and_other_words_are_not() {
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
