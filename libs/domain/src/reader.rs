//! What a reader is asked and says: whether a window of a source says, leaves open or denies a statement.

/// A piece of a source, as a reader sees it: a few neighbouring sentences, an item with its lead-in, rows of a table.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Window {
    /// Its text, the path of its headings in front.
    pub text: String,
    /// Whether it is two windows one behind the other; such a one is cut earlier.
    pub joined: bool,
}

impl Window {
    /// One window.
    pub fn of(text: impl Into<String>) -> Self {
        Self { text: text.into(), joined: false }
    }
}

/// What a window says of a statement: three probabilities, together 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Reading {
    /// The window says it.
    pub says: f64,
    /// The window leaves it open.
    pub open: f64,
    /// The window says otherwise.
    pub denies: f64,
}

/// Which reader reads.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ReaderIdentity {
    /// Where it runs: `in_box`, `folder`, `served` or `none`.
    pub kind: String,
    /// Its name, for people; empty for none.
    pub name: String,
    /// Version of its weights, or of the question that a served one is asked; empty where nobody knows.
    pub version: String,
    /// SHA-256 of the model file, lower-case hex; empty for a served one.
    pub sha256: String,
}
