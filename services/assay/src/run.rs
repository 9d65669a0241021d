//! From the parsed command line to an exit code: settings, telemetry, clients, command.

use std::process::ExitCode;
use std::time::Duration;

use assay_domain::{Code, Failure};
use clap::CommandFactory as _;

use crate::cli::{Cli, Command};
use crate::clients::Clients;
use crate::commands;
use crate::commands::eval::Eval;
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
            over(clients, async |clients| commands::parse::run(&global, &args, clients).await).await
        }
        Command::Check(args) => {
            let clients = Clients::checks(&global, &settings).await?;
            over(clients, async |clients| commands::check::run(&global, &args, clients).await).await
        }
        Command::Version => {
            let clients = Clients::checks(&global, &settings).await?;
            over(clients, async |clients| commands::version::run(&global, clients, &settings.reader).await)
                .await
        }
        Command::Ingest(args) => {
            let clients = Clients::indexes(&global, &settings).await?;
            over(clients, async |clients| commands::ingest::run(&global, &args, clients).await).await
        }
        Command::Index(command) => {
            let clients = Clients::indexes(&global, &settings).await?;
            over(clients, async |clients| commands::index::run(&global, &command, clients).await).await
        }
        Command::Search(args) => {
            let clients = Clients::indexes(&global, &settings).await?;
            over(clients, async |clients| commands::search::run(&global, &args, clients).await).await
        }
        Command::Router(command) => {
            let clients = Clients::classifying(&global, &settings).await?;
            over(clients, async |clients| commands::router::run(&global, &command, &settings, clients).await)
                .await
        }
        Command::Ask(args) => {
            let clients = Clients::connect(&global, &settings).await?;
            over(clients, async |clients| commands::ask::run(&global, &args, clients).await).await
        }
        Command::Mcp(args) => commands::mcp::run(&args, Clients::connect(&global, &settings).await?).await,
        Command::Eval(Eval::Run(args)) => {
            let clients = Clients::connect(&global, &settings).await?;
            over(clients, async |clients| commands::eval::run(&global, &args, clients).await).await
        }
        Command::Eval(Eval::Checks(args)) => {
            let clients = Clients::checks(&global, &settings).await?;
            over(clients, async |clients| commands::eval::checks(&global, &args, clients).await).await
        }
        Command::Eval(Eval::CompareEmbeddings(args)) => {
            let clients = Clients::indexes(&global, &settings).await?;
            over(clients, async |clients| commands::eval::compare_embeddings(&global, &args, clients).await)
                .await
        }
        Command::Eval(command) => commands::eval::offline(&global, &command),
        Command::Completions { .. } | Command::Certs(_) | Command::Service(_) => {
            Err(Failure::internal("this command needs no settings and ran already"))
        }
    }
}

/// Runs a command and ends what was started for it.
async fn over(
    clients: Clients,
    command: impl AsyncFnOnce(&Clients) -> Result<u8, Failure>,
) -> Result<u8, Failure> {
    let result = command(&clients).await;
    clients.close().await;
    result
}
