//! The few sentences that are ours, in English and Spanish. None of them claims a fact: each is worded
//! as talk about the answer or as a refusal, which the checks recognise.

use assay_text::Language;

macro_rules! phrases {
    ($($(#[$meta:meta])* $name:ident = $english:literal, $spanish:literal;)+) => {
        $($(#[$meta])* pub(crate) const fn $name(language: Language) -> &'static str {
            match language { Language::English => $english, Language::Spanish => $spanish }
        })+

        #[cfg(test)]
        const ALL: &[fn(Language) -> &'static str] = &[$($name),+];
    };
}

phrases! {
    /// Nothing good enough was found.
    abstained = "The sources that were found do not answer this question.",
        "Las fuentes encontradas no responden a esta pregunta.";
    /// Before sentences of the other language.
    quoted = "Here are the sentences of the documentation that answer, in Spanish:",
        "A continuación, las frases de la documentación que responden, en inglés:";
    /// Around the task of the nearest example.
    nearest_before = "Here is the nearest validated example", "Aquí tienes el ejemplo validado más cercano";
    /// Behind it.
    nearest_after = ", because no model is configured:", ", porque no hay ningún modelo configurado:";
    /// No example is near.
    no_example = "I cannot write this program without a model: I found no validated example that is close to it.",
        "No puedo responder con un programa sin un modelo: no he encontrado ningún ejemplo validado que se acerque.";
    /// Before sentences of the earlier answer.
    cannot_rephrase = "I cannot rephrase, because no model is configured; here are the sentences of my previous answer that fit best:",
        "No puedo responder con otras palabras, porque no hay ningún modelo configurado; estas son las frases de mi respuesta anterior que mejor encajan:";
    /// Before code of the earlier answer.
    only_code = "Here is the code of my previous answer:", "Aquí tienes el código de mi respuesta anterior:";
    /// There is no earlier answer.
    no_previous = "I found nothing to continue from: this conversation has no previous answer. Shall the documentation be searched instead, with the type `RETRIEVAL`?",
        "No puedo responder sobre una respuesta anterior: esta conversación no tiene ninguna. ¿Busco en la documentación, con el tipo `RETRIEVAL`?";
    /// Hello.
    hello = "Hello! I can answer questions about the documentation, and show the sources.",
        "¡Hola! Puedo explicar lo que dice la documentación y mostrar sus fuentes.";
    /// You are welcome.
    welcome = "You're welcome.", "De nada.";
    /// Goodbye.
    goodbye = "Thank you! Goodbye!", "¡Gracias! ¡Hasta luego!";
    /// Before lines of the account data.
    account_lines = "Here are the lines of the account data that fit:",
        "Aquí están las líneas de los datos de cuenta que corresponden:";
    /// The account data is empty.
    no_account_data = "I cannot answer this: no account data was given with the question. Can you send it as `extra_context`, or shall the documentation be searched instead, with the type `RETRIEVAL`?",
        "No puedo responder: no se enviaron datos de cuenta con la pregunta. ¿Puedes enviarlos en `extra_context`, o busco en la documentación, con el tipo `RETRIEVAL`?";
    /// The account data does not mention it.
    not_in_account_data = "I cannot answer this from the account data given with the question. Shall the documentation be searched instead, with the type `RETRIEVAL`?",
        "No puedo responder esto con los datos de cuenta enviados con la pregunta. ¿Busco en la documentación, con el tipo `RETRIEVAL`?";
}

#[cfg(test)]
mod tests {
    use assay_domain::report::ClaimKind;
    use assay_reading as reading;

    use super::*;

    #[test]
    fn what_is_ours_claims_nothing() {
        for language in [Language::English, Language::Spanish] {
            let example = format!(
                "{} “An endpoint that answers the SHA-256 of the parameter 'text' (109-sha256-of-parameter)”{}",
                nearest_before(language),
                nearest_after(language)
            );
            let own = ALL
                .iter()
                .map(|phrase| phrase(language).to_owned())
                .filter(|text| text != nearest_before(language) && text != nearest_after(language));
            for text in own.chain([example]) {
                let found = reading::read(&format!("{text}\n\n```avap\naddResult(1)\n```\n"), 3);
                assert!(found.claims.iter().all(|claim| claim.kind != ClaimKind::Factual), "{text}");
            }
        }
    }
}
