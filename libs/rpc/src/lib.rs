//! Everything between two services: channels, servers, deadlines, identity and trace context, readiness and drain.
//!
//! | module | holds |
//! |---|---|
//! | [`spec`] | what a service is called, where it listens and whom it may call |
//! | [`context`] | deadline and identity of a request, taken from the wire and put on outgoing calls |
//! | [`peers`] | the channels a service was given |
//! | [`server`] | a composed service, served in memory or on a socket |
//! | [`front`] | one address in front of several services of the same process |
//! | [`process`] | one service as a process |
//! | [`clock`], [`entropy`], [`task`] | the one home of time, chance and spawning |
//!
//! This crate must never know a message of the protocol or a rule of the domain.

pub mod clock;
pub mod context;
pub mod entropy;
pub mod front;
mod layers;
pub mod peers;
pub mod process;
pub mod server;
pub mod spec;
pub mod task;

pub use context::Context;
pub use peers::Peers;
pub use server::{Limits, Running, Service};
pub use spec::ServiceSpec;
pub use tonic::transport::Channel;

/// Largest message that a service accepts or sends, in bytes.
pub const MAX_MESSAGE_BYTES: usize = 16 * 1024 * 1024;
