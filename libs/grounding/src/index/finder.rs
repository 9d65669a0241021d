//! Finds stretches of whole words in a long text without reading all of it.

use crate::tokens::hash;

/// Length of a text, in bytes, from which it is worth to know where its words stand.
pub(super) const LONG: usize = 16 * 1024;
/// Places of one word that are looked at: what stands nowhere else behind as many is not found.
const PLACES: usize = 2048;

/// Where the words of a text stand.
#[derive(Debug, Clone)]
pub(crate) struct Finder {
    /// Hash and place of each word, sorted.
    words: Vec<(u64, u32)>,
}

impl Finder {
    pub(super) fn new(text: &str) -> Self {
        let words = words(text).filter_map(|(at, word)| Some((hash(word), u32::try_from(at).ok()?)));
        let mut words: Vec<(u64, u32)> = words.collect();
        words.sort_unstable();
        Self { words }
    }

    /// Where a stretch of the text begins that has no parts of words at its ends; `None` where it has no words at all.
    pub(super) fn places<'a>(
        &'a self,
        text: &'a str,
        stretch: &'a str,
    ) -> Option<impl Iterator<Item = usize> + 'a> {
        let places = |word: &str| {
            let hash = hash(word);
            let start = self.words.partition_point(|(other, _)| *other < hash);
            let behind = &self.words[start..];
            &behind[..behind.partition_point(|(other, _)| *other == hash)]
        };
        // The word that stands in fewest places is looked for.
        let rarest =
            words(stretch).map(|(at, word)| (at, places(word))).min_by_key(|(_, places)| places.len());
        let (at, places) = rarest?;
        let begins = move |place: &(u64, u32)| {
            let start = usize::try_from(place.1).ok()?.checked_sub(at)?;
            text.as_bytes().get(start..)?.starts_with(stretch.as_bytes()).then_some(start)
        };
        Some(places.iter().take(PLACES).filter_map(begins))
    }
}

/// Runs of letters, digits and underscores, with their places.
fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let inside = |c: char| c.is_alphanumeric() || c == '_';
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = at + text[at..].find(inside)?;
        at = start + text[start..].find(|c| !inside(c)).unwrap_or(text.len() - start);
        Some((start, &text[start..at]))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_stretch_of_whole_words_is_found_wherever_it_stands(
            words in prop::collection::vec(prop::sample::select(vec!["a", "ab", "b", "_a", "é", "-", "%", "a.b"]), 1..60),
            from in 0_usize..50,
            length in 1_usize..4,
        ) {
            let text = format!(" {} ", words.join(" "));
            let stretch: Vec<&str> = words.iter().skip(from % words.len()).take(length).copied().collect();
            let stretch = format!(" {} ", stretch.join(" "));
            let finder = Finder::new(&text);
            let plain: Vec<usize> =
                (0..text.len()).filter(|at| text.as_bytes()[*at..].starts_with(stretch.as_bytes())).collect();
            if let Some(found) = finder.places(&text, &stretch) {
                prop_assert_eq!(found.collect::<Vec<_>>(), plain);
            } else {
                prop_assert!(!stretch.contains(char::is_alphanumeric));
            }
            let absent = finder.places(&text, " ab c ").map(|mut found| found.next());
            prop_assert_eq!(absent, Some(None));
        }
    }
}
