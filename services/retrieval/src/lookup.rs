//! Look-ups: does the index hold this path, this name, these cited bytes?

use crate::corpus::{Document, Manifest};
use crate::error::Error;
use crate::lines::{Lines, sha256_hex};
use crate::ports::{NameFact, Snapshot};
use crate::text;
use assay_domain::LineRange;

/// What is asked.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Request {
    /// File paths.
    pub paths: Vec<String>,
    /// Identifiers, symbols, commands.
    pub names: Vec<String>,
    /// Cited bytes.
    pub cited: Vec<Cited>,
}

/// Cited bytes of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cited {
    /// Path of the file.
    pub path: String,
    /// Lines as cited.
    pub lines: LineRange,
    /// SHA-256 of the cited text, lower-case hex.
    pub sha256: String,
}

/// What the index knows, in the order of the request.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Facts {
    /// Of each path.
    pub paths: Vec<PathFact>,
    /// Of each name.
    pub names: Vec<NameFact>,
    /// Of each citation.
    pub cited: Vec<Resolution>,
    /// Manifest of the index that was asked.
    pub index_manifest: String,
}

/// What is known of a path.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PathFact {
    /// Whether the index holds it.
    pub exists: bool,
    /// Lines of the file; 0 if there is none.
    pub line_count: u32,
    /// Nearest known paths if it does not exist, at most three.
    pub near: Vec<String>,
}

/// Where cited bytes are in the index that is searched now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Resolution {
    /// At the cited lines.
    Exact,
    /// In the same file at other lines.
    Moved(LineRange),
    /// Nowhere in the file, or there is no such file.
    Dangling,
}

/// Answers a look-up from one snapshot.
pub(crate) async fn look_up(snapshot: &dyn Snapshot, request: &Request) -> Result<Facts, Error> {
    let manifest = snapshot.manifest();
    let paths = request.paths.iter().map(|path| path_fact(manifest, path)).collect();
    let asked: Vec<String> = request.names.iter().map(|name| plain_name(name)).collect();
    let names = if asked.is_empty() { Vec::new() } else { snapshot.names(&asked).await? };
    let mut cited = Vec::with_capacity(request.cited.len());
    let mut last: Option<(String, Option<Document>)> = None;
    for citation in &request.cited {
        let key = normal_path(&citation.path);
        let same = last.as_ref().is_some_and(|(known, _)| *known == key);
        if !same {
            let document = snapshot.document(&key).await?.map(|(document, _)| document);
            last = Some((key, document));
        }
        let document = last.as_ref().and_then(|(_, document)| document.as_ref());
        cited.push(document.map_or(Resolution::Dangling, |document| resolve(&document.text, citation)));
    }
    Ok(Facts { paths, names, cited, index_manifest: manifest.id.clone() })
}

/// Finds the cited bytes in a text.
fn resolve(text: &str, citation: &Cited) -> Resolution {
    let lines = Lines::of(text);
    let hash = |range: LineRange| {
        lines.bytes(range).and_then(|bytes| text.get(bytes)).map(|text| sha256_hex(text.as_bytes()))
    };
    if !citation.lines.is_well_formed() {
        return Resolution::Dangling;
    }
    if hash(citation.lines).is_some_and(|found| found == citation.sha256) {
        return Resolution::Exact;
    }
    let height = citation.lines.last - citation.lines.first;
    let last_start = lines.count().saturating_sub(height);
    (1..=last_start)
        .map(|first| LineRange::new(first, first + height))
        // Nearest first, so that of several copies the one that moved least is meant.
        .filter(|range| {
            *range != citation.lines && hash(*range).is_some_and(|found| found == citation.sha256)
        })
        .min_by_key(|range| range.first.abs_diff(citation.lines.first))
        .map_or(Resolution::Dangling, Resolution::Moved)
}

