//! Files in an archive, read entry by entry; nothing is unpacked to disk.

use super::{Found, FoundFile, Kind, MAX_FILE_BYTES, Skipped, Visit, Walk, wrong};
use assay_domain::{Code, Failure};
use flate2::read::MultiGzDecoder;
use std::cell::Cell;
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::Path;

/// How an archive is packed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Packing {
    Tar,
    TarGz,
    Zip,
}

/// Endings of the names of archives.
pub(super) const ENDINGS: &[(&str, Packing)] =
    &[(".tar.gz", Packing::TarGz), (".tgz", Packing::TarGz), (".tar", Packing::Tar), (".zip", Packing::Zip)];

impl Packing {
    /// The name of an archive without its ending, and its packing; `None` for other files.
    pub(super) fn of_name(name: &str) -> Option<(&str, Self)> {
        ENDINGS.iter().find_map(|(ending, packing)| Some((name.strip_suffix(ending)?, *packing)))
    }
}

/// What an archive may hold at most.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    /// Entries of any kind.
    pub(super) entries: usize,
    /// Unpacked bytes.
    pub(super) bytes: u64,
    /// Unpacked bytes for each packed one, above [`FREE_BYTES`].
    pub(super) ratio: u64,
}

impl Limits {
    pub(super) const DEFAULT: Self = Self { entries: 200_000, bytes: 2 << 30, ratio: 200 };
}

/// Unpacked bytes that are within every ratio: a small archive of spaces is no attack.
pub(super) const FREE_BYTES: u64 = 8 << 20;

/// Visits the files of an archive in its order.
///
/// # Errors
/// `INVALID_ARGUMENT` for an archive that is damaged, `PAYLOAD_TOO_LARGE` for one beyond a limit.
pub(super) fn each(
    walk: &Walk,
    packing: Packing,
    limits: Limits,
    visit: &mut Visit<'_>,
) -> Result<(), Failure> {
    let damaged = |error: io::Error| wrong(&walk.root, &format!("the archive cannot be read: {error}"));
    let file = File::open(&walk.root).map_err(damaged)?;
    let packed = file.metadata().map_err(damaged)?.len();
    let bounds = Bounds { limits, packed, unpacked: Cell::new(0), entries: Cell::new(0) };
    let file = BufReader::new(file);
    let read = match packing {
        Packing::Tar => tar(walk, &bounds, file, visit),
        Packing::TarGz => tar(walk, &bounds, MultiGzDecoder::new(file), visit),
        Packing::Zip => zip(walk, &bounds, file, visit),
    };
    // The libraries wrap the error of a reader in their own, so that a limit is told by the bounds.
    match (bounds.exceeded(), read) {
        (Some(limit), _) => {
            let text = format!("{}: {limit}; unpack it and ingest the folder", walk.root.display());
            Err(Failure::new(Code::PayloadTooLarge, text).field("path"))
        }
        (None, Err(error)) => Err(damaged(error)),
        (None, Ok(())) => Ok(()),
    }
}

/// What was unpacked so far, and how much may be.
struct Bounds {
    limits: Limits,
    packed: u64,
    entries: Cell<usize>,
    unpacked: Cell<u64>,
}

impl Bounds {
    /// The limit that is exceeded.
    fn exceeded(&self) -> Option<String> {
        let Limits { entries, bytes, ratio } = self.limits;
        let unpacked = self.unpacked.get();
        match () {
            () if self.entries.get() > entries => Some(format!("it has more than {entries} entries")),
            () if unpacked > bytes => Some(format!("it unpacks to more than {bytes} bytes")),
            () if unpacked > FREE_BYTES.max(self.packed.saturating_mul(ratio)) => {
                Some(format!("it unpacks to more than {ratio} times its size"))
            }
            () => None,
        }
    }

    /// Fails once a limit is exceeded.
    fn check(&self) -> io::Result<()> {
        self.exceeded().map_or(Ok(()), |limit| Err(io::Error::other(limit)))
    }

    fn count_entry(&self) -> io::Result<()> {
        self.entries.set(self.entries.get() + 1);
        self.check()
    }

    fn meter<R: Read>(&self, reader: R) -> Metered<'_, R> {
        Metered { reader, bounds: self }
    }
}

/// A reader of unpacked bytes that fails at the limit.
struct Metered<'b, R> {
    reader: R,
    bounds: &'b Bounds,
}

impl<R: Read> Read for Metered<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.reader.read(buffer)?;
        self.bounds.unpacked.set(self.bounds.unpacked.get() + count as u64);
        self.bounds.check()?;
        Ok(count)
    }
}

