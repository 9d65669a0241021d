//! What differs between two sets of documents, each known by its key and the hash of its text.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::{Path, PathBuf};

use assay_domain::Failure;
use assay_retrieval::ingest::text_of;
use assay_retrieval::ingest::walk::{MAX_FILE_BYTES, walk};
use assay_retrieval::service::text_sha256;
use serde::Serialize;

use crate::output::shown;

/// Hash of the text by key.
pub(super) type Known = BTreeMap<String, String>;

/// What differs.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub(super) struct Drift {
    /// Documents that are the same.
    pub(super) unchanged: usize,
    /// Same key, other text.
    pub(super) changed: Vec<String>,
    /// Same text under another key.
    pub(super) moved: Vec<Moved>,
    /// Only in the first set.
    pub(super) missing: Vec<String>,
    /// Only in the second set.
    pub(super) added: Vec<String>,
}

/// A document under another key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct Moved {
    pub(super) from: String,
    pub(super) to: String,
}

impl Drift {
    pub(super) fn between(before: &Known, after: &Known) -> Self {
        let mut drift = Self::default();
        let mut added: BTreeSet<&String> = after.keys().filter(|key| !before.contains_key(*key)).collect();
        for (key, hash) in before {
            match after.get(key) {
                Some(found) if found == hash => drift.unchanged += 1,
                Some(_) => drift.changed.push(key.clone()),
                None => match added.iter().copied().find(|other| after.get(*other) == Some(hash)) {
                    Some(other) => {
                        added.remove(other);
                        drift.moved.push(Moved { from: key.clone(), to: other.clone() });
                    }
                    None => drift.missing.push(key.clone()),
                },
            }
        }
        drift.added = added.into_iter().cloned().collect();
        drift
    }

    pub(super) fn is_none(&self) -> bool {
        *self == Self { unchanged: self.unchanged, ..Self::default() }
    }
}

impl fmt::Display for Drift {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for key in &self.changed {
            writeln!(f, "changed  {}", shown(key))?;
        }
        for moved in &self.moved {
            writeln!(f, "moved    {} -> {}", shown(&moved.from), shown(&moved.to))?;
        }
        for key in &self.missing {
            writeln!(f, "missing  {}", shown(key))?;
        }
        for key in &self.added {
            writeln!(f, "new      {}", shown(key))?;
        }
        let (changed, moved) = (self.changed.len(), self.moved.len());
        let (missing, added) = (self.missing.len(), self.added.len());
        let same = self.unchanged;
        writeln!(f, "{same} unchanged, {changed} changed, {moved} moved, {missing} missing, {added} new")
    }
}

/// The files below some paths, as an ingest of them would find them.
pub(super) struct OnDisk {
    pub(super) files: Known,
    roots: Vec<String>,
}

impl OnDisk {
    /// Whether a key lies below one of the paths.
    pub(super) fn covers(&self, key: &str) -> bool {
        self.roots.iter().any(|root| root.is_empty() || Path::new(key).starts_with(root))
    }
}

/// Reads the files below some paths, as they are or as they were at a commit.
///
/// # Errors
/// A path that cannot be read.
pub(super) fn on_disk(paths: &[PathBuf], revision: Option<&str>) -> Result<OnDisk, Failure> {
    let most = usize::try_from(MAX_FILE_BYTES).unwrap_or(usize::MAX);
    let (mut files, mut roots) = (Known::new(), Vec::new());
    for path in paths {
        let walk = walk(path, revision)?;
        roots.push(walk.prefix().to_owned());
        walk.each(&mut |found| {
            if let Ok(found) = found
                && let Ok((_, text)) = text_of(&found.path, found.content, most)
            {
                files.insert(found.path, text_sha256(&text));
            }
            true
        })?;
    }
    Ok(OnDisk { files, roots })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_are_told_from_losses_and_news() {
        let known = |pairs: &[(&str, &str)]| -> Known {
            pairs.iter().map(|(key, hash)| ((*key).to_owned(), (*hash).to_owned())).collect()
        };
        let before = known(&[("a", "1"), ("b", "2"), ("c", "3"), ("d", "4")]);
        let after = known(&[("a", "1"), ("b", "9"), ("e", "3"), ("f", "7")]);
        let drift = Drift::between(&before, &after);
        assert_eq!(drift.unchanged, 1);
        assert_eq!(drift.changed, ["b"]);
        assert_eq!(drift.moved, [Moved { from: "c".into(), to: "e".into() }]);
        assert_eq!(
            (drift.missing.as_slice(), drift.added.as_slice()),
            (&["d".to_owned()][..], &["f".to_owned()][..])
        );
        assert!(!drift.is_none() && Drift::between(&after, &after).is_none());
    }
}
