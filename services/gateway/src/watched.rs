//! A file whose content is used, and used anew when it changes; a bad new content is said once and the old one stays.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use arc_swap::ArcSwap;
use assay_domain::{Code, Failure};
use assay_rpc::task;
use sha2::{Digest as _, Sha256};
use tokio_util::sync::CancellationToken;

/// Largest file that is read, in bytes.
const MAX_BYTES: u64 = 16 * 1024 * 1024;

type Parse<T> = Box<dyn Fn(&str) -> Result<T, Failure> + Send + Sync>;

/// What was read last, whether it was good or not.
type Seen = Result<[u8; 32], String>;

/// The parsed content of a file.
pub(crate) struct Watched<T> {
    path: PathBuf,
    parse: Parse<T>,
    current: ArcSwap<T>,
    seen: Mutex<Seen>,
}

impl<T> std::fmt::Debug for Watched<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Watched").field("path", &self.path).finish_non_exhaustive()
    }
}

// === impl Watched ===

impl<T: Send + Sync + 'static> Watched<T> {
    /// Reads the file that the setting `field` names.
    ///
    /// # Errors
    /// `configuration` if it cannot be read or its content is wrong.
    pub(crate) fn open(
        path: &Path,
        field: &str,
        parse: impl Fn(&str) -> Result<T, Failure> + Send + Sync + 'static,
    ) -> Result<Self, Failure> {
        let wrong = |error: String| {
            let text = format!("{}: {error}", path.display());
            Failure::new(Code::Configuration, text).field(field)
        };
        let text = read(path).map_err(wrong)?;
        let current = parse(&text).map_err(|failure| wrong(failure.message))?;
        Ok(Self {
            path: path.to_owned(),
            parse: Box::new(parse),
            current: ArcSwap::from_pointee(current),
            seen: Mutex::new(Ok(digest(&text))),
        })
    }

    /// What holds now.
    pub(crate) fn current(&self) -> Arc<T> {
        self.current.load_full()
    }

    /// Looks at the file and takes over what it holds, if that is new and good.
    fn look(&self) {
        let found = read(&self.path);
        let now: Seen = found.as_deref().map(digest).map_err(Clone::clone);
        {
            let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
            if *seen == now {
                return;
            }
            *seen = now;
        }
        let path = self.path.display();
        match found.and_then(|text| (self.parse)(&text).map_err(|failure| failure.message)) {
            Ok(new) => {
                self.current.store(Arc::new(new));
                tracing::info!(target: "assay::gateway", %path, "the file changed; its new content holds");
            }
            Err(error) => {
                tracing::error!(target: "assay::gateway", %path, %error, "the changed file is not usable; the old content holds");
            }
        }
    }

    /// Looks at the file again and again until told to stop.
    pub(crate) async fn watch(self: Arc<Self>, every: Duration, stop: CancellationToken) {
        while tokio::time::timeout(every, stop.cancelled()).await.is_err() {
            let this = Arc::clone(&self);
            if let Err(error) = task::blocking(move || this.look()).await {
                tracing::error!(target: "assay::gateway", %error, "a file could not be looked at");
            }
        }
    }
}

fn read(path: &Path) -> Result<String, String> {
    use std::io::Read as _;
    let file = std::fs::File::open(path).map_err(|error| error.to_string())?;
    let mut text = String::new();
    let read = file.take(MAX_BYTES + 1).read_to_string(&mut text).map_err(|error| error.to_string())?;
    if u64::try_from(read).unwrap_or(u64::MAX) > MAX_BYTES {
        return Err(format!("the file has more than {MAX_BYTES} bytes"));
    }
    Ok(text)
}

fn digest(text: &str) -> [u8; 32] {
    Sha256::digest(text.as_bytes()).into()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn number(text: &str) -> Result<u32, Failure> {
        text.trim().parse().map_err(|_| Failure::new(Code::Configuration, "no number"))
    }

    #[test]
    fn good_change_holds_and_bad_change_keeps_the_old() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("n");
        assert_eq!(Watched::open(&path, "n_file", number).unwrap_err().field, "n_file");
        std::fs::write(&path, "x").unwrap();
        assert_eq!(Watched::open(&path, "n_file", number).unwrap_err().code, Code::Configuration);
        std::fs::write(&path, "1").unwrap();
        let watched = Watched::open(&path, "n_file", number).unwrap();
        for (content, expected) in [("2", 2), ("x", 2), ("3", 3), ("", 3), ("1", 1)] {
            std::fs::write(&path, content).unwrap();
            watched.look();
            assert_eq!(*watched.current(), expected, "{content:?}");
        }
        std::fs::remove_file(&path).unwrap();
        watched.look();
        assert_eq!(*watched.current(), 1);
        std::fs::write(&path, [0xff]).unwrap();
        watched.look();
        assert_eq!(*watched.current(), 1);
    }

    #[tokio::test]
    async fn watch_takes_changes_over_until_it_is_stopped() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("n");
        std::fs::write(&path, "1").unwrap();
        let watched = Arc::new(Watched::open(&path, "n_file", number).unwrap());
        let stop = CancellationToken::new();
        let watching = task::spawn(Arc::clone(&watched).watch(Duration::from_millis(1), stop.clone()));
        std::fs::write(&path, "7").unwrap();
        while *watched.current() != 7 {
            tokio::task::yield_now().await;
        }
        stop.cancel();
        watching.await.unwrap();
    }
}
