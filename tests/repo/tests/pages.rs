//! Pages keep up with the code and with one another: the index of `docs/`, and the lists of checks and languages.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use assay_domain::report::CheckName;
use assay_languages::names;

fn root() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

fn read(page: &str) -> String {
    std::fs::read_to_string(root().join(page)).unwrap_or_else(|error| panic!("{page}: {error}"))
}

/// A link of a page in this folder, as a path below the root.
fn below_root(folder: &Path, link: &str) -> String {
    let mut parts: Vec<&str> = folder.iter().filter_map(|part| part.to_str()).collect();
    for part in link.split('/') {
        match part {
            "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts.join("/")
}

/// The pages that a page links to, as paths below the root.
fn links(page: &str) -> Vec<String> {
    let text = read(page);
    let folder = Path::new(page).parent().unwrap();
    let targets = text.split("](").skip(1).filter_map(|rest| rest.split([')', '#']).next());
    let pages = targets.filter(|link| link.ends_with(".md") && !link.contains("://"));
    pages.map(|link| below_root(folder, link)).collect()
}

#[test]
fn every_page_is_in_an_index_without_dead_links() {
    let first = "docs/README.md".to_owned();
    let mut listed = BTreeSet::from([first.clone()]);
    let mut open = vec![first];
    while let Some(page) = open.pop() {
        for link in links(&page) {
            assert!(root().join(&link).is_file(), "{page} links to {link}, which is not there");
            let index = link.ends_with("/README.md") || link.ends_with("/index.md");
            if listed.insert(link.clone()) && index {
                open.push(link);
            }
        }
    }
    for entry in walkdir::WalkDir::new(root().join("docs")).into_iter().flatten() {
        if entry.path().extension().is_some_and(|end| end == "md") {
            let page = entry.path().strip_prefix(root()).unwrap().display().to_string();
            assert!(listed.contains(&page), "{page} is in no index that docs/README.md leads to");
        }
    }
}

#[test]
fn the_readme_leads_to_the_index_and_to_the_recipes() {
    let links = links("README.md");
    for page in ["docs/README.md", "CONTRIBUTING.md"] {
        assert!(links.iter().any(|link| link == page), "README.md does not link {page}");
    }
}

/// Whether the first cell of a row names this, alone or in a list.
fn has_row(page: &str, name: &str) -> bool {
    let quoted = format!("`{name}`");
    let rows = page.lines().filter_map(|line| line.strip_prefix("| "));
    rows.filter_map(|row| row.split(" | ").next()).any(|cell| cell.split(", ").any(|one| one == quoted))
}

#[test]
fn every_check_has_its_row() {
    for page in ["README.md", "docs/contract.md"] {
        let text = read(page);
        for check in CheckName::ALL {
            assert!(has_row(&text, check.as_str()), "{page} has no row for the check {check}");
        }
    }
}

#[test]
fn every_language_is_named_in_the_readme() {
    let readme = read("README.md");
    let line = readme.lines().find(|line| line.starts_with("The same parser knows"));
    let line = line.expect("the README says which languages the parser knows");
    let named: BTreeSet<String> = line.split([' ', ',', '.']).map(str::to_lowercase).collect();
    // The README names AVAP above this line, and TSX is TypeScript with tags.
    for language in names().into_iter().filter(|name| !["avap", "tsx"].contains(name)) {
        assert!(named.contains(language), "the README does not name {language}");
    }
}
