//! The private copies of a log: they go with the command that reads them, however it ends.

use std::path::{Path, PathBuf};
use std::time::Duration;

use assay_domain::Failure;
use assay_rpc::task;
use tokio::sync::oneshot;

use crate::stop::{Signals, Stop};

/// Time that a command has to end once a signal came.
const PATIENCE: Duration = Duration::from_secs(1);
/// Looks at a folder into which a copy that is being made may put another file.
const LOOKS: usize = 8;

/// The folder in which copies are made.
struct Copies(PathBuf);

impl Drop for Copies {
    fn drop(&mut self) {
        remove(&self.0);
    }
}

fn remove(folder: &Path) {
    let _ = (0..LOOKS).any(|_| std::fs::remove_dir_all(folder).is_ok());
}

/// Runs a command that reads, until it ends or a signal comes.
///
/// # Errors
/// What the command says; `CANCELLED` after a signal.
pub(super) async fn within(reading: impl Future<Output = Result<u8, Failure>>) -> Result<u8, Failure> {
    let signals = Signals::listen()?;
    // Where no folder can be made, the copying says why.
    let copies = tempfile::tempdir().ok().map(|folder| Copies(folder.keep()));
    let folder = copies.as_ref().map(|copies| copies.0.clone());
    if let Some(folder) = &folder {
        // The only command of this process is the first to say where.
        let _ = tempfile::env::override_temp_dir(folder);
    }
    let (told, stopped) = oneshot::channel();
    task::detached(watch(signals, told, folder));
    tokio::select! {
        result = reading => result,
        Ok(stop) = stopped => Err(stop.failure(stop.verb())),
    }
}

/// Tells of a signal, and ends a process that does not end: it waits for a reader of its output.
async fn watch(mut signals: Signals, told: oneshot::Sender<Stop>, copies: Option<PathBuf>) {
    let stop = signals.next().await;
    let _ = told.send(stop);
    tokio::time::sleep(PATIENCE).await;
    if let Some(folder) = copies {
        remove(&folder);
    }
    std::process::exit(stop.code().into());
}