fn tar(walk: &Walk, bounds: &Bounds, reader: impl Read, visit: &mut Visit<'_>) -> io::Result<()> {
    let mut archive = tar::Archive::new(bounds.meter(reader));
    for entry in archive.entries()? {
        bounds.count_entry()?;
        let entry = entry?;
        let kind = match entry.header().entry_type() {
            kind if kind.is_file() => Kind::File { bytes: entry.size() },
            kind if kind.is_dir() => Kind::Folder,
            kind if kind.is_symlink() || kind.is_hard_link() => Kind::Link,
            // Facts about the archive, such as the commit that `git archive` names.
            kind if kind.is_pax_global_extensions() => continue,
            _ => Kind::Other,
        };
        let inside = entry.path()?.into_owned();
        let Some(judged) = walk.judge(&inside, kind) else { continue };
        let found = match judged {
            // What a stream gives no more is behind this entry too.
            Ok(path) => Ok(FoundFile { path, content: content(entry)?, commit: String::new() }),
            Err(skipped) => Err(skipped),
        };
        if !visit(found) {
            return Ok(());
        }
    }
    // To the end, where the checksum is.
    io::copy(&mut archive.into_inner(), &mut io::sink()).map(drop)
}

fn zip(walk: &Walk, bounds: &Bounds, reader: impl Read + io::Seek, visit: &mut Visit<'_>) -> io::Result<()> {
    let mut archive = zip::ZipArchive::new(reader)?;
    for index in 0..archive.len() {
        bounds.count_entry()?;
        let entry = archive.by_index_data(index)?;
        let kind = match entry.unix_mode().unwrap_or(0) & 0o170_000 {
            _ if entry.is_dir() => Kind::Folder,
            _ if entry.is_symlink() => Kind::Link,
            0 | 0o100_000 => Kind::File { bytes: entry.size() },
            _ => Kind::Other,
        };
        let judged = match entry.name() {
            Ok(name) => walk.judge(Path::new(name.as_ref()), kind),
            Err(error) => Some(Err(Skipped {
                path: String::from_utf8_lossy(entry.name_raw()).into_owned(),
                reason: error.to_string(),
            })),
        };
        let Some(judged) = judged else { continue };
        let found: Found = judged.and_then(|path| {
            let entry = archive.by_index(index).map_err(io::Error::from);
            match entry.and_then(|entry| content(bounds.meter(entry))) {
                Ok(content) => Ok(FoundFile { path, content, commit: String::new() }),
                Err(error) => Err(Skipped { path, reason: error.to_string() }),
            }
        });
        bounds.check()?;
        if !visit(found) {
            return Ok(());
        }
    }
    Ok(())
}

