//! What a sentence is: a factual claim, talk about the answer itself, a question, or an honest refusal.
//!
//! Word lists for English and Spanish; a sentence is factual unless the whole of it is something else.

use assay_domain::report::ClaimKind;
use regex::Regex;
use std::sync::LazyLock;

use crate::patterns::pattern;

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
        r"(?i)^[¡¿\s]*(",
        r"((i\s+hope|hope\s+(this|that)|let\s+me\s+know|feel\s+free|please\s+let|happy\s+to|glad\s+to)\b)",
        r"|((hello|hi|hey|hola)(\s+(there|again|everyone|de\s+nuevo))?\W*$)",
        r"|((good\s*bye|bye|see\s+you(\s+(soon|later))?|adi[oó]s|hasta\s+(luego|pronto))\W*$)",
        r"|((thanks?|thank\s+you|gracias)((\s+(for|so\s+much|very\s+much|a\s+lot|por)\b)[^.]*)?\W*$)",
        r"|((good\s+(morning|afternoon|evening)|buenos\s+d[ií]as|buenas(\s+\w+)?|you['’]re\s+welcome|de\s+nada)\W*$)",
        r"|((as\s+an\s+ai|if\s+you\s+(need|have|want|would\s+like)\s+(any\s+|more\s+|further\s+|additional\s+|other\s+)+(help|information|info|details?|questions?|assistance|clarification|examples?|support)|sorry|i\s+apologi[sz]e)\b)",
        r"|((i['’]ll|i\s+will|i\s+can(\s+also)?|let['’]s|let\s+me)\s+(help|explain|show|provide|walk|give|describe|outline|summari[sz]e|answer|start|look|break|go|try|list)\b)",
        r"|(would\s+you\s+like\b)",
        r"|((to\s+answer\s+(your|the|this)\s+question|(this|the\s+following)\s+(answer|summary|overview|response)\s+(is|covers|explains|describes|shows|lists|summari[sz]es|outlines))\b)",
        r"|((espero\s+que|si\s+(necesitas?|tienes?|quieres?)\s+(alguna\s+|alg[uú]n\s+|m[aá]s\s+|otra\s+)+(ayuda|informaci[oó]n|detalles?|preguntas?|dudas?|ejemplos?|consulta)|av[ií]same|no\s+dudes|puedo\s+(ayudar|explicar)|lo\s+siento|",
        r"(te|le|os)\s+(explico|muestro|cuento|resumo|dejo|ayudo)|d[ée]jame\s+(explicar|mostrar)|voy\s+a\s+(explicar|mostrar|resumir)|para\s+responder\s+a)\b)",
        r"|((sure|certainly|absolutely|of\s+course|claro(\s+que\s+s[ií])?|por\s+supuesto|desde\s+luego|yes|no|s[ií]|ok|okay|great|perfect|perfecto)\W*$)",
        r"|((great|good|excellent)\s+question\W*$)|(buena\s+pregunta\W*$)",
        r"|((warning|caution|careful|attention|cuidado|atenci[oó]n|ojo|aviso|importante|important)\W*$)",
        r"|((in\s+summary|in\s+short|to\s+summari[sz]e|en\s+resumen|note|example|ejemplo|nota|sources?|fuentes?|references?|referencias)\W*$)",
        r"|((here['’]s|here\s+(is|are)|below\s+(is|are)|aqu[ií]\s+(tienes?|est[aá]n?|va)|a\s+continuaci[oó]n\s+(se\s+|te\s+|os\s+|le\s+)?(muestr|present|detall|explic|describ|tienes|encontrar|list|indic))[^.]*[.:]?$)|(a\s+continuaci[oó]n\W*$)",
        r"|((for\s+more\s+(information|details),?\s+|para\s+m[aá]s\s+(informaci[oó]n|detalles),?\s+)?(see|check|refer\s+to|consult|v[eé]ase|consulta|mira)\s+[^.]{0,40}(below|above|abajo|arriba|for\s+(more\s+)?details)\W*$)",
        r")",
    ))
});

/// Words behind which a sentence that began as talk states something of its own.
static STATES: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"(?i)(\d|`|;|\b(that\s+(the|a|an|it|its|all|no|you|each|every)|but|however|because|que\s+(el|la|los|las|un|una|no|se)|pero|porque)\b)",
    )
});

/// Wishes and offers, which state nothing whatever words they have.
static WISHES: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(r"(?i)^[¡¿\s]*(i\s+hope|hope\s+(this|that)|espero\s+que|let\s+me\s+know|av[ií]same)\b[^0-9`;]*$")
});

/// What follows "the sources do not say, but": a guess or a hint, which states nothing of the subject.
static GUESSES: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(concat!(
        r"(?i)^\W*(((but|and|so|however|pero|y|aunque|although|though)\W+)*)",
        r"((it|this|that|they|the\s+answer)\s+(may|might|could)\b|(you|i|we|one)\s+(may|might|can|could|should|would)\s+(\w+\s+)?",
        r"(want|need|have|check|look|consult|contact|refer|find|try|ask|see|help|provide|offer|tell|give|assume|infer)\b",
        r"|(i|we)\b|based\s+on|perhaps|maybe|quiz[aá]s?|tal\s+vez|puede\s+que|podr[ií]as?|puedes\s+(consultar|mirar|preguntar)|puedo)",
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
    // The title of what follows is no statement of the answer: "Here is the example “Add 1 to 2”:".
    let untitled;
    let text = match bare.ends_with(':').then(|| without_titles(text)).flatten() {
        Some(rest) => {
            untitled = rest;
            untitled.as_str()
        }
        None => text,
    };
    // "Let me note that the port is 80" states something, however it begins.
    if words <= 30 && matches(&META, text) && (!matches(&STATES, text) || matches(&WISHES, text)) {
        return ClaimKind::Meta;
    }
    let figure = text.chars().any(|c| c.is_ascii_digit());
    if bare.ends_with(':') && !figure && words <= 30 && (leads_in || matches(&LEAD_IN, text)) {
        return ClaimKind::Meta;
    }
    ClaimKind::Factual
}

/// A text without what stands in double or typographic quotes and has three words or more; none if nothing does.
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

/// Whether a clause beside a refusal states something of its own.
pub(crate) fn states(clause: &str) -> bool {
    clause.split_whitespace().count() >= 4
        && !matches(&GUESSES, clause)
        && of_sentence(clause, false) == ClaimKind::Factual
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
        check(ClaimKind::Question, &["What is it?", "¿Qué es?", "He asked \"why?\""]);
    }
}
