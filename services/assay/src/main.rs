//! The `assay` command.

use std::process::ExitCode;

use assay::cli::Cli;
use assay::{exit, run};
use clap::Parser as _;

/// A reader that goes away (`assay … | head`) ends the output, and is no defect.
fn end_quietly_on_a_closed_pipe() {
    let report = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if panic.payload_as_str().is_some_and(|text| text.contains("Broken pipe")) {
            std::process::exit(0);
        }
        report(panic);
    }));
}

fn main() -> ExitCode {
    end_quietly_on_a_closed_pipe();
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
