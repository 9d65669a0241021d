//! Word lists of the mismatch rules, English and Spanish, folded: negation, opposites, quantifiers, modals, direction.

/// Words that deny what follows.
pub(crate) const NEGATORS: &[&str] = &[
    "not", "no", "never", "without", "cannot", "neither", "nor", "none", "nobody", "nothing", "nunca",
    "jamas", "sin", "ni", "ningun", "ninguna", "ninguno", "tampoco", "nadie", "nada",
];

/// Words that deny by their meaning; they answer a negation but do not make one.
pub(crate) const SOFT_NEGATORS: &[&str] = &[
    "fail",
    "fails",
    "failed",
    "fails",
    "unable",
    "lack",
    "lacks",
    "lacking",
    "refuse",
    "refuses",
    "refused",
    "reject",
    "rejects",
    "rejected",
    "prevent",
    "prevents",
    "prevented",
    "avoid",
    "avoids",
    "ignore",
    "ignores",
    "ignored",
    "skip",
    "skips",
    "skipped",
    "omit",
    "omits",
    "omitted",
    "except",
    "unless",
    "instead",
    "rather",
    "absent",
    "missing",
    "impossible",
    "unavailable",
    "unsupported",
    "unknown",
    "unset",
    "disabled",
    "disable",
    "disables",
    "hardly",
    "barely",
    "forbidden",
    "forbid",
    "forbids",
    "prohibits",
    "prohibited",
    "denies",
    "denied",
    "excludes",
    "excluded",
    "stops",
    "stop",
    "falla",
    "impide",
    "evita",
    "omite",
    "rechaza",
    "ignora",
    "excepto",
    "salvo",
    "imposible",
    "carece",
    "prohibe",
    "excluye",
    "neither",
    "little",
    "few",
    "free",
    "independent",
    "only",
    "solo",
    "different",
    "differs",
    "unlike",
    "too",
];

