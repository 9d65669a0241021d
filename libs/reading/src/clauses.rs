//! Cuts a compound sentence into clauses that can be judged alone: each has its own verb and subject.
//!
//! English and Spanish, by joining words and by what a clause begins with; where that is not certain the sentence stays
//! whole. Nothing is cut inside quotations, parentheses and inline code.

use std::borrow::Cow;
use std::ops::Range;

/// Words that join clauses behind a comma or a semicolon.
const JOINS: &[&str] = &[
    "and", "but", "so", "while", "whereas", "yet", "although", "though", "however", "or", "y", "e", "pero",
    "mientras", "aunque", "o",
];
/// Those that do without a comma, before a clause with a subject.
const BARE: &[&str] = &["and", "but", "while", "whereas", "y", "pero", "mientras"];
/// Words that a subject begins with, or that are one.
pub(crate) const SUBJECTS: &[&str] = &[
    "the", "a", "an", "it", "they", "this", "these", "that", "those", "you", "we", "he", "she", "i", "each",
    "every", "all", "no", "its", "their", "there", "any", "both", "only", "one", "el", "la", "los", "las",
    "un", "una", "este", "esta", "estos", "estas", "cada", "ello", "ellos", "ellas", "su", "sus", "se",
    "todo", "todos", "todas", "ningún", "ninguna", "solo", "no", "hay",
];
/// Finite verbs without which few sentences are.
pub(crate) const VERBS: &[&str] = &[
    "is",
    "are",
    "was",
    "were",
    "has",
    "have",
    "had",
    "does",
    "do",
    "did",
    "can",
    "cannot",
    "could",
    "may",
    "might",
    "must",
    "will",
    "would",
    "shall",
    "should",
    "isn't",
    "aren't",
    "doesn't",
    "don't",
    "can't",
    "won't",
    "wasn't",
    "hasn't",
    "es",
    "son",
    "está",
    "están",
    "fue",
    "fueron",
    "era",
    "eran",
    "ha",
    "han",
    "tiene",
    "tienen",
    "puede",
    "pueden",
    "debe",
    "deben",
    "hay",
    "hace",
    "hacen",
    "va",
    "van",
    "será",
    "serán",
    "existe",
    "existen",
    "requiere",
    "requieren",
    "usa",
    "usan",
    "permite",
    "permiten",
];
/// Words behind which no finite verb stands.
pub(crate) const NO_VERB_BEHIND: &[&str] = &[
    "the", "a", "an", "of", "in", "on", "at", "for", "with", "from", "by", "to", "into", "and", "or", "its",
    "their", "this", "these", "those", "every", "each", "all", "no", "any", "per", "el", "la", "los", "las",
    "un", "una", "de", "del", "en", "con", "por", "para", "al", "y", "o", "sus", "su",
];
/// Fewest words of a clause that is judged alone.
const FEWEST: usize = 3;

/// A word with its place.
pub(crate) struct Word<'a> {
    pub(crate) at: usize,
    pub(crate) text: &'a str,
    /// Lower case, without punctuation around it.
    pub(crate) norm: Cow<'a, str>,
    /// Whether it stands outside quotations, parentheses and inline code.
    pub(crate) free: bool,
}

/// The clauses of a sentence, in order and without overlaps; joining words before a clause are left out. One range, the
/// whole, where the sentence is not compound or it is not certain.
pub fn split(sentence: &str) -> Vec<Range<usize>> {
    let words = words(sentence);
    let mut starts = vec![0];
    for at in FEWEST..words.len() {
        let last = starts.last().copied().unwrap_or(0);
        if let Some(from) = begins(&words, at)
            && at >= last + FEWEST
            && words.len() >= from + FEWEST
            && has_verb(&words[last..at])
            && has_subject_and_verb(&words[from..])
        {
            starts.push(from);
        }
    }
    let mut clauses = Vec::with_capacity(starts.len());
    for (index, start) in starts.iter().enumerate() {
        let from = words.get(*start).map_or(0, |word| word.at);
        let next = starts.get(index + 1).map(|next| joined_from(&words, *next));
        let end = next.and_then(|next| words.get(next)).map_or(sentence.len(), |word| word.at);
        let end = from + sentence[from..end].trim_end_matches([' ', ',', ';', '—', '–']).len();
        clauses.push(from..end);
    }
    clauses
}

/// Pronouns that stand for the subject of the sentence before.
const PRONOUNS: &[&str] = &["it", "they", "he", "she", "ello", "ellos", "ellas"];
/// Longest subject that is carried on, in words.
const SUBJECT: usize = 6;

