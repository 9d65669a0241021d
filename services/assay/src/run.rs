//! From the parsed command line to an exit code: settings, telemetry, clients, command.

use std::process::ExitCode;
use std::time::Duration;

use assay_domain::{Code, Failure};
use clap::CommandFactory as _;

use crate::cli::{Cli, Command};
use crate::clients::Clients;
use crate::commands;
use crate::commands::parse::Parse;
use crate::exit;
use crate::settings::Settings;
use crate::stop::Stop;

/// How long the word on a signal may take.
const LAST_WORD: Duration = Duration::from_millis(200);

/// Runs a command line.
pub async fn run(cli: Cli) -> ExitCode {
    let json = cli.global.json;
    match dispatch(cli).await {
        Ok(code) => ExitCode::from(code),
        // Whoever reads our words may have stalled, which is why somebody sent a signal.
        Err(failure) if Stop::of(&failure).is_some() => {
            let code = ExitCode::from(exit::code(&failure));
            let told = assay_rpc::task::blocking(move || exit::tell(&failure));
            let _ = tokio::time::timeout(LAST_WORD, told).await;
            code
        }
        Err(failure) => exit::fail(&failure, json),
    }
}

async fn dispatch(cli: Cli) -> Result<u8, Failure> {
    let environment = assay_config::environment();
    let Cli { global, command } = cli
        .sort_out_data(environment.get("ASSAY_DATA").map(String::as_str))
        .map_err(|text| Failure::new(Code::InvalidArgument, text).field("data"))?;
    if let Command::Completions { shell } = &command {
        let mut script = Vec::new();
        clap_complete::generate(*shell, &mut Cli::command(), "assay", &mut script);
        print!("{}", String::from_utf8_lossy(&script));
        return Ok(0);
    }
    if let Command::Certs(args) = &command {
        return commands::certs::run(&global, args);
    }
    if let Command::Service(args) = &command {
        return commands::service::run(&global, args, environment).await;
    }
    let mut settings = Settings::load(global.config.as_deref(), &global.data, &environment)?;
    let serves = matches!(command, Command::Up(_));
    if !serves && settings.telemetry.log == assay_telemetry::Options::default().log {
        // A command that answers once and ends says what went wrong itself.
        "error".clone_into(&mut settings.telemetry.log);
    }
    // Dropped at the end, which delivers what is left.
    let _telemetry = assay_telemetry::start("assay", &settings.telemetry)
        .map_err(|error| Failure::new(Code::Configuration, error.to_string()).field("telemetry"))?;
    match command {
        Command::Up(args) => commands::up::run(&global, &args, settings).await,
        Command::Fmt(args) => commands::fmt::run(&global, &args, &settings),
        Command::Lint(args) => commands::lint::run(&global, &args).await,
        Command::Lsp(args) => commands::lsp::run(&args, &settings),
        Command::Parse(Parse { explain: Some(code), .. }) => commands::parse::explain(&global, &code),
        Command::Config(command) => commands::config::run(&global, &command, &settings).await,
        Command::Audit(command) => commands::audit::run(&global, &command, &settings).await,
        Command::Keys(command) => commands::keys::run(&global, &command, &settings),
        Command::Models(command) => commands::models::run(&global, &command, &settings).await,
        Command::Parse(args) => {
            let clients = Clients::checks(&global, &settings).await?;
            let result = commands::parse::run(&global, &args, &clients).await;
            clients.close().await;
            result
        }
        Command::Check(args) => {
            let clients = Clients::checks(&global, &settings).await?;
            let result = commands::check::run(&global, &args, &clients).await;
            clients.close().await;
            result
        }
        Command::Version => {
            let clients = Clients::checks(&global, &settings).await?;
            let result = commands::version::run(&global, &clients).await;
            clients.close().await;
            result
        }
        command => {
            let clients = Clients::connect(&global, &settings).await?;
            let result = match &command {
                Command::Ask(args) => commands::ask::run(&global, args, &clients).await,
                Command::Ingest(args) => commands::ingest::run(&global, args, &clients).await,
                Command::Index(command) => commands::index::run(&global, command, &clients).await,
                Command::Search(args) => commands::search::run(&global, args, &clients).await,
                Command::Router(command) => commands::router::run(&global, command, &clients).await,
                Command::Eval(command) => commands::eval::run(&global, command, &clients).await,
                _ => Err(Failure::internal("a command has no home")),
            };
            clients.close().await;
            result
        }
    }
}
