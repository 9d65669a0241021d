//! Decides whether a label, title, question or the rest of talk states something, English and Spanish.
//!
//! A statement is a clause with a finite verb, an order with "always" or "never", or a figure given as a value.

use crate::clauses::{self, NO_VERB_BEHIND, SUBJECTS, VERBS, Word};
use assay_text::fold;
use assay_text::language;

/// Words that begin an indirect question or a condition: they state nothing up to their comma.
const OPENERS: &[&str] = &[
    "how", "what", "when", "where", "who", "whom", "whose", "which", "whether", "if", "before", "after",
    "cómo", "qué", "cuándo", "dónde", "quién", "cuál", "si", "antes", "después", "cuando",
];
/// Words that begin a question.
const ASKING: &[&str] = &[
    "how", "what", "when", "where", "who", "whom", "whose", "which", "why", "cómo", "qué", "cuándo", "dónde",
    "quién", "quiénes", "cuál", "cuáles", "cuánto", "cuánta", "cuántos", "cuántas",
];
/// Words that only a statement or an order holds, also behind an opening word.
const EVER: &[&str] = &["always", "never", "siempre", "nunca", "jamás"];
/// Other such words.
const ABSOLUTE: &[&str] = &["must", "cannot", "not", "debe", "deben"];
/// Words behind which a verb is no finite one.
const NOT_BEHIND: &[&str] = &[
    "to", "the", "a", "an", "of", "in", "on", "at", "by", "from", "with", "for", "el", "la", "un", "una",
    "de", "en", "por", "para", "that", "which", "who", "que",
];
/// Pronouns that begin a relative clause without "that": "things you should know".
const ADDRESSED: &[&str] = &["you", "we", "i"];
/// Verbs that only point, beside one of [`POINTS`] or at the end: "the steps are:", "these are the steps:".
const COPULAS: &[&str] = &["is", "are", "was", "were", "es", "son"];
/// What they point with.
const POINTS: &[&str] = &[
    "the",
    "these",
    "this",
    "as",
    "below",
    "here",
    "following",
    "listed",
    "there",
    "los",
    "las",
    "estos",
    "estas",
    "estos",
    "siguientes",
];
/// Words behind which a figure is what a verb says: "orders expire after 90 days".
const MEASURED: &[&str] = &["after", "within", "every", "until", "than", "tras", "cada", "hasta"];
/// Fewest words of a statement.
const FEWEST: usize = 3;

/// Whether a label, or what stands behind the first words of talk, states something.
pub(crate) fn states(text: &str) -> bool {
    let parts: Vec<&str> = parts(text).collect();
    let value =
        |part: &&str| part.trim_start_matches(['$', '€', '`', '~']).starts_with(|c: char| c.is_ascii_digit());
    parts.iter().any(|part| clause(&clauses::words(part))) || parts.iter().skip(1).any(value)
}

/// The parts of a text between colons, semicolons and dashes.
fn parts(text: &str) -> impl Iterator<Item = &str> {
    let dashed = text.split([';', '—', '–']);
    dashed.flat_map(|part| part.split(": ")).flat_map(|part| part.split(". ")).map(str::trim)
}

/// Whether a lead-in states something beyond that something follows.
pub(super) fn leads_and_states(text: &str) -> bool {
    let words = clauses::words(text);
    let named = |at: usize| words.get(at).map_or("", |word| &*word.norm);
    words.iter().enumerate().skip(1).any(|(at, word)| {
        let points =
            POINTS.contains(&named(at - 1)) || POINTS.contains(&named(at + 1)) || at + 1 == words.len();
        let offers =
            ADDRESSED.contains(&named(at - 1)) || named(at - 1) == "there" || named(at + 1) == "include";
        absolute(word) || finite(&words, at) && !offers && !(COPULAS.contains(&&*word.norm) && points)
    })
}

