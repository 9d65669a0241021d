//! The arguments of `assay check`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::flags::{Kind, ModeFlag};
use crate::report::Form;

/// Attempts as flags.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum AttemptFlag {
    /// Reject invalid code and unknown sources, since a retry may follow
    First,
    /// Flag invalid code and unknown sources, since no retry follows
    Retry,
}

/// Validate an answer.
#[derive(Debug, Args)]
pub struct Check {
    /// The answer (Markdown); standard input if there is none, or `-`
    #[arg(value_name = "ANSWER.md")]
    pub answer: Option<PathBuf>,
    /// Sources: JSON array, or lines, of {id, text, path?, first_line?}
    #[arg(long, required_unless_present = "jsonl", conflicts_with = "jsonl", value_name = "FILE")]
    pub sources: Option<PathBuf>,
    /// The question that was asked
    #[arg(long, default_value = "", hide_default_value = true)]
    pub question: String,
    /// The type that decides which checks are required
    #[arg(long = "type", value_enum, default_value_t = Kind::Retrieval, value_name = "TYPE")]
    pub kind: Kind,
    /// What happens to a rejected answer
    #[arg(long, value_enum, default_value_t = ModeFlag::Strict)]
    pub mode: ModeFlag,
    /// Judge the answer as a first draft or as the last one
    #[arg(long, value_enum, default_value_t = AttemptFlag::First)]
    pub attempt: AttemptFlag,
    /// Attach citations to claims that one source clearly supports
    #[arg(long)]
    pub attach: bool,
    /// Compare each claim with all sources; markers are not required (in a batch: `"require_citations": false`)
    #[arg(long)]
    pub no_citations: bool,
    /// Policy: strict, balanced, lenient, or a TOML file that names its base and the changed values
    #[arg(long, default_value = "", hide_default_value = true, value_name = "NAME|FILE.toml")]
    pub policy: String,
    /// Facts for a platform answer
    #[arg(long, value_name = "FILE")]
    pub extra_context: Option<PathBuf>,
    /// Show for each claim the reason, the deciding step and the compared passage
    #[arg(long)]
    pub explain: bool,
    /// Lines {id, question, sources, answer, …}; `-` reads standard input
    #[arg(long, conflicts_with = "answer", value_name = "FILE")]
    pub jsonl: Option<PathBuf>,
    /// Ignore unknown fields of batch lines and sources
    #[arg(long)]
    pub lenient_input: bool,
    /// Form of the report of one answer; a batch has lines of its own
    #[arg(long, value_enum, value_name = "FORM", conflicts_with_all = ["jsonl", "explain"])]
    pub format: Option<Form>,
    /// Lowest verdict that makes the exit code non-zero [default: review; batches: never]
    #[arg(long, value_enum, value_name = "VERDICT")]
    pub fail_on: Option<FailOn>,
}

/// Lowest verdict that makes the exit code non-zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum FailOn {
    /// Exit 2 for a review, 3 for a reject
    Review,
    /// Exit 3 for a reject
    Reject,
}
