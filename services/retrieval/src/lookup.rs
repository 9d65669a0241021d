//! Look-ups: does the index hold this path, this name, these cited bytes?

use crate::corpus::{Manifest, SourceFile};
use crate::error::Error;
use crate::ports::{NameFact, Snapshot};
use crate::resolve::{MOST_HASHED, resolve};
use crate::spelling::Spellings;
use crate::text;
use assay_domain::LineRange;
use assay_rpc::task;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// Near paths that are offered for one that is not there.
const MOST_NEAR: usize = 3;

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

/// Answers a look-up from one snapshot. What is computed runs beside the async threads and ends once nobody waits for it.
pub(crate) async fn look_up(snapshot: &Arc<dyn Snapshot>, request: &Request) -> Result<Facts, Error> {
    let paths = if request.paths.is_empty() {
        Vec::new()
    } else {
        let (snapshot, asked) = (Arc::clone(snapshot), request.paths.clone());
        computed(move |stop| {
            let mut known = Paths::of(snapshot.manifest());
            asked.iter().map(|path| known.fact(path, stop).ok_or(Error::Stopped)).collect()
        })
        .await?
    };
    let asked: Vec<String> = request.names.iter().map(|name| plain_name(name)).collect();
    let names = if asked.is_empty() { Vec::new() } else { snapshot.names(&asked).await? };
    let mut by_path: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (place, citation) in request.cited.iter().enumerate() {
        by_path.entry(normal_path(&citation.path)).or_default().push(place);
    }
    let mut cited = vec![Resolution::Dangling; request.cited.len()];
    let mut left = MOST_HASHED;
    for (key, places) in by_path {
        let Some((document, _)) = snapshot.document(&key).await? else { continue };
        let asked: Vec<Cited> =
            places.iter().filter_map(|place| request.cited.get(*place).cloned()).collect();
        let found;
        (found, left) = computed(move |stop| {
            let found = resolve(&document.text, &asked, &mut left, stop)?;
            Ok((found, left))
        })
        .await?;
        for (place, resolution) in places.into_iter().zip(found) {
            if let Some(slot) = cited.get_mut(place) {
                *slot = resolution;
            }
        }
    }
    Ok(Facts { paths, names, cited, index_manifest: snapshot.manifest().id.clone() })
}

async fn computed<T: Send + 'static>(
    work: impl FnOnce(&dyn Fn() -> bool) -> Result<T, Error> + Send + 'static,
) -> Result<T, Error> {
    task::while_wanted(|stop| work(stop)).await.map_err(|panic| Error::Internal(panic.to_string()))?
}

/// The files of an index by their names, as far as look-ups asked.
struct Paths<'a> {
    manifest: &'a Manifest,
    /// Files by their own name, and by that name in lower case.
    named: HashMap<&'a str, Vec<&'a SourceFile>>,
    folded: HashMap<String, Vec<&'a str>>,
    /// Spellings of whole paths and of names; made for the first path that is not there.
    spellings: Option<(Spellings, Spellings)>,
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

impl<'a> Paths<'a> {
    fn of(manifest: &'a Manifest) -> Self {
        let mut named: HashMap<&str, Vec<&SourceFile>> = HashMap::new();
        let mut folded: HashMap<String, Vec<&str>> = HashMap::new();
        for file in manifest.files.iter().filter(|file| !file.document.path.is_empty()) {
            let path = file.document.path.as_str();
            named.entry(file_name(path)).or_default().push(file);
            folded.entry(file_name(path).to_lowercase()).or_default().push(path);
        }
        Self { manifest, named, folded, spellings: None }
    }

    /// What is known of a path; none once `stop` says so.
    fn fact(&mut self, path: &str, stop: &dyn Fn() -> bool) -> Option<PathFact> {
        let asked = normal_path(path);
        if let Some(file) = self.manifest.file(&asked) {
            return Some(PathFact { exists: true, line_count: file.lines, near: Vec::new() });
        }
        // A bare file name means the file of that name, wherever it is.
        let bare = !path.contains('/');
        if let Some(files) = self.named.get(asked.as_str()).filter(|_| bare) {
            let line_count = if let [only] = files.as_slice() { only.lines } else { 0 };
            return Some(PathFact { exists: true, line_count, near: Vec::new() });
        }
        let same_name = self.folded.get(&file_name(&asked).to_lowercase());
        let mut near: Vec<String> =
            same_name.into_iter().flatten().take(MOST_NEAR).map(|path| (*path).to_owned()).collect();
        if near.is_empty() {
            let (paths, names) = self.spellings.get_or_insert_with(|| {
                let known = self.named.values().flatten().map(|file| file.document.path.as_str());
                (Spellings::of(known), Spellings::of(self.named.keys().copied()))
            });
            near = paths.nearest(&asked, MOST_NEAR, stop)?;
            if near.is_empty() && bare {
                let alike = names.nearest(&asked, MOST_NEAR, stop)?;
                let files = alike.iter().filter_map(|name| self.named.get(name.as_str())).flatten();
                near = files.take(MOST_NEAR).map(|file| file.document.path.clone()).collect();
            }
        }
        Some(PathFact { exists: false, line_count: 0, near })
    }
}

/// A path without leading `./` and without back-ticks around it.
pub(crate) fn normal_path(path: &str) -> String {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_asked_as_the_index_holds_them() {
        assert_eq!(plain_name("`addVar(x, 1)`"), "addVar");
        assert_eq!(plain_name("--storage.tsdb.path"), "storage.tsdb.path");
    }
}
