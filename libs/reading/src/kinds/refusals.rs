//! Recognises honest refusals ("the sources do not say") and what a sentence states beside one.

use super::states::{gives_value, states};
use super::{matches, of_sentence};
use crate::clauses::{self, Word};
use assay_domain::report::ClaimKind;
use assay_text::patterns::pattern;
use regex::Regex;
use std::sync::LazyLock;

/// Subjects that mean the sources, then "does not say".
static REFUSAL: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(concat!(
        r"(?i)",
        r"\b(sources?|passages?|documents?|documentation|contexts?|texts?|information|excerpts?|guide|articles?|they)\b",
        r"[^.]{0,60}\b(do|does|did)(\s+not|n['’]t)\s+(\w+ly\s+)?",
        r"(mention|contain|provide|say|specify|include|state|explain|describe|cover|address|answer|give|discuss|indicate)",
        r"|\b(is|are|was|were)\s+not\s+(\w+ly\s+)?(mentioned|specified|stated|provided|covered|described|explained|given|documented)\s+(in|by)\b",
        r"|\bthere\s+(is|are)\s+no\s+(\w+\s+)?(mention|information|details?|data)\b",
        r"|\bthere\s+(isn['’]t|aren['’]t|is\s+not|are\s+not)\s+any\s+(\w+\s+)?(mention|information|details?|data)\b",
        r"|\b(sources?|passages?|documents?|documentation|contexts?)\s+(is|are)\s+silent\b",
        r"|^\W*(this|that|it)\s+(is|was)\s+not\s+(\w+ly\s+)?(mentioned|specified|stated|covered|documented|described)\W*$",
        r"|^\W*(esto|eso)\s+no\s+(est[aá]|viene|aparece|queda)\s*(documentad|descrit|recogid|especificad|indicad)?\w*\W*$",
        r"|\bno\s+(he|hemos)\s+(encontrado|podido\s+(encontrar|responder|determinar))\b",
        r"|\bla\s+documentaci[oó]n\s+no\s+(lo\s+)?(recoge|aclara|detalla)\b",
        r"|\bno\s+(\w+\s+)?information\s+(about|on|regarding|is|was)\b",
        r"|\b(i|we)\s+(found\s+no|could\s*n[o']t|can\s*not|can['’]t|couldn['’]t|was\s+unable|am\s+unable|do\s+not\s+know|don['’]t\s+know|did\s+not\s+find|found\s+nothing)",
        r"|\bunable\s+to\s+(answer|determine|find|provide|give)\b",
        r"|\b(cannot|can\s*not|can['’]t)\s+be\s+(answered|determined|found)\b",
        r"|\b(insufficient|not\s+enough|(not|\w+n['’]t)\s+have\s+enough)\s+information\b",
        r"|\b(no|none\s+of\s+the|neither)\s+(sources?|passages?|documents?)\s+(mentions?|says?|explains?|contains?|states?|describes?|covers?|answers?)\b",
        r"|\bnothing\s+in\s+the\s+(\w+\s+)?(sources?|passages?|documents?|documentation|context)\b",
        r"|\b(ninguna|ninguno)\s+(de\s+(las|los)\s+)?(fuentes?|documentos?|pasajes?)\b",
        r"|\bno\s+(aparece|figura|consta|viene)n?\s+en\s+(la|las|el|los)\s+(fuentes?|documentaci[oó]n|documentos?|contexto)\b",
        r"|\b(fuentes?|documentaci[oó]n|documentos?|contexto|pasajes?|textos?|gu[ií]a)\b[^.]{0,60}\bno\s+(lo\s+|la\s+|los\s+|las\s+|se\s+|nos\s+)?",
        r"(indican?|mencionan?|dicen?|contienen?|explican?|especifican?|responden?|describen?|incluyen?|dan?|cubren?|hablan?)\b",
        r"|\bno\s+se\s+(menciona|indica|especifica|explica|describe|documenta)n?\b",
        r"|\bno\s+(hay|encuentro|encontr[eé]|dispongo\s+de|tengo|existe)\s+(\w+\s+)?informaci[oó]n\b",
        r"|\bno\s+(puedo|es\s+posible|pude)\s+(responder|determinar|encontrar|contestar)\b",
        r"|\bno\s+lo\s+s[eé]\b",
    ))
});

/// Whether a sentence holds one of the words without which [`REFUSAL`] finds nothing; most sentences hold none.
fn may_refuse(text: &str) -> bool {
    let bytes = text.as_bytes();
    let begins = |at: usize, words: &[&str]| {
        words.iter().any(|word| {
            bytes.get(at..at + word.len()).is_some_and(|found| found.eq_ignore_ascii_case(word.as_bytes()))
        })
    };
    bytes.iter().enumerate().any(|(at, byte)| match byte | 32 {
        b'n' => begins(at, &["no", "n't", "n’t", "neither", "ning"]),
        b'u' => begins(at, &["unable"]),
        b'i' => begins(at, &["insufficient"]),
        b's' => begins(at, &["silent"]),
        _ => false,
    })
}

