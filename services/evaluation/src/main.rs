//! The evaluation as a process of its own: settings, telemetry, compose, serve, drain.

use std::process::ExitCode;

use assay_evaluation::{FLAT, Options, SPEC, compose};
use assay_rpc::process::Settings;

async fn run() -> Result<(), Box<dyn std::error::Error>> {
    let file = std::env::args_os().nth(1).map(std::path::PathBuf::from);
    let settings: Settings<Options> =
        assay_config::load(file.as_deref(), &assay_config::environment(), FLAT)?;
    let _telemetry = assay_telemetry::start(SPEC.name, &settings.telemetry)?;
    settings.serve(compose(&settings.service, &settings.connect(&SPEC)?)?).await?;
    Ok(())
}

#[tokio::main]
async fn main() -> ExitCode {
    match run().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            #[allow(clippy::print_stderr, reason = "the last word of a process that could not start")]
            {
                eprintln!("assay-evaluation: {error}");
            }
            ExitCode::from(78)
        }
    }
}
