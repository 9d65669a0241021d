//! Finding the files to ingest at the caller: no links, nothing hidden, nothing outside the roots.

mod archive;
mod commit;
mod folder;

use super::Skipped;
use archive::{Limits, Packing};
use assay_documents::Format;
use assay_domain::{Code, Failure};
use commit::Commit;
use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};

/// Folders that hold no sources of their own, whatever their project is.
const IGNORED: &[&str] =
    &["node_modules", "target", "vendor", "dist", "build", "__pycache__", "venv", "site-packages"];

/// Largest file that is read, in bytes; the service's own limit may be lower.
pub const MAX_FILE_BYTES: u64 = 4 * 1024 * 1024;

/// A file to ingest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundFile {
    /// Path inside the collection.
    pub path: String,
    /// Content.
    pub content: Vec<u8>,
    /// Full hash of its commit; empty outside a repository.
    pub commit: String,
}

/// A file, or one that would be ingested but cannot be.
pub type Found = Result<FoundFile, Skipped>;

/// Takes what is found, one by one; `false` ends the walk.
pub type Visit<'v> = dyn FnMut(Found) -> bool + 'v;

/// A root whose files are to be ingested.
#[derive(Debug)]
pub struct Walk {
    root: PathBuf,
    prefix: String,
    origin: Origin,
}

/// What a root is.
#[derive(Debug)]
enum Origin {
    File,
    Folder,
    Archive(Packing),
    Commit(Commit),
}

/// What an entry below a root is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    File { bytes: u64 },
    Folder,
    Link,
    Other,
}

/// Opens a root. A root inside the working folder keeps its path from there; the paths of any other root begin with its
/// own name; those of an archive without its ending. With a revision the root is a folder of a git repository, taken as
/// it was at that commit.
///
/// # Errors
/// `INVALID_ARGUMENT` if the root does not exist, is a symbolic link, or has no name, or if there is no such commit.
/// `CONFIGURATION` if git is needed and missing.
pub fn walk(root: &Path, revision: Option<&str>) -> Result<Walk, Failure> {
    walk_from(root, revision, &std::env::current_dir().unwrap_or_default())
}

fn walk_from(root: &Path, revision: Option<&str>, base: &Path) -> Result<Walk, Failure> {
    let wrong = |text: String| wrong(root, &text);
    let io = |error: std::io::Error| wrong(error.to_string());
    let kind = std::fs::symlink_metadata(root).map_err(io)?.file_type();
    if kind.is_symlink() {
        return Err(wrong("it is a symbolic link; name what it points to".to_owned()));
    }
    let place = root.canonicalize().map_err(io)?;
    let base = base.canonicalize().unwrap_or_else(|_| base.to_owned());
    let prefix = match place.strip_prefix(&base) {
        Ok(inside) => slashes(inside),
        Err(_) => place.file_name().and_then(OsStr::to_str).map(str::to_owned),
    };
    let mut prefix = prefix.ok_or_else(|| wrong("it has no name that can be written".to_owned()))?;
    let origin = match revision {
        Some(revision) if kind.is_dir() => Origin::Commit(Commit::open(&place, revision)?),
        Some(_) => return Err(wrong("a commit is read from a folder of its repository".to_owned())),
        None if kind.is_dir() => Origin::Folder,
        None => match Packing::of_name(&prefix).map(|(name, packing)| (name.to_owned(), packing)) {
            Some((name, packing)) if kind.is_file() => {
                prefix = name;
                Origin::Archive(packing)
            }
            _ => Origin::File,
        },
    };
    Ok(Walk { root: place, prefix, origin })
}

/// A root that cannot be read.
fn wrong(root: &Path, text: &str) -> Failure {
    Failure::new(Code::InvalidArgument, format!("{}: {text}", root.display())).field("path")
}

impl Walk {
    /// The root.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Path of the root inside the collection.
    #[must_use]
    pub fn prefix(&self) -> &str {
        &self.prefix
    }

