//! RC-01 and RC-02: registered platform prefixes, and signals of a question about the caller's own account.

use std::sync::LazyLock;

use regex::Regex;
use sha2::{Digest as _, Sha256};

use crate::rules::{code, compile, matches, pattern_of};
use assay_text::normalize;

/// Prefixes that can be added to but never removed.
const BUILT_IN: &[&str] = &["you are a direct and concise assistant"];

/// The effective list of platform prefixes, folded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlatformPrefixes(Vec<String>);

impl Default for PlatformPrefixes {
    fn default() -> Self {
        Self::with(std::iter::empty::<&str>())
    }
}

impl PlatformPrefixes {
    /// The built-in prefixes and further ones; blank ones are left out.
    #[must_use]
    pub fn with(further: impl IntoIterator<Item = impl AsRef<str>>) -> Self {
        let mut all: Vec<String> = BUILT_IN.iter().map(|prefix| normalize(prefix)).collect();
        all.extend(
            further.into_iter().map(|prefix| normalize(prefix.as_ref())).filter(|prefix| !prefix.is_empty()),
        );
        all.sort();
        all.dedup();
        Self(all)
    }

    /// SHA-256 over the sorted list, one prefix a line, lower-case hex.
    #[must_use]
    pub fn sha256(&self) -> String {
        let mut hash = Sha256::new();
        for prefix in &self.0 {
            hash.update(prefix.as_bytes());
            hash.update(b"\n");
        }
        hex::encode(hash.finalize())
    }

    /// Whether the message contains a registered prefix; case and white space do not matter.
    #[must_use]
    pub fn matches(&self, message: &str) -> bool {
        let folded = normalize(message);
        self.0.iter().any(|prefix| folded.contains(prefix))
    }

    /// The folded message without registered prefixes; unchanged if nothing else is left.
    #[must_use]
    pub fn strip(&self, message: &str) -> String {
        let mut rest = normalize(message);
        for prefix in &self.0 {
            rest = rest.replace(prefix, " ");
        }
        if rest.chars().any(char::is_alphanumeric) { rest } else { normalize(message) }
    }
}

/// What a possessive can belong to without meaning an account.
const NOT_ACCOUNT: &str = r"(?:(?:last|previous|own|first|main|new|current|avap|python|own|other)\s+)?(?:function|functions|code|script|program|endpoint|endpoints|variable|list|loop|table|rows?|query|queries|file|files|answer|answers|explanation|response|example|solution|question|message|snippet|class|method|module|command|parameter|string|array|dict|test|tests|app|application|server|model|database|route|handler|regex|data|api|name|opinion|help|documentation|docs|favou?rite|friend)";

static POSSESSIVE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern_of(r"\b(?:my|your|our|mi|mis|tu|tus|nuestro|nuestra|nuestros|nuestras|su|sus)\s+(\S+(?:\s+\S+)?)")
});
static NOT_OWN: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern_of(&format!(
        r"^(?:{NOT_ACCOUNT}|funcion|codigo|script|programa|variable|lista|bucle|tabla|filas?|consulta|archivo|respuesta|explicacion|ejemplo|solucion|pregunta|mensaje|clase|metodo|modulo|comando|parametro|cadena|opinion|nombre|servidor|modelo|aplicacion)\b"
    ))
});

/// Anchors other than possessives.
static ANCHORS: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    compile(&[
        r"\b(?:this|the|current) (?:project|workspace|account|subscription|plan|organi[sz]ation|tenant|billing (?:period|cycle|month))\b",
        r"\b(?:account|subscription|workspace)(?:'s)?\b",
        r"\b(?:free|pro|premium|basic|starter|team|enterprise|business|paid|current) (?:plan|tier)\b",
        r"\b(?:do|have|did|can|will|am|are|was|were|would) (?:i|we)\b",
        r"\b(?:i|we|i've|we've|i'm|we're|i'll|i'd) (?:have|had|got|used|consumed|spent|owe|pay|paid|been|am|are|left|exceed(?:ed)?|reach(?:ed)?|hit|still|over|near|close|ran|run|already)\b",
        r"\b(?:i've|we've|i'm|we're)\b",
        r"\b(?:charged?|bill(?:ed|ing)?|invoiced?) (?:me|us)\b",
        r"\b(?:este|el|la|esta|mi) (?:proyecto|cuenta|suscripcion|plan|espacio de trabajo|organizacion)\b",
        r"\b(?:cuenta|suscripcion)\b",
        r"\bplan (?:gratuito|pro|premium|basico|actual|contratado|de pago|empresarial)\b",
        r"\b(?:llevo|llevamos|tengo|tenemos|he|hemos|gaste|gastamos|consumi|use|usamos|debo|pago|pagamos|pague|estoy|estamos|supere|agote|me|nos)\b",
    ])
});

