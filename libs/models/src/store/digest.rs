//! Size and SHA-256 of a file, read piece by piece.

use std::fmt;
use std::io::Read as _;
use std::path::Path;

use sha2::{Digest as _, Sha256};

/// Size and checksum of some bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Digest {
    /// Size in bytes.
    pub bytes: u64,
    /// SHA-256, lower-case hex.
    pub sha256: String,
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes, sha256 {}", self.bytes, self.sha256)
    }
}

/// Size and checksum of a file; it is never held in memory as a whole.
///
/// # Errors
/// If the file cannot be opened or read, or is no regular file: a pipe or a device may never end.
pub fn digest(path: &Path) -> std::io::Result<Digest> {
    if !std::fs::metadata(path)?.is_file() {
        return Err(std::io::Error::other("it is no regular file"));
    }
    let mut file = std::fs::File::open(path)?;
    let mut hasher = Sha256::new();
    let mut buffer = vec![0_u8; 1 << 18];
    let mut bytes = 0_u64;
    loop {
        let count = match file.read(&mut buffer) {
            Ok(0) => break,
            Ok(count) => count,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        hasher.update(buffer.get(..count).unwrap_or_default());
        bytes += count as u64;
    }
    Ok(Digest { bytes, sha256: hex::encode(hasher.finalize()) })
}
