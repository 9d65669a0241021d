//! Files below a folder on disk, by the rules of its `.gitignore` and `.assayignore` files.

use super::{Kind, Skipped, Visit, Walk, is_passed_over, read};
use ignore::{DirEntry, Error, WalkBuilder};

/// Visits the files in order of their names.
pub(super) fn each(walk: &Walk, visit: &mut Visit<'_>) {
    for entry in entries(walk) {
        let (entry, error) = match entry {
            Ok(entry) => (Some(entry), None),
            Err(error) => (None, Some(error)),
        };
        // An entry whose ignore file has a bad rule is an entry all the same.
        let error = error.as_ref().or_else(|| entry.as_ref()?.error()).map(left_out);
        if error.is_some_and(|skipped| !visit(Err(skipped))) {
            return;
        }
        let Some(entry) = entry else { continue };
        let found = judge(walk, &entry).map(|judged| judged.and_then(|path| read(path, entry.path())));
        if found.is_some_and(|found| !visit(found)) {
            return;
        }
    }
}

/// Everything that no rule leaves out. The rules of the user's own git configuration do not count: the same folder
/// gives the same files to everybody.
fn entries(walk: &Walk) -> ignore::Walk {
    WalkBuilder::new(&walk.root)
        .standard_filters(false)
        .git_ignore(true)
        .parents(true)
        .require_git(false)
        .add_custom_ignore_filename(".assayignore")
        .follow_links(false)
        .sort_by_file_name(Ord::cmp)
        .filter_entry(|entry| {
            let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
            !is_passed_over(&entry.file_name().to_string_lossy(), is_folder)
        })
        .build()
}

/// How many files there are to read.
pub(super) fn count(walk: &Walk) -> usize {
    entries(walk).flatten().filter(|entry| judge(walk, entry).is_some_and(|judged| judged.is_ok())).count()
}

fn judge(walk: &Walk, entry: &DirEntry) -> Option<Result<String, Skipped>> {
    let inside = entry.path().strip_prefix(&walk.root).ok()?;
    walk.judge(inside, Kind::of(entry.file_type()?, || entry.metadata().map_or(0, |found| found.len())))
}

fn left_out(error: &Error) -> Skipped {
    Skipped { path: path_of(error), reason: error.to_string() }
}

/// Path that an error is about; empty if it names none.
fn path_of(error: &Error) -> String {
    match error {
        Error::WithPath { path, .. } => path.display().to_string(),
        Error::WithDepth { err, .. } | Error::WithLineNumber { err, .. } => path_of(err),
        Error::Partial(errors) => errors.first().map_or_else(String::new, path_of),
        _ => String::new(),
    }
}
