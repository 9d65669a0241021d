//! Finding the files to ingest on the caller's disk: no symbolic links, nothing hidden, nothing outside the roots.

use super::Skipped;
use assay_chunk::Format;
use assay_domain::{Code, Failure};
use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};
use walkdir::{DirEntry, WalkDir};

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
    /// What it holds.
    pub content: Vec<u8>,
}

/// Files below a root, read one by one in order of their names; an entry that would be ingested but cannot be is an
/// error that the walk goes on after.
#[derive(Debug)]
pub struct Walk {
    root: PathBuf,
    prefix: String,
    is_folder: bool,
    entries: walkdir::IntoIter,
}

/// Finds the files below a root. A root inside the working folder keeps its path from there; the paths of any other
/// root begin with its own name.
///
/// # Errors
/// `INVALID_ARGUMENT` if the root does not exist, is a symbolic link, or has no name.
pub fn walk(root: &Path) -> Result<Walk, Failure> {
    walk_from(root, &std::env::current_dir().unwrap_or_default())
}

fn walk_from(root: &Path, base: &Path) -> Result<Walk, Failure> {
    let shown = root.display();
    let wrong = |text: String| Failure::new(Code::InvalidArgument, text).field("path");
    let io = |error: std::io::Error| wrong(format!("{shown}: {error}"));
    let kind = std::fs::symlink_metadata(root).map_err(io)?.file_type();
    if kind.is_symlink() {
        return Err(wrong(format!("{shown} is a symbolic link; name what it points to")));
    }
    let place = root.canonicalize().map_err(io)?;
    let base = base.canonicalize().unwrap_or_else(|_| base.to_owned());
    let prefix = match place.strip_prefix(&base) {
        Ok(inside) => slashes(inside),
        Err(_) => place.file_name().and_then(OsStr::to_str).map(str::to_owned),
    };
    let prefix = prefix.ok_or_else(|| wrong(format!("{shown} has no name that can be written")))?;
    let entries = WalkDir::new(&place).follow_links(false).sort_by_file_name().into_iter();
    Ok(Walk { root: place, prefix, is_folder: kind.is_dir(), entries })
}

impl Walk {
    /// The root.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Path of the root inside the collection if it is a folder: what is gone below it can be forgotten.
    #[must_use]
    pub fn folder(&self) -> Option<&str> {
        self.is_folder.then_some(self.prefix.as_str())
    }

    /// Path inside the collection, or why there is none.
    fn path(&self, entry: &DirEntry) -> Result<String, Skipped> {
        let inside = entry.path().strip_prefix(&self.root).unwrap_or(entry.path());
        let inside = slashes(inside).ok_or_else(|| Skipped {
            path: entry.path().display().to_string(),
            reason: "its name is not UTF-8".to_owned(),
        })?;
        Ok(match (self.prefix.as_str(), inside.as_str()) {
            ("", inside) => inside.to_owned(),
            (prefix, "") => prefix.to_owned(),
            (prefix, inside) => format!("{prefix}/{inside}"),
        })
    }

    fn read(&self, entry: &DirEntry) -> Option<Result<FoundFile, Skipped>> {
        // What is named itself is never passed over without a word.
        let named = entry.depth() == 0;
        let kind = entry.file_type();
        if !kind.is_file() {
            let path = entry.path().display().to_string();
            let reason = "it is neither a file nor a folder".to_owned();
            return (named && !kind.is_dir()).then_some(Err(Skipped { path, reason }));
        }
        let path = match self.path(entry) {
            Ok(path) => path,
            Err(skipped) => return Some(Err(skipped)),
        };
        if Format::of_path(&path).is_none() {
            let reason = "files of its kind are not indexed".to_owned();
            return named.then_some(Err(Skipped { path, reason }));
        }
        let bytes = entry.metadata().map_or(0, |found| found.len());
        if bytes > MAX_FILE_BYTES {
            let reason = format!("it has {bytes} bytes; at most {MAX_FILE_BYTES} are taken");
            return Some(Err(Skipped { path, reason }));
        }
        Some(match std::fs::read(entry.path()) {
            Ok(content) => Ok(FoundFile { path, content }),
            Err(error) => Err(Skipped { path, reason: error.to_string() }),
        })
    }
}

impl Iterator for Walk {
    type Item = Result<FoundFile, Skipped>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let entry = match self.entries.next()? {
                Ok(entry) => entry,
                Err(error) => {
                    let path = error.path().map_or_else(String::new, |path| path.display().to_string());
                    return Some(Err(Skipped { path, reason: error.to_string() }));
                }
            };
            if !wanted(&entry) {
                if entry.file_type().is_dir() {
                    self.entries.skip_current_dir();
                }
                continue;
            }
            if let Some(found) = self.read(&entry) {
                return Some(found);
            }
        }
    }
}

/// Everything but hidden and ignored entries below a root; the root itself is always wanted.
fn wanted(entry: &DirEntry) -> bool {
    if entry.depth() == 0 {
        return true;
    }
    let name = entry.file_name().to_string_lossy();
    let ignored = entry.file_type().is_dir() && IGNORED.contains(&name.as_ref());
    !name.starts_with('.') && !ignored
}

/// A relative path with `/` between its parts; `None` if a part is not UTF-8 or leads upwards.
fn slashes(path: &Path) -> Option<String> {
    let parts: Option<Vec<&str>> = path
        .components()
        .map(|part| match part {
            Component::Normal(name) => name.to_str(),
            _ => None,
        })
        .collect();
    Some(parts?.join("/"))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use super::*;
    use std::fs;

    #[test]
    fn only_plain_visible_files_of_known_kinds_are_found() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("docs");
        for path in
            ["a.md", "sub/b.rs", ".hidden/c.md", "node_modules/d.js", "pic.png", "sub/.e.md", "big.txt"]
        {
            let file = root.join(path);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            let size = if path == "big.txt" { MAX_FILE_BYTES as usize + 1 } else { 1 };
            fs::write(&file, vec![b'x'; size]).unwrap();
        }
        let outside = dir.path().join("outside.md");
        fs::write(&outside, "secret").unwrap();
        std::os::unix::fs::symlink(&outside, root.join("link.md")).unwrap();
        std::os::unix::fs::symlink(dir.path(), root.join("loop")).unwrap();

        let paths = |walk: Walk| walk.filter_map(Result::ok).map(|found| found.path).collect::<Vec<_>>();
        let inside = walk_from(&root, dir.path()).unwrap();
        assert_eq!(inside.folder(), Some("docs"));
        assert_eq!(paths(inside), ["docs/a.md", "docs/sub/b.rs"]);
        let skipped: Vec<Skipped> = walk_from(&root, dir.path()).unwrap().filter_map(Result::err).collect();
        assert_eq!(skipped.len(), 1);
        assert_eq!(skipped[0].path, "docs/big.txt");

        let elsewhere = tempfile::tempdir().unwrap();
        assert_eq!(
            paths(walk_from(&root.join("sub").join(".."), elsewhere.path()).unwrap()),
            ["docs/a.md", "docs/sub/b.rs"]
        );
        assert!(walk_from(&root.join("link.md"), dir.path()).is_err());
        assert!(walk_from(&root.join("absent"), dir.path()).is_err());
    }

    #[test]
    fn a_single_file_keeps_its_name() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("a.md"), "x").unwrap();
        let mut found = walk_from(&dir.path().join("a.md"), dir.path()).unwrap();
        assert_eq!(found.folder(), None);
        assert_eq!(found.next().unwrap().unwrap(), FoundFile { path: "a.md".into(), content: b"x".to_vec() });
        assert!(found.next().is_none());
    }
}
