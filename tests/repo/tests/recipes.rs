//! The recipes of `CONTRIBUTING.md` name places that exist: each path, each symbol in its file, each test.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::path::PathBuf;

/// What the last line of a recipe begins with.
const TESTS: &str = "Fails until it is done:";

/// A place that a page names.
#[derive(Debug, PartialEq, Eq)]
struct Place<'a> {
    path: &'a str,
    symbol: Option<&'a str>,
}

fn root() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

fn page() -> String {
    std::fs::read_to_string(root().join("CONTRIBUTING.md")).unwrap()
}

/// Whether text between backticks is a path: one word with a slash, or the name of a page or a manifest.
fn is_path(code: &str) -> bool {
    !code.contains(' ') && (code.contains('/') || code.ends_with(".md") || code.ends_with(".toml"))
}

/// The places of a line: `path`, or `path` → `symbol`, further symbols behind commas.
fn places(line: &str) -> Vec<Place<'_>> {
    let pieces: Vec<&str> = line.split('`').collect();
    let mut found = Vec::new();
    // The path before, and whether symbols of it are being listed.
    let (mut file, mut listing) = (None, false);
    for pair in pieces.chunks(2) {
        let [before, code] = *pair else { break };
        let before = before.trim();
        if is_path(code) {
            found.push(Place { path: code, symbol: None });
            (file, listing) = (Some(code), false);
            continue;
        }
        assert!(before != "→" || file.is_some(), "no path stands before → {code}: {line}");
        listing = before == "→" || (listing && before == ",");
        match file.filter(|_| listing) {
            Some(path) => found.push(Place { path, symbol: Some(code) }),
            None => file = None,
        }
    }
    found
}

/// Whether a text holds a symbol as a word of its own.
fn holds(text: &str, symbol: &str) -> bool {
    let in_word = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(symbol)
        .any(|(at, _)| !text[..at].ends_with(in_word) && !text[at + symbol.len()..].starts_with(in_word))
}

/// Titles and texts of the recipes.
fn recipes(page: &str) -> Vec<(&str, &str)> {
    let sections = page.split("\n## ").skip(1).filter_map(|section| section.split_once('\n'));
    sections.filter(|(title, _)| title.starts_with("Add a ")).collect()
}

#[test]
fn paths_and_their_symbols_are_read_from_a_line() {
    let line = "1. Do `x`: `a/b.rs` → `C`, `d`. Then `E.md`, `make f` and `g/h` → `i`.";
    let place = |path, symbol| Place { path, symbol };
    let expected = [
        place("a/b.rs", None),
        place("a/b.rs", Some("C")),
        place("a/b.rs", Some("d")),
        place("E.md", None),
        place("g/h", None),
        place("g/h", Some("i")),
    ];
    assert_eq!(places(line), expected);
    assert!(holds("fn all(", "all") && !holds("fn all_of(small)", "all"));
}

#[test]
fn every_named_place_exists() {
    let page = page();
    let mut gone = Vec::new();
    for Place { path, symbol } in page.lines().flat_map(places) {
        let there = match symbol {
            None => root().join(path).exists(),
            Some(symbol) => std::fs::read_to_string(root().join(path)).is_ok_and(|text| holds(&text, symbol)),
        };
        if !there {
            gone.push(format!("{path} {}", symbol.unwrap_or_default()));
        }
    }
    assert!(gone.is_empty(), "CONTRIBUTING.md names what is gone: {gone:#?}");
}

#[test]
fn every_recipe_has_places_in_order_and_tests() {
    let page = page();
    let recipes = recipes(&page);
    assert_eq!(recipes.len(), 6, "{:?}", recipes.iter().map(|(title, _)| title).collect::<Vec<_>>());
    for (title, text) in recipes {
        let steps = text
            .lines()
            .filter_map(|line| line.split_once(". "))
            .filter(|(number, _)| number.chars().all(|c| c.is_ascii_digit()));
        let mut last = 0;
        for (number, step) in steps {
            last += 1;
            assert_eq!(number, last.to_string(), "{title}: {step}");
            assert!(!places(step).is_empty(), "{title}: step {number} names no place");
        }
        assert!(last > 0, "{title} has no steps");
        let line = text.lines().find(|line| line.starts_with(TESTS));
        let named =
            places(line.unwrap_or_else(|| panic!("{title} names no test that fails until it is done")));
        let tests: Vec<_> = named.iter().filter_map(|place| Some((place.path, place.symbol?))).collect();
        assert!(!tests.is_empty(), "{title} names no test that fails until it is done");
        for (path, test) in tests {
            let file = std::fs::read_to_string(root().join(path)).unwrap();
            assert!(file.contains(&format!("fn {test}(")), "{title}: {path} has no test {test}");
        }
    }
}
