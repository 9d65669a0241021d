//! The `assay` command.

use std::process::ExitCode;

use assay::cli::Cli;
use assay::{exit, run};
use clap::Parser as _;

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            let _ = error.print();
            return if error.use_stderr() { ExitCode::from(exit::USAGE) } else { ExitCode::SUCCESS };
        }
    };
    // One TLS provider for every client in the process; a second installation is harmless.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            return exit::fail(&assay_domain::Failure::internal(error.to_string()), cli.global.json);
        }
    };
    runtime.block_on(run::run(cli))
}
