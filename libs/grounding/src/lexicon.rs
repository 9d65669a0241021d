//! Words that mean the same: irregular forms with their base form, words that a paraphrase puts for one another, and
//! phrases that read as one word.

use crate::index::Sieve;
use crate::language::{self, Language};
use crate::tokens::{self, Map, Token, Tokenizer};
use std::sync::LazyLock;

/// Words that may stand for one another. A line that begins with `=` holds among all its words; any other line between its
/// first word and each of the others.
const SYNONYMS: [(Language, &str); 2] = [
    (Language::English, include_str!("../data/synonyms-en.txt")),
    (Language::Spanish, include_str!("../data/synonyms-es.txt")),
];
/// A base form and its irregular forms, a line each.
const FORMS: [(Language, &str); 2] = [
    (Language::English, include_str!("../data/forms-en.txt")),
    (Language::Spanish, include_str!("../data/forms-es.txt")),
];
/// A word with its forms whose stem is the word itself, a line each: the stemmer would join it to another word.
const APART: [(Language, &str); 2] = [
    (Language::English, include_str!("../data/apart-en.txt")),
    (Language::Spanish, include_str!("../data/apart-es.txt")),
];
/// Spanish infinitives.
const VERBS: &str = include_str!("../data/verbs-es.txt");
/// Several words that read as one: `carry out = perform`; behind `_` no article follows.
const PHRASES: [(Language, &str); 2] = [
    (Language::English, include_str!("../data/phrases-en.txt")),
    (Language::Spanish, include_str!("../data/phrases-es.txt")),
];

