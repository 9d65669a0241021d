//! `assay version`: everything that decides an answer.

use assay_domain::Failure;
use assay_proto::parser as wire;
use serde::Serialize;
use serde_json::json;

use crate::clients::{BUDGET, Clients, failure};
use crate::flags::Global;

/// Version of the services' protocol.
const PROTOCOL: &str = "v1alpha1";

/// What decides an answer, as an object of the output.
#[derive(Serialize)]
struct Version<'a> {
    /// Version of the program.
    assay: &'a str,
    /// Version of the services' protocol.
    protocol: &'a str,
    parser: Parser<'a>,
}

#[derive(Serialize)]
struct Parser<'a> {
    /// Version of the parser.
    version: &'a str,
    /// SHA-256 of the AVAP grammar and command table, lower-case hex.
    grammar_hash: &'a str,
    /// Profiles that are on.
    profiles: &'a [String],
    /// Languages with a grammar.
    languages: &'a [String],
}

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
        let wire::DescribeResponse { version: parser, grammar_hash, profiles, languages } = &parser;
        let parser = Parser { version: parser, grammar_hash, profiles, languages };
        println!("{:#}", json!(Version { assay: version, protocol: PROTOCOL, parser }));
    } else {
        println!("assay      {version}");
        println!("protocol   {PROTOCOL}");
        println!("parser     {} (grammar {})", parser.version, parser.grammar_hash);
        println!("profiles   {}", parser.profiles.join(", "));
        println!("languages  {}", parser.languages.join(", "));
    }
    Ok(0)
}
