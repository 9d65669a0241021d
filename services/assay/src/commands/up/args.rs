//! The arguments of `assay up`.

use std::net::SocketAddr;

use clap::Args;

/// Run every service in one process.
#[derive(Debug, Args)]
pub struct Up {
    /// Address of the HTTP gateway; port 0 takes any free one
    #[arg(long, value_name = "ADDR")]
    pub http: Option<SocketAddr>,
    /// Address of the gRPC services; port 0 takes any free one
    #[arg(long, value_name = "ADDR")]
    pub grpc: Option<SocketAddr>,
    /// Index the bundled guide to AVAP and ask a first question
    #[arg(long)]
    pub demo: bool,
}
