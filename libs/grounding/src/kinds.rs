//! What a sentence is: a factual claim, talk about the answer itself, a question, or an honest refusal.
//!
//! Word lists for English and Spanish; a sentence is factual unless the whole of it is something else.

use assay_domain::report::ClaimKind;
use regex::Regex;
use std::sync::LazyLock;

/// Compiles a pattern of this file; a test holds each against examples, so none can be wrong unnoticed.
fn pattern(text: &str) -> Option<Regex> {
    Regex::new(text).ok()
}

/// Subjects that mean the sources, then "does not say".
static REFUSAL: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(concat!(
        r"(?i)",
        r"\b(sources?|passages?|documents?|documentation|contexts?|texts?|information|excerpts?|guide|articles?|they)\b",
        r"[^.]{0,60}\b(do|does|did)(\s+not|n['’]t)\s+(\w+ly\s+)?",
        r"(mention|contain|provide|say|specify|include|state|explain|describe|cover|address|answer|give|discuss|indicate)",
        r"|\b(is|are|was|were)\s+not\s+(\w+ly\s+)?(mentioned|specified|stated|provided|covered|described|explained|given|documented)\s+(in|by)\b",
        r"|\bthere\s+(is|are)\s+no\s+(\w+\s+)?(mention|information|details?|data)\b",
        r"|\bno\s+(\w+\s+)?information\s+(about|on|regarding|is|was)\b",
        r"|\b(i|we)\s+(could\s*n[o']t|can\s*not|can['’]t|couldn['’]t|was\s+unable|am\s+unable|do\s+not\s+know|don['’]t\s+know|did\s+not\s+find|found\s+nothing)",
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

/// Sentences that are about the answer or the reader, whatever follows.
static META: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(concat!(
        r"(?i)^(",
        r"(i\s+hope|hope\s+(this|that)|let\s+me\s+know|feel\s+free|please\s+let|happy\s+to|glad\s+to|thanks?\b|thank\s+you|you['’]re\s+welcome|",
        r"hello\b|hi\b|good\s+(morning|afternoon|evening)|as\s+an\s+ai|if\s+you\s+(need|have|want|would\s+like)\s+(any\s+|more\s+|further\s+)+|",
        r"i['’]ll\s|i\s+will\s|i\s+can\s+(also\s+)?(help|explain|show|provide)|let['’]s\s|let\s+me\s|",
        r"would\s+you\s+like|sorry\b|i\s+apologi[sz]e|",
        r"hola\b|buenos\s+d[ií]as|buenas\s|gracias\b|de\s+nada|espero\s+que|si\s+necesitas?|si\s+tienes?\s+(alguna|m[aá]s)|av[ií]same|",
        r"no\s+dudes|puedo\s+(ayudar|explicar)|lo\s+siento)",
        r"|((sure|certainly|of\s+course|claro|por\s+supuesto|yes|no|s[ií]|ok|okay|great)\W*$)",
        r"|((in\s+summary|in\s+short|to\s+summari[sz]e|en\s+resumen|note|example|ejemplo|nota|sources?|fuentes?|references?|referencias)\W*$)",
        r"|((here['’]s|here\s+(is|are)|below\s+(is|are)|aqu[ií]\s+(tienes?|est[aá]n?|va)|a\s+continuaci[oó]n)\b[^.]*:?$)",
        r"|((see|check|refer\s+to|consult|v[eé]ase|consulta)\s+[^.]{0,40}(below|above|abajo|arriba|for\s+(more\s+)?details)\W*$)",
        r")",
    ))
});

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

/// Whether a sentence holds one of the words without which [`REFUSAL`] finds nothing; most sentences hold none.
fn may_refuse(text: &str) -> bool {
    let lower = text.to_lowercase();
    ["no", "n't", "n’t", "unable", "insufficient", "neither", "ning"].iter().any(|word| lower.contains(word))
}

/// Kind of a sentence; `leads_in` says that a list, a table or code follows its block.
pub(crate) fn of_sentence(text: &str, leads_in: bool) -> ClaimKind {
    let bare = text.trim_end_matches(['"', '\'', ')', '”', '’', '»', '*', '_', ' ']);
    if bare.ends_with('?') {
        return ClaimKind::Question;
    }
    let words = text.split_whitespace().count();
    if words <= 60 && may_refuse(text) && matches(&REFUSAL, text) {
        return ClaimKind::Refusal;
    }
    if words <= 30 && matches(&META, text) {
        return ClaimKind::Meta;
    }
    let figure = text.chars().any(|c| c.is_ascii_digit());
    if bare.ends_with(':') && !figure && words <= 30 && (leads_in || matches(&LEAD_IN, text)) {
        return ClaimKind::Meta;
    }
    ClaimKind::Factual
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

/// Kind of a table cell: a label of a few words states nothing by itself.
pub(crate) fn of_cell(text: &str) -> ClaimKind {
    let figure = text.chars().any(|c| c.is_ascii_digit());
    if !figure && text.split_whitespace().count() < 4 {
        return ClaimKind::Meta;
    }
    of_sentence(text, false)
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
                "Aquí tienes un ejemplo:",
                "The importer supports the following formats:",
                "¡Hola!",
                "En resumen:",
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
        check(ClaimKind::Question, &["What is it?", "¿Qué es?", "He asked \"why?\""]);
    }
}
