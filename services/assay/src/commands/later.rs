//! Commands whose part is not there yet: they exist, and say what is missing.

use assay_domain::{Code, Failure};

/// The failure of such a command.
#[must_use]
pub fn missing(command: &str, what: &str) -> Failure {
    Failure::new(Code::Unimplemented, format!("`assay {command}` is not in this version: {what}"))
        .field(command)
}
