//! The commands of `assay config`.

use clap::Subcommand;

/// Settings.
#[derive(Debug, Subcommand)]
pub enum Config {
    /// The effective settings
    Show,
    /// Every setting with its meaning and default, as a settings file
    Docs,
    /// Read the settings and say what is wrong
    Check,
}
