//! The right to change a collection, between processes: a lock of the operating system, which ends with its holder.

use super::layout;
use crate::error::Error;
use std::fs::{File, OpenOptions, TryLockError};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;
use std::time::Duration;

/// Folder of the locks, beside the collections: a collection's own folder goes when it is deleted.
const FOLDER: &str = ".building";
/// Attempts to take the right, for one that is being given back.
const TRIES: u32 = 20;
/// Wait between two attempts.
const BETWEEN: Duration = Duration::from_millis(100);

/// Takes the right, which ends when the file is closed; waits a moment for one that is being given back.
///
/// # Errors
/// `Busy` while another process changes the collection.
pub(super) async fn take(tenant: &Path, collection: &str) -> Result<File, Error> {
    let folder = tenant.join(FOLDER);
    let path = folder.join(layout::encode(collection));
    let file = super::blocking(move || {
        let open = || {
            layout::make_folder(&folder)?;
            OpenOptions::new().create(true).truncate(false).write(true).mode(0o600).open(path)
        };
        open().map_err(|error| Error::io("cannot open the lock of the collection", &error))
    })
    .await?;
    for _ in 0..TRIES {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::WouldBlock) => tokio::time::sleep(BETWEEN).await,
            Err(TryLockError::Error(error)) => return Err(Error::io("cannot lock the collection", &error)),
        }
    }
    Err(Error::Busy(collection.to_owned()))
}
