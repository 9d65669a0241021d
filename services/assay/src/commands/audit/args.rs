//! The commands of `assay audit` and their arguments.

use clap::{Args, Subcommand};

/// Read, prove and verify records.
#[derive(Debug, Subcommand)]
pub enum Audit {
    /// Newest records
    List(AuditList),
    /// One record
    Show {
        /// Its id
        id: String,
    },
    /// Inclusion proof of a record
    Prove {
        /// Its id
        id: String,
    },
    /// Recompute every leaf and the tree; exits 1 if anything is wrong
    Verify,
    /// Leaves and payloads for offline verification, one JSON object a line
    Export,
    /// Decide reviews
    Review,
    /// Record feedback on an answer
    Feedback,
}

/// List records.
#[derive(Debug, Args)]
pub struct AuditList {
    /// Records wanted
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub limit: u32,
    /// Only this outcome, e.g. ANSWERED
    #[arg(long)]
    pub outcome: Option<String>,
    /// Only this verdict, e.g. REVIEW
    #[arg(long)]
    pub verdict: Option<String>,
    /// Only this session
    #[arg(long, default_value = "", hide_default_value = true, value_name = "ID")]
    pub session: String,
}