/// Whether a question takes for granted what it does not ask: a clause of its own, an order, a denial, a value.
pub(super) fn presupposes(text: &str) -> bool {
    let words = clauses::words(text);
    let words = words.split_at(words.iter().take_while(|word| joins(word)).count()).1;
    if words.iter().any(absolute) || gives_value(text) {
        return true;
    }
    let Some(first) = words.first() else { return false };
    let asking = words.iter().position(|word| ASKING.contains(&&*word.norm));
    let inverted = VERBS.contains(&&*first.norm);
    let behind = |from: usize| words.get(from..).unwrap_or_default();
    let told = words.iter().position(|word| {
        matches!(&*word.norm, "know" | "knew" | "that" | "because" | "since" | "sabías" | "sabes" | "porque")
    });
    let content = |word: &&Word<'_>| !language::is_stop(&fold(&word.norm));
    match asking {
        _ if told.is_some_and(|at| clause(behind(at + 1))) => true,
        None if !inverted => clause(words),
        Some(at) if is_why(words, at) => behind(at + 1).iter().filter(content).count() > ASKED_WHY,
        _ => false,
    }
}

/// Most content words of a question for a reason that takes little for granted: "Why does the importer stop?".
const ASKED_WHY: usize = 2;

fn is_why(words: &[Word<'_>], at: usize) -> bool {
    let before = at.checked_sub(1).map_or("", |at| &*words[at].norm);
    matches!((before, &*words[at].norm), (_, "why") | ("por", "qué"))
}

fn joins(word: &Word<'_>) -> bool {
    matches!(&*word.norm, "and" | "but" | "so" | "or" | "then" | "y" | "pero" | "o" | "entonces")
}

/// Whether a text has figures, code or what only commands have.
pub(super) fn gives_value(text: &str) -> bool {
    text.contains(|c: char| c.is_numeric() || matches!(c, '`' | ';'))
        || text.contains(" /")
        || text.contains(" -")
}

fn absolute(word: &Word<'_>) -> bool {
    EVER.contains(&&*word.norm)
        || ABSOLUTE.contains(&&*word.norm)
        || word.norm.ends_with("n't")
        || word.norm.ends_with("n’t")
}

/// Whether words are a clause, or hold one behind an opening one.
fn clause(words: &[Word<'_>]) -> bool {
    let opens = words.first().is_some_and(|word| OPENERS.contains(&&*word.norm));
    let ever = words.iter().any(|word| EVER.contains(&&*word.norm));
    let words = match words.iter().position(|word| word.text.ends_with(',')) {
        _ if ever => words,
        Some(comma) if opens => &words[comma + 1..],
        None if opens => return false,
        _ => words,
    };
    words.len() >= FEWEST
        && (words.iter().any(absolute)
            || (1..words.len()).any(|at| finite(words, at) || inflected(words, at) || measured(words, at)))
}

/// Whether a word is one of the common finite verbs.
fn finite(words: &[Word<'_>], at: usize) -> bool {
    let before = &words[at - 1];
    let addressed = at > 1 && ADDRESSED.contains(&&*before.norm) && !words[at - 2].text.ends_with(',');
    // "Can do" has one.
    let first = !NOT_BEHIND.contains(&&*before.norm) && !VERBS.contains(&&*before.norm);
    VERBS.contains(&&*words[at].norm) && first && !addressed
}

/// Whether a word has the ending of a finite verb and an object or a figure behind it.
fn inflected(words: &[Word<'_>], at: usize) -> bool {
    let (before, word) = (&*words[at - 1].norm, &*words[at].norm);
    let Some(next) = words.get(at + 1) else { return false };
    let singular =
        word.ends_with('s') && !word.ends_with("ss") && !word.ends_with("us") && !word.ends_with("is");
    // "Las claves no caducan".
    let denied = word == "no" && !NO_VERB_BEHIND.contains(&before);
    let form = word.len() >= 4 && word.chars().all(char::is_alphabetic) && (singular || word.ends_with("ed"));
    let figure = |word: &Word<'_>| word.norm.starts_with(|c: char| c.is_ascii_digit());
    let object =
        SUBJECTS.contains(&&*next.norm) || matches!(&*next.norm, "your" | "our" | "my") || figure(next);
    let counted = singular && !NO_VERB_BEHIND.contains(&&*next.norm) && words[at + 1..].iter().any(figure);
    denied
        || form && !NO_VERB_BEHIND.contains(&before) && !NOT_BEHIND.contains(&before) && (object || counted)
}

fn measured(words: &[Word<'_>], at: usize) -> bool {
    let figure = words[at].norm.starts_with(|c: char| c.is_ascii_digit());
    at > 1 && figure && MEASURED.contains(&&*words[at - 1].norm)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(holds: bool, of: fn(&str) -> bool, texts: &[&str]) {
        let wrong: Vec<_> = texts.iter().filter(|text| of(text) != holds).collect();
        assert!(wrong.is_empty(), "not {holds}: {wrong:?}");
    }

    #[test]
    fn labels_state_nothing() {
        check(
            false,
            states,
            &[
                "Limits",
                "How to install",
                "Request limits per key",
                "Key features of the importer",
                "Best practices",
                "What the importer does",
                "Things you should know",
                "What is Redis?",
                "When the limit is reached",
                "Step 1: Install the package",
                "Getting started with orders",
                "Deleting the production database",
                "Top 10 tips",
                "Release notes of version 2.0",
                "Supported file formats",
                "Why it matters",
                "To do list",
                "Límites de peticiones diarias permitidas",
                "Cómo se instala el paquete",
                "Is it safe to delete?",
                "Configure the server",
                "Installation and setup",
                "Value",
                "It grows",
            ],
        );
    }

    #[test]
    fn clauses_and_values_state_something() {
        check(
            true,
            states,
            &[
                "Deleting the production database is always safe",
                "Orders never expire",
                "Refunds are instant",
                "The request limit is 7 GB",
                "Request limit: 7 GB",
                "Redis keeps sessions for 30 days",
                "Warning: you must delete the database",
                "Orders expire after 30 days",
                "The importer deletes the archive",
                "If the database is slow, deleting it is safe",
                "Official guide: the limit is gone",
                "Borrar la base de datos es siempre seguro",
                "Las claves no caducan nunca",
                "Las claves no caducan",
                "Never back up the database",
            ],
        );
    }

    #[test]
    fn questions_that_only_ask_presuppose_nothing() {
        check(
            false,
            presupposes,
            &[
                "What is it?",
                "Why does it fail?",
                "¿Por qué falla?",
                "Si falla, ¿qué ocurre?",
                "¿Y el otro?",
                "Would you like an example?",
                "How do I install the importer?",
                "¿Quieres un ejemplo?",
                "Is it safe to delete the production database?",
                "Which version do you mean?",
                "Do you want to know more about the importer?",
                "An example?",
            ],
        );
        check(
            true,
            presupposes,
            &[
                "Did you know that you must run rm -rf /?",
                "Why is deleting the production database always safe?",
                "Why is deleting the production database safe?",
                "Deleting the production database is safe?",
                "Isn't deleting the database safe?",
                "Did you know the limit is gone?",
                "Who knew that deleting it is safe?",
                "When should you run rm -rf / as root?",
                "¿Sabías que borrar la base es seguro?",
            ],
        );
    }

    #[test]
    fn a_lead_in_may_state_something() {
        check(
            false,
            leads_and_states,
            &[
                "The answer is:",
                "The importer supports the following formats:",
                "These are the steps:",
                "You can do it in several ways:",
                "Based on the text, I can give these answers:",
                "The steps could include:",
                "There are several ways:",
                "Los pasos son los siguientes:",
            ],
        );
        check(
            true,
            leads_and_states,
            &[
                "Deleting the production database is always safe, for example:",
                "Deleting the production database is safe in the following cases:",
            ],
        );
    }
}
