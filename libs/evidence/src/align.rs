//! Aligns a claim with one source sentence: which tokens correspond, and what stands in the gaps between them.

use crate::index::Analysed;
use crate::tokens::Token;
use std::ops::Range;

/// A gap between aligned tokens: what the claim has there, what the source has there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gap {
    /// Tokens of the claim.
    pub claim: Range<usize>,
    /// Tokens of the source sentence.
    pub source: Range<usize>,
}

/// An alignment.
#[derive(Debug, Clone, Default)]
pub struct Alignment {
    /// Aligned pairs, rising in both.
    pub pairs: Vec<(usize, usize)>,
    /// Gaps before, between and behind the pairs, empty ones left out.
    pub gaps: Vec<Gap>,
    /// Share of the claim's weight that is aligned.
    pub share: f64,
    /// Longest run of neighbours that are neighbours in the source too, as a share of the claim's tokens.
    pub run: f64,
}

/// Tokens of a claim that are aligned, from its first.
const ROWS: usize = 120;

/// Longest common subsequence by weight: content words count 1, function words 0.2.
pub fn align(claim: &Analysed, source: &Analysed) -> Alignment {
    let (rows, columns) = (claim.tokens.len().min(ROWS), source.tokens.len());
    if rows == 0 || columns == 0 {
        return Alignment { gaps: vec![Gap { claim: 0..rows, source: 0..columns }], ..Alignment::default() };
    }
    let stems = as_the_claim_says(claim, source);
    let bits = stems.iter().fold(0_u64, |bits, stem| bits | 1 << (stem % 64));
    // A row of the table for each token of the claim that the source has, from the last one up: the rows of the others are
    // those below them. The first row is that behind the last token.
    let width = columns + 1;
    let mut best = Vec::with_capacity((rows.min(columns) + 2) * width);
    best.resize(width, 0_u32);
    let mut starts = [0_usize; ROWS + 1];
    for row in (0..rows).rev() {
        let below = starts[row + 1];
        starts[row] = below;
        let (stem, worth) = (claim.tokens[row].stem, worth(&claim.tokens[row]));
        if bits & 1 << (stem % 64) == 0 || !stems.contains(&stem) {
            continue;
        }
        let start = best.len();
        best.extend_from_within(below..below + width);
        starts[row] = start;
        let (before, own) = best.split_at_mut(start);
        let below = &before[below..below + width];
        for (column, other) in stems.iter().enumerate().rev() {
            if *other != stem {
                continue;
            }
            // What is aligned here counts for everything left of it that has no better.
            let value = below[column + 1] + worth;
            own[..=column].iter_mut().rev().take_while(|own| **own < value).for_each(|own| *own = value);
        }
    }
    let mut pairs = Vec::with_capacity(rows.min(columns));
    let (mut row, mut column) = (0, 0);
    while row < rows && column < columns {
        let (own, below) = (starts[row], starts[row + 1]);
        let here = best[own + column];
        let token = &claim.tokens[row];
        if token.stem == stems[column] && here == best[below + column + 1] + worth(token) {
            pairs.push((row, column));
            row += 1;
            column += 1;
        } else if here == best[below + column] {
            row += 1;
        } else {
            column += 1;
        }
    }
    finish(claim, pairs, rows, columns)
}

/// What aligning a token is worth.
fn worth(token: &Token) -> u32 {
    if token.content() { 10 } else { 2 }
}

/// Stems of the source's tokens; one that a word of the claim may stand for, and that the claim lacks, as that word's.
fn as_the_claim_says(claim: &Analysed, source: &Analysed) -> Vec<u64> {
    let lacking = |token: &&Token| token.content() && !token.others().is_empty() && !source.holds(token.stem);
    let open: Vec<&Token> = claim.tokens.iter().filter(lacking).collect();
    let said = |token: &Token| {
        if open.is_empty() || !token.stands() || claim.holds(token.stem) {
            return token.stem;
        }
        open.iter().find(|own| own.means(token)).map_or(token.stem, |own| own.stem)
    };
    source.tokens.iter().map(said).collect()
}

fn finish(claim: &Analysed, pairs: Vec<(usize, usize)>, rows: usize, columns: usize) -> Alignment {
    let mut gaps = Vec::with_capacity(pairs.len() + 1);
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
