//! Writes the chosen units down: the source that answers best first, in the order of their lines, each sentence with
//! its marker, lists as lists, code in its fence.

use super::passage::{Passages, Shape};
use super::select::Selection;

/// One piece of the answer: a sentence, an item or a block, with the break before it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Piece {
    /// What stands between the piece before and this one.
    pub(crate) gap: &'static str,
    /// Its text, marker included.
    pub(crate) text: String,
}

/// The pieces of the answer in reading order.
pub(crate) fn pieces(passages: &Passages, selection: &Selection) -> Vec<Piece> {
    let units = &passages.units;
    let first = units[selection.best].source;
    let mut order: Vec<usize> = selection.units.iter().copied().collect();
    order.sort_by_key(|&unit| (units[unit].source != first, unit));
    let mut out: Vec<Piece> = Vec::new();
    let mut previous: Option<usize> = None;
    for (place, &index) in order.iter().enumerate() {
        let unit = &units[index];
        let listed = match unit.shape {
            Shape::Item { .. } | Shape::Row { .. } => {
                let neighbour = |other: Option<&usize>| {
                    other.is_some_and(|&other| {
                        units[other].section == unit.section
                            && (matches!(units[other].shape, Shape::Item { .. } | Shape::Row { .. })
                                || units[other].leads())
                    })
                };
                let starts_small = unit.text.chars().next().is_some_and(|c| !c.is_uppercase());
                matches!(unit.shape, Shape::Row { .. })
                    || starts_small
                    || neighbour(place.checked_sub(1).and_then(|before| order.get(before)))
                    || neighbour(order.get(place + 1))
            }
            Shape::Sentence => false,
        };
        let before = previous.map(|before| &units[before]);
        let after_fence = out.last().is_some_and(|piece| piece.text.ends_with("```"));
        let gap = match before {
            None => "",
            Some(_) if after_fence => "\n\n",
            Some(before) if before.block == unit.block => " ",
            Some(before) if listed => {
                let in_list = out
                    .iter()
                    .rev()
                    .take_while(|piece| piece.gap == " " || piece.text.starts_with("- "))
                    .any(|piece| piece.text.starts_with("- "));
                if in_list && before.section == unit.section { "\n" } else { "\n\n" }
            }
            Some(before) => {
                let in_list = out
                    .iter()
                    .rev()
                    .find(|piece| piece.gap != " ")
                    .is_some_and(|piece| piece.text.starts_with("- "));
                if before.source == unit.source && before.section == unit.section && !in_list {
                    " "
                } else {
                    "\n\n"
                }
            }
        };
        let text = cite(&unit.text, unit.source + 1);
        out.push(Piece { gap, text: if listed && gap != " " { format!("- {text}") } else { text } });
        previous = Some(index);
        let last_of_block = order.get(place + 1).is_none_or(|&next| units[next].block != unit.block);
        if last_of_block {
            for &fence in &selection.fences {
                let fence = &passages.fences[fence];
                if fence.source == unit.source && fence.block == unit.block + 1 {
                    out.push(Piece { gap: "\n\n", text: fenced(&fence.language, &fence.code) });
                }
            }
        }
    }
    out
}

/// A sentence with its marker before the final mark.
pub(crate) fn cite(text: &str, number: usize) -> String {
    let text = text.trim_end();
    let plain = text
        .strip_suffix(['.', ':', ';', '!', '?', ',', '…'])
        .filter(|rest| !rest.ends_with('.') && !rest.is_empty());
    match plain {
        Some(rest) => format!("{rest} [^{number}]{}", &text[rest.len()..]),
        None => format!("{text} [^{number}]"),
    }
}

/// A program in a fence that is longer than any run of backticks inside.
pub(crate) fn fenced(language: &str, code: &str) -> String {
    let mut run = 0;
    let mut longest = 2;
    for c in code.chars() {
        run = if c == '`' { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    let fence = "`".repeat(longest + 1);
    format!("{fence}{language}\n{}\n{fence}", code.trim_end_matches('\n'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_marker_stands_before_the_final_mark() {
        assert_eq!(cite("It is so.", 2), "It is so [^2].");
        assert_eq!(cite("It is so", 2), "It is so [^2]");
        assert_eq!(cite("Steps:", 1), "Steps [^1]:");
        assert_eq!(cite("And so on...", 1), "And so on... [^1]");
        assert_eq!(cite("It is (really so.)", 1), "It is (really so.) [^1]");
    }

    #[test]
    fn a_fence_outgrows_what_it_holds() {
        assert_eq!(fenced("md", "```\nx\n```\n"), "````md\n```\nx\n```\n````");
    }
}