/// Words that mean the opposite of each other.
pub(crate) const OPPOSITES: &[(&str, &str)] = &[
    ("enable", "disable"),
    ("enabled", "disabled"),
    ("allow", "forbid"),
    ("allow", "deny"),
    ("allow", "prevent"),
    ("allowed", "forbidden"),
    ("allowed", "prohibited"),
    ("permit", "forbid"),
    ("permit", "prohibit"),
    ("accept", "reject"),
    ("accept", "refuse"),
    ("include", "exclude"),
    ("increase", "decrease"),
    ("increase", "reduce"),
    ("raise", "lower"),
    ("maximum", "minimum"),
    ("max", "min"),
    ("maximize", "minimize"),
    ("largest", "smallest"),
    ("highest", "lowest"),
    ("longest", "shortest"),
    ("first", "last"),
    ("required", "optional"),
    ("mandatory", "optional"),
    ("ascending", "descending"),
    ("true", "false"),
    ("open", "close"),
    ("opened", "closed"),
    ("start", "stop"),
    ("begin", "end"),
    ("synchronous", "asynchronous"),
    ("sync", "async"),
    ("public", "private"),
    ("success", "failure"),
    ("succeed", "fail"),
    ("add", "remove"),
    ("insert", "delete"),
    ("create", "delete"),
    ("encrypt", "decrypt"),
    ("encode", "decode"),
    ("input", "output"),
    ("left", "right"),
    ("up", "down"),
    ("upper", "lower"),
    ("uppercase", "lowercase"),
    ("always", "never"),
    ("all", "none"),
    ("valid", "invalid"),
    ("local", "remote"),
    ("mutable", "immutable"),
    ("internal", "external"),
    ("inbound", "outbound"),
    ("incoming", "outgoing"),
    ("read", "write"),
    ("connect", "disconnect"),
    ("install", "uninstall"),
    ("lock", "unlock"),
    ("load", "unload"),
    ("push", "pull"),
    ("hot", "cold"),
    ("fast", "slow"),
    ("faster", "slower"),
    ("quick", "slow"),
    ("high", "low"),
    ("higher", "lower"),
    ("large", "small"),
    ("larger", "smaller"),
    ("long", "short"),
    ("longer", "shorter"),
    ("more", "less"),
    ("more", "fewer"),
    ("most", "least"),
    ("greater", "less"),
    ("greater", "smaller"),
    ("above", "below"),
    ("before", "after"),
    ("earlier", "later"),
    ("older", "newer"),
    ("old", "new"),
    ("early", "late"),
    ("inside", "outside"),
    ("within", "outside"),
    ("with", "without"),
    ("static", "dynamic"),
    ("manual", "automatic"),
    ("manually", "automatically"),
    ("single", "multiple"),
    ("single", "several"),
    ("single", "double"),
    ("temporary", "permanent"),
    ("explicit", "implicit"),
    ("explicitly", "implicitly"),
    ("strong", "weak"),
    ("safe", "unsafe"),
    ("sensitive", "insensitive"),
    ("known", "unknown"),
    ("positive", "negative"),
    ("horizontal", "vertical"),
    ("absolute", "relative"),
    ("simple", "complex"),
    ("easy", "difficult"),
    ("easy", "hard"),
    ("same", "different"),
    ("present", "absent"),
    ("available", "unavailable"),
    ("active", "inactive"),
    ("online", "offline"),
    ("stable", "unstable"),
    ("ordered", "unordered"),
    ("sorted", "unsorted"),
    ("signed", "unsigned"),
    ("stateless", "stateful"),
    ("cheap", "expensive"),
    ("empty", "full"),
    ("parent", "child"),
    ("buy", "sell"),
    ("import", "export"),
    ("upload", "download"),
    ("serial", "parallel"),
    ("sequentially", "concurrently"),
    ("once", "repeatedly"),
    ("win", "lose"),
    ("north", "south"),
    ("east", "west"),
    ("retain", "discard"),
    ("keep", "discard"),
    ("keep", "drop"),
    ("supported", "unsupported"),
    ("support", "oppose"),
    ("oldest", "newest"),
    ("oldest", "latest"),
    ("double", "half"),
    ("doubles", "halves"),
    ("double", "halve"),
    ("rise", "fall"),
    ("grow", "shrink"),
    ("upwards", "downwards"),
    ("upward", "downward"),
    ("on", "off"),
    ("over", "under"),
    ("majority", "minority"),
    ("beginning", "end"),
    ("front", "back"),
    ("forward", "backward"),
    ("wide", "narrow"),
    ("thick", "thin"),
    ("heavy", "light"),
    ("deep", "shallow"),
    ("warm", "cool"),
    ("wet", "dry"),
    ("bright", "dark"),
    ("better", "worse"),
    ("best", "worst"),
    ("arrive", "depart"),
    ("enter", "leave"),
    ("attach", "detach"),
    ("append", "prepend"),
    ("include", "omit"),
    ("accept", "decline"),
    ("legal", "illegal"),
    ("possible", "impossible"),
    ("visible", "hidden"),
    ("major", "minor"),
    ("expand", "collapse"),
    ("expand", "shrink"),
    ("eager", "lazy"),
    ("eagerly", "lazily"),
    ("free", "paid"),
    ("client", "server"),
    ("sender", "receiver"),
    ("mas", "menos"),
    ("sube", "baja"),
    ("sumar", "restar"),
    ("caliente", "frio"),
    ("prohibido", "permitido"),
    ("permite", "prohibe"),
    ("gratuita", "pago"),
    ("diurno", "nocturno"),
    ("norte", "sur"),
    ("exterior", "interior"),
    ("conserva", "borra"),
    ("abierto", "cerrado"),
    ("primeros", "ultimos"),
    ("cliente", "servidor"),
    ("activar", "desactivar"),
    ("activado", "desactivado"),
    ("activa", "desactiva"),
    ("permite", "impide"),
    ("permite", "prohibe"),
    ("acepta", "rechaza"),
    ("incluye", "excluye"),
    ("aumenta", "reduce"),
    ("aumenta", "disminuye"),
    ("maximo", "minimo"),
    ("primero", "ultimo"),
    ("primera", "ultima"),
    ("obligatorio", "opcional"),
    ("obligatoria", "opcional"),
    ("requerido", "opcional"),
    ("ascendente", "descendente"),
    ("verdadero", "falso"),
    ("abre", "cierra"),
    ("publico", "privado"),
    ("exito", "fallo"),
    ("anade", "elimina"),
    ("crea", "elimina"),
    ("entrada", "salida"),
    ("izquierda", "derecha"),
    ("siempre", "nunca"),
    ("valido", "invalido"),
    ("mayor", "menor"),
    ("mas", "menos"),
    ("antes", "despues"),
    ("encima", "debajo"),
    ("dentro", "fuera"),
    ("con", "sin"),
    ("rapido", "lento"),
    ("rapida", "lenta"),
    ("alto", "bajo"),
    ("largo", "corto"),
    ("nuevo", "viejo"),
    ("mismo", "distinto"),
];

/// Opposites that hold between two things: turned round together with their sides they say the same.
pub(crate) const RELATIONAL: &[&str] = &[
    "before", "after", "above", "below", "over", "under", "more", "less", "fewer", "greater", "smaller",
    "higher", "lower", "larger", "longer", "shorter", "faster", "slower", "older", "newer", "earlier",
    "later", "parent", "child", "antes", "despues", "mayor", "menor", "mas", "menos", "encima", "debajo",
    "buy", "sell",
];

/// Class of a quantifier.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Quantifier {
    /// Every one, always.
    All,
    /// Most, usually.
    Most,
    /// Some, sometimes.
    Some,
    /// None, never.
    None,
    /// No other.
    Only,
    /// Not more than.
    AtMost,
    /// Not less than.
    AtLeast,
    /// Obligation.
    Must,
    /// Recommendation.
    Should,
    /// Possibility.
    May,
}

