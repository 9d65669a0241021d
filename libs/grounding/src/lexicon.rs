//! Words that mean the same: irregular forms with their base form, and words that a paraphrase puts for one another.

use crate::index::Sieve;
use crate::language::{self, Language};
use crate::tokens::{self, Map, Tokenizer};
use std::sync::LazyLock;

/// The tables: a word and what may stand for it, a line each.
const TABLES: [(Language, &str); 2] = [
    (Language::English, include_str!("../data/synonyms-en.txt")),
    (Language::Spanish, include_str!("../data/synonyms-es.txt")),
];

/// Irregular English forms and the form whose stem they take, sorted by form for the reader.
const IRREGULAR: &[(&str, &str)] = &[
    ("arisen", "arise"),
    ("arose", "arise"),
    ("ate", "eat"),
    ("beaten", "beat"),
    ("became", "become"),
    ("began", "begin"),
    ("begun", "begin"),
    ("bent", "bend"),
    ("bitten", "bite"),
    ("blew", "blow"),
    ("blown", "blow"),
    ("bore", "bear"),
    ("borne", "bear"),
    ("bought", "buy"),
    ("bound", "bind"),
    ("broke", "break"),
    ("broken", "break"),
    ("brought", "bring"),
    ("built", "build"),
    ("burnt", "burn"),
    ("came", "come"),
    ("caught", "catch"),
    ("children", "child"),
    ("chose", "choose"),
    ("chosen", "choose"),
    ("clung", "cling"),
    ("crept", "creep"),
    ("criteria", "criterion"),
    ("dealt", "deal"),
    ("drank", "drink"),
    ("drawn", "draw"),
    ("dreamt", "dream"),
    ("drew", "draw"),
    ("driven", "drive"),
    ("drove", "drive"),
    ("drunk", "drink"),
    ("dug", "dig"),
    ("eaten", "eat"),
    ("fallen", "fall"),
    ("fed", "feed"),
    ("feet", "foot"),
    ("fell", "fall"),
    ("felt", "feel"),
    ("fled", "flee"),
    ("flew", "fly"),
    ("flown", "fly"),
    ("forbade", "forbid"),
    ("forbidden", "forbid"),
    ("forgot", "forget"),
    ("forgotten", "forget"),
    ("fought", "fight"),
    ("found", "find"),
    ("froze", "freeze"),
    ("frozen", "freeze"),
    ("gave", "give"),
    ("given", "give"),
    ("gone", "go"),
    ("got", "get"),
    ("gotten", "get"),
    ("grew", "grow"),
    ("grown", "grow"),
    ("heard", "hear"),
    ("held", "hold"),
    ("hid", "hide"),
    ("hidden", "hide"),
    ("hung", "hang"),
    ("indices", "index"),
    ("kept", "keep"),
    ("knew", "know"),
    ("known", "know"),
    ("laid", "lay"),
    ("lain", "lie"),
    ("lent", "lend"),
    ("lost", "lose"),
    ("made", "make"),
    ("matrices", "matrix"),
    ("meant", "mean"),
    ("men", "man"),
    ("met", "meet"),
    ("mice", "mouse"),
    ("mistaken", "mistake"),
    ("overridden", "override"),
    ("overrode", "override"),
    ("paid", "pay"),
    ("ran", "run"),
    ("rang", "ring"),
    ("ridden", "ride"),
    ("risen", "rise"),
    ("rode", "ride"),
    ("rose", "rise"),
    ("rung", "ring"),
    ("said", "say"),
    ("sang", "sing"),
    ("sank", "sink"),
    ("sat", "sit"),
    ("saw", "see"),
    ("seen", "see"),
    ("sent", "send"),
    ("shaken", "shake"),
    ("shone", "shine"),
    ("shook", "shake"),
    ("shot", "shoot"),
    ("shown", "show"),
    ("shrank", "shrink"),
    ("shrunk", "shrink"),
    ("slept", "sleep"),
    ("slid", "slide"),
    ("sold", "sell"),
    ("sought", "seek"),
    ("spent", "spend"),
    ("spoke", "speak"),
    ("spoken", "speak"),
    ("sprang", "spring"),
    ("sprung", "spring"),
    ("spun", "spin"),
    ("stolen", "steal"),
    ("stood", "stand"),
    ("strove", "strive"),
    ("struck", "strike"),
    ("stuck", "stick"),
    ("sung", "sing"),
    ("sunk", "sink"),
    ("swam", "swim"),
    ("swept", "sweep"),
    ("swore", "swear"),
    ("sworn", "swear"),
    ("swum", "swim"),
    ("swung", "swing"),
    ("taken", "take"),
    ("taught", "teach"),
    ("teeth", "tooth"),
    ("thought", "think"),
    ("threw", "throw"),
    ("thrown", "throw"),
    ("told", "tell"),
    ("took", "take"),
    ("tore", "tear"),
    ("torn", "tear"),
    ("understood", "understand"),
    ("vertices", "vertex"),
    ("went", "go"),
    ("wept", "weep"),
    ("withdrawn", "withdraw"),
    ("withdrew", "withdraw"),
    ("woke", "wake"),
    ("woken", "wake"),
    ("women", "woman"),
    ("won", "win"),
    ("wore", "wear"),
    ("worn", "wear"),
    ("wove", "weave"),
    ("woven", "weave"),
    ("written", "write"),
    ("wrote", "write"),
    ("wrung", "wring"),
];

