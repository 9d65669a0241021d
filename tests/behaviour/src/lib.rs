//! One behaviour suite over the whole system, and the harnesses that it runs on.
//!
//! | module | holds |
//! |---|---|
//! | [`harness`] | the system in this process, in separate processes on loopback, or behind an address that is given |
//! | [`cases`] | what must hold, each written once; a case sees a [`harness::Harness`] and never knows which |
//! | [`spans`] | the spans of one request, and who called whom |
//!
//! Everything here is a test: it panics where something does not hold.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::missing_panics_doc,
    reason = "this crate is tests"
)]

pub mod cases;
pub mod harness;
pub mod spans;
