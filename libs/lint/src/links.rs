//! `dead-link`, `dead-anchor` and `orphan`: where the links of pages lead.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, HashMap, HashSet};

use assay_documents::{Format, slug};
use assay_domain::LineRange;

use crate::page::{Link, Page};
use crate::{File, Finding, Rule};

/// Names of pages that readers reach without a link.
const INDEXES: [&str; 4] = ["readme", "index", "_index", "summary"];

/// Endings that a page has on disk and loses in the address of a site.
const ENDINGS: [&str; 12] = [
    ".md",
    ".mdx",
    ".markdown",
    ".rst",
    ".txt",
    ".adoc",
    "/index.md",
    "/_index.md",
    "/README.md",
    "/index.mdx",
    "/index.rst",
    "/index.txt",
];

/// Where a link leads.
enum Led<'p> {
    /// To a page of the set.
    Page(&'p Page<'p>),
    /// To something that exists and has no anchors known.
    There,
    /// Nowhere.
    Dead,
}

/// The files of a set by their paths.
struct Set<'p> {
    pages: HashMap<&'p str, &'p Page<'p>>,
    paths: HashSet<&'p str>,
    /// Pages by the ends of their addresses on a site.
    addresses: HashMap<&'p str, &'p str>,
    /// The folder that holds all files.
    root: Vec<&'p str>,
    exists: &'p dyn Fn(&str) -> Option<bool>,
}

/// Follows every link of the pages.
pub(crate) fn check<'p>(
    files: &'p [File],
    pages: &'p [Page<'p>],
    exists: &'p dyn Fn(&str) -> Option<bool>,
) -> Vec<Finding> {
    let set = Set::of(files, pages, exists);
    let (mut found, mut linked) = (Vec::new(), HashSet::new());
    for page in pages {
        // A target that is named often is one mistake.
        let mut dead: BTreeMap<(&str, Rule), Finding> = BTreeMap::new();
        for link in &page.links {
            let target = link.target.as_str();
            let (rule, message) = match set.follow(page, link) {
                None => {
                    linked.extend(set.by_address(target).filter(|path| *path != page.path));
                    continue;
                }
                Some((Led::Dead, _)) => (Rule::DeadLink, format!("`{target}` leads to no file")),
                Some((Led::There, _)) => continue,
                Some((Led::Page(to), anchor)) => {
                    if to.path != page.path {
                        linked.insert(to.path);
                    }
                    if !gives_anchors(to) {
                        continue;
                    }
                    let Some(hint) = missing(&anchor, to) else { continue };
                    (Rule::DeadAnchor, format!("`{target}`: {} has no anchor `{anchor}`{hint}", to.path))
                }
            };
            let place = page.place(link.lines);
            match dead.entry((target, rule)) {
                Entry::Occupied(mut first) => first.get_mut().related.push(place),
                Entry::Vacant(none) => {
                    none.insert(Finding { rule, place, message, related: Vec::new() });
                }
            }
        }
        found.extend(dead.into_values());
    }
    // Without any link something else holds the pages together, as menus do those with front matter.
    if !linked.is_empty() {
        let reached = |page: &Page<'_>| page.front || linked.contains(page.path) || is_index(page.path);
        // Pages of other formats are joined by tables of contents, which generators make.
        let orphans = pages.iter().filter(|page| page.format == Format::Markdown && !reached(page));
        found.extend(orphans.map(|page| Finding {
            rule: Rule::Orphan,
            place: page.place(LineRange::new(1, 1)),
            message: "no other page links to this one".to_owned(),
            related: Vec::new(),
        }));
    }
    found
}

// === impl Set ===

