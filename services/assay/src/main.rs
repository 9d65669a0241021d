//! The `assay` command.

use std::panic::{self, AssertUnwindSafe};
use std::process::ExitCode;

use assay::cli::Cli;
use assay::{exit, run};
use assay_domain::Failure;
use clap::Parser as _;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// What `println!` says where standard output takes no more.
const UNWRITTEN: &str = "failed printing to stdout: ";

/// Where standard output takes no more, the main thread unwinds, so that what a command has to remove is removed.
/// Another thread, of which nobody would hear, ends the process.
fn end_where_the_output_ends() {
    let report = panic::take_hook();
    panic::set_hook(Box::new(move |panic| {
        match panic.payload_as_str().and_then(|text| text.strip_prefix(UNWRITTEN)) {
            None => report(panic),
            Some(_) if std::thread::current().name() == Some("main") => {}
            Some(why) => std::process::exit(ended(why).into()),
        }
    }));
}

/// The exit code of a command whose output took no more. A reader that goes away (`assay … | head`) is no defect and
/// changes no exit code that is known already; a full disk is told as every other failure is.
fn ended(why: &str) -> u8 {
    if why.contains("Broken pipe") {
        return exit::known();
    }
    exit::tell(&Failure::internal(format!("cannot write the output: {why}")));
    exit::INTERNAL
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
            return exit::fail(&Failure::internal(error.to_string()), cli.global.json);
        }
    };
    let ran = panic::catch_unwind(AssertUnwindSafe(|| runtime.block_on(run::run(cli))));
    // A reader that waits for input which never comes keeps nobody.
    runtime.shutdown_background();
    ran.unwrap_or_else(|panic| {
        match panic.downcast_ref::<String>().and_then(|text| text.strip_prefix(UNWRITTEN)) {
            Some(why) => ExitCode::from(ended(why)),
            None => panic::resume_unwind(panic),
        }
    })
}
