//! Known spellings that are close to an unknown one.

use assay_text::spelling::distance;

/// Spellings that are compared between two questions whether to stop.
const STEP: usize = 4096;

/// Known spellings, folded once.
#[derive(Debug, Default)]
pub(crate) struct Spellings(Vec<Spelling>);

#[derive(Debug)]
struct Spelling {
    written: String,
    folded: String,
    chars: usize,
}

impl Spellings {
    /// Of these texts, in their order.
    pub(crate) fn of<'a>(known: impl Iterator<Item = &'a str>) -> Self {
        let spelling = |written: &str| {
            let folded = written.to_lowercase();
            Spelling { written: written.to_owned(), chars: folded.chars().count(), folded }
        };
        Self(known.map(spelling).collect())
    }

    /// The nearest ones by edit distance, ties by their spelling; none once `stop` says so.
    pub(crate) fn nearest(&self, asked: &str, most: usize, stop: &dyn Fn() -> bool) -> Option<Vec<String>> {
        let folded = asked.to_lowercase();
        let chars = folded.chars().count();
        let allowed = match chars {
            0..=3 => 0,
            4..=6 => 1,
            7..=12 => 2,
            _ => 3,
        };
        let (first, last) = (folded.chars().next(), folded.chars().next_back());
        let mut found: Vec<(usize, &str)> = Vec::new();
        for step in self.0.chunks(STEP) {
            if stop() {
                return None;
            }
            found.extend(step.iter().filter_map(|known| {
                // Cheap tests before the expensive one: a few edits leave the start or the end as it is.
                let alike = known.chars.abs_diff(chars) <= allowed
                    && (known.folded.chars().next() == first || known.folded.chars().next_back() == last);
                let distance = alike.then(|| distance(&folded, &known.folded))?;
                (distance <= allowed).then_some((distance, known.written.as_str()))
            }));
        }
        found.sort_unstable();
        found.truncate(most);
        Some(found.into_iter().map(|(_, written)| written.to_owned()).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names_are_offered_by_edit_distance() {
        let known = Spellings::of(["addVar", "addParam", "addResult", "registerEndpoint"].into_iter());
        let nearest = |asked: &str| known.nearest(asked, 3, &|| false).unwrap_or_default();
        assert_eq!(nearest("addvar"), ["addVar"]);
        assert_eq!(nearest("registerEndpoints"), ["registerEndpoint"]);
        assert_eq!(nearest("completelyOther"), Vec::<String>::new());
        assert_eq!(known.nearest("addvar", 3, &|| true), None);
    }
}
