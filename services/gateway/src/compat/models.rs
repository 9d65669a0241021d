//! The models that clients of other protocols may name: routing decides, or the name declares a query type.

use assay_domain::QueryType;

/// A name under which Assay answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Model {
    /// Its name.
    pub(crate) name: &'static str,
    /// The query type it declares (RC-00); none leaves it to the router.
    pub(crate) declares: Option<QueryType>,
    /// What it is for, in a sentence.
    pub(crate) purpose: &'static str,
}

/// Since when this interface exists, in Unix seconds; models have no other date.
pub(crate) const SINCE: u64 = 1_795_219_200;

/// Every model, the usual one first.
pub(crate) const MODELS: &[Model] = &[
    Model {
        name: "assay",
        declares: None,
        purpose: "Finds out what kind of question it is, then answers it.",
    },
    Model {
        name: "assay/retrieval",
        declares: Some(QueryType::Retrieval),
        purpose: "Answers from the indexed documentation and code, with citations.",
    },
    Model {
        name: "assay/code",
        declares: Some(QueryType::CodeGeneration),
        purpose: "Writes code that its parser has accepted, or says that it has not.",
    },
    Model {
        name: "assay/conversational",
        declares: Some(QueryType::Conversational),
        purpose: "Rephrases or continues the previous answer of a session.",
    },
];

/// The model of this name.
pub(crate) fn named(name: &str) -> Option<&'static Model> {
    MODELS.iter().find(|model| model.name == name)
}

/// The usual model.
pub(crate) fn usual() -> &'static Model {
    &MODELS[0]
}

/// The names, for a message.
pub(crate) fn names() -> String {
    MODELS.iter().map(|model| model.name).collect::<Vec<_>>().join(", ")
}
