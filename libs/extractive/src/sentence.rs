//! Sentences of running text, without the white space around them.

use std::ops::Range;

use assay_text::sentences::split;

/// Byte ranges of the sentences of `text`. `code` are ranges that are never split, sorted. Text without an end mark is
/// one sentence.
pub(crate) fn sentences(text: &str, code: &[Range<usize>]) -> Vec<Range<usize>> {
    let bare = |range: Range<usize>| {
        let slice = &text[range.clone()];
        let start = range.start + (slice.len() - slice.trim_start().len());
        let length = slice.trim().len();
        (length > 0).then(|| start..start + length)
    };
    split(text, code, &[]).into_iter().filter_map(bare).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, code: &[Range<usize>], expected: &[&str]) {
        let found: Vec<_> = sentences(text, code).into_iter().map(|range| &text[range]).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn white_space_around_a_sentence_is_no_part_of_it() {
        check(
            " Edit prometheus.yml now.\n\n Use 3.0 then ",
            &[],
            &["Edit prometheus.yml now.", "Use 3.0 then"],
        );
        check(" \n ", &[], &[]);
    }

    #[test]
    fn code_is_not_split() {
        let code = 4..10;
        check(
            "Use `a. B` here. Then stop.",
            std::slice::from_ref(&code),
            &["Use `a. B` here.", "Then stop."],
        );
    }
}
