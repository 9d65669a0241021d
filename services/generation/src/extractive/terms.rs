//! Words, stems, stop words, synonyms and the small Spanish–English glossary: how a question meets a sentence.

use std::collections::BTreeSet;

use rust_stemmers::{Algorithm, Stemmer};

use super::language::{Language, fold};

/// A word of a text with its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Word {
    /// The word as written.
    pub(crate) text: String,
    /// Byte range in the text.
    pub(crate) range: std::ops::Range<usize>,
}

impl Word {
    /// Whether it looks like a name of a program: an underscore, an inner capital, or letters with digits.
    pub(crate) fn is_identifier(&self) -> bool {
        let inner_capital =
            self.text.chars().skip(1).any(char::is_uppercase) && self.text.chars().any(char::is_lowercase);
        let mixed =
            self.text.chars().any(|c| c.is_ascii_digit()) && self.text.chars().any(char::is_alphabetic);
        let file = self.text.contains('.') && self.text.chars().any(char::is_alphabetic);
        self.text.contains('_') || file || inner_capital || mixed
    }

    /// Whether it begins with a capital letter.
    pub(crate) fn is_capitalised(&self) -> bool {
        self.text.chars().next().is_some_and(char::is_uppercase)
    }
}

/// Words of a text: runs of letters, digits and inner underscores; a full stop between letters or digits belongs to
/// the word (`web.yml`, `3.0`). Underscores at the ends are emphasis or decoration and go.
pub(crate) fn words(text: &str) -> Vec<Word> {
    let mut out = Vec::new();
    let mut start = None;
    let mut rest = text.char_indices().peekable();
    let mut push = |range: std::ops::Range<usize>| {
        let slice = &text[range.clone()];
        let bare = slice.trim_matches('_');
        if !bare.is_empty() {
            let from = range.start + (slice.len() - slice.trim_start_matches('_').len());
            out.push(Word { text: bare.to_owned(), range: from..from + bare.len() });
        }
    };
    while let Some((at, c)) = rest.next() {
        let next = rest.peek().map(|&(_, next)| next);
        let inner_stop = c == '.' && start.is_some() && next.is_some_and(char::is_alphanumeric);
        if c.is_alphanumeric() || c == '_' || inner_stop {
            start.get_or_insert(at);
        } else if let Some(from) = start.take() {
            push(from..at);
        }
    }
    if let Some(from) = start {
        push(from..text.len());
    }
    out
}

/// Parts of an identifier: `scrape_configs` and `scrapeConfigs` both give `scrape`, `configs`.
fn parts(word: &str) -> Vec<String> {
    let mut out = Vec::new();
    let mut part = String::new();
    let mut previous_lower = false;
    for c in word.chars() {
        if c == '_' || c == '.' || (c.is_uppercase() && previous_lower) {
            if !part.is_empty() {
                out.push(std::mem::take(&mut part));
            }
            previous_lower = false;
        }
        if c != '_' && c != '.' {
            part.push(c);
            previous_lower = c.is_lowercase() || c.is_ascii_digit();
        }
    }
    if !part.is_empty() {
        out.push(part);
    }
    out
}

/// Irregular forms of verbs that questions about software use, with their base.
const IRREGULAR: &[(&str, &str)] = &[
    ("wrote", "write"),
    ("written", "write"),
    ("ran", "run"),
    ("built", "build"),
    ("sent", "send"),
    ("made", "make"),
    ("chose", "choose"),
    ("chosen", "choose"),
    ("kept", "keep"),
    ("found", "find"),
    ("gave", "give"),
    ("given", "give"),
    ("began", "begin"),
    ("took", "take"),
    ("taken", "take"),
    ("got", "get"),
    ("held", "hold"),
    ("lost", "lose"),
    ("meant", "mean"),
    ("stood", "stand"),
    ("thought", "think"),
    ("broke", "break"),
    ("broken", "break"),
    ("chosen", "choose"),
];

