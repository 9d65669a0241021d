//! Compiles the pages of the guide into the binary, by path, and what each setting means, in the words of its
//! declaration.
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

/// Structs of settings in the sources of a crate: name, file and fields with type and doc comment.
struct Fields {
    name: String,
    file: PathBuf,
    fields: Vec<(String, String, String)>,
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            sources(&path, found)?;
        } else if path.extension().is_some_and(|e| e == "rs") {
            found.push(path);
        }
    }
    Ok(())
}

/// The structs that are read from settings, as rustfmt lays them out.
fn structs(folder: &Path) -> std::io::Result<Vec<Fields>> {
    let (mut files, mut found) = (Vec::new(), Vec::new());
    sources(&folder.join("src"), &mut files)?;
    for file in files {
        let text = std::fs::read_to_string(&file)?;
        let (mut read, mut inside, mut doc) = (false, false, Vec::new());
        for line in text.lines() {
            if line.starts_with("#[derive(") {
                read = line.contains("Deserialize");
            } else if let Some(name) =
                line.strip_prefix("pub struct ").filter(|_| read && line.ends_with('{'))
            {
                let name = name.split(['<', ' ']).next().unwrap_or_default().to_owned();
                found.push(Fields { name, file: file.clone(), fields: Vec::new() });
                (read, inside) = (false, true);
            } else if line == "}" {
                inside = false;
            } else if inside {
                let line = line.trim();
                if let Some(said) = line.strip_prefix("/// ") {
                    doc.push(said);
                } else if let Some((name, of)) =
                    line.strip_prefix("pub ").and_then(|field| field.split_once(": "))
                {
                    if let Some(last) = found.last_mut() {
                        let of = of.trim_end_matches(',').to_owned();
                        last.fields.push((name.to_owned(), of, doc.join("\n")));
                    }
                    doc.clear();
                }
            }
        }
    }
    found.iter().for_each(|of| println!("cargo:rerun-if-changed={}", of.file.display()));
    Ok(found)
}

/// Key and meaning of every setting of a struct, those of nested structs below its key.
fn meanings(
    root: &Path,
    folder: &Path,
    path: &str,
    below: &str,
    out: &mut String,
) -> Result<(), Box<dyn std::error::Error>> {
    let (module, name) = path.rsplit_once("::").unwrap_or(("", path));
    let known = structs(folder)?;
    let of_module =
        |of: &&Fields| module.is_empty() || of.file.to_string_lossy().contains(&format!("/{module}"));
    let Some(of) = known.iter().find(|of| of.name == name && of_module(of)) else { return Ok(()) };
    for (field, of, doc) in &of.fields {
        let key = if below.is_empty() { field.clone() } else { format!("{below}.{field}") };
        writeln!(out, "    ({key:?}, {doc:?}),")?;
        let (krate, path) =
            of.split_once("::").filter(|(krate, _)| krate.starts_with("assay_")).unwrap_or(("", of));
        if krate.is_empty() {
            meanings(root, folder, path, &key, out)?;
        } else {
            let name = krate.trim_start_matches("assay_");
            let homes = [root.join("services").join(name), root.join("libs").join(name)];
            let home = homes.iter().find(|home| home.exists()).ok_or("a crate of settings has no folder")?;
            meanings(root, home, path, &key, out)?;
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
    let written = PathBuf::from(std::env::var("OUT_DIR")?);
    std::fs::write(written.join("guide.rs"), text)?;

    let mut text =
        String::from("/// Key and meaning of each setting.\nconst MEANINGS: &[(&str, &str)] = &[\n");
    meanings(&root, &root.join("services/assay"), "Settings", "", &mut text)?;
    meanings(&root, &root.join("libs/rpc"), "process::Settings", "process", &mut text)?;
    text.push_str("];\n");
    std::fs::write(written.join("meanings.rs"), text)?;
    Ok(())
}
