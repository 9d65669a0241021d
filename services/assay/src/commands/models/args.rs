//! The commands of `assay models` and their arguments.

use clap::Subcommand;

/// Local embedding models.
#[derive(Debug, Subcommand)]
pub enum Models {
    /// What is there and whether its checksums hold
    List,
    /// Fetch the embedding model, checksums verified
    Pull {
        /// Say what failed and exit 0 if no place can be reached
        #[arg(long)]
        optional: bool,
    },
}