    /// Path of the root inside the collection if it holds files: what is gone below it can be forgotten.
    #[must_use]
    pub fn folder(&self) -> Option<&str> {
        (!matches!(self.origin, Origin::File)).then_some(self.prefix.as_str())
    }

    /// How many files it gives; `None` for an archive, which is not read twice.
    #[must_use]
    pub fn count(&self) -> Option<usize> {
        match &self.origin {
            Origin::File => Some(1),
            Origin::Folder => Some(folder::count(self)),
            Origin::Archive(_) => None,
            Origin::Commit(commit) => Some(commit.count(self)),
        }
    }

    /// Whether there is anything at a path as the walk gives paths, which may lead out of the root; none for an archive,
    /// which is not read twice.
    #[must_use]
    pub fn exists(&self, path: &str) -> Option<bool> {
        let depth = self.prefix.split('/').filter(|part| !part.is_empty()).count();
        match &self.origin {
            Origin::Archive(_) => None,
            Origin::Commit(commit) => {
                let inside = Path::new(path).strip_prefix(&self.prefix).ok().and_then(slashes);
                let seen = inside.unwrap_or_else(|| format!("{}{path}", "../".repeat(depth)));
                Some(commit.exists(&self.root, &seen))
            }
            Origin::File | Origin::Folder => {
                Some(self.root.ancestors().nth(depth).is_some_and(|base| base.join(path).exists()))
            }
        }
    }

    /// Visits the files one by one; those of a folder in order of their names.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` for an archive that is damaged, `PAYLOAD_TOO_LARGE` for one beyond a limit, `INTERNAL` if git
    /// breaks off. What was visited is not all there is.
    pub fn each(&self, visit: &mut Visit<'_>) -> Result<(), Failure> {
        match &self.origin {
            Origin::File => {
                visit(self.single());
            }
            Origin::Folder => folder::each(self, visit),
            Origin::Archive(packing) => archive::each(self, *packing, Limits::DEFAULT, visit)?,
            Origin::Commit(commit) => commit.each(self, visit)?,
        }
        Ok(())
    }

    /// The root itself, which is never passed over without a word.
    fn single(&self) -> Found {
        let left_out = |reason: String| Skipped { path: self.root.display().to_string(), reason };
        let found = std::fs::metadata(&self.root).map_err(|error| left_out(error.to_string()))?;
        let judged = self.judge(Path::new(""), Kind::of(found.file_type(), || found.len()));
        let path = judged.unwrap_or_else(|| Err(left_out("files of its kind are not indexed".to_owned())));
        let path = path.map_err(|skipped| left_out(skipped.reason))?;
        read(path, &self.root)
    }

    /// Path inside the collection, or why the entry is left out; `None` if it is passed over.
    fn judge(&self, inside: &Path, kind: Kind) -> Option<Result<String, Skipped>> {
        let Some(below) = slashes(inside) else {
            let path = format!("{}: {}", self.root.display(), inside.display());
            let reason = "its path is not UTF-8, is absolute or leads upwards".to_owned();
            return Some(Err(Skipped { path, reason }));
        };
        let path = match (self.prefix.as_str(), below.as_str()) {
            ("", below) => below.to_owned(),
            (prefix, "") => prefix.to_owned(),
            (prefix, below) => format!("{prefix}/{below}"),
        };
        let (folders, name) = below.rsplit_once('/').unwrap_or(("", &below));
        if is_passed_over(name, false) || folders.split('/').any(|name| is_passed_over(name, true)) {
            return None;
        }
        let reason = match kind {
            Kind::Folder => return None,
            Kind::Link => "it is a link".to_owned(),
            Kind::Other => "it is neither a file nor a folder".to_owned(),
            Kind::File { .. } if Format::of_path(&path).is_none() => return None,
            Kind::File { bytes } if bytes > MAX_FILE_BYTES => {
                format!("it has {bytes} bytes; at most {MAX_FILE_BYTES} are taken")
            }
            Kind::File { .. } => return Some(Ok(path)),
        };
        Some(Err(Skipped { path, reason }))
    }
}

