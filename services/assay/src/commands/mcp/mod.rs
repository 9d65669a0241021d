//! `assay mcp`: the tools of Assay for assistants, over the Model Context Protocol.
//!
//! | file | holds |
//! |---|---|
//! | `server` | the protocol: list of tools, calls, progress, cancellation |
//! | `tools` | each tool: arguments, result, words |
//! | `http` | the protocol over HTTP |

mod args;
mod http;
mod server;
mod tools;

pub use args::Mcp;

use std::sync::Arc;

use assay_domain::Failure;
use rmcp::ServiceExt as _;

use crate::clients::Clients;
use crate::stop::Signals;
use server::Server;

/// Runs the command: serves until its client goes away or a signal comes.
///
/// # Errors
/// `configuration` for an address beyond loopback, or one that cannot be bound.
pub async fn run(args: &Mcp, clients: Clients) -> Result<u8, Failure> {
    let clients = Arc::new(clients);
    let result = serve(args, &clients).await;
    // Sessions may hold the clients still; calls under way have the time of a drain.
    clients.close().await;
    result
}

async fn serve(args: &Mcp, clients: &Arc<Clients>) -> Result<u8, Failure> {
    let mut signals = Signals::listen()?;
    if let Some(address) = args.http {
        return http::serve(address, clients, signals).await;
    }
    let running = Server::new(Arc::clone(clients)).serve(rmcp::transport::stdio());
    let broken = |error: &dyn std::fmt::Display| Failure::internal(format!("the client broke off: {error}"));
    let running = tokio::select! {
        running = running => running.map_err(|error| broken(&error))?,
        _ = signals.next() => return Ok(0),
    };
    let cancel = running.cancellation_token();
    tokio::select! {
        ended = running.waiting() => { ended.map_err(|error| broken(&error))?; }
        _ = signals.next() => cancel.cancel(),
    }
    Ok(0)
}
