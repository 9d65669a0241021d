//! What a sentence is: a factual claim, talk about the answer itself, a question, or an honest refusal.
//!
//! Word lists for English and Spanish; a sentence is factual unless the whole of it is something else.

mod refusals;
mod states;

use crate::clauses;
use crate::language;
use crate::patterns::pattern;
use crate::tokens::fold;
use assay_domain::report::ClaimKind;
pub(crate) use refusals::beside;
use refusals::{refuses, without_reason};
use regex::Regex;
pub(crate) use states::states;
use states::{gives_value, leads_and_states, presupposes};
use std::borrow::Cow;
use std::sync::LazyLock;

/// Beginnings of talk that introduces or points; what follows them may not state anything.
static INTRODUCES: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(concat!(
        r"(?i)^[¡¿\s]*(",
        r"((i['’]ll|i\s+will|i\s+can(\s+also)?|let['’]s|let\s+me)\s+(help|explain|show|provide|walk|give|describe|outline|summari[sz]e|answer|start|look|break|go|try|list)\b)",
        r"|(would\s+you\s+like\b)",
        r"|(to\s+answer\s+(your|the|this)\s+question(\W+(i|we|let|here|below)\b|\W*$))",
        r"|((this|the\s+following)\s+(answer|summary|overview|response)\s+(is|covers|explains|describes|shows|lists|summari[sz]es|outlines)\b)",
        r"|((here['’]s|here\s+(is|are)|below\s+(is|are)|aqu[ií]\s+(tienes?|est[aá]n?|va)|a\s+continuaci[oó]n\s+(se\s+|te\s+|os\s+|le\s+)?(muestr|present|detall|explic|describ|tienes|encontrar|list|indic)\w*)(\W|$))",
        r"|((puedo\s+(ayudar|explicar)|(te|le|os)\s+(explico|muestro|cuento|resumo|dejo|ayudo)|d[ée]jame\s+(explicar|mostrar)|voy\s+a\s+(explicar|mostrar|resumir)|para\s+responder\s+a)\b)",
        r")",
    ))
});

/// Beginnings of greetings, wishes and offers; only words of the same kind may follow them.
static GREETS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(concat!(
        r"(?i)^[¡¿\s]*(",
        r"(((i\s+)?hope\s+(this|that|these|it|you\s+(find|found|enjoy)|the\s+(answer|information|explanation|example|summary))|let\s+me\s+know|feel\s+free|please\s+let\s+(me|us)\s+know|happy\s+to|glad\s+to)\b)",
        r"|(if\s+you\s+(need|have|want|would\s+like)\s+(any\s+|more\s+|further\s+|additional\s+|other\s+)+(help|information|info|details?|questions?|assistance|clarification|examples?|support)\b)",
        r"|((sorry|i\s+apologi[sz]e|lo\s+siento|espero\s+que|av[ií]same|no\s+dudes|si\s+(necesitas?|tienes?|quieres?)\s+(alguna\s+|alg[uú]n\s+|m[aá]s\s+|otra\s+)+(ayuda|informaci[oó]n|detalles?|preguntas?|dudas?|ejemplos?|consulta))\b)",
        r"|((thanks?|thank\s+you|gracias)(\s+(for|so\s+much|very\s+much|a\s+lot|por)\b|\W*$))",
        r")",
    ))
});

/// Words that follow such a beginning; function words may stand anywhere.
const GREETING: &[&str] = &[
    "helps",
    "help",
    "helpful",
    "useful",
    "assist",
    "assistance",
    "answers",
    "answer",
    "answering",
    "question",
    "questions",
    "asking",
    "ask",
    "know",
    "clarifies",
    "clarify",
    "clarification",
    "explains",
    "explanation",
    "understand",
    "information",
    "details",
    "detail",
    "example",
    "examples",
    "further",
    "need",
    "want",
    "please",
    "free",
    "feel",
    "happy",
    "glad",
    "hesitate",
    "contact",
    "reach",
    "support",
    "things",
    "anything",
    "something",
    "reading",
    "patience",
    "confusion",
    "inconvenience",
    "mistake",
    "misunderstanding",
    "much",
    "lot",
    "ayude",
    "ayuda",
    "ayudar",
    "sirva",
    "util",
    "avisame",
    "pregunta",
    "preguntar",
    "preguntas",
    "dudas",
    "duda",
    "preguntarme",
    "consultar",
    "leer",
    "informacion",
    "detalles",
    "ejemplo",
    "ejemplos",
    "molestias",
    "aclare",
    "let",
    "else",
    "concern",
    "concerns",
    "request",
    "considering",
    "understanding",
    "best",
    "issue",
    "issues",
    "inquiry",
    "interest",
    "pleasure",
    "welcome",
    "great",
    "day",
    "nice",
    "additional",
    "clear",
    "clearly",
    "good",
    "anytime",
    "specific",
    "topic",
    "don",
    "okay",
    "hear",
    "thing",
    "visiting",
    "attention",
    "time",
    "well",
];
/// Words that lead from a greeting to what it is about, which may not state anything.
const ABOUT: &[&str] = &["about", "regarding", "with", "on", "how", "sobre", "acerca", "con", "como"];

