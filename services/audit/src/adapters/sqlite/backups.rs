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
    let failed = |what: &Path, error: &std::io::Error| {
        AuditError::io(format!("removing the backup {} of before the erasure", what.display()), error)
    };
    let mut removed = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(|error| failed(folder, &error))? {
        let path = entry.map_err(|error| failed(folder, &error))?.path();
        let Some(name) = path.file_name().and_then(|name| name.to_str()) else { continue };
        let version = name.strip_prefix(log).and_then(|rest| rest.strip_prefix(".v")?.strip_suffix(END));
        if version.is_some_and(|version| version.parse::<usize>().is_ok()) {
            std::fs::remove_file(&path).map_err(|error| failed(&path, &error))?;
            removed.push(name.to_owned());
        }
    }
    removed.sort();
    Ok(removed)
}
