//! The other files of a set, as far as a page may include them.

/// Gives the text of a file by its path in the set.
pub trait Files {
    /// Text of the file at `path` (`/` between its parts, no `.` or `..`); none where there is no such file.
    fn text(&self, path: &str) -> Option<String>;
}

/// A set of which nothing is known but the page.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoFiles;

impl Files for NoFiles {
    fn text(&self, _: &str) -> Option<String> {
        None
    }
}

impl<F: Fn(&str) -> Option<String>> Files for F {
    fn text(&self, path: &str) -> Option<String> {
        self(path)
    }
}
