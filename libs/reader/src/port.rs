//! What a reader is asked, what it says, and why it says nothing.

use assay_domain::reader::{ReaderIdentity, Reading, Window};
use assay_rpc::Context;
use async_trait::async_trait;

/// What a window may say.
pub type Statement = String;
/// What a window may answer.
pub type Question = String;

/// Why a pair has no reading.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Missing {
    /// Time ran out.
    Timeout,
    /// The request has read as much as it may.
    Budget,
    /// A served reader failed so often that it is left alone for a while.
    CircuitOpen,
    /// There is no reader.
    Absent,
    /// It could not or would not tell; the stable word why.
    Failed(&'static str),
}

impl std::fmt::Display for Missing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Timeout => "reader_timeout",
            Self::Budget => "reader_budget",
            Self::CircuitOpen => "reader_circuit_open",
            Self::Absent => "no_reader",
            Self::Failed(word) => word,
        })
    }
}

/// Reads windows of sources.
#[async_trait]
pub trait Reader: Send + Sync + std::fmt::Debug {
    /// Which reader it is.
    fn identity(&self) -> &ReaderIdentity;

    /// Most pairs that it reads for one request.
    fn budget(&self) -> usize {
        usize::MAX
    }

    /// What each window says of the statement beside it, in order, or why there is no reading. Of what comes first it
    /// says something first. Ends at the deadline of the context, and where nobody waits any more.
    async fn read(&self, context: &Context, pairs: &[(Window, Statement)]) -> Vec<Result<Reading, Missing>>;

    /// How probable it is that each window answers the question beside it, 0 to 1; else as [`Reader::read`].
    async fn answers(&self, context: &Context, pairs: &[(Window, Question)]) -> Vec<Result<f64, Missing>>;
}
