//! What every Elasticsearch adapter shares: settings, a client of several nodes that tries again, and bulk writes.
//!
//! | module | holds |
//! |---|---|
//! | [`options`] | the section `[elasticsearch]` |
//! | [`client`] | one request: node, credentials, TLS, attempts, errors |
//! | [`bulk`] | many documents: batches, back-pressure, errors of single documents |

pub mod bulk;
pub mod client;
mod error;
pub mod options;

pub use bulk::Bulk;
pub use client::{Attempts, Call, Client, Reply};
pub use error::Error;
pub use options::{Neighbours, Options};
