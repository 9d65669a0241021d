//! The router as a process of its own: settings, telemetry, compose, serve, drain.

use std::path::PathBuf;

use assay_domain::{Code, Failure};
use assay_rpc::process::Settings;

fn configuration(error: impl std::fmt::Display) -> Failure {
    Failure::new(Code::Configuration, error.to_string())
}

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let file = std::env::args_os().nth(1).map(PathBuf::from);
    let environment = assay_config::environment();
    let settings: Settings<assay_router::Options> =
        assay_config::load(file.as_deref(), &environment, assay_router::FLAT).map_err(configuration)?;
    let _telemetry = assay_telemetry::start("router", &settings.telemetry).map_err(configuration)?;
    let peers = settings.connect(&assay_router::SPEC)?;
    let service = assay_router::compose(settings.service.clone(), &peers).await?;
    settings.serve(service).await
}
