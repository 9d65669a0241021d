//! `assay lint`: not in this version; it exists, and says what is missing.

use std::path::PathBuf;

use assay_domain::Failure;
use clap::Args;

use super::later;

/// Lint a corpus.
#[derive(Debug, Args)]
pub struct Lint {
    /// Files and folders
    #[arg(required = true, value_name = "PATH")]
    pub paths: Vec<PathBuf>,
}

/// What is missing.
#[must_use]
pub fn missing() -> Failure {
    later::missing(
        "lint",
        "`assay ingest` counts invalid AVAP blocks; dead links and contradictions come with the corpus work",
    )
}
