//! Backups that migrations made beside the log: they hold payloads that an erasure has to reach.

use std::path::{Path, PathBuf};

use crate::error::AuditError;

/// Ends the name of a backup.
const END: &str = ".backup";

/// Where the backup of a version of the log goes.
pub(super) fn of(file: &Path, version: usize) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(format!(".v{version}{END}"));
    PathBuf::from(name)
}

/// Removes every backup of the log; returns their names.
///
/// # Errors
/// [`AuditError::Io`] naming the file that stays.
pub(super) fn remove(file: &Path) -> Result<Vec<String>, AuditError> {
    let (Some(folder), Some(log)) = (file.parent(), file.file_name().and_then(|name| name.to_str())) else {
        return Ok(Vec::new());
    };
    assay_sqlite::remove_backups(folder, &format!("{log}.v"), END).map_err(|(path, error)| {
        AuditError::io(format!("removing the backup {} of before the erasure", path.display()), &error)
    })
}
