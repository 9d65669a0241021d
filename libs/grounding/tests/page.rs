//! The page about grounding says what the code says: policies with their figures, rules by their names, statuses.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::collections::BTreeSet;
use std::path::Path;

use assay_domain::report::{ClaimKind, ClaimStatus};

fn page() -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    std::fs::read_to_string(root.join("docs/grounding.md")).unwrap()
}

/// Rows of the tables as cells.
fn rows(page: &str) -> Vec<Vec<String>> {
    let tables = page.lines().filter(|line| line.starts_with('|'));
    tables
        .map(|line| line.trim_matches('|').split(" | ").map(|cell| cell.trim().to_owned()).collect())
        .collect()
}

#[test]
fn policies_have_the_figures_of_their_files() {
    let page = page();
    let rows = rows(&page);
    let read = |name: &str| -> toml::Table {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("data/policy/{name}.toml"));
        toml::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
    };
    let policies = ["strict", "balanced", "lenient"].map(read);
    for field in policies[0].keys().filter(|field| *field != "name") {
        let row = rows.iter().find(|row| row[0] == format!("`{field}`")).unwrap_or_else(|| panic!("{field}"));
        let shown: Vec<&str> = row[row.len() - 3..].iter().map(String::as_str).collect();
        let held = policies.each_ref().map(|policy| policy[field].to_string().trim_matches('"').to_owned());
        assert_eq!(shown, held, "{field}");
    }
}

#[test]
fn every_status_kind_and_rule_has_its_row() {
    let page = page();
    let first: Vec<String> = rows(&page).into_iter().map(|row| row[0].clone()).collect();
    let named = |name: &str| first.iter().any(|cell| cell.split(", ").any(|one| one == format!("`{name}`")));
    for status in ClaimStatus::ALL {
        assert!(named(status.as_str()), "{status}");
    }
    for kind in ClaimKind::ALL {
        assert!(named(kind.as_str()), "{kind}");
    }
    for word in assay_grounding::reason_words() {
        assert!(named(word), "the reason {word:?} has no row");
    }
}

#[test]
fn the_page_counts_the_rules() {
    let parts = assay_grounding::ablation::parts();
    let rules: BTreeSet<&str> = parts.iter().filter_map(|part| part.strip_prefix("rule:")).collect();
    assert_eq!(
        parts.iter().filter(|part| part.starts_with("rule:")).count(),
        rules.len(),
        "two rules of one name"
    );
    assert!(page().contains(&format!("There are {} rules", rules.len())), "there are {}", rules.len());
}
