//! Finds one text in another.

use memchr::memmem;

/// Byte offsets at which `wanted` begins in `text`, without overlaps; none where `wanted` is empty.
pub fn places<'t>(text: &'t str, wanted: &'t str) -> impl Iterator<Item = usize> + 't {
    let found = (!wanted.is_empty()).then(|| memmem::find_iter(text.as_bytes(), wanted.as_bytes()));
    found.into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_those_of_the_standard_library() {
        for (text, wanted) in
            [("a pool, a pool", "pool"), ("aaaa", "aa"), ("año y años", "año"), ("", "x"), ("x", "xy")]
        {
            let all: Vec<usize> = text.match_indices(wanted).map(|(at, _)| at).collect();
            assert_eq!(places(text, wanted).collect::<Vec<_>>(), all);
        }
        assert_eq!(places("text", "").count(), 0);
    }
}