/// Stem of one word, folded. Numbers and words of up to three letters are their own stem.
pub(crate) fn stem(word: &str, language: Language) -> String {
    let mut lower = word.to_lowercase();
    if language == Language::English
        && let Some((_, base)) = IRREGULAR.iter().find(|(form, _)| *form == lower)
    {
        lower = (*base).to_owned();
    }
    if lower.chars().count() <= 3 || lower.chars().any(|c| c.is_ascii_digit()) {
        let folded = fold(&lower);
        return match folded.strip_suffix('s') {
            Some(singular) if folded.len() == 4 => singular.to_owned(),
            _ => folded,
        };
    }
    let algorithm = match language {
        Language::English => Algorithm::English,
        Language::Spanish => Algorithm::Spanish,
    };
    fold(&Stemmer::create(algorithm).stem(&lower))
}

/// Stems of a word: its own and those of its parts.
pub(crate) fn stems_of(word: &Word, language: Language) -> Vec<String> {
    let mut out = vec![stem(&word.text, language)];
    if word.is_identifier() {
        out.push(fold(&word.text));
        out.extend(parts(&word.text).iter().map(|part| stem(part, language)));
    }
    out.sort();
    out.dedup();
    out
}

/// All stems of a text.
pub(crate) fn stem_set(text: &str, language: Language) -> BTreeSet<String> {
    words(text).iter().flat_map(|word| stems_of(word, language)).collect()
}

/// All stems of a text that are not stop words.
pub(crate) fn content_stems(text: &str, language: Language) -> BTreeSet<String> {
    words(text)
        .iter()
        .filter(|word| !is_stop(&word.text, language))
        .flat_map(|word| stems_of(word, language))
        .collect()
}

const STOP_ENGLISH: &str = " a about above after again all also am an and any are as at be because been before being \
    below between both but by can cannot could did do does doing done don down during each either else ever every few \
    for from further had has have having he her here hers him his how i if in into is it its itself just let lets ll me \
    more most much must my myself no nor not now of off on once one only or other our ours out over own per please re s \
    same shall she should so some such t than that the their theirs them then there these they this those through to \
    too under until upon us ve very via was way ways we were what when where whether which while who whom whose why \
    will with within without would yes yet you your yours difference differences differ differs different versus vs \
    compare compared comparison tell explain describe mean means meaning kind kinds sort ";

const STOP_SPANISH: &str = " a al algo alguna algunas alguno algunos ante antes aquel aquella asi aun aunque bajo bien \
    cada casi como con contra cual cuales cualquier cuando cuanta cuantas cuanto cuantos de debe deben debo del desde donde dos el \
    ella ellas ellos en entre era eres es esa esas ese eso esos esta estan estas este esto estos estoy fue ha hace hacer \
    hacia hago han hasta hay he incluso la las le les lo los mas me mi mientras mis mucho muy nada ni no nos nosotros o \
    os otra otras otro otros para pero poco por porque pueda puede pueden puedo pues que quien quienes se sea segun ser si \
    siempre sin sino sobre solo son soy su sus tal tambien tan tanto te tener tengo ti tiene tienen toda todas todo todos \
    tras tu tus u un una unas uno unos usted y ya yo diferencia diferencias diferente explica explicame dime significa \
    sirve quiero necesito manera forma favor comparar lugar vez ";

/// Words that rarely carry what is asked; they count little.
const WEAK: &str = " use used using uses usage usar uso usa utiliza utilizar work works working funciona funcionar want need needs get gets \
    getting make makes making thing things happen happens happening possible know good best better recommended \
    recommend example examples ejemplo ejemplos call called calls give gives given go goes like look see show shows support \
    supports supported allow allows allowed come available type types tipo tipos provide provides right new nuevo mejor help \
    ayuda ask handle current actually really currently write escribir escribe mostrar muestra code codigo program programa \
    programs start out find found try two three many long often ";

/// Whether a word carries no content in this language. English function words are stop words in Spanish text too.
pub(crate) fn is_stop(word: &str, language: Language) -> bool {
    let folded = fold(word);
    listed(
        match language {
            Language::English => STOP_ENGLISH,
            Language::Spanish => STOP_SPANISH,
        },
        &folded,
    )
}