/// Greetings and labels that are a whole sentence.
static WHOLE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(concat!(
        r"(?i)^[¡¿\s]*(",
        r"((hello|hi|hey|hola)(\s+(there|again|everyone|de\s+nuevo))?\W*$)",
        r"|((good\s*bye|bye|see\s+you(\s+(soon|later))?|adi[oó]s|hasta\s+(luego|pronto))\W*$)",
        r"|((good\s+(morning|afternoon|evening)|buenos\s+d[ií]as|buenas(\s+\w+)?|you['’]re\s+welcome|de\s+nada)\W*$)",
        r"|((sure|certainly|absolutely|of\s+course|claro(\s+que\s+s[ií])?|por\s+supuesto|desde\s+luego|yes|no|s[ií]|ok|okay|great|perfect|perfecto)\W*$)",
        r"|((great|good|excellent)\s+question\W*$)|(buena\s+pregunta\W*$)",
        r"|((warning|caution|careful|attention|cuidado|atenci[oó]n|ojo|aviso|importante|important)\W*$)",
        r"|((in\s+summary|in\s+short|to\s+summari[sz]e|en\s+resumen|note|example|ejemplo|nota|sources?|fuentes?|references?|referencias|a\s+continuaci[oó]n)\W*$)",
        r"|((for\s+more\s+(information|details),?\s+|para\s+m[aá]s\s+(informaci[oó]n|detalles),?\s+)?(see|check|refer\s+to|consult|v[eé]ase|consulta|mira)\s+",
        r"((the|this|these|our|el|la|los|las|este|esta)\s+)?(\w+\s+)?",
        r"(examples?|tables?|lists?|sections?|code|steps?|sources?|figures?|diagrams?|notes?|links?|references?|documentation|docs|guide|manual|page|ejemplos?|tablas?|listas?|secci[oó]n|c[oó]digo|pasos?|fuentes?|documentaci[oó]n|gu[ií]a)",
        r"(\s+(de\s+)?(below|above|abajo|arriba|for\s+(more\s+)?(details|information)))+\W*$)",
        r")",
    ))
});

/// Words behind which a sentence that began as talk states something of its own.
static GOES_ON: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(that\s+(the|a|an|it|its|all|no|you|each|every)|but|however|because|que\s+(el|la|los|las|un|una|no|se)|pero|porque)\b",
    )
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

/// Whether a sentence is about the answer or the reader, and nothing else is in it.
fn is_talk(text: &str) -> bool {
    let behind = |pattern: &LazyLock<Option<Regex>>| {
        pattern.as_ref().and_then(|pattern| pattern.find(text)).map(|found| &text[found.end()..])
    };
    if text.split_whitespace().nth(LONGEST).is_some() || gives_value(text) {
        return false;
    }
    matches(&WHOLE, text)
        || behind(&GREETS).is_some_and(greets_on)
        || behind(&INTRODUCES).is_some_and(|rest| !states(rest)) && !matches(&GOES_ON, text)
}

/// What a sentence that begins as talk states behind it: "I can explain how the port is opened", "did you know that …".
pub(crate) fn behind_talk(text: &str) -> Option<String> {
    const JOINING: &[&str] = &["to", "that", "how", "why", "whether", "que", "cómo"];
    const KNOWING: &[&str] =
        &["know", "knew", "knowing", "hope", "see", "thanks", "sabias", "sabes", "espero"];
    let words = clauses::words(text);
    let found = |pattern: &LazyLock<Option<Regex>>| pattern.as_ref()?.find(text).map(|found| found.end());
    let beginning = found(&GREETS).or_else(|| found(&INTRODUCES));
    let told = || {
        let joining = words.iter().position(|word| JOINING[1..].contains(&&*word.norm))?;
        let folded: Vec<_> = words[..joining].iter().map(|word| fold(&word.norm)).collect();
        let knows = |word: &Cow<'_, str>| KNOWING.contains(&&**word) || GREETING.contains(&&**word);
        let talk =
            folded.iter().all(|word| knows(word) || language::is_stop(word)) && folded.iter().any(knows);
        talk.then(|| words[joining].at)
    };
    let start = told().or(beginning)?;
    let behind = words.iter().skip_while(|word| word.at < start || JOINING.contains(&&*word.norm));
    let behind: Vec<&clauses::Word<'_>> = behind.collect();
    (behind.len() > 2).then(|| text[behind[0].at..].to_owned())
}

/// Whether the rest of a greeting is nothing else.
fn greets_on(rest: &str) -> bool {
    let words: Vec<_> = rest.split(|c: char| !c.is_alphanumeric()).collect();
    let mut at = 0;
    for word in words {
        let folded = fold(word);
        if ABOUT.contains(&&*folded) {
            return !states(&rest[at..]);
        }
        // What an apostrophe leaves: "there's", "I'll".
        let rest_of_word = folded.len() < 3;
        if !(rest_of_word || language::is_stop(&folded) || GREETING.contains(&&*folded)) {
            return false;
        }
        at += word.len() + rest[at + word.len()..].chars().next().map_or(0, char::len_utf8);
    }
    true
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
