//! The signing key in a file of the data folder, made on the first start and readable by its owner only.

use std::fs::{File, OpenOptions};
use std::io::{Read as _, Write as _};
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::Path;

use crate::error::AuditError;

/// Name of the key file.
pub const KEY_FILE: &str = "audit.key";

/// Reads the 32 secret bytes.
///
/// # Errors
/// [`AuditError::Key`] if the file is no key or others can read it; [`AuditError::Io`] otherwise. None if missing.
pub fn read(folder: &Path) -> Result<Option<[u8; 32]>, AuditError> {
    let path = folder.join(KEY_FILE);
    let mut file = match File::open(&path) {
        Ok(file) => file,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(AuditError::io(format!("opening {}", path.display()), &error)),
    };
    let doing = || format!("reading {}", path.display());
    let mode = file.metadata().map_err(|error| AuditError::io(doing(), &error))?.permissions().mode();
    if mode & 0o077 != 0 {
        let what =
            format!("{} can be read by others; if nobody else has it, run chmod 600 on it", path.display());
        return Err(AuditError::Key { what });
    }
    let mut text = String::new();
    file.read_to_string(&mut text).map_err(|error| AuditError::io(doing(), &error))?;
    let mut seed = [0; 32];
    hex::decode_to_slice(text.trim(), &mut seed)
        .map_err(|_| AuditError::Key { what: format!("{} is not 64 hexadecimal digits", path.display()) })?;
    Ok(Some(seed))
}

/// Writes the key of a new log; durable and complete, or not there at all.
///
/// # Errors
/// [`AuditError::Io`] or [`AuditError::Full`].
pub fn write(folder: &Path, seed: &[u8; 32]) -> Result<(), AuditError> {
    let path = folder.join(KEY_FILE);
    let draft = folder.join("audit.key.new");
    let written = (|| {
        if draft.exists() {
            std::fs::remove_file(&draft)?;
        }
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&draft)?;
        writeln!(file, "{}", hex::encode(seed))?;
        file.sync_all()?;
        std::fs::rename(&draft, &path)?;
        File::open(folder)?.sync_all()
    })();
    written.map_err(|error| AuditError::io(format!("writing {}", path.display()), &error))
}