/// Verbs that many questions share; they count less than what they are about.
const MEDIUM: &str = " enable disable configure set setup create add run start stop write define declare change remove delete read return \
    name up named call send open install build activar activo configurar configuro crear creo añadir ejecutar ejecuto definir defino declarar declaro cambiar cambio \
    leer leo devolver devuelvo llamar llamo enviar envio abrir abro instalar instalo borrar borro escribo made release released feed put meaning step steps ";

/// Whether a word counts little.
pub(crate) fn is_weak(word: &str) -> bool {
    listed(WEAK, &fold(word))
}

/// Whether a word is a verb that many questions share.
pub(crate) fn is_common_verb(word: &str) -> bool {
    listed(MEDIUM, &fold(word))
}

fn listed(list: &str, word: &str) -> bool {
    list.split_whitespace().any(|entry| entry == word)
}

/// Words that may stand for one another in a question about software.
const SYNONYMS_ENGLISH: &[&str] = &[
    "configure set setup configuration setting option enable",
    "delete remove drop erase",
    "create make add define declare build",
    "run start launch execute",
    "error fail failure exception",
    "default standard",
    "function command method procedure",
    "parameter argument param input",
    "return respond response result output answer",
    "fast quick performance efficient speed",
    "write author develop",
    "secure security protect",
    "authentication auth authenticate",
    "monitor observe watch scrape",
    "send push notify",
    "fetch pull scrape retrieve collect",
    "check validate verify test",
    "length size count number",
    "loop iterate iteration repeat",
    "condition conditional if branch",
    "list array collection",
    "string text",
    "convert transform parse cast",
    "store storage save persist keep",
    "view display visualize dashboard graph chart",
    "alert alerting alarm notification page",
    "name naming named",
    "stop end finish close terminate",
    "avoid prevent",
    "reload refresh",
    "request call query",
    "password credential",
    "highly high available availability",
    "encrypt encryption tls ssl https",
    "replace substitute",
    "license licence",
    "language written",
    "element item entry value member",
    "database sql",
];

const SYNONYMS_SPANISH: &[&str] = &[
    "configurar configuracion ajustar opcion activar",
    "borrar eliminar quitar",
    "crear hacer añadir definir declarar construir agregar",
    "ejecutar arrancar lanzar iniciar",
    "error fallo excepcion",
    "funcion orden comando",
    "parametro argumento entrada",
    "devolver responder respuesta resultado salida",
    "comprobar validar verificar",
    "longitud tamaño numero cantidad",
    "bucle iterar repetir vuelta recorrer",
    "condicion condicional rama",
    "lista matriz coleccion",
    "cadena texto",
    "convertir transformar",
    "guardar almacenar",
    "parar terminar cerrar acabar",
    "elemento valor entrada",
];

