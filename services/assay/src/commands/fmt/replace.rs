//! A new text in the place of a file, at once: whoever looks sees the old one or the new one, whole.

use std::fs::{File, OpenOptions, Permissions};
use std::io::{Error, ErrorKind, Result, Write as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _, fchown};
use std::path::{Path, PathBuf};

/// Names that are tried for the draft; one that a killed process left behind is passed over.
const NAMES: u32 = 100;

/// Puts a text in the place of a file: written beside it first, so that a full disk leaves the old one whole. A symbolic
/// link stays one; permissions stay, and owners where the system allows it.
pub(super) fn replace(path: &Path, text: &str) -> Result<()> {
    let path = std::fs::canonicalize(path)?;
    let old = std::fs::metadata(&path)?;
    if old.permissions().readonly() {
        return Err(ErrorKind::PermissionDenied.into());
    }
    let (file, beside) = draft(&path)?;
    let own = file.metadata()?;
    if (own.uid(), own.gid()) != (old.uid(), old.gid()) {
        // Who may not give a file away keeps it.
        let _ = fchown(&file, Some(old.uid()), Some(old.gid()));
    }
    let done = fill(file, text, old.permissions()).and_then(|()| std::fs::rename(&beside, &path));
    if done.is_err() {
        let _ = std::fs::remove_file(&beside);
    }
    done
}

/// A file of ours beside another. Nobody else reads it before it has its permissions, and nothing that stands there is
/// written through.
fn draft(path: &Path) -> Result<(File, PathBuf)> {
    let process = std::process::id();
    for attempt in 0..NAMES {
        let mut name = path.file_name().unwrap_or_default().to_owned();
        name.push(format!(".{process}.{attempt}.tmp"));
        let beside = path.with_file_name(name);
        match OpenOptions::new().write(true).create_new(true).mode(0o600).open(&beside) {
            Ok(file) => return Ok((file, beside)),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => {
                let text = format!("no file can be made beside it: {error}");
                return Err(Error::new(error.kind(), text));
            }
        }
    }
    Err(Error::new(ErrorKind::AlreadyExists, "files with .tmp names stand beside it; remove them"))
}

fn fill(mut file: File, text: &str, permissions: Permissions) -> Result<()> {
    file.write_all(text.as_bytes())?;
    file.set_permissions(permissions)
}
