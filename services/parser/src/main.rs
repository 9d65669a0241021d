//! Parser as a process: settings, telemetry, compose, serve, drain.

use assay_rpc::process::Settings;

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let file = std::env::args_os().nth(1).map(std::path::PathBuf::from);
    let settings: Settings<assay_parser::Options> =
        assay_config::load(file.as_deref(), &assay_config::environment(), assay_parser::FLAT)?;
    let _telemetry = assay_telemetry::start(assay_parser::SPEC.name, &settings.telemetry)?;
    let peers = settings.connect(&assay_parser::SPEC)?;
    let service = assay_parser::compose(settings.service.clone(), &peers).await?;
    Ok(settings.serve(service).await?)
}
