//! The few sentences that the router itself says to a reader, in English and Spanish.

use assay_domain::report::{Report, Verdict};
use assay_routing::text::{fold, listed, words};

/// Words that only Spanish questions have.
const SPANISH: &str = "\
    el los las una unos del como que cual cuales donde cuando cuanto cuanta cuantos cuantas por para \
    puedo puedes es hay un de la leo peticion se mi tu y con sin escribe crea explica dime dame \
    hola gracias funcion necesito quiero esto eso";

/// Whether a text is Spanish rather than English.
pub(crate) fn spanish(text: &str) -> bool {
    if text.contains(['¿', '¡', 'ñ', 'Ñ']) {
        return true;
    }
    let folded = fold(text);
    let words = words(&folded);
    let found = words.iter().filter(|word| listed(SPANISH, word.text)).count();
    found * 4 >= words.len().max(1) && found > 0
}

/// The answer when nothing was found at all.
pub(crate) fn nothing_found(question: &str, searched: &[String], collection: &str) -> String {
    let list =
        searched.iter().map(|query| format!("`{}`", query.replace('`', "'"))).collect::<Vec<_>>().join(", ");
    let name = if collection.is_empty() { "default" } else { collection };
    if spanish(question) {
        format!(
            "La documentación no responde a esta pregunta: no se encontró nada en la colección `{name}`. Se buscó {list}."
        )
    } else {
        format!(
            "The documentation does not answer this question: nothing was found in the collection `{name}`. Searched for {list}."
        )
    }
}

/// Why an answer was withheld.
pub(crate) fn rejection_reason(question: &str, report: &Report) -> String {
    let mut kinds: Vec<&str> = Vec::new();
    for error in &report.errors {
        if !kinds.contains(&error.kind.as_str()) {
            kinds.push(&error.kind);
        }
    }
    let list = kinds.join(", ");
    match (spanish(question), list.is_empty()) {
        (true, true) => "La respuesta no superó sus comprobaciones.".into(),
        (true, false) => format!("La respuesta no superó sus comprobaciones: {list}."),
        (false, true) => "The answer did not pass its checks.".into(),
        (false, false) => format!("The answer did not pass its checks: {list}."),
    }
}

/// A segment that was not sent while the answer was written, because it failed its own checks.
pub(crate) fn withheld(segment: &str) -> String {
    format!("withheld while the answer was written: {}", segment.trim())
}

/// What a reader can do about a rejection when the report does not say.
pub(crate) fn suggestion(question: &str) -> &'static str {
    if spanish(question) {
        "Haz la pregunta de forma más concreta, o consulta directamente las fuentes indicadas."
    } else {
        "Ask more specifically, or read the listed sources yourself."
    }
}

/// The warning that goes with a verdict, if it needs one.
pub(crate) fn verdict_warning(question: &str, verdict: Verdict) -> Option<String> {
    let text = match (verdict, spanish(question)) {
        (Verdict::Pass, _) => return None,
        (Verdict::Review, false) => {
            "Parts of this answer were flagged or could not be checked; it waits for review."
        }
        (Verdict::Review, true) => {
            "Partes de esta respuesta están señaladas o no se pudieron comprobar; queda pendiente de revisión."
        }
        (Verdict::Reject, false) => "This answer failed checks and is delivered because the mode is lenient.",
        (Verdict::Reject, true) => {
            "Esta respuesta no superó sus comprobaciones y se entrega porque el modo es permisivo."
        }
    };
    Some(text.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_language_of_a_question_is_told() {
        for text in ["¿Cómo leo un parámetro?", "como leo un parametro de la peticion", "Escribe un endpoint"]
        {
            assert!(spanish(text), "{text}");
        }
        for text in ["How do I read a parameter?", "addParam", "Write an endpoint in AVAP"] {
            assert!(!spanish(text), "{text}");
        }
    }

    #[test]
    fn an_abstention_says_what_was_searched() {
        let text = nothing_found("How?", &["a".into(), "b".into()], "");
        assert!(text.contains("`a`, `b`") && text.contains("`default`"));
    }
}
