//! Names of the metadata that calls carry beside their messages.

/// On a status: the record of the request that failed.
pub const AUDIT_ID: &str = "assay-audit-id";

/// On the reply to `Draft`: `provider:model` that is asked first. A caller that cuts the draft off knows what was asked;
/// the finished draft says who wrote it.
pub const MODEL: &str = "assay-model";

/// On the status of a failed `Draft`: a `Draft` message with what was spent on it.
pub const SPENT: &str = "assay-spent-bin";
