//! Clear requests for code: an imperative of making or repairing with a piece of a program as its object.

use std::sync::LazyLock;

use regex::Regex;

use crate::rules::{compile, matches};

/// Politeness before the request itself.
const POLITE: &str = r"(?:\W*(?:hi|hello|hey|thanks|thank you|great|ok|okay|now|then|so|and|also|please|pls|kindly|just|next|can you(?: please)?|could you(?: please)?|would you(?: please| mind)?|will you|i(?:'d| would) like you to|i (?:need|want) you to|help me(?: to)?|let's|hola|buenas|gracias|vale|ahora|luego|y|tambien|por favor|porfa|puedes|podrias|puede|podria|quiero que|necesito que|me gustaria que|ayudame a|vamos a|quisiera que)[\s,.!:¿¡]*)*";

/// Pieces of programs.
const PIECE: &str = r"(?:functions?|endpoints?|scripts?|code|programs?|snippets?|loops?|class(?:es)?|methods?|apis?|services?|routes?|handlers?|quer(?:y|ies)|regex(?:es)?|regular expressions?|expresion(?:es)? regular(?:es)?|tests?|examples?|modules?|commands?|avap|implementations?|parsers?|servers?|clients?|webhooks?|connectors?|middleware|algorithms?|decorators?|crud|boilerplate|templates?|one-liners?|programas?|funcion(?:es)?|codigo|fragmentos?|bucles?|clases?|metodos?|servicios?|rutas?|manejador|consultas?|pruebas?|ejemplos?|modulos?|comandos?|implementacion|plantilla|algoritmos?|conector(?:es)?|servidor|cliente|login|validator|calculator|calculadora|validador|rest|sql|json|python|javascript|typescript|rust|java|golang|bash|if|try|startloop|registerendpoint|addparam|addresult)";

/// Texts that are asked for in the same words.
static PROSE: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    compile(&[
        r"\b(?:write|give me|create|make|generate|draft|provide|show me|prepare) (?:me )?(?:a |an |the |some )?(?:\w+ )?(?:summary|explanation|overview|description|comparison|paragraph|email|letter|poem|essay|list of|table of|definition|joke|documentation|reference|link|details|information|introduction)\b",
        r"\b(?:escribe|dame|haz|crea|genera|redacta|muestrame|prepara)(?:me)? (?:un |una |el |la |los |las )?(?:\w+ )?(?:resumen|explicacion|descripcion|comparacion|parrafo|correo|carta|poema|lista de|tabla de|definicion|chiste|documentacion|referencia|enlace|detalles|informacion|introduccion)\b",
        r"\b(?:show|tell|give) me (?:how|where|what|which|the (?:docs|documentation|syntax|signature|difference|meaning|arguments|parameters|options))\b|\b(?:muestrame|dime|ensename) (?:como|donde|que|cual|la (?:documentacion|sintaxis|diferencia))\b",
    ])
});

