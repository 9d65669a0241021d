//! Flags that several commands take.

use std::path::PathBuf;

use assay_domain::QueryType;
use assay_domain::question::Mode;
use clap::{Args, ValueEnum};

/// The data folder unless told otherwise.
pub(crate) const DATA: &str = ".assay";

/// Flags that every command takes.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Options of every command")]
pub struct Global {
    /// Folder of indexes, sessions and records
    #[arg(long, global = true, env = "ASSAY_DATA", default_value = DATA, value_name = "DIR")]
    pub data: PathBuf,
    /// Talk to a running system at this gRPC address instead of running embedded, e.g. http://127.0.0.1:7199 or
    /// https://gateway:7110
    #[arg(long, global = true, env = "ASSAY_ENDPOINT", value_name = "URL")]
    pub endpoint: Option<String>,
    /// API key of a running system; prefer ASSAY_API_KEY, since process lists show arguments
    #[arg(long, global = true, env = "ASSAY_API_KEY", hide_env_values = true, value_name = "KEY")]
    pub api_key: Option<String>,
    /// Trusted certificate authorities of an https endpoint (PEM) [default: those of this machine]
    #[arg(long, global = true, env = "ASSAY_CA", value_name = "FILE")]
    pub ca: Option<PathBuf>,
    /// Settings file (TOML); environment variables override it
    #[arg(long, global = true, env = "ASSAY_CONFIG", value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Print JSON instead of text
    #[arg(long, global = true)]
    pub json: bool,
    /// What `router train` calls --data: the training file.
    #[arg(skip)]
    pub training_data: Option<PathBuf>,
}

/// Query types as flags.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Kind {
    /// Answer from documentation and code
    #[value(name = "RETRIEVAL", alias = "retrieval")]
    Retrieval,
    /// Produce working code
    #[value(name = "CODE_GENERATION", alias = "code_generation", alias = "code")]
    CodeGeneration,
    /// Rephrase or continue the previous answer
    #[value(name = "CONVERSATIONAL", alias = "conversational")]
    Conversational,
    /// Account, usage and quota, from --extra-context
    #[value(name = "PLATFORM", alias = "platform")]
    Platform,
}

/// Modes as flags.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ModeFlag {
    /// A rejected answer is replaced by a rejection body
    #[value(alias = "STRICT")]
    Strict,
    /// A rejected answer is delivered with warnings
    #[value(alias = "LENIENT")]
    Lenient,
}

/// How AVAP is read.
#[derive(Debug, Clone, Default, Args)]
pub struct Reading {
    /// Report unclosed blocks and wrong or extra closers as warnings, as the open AVAP server does
    #[arg(long)]
    pub server_compat: bool,
    /// AVAP profiles that are on, separated by commas: core, full, legacy, hypothesis
    #[arg(long = "profile", value_delimiter = ',', value_name = "NAMES")]
    pub profiles: Vec<String>,
}

impl From<Kind> for QueryType {
    fn from(kind: Kind) -> Self {
        match kind {
            Kind::Retrieval => Self::Retrieval,
            Kind::CodeGeneration => Self::CodeGeneration,
            Kind::Conversational => Self::Conversational,
            Kind::Platform => Self::Platform,
        }
    }
}

impl From<ModeFlag> for Mode {
    fn from(flag: ModeFlag) -> Self {
        match flag {
            ModeFlag::Strict => Self::Strict,
            ModeFlag::Lenient => Self::Lenient,
        }
    }
}