/// The subject of a sentence: what stands before its first verb, as far as that can be told.
/// With it, whether its verb has the form of one thing ("reads", "is") and not of several.
pub fn subject(sentence: &str) -> Option<(&str, bool)> {
    let words = words(sentence);
    let verb = (1..words.len().min(SUBJECT + 1)).find(|at| is_verb(&words, *at))?;
    let last = words.get(verb.checked_sub(1)?)?;
    let plain = words[..verb]
        .iter()
        .all(|word| word.free && !word.text.ends_with([',', ';', ':']) && !NO_SUBJECT.contains(&&*word.norm));
    let named = verb > 1 || words.first()?.text.starts_with(char::is_uppercase);
    let verb = &*words.get(verb)?.norm;
    let one = verb.ends_with('s') || matches!(verb, "has" | "es" | "está" | "fue" | "era" | "ha" | "tiene");
    (plain && named).then(|| (&sentence[..last.at + last.text.len()], one))
}

/// Words that no subject holds that could be carried on.
const NO_SUBJECT: &[&str] = &[
    "it", "they", "he", "she", "this", "these", "that", "those", "there", "if", "when", "while", "although",
    "because", "to", "you", "we", "i", "what", "which", "who", "and", "or", "but", "in", "on", "at", "for",
    "with", "from", "by", "si", "cuando", "aunque", "porque", "que", "se", "no", "hay", "en", "con", "por",
    "para", "ello", "ellos", "ellas", "y", "o",
];

/// Whether a sentence begins with one of the pronouns that stand for a subject.
pub fn begins_with_pronoun(sentence: &str) -> bool {
    let word = sentence.trim_start().split(|c: char| !c.is_alphabetic()).next().unwrap_or_default();
    PRONOUNS.iter().any(|pronoun| pronoun.eq_ignore_ascii_case(word))
}

/// A sentence whose subject is a pronoun, with another subject in its stead; none where the pronoun means several things
/// and the subject is one.
pub fn resolved(sentence: &str, (subject, one): (&str, bool)) -> Option<String> {
    let trimmed = sentence.trim_start();
    let end = trimmed.find(|c: char| !c.is_alphabetic())?;
    let pronoun = trimmed[..end].to_lowercase();
    let follows = trimmed[end..].starts_with(' ');
    let several = matches!(pronoun.as_str(), "they" | "ellos" | "ellas");
    (follows && PRONOUNS.contains(&pronoun.as_str()) && !(several && one))
        .then(|| format!("{subject}{}", &trimmed[end..]))
}

