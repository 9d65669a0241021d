//! What a reader can do about a rejected answer, in the language of the question.

use assay_domain::report::CheckName;

use crate::language::Language;

/// The suggestion for the first check that failed, in the order in which a reader can do most about it.
pub(crate) fn suggestion(language: Option<Language>, failed: impl Fn(CheckName) -> bool) -> String {
    let table: [(&[CheckName], &str, &str); 4] = [
        (
            &[CheckName::CodeSyntax],
            "The program did not pass its parser. Describe the task in smaller steps, or name the commands to use.",
            "El programa no superó su analizador. Describe la tarea en pasos más pequeños o nombra los comandos que hay que usar.",
        ),
        (
            &[CheckName::ContextRelevance],
            "The indexed documents do not seem to answer this. Use the terms of the documentation, or ingest the missing documents.",
            "Los documentos indexados no parecen responder a esto. Usa los términos de la documentación o incorpora los documentos que faltan.",
        ),
        (
            &[CheckName::ClaimSupport, CheckName::Numbers],
            "The answer said what its sources do not say. Ask about one thing at a time, or read the listed sources.",
            "La respuesta afirmaba lo que sus fuentes no dicen. Pregunta por una sola cosa a la vez o lee las fuentes citadas.",
        ),
        (
            &[
                CheckName::CitationSyntax,
                CheckName::CitationCoverage,
                CheckName::SourceExists,
                CheckName::LineRange,
                CheckName::ContentMatch,
            ],
            "The answer did not cite its sources properly. Ask again, or read the listed sources.",
            "La respuesta no citaba bien sus fuentes. Pregunta de nuevo o lee las fuentes citadas.",
        ),
    ];
    let row = table.iter().find(|(names, ..)| names.iter().any(|name| failed(*name)));
    row.map(|(_, english, spanish)| if language == Some(Language::Spanish) { *spanish } else { *english })
        .unwrap_or_default()
        .to_owned()
}
