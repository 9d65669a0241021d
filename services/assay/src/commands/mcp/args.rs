//! The arguments of `assay mcp`.

use std::net::SocketAddr;

use clap::Args;

/// Serve the tools of Assay to assistants.
#[derive(Debug, Args)]
pub struct Mcp {
    /// Serve over HTTP at this loopback address, path /mcp, instead of standard input and output
    #[arg(long, value_name = "ADDRESS")]
    pub http: Option<SocketAddr>,
}
