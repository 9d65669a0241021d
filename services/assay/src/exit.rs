//! Exit codes, and how a failure is told on standard error.

use std::path::Path;
use std::process::ExitCode;
use std::sync::atomic::{AtomicU8, Ordering};

use assay_domain::{Code, Failure, Verdict};
use serde::Serialize;

use crate::say;
use crate::stop::Stop;

/// Some input was invalid.
pub const INVALID: u8 = 1;
/// The verdict is review.
pub const REVIEW: u8 = 2;
/// The verdict is reject.
pub const REJECT: u8 = 3;
/// The command line is wrong, or names what this version does not have.
pub const USAGE: u8 = 64;
/// A service is unavailable: down, full, over a rate or out of time.
pub const UNAVAILABLE: u8 = 69;
/// A defect of ours.
pub const INTERNAL: u8 = 70;
/// A setting is wrong, keys included.
pub const CONFIGURATION: u8 = 78;

/// It was interrupted, as shells tell it.
pub const INTERRUPTED: u8 = 130;
/// It was terminated, as shells tell it.
pub const TERMINATED: u8 = 143;

/// The exit code that is known before the output has been written.
static KNOWN: AtomicU8 = AtomicU8::new(0);

/// Notes an exit code before its findings are printed, so that it stands where their reader goes away. The highest of
/// several stands.
#[must_use]
pub fn note(code: u8) -> u8 {
    KNOWN.fetch_max(code, Ordering::Relaxed);
    code
}

/// The highest exit code noted so far; 0 if there is none.
#[must_use]
pub fn known() -> u8 {
    KNOWN.load(Ordering::Relaxed)
}

/// The exit code of a failure.
#[must_use]
pub fn code(failure: &Failure) -> u8 {
    match failure.code {
        Code::InvalidArgument
        | Code::PayloadTooLarge
        | Code::NotFound
        | Code::RequestConflict
        | Code::SessionConflict => INVALID,
        Code::AnswerRejected => REJECT,
        Code::Cancelled => Stop::of(failure).map_or(INTERRUPTED, Stop::code),
        Code::Unimplemented => USAGE,
        // A key is a setting: another one, or one with the role, is what helps.
        Code::Configuration
        | Code::DataFolderInUse
        | Code::StorageCorrupt
        | Code::Unauthenticated
        | Code::PermissionDenied => CONFIGURATION,
        Code::Internal => INTERNAL,
        Code::Unavailable
        | Code::SearchUnavailable
        | Code::GenerationUnavailable
        | Code::ValidationUnavailable
        | Code::OutboxFull
        | Code::ResourceExhausted
        | Code::EvaluationAborted
        | Code::DeadlineExceeded => UNAVAILABLE,
    }
}

/// Prints a failure and gives its exit code.
#[must_use]
pub fn fail(failure: &Failure, json: bool) -> ExitCode {
    if json {
        println!("{}", serde_json::json!(Failed::new(failure)));
    }
    tell(failure);
    ExitCode::from(code(failure))
}

/// A failure as an object of the output.
#[derive(Debug, Serialize)]
pub struct Failed<'a> {
    /// The file that failed; left out where the whole command did.
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    error: Error<'a>,
}

#[derive(Debug, Serialize)]
struct Error<'a> {
    /// Stable error code: decide by this field.
    code: &'static str,
    /// What is wrong, and the cure.
    message: &'a str,
    /// Flag, field or setting to blame; empty where there is none.
    field: &'a str,
}

impl<'a> Failed<'a> {
    /// The failure of a whole command.
    #[must_use]
    pub fn new(failure: &'a Failure) -> Self {
        let Failure { code, message, field, .. } = failure;
        Self { path: None, error: Error { code: code.as_str(), message, field } }
    }

    /// The failure of one file among several.
    #[must_use]
    pub fn of(path: &Path, failure: &'a Failure) -> Self {
        Self { path: Some(path.display().to_string()), ..Self::new(failure) }
    }
}

/// Tells a failure on standard error.
pub fn tell(failure: &Failure) {
    let place = if failure.field.is_empty() { String::new() } else { format!(" ({})", failure.field) };
    say!("assay: {}{place} [{}]", failure.message, failure.code);
}

/// A line on standard error. Where nobody reads it any more, there is nobody to tell.
#[macro_export]
macro_rules! say {
    ($($told:tt)*) => {{
        let mut told = $crate::output::shown(&format!($($told)*));
        told.push('\n');
        let _ = ::std::io::Write::write_all(&mut ::std::io::stderr(), told.as_bytes());
    }};
}

/// The exit code of a verdict.
#[must_use]
pub fn of_verdict(verdict: Option<Verdict>) -> u8 {
    match verdict {
        Some(Verdict::Reject) => REJECT,
        Some(Verdict::Review) => REVIEW,
        Some(Verdict::Pass) | None => 0,
    }
}
