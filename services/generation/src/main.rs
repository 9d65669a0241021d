//! Generation as a process: settings, telemetry, compose, serve, drain.

use assay_rpc::process::Settings;

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let file = std::env::args_os().nth(1).map(std::path::PathBuf::from);
    let settings: Settings<assay_generation::Options> =
        assay_config::load(file.as_deref(), &assay_config::environment(), assay_generation::FLAT)?;
    let _telemetry = assay_telemetry::start(assay_generation::SPEC.name, &settings.telemetry)?;
    let peers = settings.connect(&assay_generation::SPEC)?;
    let service = assay_generation::compose(settings.service.clone(), &peers).await?;
    Ok(settings.serve(service).await?)
}