impl Kind {
    fn of(kind: std::fs::FileType, bytes: impl FnOnce() -> u64) -> Self {
        match () {
            () if kind.is_symlink() => Self::Link,
            () if kind.is_dir() => Self::Folder,
            () if kind.is_file() => Self::File { bytes: bytes() },
            () => Self::Other,
        }
    }
}

/// Whether an entry with such a name below a root is hidden or ignored.
fn is_passed_over(name: &str, is_folder: bool) -> bool {
    name.starts_with('.') || (is_folder && IGNORED.contains(&name))
}

fn read(path: String, file: &Path) -> Found {
    match std::fs::read(file) {
        Ok(content) => Ok(FoundFile { path, content, commit: String::new() }),
        Err(error) => Err(Skipped { path, reason: error.to_string() }),
    }
}

/// A relative path with `/` between its parts; `None` if a part is not UTF-8 or leads upwards.
fn slashes(path: &Path) -> Option<String> {
    let parts = path.components().filter(|part| *part != Component::CurDir).map(|part| match part {
        Component::Normal(name) => name.to_str(),
        _ => None,
    });
    Some(parts.collect::<Option<Vec<&str>>>()?.join("/"))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use super::*;
    use std::fs;

    pub(super) fn write(root: &Path, path: &str, content: impl AsRef<[u8]>) {
        let file = root.join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, content).unwrap();
    }

    pub(super) fn open(root: &Path, base: &Path) -> Result<Walk, Failure> {
        walk_from(root, None, base)
    }

    /// Paths to ingest, and what was left out with the reason.
    pub(super) fn visited(walk: &Walk) -> (Vec<String>, Vec<(String, String)>) {
        let (mut paths, mut skipped) = (Vec::new(), Vec::new());
        let mut visit = |found: Found| {
            match found {
                Ok(file) => paths.push(file.path),
                Err(left_out) => skipped.push((left_out.path, left_out.reason)),
            }
            true
        };
        walk.each(&mut visit).unwrap();
        assert!(walk.count().is_none_or(|count| count == paths.len()), "{paths:?}");
        (paths, skipped)
    }

    #[test]
    fn only_plain_visible_files_of_known_kinds_are_found() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("docs");
        for path in ["a.md", "sub/b.rs", ".hidden/c.md", "node_modules/d.js", "pic.png", "sub/.e.md"] {
            write(&root, path, "x");
        }
        write(&root, "big.txt", vec![b'x'; MAX_FILE_BYTES as usize + 1]);
        let outside = dir.path().join("outside.md");
        fs::write(&outside, "secret").unwrap();
        std::os::unix::fs::symlink(&outside, root.join("link.md")).unwrap();
        std::os::unix::fs::symlink(dir.path(), root.join("loop")).unwrap();
        drop(std::os::unix::net::UnixListener::bind(root.join("socket.md")).unwrap());

        let inside = open(&root, dir.path()).unwrap();
        assert_eq!(inside.folder(), Some("docs"));
        let (paths, skipped) = visited(&inside);
        assert_eq!(paths, ["docs/a.md", "docs/sub/b.rs"]);
        let reasons = ["at most 4194304", "a link", "a link", "neither a file nor a folder"];
        for (name, why) in ["big.txt", "link.md", "loop", "socket.md"].iter().zip(reasons) {
            let told = skipped.iter().any(|(path, reason)| path.ends_with(name) && reason.contains(why));
            assert!(told, "{name} in {skipped:?}");
        }
        assert_eq!(skipped.len(), 4);

        let elsewhere = tempfile::tempdir().unwrap();
        let upwards = open(&root.join("sub").join(".."), elsewhere.path()).unwrap();
        assert_eq!(visited(&upwards).0, ["docs/a.md", "docs/sub/b.rs"]);
        assert!(open(&root.join("link.md"), dir.path()).is_err());
        assert!(open(&root.join("absent"), dir.path()).is_err());
    }

    #[test]
    fn existence_is_asked_by_the_paths_of_the_walk() {
        let dir = tempfile::tempdir().unwrap();
        write(dir.path(), "docs/pic.png", "x");
        write(dir.path(), "docs/sub/a.md", "x");
        let elsewhere = tempfile::tempdir().unwrap();
        for base in [dir.path(), elsewhere.path()] {
            let docs = open(&dir.path().join("docs"), base).unwrap();
            let asked = ["docs/pic.png", "docs/sub", "", "docs/no.png", "pic.png"];
            let told = asked.map(|path| docs.exists(path));
            assert_eq!(told, [true, true, true, false, false].map(Some), "{}", base.display());
        }
        let single = open(&dir.path().join("docs/sub/a.md"), dir.path()).unwrap();
        assert_eq!(single.exists("docs/pic.png"), Some(true));
        write(dir.path(), "all.zip", "");
        assert_eq!(open(&dir.path().join("all.zip"), dir.path()).unwrap().exists("a.md"), None);
    }

    #[test]
    fn ignore_files_count_outside_a_repository() {
        let dir = tempfile::tempdir().unwrap();
        for path in ["keep.md", "drop.md", "gen/a.md", "gen/kept.md", "sub/draft.md", "sub/b.md"] {
            write(dir.path(), path, "x");
        }
        write(dir.path(), ".gitignore", "/drop.md\ngen/*\n!gen/kept.md\n");
        write(dir.path(), "sub/.assayignore", "draft.md\n");
        let paths = |root: &Path| visited(&open(root, dir.path()).unwrap()).0;
        assert_eq!(paths(dir.path()), ["gen/kept.md", "keep.md", "sub/b.md"]);
        assert_eq!(paths(&dir.path().join("gen")), ["gen/kept.md"], "rules of the folders above count");
        assert_eq!(paths(&dir.path().join("drop.md")), ["drop.md"], "what is named is read");
    }

    #[test]
    fn the_page_names_what_is_left_out_and_every_limit() {
        let page = include_str!("../../../../../docs/ingest.md");
        let mebibytes = |bytes: u64| format!("{} MiB", bytes >> 20);
        let Limits { entries, bytes, ratio } = Limits::DEFAULT;
        let limits = [
            format!("over {}", mebibytes(MAX_FILE_BYTES)),
            format!("Above {} it may unpack to {ratio} times", mebibytes(archive::FREE_BYTES)),
            format!("{},000 entries and {} GiB", entries / 1000, bytes >> 30),
        ];
        let folders = IGNORED.iter().map(|name| format!("`{name}`"));
        let endings = archive::ENDINGS.iter().map(|(ending, _)| format!("`{}`", &ending[1..]));
        for told in folders.chain(endings).chain(limits) {
            assert!(page.contains(&told), "docs/ingest.md does not say {told}");
        }
    }

    #[test]
    fn a_bad_ignore_rule_is_told() {
        let dir = tempfile::tempdir().unwrap();
        write(dir.path(), "a.md", "x");
        write(dir.path(), ".assayignore", "a{b\n");
        let (paths, skipped) = visited(&open(dir.path(), dir.path()).unwrap());
        assert_eq!(paths, ["a.md"]);
        assert!(skipped[0].1.contains(".assayignore"), "{skipped:?}");
    }

    #[test]
    fn a_single_file_keeps_its_name() {
        let dir = tempfile::tempdir().unwrap();
        write(dir.path(), "a.md", "x");
        let root = open(&dir.path().join("a.md"), dir.path()).unwrap();
        assert_eq!(root.folder(), None);
        assert_eq!(visited(&root).0, ["a.md"]);
    }
}
