//! How rare a word is: inverse document frequency over a fixed body of English prose, as a table of stems.

use crate::tokens::{self, Map, TokenKind};
use std::sync::LazyLock;

/// The table: its first line holds the number of documents, each further one a stem and the documents that hold it.
const TABLE: &str = include_str!("../data/idf.tsv");

/// Weight of a word that the table does not hold, and the greatest of all.
pub(crate) const RAREST: f64 = 8.0;
/// Weight of a figure.
const FIGURE: f64 = 5.0;

static WEIGHTS: LazyLock<Map<f32>> = LazyLock::new(|| {
    let mut lines = TABLE.lines();
    let documents: f64 =
        lines.next().and_then(|line| line.trim_start_matches('#').trim().parse().ok()).unwrap_or(1.0);
    let mut weights = Map::default();
    for line in lines {
        if let Some((stem, count)) = line.split_once('\t') {
            let count: f64 = count.parse().unwrap_or(1.0);
            #[allow(clippy::cast_possible_truncation)]
            weights.insert(
                tokens::hash(stem),
                ((documents + 1.0) / (count + 0.5)).ln().clamp(0.1, RAREST) as f32,
            );
        }
    }
    weights
});

/// Stems of the table.
pub(crate) fn stems() -> impl Iterator<Item = &'static str> {
    TABLE.lines().skip(1).filter_map(|line| Some(line.split_once('\t')?.0))
}

/// Weight of a stem.
pub(crate) fn of_stem(stem: u64) -> f64 {
    WEIGHTS.get(&stem).copied().map_or(RAREST, f64::from)
}

/// Weight of a token of a kind; 0 for function words.
pub(crate) fn weight(kind: TokenKind, stop: bool, stem: u64) -> f64 {
    match kind {
        _ if stop => 0.0,
        TokenKind::Number(_) => FIGURE,
        TokenKind::Word => of_stem(stem),
        _ => RAREST - 1.0,
    }
}
