//! Retrieval as a process: settings, telemetry, compose, serve, drain.

use assay_rpc::process::Settings;

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let file = std::env::args_os().nth(1).map(std::path::PathBuf::from);
    let settings: Settings<assay_retrieval::Options> =
        assay_config::load(file.as_deref(), &assay_config::environment(), assay_retrieval::FLAT)?;
    let _telemetry = assay_telemetry::start(assay_retrieval::SPEC.name, &settings.telemetry)?;
    let peers = settings.connect(&assay_retrieval::SPEC)?;
    let service = assay_retrieval::compose(settings.service.clone(), &peers).await?;
    Ok(settings.serve(service).await?)
}
