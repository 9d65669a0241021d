//! The commands of `assay audit` and their arguments.

use std::path::PathBuf;

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
    /// Where the cited lines of a record are now; exits 1 if some are gone or were changed
    Citations {
        /// Its id
        id: String,
        /// Collection to look in [default: the one whose manifest the record names, else the default collection]
        #[arg(long, default_value = "", hide_default_value = true, value_name = "NAME")]
        collection: String,
    },
    /// Receipt of a record: its leaf and the path to a signed checkpoint
    Prove {
        /// Its id
        id: String,
        /// Write the receipt to this file; `audit verify FILE` checks it anywhere
        #[arg(long, short, value_name = "FILE")]
        output: Option<PathBuf>,
        /// Include question, answer and evidence [default: only their commitment]
        #[arg(long)]
        payload: bool,
    },
    /// Verify the whole log, a receipt or an export; writes nothing, exits 1 if anything is wrong
    Verify(AuditVerify),
    /// Newest signed checkpoint: size and root of the log
    Checkpoint {
        /// File to write; `audit verify --checkpoint FILE` checks a later log against it
        #[arg(long, short, value_name = "FILE")]
        output: Option<PathBuf>,
    },
    /// Public key of the log
    Key,
    /// Leaves and payloads for offline verification, one JSON object a line
    Export,
    /// Decide reviews
    #[command(hide = true)]
    Review,
    /// Record feedback on an answer
    #[command(hide = true)]
    Feedback,
}

/// Verify a log, a receipt or an export.
#[derive(Debug, Args)]
pub struct AuditVerify {
    /// Receipt to verify instead of the log of the data folder
    #[arg(value_name = "RECEIPT")]
    pub receipt: Option<PathBuf>,
    /// Export to verify instead of the log of the data folder
    #[arg(long, value_name = "FILE", conflicts_with_all = ["receipt", "checkpoint"])]
    pub export: Option<PathBuf>,
    /// Older signed checkpoint, kept elsewhere, that the log must still contain
    #[arg(long, value_name = "FILE", conflicts_with = "receipt")]
    pub checkpoint: Option<PathBuf>,
    /// Public key of the log, kept elsewhere, as `audit key` prints it
    #[arg(long, value_name = "FILE")]
    pub key: Option<PathBuf>,
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
    /// Only records made at or after this moment, e.g. 2026-09-01 or 2026-09-01T08:30:00Z
    #[arg(long, value_name = "TIME", value_parser = moment)]
    pub since: Option<u64>,
    /// Only records made before this moment
    #[arg(long, value_name = "TIME", value_parser = moment)]
    pub until: Option<u64>,
    /// Continue behind this page, as the end of the page before tells
    #[arg(long, default_value = "", hide_default_value = true, value_name = "TOKEN")]
    pub page: String,
}

/// Milliseconds since the Unix epoch of a date or a moment of RFC 3339.
fn moment(text: &str) -> Result<u64, String> {
    use time::OffsetDateTime;
    use time::format_description::well_known::Rfc3339;
    let whole = if text.len() == "2026-09-01".len() { format!("{text}T00:00:00Z") } else { text.to_owned() };
    let moment = OffsetDateTime::parse(&whole, &Rfc3339)
        .map_err(|_| "give a date, 2026-09-01, or a moment, 2026-09-01T08:30:00Z".to_owned())?;
    u64::try_from(moment.unix_timestamp_nanos() / 1_000_000).map_err(|_| "it is before 1970".to_owned())
}
