//! Lists the example programs of this crate so that they are compiled in without a hand-kept list.

#![allow(clippy::disallowed_methods, reason = "a build script is told its folders by the environment")]

use std::fmt::Write as _;
use std::path::Path;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let root = std::env::var("CARGO_MANIFEST_DIR")?;
    let folder = Path::new(&root).join("examples");
    println!("cargo:rerun-if-changed={}", folder.display());
    let mut files = Vec::new();
    if folder.is_dir() {
        for entry in std::fs::read_dir(&folder)? {
            let path = entry?.path();
            if path.extension().is_some_and(|extension| extension == "avap") {
                println!("cargo:rerun-if-changed={}", path.display());
                files.push(path);
            }
        }
    }
    files.sort();
    let mut table = String::from(
        "/// Every example: its file name without extension, and its text.\nconst FILES: &[(&str, &str)] = &[\n",
    );
    for path in files {
        let id = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        writeln!(table, "    ({id:?}, include_str!({:?})),", path.display().to_string())?;
    }
    table.push_str("];\n");
    std::fs::write(Path::new(&std::env::var("OUT_DIR")?).join("examples.rs"), table)?;
    Ok(())
}
