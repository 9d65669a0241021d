//! RC-01: registered platform prefixes.

use assay_text::normalize;
use sha2::{Digest as _, Sha256};

/// Prefixes that can be added to but never removed.
const BUILT_IN: &[&str] = &["you are a direct and concise assistant"];

/// The effective list of platform prefixes, folded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlatformPrefixes(Vec<String>);

impl Default for PlatformPrefixes {
    fn default() -> Self {
        Self::with(std::iter::empty::<&str>())
    }
}

impl PlatformPrefixes {
    /// The built-in prefixes and further ones; blank ones are left out.
    #[must_use]
    pub fn with(further: impl IntoIterator<Item = impl AsRef<str>>) -> Self {
        let mut all: Vec<String> = BUILT_IN.iter().map(|prefix| normalize(prefix)).collect();
        all.extend(
            further.into_iter().map(|prefix| normalize(prefix.as_ref())).filter(|prefix| !prefix.is_empty()),
        );
        all.sort();
        all.dedup();
        Self(all)
    }

    /// SHA-256 over the sorted list, one prefix a line, lower-case hex.
    #[must_use]
    pub fn sha256(&self) -> String {
        let mut hash = Sha256::new();
        for prefix in &self.0 {
            hash.update(prefix.as_bytes());
            hash.update(b"\n");
        }
        hex::encode(hash.finalize())
    }

    /// Whether the message contains a registered prefix; case and white space do not matter.
    #[must_use]
    pub fn matches(&self, message: &str) -> bool {
        let folded = normalize(message);
        self.0.iter().any(|prefix| folded.contains(prefix))
    }

    /// The folded message without registered prefixes; unchanged if nothing else is left.
    #[must_use]
    pub fn strip(&self, message: &str) -> String {
        let mut rest = normalize(message);
        for prefix in &self.0 {
            rest = rest.replace(prefix, " ");
        }
        if rest.chars().any(char::is_alphanumeric) { rest } else { normalize(message) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn built_in_prefixes_stay_and_their_hash_names_the_list() {
        let more = PlatformPrefixes::with(["  Billing   Bot  "]);
        assert!(more.matches("you are a DIRECT and\nconcise assistant. Hello"));
        assert!(more.matches("I am the billing bot"));
        assert_ne!(more.sha256(), PlatformPrefixes::default().sha256());
    }
}
