//! The Model Context Protocol over HTTP (Streamable HTTP), for clients on this machine.
//!
//! Only loopback: whoever can call it acts as the user who started it. `Host` must be a loopback name and `Origin` must
//! be absent, so that no page of another site can use it.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use assay_domain::{Code, Failure};
use assay_rpc::task;
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto::Builder;
use hyper_util::service::TowerToHyperService;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::net::TcpListener;

use super::server::Server;
use crate::clients::Clients;
use crate::say;
use crate::stop::Signals;

/// Pause after a failed accept, such as too many open files.
const PAUSE: Duration = Duration::from_millis(50);

/// Serves until a signal comes, which ends the sessions.
pub(super) async fn serve(
    address: SocketAddr,
    clients: &Arc<Clients>,
    mut signals: Signals,
) -> Result<u8, Failure> {
    let wrong = |text: String| Failure::new(Code::Configuration, text).field("http");
    if !address.ip().is_loopback() {
        let text = format!(
            "{address} is not a loopback address; clients on other machines reach Assay through a gateway, with a key"
        );
        return Err(wrong(text));
    }
    let listener = TcpListener::bind(address).await;
    let listener = listener.map_err(|error| wrong(format!("cannot listen on {address}: {error}")))?;
    let bound = listener.local_addr().map_err(|error| wrong(error.to_string()))?;
    say!("http://{bound}/mcp");
    let config = StreamableHttpServerConfig::default().enforce_origin_validation();
    let _sessions = config.cancellation_token.clone().drop_guard();
    let made = Arc::clone(clients);
    let service = StreamableHttpService::new(
        move || Ok(Server::new(Arc::clone(&made))),
        Arc::new(LocalSessionManager::default()),
        config,
    );
    loop {
        let stream = tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => stream,
                Err(_) => {
                    tokio::time::sleep(PAUSE).await;
                    continue;
                }
            },
            _ = signals.next() => return Ok(0),
        };
        let service = TowerToHyperService::new(service.clone());
        task::spawn(async move {
            // What goes wrong on one connection is its client's affair.
            let _ = Builder::new(TokioExecutor::new()).serve_connection(TokioIo::new(stream), service).await;
        });
    }
}
