//! The gateway as a process of its own: settings, telemetry, compose, serve, drain.

use std::process::ExitCode;

use assay_gateway::{Options, SPEC, compose};
use assay_rpc::process::Settings;

async fn run() -> Result<(), Box<dyn std::error::Error>> {
    let file = std::env::args_os().nth(1).map(std::path::PathBuf::from);
    let settings: Settings<Options> = assay_config::load(file.as_deref(), &assay_config::environment(), &[])?;
    let telemetry = assay_telemetry::start(SPEC.name, &settings.telemetry)?;
    let stop = assay_rpc::server::shutdown_signal();
    let mut options = settings.service.clone();
    options.http = settings.listen.unwrap_or(options.http);
    let serving =
        compose(&options, &settings.connect(&SPEC)?, telemetry.metrics_renderer())?.listen().await?;
    tracing::info!(target: "assay", service = SPEC.name, address = %serving.address(), "ready");
    stop.await;
    serving.drain().await;
    Ok(())
}

#[tokio::main]
async fn main() -> ExitCode {
    match run().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // Telemetry may not have started: standard error is all there is.
            #[allow(clippy::print_stderr, reason = "the last word of a process that could not start")]
            {
                eprintln!("assay-gateway: {error}");
            }
            ExitCode::from(78)
        }
    }
}
