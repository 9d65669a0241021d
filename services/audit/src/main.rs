//! Audit as a process of its own: settings, telemetry, compose, serve, drain.

use std::error::Error;

use assay_rpc::process::Settings;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let file = std::env::args_os().nth(1).map(std::path::PathBuf::from);
    let settings: Settings<assay_audit::Options> =
        assay_config::load(file.as_deref(), &assay_config::environment(), assay_audit::FLAT)?;
    let _telemetry = assay_telemetry::start(assay_audit::SPEC.name, &settings.telemetry)?;
    let peers = settings.connect(&assay_audit::SPEC)?;
    let service = assay_audit::compose(settings.service.clone(), &peers).await?;
    Ok(settings.serve(service).await?)
}
