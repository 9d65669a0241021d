//! Words around a statement that state nothing: "Careful,", "According to the manual,", "…, the terms say, …".

use std::borrow::Cow;

/// What talk begins with, before a comma, a colon or a dash; folded.
const OPENERS: &[&str] = &[
    "absolutely",
    "actually",
    "afortunadamente",
    "atencion",
    "basicamente",
    "bueno",
    "buena noticia",
    "buenas noticias",
    "by the way",
    "careful",
    "caution",
    "certainly",
    "claro",
    "claro que si",
    "correct",
    "correcto",
    "cuidado",
    "de hecho",
    "desgraciadamente",
    "don't worry",
    "don’t worry",
    "efectivamente",
    "en efecto",
    "en realidad",
    "exactly",
    "exacto",
    "fortunately",
    "good news",
    "good question",
    "in fact",
    "indeed",
    "lamentablemente",
    "luckily",
    "no",
    "no problem",
    "no se preocupe",
    "no te preocupes",
    "no worries",
    "nope",
    "not exactly",
    "not quite",
    "not really",
    "not to worry",
    "of course",
    "ojo",
    "ok",
    "okay",
    "por cierto",
    "por desgracia",
    "por supuesto",
    "por suerte",
    "pues",
    "que va",
    "right",
    "sadly",
    "short answer",
    "si",
    "sure",
    "sure thing",
    "that's right",
    "to answer your question",
    "to be clear",
    "tranquila",
    "tranquilo",
    "unfortunately",
    "vale",
    "warning",
    "well",
    "yeah",
    "yep",
    "yes",
];

/// Words for a text that says something, sorted.
const TEXTS: &[&str] = &[
    "article",
    "articulo",
    "bases",
    "book",
    "brochure",
    "bylaws",
    "conditions",
    "condiciones",
    "contract",
    "contrato",
    "docs",
    "doc",
    "documentacion",
    "documentation",
    "documento",
    "document",
    "faq",
    "folleto",
    "guia",
    "guide",
    "guidelines",
    "handbook",
    "hoja",
    "instrucciones",
    "instructions",
    "leaflet",
    "manual",
    "normas",
    "normativa",
    "notas",
    "notes",
    "notice",
    "page",
    "pagina",
    "policy",
    "politica",
    "prospecto",
    "readme",
    "recipe",
    "receta",
    "reference",
    "reglamento",
    "reglas",
    "regulations",
    "rules",
    "rulebook",
    "sheet",
    "spec",
    "specification",
    "terms",
    "text",
    "texto",
];

/// Verbs of saying.
const SAYS: &[&str] = &[
    "says",
    "say",
    "states",
    "state",
    "notes",
    "mentions",
    "mention",
    "explains",
    "explain",
    "specifies",
    "clarifies",
    "adds",
    "dice",
    "dicen",
    "indica",
    "indican",
    "senala",
    "senalan",
    "explica",
    "explican",
    "aclara",
    "aclaran",
    "especifica",
    "especifican",
    "precisa",
];

/// What leads to a text: "according to the manual".
const LEADS: &[&str] = &[
    "according to",
    "as per",
    "per",
    "based on",
    "going by",
    "segun",
    "de acuerdo con",
    "conforme a",
    "tal como indica",
    "tal y como indica",
];

/// Words before a noun.
const DETERMINERS: &[&str] =
    &["the", "our", "your", "this", "these", "its", "their", "el", "la", "los", "las", "este", "esta", "su"];

/// Words behind a verb of saying that make what follows no statement.
const INDIRECT: &[&str] = &[
    "how", "what", "where", "when", "why", "whether", "which", "who", "if", "nothing", "not", "no", "como",
    "donde", "cuando", "cual", "si", "nada",
];

/// Most words around a statement that are read as talk.
const LONGEST: usize = 8;
/// Last place, from 0, of the verb in "The page says that …".
const FARTHEST: usize = 5;
/// Fewest words of what is left.
const FEWEST: usize = 3;

/// A folded text without white space and marks at its ends.
fn unmarked(text: &str) -> Cow<'_, str> {
    crate::tokens::fold(text.trim().trim_matches(['¡', '!', '¿', '"', '*', '_']))
}

/// Whether a word may be a verb of saying; most words begin or end as none does.
fn may_say(word: &str) -> bool {
    let ends =
        |byte: &u8| !byte.is_ascii_alphabetic() || matches!(byte | 32, b's' | b'e' | b'n' | b'a' | b'y');
    word.as_bytes().last().is_some_and(ends)
}

/// Whether words name a text: "the release notes", "las condiciones generales".
fn names_text(words: &[&str]) -> bool {
    let (led, bare) = match words.split_first() {
        Some((first, rest)) if DETERMINERS.contains(first) => (*first, rest),
        _ => ("", words),
    };
    let plain = |word: &&str| word.chars().all(|c| c.is_alphabetic() || c == '\'' || c == '-');
    // What it is comes last in English and first in Spanish.
    let spanish = matches!(led, "el" | "la" | "los" | "las" | "este" | "esta" | "su");
    let head = if spanish { bare.first() } else { bare.last() };
    (1..=4).contains(&bare.len())
        && bare.iter().all(plain)
        && head.is_some_and(|head| TEXTS.contains(head))
        && !bare.iter().any(|word| SAYS.contains(word) && !TEXTS.contains(word))
}

