//! The words that name a model: `hub:OWNER/NAME[@REVISION]`, or `minilm`.

use std::fmt;
use std::str::FromStr;

/// What is to be fetched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Reference {
    /// The embedding model that the product knows by its checksums.
    Minilm,
    /// A repository on a hub.
    Hub(Repository),
}

/// A repository on a hub, at a branch, tag or commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Repository {
    /// `OWNER/NAME`.
    pub(crate) id: String,
    /// Branch, tag or commit; `main` unless named.
    pub(crate) revision: String,
}

// === impl Repository ===

impl Repository {
    /// The part after the slash.
    #[must_use]
    pub(crate) fn name(&self) -> &str {
        self.id.rsplit('/').next().unwrap_or_default()
    }
}

impl fmt::Display for Repository {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}@{}", self.id, self.revision)
    }
}

impl FromStr for Reference {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, String> {
        if word == "minilm" {
            return Ok(Self::Minilm);
        }
        let wrong =
            || format!("{word:?} names no model; give hub:OWNER/NAME, hub:OWNER/NAME@REVISION or minilm");
        let named = word.strip_prefix("hub:").ok_or_else(wrong)?;
        let (id, revision) = named.split_once('@').unwrap_or((named, "main"));
        let parts: Vec<&str> = id.split('/').collect();
        let plain = |part: &&str| {
            let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
            !part.is_empty() && !part.starts_with('.') && part.chars().all(allowed)
        };
        let branch = !revision.is_empty()
            && !revision.split('/').any(|part| matches!(part, "" | "." | ".."))
            && revision.chars().all(|c| c.is_ascii_graphic() && !matches!(c, '?' | '#' | '@'));
        match parts.len() == 2 && parts.iter().all(plain) && branch {
            true => Ok(Self::Hub(Repository { id: id.to_owned(), revision: revision.to_owned() })),
            false => Err(wrong()),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_model_is_named_by_owner_name_and_revision() {
        let of = |word: &str| match word.parse::<Reference>().unwrap() {
            Reference::Hub(repository) => repository.to_string(),
            Reference::Minilm => "minilm".to_owned(),
        };
        assert_eq!(of("hub:someone/nli-v3.1"), "someone/nli-v3.1@main");
        assert_eq!(of("hub:someone/nli@refs/pr/3"), "someone/nli@refs/pr/3");
        assert_eq!(of("minilm"), "minilm");
    }

    #[test]
    fn words_that_name_no_repository_are_refused() {
        for word in
            ["nli", "hub:nli", "hub:a/b/c", "hub:../b", "hub:a/b@", "hub:a/b@../c", "hub:a/b?x", "hub:a b/c"]
        {
            let told = word.parse::<Reference>().unwrap_err();
            assert!(told.contains("hub:OWNER/NAME"), "{told}");
        }
    }
}
