//! Classifies a sentence: factual claim, talk about the answer (meta), question, or honest refusal.
//!
//! By word lists for English and Spanish; a sentence is factual unless all of it is something else.

mod refusals;
mod states;
mod talk;

use assay_domain::report::ClaimKind;
use assay_text::patterns::pattern;
pub(crate) use refusals::beside;
use refusals::{refuses, without_reason};
use regex::Regex;
pub(crate) use states::states;
use states::{leads_and_states, presupposes};
use std::sync::LazyLock;
pub(crate) use talk::behind_talk;
use talk::is_talk;

/// Words that announce what follows a colon.
static LEAD_IN: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(concat!(
        r"(?i)\b(following|below|here|these|steps?|as\s+follows|examples?|for\s+instance|based\s+on|according\s+to\s+the\s+(\w+\s+)?passages?|",
        r"siguientes?|a\s+continuaci[oó]n|estos|estas|aqu[ií]|pasos|ejemplos?|por\s+ejemplo)\b",
    ))
});

fn matches(pattern: &LazyLock<Option<Regex>>, text: &str) -> bool {
    pattern.as_ref().is_some_and(|pattern| pattern.is_match(text))
}

/// Kind of a sentence; `leads_in` says that a list, a table or code follows its block.
pub(crate) fn of_sentence(text: &str, leads_in: bool) -> ClaimKind {
    let bare = text.trim_end_matches(['"', '\'', ')', '”', '’', '»', '*', '_', ' ']);
    if bare.ends_with('?') && !presupposes(text) {
        return ClaimKind::Question;
    }
    if refuses(text) {
        return ClaimKind::Refusal;
    }
    // The title of what follows is no statement of the answer: "Here is the example “Add 1 to 2”:".
    let untitled = bare.ends_with(':').then(|| without_titles(text)).flatten();
    let text = without_reason(untitled.as_deref().unwrap_or(text));
    if is_talk(&text) {
        return ClaimKind::Meta;
    }
    if is_lead_in(&text, leads_in) && !leads_and_states(&text) {
        return ClaimKind::Meta;
    }
    ClaimKind::Factual
}

/// Most words of talk about the answer.
const LONGEST: usize = 30;

/// Whether a sentence announces what follows it; such a one needs no marker of its own.
pub(crate) fn is_lead_in(text: &str, leads_in: bool) -> bool {
    let bare = text.trim_end_matches(['"', '\'', ')', '”', '’', '»', '*', '_', ' ']);
    let figure = text.chars().any(|c| c.is_ascii_digit());
    let short = text.split_whitespace().nth(LONGEST).is_none();
    bare.ends_with(':') && !figure && short && (leads_in || matches(&LEAD_IN, text))
}

/// A text without its quotations of three or more words; `None` if it has none.
fn without_titles(text: &str) -> Option<String> {
    let mut out = String::new();
    let mut rest = text;
    while let Some(open) = rest.find(['“', '"', '«']) {
        let quote = rest[open..].chars().next()?;
        let inside = open + quote.len_utf8();
        let close = match quote {
            '“' => '”',
            '«' => '»',
            other => other,
        };
        let Some(length) = rest[inside..].find(close) else { break };
        let end = inside + length + close.len_utf8();
        let title = rest[inside..inside + length].split_whitespace().nth(2).is_some();
        out.push_str(if title { &rest[..open] } else { &rest[..end] });
        rest = &rest[end..];
    }
    out.push_str(rest);
    (out.len() < text.len()).then_some(out)
}

/// "(Passage 1)", "[Sources 2 and 3]": says where the sentence before it comes from, and nothing by itself.
static REFERENCE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(concat!(
        r"(?i)^\s*[(\[]\s*((see|from|source|sources|per|as\s+(stated|mentioned)\s+in|v[eé]ase|seg[uú]n)\s*:?\s+)*",
        r"(the\s+|el\s+|la\s+)?(passages?|sources?|documents?|pasajes?|fuentes?|documentos?)\s*\d+",
        r"((\s*,\s*|\s*(and|&|y|e|-|–|to|or)\s*)((passages?|sources?|pasajes?|fuentes?)\s*)?\d+)*\s*[)\]]\s*[.;]?\s*$",
    ))
});

