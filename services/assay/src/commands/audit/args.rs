//! The commands of `assay audit` and their arguments.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

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
    /// The whole log: leaves and payloads for offline verification, or a table of the records
    Export(Export),
    /// In plain words why an answer was given, withheld or refused
    Explain {
        /// Its id
        id: String,
    },
    /// Decide the answers that were doubted
    #[command(subcommand)]
    Review(Review),
    /// Say whether an answer was right
    Feedback(Feedback),
    /// Erase what is kept of somebody: payloads, sessions, stored outcomes, collected messages; leaves stay
    Erase(Erase),
}

/// Decide the answers that were doubted.
#[derive(Debug, Subcommand)]
pub enum Review {
    /// Records that wait, the oldest first
    List(ReviewList),
    /// Claim a record for a while, so that nobody else decides it
    Claim {
        /// Its id
        id: String,
    },
    /// Give a record back
    Release {
        /// Its id
        id: String,
    },
    /// Decide a record; the decision is a leaf of the log and stands
    Decide {
        /// Its id
        id: String,
        /// Whether the checks were right
        #[arg(value_enum)]
        decision: Decision,
        /// Why
        #[arg(long, value_name = "TEXT")]
        reason: String,
    },
    /// How often reviewers overturned the checks, by policy, check and week
    Rates(Rates),
}

/// A decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
pub enum Decision {
    /// The checks were right
    Confirm,
    /// The checks were wrong
    Overturn,
    /// The sources do not tell
    NeedsSource,
}

impl Decision {
    /// Its name in the log.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Confirm => "CONFIRM",
            Self::Overturn => "OVERTURN",
            Self::NeedsSource => "NEEDS_SOURCE",
        }
    }
}

/// List records that wait.
#[derive(Debug, Args)]
pub struct ReviewList {
    /// Records wanted
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub limit: u32,
    /// Only this verdict, e.g. REJECT
    #[arg(long)]
    pub verdict: Option<String>,
    /// Only records that nobody else has claimed
    #[arg(long)]
    pub free: bool,
    /// Continue behind this page, as the end of the page before tells
    #[arg(long, default_value = "", hide_default_value = true, value_name = "TOKEN")]
    pub page: String,
}

/// Rates of some time.
#[derive(Debug, Args)]
pub struct Rates {
    /// Only decisions at or after this moment, e.g. 2026-09-01 or 2026-09-01T08:30:00Z
    #[arg(long, value_name = "TIME", value_parser = moment)]
    pub since: Option<u64>,
    /// Only decisions before this moment
    #[arg(long, value_name = "TIME", value_parser = moment)]
    pub until: Option<u64>,
}

/// Say whether an answer was right.
#[derive(Debug, Args)]
pub struct Feedback {
    /// Id of its record
    pub id: String,
    /// What it was
    #[arg(value_enum)]
    pub rating: Rating,
    /// The claim that it is about, from 0 [default: the whole answer]
    #[arg(long, value_name = "N")]
    pub claim: Option<u32>,
    /// Why
    #[arg(long, default_value = "", hide_default_value = true, value_name = "TEXT")]
    pub reason: String,
}

/// A rating.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Rating {
    /// The answer was right
    Right,
    /// The answer was wrong
    Wrong,
}

impl Rating {
    /// Its name in the log.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Right => "RIGHT",
            Self::Wrong => "WRONG",
        }
    }
}

/// Erase what is kept of somebody.
#[derive(Debug, Args)]
#[group(skip)]
#[command(group = clap::ArgGroup::new("whose").required(true).args(["principal", "session", "id"]))]
pub struct Erase {
    /// Everything that this principal asked and said
    #[arg(long, value_name = "NAME")]
    pub principal: Option<String>,
    /// Everything of this session
    #[arg(long, value_name = "ID")]
    pub session: Option<String>,
    /// One record
    #[arg(long, value_name = "ID")]
    pub id: Option<String>,
    /// Do not ask; erasing cannot be undone
    #[arg(long)]
    pub yes: bool,
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

/// Export the log.
#[derive(Debug, Args)]
pub struct Export {
    /// What to write
    #[arg(long, value_enum, default_value_t = Format::Jsonl)]
    pub format: Format,
    /// File to write; it is there once it is whole [default: standard output, where the format is jsonl]
    #[arg(long, short, value_name = "FILE", required_if_eq("format", "parquet"))]
    pub output: Option<PathBuf>,
    /// Which records a table has; lines take no filters.
    #[command(flatten)]
    pub filters: Filters,
}

/// The form of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Every leaf as a JSON object a line; `audit verify --export FILE` verifies it
    Jsonl,
    /// A row a record, for tables and notebooks; nothing verifies it
    Parquet,
}

/// List records.
#[derive(Debug, Args)]
pub struct AuditList {
    /// Records wanted
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub limit: u32,
    /// Which records.
    #[command(flatten)]
    pub filters: Filters,
    /// Continue behind this page, as the end of the page before tells
    #[arg(long, default_value = "", hide_default_value = true, value_name = "TOKEN")]
    pub page: String,
}

/// Which records.
#[derive(Debug, Default, PartialEq, Eq, Args)]
pub struct Filters {
    /// Only records with all of these words in the question or the kept answer, in any case, with or without accents
    #[arg(long, default_value = "", hide_default_value = true)]
    pub text: String,
    /// Only questions of this type, e.g. RETRIEVAL
    #[arg(long = "type", value_name = "TYPE")]
    pub query_type: Option<String>,
    /// Only this outcome, e.g. ANSWERED
    #[arg(long)]
    pub outcome: Option<String>,
    /// Only this verdict, e.g. REVIEW; several with commas between
    #[arg(long, value_delimiter = ',')]
    pub verdict: Vec<String>,
    /// Only this session
    #[arg(long, default_value = "", hide_default_value = true, value_name = "ID")]
    pub session: String,
    /// Only this principal
    #[arg(long, default_value = "", hide_default_value = true, value_name = "NAME")]
    pub principal: String,
    /// Only records made at or after this moment, e.g. 2026-09-01 or 2026-09-01T08:30:00Z
    #[arg(long, value_name = "TIME", value_parser = moment)]
    pub since: Option<u64>,
    /// Only records made before this moment
    #[arg(long, value_name = "TIME", value_parser = moment)]
    pub until: Option<u64>,
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