fn path_fact(manifest: &Manifest, path: &str) -> PathFact {
    let asked = normal_path(path);
    if let Some(file) = manifest.file(&asked) {
        return PathFact { exists: true, line_count: file.lines, near: Vec::new() };
    }
    // A bare file name means the file of that name, wherever it lies.
    if !path.contains('/') {
        let mut named = manifest
            .files
            .iter()
            .filter(|file| file.document.path.rsplit('/').next() == Some(asked.as_str()));
        if let Some(first) = named.next() {
            let line_count = if named.next().is_none() { first.lines } else { 0 };
            return PathFact { exists: true, line_count, near: Vec::new() };
        }
    }
    let name = |path: &str| path.rsplit('/').next().unwrap_or(path).to_lowercase();
    let wanted = name(&asked);
    let known =
        || manifest.files.iter().map(|file| file.document.path.as_str()).filter(|path| !path.is_empty());
    let mut near: Vec<String> =
        known().filter(|path| name(path) == wanted).map(str::to_owned).take(3).collect();
    if near.is_empty() {
        near = nearest(&asked, known(), 3);
    }
    if near.is_empty() && !path.contains('/') {
        let last = |path: &'_ str| path.rsplit('/').next().unwrap_or(path).to_owned();
        let names: Vec<String> = known().map(last).collect();
        let alike = nearest(&asked, names.iter().map(String::as_str), 3);
        near = known().filter(|path| alike.contains(&last(path))).take(3).map(str::to_owned).collect();
    }
    PathFact { exists: false, line_count: 0, near }
}

/// A path without leading `./` and without back-ticks around it.
fn normal_path(path: &str) -> String {
    let path = path.trim().trim_matches('`');
    path.strip_prefix("./").unwrap_or(path).to_owned()
}

/// A name as the index holds it: without call parentheses, leading dashes, quotes.
fn plain_name(name: &str) -> String {
    let name = name.trim().trim_matches(['`', '"', '\'']);
    let name = name.split_once('(').map_or(name, |(head, _)| head);
    // Of a text with several names the longest decides; a single name is itself.
    text::names(name).into_iter().max_by_key(String::len).unwrap_or_else(|| name.to_owned())
}

/// Known texts that are close to an unknown one, nearest first, ties in their order.
pub(crate) fn nearest<'a>(asked: &str, known: impl Iterator<Item = &'a str>, most: usize) -> Vec<String> {
    let folded = asked.to_lowercase();
    let length = folded.chars().count();
    let allowed = match length {
        0..=3 => 0,
        4..=6 => 1,
        7..=12 => 2,
        _ => 3,
    };
    let mut found: Vec<(usize, String)> = known
        .filter(|name| name.len().abs_diff(asked.len()) <= allowed * 4)
        .filter_map(|name| {
            let other = name.to_lowercase();
            if other.chars().count().abs_diff(length) > allowed {
                return None;
            }
            // Cheap test before the expensive one: a few edits leave the start or the end as it is.
            let starts = other.chars().next() == folded.chars().next();
            let ends = other.chars().next_back() == folded.chars().next_back();
            if !starts && !ends {
                return None;
            }
            let distance = strsim::osa_distance(&folded, &other);
            (distance <= allowed).then(|| (distance, name.to_owned()))
        })
        .collect();
    found.sort();
    found.truncate(most);
    found.into_iter().map(|(_, name)| name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cite(first: u32, last: u32, text: &str) -> Cited {
        Cited { path: String::new(), lines: LineRange::new(first, last), sha256: sha256_hex(text.as_bytes()) }
    }

    #[test]
    fn cited_bytes_are_exact_moved_or_gone() {
        let text = "a\nb\nc\nb\n";
        assert_eq!(resolve(text, &cite(2, 3, "b\nc")), Resolution::Exact);
        assert_eq!(resolve(text, &cite(1, 2, "b\nc")), Resolution::Moved(LineRange::new(2, 3)));
        assert_eq!(resolve(text, &cite(3, 3, "b")), Resolution::Moved(LineRange::new(2, 2)));
        assert_eq!(resolve(text, &cite(1, 1, "x")), Resolution::Dangling);
        assert_eq!(resolve(text, &cite(0, 1, "a")), Resolution::Dangling);
        assert_eq!(resolve(text, &cite(1, 99, "a")), Resolution::Dangling);
        assert_eq!(resolve(text, &cite(1, u32::MAX, "a")), Resolution::Dangling);
    }

    #[test]
    fn near_names_are_offered_by_edit_distance() {
        let known = ["addVar", "addParam", "addResult", "registerEndpoint"];
        assert_eq!(nearest("addvar", known.into_iter(), 3), ["addVar"]);
        assert_eq!(nearest("registerEndpoints", known.into_iter(), 3), ["registerEndpoint"]);
        assert!(nearest("completelyOther", known.into_iter(), 3).is_empty());
    }

    #[test]
    fn names_are_asked_as_the_index_holds_them() {
        assert_eq!(plain_name("`addVar(x, 1)`"), "addVar");
        assert_eq!(plain_name("--storage.tsdb.path"), "storage.tsdb.path");
    }
}