/// Metrics that mean an account wherever an anchor stands.
static STRONG: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    compile(&[
        r"\b(?:quotas?|allowances?|invoices?|invoiced|billing|billed|credits?|overages?|subscription (?:fee|cost|price)|credit balance|consumption|paid plan)\b",
        r"\b(?:bill|bills|monthly bill|spend|spent|spending|charges?|charged|payments?|payment method|refund|renew(?:al|s|ed)?|receipts?)\b",
        r"\b(?:usage (?:percentage|percent|statistics|stats|report|so far|this|for|today)|percentage of usage|my usage|our usage|account usage|token usage|api usage|data usage|current usage|usage of (?:my|our|this|the) (?:account|plan|project|subscription|workspace|quota)|usage)\b",
        r"\b(?:cuotas?|facturas?|facturacion|facturad[oa]s?|creditos?|saldo|consumo|consumid[oa]s?|gastos?|gastad[oa]s?|gaste|gastamos|consumi|cobros?|cobrad[oa]s?|cobra|cobrar|cobraran|cobrais|cobran|facturar|recibos?|renovacion|renueva|reembolso|suscripcion cuesta|metodo de pago|pagos?)\b",
        r"\b(?:porcentaje de uso|uso (?:actual|mensual|de (?:la|mi) (?:cuenta|plan|api)|este mes|de tokens|acumulado)|cuanto (?:uso|he usado|hemos usado))\b",
    ])
});

/// Metrics that programs have too.
static WEAK: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    compile(&[
        r"\b(?:limits?|rate limits?|tokens?|requests? (?:left|remaining|used|available)|calls? (?:left|remaining|used|available)|remaining|cost|costs|price|pricing|balance|seats?|storage|used up|run(?:ning)? out|expires?|expiry|expiration|trial|cap|upgrade|downgrade|owe|percent|percentage|tier)\b",
        r"\d+ ?%",
        r"\b(?:limites?|tokens?|peticiones? (?:me )?(?:quedan|restantes|disponibles)|llamadas (?:me )?(?:quedan|restantes|disponibles)|quedan?|restantes?|coste|costo|costes|precio|tarifa|almacenamiento|caduca|vence|prueba gratuita|tope|mejorar (?:mi|el) plan|porcentaje|debo|uso|usado)\b",
    ])
});

/// Parts of programs.
static PROGRAM: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    compile(&[
        r"\b(?:endpoints?|functions?|avap|code|scripts?|variables?|rows?|columns?|arrays?|lists?|dicts?|sql|orm|regex|loops?|snippets?|programs?|json|headers?|middleware|class|methods?|syntax|commands?|parameters?|strings?|python|javascript|typescript|rust|golang|java|database|timeouts?|decorator|algorithm|recursion|memory|thread|files?|addparam|addresult|addvar)\b",
        r"\b(?:funcion|funciones|codigo|variables?|filas?|columnas?|listas?|bucles?|programas?|consultas?|comandos?|parametros?|cadenas?|clase|metodos?|sintaxis|base de datos|algoritmo|fragmento|archivos?)\b",
    ])
});

/// A how-to: the answer is an instruction.
static HOW_TO: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    compile(&[
        r"\bhow (?:do|can|could|would|should|might) (?:i|we|you|one)\b",
        r"\bhow to\b|\bwhat is the (?:best )?way to\b|\bway to\b|\bis there a (?:command|function|way)\b|\bwhich (?:command|function)\b",
        r"\bcomo (?:puedo|podria|se|hago|hacer|debo|podemos|calculo|calcular|limito|limitar|leo|leer|implemento|implementar|creo|crear|escribo)\b|\bde que manera\b|\bque (?:comando|funcion)\b",
    ])
});

/// Verbs of programming that make a how-to about an account subject a matter of code.
static BUILDS: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    compile(&[
        r"\b(?:compute|calculate|implement|write|code|parse|validate|build|rate-limit|rate limit|throttle|enforce|return|convert|format|model|simulate|design|store|generate|program|track|iterate|serialize|render|extract)\b",
        r"\b(?:calcul\w+|implement\w+|escrib\w+|program\w+|valid\w+|constru\w+|limit(?:o|ar|e)|devuelv\w+|devolver|convert\w+|formate\w+|gener\w+|extra\w+|recorr\w+|guard\w+|almacen(?:o|ar))\b",
    ])
});

