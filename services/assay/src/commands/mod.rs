//! One file or folder per command: flags in, calls to the services, text or JSON out.

pub mod ask;
pub mod audit;
pub mod certs;
pub mod check;
pub mod config;
pub mod eval;
pub mod fmt;
pub mod index;
pub mod ingest;
pub mod keys;
pub mod lint;
pub mod lsp;
pub mod mcp;
pub mod models;
pub mod parse;
pub mod router;
pub mod search;
pub mod service;
pub mod up;
pub mod version;
