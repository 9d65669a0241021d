//! One file per technology.

pub(crate) mod database;
pub(crate) mod elastic_sessions;
pub(crate) mod grpc_audit;
pub(crate) mod grpc_generation;
pub(crate) mod grpc_retrieval;
pub(crate) mod grpc_validation;
pub(crate) mod head_store;
pub(crate) mod no_sessions;
mod peer;
pub(crate) mod sqlite_messages;
pub(crate) mod sqlite_outbox;
pub(crate) mod sqlite_sessions;
mod stored_turn;
