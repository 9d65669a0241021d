//! Which crate may depend on which, and who may use which I/O library; the table of `docs/architecture.md` as a test.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::collections::{BTreeMap, BTreeSet};

use assay_repo_tests::specs;
use cargo_metadata::{DependencyKind, MetadataCommand};

/// Crates of ours that each crate may use outside its tests.
const ALLOWED: &[(&str, &[&str])] = &[
    ("domain", &[]),
    ("graph", &["domain"]),
    ("routing", &["domain", "redact", "text"]),
    ("heads", &["domain", "routing", "statistics"]),
    ("statistics", &[]),
    ("scoring", &["statistics"]),
    ("text", &["domain"]),
    ("documents", &["domain", "text"]),
    ("chunk", &["documents", "domain", "text"]),
    ("quantities", &["text"]),
    ("reading", &["domain", "text", "quantities"]),
    ("evidence", &["documents", "domain", "text", "quantities"]),
    ("grounding", &["domain", "text", "quantities", "reading", "evidence"]),
    ("avap", &[]),
    ("languages", &["domain", "avap"]),
    ("lint", &["documents", "domain", "languages", "text"]),
    ("extractive", &["documents", "domain", "reading", "text"]),
    ("api", &["domain", "proto", "wire"]),
    ("ledger", &["domain"]),
    ("resilience", &[]),
    ("sqlite", &[]),
    ("proto", &[]),
    ("redact", &["domain"]),
    ("models", &[]),
    ("elastic", &["domain", "resilience", "rpc"]),
    ("reader", &["domain", "models", "resilience", "rpc", "telemetry"]),
    ("telemetry", &["redact"]),
    ("config", &[]),
    ("wire", &["domain", "proto"]),
    ("rpc", &["domain", "resilience", "telemetry", "config"]),
    ("testkit", &["rpc"]),
    ("router", &["elastic", "graph", "heads", "routing", "redact", "sqlite", "text"]),
    ("retrieval", &["avap", "chunk", "documents", "elastic", "lint", "models", "resilience", "text"]),
    ("generation", &["extractive", "reading", "text"]),
    ("validation", &["grounding", "reader", "resilience", "avap"]),
    ("parser", &["avap", "languages"]),
    ("audit", &["ledger", "redact", "sqlite", "statistics", "text"]),
    ("evaluation", &["scoring", "text"]),
    ("gateway", &["api", "scoring"]),
    ("train", &["domain", "grounding"]),
];

/// What every service may use beside its pure crates.
const SERVICE_BASE: &[&str] = &["domain", "proto", "wire", "rpc", "telemetry", "config"];
/// The crates of `tests/`, which may use everything.
const TESTS: &[&str] = &["behaviour", "repo-tests", "load"];
const PURE: &[&str] = &[
    "domain",
    "graph",
    "routing",
    "heads",
    "statistics",
    "scoring",
    "text",
    "documents",
    "chunk",
    "quantities",
    "reading",
    "evidence",
    "grounding",
    "avap",
    "languages",
    "lint",
    "extractive",
    "ledger",
    "redact",
    "resilience",
];

/// Libraries that do I/O, bind to a technology or have one home, and the crates that may list them.
const OWNERS: &[(&str, &[&str])] = &[
    ("opentelemetry", &["telemetry"]),
    ("opentelemetry_sdk", &["telemetry"]),
    ("opentelemetry-otlp", &["telemetry"]),
    ("opentelemetry-proto", &["testkit"]),
    ("tracing-opentelemetry", &["telemetry"]),
    ("prometheus-client", &["telemetry"]),
    ("tantivy", &["retrieval"]),
    ("rten", &["models"]),
    ("rten-tensor", &["models"]),
    ("rten-onnx", &["models"]),
    ("tokenizers", &["models"]),
    ("elasticsearch", &["elastic"]),
    ("genai", &["generation"]),
    ("rusqlite", &["sqlite", "audit", "router"]),
    ("rcgen", &["assay", "testkit"]),
    ("x509-parser", &["rpc", "assay"]),
    ("tokio-rustls", &["rpc", "testkit"]),
    ("axum", &["gateway", "testkit"]),
    ("jsonwebtoken", &["gateway"]),
    ("ring", &["gateway"]),
    ("governor", &["gateway"]),
    ("reqwest", &["reader", "generation", "retrieval", "telemetry", "gateway", "assay"]),
    ("oxc", &["languages"]),
    ("asciidoc-parser", &["documents"]),
    ("html5gum", &["documents"]),
    ("lopdf", &["documents"]),
    ("pulldown-cmark", &["documents", "languages", "reading"]),
    ("parquet", &["assay"]),
    ("tree-sitter", &["languages", "chunk"]),
    ("rust-stemmers", &["text"]),
    ("strsim", &["text", "avap"]),
];

/// Libraries that no pure crate may list.
const IMPURE: &[&str] = &["tokio", "tonic", "tracing", "reqwest", "rand", "axum", "rusqlite", "hyper-util"];

fn short(name: &str) -> &str {
    name.strip_prefix("assay-").unwrap_or(name)
}

struct Edges {
    normal: BTreeMap<String, BTreeSet<String>>,
    build: BTreeMap<String, BTreeSet<String>>,
}

fn edges() -> Edges {
    let metadata = MetadataCommand::new()
        .manifest_path(concat!(env!("CARGO_MANIFEST_DIR"), "/../../Cargo.toml"))
        .no_deps()
        .exec()
        .unwrap();
    let (mut normal, mut build) = (BTreeMap::new(), BTreeMap::new());
    for package in metadata.workspace_packages() {
        let kinds = |kind| {
            package
                .dependencies
                .iter()
                .filter(move |d| d.kind == kind)
                .map(|d| d.name.clone())
                .collect::<BTreeSet<_>>()
        };
        normal.insert(package.name.to_string(), kinds(DependencyKind::Normal));
        build.insert(package.name.to_string(), kinds(DependencyKind::Build));
    }
    Edges { normal, build }
}