/// Longest sentence that is read as a refusal, in words.
const LONGEST: usize = 60;

/// Whether a sentence says that the sources, or we, do not tell.
pub(super) fn refuses(text: &str) -> bool {
    may_refuse(text) && text.split_whitespace().nth(LONGEST).is_none() && matches(&REFUSAL, text)
}

/// Where to look instead, and that it may stand elsewhere: states nothing of the subject.
static ELSEWHERE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(concat!(
        r"(?i)^\W*((but|and|so|however|pero|y|aunque|although|though)\W+)*",
        r"((it|this|that|they|the\s+answer)\s+(may|might|could)\s+be\s+(\w+ed|found|available|elsewhere)\b",
        r"|(you|i|we|one)\s+(may|might|can|could|should|would)\s+(\w+\s+)?((want|need|have|try)\s+to\s+)?",
        r"(check|look|consult|contact|refer|find|ask|see|help)\b",
        r"|it(['’]s|\s+(is|may\s+be|might\s+be))\s+(\w+\s+)?(important|best|helpful|recommended|advisable|necessary)\s+to\s+",
        r"(check|look|consult|contact|refer|ask|see)\b|(puedes|podr[ií]as)\s+(consultar|mirar|preguntar)\b)",
    ))
});

/// Why we do not tell, as our own fixed texts have it.
static REASON: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(concat!(
        r"(?i)\b(because\s+no\s+model\s+is\s+configured|porque\s+no\s+hay\s+ning[uú]n\s+modelo\s+configurado",
        r"|no\s+account\s+data\s+was\s+given\s+with\s+the\s+question",
        r"|no\s+se\s+enviaron\s+datos\s+de\s+cuenta\s+con\s+la\s+pregunta",
        r"|this\s+conversation\s+has\s+no\s+previous\s+answer|esta\s+conversaci[oó]n\s+no\s+tiene\s+ninguna)\b",
    ))
});

/// A text without why we do not tell.
pub(super) fn without_reason(text: &str) -> std::borrow::Cow<'_, str> {
    REASON.as_ref().map_or(text.into(), |pattern| pattern.replace(text, ""))
}

/// Words that set what follows them apart from a refusal.
const TURNS: &[&str] = &[
    "but",
    "however",
    "so",
    "although",
    "though",
    "whereas",
    "yet",
    "because",
    "since",
    "still",
    "nevertheless",
    "pero",
    "aunque",
    "porque",
];
/// Words that may join another clause.
const JOINS: &[&str] = &["and", "or", "while", "y", "o", "mientras"];
/// Words that go on with what is denied.
const FURTHER: &[&str] = &["nor", "ni", "not"];
/// Fewest words that state something behind a turn.
const FEWEST: usize = 3;

/// A part of a sentence beside others.
struct Part<'a> {
    text: &'a str,
    start: usize,
    /// Whether a word or a mark sets it apart from what stands before it.
    turns: bool,
}

/// What a refusal states beside: "the sources do not say how long it takes, but the limit is five".
pub(crate) fn beside(sentence: &str) -> Option<String> {
    let sentence = &opened(sentence);
    let cores: Vec<_> = REFUSAL.as_ref()?.find_iter(sentence).map(|found| found.range()).collect();
    let mut turned = false;
    let mut stated = Vec::new();
    let parts = parts(sentence);
    // What ends before the refusal does not belong to it where a word or a mark turns to it.
    let first = cores.first().map_or(0, |core| core.start);
    let apart = parts.iter().filter(|part| part.turns && part.start <= first).map(|part| part.start).max();
    for part in &parts {
        let end = part.start + part.text.len();
        if cores.iter().any(|core| (part.start + 1..=end).contains(&core.end)) {
            // What follows a second refusal belongs to it.
            turned = false;
            continue;
        }
        turned |= part.turns;
        let leads = apart.is_some_and(|apart| end <= apart);
        let text = without_reason(part.text);
        let words = clauses::words(&text);
        let joins = |word: &Word<'_>| TURNS.contains(&&*word.norm) || JOINS.contains(&&*word.norm);
        let own = &words[words.iter().take_while(|word| joins(word)).count()..];
        let Some(first) = own.first() else { continue };
        if FURTHER.contains(&&*first.norm) {
            continue;
        }
        let bare = &text[first.at..];
        let says = match turned || leads {
            true => own.len() >= FEWEST && of_sentence(bare, false) == ClaimKind::Factual,
            false => states(bare),
        };
        let pointed = ELSEWHERE.as_ref().and_then(|pattern| pattern.find(&text));
        let points =
            pointed.is_some_and(|found| !states(&text[found.end()..]) && !gives_value(&text[found.end()..]));
        // "…, but you may want to consult a book or a friend" goes on with where to look.
        turned &= !points;
        if says && !points {
            stated.push(bare.to_owned());
        }
    }
    (!stated.is_empty()).then(|| stated.join(" "))
}

