//! Vectors that an interrupted build has already made: fixed-size records, appended; a torn tail is ignored.

use super::layout::{self, PARTIAL};
use crate::error::Error;
use crate::ports::VectorKey;
use std::collections::HashMap;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

/// The log of made vectors of one collection.
#[derive(Debug)]
pub(super) struct Partial {
    path: PathBuf,
    known: HashMap<VectorKey, Vec<f32>>,
    file: Option<File>,
}

impl Partial {
    /// Reads what an earlier build left.
    pub(super) fn open(folder: &Path) -> Self {
        let path = folder.join(PARTIAL);
        let known = fs::read(&path).map(|bytes| parse(&bytes)).unwrap_or_default();
        Self { path, known, file: None }
    }

    pub(super) fn get(&self, key: &VectorKey) -> Option<Vec<f32>> {
        self.known.get(key).cloned()
    }

    /// Appends vectors. Losing them costs time only, so they are not synced.
    pub(super) fn append(&mut self, vectors: &[(VectorKey, Vec<f32>)]) -> Result<(), Error> {
        let failed = |error: std::io::Error| Error::io("cannot keep vectors", &error);
        let file = match &mut self.file {
            Some(file) => file,
            empty => {
                // Written anew, so that a torn tail cannot shift what follows.
                let mut file = layout::create(&self.path).map_err(failed)?;
                for (key, vector) in &self.known {
                    file.write_all(&record(key, vector)).map_err(failed)?;
                }
                empty.insert(file)
            }
        };
        for (key, vector) in vectors {
            file.write_all(&record(key, vector)).map_err(failed)?;
        }
        Ok(())
    }

    /// Forgets everything, once the build is complete.
    pub(super) fn remove(&mut self) {
        self.file = None;
        self.known.clear();
        if let Err(error) = fs::remove_file(&self.path)
            && error.kind() != std::io::ErrorKind::NotFound
        {
            tracing::warn!(%error, "kept vectors could not be removed");
        }
    }
}

fn record(key: &VectorKey, vector: &[f32]) -> Vec<u8> {
    let mut out = Vec::with_capacity(36 + vector.len() * 4);
    out.extend_from_slice(&u32::try_from(vector.len()).unwrap_or(0).to_le_bytes());
    out.extend_from_slice(key);
    for x in vector {
        out.extend_from_slice(&x.to_le_bytes());
    }
    out
}

fn parse(mut bytes: &[u8]) -> HashMap<VectorKey, Vec<f32>> {
    let mut out = HashMap::new();
    while let Some((header, rest)) = bytes.split_first_chunk::<4>() {
        let size = u32::from_le_bytes(*header) as usize * 4;
        let Some((key, rest)) = rest.split_first_chunk::<32>() else { break };
        let Some((body, rest)) = rest.split_at_checked(size) else { break };
        out.insert(*key, super::records::floats(body));
        bytes = rest;
    }
    out
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use super::*;

    #[test]
    fn vectors_survive_and_a_torn_tail_is_ignored() {
        let dir = tempfile::tempdir().unwrap();
        let mut partial = Partial::open(dir.path());
        partial.append(&[([1; 32], vec![1.0, 2.0]), ([2; 32], vec![3.0, 4.0])]).unwrap();
        drop(partial);
        let path = dir.path().join(PARTIAL);
        let bytes = fs::read(&path).unwrap();
        fs::write(&path, &bytes[..bytes.len() - 3]).unwrap();
        let mut again = Partial::open(dir.path());
        assert_eq!(again.get(&[1; 32]), Some(vec![1.0, 2.0]));
        assert_eq!(again.get(&[2; 32]), None);
        again.append(&[([3; 32], vec![5.0])]).unwrap();
        drop(again);
        let mut last = Partial::open(dir.path());
        assert_eq!((last.get(&[1; 32]), last.get(&[3; 32])), (Some(vec![1.0, 2.0]), Some(vec![5.0])));
        last.remove();
        assert!(!path.exists());
    }
}
