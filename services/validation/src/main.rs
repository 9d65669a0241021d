//! Validation as a process of its own: settings, telemetry, compose, serve, drain.

use std::error::Error;

use assay_rpc::process::Settings;
use assay_validation::{FLAT, Options, SPEC, compose};

/// Where a separate parser is, as the contract names it.
const PARSER_URL: (&str, &str) = ("AVAP_PARSER_URL", "peers.parser");

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let file = std::env::args_os().nth(1).map(std::path::PathBuf::from);
    let flat = [FLAT, &[PARSER_URL]].concat();
    let settings: Settings<Options> =
        assay_config::load(file.as_deref(), &assay_config::environment(), &flat)?;
    let _telemetry = assay_telemetry::start(SPEC.name, &settings.telemetry)?;
    let service = compose(settings.service.clone(), &settings.connect(&SPEC)?).await?;
    Ok(settings.serve(service).await?)
}
