//! What holds between two processes, over real sockets: repeats, balance, deadlines, cancellation, drains, certificates.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod balance;
mod certificates;
mod connections;
mod deadline;
mod drain;
mod forward;
mod proxy;
mod retry;
mod tls;
mod world;
