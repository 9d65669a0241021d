//! The commands of `assay router` and their arguments.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use crate::flags::Kind;

/// Classify, and care for the head of layer 2.
#[derive(Debug, Subcommand)]
pub enum Router {
    /// Class, probability, layer and reason of a message
    Classify(Classify),
    /// Everything that decides a message: references, rules, probabilities, the words that weigh most
    Explain(Explain),
    /// Train a head; here --data is the training file {text, label}, and ASSAY_DATA the data folder
    Train(Train),
    /// Accuracy, coverage, calibration and recall on labelled lines {text, label, lang?}, rules included
    Eval(Eval),
    /// The head in use, its report, and what was promoted before
    Show(Show),
    /// Put a head to use if it is better on a frozen holdout: exact McNemar p < 0.05 on 300 messages or more
    Promote(Promote),
    /// Go back to the head before the last promotion
    Rollback,
    /// Collected messages (ROUTER_COLLECT=true) as labelled lines, for people to read and heads to learn from
    Export(Export),
    /// Whether the messages of late are others than before: types, layers, languages
    Drift(Drift),
}

/// Export collected messages.
#[derive(Debug, Args)]
pub struct Export {
    /// Where the lines are written; `-` for standard output
    #[arg(long, value_name = "FILE")]
    pub out: PathBuf,
    /// Only the last N days
    #[arg(long, value_name = "N")]
    pub days: Option<u32>,
    /// Only one tenant
    #[arg(long, value_name = "NAME")]
    pub tenant: Option<String>,
    /// Only messages that the shadow head decides otherwise
    #[arg(long)]
    pub disagreed: bool,
}

/// Compare the messages of late with those before.
#[derive(Debug, Args)]
pub struct Drift {
    /// What is of late: the last N days
    #[arg(long, default_value_t = 7, value_parser = clap::value_parser!(u32).range(1..=89), value_name = "N")]
    pub days: u32,
}

/// Explain a decision.
#[derive(Debug, Args)]
pub struct Explain {
    /// The message
    #[arg(value_name = "Q")]
    pub text: String,
}

/// Measure a head.
#[derive(Debug, Args)]
pub struct Eval {
    /// Labelled lines
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// A head to measure and to compare with the one in use
    #[arg(long, value_name = "HEAD")]
    pub model: Option<PathBuf>,
}

/// Show a head.
#[derive(Debug, Args)]
pub struct Show {
    /// A head file instead of the head in use
    #[arg(long, value_name = "HEAD")]
    pub model: Option<PathBuf>,
}

/// Promote a head.
#[derive(Debug, Args)]
pub struct Promote {
    /// The challenger
    #[arg(value_name = "HEAD")]
    pub model: PathBuf,
    /// Labelled lines that no training saw; the same for every promotion
    #[arg(long, value_name = "FILE")]
    pub holdout: PathBuf,
    /// Promote against the rules; the history says so
    #[arg(long)]
    pub force: bool,
}

/// Classify messages.
#[derive(Debug, Args)]
pub struct Classify {
    /// The message
    #[arg(required_unless_present = "jsonl", value_name = "Q")]
    pub text: Option<String>,
    /// Declare the type, as a caller would
    #[arg(long = "type", value_enum, value_name = "TYPE")]
    pub kind: Option<Kind>,
    /// Use the trained head of --model alone
    #[arg(long, requires = "model")]
    pub head_only: bool,
    /// A trained head
    #[arg(long, value_name = "FILE")]
    pub model: Option<PathBuf>,
    /// Lines {id, text, history?, query_type?}; `-` reads standard input
    #[arg(long, conflicts_with = "text", value_name = "FILE")]
    pub jsonl: Option<PathBuf>,
    /// Ignore unknown fields of batch lines
    #[arg(long)]
    pub lenient_input: bool,
}

/// Fit a head.
#[derive(Debug, Args)]
pub struct Train {
    /// Train on the labelled messages that ship, instead of --data
    #[arg(long)]
    pub seed: bool,
    /// Buckets of hashed word and character n-grams beside the embedding; 0 for none [default: 16384 with --seed or where no model embeds, else 4096]
    #[arg(long, value_name = "N")]
    pub buckets: Option<u32>,
    /// Let every label weigh the same, however many lines it has
    #[arg(long)]
    pub balanced: bool,
    /// Where the head is written
    #[arg(long, value_name = "MODEL")]
    pub out: PathBuf,
    /// Lines {text, label} that calibrate the probabilities
    #[arg(long, value_name = "VAL")]
    pub calibrate: Option<PathBuf>,
    /// Lines {text} that belong to no label; trains rejection
    #[arg(long, value_name = "FILE")]
    pub oos: Option<PathBuf>,
}
