//! The data folder: one owner at a time, and the address of a system that runs on it.

use std::fs::{File, TryLockError};
use std::io::{Read as _, Seek as _, Write as _};
use std::path::{Path, PathBuf};

use assay_domain::{Code, Failure};

/// Name of the lock file; it holds the owner's process id.
const LOCK: &str = "lock";
/// Name of the address file; it holds the gRPC address of the running system, then the HTTP address.
const ADDRESS: &str = "address";

/// Where a running system answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address {
    /// gRPC, as a URL.
    pub grpc: String,
    /// HTTP, as a URL.
    pub http: String,
}

/// Ownership of a data folder; ends when dropped, or when the process dies.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    lock: File,
}

// === impl Folder ===

impl Folder {
    /// Takes the folder and creates it if need be. The operating system releases the lock of a process that died, so a
    /// stale lock file is no obstacle; it is said and taken over.
    ///
    /// # Errors
    /// `DATA_FOLDER_IN_USE` if another process owns it, naming that process; `CONFIGURATION` if it cannot be written.
    pub fn own(path: &Path) -> Result<Self, Failure> {
        let unusable = |error: std::io::Error| {
            let text = format!(
                "the data folder {} cannot be used: {error}; choose another with --data",
                path.display()
            );
            Failure::new(Code::Configuration, text).field("data")
        };
        std::fs::create_dir_all(path).map_err(unusable)?;
        let mut lock = File::options()
            .create(true)
            .truncate(false)
            .read(true)
            .write(true)
            .open(path.join(LOCK))
            .map_err(unusable)?;
        let mut owner = String::new();
        lock.read_to_string(&mut owner).map_err(unusable)?;
        let owner = owner.trim().to_owned();
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(in_use(path, &owner)),
            Err(TryLockError::Error(error)) => return Err(unusable(error)),
        }
        if !owner.is_empty() {
            tracing::warn!(target: "assay", process = %owner, "took over the lock of a process that did not end cleanly");
        }
        lock.set_len(0).map_err(unusable)?;
        lock.rewind().map_err(unusable)?;
        writeln!(lock, "{}", std::process::id()).map_err(unusable)?;
        lock.sync_all().map_err(unusable)?;
        let folder = Self { path: path.to_owned(), lock };
        folder.forget_address();
        Ok(folder)
    }

    /// Tells other commands where the system answers.
    ///
    /// # Errors
    /// `CONFIGURATION` if the folder cannot be written.
    pub fn announce(&self, address: &Address) -> Result<(), Failure> {
        let beside = self.path.join("address.new");
        std::fs::write(&beside, format!("{}\n{}\n", address.grpc, address.http))
            .and_then(|()| std::fs::rename(&beside, self.path.join(ADDRESS)))
            .map_err(|error| {
                Failure::new(Code::Configuration, format!("cannot write the address file: {error}"))
                    .field("data")
            })
    }

    fn forget_address(&self) {
        let _ = std::fs::remove_file(self.path.join(ADDRESS));
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        self.forget_address();
        // An empty lock file says that the owner ended cleanly.
        let _ = self.lock.set_len(0);
        let _ = self.lock.unlock();
    }
}

/// Why the folder cannot be had, and what helps: an owner that has told its address is talked to, not waited for.
fn in_use(path: &Path, owner: &str) -> Failure {
    let ready = path.join(ADDRESS).exists();
    let text = format!(
        "the data folder {} belongs to process {}{}, or choose another folder with --data",
        path.display(),
        if owner.is_empty() { "(starting)" } else { owner },
        if ready {
            "; stop it"
        } else {
            ", which is starting or at work; wait until it prints its address or ends"
        },
    );
    Failure::new(Code::DataFolderInUse, text).field("data")
}

/// The address of the system that runs on the folder; none if nothing runs there. The lock decides: an address file
/// that a killed process left behind is ignored.
#[must_use]
pub fn running(path: &Path) -> Option<Address> {
    let lock = File::options().read(true).write(true).open(path.join(LOCK)).ok()?;
    match lock.try_lock_shared() {
        Err(TryLockError::WouldBlock) => {}
        _ => return None,
    }
    let text = std::fs::read_to_string(path.join(ADDRESS)).ok()?;
    let mut lines = text.lines();
    Some(Address { grpc: lines.next()?.to_owned(), http: lines.next()?.to_owned() })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn address() -> Address {
        Address { grpc: "http://127.0.0.1:1".into(), http: "http://127.0.0.1:2".into() }
    }

    #[test]
    fn a_second_owner_is_refused_and_told_who_owns_it() {
        let dir = tempfile::tempdir().unwrap();
        let first = Folder::own(dir.path()).unwrap();
        let failure = Folder::own(dir.path()).unwrap_err();
        assert_eq!(failure.code, Code::DataFolderInUse);
        assert!(failure.message.contains(&std::process::id().to_string()), "{failure}");
        assert!(failure.message.contains("wait until it prints its address"), "{failure}");
        first.announce(&address()).unwrap();
        let failure = Folder::own(dir.path()).unwrap_err();
        assert!(failure.message.contains("stop it") && !failure.message.contains("wait"), "{failure}");
        drop(first);
        assert!(Folder::own(dir.path()).is_ok());
    }

    #[test]
    fn address_is_visible_only_while_the_owner_lives() {
        let dir = tempfile::tempdir().unwrap();
        let folder = Folder::own(dir.path()).unwrap();
        assert_eq!(running(dir.path()), None);
        folder.announce(&address()).unwrap();
        assert_eq!(running(dir.path()), Some(address()));
        drop(folder);
        assert_eq!(running(dir.path()), None);
    }

    #[test]
    fn leftovers_of_a_killed_process_are_taken_over() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("lock"), "4194304\n").unwrap();
        std::fs::write(dir.path().join("address"), "http://127.0.0.1:1\nhttp://127.0.0.1:2\n").unwrap();
        assert_eq!(running(dir.path()), None);
        let _folder = Folder::own(dir.path()).unwrap();
        assert_eq!(running(dir.path()), None);
    }
}
