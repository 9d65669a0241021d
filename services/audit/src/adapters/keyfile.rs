//! The signing key in a file, made with the log and readable by its owner only.

use std::fs::{File, OpenOptions};
use std::io::{Read as _, Write as _};
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use crate::error::AuditError;
use crate::options::Options;

/// Mode bits that a key beside its log must not have: anything for others.
const NOT_BESIDE: u32 = 0o077;
/// The same for a key elsewhere: a mounted secret is readable by the group of its pod.
const NOT_ELSEWHERE: u32 = 0o037;

/// Reads the 32 secret bytes; none if the file is missing.
///
/// # Errors
/// [`AuditError::Key`] if the file is no key or too open; [`AuditError::Io`] otherwise.
pub fn read(options: &Options) -> Result<Option<[u8; 32]>, AuditError> {
    let forbidden = if options.key_file.as_os_str().is_empty() { NOT_BESIDE } else { NOT_ELSEWHERE };
    read_file(&options.key_path(), forbidden)
}

fn read_file(path: &Path, forbidden: u32) -> Result<Option<[u8; 32]>, AuditError> {
    let mut file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(AuditError::io(format!("opening {}", path.display()), &error)),
    };
    let doing = || format!("reading {}", path.display());
    let mode = file.metadata().map_err(|error| AuditError::io(doing(), &error))?.permissions().mode();
    if mode & forbidden != 0 {
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

fn draft_of(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".new");
    PathBuf::from(name)
}

/// Writes the key of a log to be, durably, beside its place; [`settle`] moves it there once the log is made.
///
/// # Errors
/// [`AuditError::Io`] or [`AuditError::Full`].
pub fn draft(options: &Options, seed: &[u8; 32]) -> Result<(), AuditError> {
    let draft = draft_of(&options.key_path());
    let written = (|| {
        if draft.exists() {
            std::fs::remove_file(&draft)?;
        }
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&draft)?;
        writeln!(file, "{}", hex::encode(seed))?;
        file.sync_all()
    })();
    written.map_err(|error| AuditError::io(format!("writing {}", draft.display()), &error))
}

/// The key of a start that ended between making the log and moving its key into place.
///
/// # Errors
/// As [`read`].
pub fn drafted(options: &Options) -> Result<Option<[u8; 32]>, AuditError> {
    read_file(&draft_of(&options.key_path()), NOT_BESIDE)
}

/// Moves the drafted key into its place; durable when this returns.
///
/// # Errors
/// [`AuditError::Io`] or [`AuditError::Full`].
pub fn settle(options: &Options) -> Result<(), AuditError> {
    let path = options.key_path();
    let moved = (|| {
        std::fs::rename(draft_of(&path), &path)?;
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        File::open(folder.unwrap_or(Path::new(".")))?.sync_all()
    })();
    moved.map_err(|error| AuditError::io(format!("writing {}", path.display()), &error))
}
