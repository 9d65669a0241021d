//! The front door: HTTP for people and programs, over the services inside.
//!
//! Invariants: a request is refused before any work if its host, origin, size or form is wrong; every error is a
//! problem document with one of our codes; a client that goes away cancels the work done for it; nothing that came
//! from outside reaches a page unescaped. The gateway decides nothing about answers.
//!
//! | file | holds |
//! |---|---|
//! | `options` | settings, and the rule that an address beyond loopback needs authentication |
//! | `ports` | what the routes need, in domain types |
//! | `adapters` | the gRPC clients behind the ports |
//! | `service` | asking, unary and as a stream that always ends |
//! | [`api`] | every JSON shape; the command line uses the same |
//! | `body` | reading and checking what a caller sends |
//! | `problem` | failures as problem documents |
//! | `guard` | host, origin, request id, headers, panics, counting |
//! | `routes` | the paths |
//! | `console` | the page at `/` |
//! | `server` | sockets, time-outs of slow clients, drain |
//! | `compose` | options and peers make a gateway |

mod adapters;
pub mod api;
mod body;
mod compose;
mod console;
mod guard;
mod options;
mod ports;
mod problem;
mod routes;
mod server;
mod service;

pub use compose::{Gateway, MetricsRenderer, compose};
pub use options::Options;
pub use server::Serving;

use assay_rpc::ServiceSpec;

/// What the gateway is and whom it may call.
pub const SPEC: ServiceSpec = ServiceSpec {
    name: "gateway",
    grpc: "",
    port: 7100,
    calls: &["router", "audit", "retrieval", "evaluation"],
    purpose: "HTTP front door: asks, streams, records and the console",
};
