//! `assay version`: everything that decides an answer.

use assay_domain::Failure;
use assay_proto::parser as wire;
use assay_reader::ReaderIdentity;
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
    reader: Reader<'a>,
}

#[derive(Serialize)]
struct Reader<'a> {
    /// Where it runs: `in_box`, `folder`, `served` or `none`.
    kind: &'a str,
    /// Its name; empty for none.
    name: &'a str,
    /// Version of its weights, or of the question that a served one is asked.
    version: &'a str,
    /// SHA-256 of its model file, lower-case hex; empty for a served one.
    sha256: &'a str,
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
/// What the parser says; `CONFIGURATION` if the folder of the reader cannot be read.
pub async fn run(global: &Global, clients: &Clients, reader: &assay_reader::Options) -> Result<u8, Failure> {
    let parser = clients
        .parser()?
        .describe(clients.context(BUDGET).request(wire::DescribeRequest {}))
        .await
        .map_err(failure)?
        .into_inner();
    let ReaderIdentity { kind, name, version: weights, sha256 } = assay_reader::identity(reader)?;
    let version = env!("CARGO_PKG_VERSION");
    if global.json {
        let wire::DescribeResponse { version: parser, grammar_hash, profiles, languages } = &parser;
        let reader = Reader { kind: &kind, name: &name, version: &weights, sha256: &sha256 };
        let parser = Parser { version: parser, grammar_hash, profiles, languages };
        println!("{:#}", json!(Version { assay: version, protocol: PROTOCOL, parser, reader }));
    } else {
        println!("assay      {version}");
        println!("protocol   {PROTOCOL}");
        println!("parser     {} (grammar {})", parser.version, parser.grammar_hash);
        let digest = if sha256.is_empty() { String::new() } else { format!(", sha256 {sha256}") };
        println!("reader     {}", format!("{kind} {name} {weights}{digest}").trim_end());
        println!("profiles   {}", parser.profiles.join(", "));
        println!("languages  {}", parser.languages.join(", "));
    }
    Ok(0)
}
