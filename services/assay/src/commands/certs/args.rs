//! The arguments of `assay certs`.

use std::path::PathBuf;

use clap::Args;

/// Make certificates.
#[derive(Debug, Args)]
pub struct Certs {
    /// Folder of the authority, with a folder of tls.crt, tls.key and ca.crt for each service [default: certs in the
    /// data folder]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Services, separated by commas; `all` for every one
    #[arg(long, value_delimiter = ',', default_value = "all", value_name = "NAMES")]
    pub services: Vec<String>,
    /// Days that certificates are good for
    #[arg(long, default_value_t = 365, value_parser = clap::value_parser!(u32).range(1..=3650))]
    pub days: u32,
    /// Print Kubernetes secrets instead of folders, for `kubectl apply -f -`
    #[arg(long)]
    pub kubernetes: bool,
    /// Namespace of the secrets
    #[arg(long, default_value = "assay", requires = "kubernetes", value_name = "NS")]
    pub namespace: String,
}