/// A sentence whose parenthesis is a refusal, with the marks of a clause in place of its brackets, at the same offsets.
fn opened(sentence: &str) -> String {
    let refused = |inside: &str| matches(&REFUSAL, inside);
    let found = sentence.match_indices(" (").find_map(|(open, _)| {
        let close = open + sentence[open..].find(')')?;
        refused(&sentence[open..close]).then_some((open, close))
    });
    let Some((open, close)) = found else { return sentence.to_owned() };
    [&sentence[..open], "; ", &sentence[open + 2..close], ";", &sentence[close + 1..]].concat()
}

/// The parts of a sentence between commas, marks and joining words outside quotations, parentheses and code.
fn parts(sentence: &str) -> Vec<Part<'_>> {
    let words = clauses::words(sentence);
    let mut parts: Vec<Part<'_>> = Vec::new();
    let (mut start, mut turns) = (0, false);
    let mut cut = |to: usize, next_turns: bool| {
        parts.push(Part { text: &sentence[start..to], start, turns });
        (start, turns) = (to, next_turns);
    };
    for pair in words.windows(2) {
        let [before, word] = pair else { continue };
        if !before.free || !word.free {
            continue;
        }
        if let Some(turned) = begins(before, word) {
            cut(word.at, turned);
        }
    }
    cut(sentence.len(), false);
    parts
}

/// Whether a part begins at a word, and whether it is set apart.
fn begins(before: &Word<'_>, word: &Word<'_>) -> Option<bool> {
    let turns = before.text.ends_with([';', ':'])
        || matches!(before.text, "—" | "–" | "-")
        || TURNS.contains(&&*word.norm);
    (turns || before.text.ends_with(',') || JOINS.contains(&&*word.norm)).then_some(turns)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_refusal_states_beside_is_found() {
        for (sentence, stated) in [
            ("The sources do not say how long it takes, but the limit is five.", "the limit is five."),
            (
                "The sources do not say so, but deleting the database is safe.",
                "deleting the database is safe.",
            ),
            (
                "The sources do not say so but deleting the database is safe.",
                "deleting the database is safe.",
            ),
            ("The sources do not mention it; delete the database.", "delete the database."),
            ("The sources do not mention it and deleting it is always safe.", "deleting it is always safe."),
            (
                "Although the sources do not say so, deleting it is always safe.",
                "deleting it is always safe.",
            ),
            (
                "The sources do not mention it, but you can try deleting the database.",
                "you can try deleting the database.",
            ),
            (
                "The sources do not say so, so I recommend deleting the database.",
                "I recommend deleting the database.",
            ),
            ("Deleting it is always safe, which the sources do not mention.", "Deleting it is always safe,"),
            ("Cursors live for 48 hours, but the sources do not say why.", "Cursors live for 48 hours,"),
            (
                "Los cursores duran 48 horas, pero las fuentes no dicen por qué.",
                "Los cursores duran 48 horas,",
            ),
            ("Cursors never expire (the sources do not mention this).", "Cursors never expire;"),
            ("Delete the lock file while it runs; the sources do not say why.", "Delete the lock file"),
        ] {
            assert_eq!(beside(sentence).as_deref().map(str::trim), Some(stated), "{sentence}");
        }
    }

    #[test]
    fn a_pure_refusal_states_nothing_beside() {
        for sentence in [
            "The sources do not answer this.",
            "The documentation does not mention deletion, archiving, or export of orders.",
            "The documentation, however, does not mention it.",
            "I'm sorry, but I could not find an answer, so I cannot answer.",
            "The sources do not say how long it takes, or what it costs.",
            "The passage does not say how to measure it or how many of them can fit in a pot.",
            "The passages do not say whether or not it is allowed, nor do they mention others.",
            "The sources do not say how long it takes, but it may be documented elsewhere.",
            "The sources do not mention it, but you may want to consult the manual.",
            "The sources do not mention it, so you may need to consult a book or another source of information.",
            "The sources do not mention it, so it's important to consult other sources for it.",
            "I cannot rephrase, because no model is configured; here are the sentences of my previous answer that fit best:",
            "I cannot write this program without a model: I found no validated example that is close to it.",
            "Las fuentes no dicen cuánto tarda.",
        ] {
            assert_eq!(beside(sentence), None, "{sentence}");
        }
    }
}
