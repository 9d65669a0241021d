//! `docs/configuration.md` shows every setting with the default that the code has.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::path::PathBuf;

use assay::settings::Settings;

const BEGIN: &str = "<!-- settings: written by `make diagrams` -->\n";
const END: &str = "<!-- end of settings -->";

#[test]
fn the_documented_settings_are_the_defaults() {
    let path = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/configuration.md"));
    let text = std::fs::read_to_string(&path).unwrap();
    let start = text.find(BEGIN).expect("the page marks where the settings begin") + BEGIN.len();
    let end = text.find(END).expect("the page marks where the settings end");
    let settings = assay_config::dump(&Settings::default()).unwrap();
    let mut names = String::new();
    for (name, key) in assay::settings::flat_names() {
        names.push_str(&format!("| `{name}` | `{key}` |\n"));
    }
    let block = format!("```toml\n{settings}```\n\n| environment | sets |\n|---|---|\n{names}");
    let fresh = format!("{}{block}{}", &text[..start], &text[end..]);
    if std::env::vars_os().any(|(key, _)| key == "ASSAY_WRITE") {
        std::fs::write(&path, fresh).unwrap();
        return;
    }
    assert!(text == fresh, "docs/configuration.md shows other settings; run `make diagrams`");
}
