//! How far a word that no source holds gives a claim away: some added words are how one says the same thing again, some
//! are something new. The table says of each stem how much more often than the average such word it stood in what people
//! marked as unsupported.

use crate::features::Cover;
use crate::index::Analysed;
use crate::tokens::{self, Map, TokenKind};
use std::sync::LazyLock;

/// The table: its first line holds the value of a word that it lacks, each further one a stem and its value, both in
/// thousandths of a share.
const TABLE: &str = include_str!("../data/novelty.tsv");
/// Greatest value of a claim without such a word.
const NONE: f64 = -0.3;
/// Added to a value before it weighs a word's rarity; a word that remains below 0 weighs nothing.
const LIFT: f64 = 0.15;

/// Values by the hash of the stem, and that of every other word.
struct Values {
    known: Map<f64>,
    other: f64,
}

static VALUES: LazyLock<Values> = LazyLock::new(|| {
    let thousandths = |text: &str| text.trim().parse::<f64>().map_or(0.0, |value| value / 1000.0);
    let mut lines = crate::without::list("novelty", TABLE).lines();
    let other = lines.next().map_or(0.0, |line| thousandths(line.trim_start_matches('#')));
    let known = lines
        .filter_map(|line| line.split_once('\t'))
        .map(|(stem, value)| (tokens::hash(stem), thousandths(value)));
    Values { known: known.collect(), other }
});

/// Value of a stem.
fn of_stem(stem: u64) -> f64 {
    VALUES.known.get(&stem).copied().unwrap_or(VALUES.other)
}

/// Sum, greatest and mean of the values of the words that a test picks, and their rarity weighed by their values.
fn over(claim: &Analysed, covers: &[Cover], open: impl Fn(&Cover) -> bool) -> [f64; 4] {
    let (mut sum, mut worst, mut mass, mut count) = (0.0, NONE, 0.0, 0.0);
    for (token, cover) in claim.tokens.iter().zip(covers) {
        if cover.weight > 0.0 && token.kind == TokenKind::Word && open(cover) {
            let value = of_stem(token.stem);
            sum += value;
            worst = value.max(worst);
            mass += (value + LIFT).max(0.0) * cover.weight;
            count += 1.0;
        }
    }
    [sum, worst, sum / f64::max(count, 1.0), mass]
}

/// The last eight of [`crate::features::NAMES`]: over the words whose stem no source holds, then over those that begin as no
/// word of a source does.
pub(crate) fn measures(claim: &Analysed, covers: &[Cover]) -> [f64; 8] {
    let [a, b, c, d] = over(claim, covers, |cover| !cover.all);
    let [e, f, g, h] = over(claim, covers, |cover| !cover.prefix);
    [a, b, c, d, e, f, g, h]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tokens::Tokenizer;

    fn value(word: &str) -> f64 {
        of_stem(Tokenizer::new(None).stem_hash(word))
    }

    #[test]
    fn what_is_said_about_the_sources_gives_away_less_than_an_example() {
        assert!(VALUES.known.len() > 5_000);
        assert!(VALUES.known.values().all(|value| value.abs() < 1.0));
        assert!(value("mentions") < value("example"), "{} {}", value("mentions"), value("example"));
        assert!((value("qwxzjk") - VALUES.other).abs() < 1e-12);
    }
}
