//! Compiles the pages of the guide into the binary, by path.
#![allow(clippy::disallowed_methods, reason = "a build script is told its folders by the environment")]

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

fn pages(folder: &Path, found: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            // The pages of the diagnostic codes show wrong programs on purpose; an answer must not rest on them.
            if !path.ends_with("diagnostics") {
                pages(&path, found)?;
            }
        } else if path.extension().is_some_and(|e| e == "md") {
            found.push(path);
        }
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let root = PathBuf::from(std::env::var("CARGO_MANIFEST_DIR")?).join("../..").canonicalize()?;
    let guide = root.join("docs/avap");
    println!("cargo:rerun-if-changed={}", guide.display());
    let mut found = Vec::new();
    pages(&guide, &mut found)?;
    found.sort();
    let mut text = String::from("/// Path and text of each page.\npub const FILES: &[(&str, &str)] = &[\n");
    for page in &found {
        println!("cargo:rerun-if-changed={}", page.display());
        let name = page.strip_prefix(&root)?.to_string_lossy().replace('\\', "/");
        writeln!(text, "    ({name:?}, include_str!({:?})),", page.display().to_string())?;
    }
    text.push_str("];\n");
    std::fs::write(PathBuf::from(std::env::var("OUT_DIR")?).join("guide.rs"), text)?;
    Ok(())
}
