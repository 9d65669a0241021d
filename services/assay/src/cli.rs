//! The command line as data: every command. The arguments of a command are beside it, in its folder below `commands`.

use std::path::PathBuf;

use clap::{Parser, Subcommand};

use crate::commands::ask::Ask;
use crate::commands::audit::Audit;
use crate::commands::certs::Certs;
use crate::commands::check::Check;
use crate::commands::config::Config;
use crate::commands::eval::Eval;
use crate::commands::fmt::Fmt;
use crate::commands::index::Index;
use crate::commands::ingest::Ingest;
use crate::commands::keys::Keys;
use crate::commands::lint::Lint;
use crate::commands::mcp::Mcp;
use crate::commands::models::Models;
use crate::commands::parse::Parse;
use crate::commands::router::Router;
use crate::commands::search::Search;
use crate::commands::service::Service;
use crate::commands::up::Up;
use crate::flags::{DATA, Global, Reading};

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

impl Cli {
    /// `router train --data FILE` names the training file; a flag cannot mean two things, so it is sorted out here and
    /// the data folder comes from the environment or the default.
    ///
    /// # Errors
    /// A sentence if the file is not named.
    pub fn sort_out_data(mut self, environment: Option<&str>) -> Result<Self, String> {
        let Command::Router(Router::Train(train)) = &self.command else { return Ok(self) };
        let folder = PathBuf::from(environment.unwrap_or(DATA));
        let named = std::mem::replace(&mut self.global.data, folder);
        match (named == self.global.data, train.seed) {
            (true, true) => {}
            (false, false) => self.global.training_data = Some(named),
            (true, false) => return Err("router train needs --data TRAIN, or --seed".to_owned()),
            (false, true) => return Err("router train takes --data TRAIN or --seed, not both".to_owned()),
        }
        Ok(self)
    }
}

/// Every command.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run every service in one process and serve until SIGTERM
    Up(Up),
    /// Run one service in its own process until SIGTERM; --config names the settings file of that service
    Service(Service),
    /// Index files, folders, archives or a commit; unchanged files cost nothing
    Ingest(Ingest),
    /// Collections: list, show, compare, verify against their sources, delete
    #[command(subcommand)]
    Index(Index),
    /// Find mistakes in documentation: invalid code, dead links, repetitions; exits 1 if there are any
    Lint(Lint),
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
    /// Tools for assistants over the Model Context Protocol: ask, search, check, parse, audit_show
    Mcp(Mcp),
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
