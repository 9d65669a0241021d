//! One file per technology.

pub(crate) mod database;
pub(crate) mod grpc_peers;
pub(crate) mod no_sessions;
pub(crate) mod sqlite_outbox;
pub(crate) mod sqlite_sessions;