/// Whether a sentence is nothing but a reference to numbered sources.
pub(crate) fn is_reference(text: &str) -> bool {
    matches(&REFERENCE, text)
}

/// Length of the references to numbered sources that a sentence begins with, closing bracket included; 0 for none.
pub(crate) fn leading_reference(text: &str) -> usize {
    let lead = text.len() - text.trim_start().len();
    if !text[lead..].starts_with(['(', '[']) {
        return 0;
    }
    let Some(close) = text[lead..].find([')', ']']).map(|n| lead + n + 1) else { return 0 };
    if is_reference(&text[..close]) { close } else { 0 }
}

/// Kind of a table cell: a label of a few words states nothing by itself.
pub(crate) fn of_cell(text: &str) -> ClaimKind {
    let figure = text.chars().any(|c| c.is_ascii_digit());
    if !figure && text.split_whitespace().count() < 4 && !states(text) {
        return ClaimKind::Meta;
    }
    of_sentence(text, false)
}

/// Kind of a heading, a table head, a footnote or the text of an image: a label states nothing.
pub(crate) fn of_label(text: &str) -> ClaimKind {
    if states(text) { of_sentence(text, false) } else { ClaimKind::Meta }
}

/// Whether an emphasised line stands in for a heading.
pub(crate) fn is_title(text: &str) -> bool {
    text.split_whitespace().count() <= 8 && !text.ends_with(['.', '!', '?'])
}

#[cfg(test)]
mod tests {
    #![allow(clippy::panic)]
    use super::*;

    fn check(kind: ClaimKind, texts: &[&str]) {
        for text in texts {
            assert_eq!(of_sentence(text, false), kind, "{text}");
        }
    }

    #[test]
    fn statements_are_factual() {
        check(
            ClaimKind::Factual,
            &[
                "The importer skips empty rows.",
                "Based on the passages, the port is 8080.",
                "It does not mention anything to the caller.",
                "Sure, the importer stops after ten errors.",
                "El importador no acepta filas vacías.",
                "Here the importer stops. ",
                "There is no limit on rows.",
                "The table has the following width: 30 pixels.",
                "Here is the port, “main”, of the server on 8080:",
                "The file says “the importer stops after 10 errors”.",
                "The command prints \"done in 5 s\" and \"stops",
            ],
        );
    }

    #[test]
    fn talk_about_the_answer_is_meta() {
        check(
            ClaimKind::Meta,
            &[
                "Here are the steps:",
                "Let me know if you need more.",
                "I hope this helps!",
                "Goodbye!",
                "Aquí tienes un ejemplo:",
                "The importer supports the following formats:",
                "¡Hola!",
                "En resumen:",
                "Here is the nearest validated example, “An endpoint that answers the SHA-256 of it”, because no model is configured:",
                "Aquí tienes el ejemplo «Sumar los números del 1 al 5»:",
            ]
            .map(|text| text.trim_start_matches('¡')),
        );
    }

    #[test]
    fn an_honest_no_is_a_refusal() {
        check(
            ClaimKind::Refusal,
            &[
                "The sources do not say how to delete it.",
                "The documentation doesn't mention deletion.",
                "I could not find an answer.",
                "I don't have enough information to answer.",
                "None of the sources mention it.",
                "Nothing in the documentation explains this.",
                "Las fuentes no lo indican.",
                "Ninguna fuente lo menciona.",
                "There is no information about billing.",
                "Las fuentes no indican cómo borrarlo.",
                "No se menciona en la documentación.",
                "This is not mentioned in the passages.",
            ],
        );
    }

    #[test]
    fn a_bare_reference_is_told_from_a_statement() {
        for text in ["(Passage 1)", "(Passages 2 and 3).", "[Source 2]", "(see sources 1, 2)", "(Fuente 3)"] {
            assert!(is_reference(text), "{text}");
        }
        for text in ["Passage 1 says so.", "(about 3 sources of water)", "(Passage 1 says so)", "(1)"] {
            assert!(!is_reference(text), "{text}");
        }
    }

    #[test]
    fn a_question_is_a_question() {
        check(ClaimKind::Question, &["What is it?", "¿Qué es?", "Would you like an example?"]);
    }
}
