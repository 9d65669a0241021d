//! The front door: HTTP for people and programs, over the services inside.
//!
//! Invariants: a request is refused before any work if its host, origin, size or form is wrong; every error is a
//! problem document with one of our codes; a client that goes away cancels the work done for it; nothing that came
//! from outside reaches a page unescaped; no credential reaches a log, a page or another service; a route without a row in
//! the table of roles is not served. The gateway decides nothing about answers.
//!
//! Over 8,000 lines in one crate: four protocols (its own, OpenAI's, Ollama's, brunix), who may come in, and the console. What
//! they share is the caller and the ports; a protocol, the console and the sign-in are a file or folder each.
//!
//! | file | holds |
//! |---|---|
//! | `options` | settings, and the rule that an address beyond loopback needs authentication |
//! | `ports` | what the routes need, in domain types |
//! | `adapters` | the gRPC clients behind the ports |
//! | `service` | asking, unary and as a stream that always ends |
//! | `body` | reading and checking what a caller sends |
//! | `json` | JSON objects without repeated names |
//! | `problem` | failures as problem documents |
//! | `repeat` | requests that are made again: keys, resumed streams, `ETag` |
//! | `refusals` | records of questions that are refused here |
//! | `middleware` | what every request passes: id, host, caller, headers, panics, counting, its line |
//! | `hosts` | under which names the server is known, and whose pages may call |
//! | `authorize` | credential, attempts, rate and role, for HTTP and gRPC alike |
//! | `roles` | who may do what: the tables of routes and methods |
//! | `credentials` | the one credential of a request |
//! | [`keys`] | API keys: making, keeping, recognising |
//! | `tokens`, `signatures` | JSON Web Tokens of a configured issuer |
//! | `issuer` | its keys, by discovery |
//! | `sign_in` | signing in to the console at an issuer |
//! | `who` | who a caller is, how one signs in |
//! | `watched` | files that are read again when they change |
//! | `limits` | failed attempts, requests and questions under way |
//! | `peer` | the client behind the connection |
//! | `access_log` | the access log |
//! | `routes` | the paths |
//! | `checks` | checking answers and programs of other systems |
//! | `compat` | OpenAI's and Ollama's paths |
//! | `door` | gRPC: the brunix protocol, and the way to the services inside |
//! | `console` | the pages for people |
//! | `documents` | pages of the error codes, the OpenAPI document |
//! | `library` | collections: search, documents, lines |
//! | `receipts` | receipts of records, the check of the log |
//! | `runs` | evaluation runs for the console |
//! | `server` | HTTP connections, time-outs of slow clients, drain |
//! | `compose` | options and peers make a gateway |

mod access_log;
mod adapters;
mod authorize;
pub mod body;
mod checks;
mod compat;
mod compose;
mod console;
mod credentials;
mod documents;
mod door;
mod hosts;
mod issuer;
mod json;
pub mod keys;
mod library;
mod limits;
mod middleware;
mod options;
mod peer;
mod ports;
mod problem;
mod receipts;
mod refusals;
mod repeat;
mod reviews;
mod roles;
mod routes;
mod runs;
mod server;
mod service;
mod shared;
mod sign_in;
mod signatures;
mod tokens;
mod watched;
mod who;

pub use compose::{Gateway, compose};
pub use options::{Algorithm, AuthOptions, JwtOptions, Options, RateOptions, SignInOptions};
pub use server::Serving;
pub use shared::MetricsRenderer;

use std::sync::Arc;

use assay_domain::{Code, Failure};
use assay_rpc::ServiceSpec;

/// What the gateway is and whom it may call.
pub const SPEC: ServiceSpec = ServiceSpec {
    name: "gateway",
    grpc: "",
    port: 7100,
    calls: &["router", "audit", "retrieval", "validation", "parser", "evaluation"],
    callers: &[],
    purpose: "HTTP front door: asks, streams, records and the console",
};

/// The HTTP address of a process, which has a setting of its own for it.
fn listening(
    options: &Options,
    listen: Option<std::net::SocketAddr>,
) -> Result<std::net::SocketAddr, Failure> {
    let Some(listen) = listen else { return Ok(options.http) };
    if options.http == listen || options.http == Options::default().http {
        return Ok(listen);
    }
    let text = format!("service.http is {} and listen is {listen}; set one of them", options.http);
    Err(Failure::new(Code::Configuration, text).field("service.http"))
}

/// The gateway as a process.
#[must_use]
pub fn program() -> assay_rpc::process::Program {
    use assay_rpc::process::{Part, Program};
    Program::new(
        &SPEC,
        assay_proto::DESCRIPTORS,
        &[],
        Options::check,
        |mut options: Options, stage| async move {
            options.http = listening(&options, stage.listen)?;
            let gateway = compose(&options, &stage.peers, Arc::new(assay_telemetry::exposition))?
                .with_limits(stage.limits);
            let serving = gateway.listen().await?;
            Ok(Part::Listening { address: serving.address(), drain: Box::new(|| Box::pin(serving.drain())) })
        },
    )
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn two_addresses_that_differ_are_refused() {
        let address = |text: &str| text.parse().unwrap();
        let own = Options { http: address("127.0.0.1:1"), ..Options::default() };
        assert_eq!(listening(&own, None).unwrap(), own.http);
        assert_eq!(listening(&own, Some(own.http)).unwrap(), own.http);
        assert_eq!(listening(&Options::default(), Some(own.http)).unwrap(), own.http);
        let failure = listening(&own, Some(address("127.0.0.1:2"))).unwrap_err();
        assert_eq!((failure.code, failure.field.as_str()), (Code::Configuration, "service.http"));
    }
}