impl<'p> Set<'p> {
    fn of(files: &'p [File], pages: &'p [Page<'p>], exists: &'p dyn Fn(&str) -> Option<bool>) -> Self {
        let mut addresses = HashMap::new();
        for page in pages {
            for end in ends(address(page.path)) {
                addresses.entry(end).or_insert(page.path);
            }
        }
        let folders = files.iter().map(|file| {
            let mut parts: Vec<&str> = file.path.split('/').collect();
            parts.pop();
            parts
        });
        let root = folders.reduce(|one, other| {
            one.into_iter().zip(other).take_while(|(one, other)| one == other).map(|(part, _)| part).collect()
        });
        Self {
            pages: pages.iter().map(|page| (page.path, page)).collect(),
            paths: files.iter().map(|file| file.path.as_str()).collect(),
            addresses,
            root: root.unwrap_or_default(),
            exists,
        }
    }

    /// Where a link leads, and the anchor that it names; none if that cannot be known.
    fn follow(&self, page: &'p Page<'p>, link: &Link) -> Option<(Led<'p>, String)> {
        let target = link.target.as_str();
        let (path, anchor) = target.split_once('#').unwrap_or((target, ""));
        let path = path.split('?').next().unwrap_or_default();
        // A target without a folder, or with a space, may be a name of Sphinx; a star is a pattern of names.
        let name = page.format == Format::Rst && (target.contains(' ') || !path.contains('/'));
        if !is_relative(target) || target.is_empty() || target.contains('*') || name {
            return None;
        }
        let (path, anchor) = (decoded(path), decoded(anchor));
        if path.is_empty() {
            // A chapter that a book includes may name an id of another chapter.
            let elsewhere = page.format == Format::AsciiDoc && !page.anchors.contains(&anchor);
            let known = elsewhere && self.pages.values().any(|page| page.anchors.contains(&anchor));
            return (!known).then_some((Led::Page(page), anchor));
        }
        let folder = page.path.rsplit_once('/').map_or("", |(folder, _)| folder);
        let mut led = self.find(folder, &path, &[]);
        let kind = Format::of_path(path.trim_end_matches('/'));
        // What names no file of a known kind may be an address of a site, whose pages are folders.
        if matches!(led, Led::Dead) && kind.is_none_or(|kind| matches!(kind, Format::Html | Format::Man)) {
            let path = path.trim_end_matches(".html").trim_end_matches('/');
            for base in [folder, address(page.path)] {
                if matches!(led, Led::Dead) {
                    led = self.find(base, path, &ENDINGS);
                }
            }
            // It may be a name that a generator knows.
            if matches!(led, Led::Dead) && !link.image && !path.contains('/') {
                return None;
            }
        }
        if matches!(led, Led::Dead) {
            let whole = joined(folder, &path);
            if (self.exists)(&whole).is_none() || self.is_beyond(&whole) {
                return None;
            }
        }
        Some((led, anchor))
    }

    /// Whether a path leads out of the folder of the set into one that is not here: a site may put one there.
    fn is_beyond(&self, path: &str) -> bool {
        let parts: Vec<&str> = path.split('/').collect();
        let shared = self.root.iter().zip(&parts).take_while(|(one, other)| one == other).count();
        let upwards = parts.iter().take_while(|part| **part == "..").count();
        let first = shared.max(upwards) + 1;
        let leaves = shared < self.root.len() || upwards > 0;
        let file = Format::of_path(path).is_some_and(|kind| kind != Format::Man);
        let folder = first < parts.len() || !file;
        leaves && folder && (self.exists)(&parts[..first.min(parts.len())].join("/")) == Some(false)
    }

    /// What a path names, seen from a folder, as it is or with one of the endings.
    fn find(&self, folder: &str, path: &str, endings: &[&str]) -> Led<'p> {
        let whole = joined(folder, path);
        for ending in endings.iter().copied().chain([""]) {
            let path = format!("{whole}{ending}");
            if let Some(page) = self.pages.get(path.as_str()) {
                return Led::Page(page);
            }
            if self.paths.contains(path.as_str()) || (self.exists)(&path) == Some(true) {
                return Led::There;
            }
        }
        Led::Dead
    }

    /// The page that an address from the root of a site names, whatever folders of the set are that root.
    fn by_address(&self, target: &str) -> Option<&'p str> {
        let path = target.split(['#', '?']).next().unwrap_or_default();
        let path = address(path.strip_prefix('/')?.trim_end_matches('/'));
        // As much of the address as names a page: the site has a root of its own.
        ends(path).find_map(|end| self.addresses.get(end).copied())
    }
}

/// An address, and what is left of it without its first folder, its second and so on.
fn ends(address: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(address), |rest| Some(rest.split_once('/')?.1)).filter(|end| !end.is_empty())
}

/// Whether the anchors of a page are known: those of reStructuredText are of the whole set, manual pages have none.
const fn gives_anchors(page: &Page<'_>) -> bool {
    matches!(page.format, Format::Markdown | Format::Html | Format::AsciiDoc)
}

/// What to say of an anchor that a page does not have; none if it has it, or if no heading could have it: then something
/// else may make it.
fn missing(anchor: &str, page: &Page<'_>) -> Option<String> {
    if anchor.is_empty() || anchor == "top" || page.anchors.contains(anchor) {
        return None;
    }
    let slug = slug(anchor);
    let meant = slug != anchor.to_lowercase() && page.anchors.contains(&slug);
    match slug == anchor {
        true => Some(String::new()),
        false => meant.then(|| format!(", but `{slug}`")),
    }
}

/// Whether a target is a path or an anchor, and neither an address of the network or of a site nor a template.
fn is_relative(target: &str) -> bool {
    let scheme = target.split(['/', '?', '#']).next().is_some_and(|first| first.contains(':'));
    !scheme && !target.starts_with('/') && !target.contains('{')
}

/// The address that a page has on a site: its path without ending and without the name of an index.
fn address(path: &str) -> &str {
    let path = path.strip_suffix(".html").unwrap_or(path);
    let known = Format::of_path(path) == Some(Format::Markdown);
    let stem = if known { path.rsplit_once('.').map_or(path, |(stem, _)| stem) } else { path };
    match stem.rsplit_once('/') {
        Some((folder, name)) if INDEXES.contains(&name.to_ascii_lowercase().as_str()) => folder,
        _ => stem,
    }
}

fn is_index(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    INDEXES.contains(&stem.to_ascii_lowercase().as_str())
}

/// A path seen from a folder, without `.` and `..` but for those at its start.
fn joined(folder: &str, path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in folder.split('/').chain(path.split('/')) {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts.join("/")
}

/// A text with `%20` and the like decoded; as it is where that makes no UTF-8.
fn decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let code = (first == b'%').then(|| std::str::from_utf8(after.get(..2)?).ok()).flatten();
        match code.and_then(|code| u8::from_str_radix(code, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = &after[2..];
            }
            None => {
                bytes.push(first);
                rest = after;
            }
        }
    }
    String::from_utf8(bytes).unwrap_or_else(|_| text.to_owned())
}