fn is_ours(name: &str) -> bool {
    name == "assay" || name.starts_with("assay-")
}

fn is_service(name: &str) -> bool {
    specs().iter().any(|spec| spec.name == name)
}

#[test]
fn every_edge_between_crates_is_in_the_table() {
    let allowed: BTreeMap<&str, &[&str]> = ALLOWED.iter().copied().collect();
    for (name, dependencies) in edges().normal {
        let from = short(&name);
        if from == "assay" || TESTS.contains(&from) {
            continue;
        }
        let own = allowed.get(from).unwrap_or_else(|| panic!("{from} has no row in the table; add it"));
        for to in dependencies.iter().filter(|d| is_ours(d)).map(|d| short(d)) {
            let base = is_service(from) && SERVICE_BASE.contains(&to);
            assert!(own.contains(&to) || base, "{from} must not depend on {to}");
        }
    }
}

#[test]
fn every_row_has_its_crate_and_its_edges() {
    let all = edges().normal;
    let uses = |from: &str, to: &str| {
        let (_, dependencies) = all.iter().find(|(name, _)| short(name) == from)?;
        Some(dependencies.iter().any(|dependency| is_ours(dependency) && short(dependency) == to))
    };
    for (from, allowed) in ALLOWED {
        assert!(all.keys().any(|name| short(name) == *from), "{from} has a row in the table and is no crate");
        for to in *allowed {
            assert_eq!(
                uses(from, to),
                Some(true),
                "{from} may use {to} and does not; take it out of the table"
            );
        }
    }
    for to in SERVICE_BASE {
        assert!(specs().iter().any(|spec| uses(spec.name, to) == Some(true)), "no service uses {to}");
    }
    for (library, owners) in OWNERS {
        for owner in *owners {
            let lists = all.iter().filter(|(name, _)| short(name) == *owner).flat_map(|(_, listed)| listed);
            let mut lists =
                lists.filter(|listed| *listed == library || listed.starts_with(&format!("{library}-")));
            assert!(
                lists.next().is_some(),
                "{owner} may list {library} and does not; take it out of the table"
            );
        }
    }
}

#[test]
fn no_service_links_another() {
    for (name, dependencies) in edges().normal {
        if is_service(short(&name)) {
            let other = dependencies.iter().map(|d| short(d)).find(|d| is_service(d));
            assert_eq!(other, None, "{name} links another service");
        }
    }
}

#[test]
fn pure_crates_list_no_library_that_does_io() {
    for (name, dependencies) in edges().normal {
        if PURE.contains(&short(&name)) {
            let bad: Vec<_> = dependencies.iter().filter(|d| IMPURE.contains(&d.as_str())).collect();
            assert!(bad.is_empty(), "{name} is pure and lists {bad:?}");
        }
    }
}

#[test]
fn each_technology_has_its_owners() {
    let all = edges().normal;
    for (library, owners) in OWNERS {
        for (name, dependencies) in &all {
            let uses = dependencies
                .iter()
                .any(|d| d == library || (*library == "tree-sitter" && d.starts_with("tree-sitter-")));
            assert!(
                !uses || owners.contains(&short(name)) || TESTS.contains(&short(name)),
                "{name} must not use {library}; it belongs to {owners:?}"
            );
        }
    }
}

#[test]
fn feature_sets_live_in_the_workspace_only() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    for entry in walkdir::WalkDir::new(root)
        .into_iter()
        .filter_entry(|e| {
            // Fuzz targets stand apart from the workspace.
            !["target", ".git", "node_modules", "fuzz"].iter().any(|name| e.file_name() == *name)
        })
        .flatten()
        .filter(|e| e.file_name() == "Cargo.toml" && e.depth() > 1)
    {
        let text = std::fs::read_to_string(entry.path()).unwrap();
        let manifest: toml::Table = text.parse().unwrap();
        if manifest.contains_key("workspace") {
            continue; // Fuzz targets are a workspace of their own, as cargo-fuzz wants it.
        }
        for table in ["dependencies", "dev-dependencies", "build-dependencies"] {
            let Some(toml::Value::Table(dependencies)) = manifest.get(table) else { continue };
            for (name, value) in dependencies {
                assert!(value.get("features").is_none(), "{}: {name} adds features", entry.path().display());
                let shared = value.get("workspace").is_some() || value.get("path").is_some();
                assert!(shared, "{}: {name} names its own version", entry.path().display());
            }
        }
    }
}

#[test]
fn lock_file_of_the_fuzz_targets_is_up_to_date() {
    // `tools/fuzz.sh` builds with `--locked`; `cargo update --workspace` in `tests/fuzz` is the cure.
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../fuzz/Cargo.lock");
    let lock: toml::Table = std::fs::read_to_string(path).unwrap().parse().unwrap();
    let Edges { normal, build } = edges();
    let mut compared = 0;
    for package in lock["package"].as_array().unwrap() {
        let name = package["name"].as_str().unwrap();
        let Some(listed) = normal.get(name) else { continue };
        let listed: BTreeSet<&str> = listed.iter().chain(&build[name]).map(String::as_str).collect();
        let locked = package.get("dependencies").and_then(toml::Value::as_array).into_iter().flatten();
        let locked = locked.filter_map(|entry| entry.as_str()?.split(' ').next()).collect();
        assert_eq!(listed, locked, "tests/fuzz/Cargo.lock is out of date for {name}");
        compared += 1;
    }
    assert!(compared > 5, "{compared}");
}
