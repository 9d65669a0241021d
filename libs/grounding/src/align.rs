//! Aligns a claim with one source sentence: which tokens correspond, and what stands in the gaps between them.

use crate::index::Analysed;
use crate::lexicon;
use crate::tokens::Token;
use std::ops::Range;

/// A gap between aligned tokens: what the claim has there, what the source has there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Gap {
    /// Tokens of the claim.
    pub(crate) claim: Range<usize>,
    /// Tokens of the source sentence.
    pub(crate) source: Range<usize>,
}

/// An alignment.
#[derive(Debug, Clone, Default)]
pub(crate) struct Alignment {
    /// Aligned pairs, rising in both.
    pub(crate) pairs: Vec<(usize, usize)>,
    /// Gaps before, between and behind the pairs, empty ones left out.
    pub(crate) gaps: Vec<Gap>,
    /// Share of the claim's weight that is aligned.
    pub(crate) share: f64,
    /// Longest run of neighbours that are neighbours in the source too, as a share of the claim's tokens.
    pub(crate) run: f64,
}

/// Longest common subsequence by weight: content words count 1, function words 0.2.
pub(crate) fn align(claim: &Analysed, source: &Analysed) -> Alignment {
    let (rows, columns) = (claim.tokens.len().min(120), source.tokens.len());
    if rows == 0 || columns == 0 {
        return Alignment { gaps: vec![Gap { claim: 0..rows, source: 0..columns }], ..Alignment::default() };
    }
    let stems = as_the_claim_says(claim, source);
    let width = columns + 1;
    let mut best = vec![0_u32; (rows + 1) * width];
    for row in (0..rows).rev() {
        let token = &claim.tokens[row];
        let worth = if token.content() { 10 } else { 2 };
        for column in (0..columns).rev() {
            let mut value = best[(row + 1) * width + column].max(best[row * width + column + 1]);
            if token.stem == stems[column] {
                value = value.max(best[(row + 1) * width + column + 1] + worth);
            }
            best[row * width + column] = value;
        }
    }
    let mut pairs = Vec::new();
    let (mut row, mut column) = (0, 0);
    while row < rows && column < columns {
        let here = best[row * width + column];
        let worth = if claim.tokens[row].content() { 10 } else { 2 };
        if claim.tokens[row].stem == stems[column] && here == best[(row + 1) * width + column + 1] + worth {
            pairs.push((row, column));
            row += 1;
            column += 1;
        } else if here == best[(row + 1) * width + column] {
            row += 1;
        } else {
            column += 1;
        }
    }
    finish(claim, pairs, rows, columns)
}

/// Stems of the source's tokens; one that a word of the claim may stand for, and that the claim lacks, as that word's.
fn as_the_claim_says(claim: &Analysed, source: &Analysed) -> Vec<u64> {
    let open: Vec<u64> = claim
        .tokens
        .iter()
        .filter(|token| token.content() && !source.holds(token.stem))
        .map(|token| token.stem)
        .filter(|stem| !lexicon::synonyms(*stem).is_empty())
        .collect();
    let said = |token: &Token| {
        if open.is_empty() || claim.holds(token.stem) {
            return token.stem;
        }
        let stands = open.iter().find(|stem| lexicon::synonyms(**stem).binary_search(&token.stem).is_ok());
        stands.copied().unwrap_or(token.stem)
    };
    source.tokens.iter().map(said).collect()
}

fn finish(claim: &Analysed, pairs: Vec<(usize, usize)>, rows: usize, columns: usize) -> Alignment {
    let mut gaps = Vec::new();
    let mut behind = (0, 0);
    let (mut run, mut longest, mut last) = (0_usize, 0_usize, None);
    for &(row, column) in pairs.iter().chain(std::iter::once(&(rows, columns))) {
        if row > behind.0 || column > behind.1 {
            gaps.push(Gap { claim: behind.0..row, source: behind.1..column });
        }
        behind = (row + 1, column + 1);
        if row < rows {
            run = if last == Some((row.wrapping_sub(1), column.wrapping_sub(1))) { run + 1 } else { 1 };
            longest = longest.max(run);
            last = Some((row, column));
        }
    }
    let aligned: f64 = pairs.iter().map(|(row, _)| claim.weights[*row]).sum();
    #[allow(clippy::cast_precision_loss)]
    Alignment {
        share: if claim.mass > 0.0 { aligned / claim.mass } else { 0.0 },
        run: longest as f64 / rows as f64,
        pairs,
        gaps,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_changed_word_is_a_gap_on_both_sides() {
        let claim = Analysed::new("It stops after ten errors", None);
        let source = Analysed::new("It stops after one hundred errors", None);
        let found = align(&claim, &source);
        assert_eq!(found.gaps, [Gap { claim: 3..4, source: 3..5 }]);
        assert_eq!(found.pairs.len(), 4);
        assert!(found.run > 0.5 && found.share > 0.5);
    }
}
