//! Clear questions to the documentation: an interrogative that opens the message and a named part of the subject.

use std::sync::LazyLock;

use regex::Regex;

use crate::deictic::refers;
use crate::rules::{compile, matches, pattern_of};

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

/// Any question or request to be told something that stands on its own.
static ASKS: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    let polite = r"^\W*(?:(?:hi|hello|hey|thanks|thank you|thanks for that|ok|okay|so|and|please|well|quick question|hola|gracias|vale|y|buenas|por favor|bueno|oye|una pregunta|can you tell me|could you tell me|do you know|can you explain|could you explain|puedes decirme|podrias decirme|sabes|puedes explicar(?:me)?|podrias explicar(?:me)?)\b[\s,.!:¿¡]*){0,3}\W*";
    compile(&[
        &format!(
            r"{polite}(?:what|which|where|when|why|who|whose|how|is|are|does|do|can|could|should|must|may|if)\b \S+ \S+"
        ),
        &format!(
            r"{polite}(?:explain|describe|compare|list|enumerate|define|summari[sz]e) (?:all |every |the |how |what |why |when |which )?\w+"
        ),
        &format!(
            r"{polite}(?:tell me|show me|teach me|point me to|i want to (?:know|read|learn)|i (?:don't|do not) (?:know|understand) (?:how|why|what|when|where|which)|i'm not sure (?:how|why|what|when|where|which)|i need to know|i'd like to know|i'm looking for|i am looking for|looking for|give me an? (?:overview|summary|explanation|description) of|overview of|documentation (?:of|on|for|about)|difference between|meaning of)\b"
        ),
        &format!(
            r"{polite}(?:que|cual|cuales|donde|cuando|por que|quien|quienes|como|de donde|en que|a que|para que|con que|hace falta|se puede|se pueden|pueden?|existe|hay|hay que|es|son|conviene|importa)\b \S+ \S+"
        ),
        &format!(
            r"{polite}(?:explica|explicame|describe|compara|enumera|lista|define|resume) (?:el |la |los |las |como |que |por que )?\w+"
        ),
        &format!(
            r"{polite}(?:dime|muestrame|ensename|indicame|no (?:se|entiendo) (?:como|por que|que|cuando|donde|cual)|me indicas|quiero (?:saber|leer|aprender)|necesito saber|busco|dame (?:una|un) (?:vision general|resumen|explicacion|descripcion) del?|documentacion (?:de|sobre)|diferencia entre|significado de)\b"
        ),
    ])
});

/// Signs that the message is about the assistant, the conversation, the caller's account, or wants code.
static ELSEWHERE: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    compile(&[
        r"\b(?:you|your|yours|you're|you've|joke|weather|me llamo|tu|tus|te|ti|contigo|eres|estas|sabes|puedes|tienes|dices|quieres|piensas|crees|opinas)\b",
        r"\b\w{2,}(?:aste|iste)\b|\bhas (?:\w+(?:ado|ido)|dicho|hecho|escrito|visto|puesto)\b",
        r"\b(?:my|our|mi|mis|nuestr[oa]s?) (?:\w+ ){0,2}(?:accounts?|plans?|projects?|subscriptions?|workspaces?|teams?|organi[sz]ations?|tiers?|trials?|cards?|payments?|members?|address|seats?|users?|usage|limits?|calls?|requests?|tokens?|storage|spending|costs?|charges?|allowance|cap|cuenta|proyecto|suscripcion|espacio|equipo|organizacion|tarifa|tarjeta|pagos?|miembros?|direccion|uso|limites?|llamadas|peticiones|gastos?|cargos?)\b|\b(?:mine|ours|us|nos|i've|we've|we|this (?:project|workspace|organi[sz]ation)|este (?:proyecto|espacio)|send me|mandame|enviame)\b",
        r"\bhow (?:many|much|close|long)\b.{0,30}\b(?:i|we)\b|\b(?:still|left|remaining)\b.{0,20}\b(?:today|this (?:month|week))\b",
        r"\b(?:am i|have i|did i|was i|do i (?:have|owe|need to pay)|tengo|llevo|debo|he|estoy)\b",
        r"\b(?:subscriptions?|accounts?|invoices?|bills?|billing|quotas?|credits|balance|suscripcion(?:es)?|cuentas?|facturas?|facturacion|cuotas?|creditos|saldo|plan)\b",
        r"\b(?:write|code|snippet|script|generate|implement|rewrite|refactor|escrib\w+|codigo|genera|implementa|reescrib\w+)\b",
    ])
});

/// How the message asks the assistant to tell something; not talk about the assistant.
static TELLS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern_of(
        r"\b(?:can|could|would|do) you (?:please )?(?:tell me|explain|describe|know|point me to|show me)\b|\b(?:tell|show|point|give) me\b|\b(?:puedes|podrias|me puedes|me podrias) (?:decirme|decir|explicarme|explicar|indicarme|indicar)\b|\bsabes\b|\bme indicas\b",
    )
});

/// Whether a folded message asks something that stands on its own and is about nothing else.
fn stands_alone(subject: &str) -> bool {
    let told = TELLS
        .as_ref()
        .map_or_else(|| subject.to_owned(), |regex| regex.replace_all(subject, "tell").into_owned());
    matches(&ASKS, subject) && !matches(&ELSEWHERE, &told) && !refers(subject)
}

/// Whether a folded message clearly asks something that documentation answers.
pub(crate) fn signal(subject: &str) -> bool {
    let named = matches(&NAMED, subject) || matches(&SPELLED, subject);
    (matches(&OPENS, subject) && named && !refers(subject)) || stands_alone(subject)
}

#[cfg(test)]
mod tests {
    use super::*;
    use assay_text::normalize;

    #[test]
    fn every_pattern_compiles() {
        assert_eq!([OPENS.len(), NAMED.len(), SPELLED.len(), ASKS.len(), ELSEWHERE.len()], [2, 2, 4, 6, 7]);
        assert!(TELLS.is_some());
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
            "Explain eventual consistency",
            "Could you tell me where logs are kept?",
            "¿De dónde salen las trazas?",
        ] {
            assert!(signal(&normalize(message)), "{message}");
        }
    }

    #[test]
    fn references_and_small_talk_are_left_to_others() {
        for message in [
            "What does that function do?",
            "How are you?",
            "What about lists?",
            "Write a loop",
            "Which plan am I on?",
            "What do you think of Go?",
            "¿Por qué dijiste eso?",
        ] {
            assert!(!signal(&normalize(message)), "{message}");
        }
    }
}
