//! Clear questions to the documentation: an interrogative that opens the message and a named part of the subject.

use std::sync::LazyLock;

use regex::Regex;

use crate::deictic::refers;
use crate::rules::{compile, matches};

static OPENS: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    compile(&[
        r"^\W*(?:(?:hi|hello|hey|thanks|thank you|ok|okay|so|and|please|hola|gracias|vale|y|buenas|por favor)[\s,.!]+){0,3}\W*(?:what(?:'s| is| are| does| do| happens| kind| types?| values?| arguments?| parameters?)|how (?:do|does|can|should|to|is|are|would|many (?:arguments|parameters))|where (?:is|are|do|can|does)|which|when (?:do|does|should|is)|why (?:do|does|is|are)|is there|are there|does|can (?:i|a|an|the)|explain (?:how|what|the|why)|describe (?:how|the)|tell me (?:how|what|about)|show me (?:how|the)|i (?:need|want|would like) to know)\b",
        r"^\W*(?:(?:hi|hello|hola|gracias|vale|y|buenas|por favor|ok)[\s,.!]+){0,3}\W*(?:que (?:es|son|hace|hacen|devuelve|significa|tipos?|valores?|argumentos?|parametros?|diferencia|pasa|comando|funcion)|como (?:funciona|funcionan|se|puedo|hago|leo|uso|declaro|defino|creo|devuelvo|llamo|debo)|donde (?:esta|estan|se|puedo)|cual(?:es)? (?:es|son|de)|cuando (?:se|debo|hay|uso)|por que (?:se|hay|es)|para que (?:sirve|sirven|se usa)|existe|hay|se puede|puedo|explica(?:me)? (?:como|que|el|la|los|las|por)|describe (?:como|el|la)|dime (?:como|que)|necesito saber|quiero saber)\b",
    ])
});

/// Parts of a programming subject, or words of documentation.
static NAMED: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    compile(&[
        r"\b(?:functions?|endpoints?|commands?|parameters?|arguments?|variables?|loops?|lists?|dicts?|dictionar(?:y|ies)|strings?|templates?|syntax|statements?|operators?|expressions?|keywords?|comments?|connectors?|requests?|responses?|headers?|body|json|status codes?|errors?|exceptions?|types?|methods?|class(?:es)?|modules?|imports?|api|avap|documentation|docs|guide|index|query|queries|database|orm|regex|configuration|settings?|options?|flags?|metrics?|labels?|alerts?|rules?|scrape|exporters?|storage|retention|conditional|if|else|try|return|async|concurrency|threads?|cache|files?|paths?|tokens?|grammar|parser)\b",
        r"\b(?:funcion(?:es)?|comandos?|parametros?|argumentos?|variables?|bucles?|listas?|diccionarios?|cadenas?|plantillas?|sintaxis|sentencias?|operador(?:es)?|expresion(?:es)?|palabras? (?:clave|reservadas?)|comentarios?|conector(?:es)?|peticion(?:es)?|respuestas?|cabeceras?|cuerpo|codigos? de estado|errores|error|excepcion(?:es)?|tipos?|metodos?|clases?|modulos?|documentacion|guia|consultas?|base de datos|configuracion|opciones|metricas?|etiquetas?|alertas?|reglas?|almacenamiento|condicional(?:es)?|concurrencia|archivos?|ficheros?|rutas?|gramatica)\b",
    ])
});

/// Spellings that only code has, looked for before folding would hide them: `name(`, `a_b`, back-quotes.
static SPELLED: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    compile(&[
        r"`[^`]+`",
        r"\b[a-z]\w*\(",
        r"\b[a-z]+_[a-z_]+\b",
        r"\b(?:add|get|set|start|end|register|orm|random|variable|from|read|encode|replace)[a-z]*(?:param|result|var|loop|endpoint|list|query|time|json|string|file|stamp|status|avap)[a-z]*\b",
    ])
});

/// Whether a folded message clearly asks something that documentation answers.
pub(crate) fn signal(subject: &str) -> bool {
    matches(&OPENS, subject) && (matches(&NAMED, subject) || matches(&SPELLED, subject)) && !refers(subject)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::fold;

    #[test]
    fn every_pattern_compiles() {
        assert_eq!([OPENS.len(), NAMED.len(), SPELLED.len()], [2, 2, 4]);
    }

    #[test]
    fn questions_to_the_documentation_are_recognised() {
        for message in [
            "How does addParam work?",
            "What is the difference between addVar and addResult?",
            "How do I read a request parameter in AVAP and return it?",
            "Thanks! How do I loop over a list?",
            "¿Cómo leo un parámetro de la petición?",
            "¿Para qué sirve startLoop?",
            "¿Qué es un conector?",
        ] {
            assert!(signal(&fold(message)), "{message}");
        }
    }

    #[test]
    fn references_and_small_talk_are_left_to_others() {
        for message in ["What does that function do?", "How are you?", "What about lists?", "Write a loop"] {
            assert!(!signal(&fold(message)), "{message}");
        }
    }
}
