//! What this version does not have: whoever types it is told what is missing.

use assay_domain::{Code, Failure};

/// What is missing of a command.
#[must_use]
pub fn missing(command: &str, what: &str) -> Failure {
    Failure::new(Code::Unimplemented, format!("`assay {command}` is not in this version: {what}"))
        .field(command)
}