/// The form whose stem an irregular English form takes.
pub(crate) fn regular(word: &str) -> &str {
    FORMS.get(&tokens::hash(word)).copied().unwrap_or(word)
}

static FORMS: LazyLock<Map<&str>> =
    LazyLock::new(|| IRREGULAR.iter().map(|(form, base)| (tokens::hash(form), *base)).collect());

/// Common words of a language, English where it is unknown: function words, words with others that may stand for them,
/// and the words of English prose that are their own stems.
pub(crate) fn common(language: Option<Language>, mut found: impl FnMut(&str)) {
    let (own, stops) = match language {
        Some(Language::Spanish) => (Language::Spanish, language::SPANISH),
        _ => (Language::English, language::ENGLISH),
    };
    for word in stops {
        found(word);
        let mut capital = word.to_string();
        if let Some(first) = capital.get_mut(..1) {
            first.make_ascii_uppercase();
        }
        found(&capital);
    }
    let texts = TABLES.iter().filter(|(language, _)| *language == own);
    for line in texts.flat_map(|(_, text)| text.lines()).filter(|line| !line.starts_with('#')) {
        line.split_whitespace().for_each(&mut found);
    }
    if own == Language::English {
        crate::idf::stems().filter(|stem| stem.bytes().all(|byte| byte.is_ascii_lowercase())).for_each(found);
    }
}

/// Stems with the stems that may stand for them.
static SYNONYMS: LazyLock<Map<Vec<u64>>> = LazyLock::new(|| {
    let mut table: Map<Vec<u64>> = Map::default();
    for (language, text) in TABLES {
        let tokenizer = Tokenizer::new(Some(language));
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            let mut stems = line.split_whitespace().map(|word| tokenizer.stem_hash(word));
            let Some(head) = stems.next() else { continue };
            for other in stems.filter(|other| *other != head) {
                table.entry(head).or_default().push(other);
                table.entry(other).or_default().push(head);
            }
        }
    }
    for others in table.values_mut() {
        others.sort_unstable();
        others.dedup();
    }
    table
});

/// Stems that may stand for a stem.
pub(crate) fn synonyms(stem: u64) -> &'static [u64] {
    SYNONYMS.get(&stem).map_or(&[], Vec::as_slice)
}

/// Whether two stems may stand for one another.
pub(crate) fn synonymous(one: u64, two: u64) -> bool {
    one == two || (PAIRS.may_hold(one ^ two) && synonyms(one).binary_search(&two).is_ok())
}

/// Which differences of two stems that may stand for one another there are: most pairs that are asked for have another.
static PAIRS: LazyLock<Sieve> = LazyLock::new(|| {
    let pairs = || SYNONYMS.iter().flat_map(|(one, others)| others.iter().map(move |other| one ^ other));
    let mut sieve = Sieve::of_bytes(8 * pairs().count());
    pairs().for_each(|pair| sieve.add(pair));
    sieve
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_irregular_forms_are_sorted_for_look_up() {
        let mut sorted = IRREGULAR.to_vec();
        sorted.sort_unstable();
        for (one, two) in IRREGULAR.iter().zip(&sorted) {
            assert_eq!(one, two);
        }
        assert_eq!((regular("written"), regular("row")), ("write", "row"));
    }

    #[test]
    fn every_line_of_the_tables_reads_and_no_word_stands_for_its_opposite() {
        let tokenizer = Tokenizer::new(Some(Language::English));
        let stem = |word: &str| tokenizer.stem_hash(word);
        assert!(synonymous(stem("deletes"), stem("removed")) && synonymous(stem("sent"), stem("transmits")));
        for (one, two) in crate::lists::OPPOSITES {
            assert!(!synonymous(stem(one), stem(two)), "{one} {two}");
        }
    }
}
