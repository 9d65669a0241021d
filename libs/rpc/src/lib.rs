//! Everything between two services: channels, servers, deadlines, identity and trace context, readiness and drain.
//!
//! | module | holds |
//! |---|---|
//! | [`spec`] | what a service is called, where it listens, whom it may call and who may call it |
//! | [`context`] | deadline and identity of a request, taken from the wire and put on outgoing calls |
//! | [`channel`] | the way to a peer: balanced, repeated where that is safe |
//! | [`methods`] | what the protocol says of its methods |
//! | [`peers`] | the channels a service was given |
//! | [`server`] | a composed service, served in memory or on a socket |
//! | [`tls`] | certificates, exchanged while they are in use |
//! | [`front`] | one address in front of several services |
//! | [`process`] | one service as a process |
//! | [`clock`], [`entropy`], [`task`] | the one home of time, chance and spawning |
//! | [`accept`], [`places`] | connections as they come, and which of them find room |
//! | `io` | byte streams, with the names that certificates prove |
//! | `admit` | who may call a service |
//! | `admin` | health and metrics in plaintext |
//! | `request_bytes` | bytes of requests that a front door holds |
//! | `layers` | what wraps every call of every service |
//!
//! This crate must never know a message of the protocol or a rule of the domain.

pub mod accept;
mod admin;
mod admit;
pub mod channel;
pub mod clock;
pub mod connections;
pub mod context;
pub mod entropy;
pub mod front;
pub mod io;
mod layers;
pub mod methods;
pub mod peers;
pub mod process;
mod request_bytes;
pub mod server;
pub mod spec;
pub mod task;
pub mod tls;

pub use channel::{Channel, Outbound};
pub use context::Context;
pub use peers::Peers;
pub use server::{Limits, Running, Service};
pub use spec::ServiceSpec;

/// Largest message that a service accepts or sends, in bytes.
pub const MAX_MESSAGE_BYTES: usize = 16 * 1024 * 1024;
