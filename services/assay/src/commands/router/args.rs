//! The commands of `assay router` and their arguments.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use crate::flags::Kind;

/// Classify and train.
#[derive(Debug, Subcommand)]
pub enum Router {
    /// Class, probability, layer and reason of a message
    Classify(Classify),
    /// Train a head; here --data is the training file {text, label}, and ASSAY_DATA the data folder
    Train(Train),
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
    /// Buckets of hashed word and character n-grams beside the embedding; 0 for none [default: 16384 with --seed or where no model embeds, else 0]
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
