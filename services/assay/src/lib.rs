//! The one binary: every service in one process, and the command line over them.
//!
//! A command reaches the services through [`clients::Clients`] and never knows whether they run in this process or in
//! another. Text and JSON are made in [`output`] and in `assay-api`, nowhere else.
//!
//! Over 10,000 lines in one crate: a folder for each command, and what all commands share; none of them has another user.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "printing is what a command line does")]

pub mod batch;
pub mod cli;
pub mod clients;
pub mod commands;
pub mod endpoint;
pub mod exit;
pub mod flags;
pub mod folder;
pub mod guide;
pub mod in_box;
pub mod lsp;
pub mod output;
pub mod report;
pub mod run;
pub mod settings;
pub mod stop;
pub mod system;
