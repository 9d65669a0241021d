//! Forms of a word: irregular ones, words that keep a stem of their own, and forms of Spanish verbs.

use super::{lines, place};
use crate::ablation::list;
use crate::language::Language;
use crate::tokens::{self, Map};
use std::sync::LazyLock;

/// A base form and its irregular forms, a line each.
pub(super) const FORMS: [(Language, &str); 2] = [
    (Language::English, include_str!("../../data/forms-en.txt")),
    (Language::Spanish, include_str!("../../data/forms-es.txt")),
];
/// A word with its forms whose stem is the word itself, a line each: the stemmer would join it to another word.
pub(super) const APART: [(Language, &str); 2] = [
    (Language::English, include_str!("../../data/apart-en.txt")),
    (Language::Spanish, include_str!("../../data/apart-es.txt")),
];
/// Spanish infinitives.
pub(super) const VERBS: &str = include_str!("../../data/verbs-es.txt");

/// The form whose stem an irregular form takes.
pub fn regular(language: Option<Language>, word: &str) -> &str {
    base(language, word).0
}

/// The same, and whether it is a stem itself.
pub fn base(language: Option<Language>, word: &str) -> (&str, bool) {
    BASES[place(language)].get(&tokens::hash(word)).copied().unwrap_or((word, false))
}

/// Forms by their hashes: the form whose stem they take, and whether that is a stem itself.
static BASES: LazyLock<[Map<(&str, bool)>; 2]> = LazyLock::new(|| {
    [0, 1].map(|place| {
        let mut bases = Map::default();
        for line in lines(list("apart", APART[place].1)) {
            let mut words = line.split_whitespace();
            let Some(base) = words.clone().next() else { continue };
            bases.extend(words.by_ref().map(|form| (tokens::hash(form), (base, true))));
        }
        for line in lines(list("forms", FORMS[place].1)) {
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
            "ariamos", "aron", "aste", "ase", "asen", "acion", "aciones", "ais", "eis", "asteis", "are",
            "areis", "ariais", "abais", "ad",
        ],
    ),
    ("car", &["que", "ques", "quen", "quemos", "queis"]),
    ("gar", &["gue", "gues", "guen", "guemos", "gueis"]),
    ("zar", &["ce", "ces", "cen", "cemos", "ceis"]),
    (
        "er",
        &[
            "e", "es", "en", "emos", "o", "a", "as", "an", "amos", "ido", "ida", "idos", "idas", "iendo",
            "ia", "ias", "ian", "io", "ieron", "iera", "ieran", "iese", "iesen", "era", "eras", "eran",
            "eremos", "eria", "erias", "erian", "eriamos", "iste", "imos", "isteis", "eis", "ais", "iamos",
            "ere", "ereis", "ed",
        ],
    ),
    (
        "ir",
        &[
            "e", "es", "en", "imos", "o", "a", "as", "an", "amos", "ido", "ida", "idos", "idas", "iendo",
            "ia", "ias", "ian", "io", "ieron", "iera", "ieran", "iese", "iesen", "ira", "iras", "iran",
            "iremos", "iria", "irias", "irian", "iriamos", "iste", "isteis", "is", "ais", "iamos", "ire",
            "ireis", "id",
        ],
    ),
];

static INFINITIVES: LazyLock<Map<&str>> =
    LazyLock::new(|| infinitives().map(|verb| (tokens::hash(verb), verb)).collect());

/// The infinitive that a folded Spanish word may be a form of. Folding took the accents by which the stemmer knows many
/// forms ("permitira", "tenia"), and it takes some ends of verbs for ends of adjectives ("notifica", "compara").
pub fn infinitive(word: &str) -> Option<&'static str> {
    if word.len() < 4 || crate::language::is_stop(word) {
        return None;
    }
    // Most endings end in another letter.
    let last = word.as_bytes().last();
    let may_end = |ending: &&&str| ending.as_bytes().last() == last;
    let verb = ENDINGS.iter().find_map(|(verb, endings)| {
        let met = endings.iter().filter(may_end).filter_map(|ending| word.strip_suffix(ending));
        met.filter(|head| head.len() > 1).find_map(|head| listed(head, verb))
    });
    verb.or_else(|| super::irregular::infinitive(word)).or_else(|| with_pronouns(word))
}

/// All infinitives of the list.
pub(super) fn infinitives() -> impl Iterator<Item = &'static str> {
    lines(VERBS).flat_map(str::split_whitespace)
}

/// The infinitive of two parts, if it is one.
fn listed(head: &str, ending: &str) -> Option<&'static str> {
    let mut hash = tokens::Fnv::default();
    head.bytes().chain(ending.bytes()).for_each(|byte| hash.push(byte));
    INFINITIVES.get(&hash.finish()).copied()
}

/// Pronouns that are written behind a verb; two may follow one another.
const PRONOUNS: &[&str] = &["se", "lo", "la", "los", "las", "me", "te", "nos", "le", "les"];

/// The verb of an infinitive, a gerund or a command with pronouns behind it: "usarlo", "uniendose", "guardelos". The
/// stemmer knows them by an accent, which is folded away, and not behind short verbs.
fn with_pronouns(word: &str) -> Option<&'static str> {
    let cut = |word: &str| PRONOUNS.iter().find_map(|pronoun| word.strip_suffix(pronoun)).map(str::len);
    let one = &word[..cut(word)?];
    let two = cut(one).map_or(one, |end| &one[..end]);
    [one, two].into_iter().find_map(|head| {
        if head.ends_with('r') {
            return listed(head, "");
        }
        let gerund = head.strip_suffix("ando").map(|stem| (stem, &["ar"][..]));
        let gerund = gerund.or_else(|| head.strip_suffix("iendo").map(|stem| (stem, &["er", "ir"][..])));
        if let Some((stem, verbs)) = gerund {
            return verbs.iter().find_map(|verb| listed(stem, verb));
        }
        // "Guardelos" but neither "regalos" nor "puntuales": a noun has no "lo" of its own behind a verb's end.
        let command = word.len() >= 7
            && word.ends_with(['o', 's'])
            && ["lo", "los"].iter().any(|pronoun| word.strip_suffix(pronoun) == Some(head));
        let noun = || word.strip_suffix("os").or(word.strip_suffix('o'));
        if !command || noun().is_some_and(|stem| listed(stem, "ar").is_some()) {
            return None;
        }
        // `None` where the last letter is not of ASCII: "abcdeβlo" is no verb.
        let (stem, last) = head.split_at_checked(head.len().checked_sub(1)?)?;
        match last {
            "a" => ["ar", "er", "ir"].iter().find_map(|verb| listed(stem, verb)),
            "e" => ["er", "ir", "ar"].iter().find_map(|verb| listed(stem, verb)),
            _ => None,
        }
    })
}