/// Content of an entry, whose size may be another one than it says.
fn content(reader: impl Read) -> io::Result<Vec<u8>> {
    let mut content = Vec::new();
    let most = MAX_FILE_BYTES;
    if reader.take(most + 1).read_to_end(&mut content)? as u64 > most {
        return Err(io::Error::other(format!("it has more than {most} bytes")));
    }
    Ok(content)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use super::super::tests::{open, visited};
    use super::*;
    use flate2::{Compression, write::GzEncoder};
    use std::io::Write as _;
    use tar::{EntryType, Header};
    use zip::write::{SimpleFileOptions, ZipWriter};

    /// A tar archive of entries with names as they are, also those that no well-meant program writes.
    fn tar_of(entries: &[(&str, EntryType, &[u8])]) -> Vec<u8> {
        let mut builder = tar::Builder::new(Vec::new());
        for (name, kind, content) in entries {
            let mut header = Header::new_gnu();
            header.as_old_mut().name[..name.len()].copy_from_slice(name.as_bytes());
            header.set_entry_type(*kind);
            header.set_size(content.len() as u64);
            header.set_cksum();
            builder.append(&header, *content).unwrap();
        }
        builder.into_inner().unwrap()
    }

    fn gzip(content: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(content).unwrap();
        encoder.finish().unwrap()
    }

    fn zip_of(entries: &[(&str, &[u8])]) -> Vec<u8> {
        let mut writer = ZipWriter::new(io::Cursor::new(Vec::new()));
        for (name, content) in entries {
            writer.start_file(*name, SimpleFileOptions::default()).unwrap();
            writer.write_all(content).unwrap();
        }
        writer.add_symlink("link.md", "/etc/passwd", SimpleFileOptions::default()).unwrap();
        writer.finish().unwrap().into_inner()
    }

    fn archive(name: &str, content: &[u8]) -> (tempfile::TempDir, Walk) {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join(name), content).unwrap();
        let walk = open(&dir.path().join(name), dir.path()).unwrap();
        (dir, walk)
    }

    fn failure(name: &str, content: &[u8], limits: Limits) -> Failure {
        let (_, packing) = Packing::of_name(name).unwrap();
        each(&archive(name, content).1, packing, limits, &mut |_| true).unwrap_err()
    }

    #[test]
    fn files_of_a_tar_are_read_and_links_are_named() {
        let packed = tar_of(&[
            ("pax", EntryType::XGlobalHeader, b""),
            ("sub", EntryType::Directory, b""),
            ("./sub/a.md", EntryType::Regular, b"# A"),
            ("pic.png", EntryType::Regular, b"x"),
            (".git/b.md", EntryType::Regular, b"x"),
            ("node_modules/c.js", EntryType::Regular, b"x"),
            ("link.md", EntryType::Symlink, b""),
            ("hard.md", EntryType::Link, b""),
            ("null", EntryType::Char, b""),
            ("../up.md", EntryType::Regular, b"x"),
            ("/etc/root.md", EntryType::Regular, b"x"),
            ("z.rs", EntryType::Regular, b"fn z() {}"),
        ]);
        for (name, content) in
            [("docs.tar", packed.clone()), ("docs.tgz", gzip(&packed)), ("docs.tar.gz", gzip(&packed))]
        {
            let (_dir, walk) = archive(name, &content);
            assert_eq!(walk.folder(), Some("docs"));
            let (paths, skipped) = visited(&walk);
            assert_eq!(paths, ["docs/sub/a.md", "docs/z.rs"], "{name}");
            let names: Vec<&str> = skipped.iter().map(|(path, _)| path.rsplit('/').next().unwrap()).collect();
            assert_eq!(names, ["link.md", "hard.md", "null", "up.md", "root.md"], "{name}");
        }
    }

    #[test]
    fn files_of_a_zip_are_read_and_links_are_named() {
        let packed =
            zip_of(&[("sub/a.md", b"# A"), ("pic.png", b"x"), ("../up.md", b"x"), ("/root.md", b"x")]);
        let (_dir, walk) = archive("docs.zip", &packed);
        let mut found = Vec::new();
        let mut visit = |file: Found| {
            found.push(file);
            true
        };
        walk.each(&mut visit).unwrap();
        let file = found.first().unwrap().as_ref().unwrap();
        assert_eq!((file.path.as_str(), file.content.as_slice()), ("docs/sub/a.md", b"# A".as_slice()));
        let (_, skipped) = visited(&walk);
        let names: Vec<&str> = skipped.iter().map(|(path, _)| path.rsplit('/').next().unwrap()).collect();
        assert_eq!(names, ["up.md", "root.md", "link.md"]);
        assert_eq!(skipped[2].1, "it is a link");
    }

    #[test]
    fn an_archive_beyond_a_limit_names_it() {
        let spaces = vec![b' '; 12 << 20];
        let bomb = gzip(&tar_of(&[("a.bin", EntryType::Regular, &spaces)]));
        let half = vec![b' '; 3 << 20];
        let zipped = zip_of(&[("a.md", &half), ("b.md", &half), ("c.md", &half)]);
        let few = tar_of(&[("a.md", EntryType::Regular, b"x"), ("b.md", EntryType::Regular, b"x")]);
        let limits = Limits::DEFAULT;
        for (name, content, limits, told) in [
            ("a.tar.gz", &bomb, limits, "more than 200 times its size"),
            ("a.zip", &zipped, limits, "more than 200 times its size"),
            ("a.zip", &zipped, Limits { bytes: 4 << 20, ..limits }, "more than 4194304 bytes"),
            ("a.tar", &few, Limits { entries: 1, ..limits }, "more than 1 entries"),
            ("a.zip", &zip_of(&[("a.md", b"x")]), Limits { entries: 1, ..limits }, "more than 1 entries"),
        ] {
            let failure = failure(name, content, limits);
            assert_eq!(failure.code, Code::PayloadTooLarge, "{failure:?}");
            assert!(failure.message.contains(told), "{failure:?}");
        }
    }

    #[test]
    fn a_damaged_archive_is_refused() {
        let packed = gzip(&tar_of(&[("a.md", EntryType::Regular, b"x")]));
        for (name, content) in [
            ("a.tar.gz", &packed[..packed.len() - 9]),
            ("a.tar", b"no archive at all, and long enough to be one".repeat(20).as_slice()),
            ("a.zip", b"no archive".as_slice()),
            ("a.tar.gz", b"".as_slice()),
        ] {
            let failure = failure(name, content, Limits::DEFAULT);
            assert_eq!(failure.code, Code::InvalidArgument, "{name} {failure:?}");
        }
    }

    #[test]
    fn a_damaged_entry_of_a_zip_is_left_out() {
        let mut packed = zip_of(&[("a.md", &b"words that were written".repeat(9)), ("b.md", b"fine")]);
        // Behind the first local header and its name.
        packed[40] ^= 0xff;
        let (paths, skipped) = visited(&archive("docs.zip", &packed).1);
        assert_eq!(paths, ["docs/b.md"]);
        assert_eq!(skipped.first().unwrap().0, "docs/a.md", "{skipped:?}");
    }
}
