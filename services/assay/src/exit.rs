//! Exit codes, and how a failure is told on standard error.

use std::process::ExitCode;

use assay_domain::{Code, Failure};

/// Some input was invalid.
pub const INVALID: u8 = 1;
/// The verdict is review.
pub const REVIEW: u8 = 2;
/// The verdict is reject.
pub const REJECT: u8 = 3;
/// The command line is wrong.
pub const USAGE: u8 = 64;
/// A service is unavailable.
pub const UNAVAILABLE: u8 = 69;
/// A defect of ours.
pub const INTERNAL: u8 = 70;
/// A setting is wrong.
pub const CONFIGURATION: u8 = 78;

/// The exit code of a failure.
#[must_use]
pub fn code(failure: &Failure) -> u8 {
    match failure.code {
        Code::InvalidArgument | Code::PayloadTooLarge | Code::NotFound | Code::RequestConflict => INVALID,
        Code::AnswerRejected => REJECT,
        Code::Configuration | Code::DataFolderInUse | Code::StorageCorrupt => CONFIGURATION,
        Code::Internal => INTERNAL,
        _ => UNAVAILABLE,
    }
}

/// Prints a failure and gives its exit code.
#[must_use]
pub fn fail(failure: &Failure, json: bool) -> ExitCode {
    if json {
        let body = serde_json::json!({
            "error": { "code": failure.code.as_str(), "message": failure.message, "field": failure.field }
        });
        println!("{body}");
    }
    let place = if failure.field.is_empty() { String::new() } else { format!(" ({})", failure.field) };
    eprintln!("assay: {}{place} [{}]", failure.message, failure.code);
    ExitCode::from(code(failure))
}
