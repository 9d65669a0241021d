//! The commands of `assay models` and their arguments.

use std::str::FromStr;

use assay_models::store::Kind;
use clap::{Args, Subcommand};

use super::hub::reference::Reference;

/// Models that run in this process, for search; the reader of statements is in the box.
#[derive(Debug, Subcommand)]
pub enum Models {
    /// Models that are there: kind, origin, digest and size
    List,
    /// Fetch a model, checksums verified, and record it in the lock file of the models folder
    Pull(Pull),
    /// Read every file again and compare it with the lock file; exits 78 if one differs
    Verify {
        /// Models [default: all]
        names: Vec<String>,
    },
    /// Remove models with their folders
    Remove {
        /// Models
        #[arg(required = true)]
        names: Vec<String>,
    },
}

/// Fetch a model.
#[derive(Debug, Args)]
pub struct Pull {
    /// `hub:OWNER/NAME[@REVISION]`, or `minilm` for the embedding model
    #[arg(default_value = "minilm", value_parser = Reference::from_str)]
    pub(crate) model: Reference,
    /// The ONNX file in the repository [default: the one that suits this CPU]
    #[arg(long, value_name = "PATH")]
    pub file: Option<String>,
    /// Name and folder of the model here [default: NAME of the repository]
    #[arg(long)]
    pub name: Option<String>,
    /// What it is for: embedding or reader [default: as its config.json says]
    #[arg(long, value_parser = kind)]
    pub kind: Option<Kind>,
    /// Print the failure and exit 0 if the model cannot be fetched
    #[arg(long)]
    pub optional: bool,
}

fn kind(word: &str) -> Result<Kind, String> {
    if word == "embed" { Ok(Kind::Embedding) } else { word.parse() }
}
