//! Fetches one file of a repository: goes on where an earlier run ended, and compares what came with its checksum.

use std::fs::File;
use std::io::Write as _;
use std::path::Path;

use assay_models::store::{Digest, digest};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::error::Error;
use super::{Hub, Listing, Remote, cause};

/// Tries in a row, each of which brought some bytes, after which a transfer is given up.
const TRIES: usize = 8;

/// A file that is fetched to a path.
#[derive(Debug)]
pub(crate) struct Transfer<'a> {
    /// The hub.
    pub(crate) hub: &'a Hub,
    /// The repository.
    pub(crate) listing: &'a Listing,
    /// The file.
    pub(crate) file: &'a Remote,
    /// Where it goes.
    pub(crate) to: &'a Path,
    /// Most bytes that it may have.
    pub(crate) most: u64,
}

// === impl Transfer ===

impl Transfer<'_> {
    /// Fetches the file, and says what is there then.
    ///
    /// # Errors
    /// If it cannot be had, is too large, cannot be written, or holds other bytes than the hub names.
    pub(crate) async fn run(&self) -> Result<Digest, Error> {
        let left = self.length();
        let (expected, found) = self.whole().await?;
        let Some(expected) = expected.filter(|expected| *expected != found.sha256) else { return Ok(found) };
        self.discard()?;
        if left == 0 {
            return Err(Error::Digest { file: self.file.path.clone(), expected, found });
        }
        crate::say!(
            "{}: what an earlier run left is of another file; fetching it as a whole",
            self.file.path
        );
        let (expected, found) = self.whole().await?;
        match expected.filter(|expected| *expected != found.sha256) {
            None => Ok(found),
            Some(expected) => {
                self.discard()?;
                Err(Error::Digest { file: self.file.path.clone(), expected, found })
            }
        }
    }

    /// Brings the file to its whole length: the checksum that the hub names, and that of what came.
    async fn whole(&self) -> Result<(Option<String>, Digest), Error> {
        let bar = self.bar();
        let mut expected = self.file.sha256.clone();
        let mut tries = 0;
        loop {
            // Without a checksum there is no telling whether both halves are of one file.
            let kept = if expected.is_some() { self.length() } else { 0 };
            let have = if self.file.bytes.is_some_and(|bytes| kept > bytes) { 0 } else { kept };
            if have > 0 && self.file.bytes == Some(have) {
                break;
            }
            match self.piece(have, &mut expected, &bar).await {
                Ok(()) => break,
                Err(Error::Range { .. }) if have > 0 => self.discard()?,
                Err(error) if error.passing() && self.length() > have && tries < TRIES => {
                    tries += 1;
                    bar.suspend(|| crate::say!("{error}; trying again"));
                }
                Err(error) => return Err(error),
            }
        }
        bar.finish_and_clear();
        let found = self.hashed().await?;
        match self.file.bytes.filter(|bytes| *bytes != found.bytes) {
            None => Ok((expected, found)),
            Some(listed) => {
                self.discard()?;
                Err(Error::Size { file: self.file.path.clone(), listed, found: found.bytes })
            }
        }
    }

    /// One request, its bytes appended to the file.
    async fn piece(&self, have: u64, expected: &mut Option<String>, bar: &ProgressBar) -> Result<(), Error> {
        let (mut reply, named, begins) = self.hub.open(self.listing, &self.file.path, have).await?;
        if expected.is_none() {
            *expected = named;
        }
        let all = self.file.bytes.or(reply.content_length().map(|length| begins.saturating_add(length)));
        self.fits(all.unwrap_or_default())?;
        let mut out =
            File::options().create(true).append(true).open(self.to).map_err(|error| self.disk(&error))?;
        out.set_len(begins).map_err(|error| self.disk(&error))?;
        bar.set_length(all.unwrap_or_default());
        bar.set_position(begins);
        bar.reset_eta();
        let mut bytes = begins;
        let broken = loop {
            match reply.chunk().await {
                Ok(None) if all.is_some_and(|all| bytes < all) => {
                    break Some("the server ended it".to_owned());
                }
                Ok(None) => break None,
                Err(error) => break Some(cause(&error)),
                Ok(Some(piece)) => {
                    bytes += piece.len() as u64;
                    self.fits(bytes)?;
                    out.write_all(&piece).map_err(|error| self.disk(&error))?;
                    bar.set_position(bytes);
                }
            }
        };
        out.sync_all().map_err(|error| self.disk(&error))?;
        let file = self.file.path.clone();
        broken.map_or(Ok(()), |reason| Err(Error::Broken { file, reason, have: bytes }))
    }

    fn fits(&self, bytes: u64) -> Result<(), Error> {
        let what = self.file.path.clone();
        if bytes > self.most { Err(Error::TooLarge { what, bytes, most: self.most }) } else { Ok(()) }
    }

    fn length(&self) -> u64 {
        std::fs::metadata(self.to).map_or(0, |found| found.len())
    }

    fn discard(&self) -> Result<(), Error> {
        std::fs::remove_file(self.to).map_err(|error| self.disk(&error))
    }

    fn disk(&self, error: &std::io::Error) -> Error {
        Error::of_file(self.to, error)
    }

    async fn hashed(&self) -> Result<Digest, Error> {
        let path = self.to.to_owned();
        let read = assay_rpc::task::blocking(move || digest(&path)).await;
        let read = read.map_err(|panicked| std::io::Error::other(panicked.to_string())).and_then(|read| read);
        read.map_err(|error| self.disk(&error))
    }

    fn bar(&self) -> ProgressBar {
        let bar = ProgressBar::with_draw_target(self.file.bytes, ProgressDrawTarget::stderr());
        let style =
            ProgressStyle::with_template("{msg} {bar:30} {bytes}/{total_bytes} {bytes_per_sec} {eta} left");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        bar.set_message(self.file.path.clone());
        bar
    }
}
