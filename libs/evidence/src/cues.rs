//! Cue words of an answer: talk about the passages, hedges, and the like.

/// Words that speak about the passages.
pub(crate) const META_CUES: &[&str] = &[
    "passage",
    "passages",
    "mentioned",
    "mention",
    "based",
    "provided",
    "according",
    "given",
    "information",
    "context",
    "stated",
    "documento",
    "fuente",
    "fuentes",
    "segun",
    "mencionado",
];

/// Words of judgement and generality, which sources seldom hold.
pub(crate) const HEDGES: &[&str] = &[
    "important",
    "essential",
    "overall",
    "however",
    "additionally",
    "ensure",
    "recommended",
    "various",
    "generally",
    "likely",
    "crucial",
    "also",
    "further",
    "typically",
    "may",
    "might",
    "could",
    "possible",
    "unclear",
    "specific",
];

/// Words that draw a conclusion.
pub(crate) const CONCLUSIONS: &[&str] = &[
    "therefore",
    "overall",
    "summary",
    "conclusion",
    "thus",
    "hence",
    "so",
    "summarize",
    "total",
    "resumen",
    "conclusion",
    "tanto",
    "general",
];

/// Words that advise.
pub(crate) const ADVICE: &[&str] = &[
    "should",
    "recommended",
    "recommend",
    "important",
    "always",
    "ensure",
    "consult",
    "best",
    "avoid",
    "careful",
    "sure",
    "necessary",
    "deberia",
    "recomienda",
    "importante",
    "conviene",
];

/// Words that address the reader.
pub(crate) const ADDRESS: &[&str] = &["you", "your", "yourself", "tu", "tus", "usted", "su"];

/// Words that begin a clause.
pub(crate) const JOINERS: &[&str] =
    &["and", "but", "which", "while", "because", "so", "where", "pero", "que", "mientras", "porque", "y"];