/// Plans and projects of other kinds.
static OTHER: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    compile(&[
        r"\b(?:query|execution|test|floor|migration|project) plan\b",
        r"\bplan de (?:ejecucion|consulta|pruebas)\b",
    ])
});

/// RC-02 over a folded message: an account anchor and a metric, and neither a how-to nor a code request.
pub(crate) fn signal(subject: &str) -> bool {
    if matches(&OTHER, subject) || code::signal(subject) {
        return false;
    }
    let strong = matches(&STRONG, subject);
    if !strong && !matches(&WEAK, subject) {
        return false;
    }
    let program = matches(&PROGRAM, subject);
    let how_to = matches(&HOW_TO, subject);
    if how_to && (program || matches(&BUILDS, subject)) {
        return false;
    }
    if program && !(strong && owns_account(subject)) {
        return false;
    }
    // A how-to is answered by documentation unless it is about something of the caller's.
    owns_account(subject) || (!how_to && matches(&ANCHORS, subject))
}

/// Whether a possessive points at the account rather than at code or at the conversation.
fn owns_account(subject: &str) -> bool {
    let (Some(possessive), Some(other)) = (POSSESSIVE.as_ref(), NOT_OWN.as_ref()) else { return false };
    possessive
        .captures_iter(subject)
        .filter_map(|found| found.get(1))
        .any(|owned| !other.is_match(owned.as_str()))
        || subject.contains("this project")
        || subject.contains("este proyecto")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fires(message: &str) -> bool {
        signal(&normalize(message))
    }

    #[test]
    fn every_pattern_compiles() {
        assert!(POSSESSIVE.is_some() && NOT_OWN.is_some());
        let sizes =
            [ANCHORS.len(), STRONG.len(), WEAK.len(), PROGRAM.len(), HOW_TO.len(), BUILDS.len(), OTHER.len()];
        assert_eq!(sizes, [11, 5, 3, 2, 3, 2, 2]);
    }

    #[test]
    fn an_anchor_and_a_metric_are_a_signal() {
        for message in [
            "How much of my quota is left?",
            "What percentage of my plan have I used?",
            "Show me my latest invoice",
            "Is this project close to its limit?",
            "How many credits do I have left?",
            "What is our consumption this month?",
            "When is my subscription renewed and how much is the bill?",
            "Have I exceeded my rate limit?",
            "How many tokens have we used today?",
            "¿Cuánto me queda de la cuota?",
            "¿Cuál es el consumo de mi cuenta este mes?",
            "Enséñame mi última factura",
            "¿Cuántos créditos tengo?",
            "¿Qué límite tiene mi plan?",
            "¿He superado el límite de mi suscripción?",
            "¿Cuánto llevo gastado este mes?",
            "porcentaje de uso de este proyecto",
        ] {
            assert!(fires(message), "{message}");
        }
    }

    #[test]
    fn how_to_and_code_requests_are_no_platform_signal() {
        for message in [
            "How do I rate-limit an endpoint?",
            "How can I compute a bill in AVAP?",
            "Write a function that calculates my bill",
            "Return 20 % of the rows",
            "How do I limit my loop to 20 iterations?",
            "What is the usage of addParam?",
            "What does the limit argument of the query do?",
            "Explain your previous answer about quotas",
            "Is there a limit on the number of rows my query returns?",
            "Create an endpoint that returns the invoice of an account",
            "What is a rate limit?",
            "¿Cómo calculo una factura en AVAP?",
            "Escribe un endpoint que devuelva la cuota de mi cuenta",
            "¿Cómo limito el número de peticiones de un endpoint?",
            "el 20 % de las filas",
            "¿Qué uso tiene la función getDateTime?",
            "How does addParam work?",
        ] {
            assert!(!fires(message), "{message}");
        }
    }

    #[test]
    fn built_in_prefixes_stay_and_their_hash_names_the_list() {
        let more = PlatformPrefixes::with(["  Billing   Bot  "]);
        assert!(more.matches("you are a DIRECT and\nconcise assistant. Hello"));
        assert!(more.matches("I am the billing bot"));
        assert_ne!(more.sha256(), PlatformPrefixes::default().sha256());
    }
}
