//! A private copy of a database with its write-ahead file, so that reading a log writes nothing beside it.
//!
//! Works beside a writer and on read-only media. The write-ahead file is copied after the database: whatever a
//! checkpoint moves into the database meanwhile is in both, and readers prefer the write-ahead file. Only a restart of
//! that file in between loses pages; its first bytes, which change then, tell.

use std::fs::File;
use std::io::{ErrorKind, Read as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use rusqlite::Connection;
use tempfile::TempDir;

use super::{harden, sql};
use crate::error::AuditError;

/// Copies before the database counts as too busy.
const ATTEMPTS: usize = 20;

/// The copy; its folder, readable by the owner alone, goes with it.
#[derive(Debug)]
pub(super) struct Copy {
    _folder: TempDir,
    file: PathBuf,
}

/// What changes when the write-ahead file is restarted: its header, or without one size and time of the database.
#[derive(PartialEq)]
enum Stamp {
    Log([u8; 32]),
    Database(u64, SystemTime),
}

impl Copy {
    /// Copies a database; none if there is no such file.
    ///
    /// # Errors
    /// [`AuditError::Busy`] where it changes faster than it can be copied; [`AuditError::Io`].
    pub(super) fn of(file: &Path) -> Result<Option<Self>, AuditError> {
        Self::try_of(file).map_err(|error| match error.kind() {
            ErrorKind::ResourceBusy => AuditError::Busy { path: file.to_owned() },
            _ => AuditError::io(format!("copying {}", file.display()), &error),
        })
    }

    fn try_of(file: &Path) -> std::io::Result<Option<Self>> {
        let folder = TempDir::new()?;
        let copy = folder.path().join("copy.sqlite3");
        for _ in 0..ATTEMPTS {
            let Some(before) = stamp(file)? else { return Ok(None) };
            copy_file(file, &copy)?;
            copy_file(&beside(file), &beside(&copy))?;
            if stamp(file)? == Some(before) {
                return Ok(Some(Self { _folder: folder, file: copy }));
            }
        }
        Err(ErrorKind::ResourceBusy.into())
    }

    /// Path of the copied database.
    pub(super) fn file(&self) -> &Path {
        &self.file
    }

    /// Opens the copy.
    ///
    /// # Errors
    /// What the database says.
    pub(super) fn open(&self, doing: &str) -> Result<Connection, AuditError> {
        let opened = Connection::open(&self.file).and_then(|connection| {
            harden(&connection)?;
            Ok(connection)
        });
        opened.map_err(|error| sql(doing, &error))
    }
}

/// The write-ahead file of a database.
fn beside(file: &Path) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push("-wal");
    PathBuf::from(name)
}

/// A file that need not be there.
fn open(file: &Path) -> std::io::Result<Option<File>> {
    match File::open(file) {
        Ok(file) => Ok(Some(file)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

fn stamp(file: &Path) -> std::io::Result<Option<Stamp>> {
    let Some(database) = open(file)? else { return Ok(None) };
    let mut header = [0; 32];
    if let Some(mut log) = open(&beside(file))?
        && log.read_exact(&mut header).is_ok()
    {
        return Ok(Some(Stamp::Log(header)));
    }
    let data = database.metadata()?;
    Ok(Some(Stamp::Database(data.len(), data.modified()?)))
}

/// Copies the bytes, not the mode: the copy of a read-only file can be written.
fn copy_file(from: &Path, to: &Path) -> std::io::Result<()> {
    let Some(mut source) = open(from)? else {
        return match std::fs::remove_file(to) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        };
    };
    let mut target = File::options().create(true).write(true).truncate(true).mode(0o600).open(to)?;
    std::io::copy(&mut source, &mut target).map(drop)
}
