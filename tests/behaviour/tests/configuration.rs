//! `docs/configuration.md` shows every setting with the default that the code has.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::path::PathBuf;

use assay::commands::config::documented;
use assay::settings::Settings;

const BEGIN: &str = "<!-- settings: written by `make diagrams` -->\n";
const END: &str = "<!-- end of settings -->";

const PROCESS_BEGIN: &str = "<!-- process settings: written by `make diagrams` -->\n";
const PROCESS_END: &str = "<!-- end of process settings -->";

/// Stands for the options of a service, which the page shows above.
#[derive(Default, serde::Serialize, serde::Deserialize)]
struct Service {}

#[test]
fn the_documented_settings_are_the_defaults() {
    let settings = documented(&assay_config::dump(&Settings::default()).unwrap(), "");
    let mut names = String::new();
    for (name, key) in assay::settings::flat_names() {
        names.push_str(&format!("| `{name}` | `{key}` |\n"));
    }
    let block = format!("```toml\n{settings}```\n\n| environment | sets |\n|---|---|\n{names}");
    let process = assay_config::dump(&assay_rpc::process::Settings::<Service>::default()).unwrap();
    let process = documented(&process, "process");
    // Telemetry is the same as above.
    let telemetry = process.find("[telemetry]").unwrap();
    let service = process.find("[service]").unwrap();
    let process = format!("```toml\n{}{}```\n", &process[..telemetry], &process[service..]);
    let settings = written(BEGIN, END, &block);
    let processes = written(PROCESS_BEGIN, PROCESS_END, &process);
    assert!(settings && processes, "docs/configuration.md shows other settings; run `make diagrams`");
}

/// Whether the page holds this block between these marks; `make diagrams` writes it.
fn written(begin: &str, end: &str, block: &str) -> bool {
    let path = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/configuration.md"));
    let text = std::fs::read_to_string(&path).unwrap();
    let start = text.find(begin).expect("the page marks where the settings begin") + begin.len();
    let end = text.find(end).expect("the page marks where the settings end");
    let fresh = format!("{}{block}{}", &text[..start], &text[end..]);
    if std::env::vars_os().any(|(key, _)| key == "ASSAY_WRITE") {
        std::fs::write(&path, &fresh).unwrap();
        return true;
    }
    text == fresh
}
