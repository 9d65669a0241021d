//! The commands of `assay eval` and their arguments.

use std::path::PathBuf;

use clap::{Args, Subcommand};

/// Measure answers.
#[derive(Debug, Subcommand)]
pub enum Eval {
    /// Ask every question of a golden file; report syntactic validity and verdicts
    Run(EvalRun),
}

/// Run a golden file.
#[derive(Debug, Args)]
pub struct EvalRun {
    /// Lines {id, question, reference?, answerable?, query_type?}
    #[arg(value_name = "GOLDEN")]
    pub golden: PathBuf,
    /// Collection to search
    #[arg(long, default_value = "", hide_default_value = true, value_name = "NAME")]
    pub collection: String,
    /// Repetitions of the whole file
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=100))]
    pub repeat: u32,
}
