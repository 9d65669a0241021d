//! What a reader can do about a rejected answer, in the language of the question.

use assay_domain::report::CheckName;

use crate::language::Language;

/// What a reader can change, in the order in which it helps most.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Advice {
    Task,
    Documents,
    Question,
    Citations,
}

/// The suggestion for the failed checks: the advice that helps most, empty where a reader can do nothing.
pub(crate) fn suggestion(language: Option<Language>, failed: impl Fn(CheckName) -> bool) -> String {
    let advice = CheckName::ALL.iter().filter(|check| failed(**check)).filter_map(|check| advice(*check));
    let text = advice.min().map(|advice| match (advice, language) {
        (Advice::Task, Some(Language::Spanish)) => {
            "El programa no superó su analizador. Describe la tarea en pasos más pequeños o nombra los comandos que hay que usar."
        }
        (Advice::Task, _) => {
            "The program did not pass its parser. Describe the task in smaller steps, or name the commands to use."
        }
        (Advice::Documents, Some(Language::Spanish)) => {
            "Los documentos indexados no parecen responder a esto. Usa los términos de la documentación o incorpora los documentos que faltan."
        }
        (Advice::Documents, _) => {
            "The indexed documents do not seem to answer this. Use the terms of the documentation, or ingest the missing documents."
        }
        (Advice::Question, Some(Language::Spanish)) => {
            "La respuesta afirmaba lo que sus fuentes no dicen. Pregunta por una sola cosa a la vez o lee las fuentes citadas."
        }
        (Advice::Question, _) => {
            "The answer said what its sources do not say. Ask about one thing at a time, or read the listed sources."
        }
        (Advice::Citations, Some(Language::Spanish)) => {
            "La respuesta no citaba bien sus fuentes. Pregunta de nuevo o lee las fuentes citadas."
        }
        (Advice::Citations, _) => {
            "The answer did not cite its sources properly. Ask again, or read the listed sources."
        }
    });
    text.unwrap_or_default().to_owned()
}

/// What helps against a failed check.
fn advice(check: CheckName) -> Option<Advice> {
    match check {
        CheckName::CodeSyntax => Some(Advice::Task),
        CheckName::ContextRelevance => Some(Advice::Documents),
        CheckName::ClaimSupport | CheckName::Numbers => Some(Advice::Question),
        CheckName::CitationSyntax
        | CheckName::CitationCoverage
        | CheckName::SourceExists
        | CheckName::LineRange
        | CheckName::ContentMatch => Some(Advice::Citations),
        CheckName::Identifiers | CheckName::Markup => None,
    }
}
