//! Files of a local git repository at a commit, read from its objects: what is checked out does not count.

use super::{FoundFile, Kind, Visit, Walk, wrong};
use assay_domain::{Code, Failure};
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A commit, as seen from a folder of its repository.
#[derive(Debug)]
pub(super) struct Commit {
    /// Full hash.
    hash: String,
    entries: Vec<Entry>,
}

#[derive(Debug)]
struct Entry {
    object: String,
    kind: Kind,
    /// Path below the folder.
    inside: PathBuf,
}

impl Commit {
    /// Lists what a commit holds below a folder.
    ///
    /// # Errors
    /// `CONFIGURATION` without a git program, `INVALID_ARGUMENT` if there is no such repository or commit.
    pub(super) fn open(folder: &Path, revision: &str) -> Result<Self, Failure> {
        let commit = format!("{revision}^{{commit}}");
        let hash = output(folder, &["rev-parse", "--verify", "--end-of-options", &commit])?;
        let hash = String::from_utf8_lossy(&hash).trim().to_owned();
        let listed = output(folder, &["ls-tree", "-r", "-z", "-l", &hash])?;
        let entries = listed.split(|byte| *byte == 0).filter_map(entry).collect();
        Ok(Self { hash, entries })
    }

    /// How many files there are to read.
    pub(super) fn count(&self, walk: &Walk) -> usize {
        let judged = self.entries.iter().filter_map(|entry| walk.judge(&entry.inside, entry.kind));
        judged.filter(Result::is_ok).count()
    }

    /// Whether the commit holds a file or folder at a path, seen from the folder.
    pub(super) fn exists(&self, folder: &Path, path: &str) -> bool {
        let object = format!("{}:./{path}", self.hash);
        git(folder).args(["cat-file", "-e", &object]).output().is_ok_and(|output| output.status.success())
    }

