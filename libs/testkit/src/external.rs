//! Data and servers that a test may find or not; a test without them skips, loudly.
#![allow(
    clippy::disallowed_methods,
    clippy::print_stderr,
    reason = "tests read their own environment and say what they skip"
)]

use std::path::PathBuf;

/// A path below the development data, or none after saying so. The folder is `ASSAY_SHARED`, or `shared` beside the
/// checkout.
#[must_use]
pub fn shared_data(path: &str) -> Option<PathBuf> {
    let root = std::env::var_os("ASSAY_SHARED").map_or_else(
        || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared")),
        PathBuf::from,
    );
    let found = root.join("data").join(path);
    if found.exists() {
        return Some(found);
    }
    loudly(format_args!("SKIPPED: no development data at {}", found.display()));
    None
}

/// The value of an environment variable that names a real server or folder, or none after saying so.
#[must_use]
pub fn from_environment(name: &str) -> Option<String> {
    let value = std::env::var(name).ok().filter(|value| !value.is_empty());
    if value.is_none() {
        loudly(format_args!("SKIPPED: {name} is not set"));
    }
    value
}

/// Writes a line past the test harness, which keeps what a passing test prints to itself.
pub fn loudly(line: std::fmt::Arguments<'_>) {
    use std::io::Write as _;
    let _ = writeln!(std::io::stderr(), "{line}");
}