/// Common Spanish words of technical questions with their English counterparts; keys hold the forms that
/// do not share a stem and are matched by Spanish stem.
const GLOSSARY: &[(&str, &str)] = &[
    ("acceso", "access"),
    ("activar", "enable activate"),
    ("actualizar", "update upgrade"),
    ("agregar", "add aggregate"),
    ("ajuste", "setting"),
    ("alerta", "alert"),
    ("almacenamiento", "storage"),
    ("almacenar", "store storage"),
    ("alta", "high"),
    ("añadir", "add"),
    ("anidado", "nested"),
    ("aplicación", "application"),
    ("archivo", "file"),
    ("argumento", "argument"),
    ("arrancar", "start launch"),
    ("autenticación", "authentication auth"),
    ("base", "base basic"),
    ("básica", "basic"),
    ("biblioteca", "library"),
    ("borrar", "delete remove"),
    ("bucle", "loop"),
    ("buscar", "search find lookup"),
    ("cadena", "string"),
    ("calcular", "calculate compute"),
    ("cambiar", "change"),
    ("campo", "field"),
    ("carpeta", "folder directory"),
    ("cargar", "load upload"),
    ("cerrar cierra cierre cierro", "close"),
    ("cifrado", "encryption tls"),
    ("clave", "key"),
    ("cliente", "client"),
    ("código", "code"),
    ("columna", "column"),
    ("comando", "command"),
    ("comparar", "compare"),
    ("comprobar comprueba compruebe compruebo", "check"),
    ("condición", "condition"),
    ("conectar", "connect"),
    ("conexión", "connection"),
    ("configuración", "configuration configure config"),
    ("configurar", "configure configuration"),
    ("consulta", "query"),
    ("contador", "counter"),
    ("contar", "count"),
    ("contenedor", "container"),
    ("contraseña", "password"),
    ("convención", "convention"),
    ("convertir", "convert"),
    ("crear", "create"),
    ("cubo", "bucket"),
    ("dato", "data"),
    ("declarar", "declare"),
    ("dependencia", "dependency"),
    ("descubrimiento", "discovery"),
    ("despliegue", "deployment deploy"),
    ("devolver devuelve devuelva devuelvo", "return"),
    ("disponibilidad", "availability available"),
    ("disponible", "available"),
    ("documentación", "documentation"),
    ("dominio", "domain"),
    ("ejecución", "execution run"),
    ("ejecutar", "run execute"),
    ("elemento", "element item"),
    ("eliminar", "remove delete"),
    ("empujar", "push"),
    ("encabezado", "header"),
    ("enlace", "link"),
    ("entorno", "environment"),
    ("entrada", "input"),
    ("enviar envía envíe envío", "send push"),
    ("escribir", "write"),
    ("escrito", "written"),
    ("espacio", "space"),
    ("estado", "status state"),
    ("etiqueta", "label tag"),
    ("evitar", "avoid"),
    ("exportador", "exporter"),
    ("exponer", "expose"),
    ("expresión", "expression"),
    ("fallo", "failure error"),
    ("fecha", "date"),
    ("fichero", "file"),
    ("flujo", "stream flow"),
    ("formato", "format"),
    ("función", "function"),
    ("gráfico", "graph graphing dashboard"),
    ("guardar", "save store"),
    ("herramienta", "tool"),
    ("histograma", "histogram"),
    ("hora", "time hour"),
    ("instalar", "install"),
    ("instancia", "instance"),
    ("instrumentar", "instrument instrumentation"),
    ("lectura", "read"),
    ("leer lee lea leo", "read"),
    ("lenguaje", "language"),
    ("licencia", "license"),
    ("límite", "limit"),
    ("longitud", "length"),
    ("línea", "line"),
    ("lista", "list"),
    ("llamada", "call"),
    ("lote", "batch"),
    ("lugar", "place"),
    ("máquina", "machine"),
    ("medidor", "gauge"),
    ("mensaje", "message"),
    ("métrica", "metric"),
    ("métrico", "metric"),
    ("modelo", "model"),
    ("monitorizar", "monitor monitoring"),
    ("monitorear", "monitor monitoring"),
    ("motor", "engine"),
    ("nativo", "native"),
    ("nivel", "level"),
    ("nombre", "name naming"),
    ("nombrar", "name naming"),
    ("notificación", "notification"),
    ("nube", "cloud"),
    ("número", "number"),
    ("objetivo", "target"),
    ("opción", "option"),
    ("orden", "command order"),
    ("origen", "source origin"),
    ("página", "page"),
    ("panel", "dashboard panel console"),
    ("parámetro", "parameter"),
    ("paso", "step"),
    ("permiso", "permission"),
    ("petición", "request"),
    ("predeterminado", "default"),
    ("defecto", "default"),
    ("proceso", "process"),
    ("programa", "program"),
    ("promedio", "average"),
    ("prueba", "test"),
    ("puerto", "port"),
    ("rama", "branch"),
    ("rastreo", "trace scrape"),
    ("raspado", "scrape"),
    ("recargar", "reload"),
    ("recolectar", "collect scrape"),
    ("recomendación", "recommendation"),
    ("recorrer recorre recorra recorro", "loop iterate walk"),
    ("red", "network"),
    ("registro", "log record"),
    ("regla", "rule"),
    ("remota", "remote"),
    ("remoto", "remote"),
    ("rendimiento", "performance"),
    ("repositorio", "repository"),
    ("respuesta", "response answer"),
    ("resultado", "result"),
    ("resumen", "summary"),
    ("ruta", "path route"),
    ("salida", "output"),
    ("seguridad", "security secure"),
    ("seguro", "secure"),
    ("serie", "series"),
    ("servicio", "service"),
    ("servidor", "server"),
    ("sesión", "session"),
    ("sistema", "system"),
    ("sumar suma sume", "sum add"),
    ("entero", "integer"),
    ("mayor", "greater"),
    ("menor", "less"),
    ("primero", "first"),
    ("último", "last"),
    ("cambio", "change"),
    ("medir mide mida mido", "measure"),
    ("proteger protejo protege", "protect secure"),
    ("poner pongo", "set"),
    ("ver veo", "see view"),
    ("hacer hago", "make do"),
    ("dirección", "address"),
    ("conjunto", "set"),
    ("texto", "text string"),
    ("muestra", "sample"),
    ("tabla", "table"),
    ("tamaño", "size"),
    ("tarea", "task job"),
    ("temporal", "time temporary"),
    ("tiempo", "time"),
    ("trabajo", "job work"),
    ("traza", "trace"),
    ("unidad", "unit"),
    ("usuario", "user"),
    ("usar", "use"),
    ("utilizar", "use"),
    ("valor", "value"),
    ("variable", "variable"),
    ("ventaja", "advantage"),
    ("versión", "version"),
    ("visualizar", "visualize graph"),
    ("vacío", "empty"),
    ("dividir", "divide split"),
    ("error", "error"),
    ("escritura", "write"),
    ("cuantil", "quantile"),
    ("percentil", "percentile quantile"),
    ("umbral", "threshold"),
    ("cuenta", "account count"),
    ("uso", "usage use"),
    ("consumo", "usage consumption"),
    ("cuota", "quota"),
    ("factura", "invoice bill billing"),
    ("mes", "month"),
    ("plan", "plan"),
    ("suscripción", "subscription"),
    ("crédito", "credit"),
    ("renovación", "renewal"),
    ("renueva", "renew renewal"),
    ("saldo", "balance"),
    ("restante", "remaining left"),
    ("queda", "remaining left"),
    ("gastado", "used spent"),
    ("precio", "price cost"),
    ("coste", "cost"),
];

