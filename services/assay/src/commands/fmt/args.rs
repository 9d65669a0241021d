//! The arguments of `assay fmt`.

use std::path::PathBuf;

use clap::Args;

use crate::flags::Reading;

/// Lay programs out.
#[derive(Debug, Args)]
pub struct Fmt {
    /// Programs of up to 8 MiB, and folders of them; standard input to standard output if there is none
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Change nothing; exit 1 if a program would change
    #[arg(long)]
    pub check: bool,
    /// Change nothing; print a unified diff for `patch`, and exit 1 if it is not empty
    #[arg(long)]
    pub diff: bool,
    /// Read standard input, print to standard output
    #[arg(long, conflicts_with = "files")]
    pub stdin: bool,
    /// How AVAP is read
    #[command(flatten)]
    pub reading: Reading,
}

impl Fmt {
    /// Whether nothing is written.
    #[must_use]
    pub fn dry(&self) -> bool {
        self.check || self.diff
    }
}
