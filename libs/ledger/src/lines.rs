//! Verification of an exported log, line by line.

use crate::checkpoint::VerifierKey;
use crate::export::{EXPORT_VERSION, Line};
use crate::finding::Finding;
use crate::verify::{Verification, Verifier};

/// Verifies an exported log, line by line. Signatures are held against `trusted`; without it against the key that
/// the export itself presents, which proves that the log is whole but not whose it is.
pub fn verify_lines<I>(lines: I, trusted: Option<&VerifierKey>) -> Verification
where
    I: IntoIterator,
    I::Item: AsRef<str>,
{
    let mut verifier = Verifier::new(trusted.cloned(), None);
    verifier.accept_unsigned_erasures(u64::MAX);
    let mut header = false;
    for (at, line) in (1_u64..).zip(lines) {
        let line = line.as_ref();
        if line.trim().is_empty() {
            continue;
        }
        match Line::from_json(line) {
            Err(reason) => verifier.report(Finding::BadLine { line: at, reason }),
            Ok(Line::Log { version, .. }) if !(1..=EXPORT_VERSION).contains(&version) => {
                let reason = format!("export format {version}; this verifier reads 1 to {EXPORT_VERSION}");
                verifier.report(Finding::BadLine { line: at, reason });
            }
            Ok(Line::Log { .. }) if header || verifier.size() > 0 => {
                verifier.report(Finding::BadLine { line: at, reason: "a second log begins here".to_owned() });
            }
            Ok(Line::Log { origin, key, .. }) => {
                header = true;
                verifier.opening(at, &origin, &key);
            }
            Ok(Line::Entry(entry)) => {
                verifier.entry(&entry);
            }
            Ok(Line::Leaf { index, leaf }) => {
                verifier.leaf(index, leaf);
            }
            Ok(Line::Checkpoint { note }) => verifier.checkpoint(&note),
        }
    }
    if !header {
        verifier.report(Finding::NoHeader);
    }
    verifier.finish()
}

impl Verifier {
    fn opening(&mut self, line: u64, origin: &str, key: &str) {
        let Some(parsed) = VerifierKey::parse(key) else {
            return self.report(Finding::BadLine { line, reason: "the key is no verifier key".to_owned() });
        };
        if parsed.name() != origin {
            self.report(Finding::BadLine { line, reason: "the key is not named like the log".to_owned() });
        }
        match &self.key {
            None => self.key = Some(parsed),
            Some(trusted) if *trusted == parsed => {}
            Some(trusted) => {
                let trusted = trusted.to_string();
                self.report(Finding::OtherKey { found: key.to_owned(), trusted });
            }
        }
    }
}