/// English words for a Spanish one; empty when the glossary does not have it.
pub(crate) fn translate(word: &str) -> Vec<&'static str> {
    let wanted = stem(word, Language::Spanish);
    GLOSSARY
        .iter()
        .filter(|(spanish, _)| {
            spanish.split(' ').any(|form| stem(form, Language::Spanish) == wanted || fold(form) == fold(word))
        })
        .flat_map(|(_, english)| english.split_whitespace())
        .collect()
}

/// Words that may stand for `word`, without the word itself.
pub(crate) fn synonyms(word: &str, language: Language) -> Vec<&'static str> {
    let wanted = stem(word, language);
    let groups = match language {
        Language::English => SYNONYMS_ENGLISH,
        Language::Spanish => SYNONYMS_SPANISH,
    };
    let mut out: Vec<&'static str> = groups
        .iter()
        .filter(|group| group.split_whitespace().any(|entry| stem(entry, language) == wanted))
        .flat_map(|group| group.split_whitespace())
        .filter(|entry| stem(entry, language) != wanted)
        .collect();
    out.sort_unstable();
    out.dedup();
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_match_by_name_and_by_part() {
        let set = stem_set("Set `scrape_configs` or scrapeInterval.", Language::English);
        for wanted in ["scrape_configs", "scrape", "config", "interv", "scrapeinterval"] {
            assert!(
                set.contains(&stem(wanted, Language::English)) || set.contains(wanted),
                "{wanted} in {set:?}"
            );
        }
    }

    #[test]
    fn plural_and_singular_share_a_stem() {
        assert_eq!(stem("histograms", Language::English), stem("histogram", Language::English));
        assert_eq!(stem("bucles", Language::Spanish), stem("bucle", Language::Spanish));
    }

    #[test]
    fn the_glossary_is_found_by_plural_too() {
        assert!(translate("etiquetas").contains(&"label"));
        assert!(translate("contraseñas").contains(&"password"));
    }

    #[test]
    fn synonyms_do_not_contain_the_word_itself() {
        let found = synonyms("configure", Language::English);
        assert!(found.contains(&"setting") && !found.contains(&"configure"), "{found:?}");
    }
}