/// The words behind one of the phrases that a text may begin with.
fn behind<'w>(words: &'w [&'w str], phrases: &[&'w str]) -> Option<&'w [&'w str]> {
    phrases.iter().find_map(|phrase| {
        let mut rest = words;
        for word in phrase.split(' ') {
            rest = rest.strip_prefix(&[word])?;
        }
        Some(rest)
    })
}

/// Whether a stretch between commas only says who says it: "according to the terms", "dicen las condiciones".
fn attributes(stretch: &str) -> bool {
    if stretch.split_whitespace().nth(LONGEST).is_some() {
        return false;
    }
    let folded = unmarked(stretch.trim_end_matches(['.', ';', ':']));
    let words: Vec<&str> = folded.split_whitespace().collect();
    let led = behind(&words, LEADS).is_some_and(names_text);
    let said = words.split_first().is_some_and(|(first, rest)| SAYS.contains(first) && names_text(rest));
    let says = words.split_last().is_some_and(|(last, rest)| SAYS.contains(last) && names_text(rest));
    led || said || says
}

/// Where the statement begins behind talk at the start of a claim; 0 where there is none.
fn start(claim: &str) -> usize {
    let mark = claim.find([',', ':', ';', '—', '–', '!', '.']).filter(|at| *at <= 80);
    if let Some(at) = mark {
        let head = unmarked(&claim[..at]);
        let length = claim[at..].chars().next().map_or(1, char::len_utf8);
        let spaced = claim[at + length..].starts_with(char::is_whitespace);
        if spaced && (OPENERS.contains(&&*head) || (claim[at..].starts_with(',') && attributes(&head))) {
            return at + length;
        }
    }
    // "The page says that …".
    for (at, word) in claim.split_whitespace().enumerate().take(FARTHEST + 1).skip(1) {
        if !may_say(word) || !SAYS.contains(&&*unmarked(word)) {
            continue;
        }
        let before: Vec<Cow<'_, str>> = claim.split_whitespace().take(at).map(unmarked).collect();
        if !names_text(&before.iter().map(AsRef::as_ref).collect::<Vec<_>>()) {
            continue;
        }
        let Some(next) = claim.split_whitespace().nth(at + 1).map(unmarked) else { return 0 };
        return match &*next {
            "that" | "que" => end_of(claim, at + 1),
            next if INDIRECT.contains(&next) => 0,
            _ => end_of(claim, at),
        };
    }
    0
}

/// Where a word of a text ends, counted from 0.
fn end_of(text: &str, number: usize) -> usize {
    let mut at = 0;
    for word in text.split_whitespace().take(number + 1) {
        at = text[at..].find(word).map_or(at, |found| at + found) + word.len();
    }
    at
}

/// A claim without the talk around what it states; itself where there is none.
pub(crate) fn bare(claim: &str) -> Cow<'_, str> {
    let enough = |text: &str| text.split_whitespace().nth(FEWEST - 1).is_some();
    let mut rest = claim;
    for _ in 0..3 {
        let next = rest.get(start(rest)..).unwrap_or_default().trim_start();
        if next.len() >= rest.trim_start().len() || !enough(next) {
            break;
        }
        rest = next;
    }
    if !rest.contains(',') {
        return Cow::Borrowed(rest);
    }
    let stretches: Vec<&str> = rest.split(',').collect();
    let said = |at: usize| at > 0 && attributes(stretches[at]);
    if !(1..stretches.len()).any(said) {
        return Cow::Borrowed(rest);
    }
    let mut kept = String::with_capacity(rest.len());
    let mut joined = true;
    for (at, stretch) in stretches.iter().enumerate() {
        if said(at) {
            // What it parted is one again.
            joined = true;
            continue;
        }
        if !joined {
            kept.push(',');
        }
        kept.push_str(stretch);
        joined = false;
    }
    if enough(&kept) { Cow::Owned(kept) } else { Cow::Borrowed(rest) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn talk_around_a_statement_is_left_out() {
        for (claim, stated) in [
            ("Careful, nobody rolls it back.", "nobody rolls it back."),
            ("Don't worry: the old file is kept.", "the old file is kept."),
            ("Yes, according to the release notes, the port is 80.", "the port is 80."),
            ("The page says that requests are not logged.", "requests are not logged."),
            ("The user guide says requests are not logged.", "requests are not logged."),
            ("Según las condiciones generales, la fianza es de 300 euros.", "la fianza es de 300 euros."),
            ("Quien no aparece, dicen las condiciones, paga tres días.", "Quien no aparece paga tres días."),
            ("The limit is ten rows, according to the manual.", "The limit is ten rows"),
        ] {
            assert_eq!(bare(claim).trim(), stated);
        }
    }

    #[test]
    fn verbs_of_saying_end_as_such_may() {
        assert!(SAYS.iter().all(|verb| may_say(verb)));
    }

    #[test]
    fn what_states_something_stays() {
        for claim in [
            "The manual is on the disk, the page is not.",
            "The page says nothing of a limit.",
            "According to source 2, the port is 80.",
            "No rows are skipped, unless they are empty.",
            "Yes, it does.",
            "The page Diagnostics explains severities.",
            "Note the limit of ten rows.",
            "In short mode, the importer skips rows.",
            "If it fails, the policy stays as it was.",
            "",
            ",,,",
        ] {
            assert_eq!(bare(claim), claim);
        }
    }
}
