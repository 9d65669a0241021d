//! The arguments of `assay service`.

use clap::Args;

/// Run one service.
#[derive(Debug, Args)]
pub struct Service {
    /// router, retrieval, generation, validation, audit, parser, evaluation or gateway
    #[arg(value_name = "NAME", value_parser = super::names())]
    pub name: String,
    /// Only say whether the settings are fine
    #[arg(long)]
    pub check: bool,
    /// Print the effective settings, secrets masked
    #[arg(long, conflicts_with = "check")]
    pub dump_config: bool,
}