/// Lines of a table, without its remarks.
pub(crate) fn lines(text: &'static str) -> impl Iterator<Item = &'static str> {
    text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'))
}

/// The part of a table that is in a language; English where it is unknown.
fn of(tables: &[(Language, &'static str); 2], language: Option<Language>) -> &'static str {
    tables[place(language)].1
}

/// Place of a language in the tables.
fn place(language: Option<Language>) -> usize {
    usize::from(language == Some(Language::Spanish))
}

/// The form whose stem an irregular form takes.
pub(crate) fn regular(language: Option<Language>, word: &str) -> &str {
    base(language, word).0
}

/// The same, and whether it is a stem itself.
pub(crate) fn base(language: Option<Language>, word: &str) -> (&str, bool) {
    BASES[place(language)].get(&tokens::hash(word)).copied().unwrap_or((word, false))
}

/// Forms by their hashes: the form whose stem they take, and whether that is a stem itself.
static BASES: LazyLock<[Map<(&str, bool)>; 2]> = LazyLock::new(|| {
    [0, 1].map(|place| {
        let mut bases = Map::default();
        for line in lines(APART[place].1) {
            let mut words = line.split_whitespace();
            let Some(base) = words.clone().next() else { continue };
            bases.extend(words.by_ref().map(|form| (tokens::hash(form), (base, true))));
        }
        for line in lines(FORMS[place].1) {
            let mut words = line.split_whitespace();
            let Some(base) = words.next() else { continue };
            let base = bases.get(&tokens::hash(base)).copied().unwrap_or((base, false));
            bases.extend(words.map(|form| (tokens::hash(form), base)));
        }
        bases
    })
});

/// Endings of regular Spanish verbs without accents, and the infinitive's.
const ENDINGS: &[(&str, &[&str])] = &[
    (
        "ar",
        &[
            "a", "as", "an", "amos", "o", "e", "es", "en", "emos", "ado", "ada", "ados", "adas", "ando",
            "aba", "abas", "aban", "abamos", "ara", "aras", "aran", "aremos", "aria", "arias", "arian",
            "ariamos", "aron", "aste", "ase", "asen", "acion", "aciones",
        ],
    ),
    ("car", &["que", "ques", "quen", "quemos"]),
    ("gar", &["gue", "gues", "guen", "guemos"]),
    ("zar", &["ce", "ces", "cen", "cemos"]),
    (
        "er",
        &[
            "e", "es", "en", "emos", "o", "a", "as", "an", "amos", "ido", "ida", "idos", "idas", "iendo",
            "ia", "ias", "ian", "io", "ieron", "iera", "ieran", "iese", "iesen", "era", "eras", "eran",
            "eremos", "eria", "erias", "erian", "eriamos",
        ],
    ),
    (
        "ir",
        &[
            "e", "es", "en", "imos", "o", "a", "as", "an", "amos", "ido", "ida", "idos", "idas", "iendo",
            "ia", "ias", "ian", "io", "ieron", "iera", "ieran", "iese", "iesen", "ira", "iras", "iran",
            "iremos", "iria", "irias", "irian", "iriamos",
        ],
    ),
];

static INFINITIVES: LazyLock<Map<&str>> = LazyLock::new(|| {
    lines(VERBS).flat_map(str::split_whitespace).map(|verb| (tokens::hash(verb), verb)).collect()
});

/// The infinitive that a folded Spanish word may be a form of. Folding took the accents by which the stemmer knows many
/// forms ("permitira", "tenia"), and it takes some ends of verbs for ends of adjectives ("notifica", "compara").
pub(crate) fn infinitive(word: &str) -> Option<&'static str> {
    if word.len() < 4 || crate::language::is_stop(word) {
        return None;
    }
    ENDINGS.iter().find_map(|(verb, endings)| {
        endings.iter().filter_map(|ending| word.strip_suffix(ending)).filter(|head| head.len() > 1).find_map(
            |head| {
                let mut hash = tokens::Fnv::default();
                head.bytes().chain(verb.bytes()).for_each(|byte| hash.push(byte));
                INFINITIVES.get(&hash.finish()).copied()
            },
        )
    })
}

/// Common words of a language, English where it is unknown: function words, words with others that may stand for them,
/// and the words of English prose that are their own stems.
pub(crate) fn common(language: Option<Language>, mut found: impl FnMut(&str)) {
    let spanish = language == Some(Language::Spanish);
    for word in if spanish { language::SPANISH } else { language::ENGLISH } {
        found(word);
        let mut capital = word.to_string();
        if let Some(first) = capital.get_mut(..1) {
            first.make_ascii_uppercase();
        }
        found(&capital);
    }
    for line in lines(of(&SYNONYMS, language)) {
        line.split_whitespace().filter(|word| *word != "=").for_each(&mut found);
    }
    if !spanish {
        crate::idf::stems().filter(|stem| stem.bytes().all(|byte| byte.is_ascii_lowercase())).for_each(found);
    }
}

/// Stems with the stems that may stand for them.
static STAND_INS: LazyLock<Map<Vec<u64>>> = LazyLock::new(|| {
    let mut table: Map<Vec<u64>> = Map::default();
    for (language, text) in SYNONYMS {
        let tokenizer = Tokenizer::new(Some(language));
        // Most words stand in several lines.
        let mut known: Map<u64> = Map::default();
        let mut stem =
            |word: &str| *known.entry(tokens::hash(word)).or_insert_with(|| tokenizer.stem_hash(word));
        for line in lines(text) {
            let (line, all) = line.strip_prefix('=').map_or((line, false), |line| (line, true));
            let mut rest: Vec<u64> = line.split_whitespace().map(&mut stem).collect();
            while let Some((&head, others)) = rest.split_first() {
                for &other in others.iter().filter(|other| **other != head) {
                    table.entry(head).or_default().push(other);
                    table.entry(other).or_default().push(head);
                }
                if !all {
                    break;
                }
                rest.remove(0);
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
    STAND_INS.get(&stem).map_or(&[], Vec::as_slice)
}

/// Whether two stems may stand for one another.
pub(crate) fn synonymous(one: u64, two: u64) -> bool {
    one == two || (PAIRS.may_hold(one ^ two) && synonyms(one).binary_search(&two).is_ok())
}

/// Which differences of two stems that may stand for one another there are: most pairs that are asked for have another.
static PAIRS: LazyLock<Sieve> = LazyLock::new(|| {
    let pairs = || STAND_INS.iter().flat_map(|(one, others)| others.iter().map(move |other| one ^ other));
    let mut sieve = Sieve::of_bytes(8 * pairs().count());
    pairs().for_each(|pair| sieve.add(pair));
    sieve
});

/// Words on one side of a slash mean the opposite of each on the other side.
const OPPOSITES: [(Language, &str); 2] = [
    (Language::English, include_str!("../data/opposites-en.txt")),
    (Language::Spanish, include_str!("../data/opposites-es.txt")),
];
/// Words of one kind, of which a statement names one: a set a line, what says the same joined by `=`.
const KINDS: [(Language, &str); 2] = [
    (Language::English, include_str!("../data/kinds-en.txt")),
    (Language::Spanish, include_str!("../data/kinds-es.txt")),
];

/// The hashes by which a token may show a word: as it is and by its stem in either language, for names are the same in both.
fn shown(word: &str, tokenizers: &[Tokenizer<'_>; 2]) -> Vec<u64> {
    let mut hashes = vec![tokens::hash(word)];
    hashes.extend(tokenizers.iter().map(|tokenizer| tokenizer.stem_hash(word)));
    hashes.sort_unstable();
    hashes.dedup();
    hashes
}

fn tokenizers() -> [Tokenizer<'static>; 2] {
    [Language::English, Language::Spanish].map(|language| Tokenizer::new(Some(language)))
}

/// Words by their hashes, with the hashes of their opposites, sorted.
static AGAINST: LazyLock<Map<Vec<u64>>> = LazyLock::new(|| {
    let mut table: Map<Vec<u64>> = Map::default();
    for (language, text) in OPPOSITES {
        let tokenizer = Tokenizer::new(Some(language));
        for (one, other) in lines(text).filter_map(|line| line.split_once('/')) {
            let hashes = |side: &str| -> Vec<u64> {
                side.split_whitespace()
                    .flat_map(|word| [tokens::hash(word), tokenizer.stem_hash(word)])
                    .collect()
            };
            let (ones, others) = (hashes(one), hashes(other));
            ones.iter().for_each(|hash| table.entry(*hash).or_default().extend(&others));
            others.iter().for_each(|hash| table.entry(*hash).or_default().extend(&ones));
        }
    }
    for others in table.values_mut() {
        others.sort_unstable();
        others.dedup();
    }
    table
});

/// Stems of the words that mean the opposite of a stem, sorted.
pub(crate) fn opposites(stem: u64) -> &'static [u64] {
    AGAINST.get(&stem).map_or(&[], Vec::as_slice)
}

/// Words of the kinds by their hashes: the sets that they are in, and what they say there.
static MEMBERS: LazyLock<Map<Vec<(u16, u16)>>> = LazyLock::new(|| {
    let tokenizers = tokenizers();
    let mut table: Map<Vec<(u16, u16)>> = Map::default();
    for (set, line) in (0..).zip(KINDS.into_iter().flat_map(|(_, text)| lines(text))) {
        for (member, words) in (0..).zip(line.split_whitespace()) {
            for hash in words.split('=').flat_map(|word| shown(word, &tokenizers)) {
                table.entry(hash).or_default().push((set, member));
            }
        }
    }
    table
});

/// Whether two stems are different members of one set of words of a kind: a statement about the one is none about the other.
pub(crate) fn rivals(one: u64, two: u64) -> bool {
    if one == two {
        return false;
    }
    let (Some(mine), Some(theirs)) = (MEMBERS.get(&one), MEMBERS.get(&two)) else { return false };
    let met = |(set, member): &(u16, u16), test: fn(u16, u16) -> bool| {
        theirs.iter().any(|(other, said)| set == other && test(*member, *said))
    };
    mine.iter().any(|place| met(place, |one, two| one != two))
        && !mine.iter().any(|place| met(place, |one, two| one == two))
}

/// Whether a stem is in some set of words of a kind.
pub(crate) fn of_a_kind(stem: u64) -> bool {
    MEMBERS.contains_key(&stem)
}

/// Several words that read as one.
#[derive(Debug)]
pub(crate) struct Phrase {
    /// Stems of the words behind the first.
    rest: Vec<u64>,
    /// Whether no article or name may follow: "log in with a key", but "the log in the folder".
    closed: bool,
    /// The one word, folded.
    pub(crate) reads_as: &'static str,
}

/// Words that may stand inside a phrase of two words: "turn it off".
const BETWEEN: &[&str] =
    &["it", "them", "this", "that", "these", "those", "him", "her", "lo", "la", "los", "las"];

/// Words that stand before a noun: what stands before them is a preposition.
const ARTICLES: &[&str] = &[
    "the", "a", "an", "this", "that", "these", "those", "each", "every", "any", "all", "your", "its",
    "their", "our", "my", "his", "her", "which",
];

impl Phrase {
    /// Number of tokens that it takes, where it begins with the first of them.
    pub(crate) fn length(&self, tokens: &[Token]) -> Option<usize> {
        let behind = tokens.get(1..)?;
        let held = |from: usize| {
            let met = self.rest.iter().zip(behind.get(from..).unwrap_or_default());
            met.filter(|(stem, token)| **stem == token.stem && !token.after_break && !token.code).count()
                == self.rest.len()
        };
        let split = || {
            self.rest.len() == 1
                && behind
                    .first()
                    .is_some_and(|token| !token.after_break && BETWEEN.contains(&token.norm.as_str()))
                && held(1)
        };
        let length = if held(0) { Some(1 + self.rest.len()) } else { split().then(|| 2 + self.rest.len()) };
        length.filter(|length| {
            let next = tokens.get(*length).filter(|next| self.closed && !next.after_break);
            !next.is_some_and(|next| next.code || next.named() || ARTICLES.contains(&next.norm.as_str()))
        })
    }
}

/// Phrases by the stem of their first word, the longest first.
static BEGINNINGS: LazyLock<[Map<Vec<Phrase>>; 2]> = LazyLock::new(|| {
    PHRASES.map(|(language, text)| {
        let tokenizer = Tokenizer::new(Some(language));
        let mut table: Map<Vec<Phrase>> = Map::default();
        for line in lines(text) {
            let Some((words, reads_as)) = line.split_once('=') else { continue };
            let (words, reads_as) = (words.trim(), reads_as.trim());
            let (words, closed) = words.strip_suffix(" _").map_or((words, false), |words| (words, true));
            let mut stems = words.split_whitespace().map(|word| tokenizer.stem_hash(word));
            let Some(first) = stems.next() else { continue };
            let phrase = Phrase { rest: stems.collect(), closed, reads_as };
            table.entry(first).or_default().push(phrase);
        }
        for phrases in table.values_mut() {
            phrases.sort_by_key(|phrase| std::cmp::Reverse(phrase.rest.len()));
        }
        table
    })
});

/// Phrases that begin with a stem, the longest first.
pub(crate) fn phrases(language: Option<Language>, stem: u64) -> &'static [Phrase] {
    BEGINNINGS[place(language)].get(&stem).map_or(&[], Vec::as_slice)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::{HashMap, HashSet};

    const BOTH: [Language; 2] = [Language::English, Language::Spanish];

    fn stem(language: Language, word: &str) -> u64 {
        Tokenizer::new(Some(language)).stem_hash(word)
    }

    fn folded(word: &str) -> bool {
        !word.is_empty()
            && tokens::fold(word) == word
            && word.chars().all(|c| c.is_alphanumeric() || "%°'".contains(c))
    }

    #[test]
    fn every_form_is_told_once_and_has_another_stem_by_the_rules() {
        for (language, text) in FORMS {
            let mut seen = HashSet::new();
            for line in lines(text) {
                let words: Vec<&str> = line.split_whitespace().collect();
                assert!(words.len() > 1 && words.iter().all(|word| folded(word)), "{line}");
                for form in &words[1..] {
                    assert!(seen.insert(*form), "{form} twice");
                    assert_eq!(stem(language, form), stem(language, words[0]), "{form}");
                    assert_eq!(regular(Some(language), form), words[0]);
                }
                assert_eq!(regular(Some(language), words[0]), words[0], "{line}");
            }
        }
        assert_eq!(regular(Some(Language::English), "row"), "row");
    }

    #[test]
    fn words_of_a_family_have_one_stem_and_words_of_another_meaning_have_another() {
        let (mut language, mut same) = (Language::English, true);
        let (mut families, mut pairs, mut wrong) = ([0, 0], 0, Vec::new());
        for line in lines(include_str!("../tests/stems.txt")) {
            if let Some((mark, code)) = line.split_once(' ').filter(|(mark, _)| matches!(*mark, "=" | "!")) {
                language = if code == "es" { Language::Spanish } else { Language::English };
                same = mark == "=";
                continue;
            }
            let words: Vec<&str> = line.split(' ').collect();
            let head = stem(language, words[0]);
            wrong.extend(words[1..].iter().filter(|word| (stem(language, word) == head) != same).map(
                |word| {
                    let tokenizer = Tokenizer::new(Some(language));
                    format!("{} {word}: {} {}", words[0], tokenizer.stem(words[0]), tokenizer.stem(word))
                },
            ));
            if same {
                families[place(Some(language))] += 1;
            } else {
                pairs += words.len() - 1;
            }
        }
        assert!(wrong.is_empty(), "{wrong:#?}");
        assert!(families[0] >= 150 && families[1] >= 150 && pairs >= 150, "{families:?} {pairs}");
    }

    #[test]
    fn a_word_that_keeps_its_own_stem_shares_it_with_its_forms_alone() {
        for (language, text) in APART {
            let tokenizer = Tokenizer::new(Some(language));
            let (mut seen, mut stems) = (HashSet::new(), HashSet::new());
            for line in lines(text) {
                for word in line.split(' ') {
                    assert!(folded(word) && seen.insert(word), "{word}");
                    assert_eq!(tokenizer.stem(word), line.split(' ').next().unwrap_or_default());
                    assert_eq!(tokenizer.stem_hash(word), tokens::hash(&tokenizer.stem(word)), "{word}");
                }
                assert!(
                    stems.insert(tokenizer.stem(line.split(' ').next().unwrap_or_default()).into_owned())
                );
            }
            // No other word of the tables, and none of English prose, has one of these stems.
            let tables = SYNONYMS.iter().chain(&FORMS).filter(|(other, _)| *other == language);
            for word in tables.flat_map(|(_, text)| lines(text).flat_map(str::split_whitespace)) {
                let own = base(Some(language), word).1;
                assert!(own || !stems.contains(tokenizer.stem(word).as_ref()), "{word}");
            }
        }
    }

    #[test]
    fn every_line_of_the_synonyms_reads_and_says_something() {
        let mut idle = Vec::new();
        for (language, text) in SYNONYMS {
            let mut seen = HashSet::new();
            for line in lines(text) {
                assert!(seen.insert(line), "{line} twice");
                let words: Vec<&str> = line.trim_start_matches('=').split_whitespace().collect();
                assert!(words.iter().all(|word| folded(word)), "{line}");
                let stems: HashSet<u64> = words.iter().map(|word| stem(language, word)).collect();
                if stems.len() < 2 {
                    idle.push(line);
                }
                assert_eq!(words.iter().collect::<HashSet<_>>().len(), words.len(), "{line}");
            }
        }
        assert!(idle.is_empty(), "one stem: {idle:#?}");
        let english = |word: &str| stem(Language::English, word);
        assert!(synonymous(english("deletes"), english("removed")));
        assert!(synonymous(english("sent"), english("transmits")));
    }

    /// Pairs of words that a list tells apart: opposites, and words of one kind.
    fn told_apart() -> Vec<(Language, &'static str, &'static str)> {
        let mut pairs = Vec::new();
        for (language, text) in OPPOSITES {
            for (one, other) in lines(text).filter_map(|line| line.split_once('/')) {
                for one in one.split_whitespace() {
                    pairs.extend(other.split_whitespace().map(|other| (language, one, other)));
                }
            }
        }
        for (language, text) in KINDS {
            for line in lines(text) {
                let members: Vec<&str> = line.split_whitespace().collect();
                for (at, member) in members.iter().enumerate() {
                    let others = || members[..at].iter().flat_map(|other| other.split('='));
                    pairs.extend(
                        member.split('=').flat_map(|one| others().map(move |other| (language, one, other))),
                    );
                }
            }
        }
        pairs
    }

    #[test]
    fn no_list_joins_what_another_tells_apart() {
        let mut wrong = Vec::new();
        // Phrases by the stems of their words, with the stem of the word that each reads as.
        let phrases = PHRASES.map(|(language, text)| {
            let mut table: HashMap<u64, Vec<(&str, u64)>> = HashMap::new();
            for line in lines(text) {
                let (words, reads_as) = line.split_once(" = ").unwrap_or_default();
                // "Get", "from" and the like say nothing themselves.
                for word in words.split(' ').filter(|word| !crate::language::is_stop(word)) {
                    table.entry(stem(language, word)).or_default().push((line, stem(language, reads_as)));
                }
            }
            table
        });
        // One table holds the words of both languages, so a pair must not be joined by a stem of the other one either.
        for (own, one, other) in told_apart() {
            for language in BOTH {
                let (mine, theirs) = (stem(language, one), stem(language, other));
                if mine == theirs || (language == own && synonymous(mine, theirs)) {
                    wrong.push(format!("{one} {other}: a stem or a line of synonyms joins them"));
                }
            }
            assert!(regular(Some(own), one) != regular(Some(own), other), "{one} {other}: a line of forms");
            let (mine, theirs) = (stem(own, one), stem(own, other));
            for (held, other) in [(mine, theirs), (theirs, mine)] {
                let met = phrases[place(Some(own))].get(&held).into_iter().flatten();
                wrong.extend(
                    met.filter(|(_, said)| synonymous(*said, other))
                        .map(|(line, _)| format!("{one}: {line}")),
                );
            }
        }
        for (language, text) in KINDS {
            for member in lines(text).flat_map(str::split_whitespace) {
                let words: Vec<u64> = member.split('=').map(|word| stem(language, word)).collect();
                if words.iter().any(|one| words.iter().any(|two| opposites(*one).binary_search(two).is_ok()))
                {
                    wrong.push(format!("{member}: opposites in one member of a kind"));
                }
            }
        }
        assert!(wrong.is_empty(), "{} {wrong:#?}", wrong.len());
    }

    #[test]
    fn opposites_and_kinds_tell_apart_what_they_name() {
        for (language, text) in OPPOSITES {
            for (one, other) in lines(text).filter_map(|line| line.split_once('/')) {
                for (one, other) in one
                    .split_whitespace()
                    .flat_map(|one| other.split_whitespace().map(move |other| (one, other)))
                {
                    let (mine, theirs) = (stem(language, one), stem(language, other));
                    assert!(opposites(mine).binary_search(&theirs).is_ok(), "{one} {other}");
                }
            }
        }
        for (_, text) in KINDS {
            for line in lines(text) {
                let words: Vec<&str> = line.split([' ', '=']).collect();
                assert_eq!(words.iter().collect::<HashSet<_>>().len(), words.len(), "{line}");
                assert!(line.contains(' ') && words.iter().all(|word| folded(word)), "{line}");
            }
        }
        let english = |word: &str| stem(Language::English, word);
        assert!(rivals(english("monday"), english("sundays")) && rivals(english("gzip"), english("brotli")));
        assert!(
            !rivals(english("monday"), english("mondays")) && !rivals(english("table"), english("spoon"))
        );
        assert!(!rivals(english("mb"), english("megabytes")));
    }

    #[test]
    fn a_phrase_denies_and_bounds_as_its_one_word_does() {
        use crate::flags;
        let says = flags::DENIES | flags::SOFT | flags::BOUNDS;
        for (language, text) in PHRASES {
            let tokenizer = Tokenizer::new(Some(language));
            for (words, reads_as) in lines(text).filter_map(|line| line.split_once(" = ")) {
                let words = words.trim_end_matches(" _");
                let mut tokens = tokenizer.tokens(words);
                crate::rules::mark(&mut tokens);
                let mut one = tokenizer.tokens(reads_as);
                crate::rules::mark(&mut one);
                let said = tokens.iter().fold(0, |flags, token| flags | token.flags) & says;
                assert_eq!(said, one[0].flags & says, "{words}");
                let class = tokens.iter().find_map(|token| token.class);
                assert_eq!(class, one[0].class, "{words}");
                let content = |tokens: &[Token]| tokens.iter().filter(|token| token.content()).count();
                assert_eq!(content(&tokens), content(&one), "{words}");
            }
        }
    }

    #[test]
    fn every_line_of_the_opposites_reads() {
        let mut seen = HashSet::new();
        for (language, text) in OPPOSITES {
            for line in lines(text) {
                let Some((one, other)) = line.split_once(" / ") else { panic!("{line}") };
                assert!(!other.contains('/') && one.split(' ').chain(other.split(' ')).all(folded), "{line}");
                assert!(seen.insert(line), "{line} twice");
                for (one, other) in
                    one.split(' ').flat_map(|one| other.split(' ').map(move |other| (one, other)))
                {
                    assert_ne!(stem(language, one), stem(language, other), "{line}");
                }
            }
        }
    }

    #[test]
    fn every_phrase_is_two_to_four_words_for_one() {
        for (language, text) in PHRASES {
            let mut seen = HashSet::new();
            for line in lines(text) {
                let Some((words, one)) = line.split_once(" = ") else { panic!("{line}") };
                let words: Vec<&str> = words.trim_end_matches(" _").split_whitespace().collect();
                assert!((2..=4).contains(&words.len()) && words.iter().all(|word| folded(word)), "{line}");
                assert!(folded(one), "{line}");
                let stems: Vec<u64> = words.iter().map(|word| stem(language, word)).collect();
                assert!(seen.insert(stems), "{line} twice");
            }
        }
    }

    #[test]
    fn a_phrase_reads_as_its_word() {
        let stems = |language, text: &str| -> Vec<u64> {
            let tokens = Tokenizer::new(Some(language)).tokens(text);
            tokens.iter().filter(|token| token.content()).map(|token| token.stem).collect()
        };
        let [english, spanish] = BOTH;
        assert_eq!(
            stems(english, "They carried out the upgrade"),
            stems(english, "They performed the upgrade")
        );
        assert_eq!(stems(english, "Turn it off"), stems(english, "Disable it"));
        let denials = |language, text: &str| {
            let tokens = Tokenizer::new(Some(language)).tokens(text);
            tokens.iter().filter(|token| token.is(crate::flags::DENIES)).count()
        };
        assert_eq!((denials(spanish, "Es sin coste"), denials(spanish, "Es sin ruido")), (0, 1));
        assert_eq!(stems(english, "They log in with a key"), stems(english, "They login with a key"));
        assert_eq!(stems(english, "See the log in the folder").len(), 3);
        assert_eq!(stems(english, "In the event of a crash"), stems(english, "If a crash"));
        assert_eq!(stems(spanish, "Ya no arranca"), stems(spanish, "No arranca"));
        assert_eq!(stems(english, "A virtual private network"), stems(english, "a VPN"));
        assert_eq!(stems(english, "It is turned. Off it goes")[0], stem(english, "turn"));
        assert_eq!(stems(spanish, "Se llevan a cabo pruebas"), stems(spanish, "Se realizan pruebas"));
    }
}