static REQUESTS: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    let make = r"(?:write|create|generate|implement|build|code|develop|program|produce|draft|craft|provide|put together|compose|design|scaffold|sketch)(?: up)?(?: me| us)?";
    let make_es = r"(?:me (?:haces|escribes|creas|generas|preparas|programas)|prepar[ae]|preparar|programes|escribas|escrib[ea]|escribir|crea|cree|crear|genera|genere|generar|implementa|implemente|implementar|programa|programe|programar|desarrolla|desarrollar|construye|construir|codifica|codificar|haz|haga|hacer|elabora|disena|monta|redacta)(?:me|nos)?";
    let give = r"(?:give|show|send|make|get|i need|i want|i'd like|need|want|looking for)(?: me| us)?";
    let give_es =
        r"(?:dame|damelo|muestrame|ensename|pasame|necesito|quiero|quisiera|hazme|ponme|proporcioname|busco)";
    let repair = r"(?:fix|refactor|debug|rewrite|modify|change|adapt|convert|optimi[sz]e|port|extend|complete|finish|improve|correct|repair|update|translate|add|remove|rename|replace|turn|transform|clean up|migrate|parametri[sz]e|simplify)";
    let repair_es = r"(?:(?:corrige|arregla|refactoriza|reescribe|modifica|cambia|adapta|convierte|optimiza|porta|extiende|completa|termina|mejora|repara|actualiza|traduce|anade|agrega|quita|elimina|renombra|sustituye|reemplaza|transforma|migra|depura|simplifica|amplia|pasa)(?:lo|la|los|las)?|(?:corregir|arreglar|refactorizar|reescribir|modificar|cambiar|adaptar|convertir|optimizar|extender|completar|terminar|mejorar|reparar|actualizar|traducir|anadir|agregar|quitar|eliminar|renombrar|sustituir|reemplazar|transformar|migrar|depurar|simplificar|ampliar)(?:lo|la|me)?)";
    let some = r"(?:\W+(?:\S+\W+){0,6}?)";
    let near = r"(?:\W+(?:\S+\W+){0,4}?)";
    compile(&[
        &format!(r"^{POLITE}{make}\b{some}{PIECE}\b"),
        &format!(r"^{POLITE}{make_es}\b{some}{PIECE}\b"),
        &format!(r"^{POLITE}{give}\b (?:a |an |some |the |one )?{near}?{PIECE}\b"),
        &format!(r"^{POLITE}{give_es}\b (?:un |una |unos |unas |el |la |algo de )?{near}?{PIECE}\b"),
        &format!(r"^{POLITE}{repair}\b{some}{PIECE}\b"),
        &format!(r"^{POLITE}{repair_es}\b{some}{PIECE}\b"),
        &format!(
            r"^{POLITE}(?:endpoint|function|script|program|snippet|api|funcion|programa|codigo|code) (?:\w+ )?(?:that|which|returning|que)\b"
        ),
        &format!(
            r"^{POLITE}(?:a|an|un|una|the) (?:\w+ ){{0,2}}{PIECE} (?:that|which|to|for|in|with|returning|using|que|para|en|con)\b"
        ),
        &format!(
            r"[.!?:;,]\s*(?:please |then |now |so |just |por favor,? |ahora )?(?:{make}|{make_es})\b (?:a |an |the |some |un |una |el |la ){near}?{PIECE}\b"
        ),
        r"^\W*(?:please |por favor,? )?(?:rewrite|redo|do|write|convert|translate|port|turn|reescribel[oa]|hazl[oa]|conviertel[oa]|pasal[oa]|traducel[oa]|escribel[oa])(?: (?:it|that|this|them))?(?: \S+){0,4} (?:in|into|to|as|en|a) (?:avap|python|javascript|typescript|rust|java|go|golang|sql|bash|c\+\+|c#|ruby|php|kotlin)\b",
        r"^\W*(?:please |por favor,? )?(?:write|implement|code|refactor|fix|debug|escribe|implementa|programa|refactoriza|depura) (?:it|that|this|eso|esto)\b",
        &format!(r"^{POLITE}(?:implement|implementa|implementar|implemente)\b \w+"),
        r"^\W*(?:fix|corrige|arregla|depura)(?: it|lo|la)\b",
    ])
});

/// A question about how, which documentation answers.
static ASKS: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    compile(&[
        r"^\W*(?:how|what|why|when|where|which|who|is|are|does|do|did|can i|could i|should i|may i|como|que|por que|cuando|donde|cual|cuales|quien|puedo|debo|se puede)\b",
        r"^\W*(?:explain|describe|tell me|explica|explicame|describe|dime)\b",
    ])
});

/// Whether a folded message clearly asks for code.
pub(crate) fn signal(subject: &str) -> bool {
    !matches(&PROSE, subject) && !matches(&ASKS, subject) && matches(&REQUESTS, subject)
}

#[cfg(test)]
mod tests {
    use super::*;
    use assay_text::normalize;

    #[test]
    fn every_pattern_compiles() {
        assert_eq!([PROSE.len(), REQUESTS.len(), ASKS.len()], [3, 13, 2]);
    }

    #[test]
    fn requests_for_code_are_recognised() {
        for message in [
            "Write an endpoint that returns the date",
            "an endpoint that answers the SHA-256 of the parameter 'text'",
            "Please implement a login service in AVAP",
            "Can you give me a function to reverse a list?",
            "Fix the loop in this script",
            "Rewrite it in Python",
            "I need code that parses a JSON body",
            "Escribe un endpoint que devuelva la fecha de hoy",
            "Necesito una función que sume dos números",
            "Por favor, corrige este código",
            "Dame un ejemplo de bucle",
            "Hola, crea un script que lea un parámetro",
        ] {
            assert!(signal(&normalize(message)), "{message}");
        }
    }

    #[test]
    fn questions_and_prose_are_not() {
        for message in [
            "How do I write a loop?",
            "What does this function return?",
            "Write a summary of the loop documentation",
            "Show me how endpoints work",
            "Explain the code of the example",
            "¿Cómo escribo una función?",
            "Dame un resumen de los bucles",
            "I need to know how loops work",
            "Thanks!",
        ] {
            assert!(!signal(&normalize(message)), "{message}");
        }
    }
}
