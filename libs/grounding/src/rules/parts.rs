//! Parts of a compound claim that can be held against a sentence of their own.

use crate::flags;
use crate::index::Analysed;
use std::ops::Range;

/// Least number of content words of a part.
const CONTENT: usize = 3;

/// The parts of a claim: stretches between punctuation or joining words; nothing where it is of one piece.
pub(crate) fn parts(claim: &Analysed) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let (mut start, mut content) = (0, 0);
    for (at, token) in claim.tokens.iter().enumerate() {
        let cuts = token.after_break || token.is(flags::PART);
        if at > start && cuts && content >= CONTENT {
            found.push(start..at);
            (start, content) = (at, 0);
        }
        content += usize::from(claim.weights[at] > 0.0);
    }
    match found.last_mut() {
        Some(last) if content < CONTENT => last.end = claim.tokens.len(),
        Some(_) => found.push(start..claim.tokens.len()),
        None => return found,
    }
    if found.len() > 1 { found } else { Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compound_claims_have_parts_and_word_lists_have_none() {
        let read = |text: &str| {
            let claim = Analysed::new(text, None);
            let said = |range: Range<usize>| {
                claim.tokens[range].iter().map(|token| token.norm.as_str()).collect::<Vec<_>>().join(" ")
            };
            parts(&claim).into_iter().map(said).collect::<Vec<_>>()
        };
        assert_eq!(
            read("The gateway logs every request, and the worker retries failed jobs."),
            ["the gateway logs every request", "and the worker retries failed jobs"]
        );
        assert!(read("The gateway logs requests, jobs and errors.").is_empty());
        assert!(read("It stops.").is_empty() && read("").is_empty());
    }
}
