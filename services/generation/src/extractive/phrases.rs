//! The few sentences that are ours, in English and Spanish. None of them claims a fact.

use super::language::Language;

macro_rules! phrases {
    ($($(#[$meta:meta])* $name:ident = $english:literal, $spanish:literal;)+) => {
        $($(#[$meta])* pub(crate) const fn $name(language: Language) -> &'static str {
            match language { Language::English => $english, Language::Spanish => $spanish }
        })+
    };
}

phrases! {
    /// Nothing good enough was found.
    abstained = "The sources that were found do not answer this question.",
        "Las fuentes encontradas no responden a esta pregunta.";
    /// Before sentences of the other language.
    quoted = "This is what the documentation says, in its original Spanish:",
        "Esto es lo que dice la documentación, en su inglés original:";
    /// Before the nearest example.
    nearest_example = "No model is configured; this is the nearest validated example:",
        "No hay ningún modelo configurado; este es el ejemplo validado más cercano:";
    /// No example is near.
    no_example = "No model is configured, and no validated example is close to this request.",
        "No hay ningún modelo configurado y ningún ejemplo validado se acerca a esta petición.";
    /// Before sentences of the earlier answer.
    cannot_rephrase = "No model is configured, so I cannot rephrase; these are the sentences of my previous answer that fit best:",
        "No hay ningún modelo configurado, así que no puedo reformular; estas son las frases de mi respuesta anterior que mejor encajan:";
    /// Before code of the earlier answer.
    only_code = "This is the code of my previous answer:", "Este es el código de mi respuesta anterior:";
    /// There is no earlier answer.
    no_previous = "There is no previous answer in this conversation to continue from. What would you like to know?",
        "No hay ninguna respuesta anterior en esta conversación de la que partir. ¿Qué te gustaría saber?";
    /// Hello.
    hello = "Hello! Ask me about the documentation, and I will answer with its sources.",
        "¡Hola! Pregúntame por la documentación y te responderé con sus fuentes.";
    /// You are welcome.
    welcome = "You are welcome.", "De nada.";
    /// Goodbye.
    goodbye = "Goodbye!", "¡Hasta luego!";
    /// Before lines of the account data.
    account_lines = "The account data given with your question says:",
        "Los datos de cuenta enviados con tu pregunta dicen:";
    /// The account data is empty.
    no_account_data = "No account data was given with the question, so I cannot answer it.",
        "No se enviaron datos de cuenta con la pregunta, así que no puedo responderla.";
    /// The account data does not mention it.
    not_in_account_data = "The account data given with the question does not say this.",
        "Los datos de cuenta enviados con la pregunta no lo dicen.";
}
