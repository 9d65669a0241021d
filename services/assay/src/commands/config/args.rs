//! The commands of `assay config`.

use clap::Subcommand;

/// Settings.
#[derive(Debug, Subcommand)]
pub enum Config {
    /// The effective settings
    Show,
    /// Every setting with its meaning and default, as a settings file
    Docs,
    /// Refuse settings with which no system would start; name those without effect
    Check,
}