impl Quantifier {
    /// Whether the two cannot both be right of the same thing.
    pub(crate) fn conflicts(self, other: Self) -> bool {
        use Quantifier::{All, AtLeast, AtMost, May, Most, Must, None, Only, Should, Some};
        matches!(
            (self, other),
            (All, Most | Some | None | AtMost)
                | (Most, All | Some | None)
                | (Some, All | Most | None | Only)
                | (None, All | Most | Some)
                | (Only, Some)
                | (AtMost, AtLeast)
                | (AtLeast, AtMost)
                | (Must, May | Should)
                | (Should, Must | May)
                | (May, Must | Should)
        )
    }
}

/// Whether a folded word denies what follows.
pub(crate) fn denies(word: &str) -> bool {
    NEGATORS.contains(&word) || word.ends_with("n't") || word.ends_with("n'ts")
}

/// Words behind which a second one makes a quantifier.
const FIRST_OF_TWO: &[&str] =
    &["al", "at", "como", "has", "have", "hay", "need", "needs", "por", "tiene", "tienen", "up"];

/// Whether [`quantifier`] may find something in a folded word, whatever follows it.
pub(crate) fn may_bound(word: &str) -> bool {
    FIRST_OF_TWO.contains(&word) || quantifier(word, "").is_some()
}

/// Class of a folded word, looking at the next one for "at most", "up to", "at least".
pub(crate) fn quantifier(word: &str, next: &str) -> Option<Quantifier> {
    use Quantifier::{All, AtLeast, AtMost, May, Most, Must, None as Nothing, Only, Should, Some as Few};
    Some(match (word, next) {
        ("at" | "como", "most" | "maximo" | "mucho") | ("up", "to") => AtMost,
        ("at" | "al" | "por", "least" | "menos") | ("como", "minimo") => AtLeast,
        ("has" | "have" | "needs" | "need", "to") | ("tiene" | "tienen" | "hay", "que") => Must,
        (
            "all" | "every" | "each" | "always" | "todo" | "toda" | "todos" | "todas" | "cada" | "siempre"
            | "entire",
            _,
        ) => All,
        (
            "most" | "usually" | "mostly" | "typically" | "generally" | "often" | "frequently" | "majority",
            _,
        ) => Most,
        ("mayoria" | "normalmente" | "generalmente" | "frecuentemente", _) => Most,
        ("some" | "sometimes" | "occasionally" | "several" | "few" | "rarely" | "seldom", _) => Few,
        ("algunos" | "algunas" | "algun" | "alguna" | "varios" | "varias" | "pocos" | "pocas", _) => Few,
        ("never" | "none" | "nunca" | "jamas" | "ningun" | "ninguna" | "ninguno", _) => Nothing,
        ("only" | "solely" | "exclusively" | "solo" | "solamente" | "unicamente", _) => Only,
        (
            "must" | "shall" | "required" | "mandatory" | "requires" | "debe" | "deben" | "obligatorio"
            | "obligatoria",
            _,
        ) => Must,
        ("should" | "recommended" | "deberia" | "deberian" | "recomienda" | "recomendado", _) => Should,
        ("may" | "might" | "could" | "optional" | "optionally" | "possibly" | "perhaps", _) => May,
        ("puede" | "pueden" | "podria" | "podrian" | "opcional" | "opcionalmente", _) => May,
        _ => return Option::None,
    })
}

/// Words that make a claim stronger where the source has none.
pub(crate) const STRENGTHENERS: &[&str] = &[
    "always",
    "never",
    "only",
    "must",
    "exclusively",
    "guaranteed",
    "guarantees",
    "siempre",
    "nunca",
    "solamente",
    "unicamente",
];

/// Words that say where a claim comes from, and nothing of its matter.
pub(crate) const REFERENCES: &[&str] =
    &["passage", "passages", "according", "mentioned", "stated", "pasaje", "pasajes", "segun"];
/// The same where a number follows.
pub(crate) const NUMBERED: &[&str] =
    &["source", "sources", "step", "steps", "fuente", "fuentes", "paso", "document", "documento"];

/// Words that mark a passive: its sides stand the other way round.
pub(crate) const PASSIVE: &[&str] = &["by", "por"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_word_is_a_quantifier_that_the_quick_look_leaves_out() {
        let nexts =
            ["", "most", "maximo", "mucho", "to", "least", "menos", "minimo", "que", "all", "of", "a"];
        let text = include_str!("lists.rs");
        let words: Vec<&str> =
            text.split(|c: char| !c.is_ascii_lowercase()).filter(|word| !word.is_empty()).collect();
        for word in words {
            let found = nexts.iter().any(|next| quantifier(word, next).is_some());
            assert!(!found || may_bound(word), "{word}");
        }
    }
}
