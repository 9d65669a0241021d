//! Word lists of the mismatch rules, English and Spanish, folded: negation, direction. Opposites and words of one kind stand in
//! `data`.

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
    "removed",
    "discontinued",
    "dropped",
    "eliminado",
    "eliminada",
    "retirado",
    "retirada",
    "suprimido",
    "suprimida",
];

/// Opposites that hold between two things: turned round together with their sides they say the same.
pub(crate) const RELATIONAL: &[&str] = &[
    "before", "after", "above", "below", "over", "under", "more", "less", "fewer", "greater", "smaller",
    "higher", "lower", "larger", "longer", "shorter", "faster", "slower", "older", "newer", "earlier",
    "later", "parent", "child", "antes", "despues", "mayor", "menor", "mas", "menos", "encima", "debajo",
    "buy", "sell",
];

/// Words that say where a claim comes from, and nothing of its matter.
pub(crate) const REFERENCES: &[&str] =
    &["passage", "passages", "according", "mentioned", "stated", "pasaje", "pasajes", "segun"];
/// The same where a number follows.
pub(crate) const NUMBERED: &[&str] =
    &["source", "sources", "step", "steps", "fuente", "fuentes", "paso", "document", "documento"];

/// Words that mark a passive: its sides stand the other way round.
pub(crate) const PASSIVE: &[&str] = &["by", "por"];