    /// Visits the files in the order of the tree.
    ///
    /// # Errors
    /// `INTERNAL` if git breaks off.
    pub(super) fn each(&self, walk: &Walk, visit: &mut Visit<'_>) -> Result<(), Failure> {
        let broken = |error: io::Error| Failure::internal(format!("{}: git: {error}", walk.root.display()));
        let mut git = git(&walk.root);
        git.args(["cat-file", "--batch"]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut git = git.spawn().map_err(|error| not_started(&error))?;
        let (Some(mut asked), Some(given)) = (git.stdin.take(), git.stdout.take()) else {
            return Err(Failure::internal("git has no pipes"));
        };
        let mut given = BufReader::new(given);
        for entry in &self.entries {
            let Some(judged) = walk.judge(&entry.inside, entry.kind) else { continue };
            let found = match judged {
                Ok(path) => {
                    let content = object(&entry.object, &mut asked, &mut given).map_err(broken)?;
                    Ok(FoundFile { path, content, commit: self.hash.clone() })
                }
                Err(skipped) => Err(skipped),
            };
            if !visit(found) {
                break;
            }
        }
        drop(asked);
        git.wait().map(drop).map_err(broken)
    }
}

/// Content of an object: git answers a name with a line `NAME TYPE SIZE`, so many bytes and a line break.
fn object(name: &str, asked: &mut impl Write, given: &mut impl BufRead) -> io::Result<Vec<u8>> {
    writeln!(asked, "{name}")?;
    asked.flush()?;
    let mut head = String::new();
    given.read_line(&mut head)?;
    let size = head.trim_end().rsplit(' ').next().and_then(|size| size.parse::<usize>().ok());
    let size = size.ok_or_else(|| io::Error::other(format!("object {name}: {}", head.trim_end())))?;
    let mut content = vec![0; size + 1];
    given.read_exact(&mut content)?;
    content.pop();
    Ok(content)
}

/// Reads `MODE TYPE OBJECT SIZE\tPATH`.
fn entry(record: &[u8]) -> Option<Entry> {
    use std::os::unix::ffi::OsStrExt as _;
    let tab = record.iter().position(|byte| *byte == b'\t')?;
    let mut fields = std::str::from_utf8(record.get(..tab)?).ok()?.split_whitespace();
    let (mode, _, object, size) = (fields.next()?, fields.next()?, fields.next()?, fields.next()?);
    let kind = match mode {
        "120000" => Kind::Link,
        mode if mode.starts_with("100") => Kind::File { bytes: size.parse().ok()? },
        _ => Kind::Other,
    };
    let inside = std::ffi::OsStr::from_bytes(record.get(tab + 1..)?).into();
    Some(Entry { object: object.to_owned(), kind, inside })
}

/// A git program in a folder, whatever repository the environment names; it fetches nothing.
fn git(folder: &Path) -> Command {
    let mut git = Command::new("git");
    git.arg("-C").arg(folder).arg("--no-replace-objects");
    git.env_remove("GIT_DIR").env_remove("GIT_WORK_TREE").env("GIT_NO_LAZY_FETCH", "1");
    git.stdin(Stdio::null());
    git
}

fn output(folder: &Path, arguments: &[&str]) -> Result<Vec<u8>, Failure> {
    let output = git(folder).args(arguments).output().map_err(|error| not_started(&error))?;
    if !output.status.success() {
        let error = String::from_utf8_lossy(&output.stderr);
        return Err(wrong(folder, &format!("git: {}", error.trim())));
    }
    Ok(output.stdout)
}

fn not_started(error: &io::Error) -> Failure {
    let text = format!("`git` cannot be run ({error}); install it, or ingest the checked-out folder");
    Failure::new(Code::Configuration, text).field("commit")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use super::super::{tests::write, walk_from};
    use super::*;

    fn run(folder: &Path, arguments: &[&str]) -> String {
        let mut git = git(folder);
        let git = git.args(["-c", "user.name=a", "-c", "user.email=a@example.org"]).args(arguments);
        let output = git.output().unwrap();
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }

    #[test]
    fn files_are_those_of_the_commit_byte_for_byte() {
        let dir = tempfile::tempdir().unwrap();
        run(dir.path(), &["init", "-q"]);
        let pages = [("docs/a.md", "# A\r\n$Format:%H$\n"), ("docs/pic.png", "x"), ("other.md", "x")];
        for (path, content) in pages {
            write(dir.path(), path, content);
        }
        // Rules that a check-out or `git archive` follows, and that would change lines.
        write(dir.path(), ".gitattributes", "*.md text eol=lf export-subst\n");
        std::os::unix::fs::symlink("a.md", dir.path().join("docs/link.md")).unwrap();
        run(dir.path(), &["-c", "core.autocrlf=false", "add", "."]);
        run(dir.path(), &["commit", "-q", "-m", "first"]);
        let hash = run(dir.path(), &["rev-parse", "HEAD"]);
        let stored = run(dir.path(), &["cat-file", "blob", "HEAD:docs/a.md"]);
        write(dir.path(), "docs/a.md", "# Changed\n");
        write(dir.path(), "docs/new.md", "# New\n");

        let walk = walk_from(&dir.path().join("docs"), Some("HEAD"), dir.path()).unwrap();
        assert_eq!(walk.folder(), Some("docs"));
        let mut found = Vec::new();
        let mut visit = |file: super::super::Found| {
            found.push(file);
            true
        };
        walk.each(&mut visit).unwrap();
        assert_eq!(walk.count(), Some(1));
        let [Ok(page), Err(link)] = found.as_slice() else { panic!("{found:?}") };
        assert_eq!((page.path.as_str(), page.commit.as_str()), ("docs/a.md", hash.as_str()));
        assert_eq!(String::from_utf8_lossy(&page.content).trim(), stored);
        assert!(link.path.ends_with("docs/link.md"), "{link:?}");
    }

    #[test]
    fn what_is_no_commit_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let code = |revision| walk_from(dir.path(), Some(revision), dir.path()).unwrap_err().code;
        assert_eq!(code("HEAD"), Code::InvalidArgument, "no repository");
        run(dir.path(), &["init", "-q"]);
        for revision in ["HEAD", "--all", "no-such-branch"] {
            assert_eq!(code(revision), Code::InvalidArgument, "{revision}");
        }
        write(dir.path(), "a.md", "x");
        assert!(walk_from(&dir.path().join("a.md"), Some("HEAD"), dir.path()).is_err());
    }
}
