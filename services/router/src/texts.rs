//! The few sentences that the router itself says to a reader, in English and Spanish.

use assay_domain::report::{Report, Verdict};
use assay_domain::{QueryType, Question};
use assay_text::{Language, detect_question};

/// Whether a question is answered in Spanish rather than English.
fn spanish(text: &str) -> bool {
    detect_question(text) == Some(Language::Spanish)
}

/// The answer when there is none; `found` says whether there were sources to answer from.
pub(crate) fn no_answer(
    question: &Question,
    query_type: Option<QueryType>,
    found: bool,
    searched: &[String],
) -> String {
    let spanish = spanish(&question.text);
    match (query_type, spanish) {
        (Some(QueryType::Conversational), false) => {
            return "The conversation so far does not answer this. To search the documentation instead, ask with the type `RETRIEVAL`.".into();
        }
        (Some(QueryType::Conversational), true) => {
            return "La conversación no responde a esto. Para buscar en la documentación, pregunta con el tipo `RETRIEVAL`.".into();
        }
        (Some(QueryType::Platform), false) => {
            let missing = if question.extra_context.trim().is_empty() {
                "No account data (`extra_context`) was given with the question."
            } else {
                "The account data given with the question does not answer it."
            };
            return format!("{missing} To search the documentation instead, ask with the type `RETRIEVAL`.");
        }
        (Some(QueryType::Platform), true) => {
            let missing = if question.extra_context.trim().is_empty() {
                "No se enviaron datos de cuenta (`extra_context`) con la pregunta."
            } else {
                "Los datos de la cuenta dados con la pregunta no la responden."
            };
            return format!("{missing} Para buscar en la documentación, pregunta con el tipo `RETRIEVAL`.");
        }
        _ => {}
    }
    let list =
        searched.iter().map(|query| format!("`{}`", query.replace('`', "'"))).collect::<Vec<_>>().join(", ");
    let name = if question.collection.is_empty() { "default" } else { &question.collection };
    match (spanish, found) {
        (false, false) => format!(
            "The documentation does not answer this question: nothing was found in the collection `{name}`. Searched for {list}."
        ),
        (false, true) => format!(
            "The documentation does not answer this question: what was found in the collection `{name}` does not say it. Searched for {list}."
        ),
        (true, false) => format!(
            "La documentación no responde a esta pregunta: no se encontró nada en la colección `{name}`. Se buscó {list}."
        ),
        (true, true) => format!(
            "La documentación no responde a esta pregunta: lo encontrado en la colección `{name}` no lo dice. Se buscó {list}."
        ),
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

/// The warning that goes with a verdict, if it needs one; `queued` says whether a reviewer will see the answer.
pub(crate) fn verdict_warning(question: &str, verdict: Verdict, queued: bool) -> Option<String> {
    let text = match (verdict, spanish(question)) {
        (Verdict::Pass, _) => return None,
        (Verdict::Review, false) if queued => {
            "Parts of this answer were flagged or could not be checked; it waits for review."
        }
        (Verdict::Review, true) if queued => {
            "Partes de esta respuesta están señaladas o no se pudieron comprobar; queda pendiente de revisión."
        }
        (Verdict::Review, false) => "Parts of this answer could not be checked.",
        (Verdict::Review, true) => "Partes de esta respuesta no se pudieron comprobar.",
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
    fn abstentions_say_what_was_searched() {
        for query_type in [None, Some(QueryType::Retrieval), Some(QueryType::CodeGeneration)] {
            for found in [false, true] {
                let text = no_answer(&Question::new("How?"), query_type, found, &["a".into(), "b".into()]);
                assert!(text.contains("`a`, `b`") && text.contains("`default`"), "{text}");
            }
        }
    }

    #[test]
    fn abstentions_without_a_search_say_how_to_search() {
        for query_type in [QueryType::Conversational, QueryType::Platform] {
            for text in ["How much is my bill?", "¿Cuánto debo este mes?"] {
                let mut question = Question::new(text);
                let told = no_answer(&question, Some(query_type), false, &[]);
                assert!(told.contains("`RETRIEVAL`"), "{told}");
                assert_eq!(told.contains("`extra_context`"), query_type == QueryType::Platform, "{told}");
                question.extra_context = "plan: free".into();
                assert!(!no_answer(&question, Some(query_type), false, &[]).contains("`extra_context`"));
            }
        }
    }

    #[test]
    fn only_queued_answers_wait_for_review() {
        for (question, word) in [("How?", "waits for review"), ("¿Cómo?", "pendiente de revisión")] {
            let warning = |queued| verdict_warning(question, Verdict::Review, queued).unwrap_or_default();
            assert!(warning(true).contains(word) && !warning(false).contains(word));
        }
    }
}
