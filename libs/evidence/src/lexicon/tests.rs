//! The word lists: each line reads, and no list joins what another tells apart.

use super::apart::{KINDS, OPPOSITES};
use super::forms::{APART, FORMS};
use super::phrases::PHRASES;
use super::synonyms::SYNONYMS;
use super::*;
use crate::tokens::{self, Token, Tokenizer};
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
fn listed_forms_occur_once_and_share_their_stem() {
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
fn stems_join_word_families_and_separate_other_meanings() {
    let (mut language, mut same) = (Language::English, true);
    let (mut families, mut pairs, mut wrong) = ([0, 0], 0, Vec::new());
    for line in lines(include_str!("../../tests/stems.txt")) {
        if let Some((mark, code)) = line.split_once(' ').filter(|(mark, _)| matches!(*mark, "=" | "!")) {
            language = if code == "es" { Language::Spanish } else { Language::English };
            same = mark == "=";
            continue;
        }
        let words: Vec<&str> = line.split(' ').collect();
        let head = stem(language, words[0]);
        wrong.extend(words[1..].iter().filter(|word| (stem(language, word) == head) != same).map(|word| {
            let tokenizer = Tokenizer::new(Some(language));
            format!("{} {word}: {} {}", words[0], tokenizer.stem(words[0]), tokenizer.stem(word))
        }));
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
fn kept_stems_are_shared_with_their_own_forms_only() {
    for (language, text) in APART {
        let tokenizer = Tokenizer::new(Some(language));
        let (mut seen, mut stems) = (HashSet::new(), HashSet::new());
        for line in lines(text) {
            for word in line.split(' ') {
                assert!(folded(word) && seen.insert(word), "{word}");
                assert_eq!(tokenizer.stem(word), line.split(' ').next().unwrap_or_default());
                assert_eq!(tokenizer.stem_hash(word), tokens::hash(&tokenizer.stem(word)), "{word}");
            }
            assert!(stems.insert(tokenizer.stem(line.split(' ').next().unwrap_or_default()).into_owned()));
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
                met.filter(|(_, said)| synonymous(*said, other)).map(|(line, _)| format!("{one}: {line}")),
            );
        }
    }
    for (language, text) in KINDS {
        for member in lines(text).flat_map(str::split_whitespace) {
            let words: Vec<u64> = member.split('=').map(|word| stem(language, word)).collect();
            if words.iter().any(|one| words.iter().any(|two| opposites(*one).binary_search(two).is_ok())) {
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
            for (one, other) in
                one.split_whitespace().flat_map(|one| other.split_whitespace().map(move |other| (one, other)))
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
    assert!(!rivals(english("monday"), english("mondays")) && !rivals(english("table"), english("spoon")));
    assert!(!rivals(english("mb"), english("megabytes")));
}

#[test]
fn a_phrase_denies_and_bounds_as_its_one_word_does() {
    use crate::flags;
    let says = flags::DENIES | flags::SOFT | flags::BOUNDS;
    let mut wrong = Vec::new();
    for (language, text) in PHRASES {
        let tokenizer = Tokenizer::new(Some(language));
        for (words, reads_as) in lines(text).filter_map(|line| line.split_once(" = ")) {
            let words = words.trim_end_matches(" _");
            let mut tokens = tokenizer.tokens(words);
            crate::tags::tag(&mut tokens);
            let mut one = tokenizer.tokens(reads_as);
            crate::tags::tag(&mut one);
            let said = tokens.iter().fold(0, |flags, token| flags | token.flags) & says;
            let class = tokens.iter().find_map(|token| token.class);
            let content = |tokens: &[Token]| tokens.iter().filter(|token| token.content()).count();
            let same = said == one[0].flags & says && class == one[0].class;
            if !same || content(&tokens) != content(&one) {
                wrong.push(words);
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn every_line_of_the_opposites_reads() {
    let mut seen = HashSet::new();
    for (language, text) in OPPOSITES {
        for line in lines(text) {
            let Some((one, other)) = line.split_once(" / ") else { panic!("{line}") };
            assert!(!other.contains('/') && one.split(' ').chain(other.split(' ')).all(folded), "{line}");
            assert!(seen.insert(line), "{line} twice");
            for (one, other) in one.split(' ').flat_map(|one| other.split(' ').map(move |other| (one, other)))
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
    assert_eq!(stems(english, "They carried out the upgrade"), stems(english, "They performed the upgrade"));
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
    // What bounds a figure is no end of a phrase.
    let backup = stem(english, "backup");
    let begins = |text: &str| stems(english, text).first() == Some(&backup);
    assert!(begins("Back up to a disk") && !begins("Back up to five disks") && !begins("Back up to 50 GB"));
    assert_eq!(stems(spanish, "Se llevan a cabo pruebas"), stems(spanish, "Se realizan pruebas"));
}
