//! How rare a word is: inverse document frequency over a fixed body of English prose, as a table of stems.

use crate::ablation::list;
use crate::language::Language;
use crate::lexicon;
use crate::tokens::{self, Map, TokenKind, Tokenizer};
use std::sync::LazyLock;

/// The table: its first line holds the number of documents, each further one a stem and the documents that hold it.
const TABLE: &str = include_str!("../data/idf.tsv");
/// The same for Spanish, by bands: a weight and its words, a line each.
const SPANISH: &str = include_str!("../data/weights-es.txt");
/// What everyday English words weigh at most, by bands: the documents of the table are learned ones and seldom have them.
const EVERYDAY: &str = include_str!("../data/weights-en.txt");

/// Weight of a word that the table does not hold, and the greatest of all.
pub const RAREST: f64 = 8.0;
/// Weight of a figure.
const FIGURE: f64 = 5.0;

static WEIGHTS: LazyLock<Map<f32>> = LazyLock::new(|| {
    let mut lines = list("idf", TABLE).lines();
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
    for (word, most) in banded(Language::English, EVERYDAY) {
        let weight = weights.entry(word).or_insert(most);
        *weight = weight.min(most);
    }
    weights
});

static SPANISH_WEIGHTS: LazyLock<Map<f32>> = LazyLock::new(|| banded(Language::Spanish, SPANISH));

/// The weights of the stems of a list: the bands rise, and the first that has a form of a word counts.
fn banded(language: Language, list: &'static str) -> Map<f32> {
    let tokenizer = Tokenizer::new(Some(language));
    let mut weights = Map::default();
    for line in lexicon::lines(crate::ablation::list("weights", list)) {
        let mut words = line.split(' ');
        let Some(weight) = words.next().and_then(|weight| weight.parse().ok()) else { continue };
        words.for_each(|word| {
            weights.entry(tokenizer.stem_hash(word)).or_insert(weight);
        });
    }
    weights
}

/// Weight of a word of a language by its stem; what the Spanish table leaves out may stand in the English one.
fn of_word(language: Option<Language>, stem: u64) -> f64 {
    let spanish = (language == Some(Language::Spanish)).then(|| SPANISH_WEIGHTS.get(&stem)).flatten();
    spanish.or_else(|| WEIGHTS.get(&stem)).copied().map_or(RAREST, f64::from)
}

/// Weight of a token of a kind; 0 for function words.
pub fn weight(language: Option<Language>, kind: TokenKind, stop: bool, stem: u64) -> f64 {
    match kind {
        _ if stop => 0.0,
        TokenKind::Number(_) => FIGURE,
        TokenKind::Word => of_word(language, stem),
        _ => RAREST - 1.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_words_weigh_less_than_rare_ones() {
        let weight = |language, word: &str| {
            weight(Some(language), TokenKind::Word, false, Tokenizer::new(Some(language)).stem_hash(word))
        };
        for word in ["tienes", "queda", "cosa", "veces", "hicieron", "podria"] {
            assert!(weight(Language::Spanish, word) < 3.5, "{word}");
        }
        assert!(weight(Language::Spanish, "cliente") < weight(Language::Spanish, "bucle"));
        assert!((weight(Language::Spanish, "cucurucho") - RAREST).abs() < 1e-9);
        assert!(weight(Language::English, "use") < 2.0 && weight(Language::English, "zyzzyva") > 7.9);
        for word in ["nobody", "beforehand", "thereabouts"] {
            assert!(weight(Language::English, word) < 3.5, "{word}");
        }
    }

    #[test]
    fn later_bands_of_words_weigh_at_least_as_much() {
        for list in [SPANISH, EVERYDAY] {
            let lines = || lexicon::lines(list);
            let weights: Vec<f32> =
                lines().map(|line| line.split_once(' ').unwrap().0.parse().unwrap()).collect();
            assert!(
                weights.is_sorted() && weights.iter().all(|weight| (0.1..8.0).contains(weight)),
                "{weights:?}"
            );
            let words: Vec<&str> = lines().flat_map(|line| line.split(' ').skip(1)).collect();
            assert!(words.iter().all(|word| tokens::fold(word) == **word));
            assert!(words.len() > 100);
        }
    }
}