/// The first of the joining words before a clause that begins at a word.
fn joined_from(words: &[Word<'_>], start: usize) -> usize {
    let mut at = start;
    while at > 0 && (JOINS.contains(&&*words[at - 1].norm) || matches!(words[at - 1].text, "—" | "–" | "que"))
    {
        at -= 1;
    }
    at
}

/// Where the clause begins that is joined at a word, behind its joining words; none if nothing is joined there.
fn begins(words: &[Word<'_>], at: usize) -> Option<usize> {
    let (before, word) = (words.get(at.checked_sub(1)?)?, words.get(at)?);
    if !before.free || !word.free {
        return None;
    }
    let joins = JOINS.contains(&&*word.norm);
    let stop = before.text.ends_with(';') || matches!(before.text, "—" | "–");
    let comma = before.text.ends_with(',') && joins;
    let bare = BARE.contains(&&*word.norm);
    if !(stop || comma || bare) {
        return None;
    }
    let mut from = at;
    while words
        .get(from)
        .is_some_and(|word| JOINS.contains(&&*word.norm) || (from > at && word.norm == "que"))
    {
        from += 1;
    }
    let subject = words.get(from)?;
    // "One and a half million" is a figure.
    if words.get(from + 1).is_some_and(|next| subject.norm == "a" && next.norm == "half") {
        return None;
    }
    let names = SUBJECTS.contains(&&*subject.norm)
        || subject.text.starts_with(|c: char| c.is_uppercase() || c == '`');
    (stop || names).then_some(from)
}

/// Whether a clause begins with a subject that a verb of its own follows.
fn has_subject_and_verb(words: &[Word<'_>]) -> bool {
    let end = words.iter().position(|word| word.text.ends_with([';'])).map_or(words.len(), |end| end + 1);
    let clause = &words[..end];
    clause.len() >= FEWEST && has_verb(clause)
}

/// Whether one of the words is a finite verb, as far as its form and the word before it tell.
fn has_verb(words: &[Word<'_>]) -> bool {
    (0..words.len()).any(|at| is_verb(words, at))
}

fn is_verb(words: &[Word<'_>], at: usize) -> bool {
    let Some(word) = words.get(at) else { return false };
    let norm = &*word.norm;
    if VERBS.contains(&norm) {
        return true;
    }
    let behind = at.checked_sub(1).and_then(|before| words.get(before));
    let open = behind.is_some_and(|before| !NO_VERB_BEHIND.contains(&&*before.norm));
    let inflected = norm.len() >= 4
        && norm.chars().all(char::is_alphabetic)
        && (norm.ends_with("ed")
            || (norm.ends_with('s') && !norm.ends_with("ss") && !norm.ends_with("us"))
            || norm.ends_with("rá")
            || norm.ends_with("rán")
            || norm.ends_with('ó'));
    // "se puede", "no cambia", "el exportador las escribe".
    let spanish = behind.is_some_and(|before| match &*before.norm {
        "se" | "no" | "lo" | "le" | "les" => true,
        "la" | "las" | "los" => at >= 3 && norm.ends_with(['a', 'e', 'n']),
        _ => false,
    });
    (open && inflected) || spanish
}

/// The words of a sentence.
pub(crate) fn words<'s>(sentence: &'s str) -> Vec<Word<'s>> {
    let (mut code, mut quoted, mut depth) = (false, false, 0_usize);
    let mut found: Vec<Word<'_>> = Vec::with_capacity(sentence.len() / 5);
    let mut start: Option<(usize, bool)> = None;
    let push = |found: &mut Vec<Word<'s>>, start: &mut Option<(usize, bool)>, end: usize| {
        if let Some((at, free)) = start.take() {
            let text = sentence.get(at..end).unwrap_or_default();
            let norm = text.trim_matches(|c: char| !c.is_alphanumeric());
            let lower = norm.bytes().all(|byte| byte.is_ascii() && !byte.is_ascii_uppercase());
            let norm = if lower { Cow::Borrowed(norm) } else { Cow::Owned(norm.to_lowercase()) };
            found.push(Word { at, text, norm, free });
        }
    };
    for (at, c) in sentence.char_indices() {
        // Letters within a word.
        if start.is_some() && c.is_ascii_alphanumeric() {
            continue;
        }
        if c.is_whitespace() {
            push(&mut found, &mut start, at);
            continue;
        }
        if start.is_none() {
            start = Some((at, !code && !quoted && depth == 0));
        }
        match c {
            '`' => code = !code,
            '"' if !code => quoted = !quoted,
            '“' | '«' if !code => quoted = true,
            '”' | '»' if !code => quoted = false,
            '(' | '[' if !code => depth += 1,
            ')' | ']' if !code => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    push(&mut found, &mut start, sentence.len());
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(sentence: &str, expected: &[&str]) {
        let found: Vec<&str> = split(sentence).into_iter().map(|range| &sentence[range]).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn clauses_with_subject_and_verb_are_told_apart() {
        check(
            "The importer reads CSV files, and the exporter writes XML files.",
            &["The importer reads CSV files", "the exporter writes XML files."],
        );
        check("The limit is 5; it cannot be raised.", &["The limit is 5", "it cannot be raised."]);
        check(
            "The importer skips empty rows and it stops after ten errors.",
            &["The importer skips empty rows", "it stops after ten errors."],
        );
        check(
            "The sources do not say how long it takes, but the limit is five rows.",
            &["The sources do not say how long it takes", "the limit is five rows."],
        );
        check(
            "El importador no admite filas vacías, pero el exportador las escribe; se puede cambiar.",
            &["El importador no admite filas vacías", "el exportador las escribe", "se puede cambiar."],
        );
        check(
            "The cache is local, while Redis is shared and the file is neither.",
            &["The cache is local", "Redis is shared", "the file is neither."],
        );
    }

    #[test]
    fn a_pronoun_takes_the_subject_of_the_sentence_before() {
        for (before, sentence, expected) in [
            (
                "The exporter writes XML files.",
                "It stops after ten errors.",
                Some("The exporter stops after ten errors."),
            ),
            ("Redis is fast.", "It keeps keys in memory.", Some("Redis keeps keys in memory.")),
            ("The two workers share a queue.", "They run in turn.", None),
            ("The rows command lists files.", "It needs a folder.", Some("The rows command needs a folder.")),
            ("If the queue is full, it waits.", "It is emptied.", None),
            ("There are two modes.", "They differ.", None),
            ("The exporter writes XML files.", "Its name is long.", None),
            ("The exporter writes XML files.", "The importer stops.", None),
        ] {
            let found = subject(before).and_then(|subject| resolved(sentence, subject));
            assert_eq!(found.as_deref(), expected, "{before} {sentence}");
        }
    }

    proptest::proptest! {
        #[test]
        fn clauses_lie_in_order_inside_the_sentence(
            words in proptest::collection::vec(
                proptest::sample::select(vec![
                    "the", "cache,", "and", "but", "is", "it", ";", "—", "writes", "`a", "b`", "(c", "d)", "\"", "y", "pero",
                    "se", "puede", "que", "Ñandú", "él;", "😀", "while", "rows.",
                ]),
                0..24,
            ),
        ) {
            let sentence = words.join(" ");
            let mut last = 0;
            for clause in split(&sentence) {
                proptest::prop_assert!(clause.start >= last && clause.end >= clause.start && clause.end <= sentence.len());
                proptest::prop_assert!(sentence.get(clause.clone()).is_some());
                last = clause.end;
            }
        }
    }

    #[test]
    fn what_cannot_stand_alone_stays() {
        for whole in [
            "The importer reads rows and columns.",
            "The importer reads the rows and the columns of a file.",
            "Use CSV, JSON, and XML.",
            "The log says \"it is full, and the job stops\" at the end.",
            "It runs (the job is small, and the file is local) twice.",
            "Call `a, and the b is c` first.",
            "Fast and small.",
            "and",
            "",
        ] {
            check(whole, &[whole]);
        }
    }
}
