//! The `assay` command.

use std::process::ExitCode;

use assay::cli::Cli;
use assay::{exit, run};
use clap::Parser as _;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// What `println!` says where standard output takes no more.
const UNWRITTEN: &str = "failed printing to stdout: ";

/// A reader that goes away (`assay … | head`) ends the output, is no defect, and changes no exit code that is known
/// already; a full disk is told as every other failure is.
fn end_where_the_output_ends() {
    let report = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        let Some(why) = panic.payload_as_str().and_then(|text| text.strip_prefix(UNWRITTEN)) else {
            return report(panic);
        };
        if why.contains("Broken pipe") {
            std::process::exit(exit::known().into());
        }
        let told = format!("assay: cannot write the output: {why} [{}]\n", assay_domain::Code::Internal);
        let _ = std::io::Write::write_all(&mut std::io::stderr(), told.as_bytes());
        std::process::exit(exit::INTERNAL.into());
    }));
}

fn main() -> ExitCode {
    end_where_the_output_ends();
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
    let code = runtime.block_on(run::run(cli));
    // A reader that waits for input which never comes keeps nobody.
    runtime.shutdown_background();
    code
}
