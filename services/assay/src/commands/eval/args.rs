//! The commands of `assay eval` and their arguments.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

/// Measure answers.
#[derive(Debug, Subcommand)]
pub enum Eval {
    /// Ask every question of a golden file; keep manifest, answers and report in a folder
    Run(EvalRun),
    /// Metrics from recorded verdicts {id, question, answer, contexts, verdicts}; nobody is asked
    Score(Score),
    /// Score the checks themselves on answers that people labelled {id, question?, sources, answer, gold}
    Checks(Checks),
    /// Exit with 1 unless the figures of a run hold against a file of thresholds
    Gate(Gate),
    /// Compute the report of a run again from what it kept, and hold it against the one it wrote
    Replay(Replay),
    /// Show the report of a run: table, JSON, Markdown, JUnit or one HTML page
    Report(EvalReport),
    /// Which index finds the reference lines of a golden file by its vectors alone: a ranking with intervals
    CompareEmbeddings(CompareEmbeddings),
    /// What a retry is worth: three runs with router.retry = none, blind and guided
    Repairs(Repairs),
    /// What a golden file covers; with --pages whether its lines are still there
    Golden(GoldenFile),
    /// Two runs over the same questions, paired: differences, intervals, tests
    Compare(Compare),
}

/// Run a golden file.
#[derive(Debug, Args)]
pub struct EvalRun {
    /// JSON Lines; docs/evaluation.md has the fields
    #[arg(value_name = "GOLDEN")]
    pub golden: PathBuf,
    /// Folder of the run; one that holds the beginning of the same run is continued [default: runs/GOLDEN-N]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Collection to search
    #[arg(long, default_value = "", hide_default_value = true, value_name = "NAME")]
    pub collection: String,
    /// Repetitions of the whole file
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=100))]
    pub repeat: u32,
    /// Who judges: `checks`, or a model with its version such as openai:gpt-4o-2024-08-06; a second one is held against
    /// the first [default: checks]
    #[arg(long = "judge", value_name = "JUDGE")]
    pub judges: Vec<String>,
}

/// Score recorded verdicts.
#[derive(Debug, Args)]
pub struct Score {
    /// Lines; `-` reads standard input
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
}

/// Score the checks.
#[derive(Debug, Args)]
pub struct Checks {
    /// Lines; gold is {supported, label?, unsupported?: [[first character, character after the last, kind]]}
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Policy profile or TOML file, as with `assay check`
    #[arg(long, default_value = "", hide_default_value = true, value_name = "POLICY")]
    pub policy: String,
}

/// Hold a run against thresholds.
#[derive(Debug, Args)]
pub struct Gate {
    /// Folder of a run
    #[arg(value_name = "RUN")]
    pub run: PathBuf,
    /// TOML: binding = true, and [figures] with NAME = { min, max, interval }
    #[arg(long, value_name = "FILE")]
    pub thresholds: PathBuf,
}

/// Compute a report again.
#[derive(Debug, Args)]
pub struct Replay {
    /// Folder of a run
    #[arg(value_name = "RUN")]
    pub run: PathBuf,
}

/// Show a report.
#[derive(Debug, Args)]
pub struct EvalReport {
    /// Folder of a run
    #[arg(value_name = "RUN")]
    pub run: PathBuf,
    /// Form of the report
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub format: Format,
    /// File to write instead of standard output
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
}

/// Form of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For a terminal
    Table,
    /// Everything
    Json,
    /// For a pull request
    Markdown,
    /// For a CI server, a test an answer
    Junit,
    /// One page with plots and every answer, for a browser
    Html,
}

/// Compare two runs.
#[derive(Debug, Args)]
pub struct Compare {
    /// Folder of the first run
    #[arg(value_name = "FIRST")]
    pub first: PathBuf,
    /// Folder of the second run
    #[arg(value_name = "SECOND")]
    pub second: PathBuf,
}

/// Rank indices.
#[derive(Debug, Args)]
pub struct CompareEmbeddings {
    /// Golden file; questions without reference lines are left out
    #[arg(value_name = "GOLDEN")]
    pub golden: PathBuf,
    /// Collection to search; repeat it for more
    #[arg(long = "collection", value_name = "NAME")]
    pub collections: Vec<String>,
    /// Searches that --keep wrote, such as those of a system with another embedding model; repeat it for more
    #[arg(long = "with", value_name = "FILE")]
    pub with: Vec<PathBuf>,
    /// Keep the searches of this call, a line an index
    #[arg(long, value_name = "FILE")]
    pub keep: Option<PathBuf>,
}

/// Compare retries.
#[derive(Debug, Args)]
pub struct Repairs {
    /// Folder of the run without a retry
    #[arg(value_name = "NONE")]
    pub none: PathBuf,
    /// Folder of the run with a blind retry
    #[arg(value_name = "BLIND")]
    pub blind: PathBuf,
    /// Folder of the run with a guided retry
    #[arg(value_name = "GUIDED")]
    pub guided: PathBuf,
}

/// Look at a golden file.
#[derive(Debug, Args)]
pub struct GoldenFile {
    /// JSON Lines
    #[arg(value_name = "GOLDEN", required_unless_present = "schema")]
    pub golden: Option<PathBuf>,
    /// Folder of the pages: exit with 1 where reference lines are not there or have changed since they were hashed
    #[arg(long, value_name = "DIR")]
    pub pages: Option<PathBuf>,
    /// Print the JSON Schema of a line
    #[arg(long)]
    pub schema: bool,
}
