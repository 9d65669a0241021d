//! The audit service as a process of its own: settings, telemetry, compose, serve, drain.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;

use assay_domain::{Code, Failure};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Settings {
    listen: SocketAddr,
    audit: assay_audit::Options,
    telemetry: assay_telemetry::Options,
    limits: assay_rpc::Limits,
}

impl Default for Settings {
    fn default() -> Self {
        let listen = (Ipv4Addr::LOCALHOST, assay_audit::SPEC.port).into();
        Self { listen, audit: Default::default(), telemetry: Default::default(), limits: Default::default() }
    }
}

fn configuration(error: impl std::fmt::Display) -> Failure {
    Failure::new(Code::Configuration, error.to_string())
}

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let file = std::env::args_os().nth(1).map(PathBuf::from);
    let environment = assay_config::environment();
    let settings: Settings =
        assay_config::load(file.as_deref(), &environment, assay_audit::FLAT_NAMES).map_err(configuration)?;
    let _telemetry = assay_telemetry::start("audit", &settings.telemetry).map_err(configuration)?;
    let service = assay_audit::compose(settings.audit, assay_rpc::Peers::none()).await?;
    let running = service.listen(settings.listen, settings.limits).await?;
    assay_rpc::server::shutdown_signal().await;
    running.drain().await;
    Ok(())
}
