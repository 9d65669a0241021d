//! The command line as data: the commands, and the flags that several of them take. The arguments of a command stand
//! beside it, in its folder below `commands`.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::commands::ask::Ask;
use crate::commands::audit::Audit;
use crate::commands::certs::Certs;
use crate::commands::check::Check;
use crate::commands::config::Config;
use crate::commands::eval::Eval;
use crate::commands::fmt::Fmt;
use crate::commands::ingest::Ingest;
use crate::commands::keys::Keys;
use crate::commands::models::Models;
use crate::commands::parse::Parse;
use crate::commands::router::Router;
use crate::commands::search::Search;
use crate::commands::service::Service;
use crate::commands::up::Up;

/// Answers questions over documentation and code, and checks every answer before it is delivered.
#[derive(Debug, Parser)]
#[command(name = "assay", version, propagate_version = true, max_term_width = 110)]
#[command(
    after_help = "Exit codes: 0 fine, 1 some input invalid, 2 review, 3 reject, 64 usage or not in this version, 69 a \
service is unavailable, 70 internal, 78 configuration (also a key that is missing or lacks a role), 130 interrupted, 143 \
terminated."
)]
pub struct Cli {
    /// What every command takes.
    #[command(flatten)]
    pub global: Global,
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

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

impl Cli {
    /// `router train --data FILE` names the training file; a flag cannot mean two things, so it is sorted out here and
    /// the data folder comes from the environment or the default.
    ///
    /// # Errors
    /// A sentence if the file is not named.
    pub fn sort_out_data(mut self, environment: Option<&str>) -> Result<Self, String> {
        if !matches!(self.command, Command::Router(Router::Train(_))) {
            return Ok(self);
        }
        let folder = PathBuf::from(environment.unwrap_or(DATA));
        let named = std::mem::replace(&mut self.global.data, folder);
        if named == self.global.data {
            return Err("router train needs the training file: --data TRAIN".to_owned());
        }
        self.global.training_data = Some(named);
        Ok(self)
    }
}

/// The data folder unless told otherwise.
pub(crate) const DATA: &str = ".assay";

/// Every command.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run every service in one process and serve until SIGTERM
    Up(Up),
    /// Run one service in its own process until SIGTERM; --config names the settings file of that service
    Service(Service),
    /// Index files (Markdown, text, code, AVAP); unchanged files cost nothing
    Ingest(Ingest),
    /// Search for passages; shows the rank in each leg (words, vectors)
    Search(Search),
    /// Ask a question: routed, answered with citations, checked, recorded
    Ask(Box<Ask>),
    /// Validate programs; exits 1 if any is invalid
    Parse(Parse),
    /// Format AVAP programs; comments and meaning stay the same
    Fmt(Fmt),
    /// Language server for AVAP over standard input and output
    Lsp(Reading),
    /// Validate any answer against given sources; exits 0 pass, 2 review, 3 reject
    Check(Check),
    /// Classify messages and train heads
    #[command(subcommand)]
    Router(Router),
    /// Read, prove and verify records
    #[command(subcommand)]
    Audit(Audit),
    /// Measure answers
    #[command(subcommand)]
    Eval(Eval),
    /// Models that run in this process: fetch, list, verify, remove
    #[command(subcommand)]
    Models(Models),
    /// Make a certificate authority and a certificate for each service; a second run renews them
    Certs(Certs),
    /// API keys of a gateway
    #[command(subcommand)]
    Keys(Keys),
    /// Show, explain and check settings
    #[command(subcommand)]
    Config(Config),
    /// Print a completion script for a shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Print versions of everything that decides an answer
    Version,
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
