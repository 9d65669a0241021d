//! `assay version`: everything that decides an answer.

use assay_domain::Failure;
use assay_proto::parser as wire;
use serde_json::json;

use crate::cli::Global;
use crate::clients::{Clients, failure};
use crate::commands::BUDGET;

/// Runs the command.
///
/// # Errors
/// What the parser says.
pub async fn run(global: &Global, clients: &Clients) -> Result<u8, Failure> {
    let parser = clients
        .parser()?
        .describe(clients.context(BUDGET).request(wire::DescribeRequest {}))
        .await
        .map_err(failure)?
        .into_inner();
    let version = env!("CARGO_PKG_VERSION");
    if global.json {
        println!(
            "{:#}",
            json!({
                "assay": version,
                "protocol": "v1alpha1",
                "parser": {
                    "version": parser.version, "grammar_hash": parser.grammar_hash,
                    "profiles": parser.profiles, "languages": parser.languages,
                },
            })
        );
    } else {
        println!("assay      {version}");
        println!("protocol   v1alpha1");
        println!("parser     {} (grammar {})", parser.version, parser.grammar_hash);
        println!("profiles   {}", parser.profiles.join(", "));
        println!("languages  {}", parser.languages.join(", "));
    }
    Ok(0)
}
