//! `assay models list`, `verify` and `remove`: what the lock file records, and whether it is so.

use std::path::Path;

use assay_domain::{Code, Failure};
use assay_models::store::{self, Entry, Held, Lock, MODEL, State};
use serde::Serialize;
use serde_json::json;

use crate::exit;
use crate::flags::Global;

/// What there is, as the lock file records it.
///
/// # Errors
/// If the lock file cannot be read.
pub(crate) fn list(global: &Global, models: &Path) -> Result<u8, Failure> {
    let lock = Lock::read(models).map_err(super::failure)?;
    let folder = models.display().to_string();
    if global.json {
        let row = |(name, entry): (&'_ String, &'_ Entry)| Row {
            name: name.clone(),
            entry: entry.clone(),
            used: !entry.kind.is_gone(),
        };
        let models = lock.models.iter().map(row).collect();
        println!("{:#}", json!(Listed { folder, models }));
        return Ok(0);
    }
    if lock.models.is_empty() {
        println!("no models in {folder}");
    }
    for (name, entry) in &lock.models {
        println!("{name}: {}, {} at {}", entry.kind, entry.hub, entry.revision);
        let bytes: u64 = entry.files.values().map(|file| file.bytes).sum();
        if let Some(model) = entry.files.get(MODEL) {
            println!("  {}, sha256 {}", model.from, model.sha256);
        }
        let license = entry.license.as_deref().unwrap_or("none named");
        let gone = if entry.kind.is_gone() { "; nothing uses it: a reader is in the box" } else { "" };
        println!("  {:.1} MB, licence: {license}{gone}", bytes as f64 / 1e6);
    }
    Ok(0)
}

/// The models of a folder, as an object of the output.
#[derive(Serialize)]
struct Listed {
    folder: String,
    models: Vec<Row>,
}

#[derive(Serialize)]
struct Row {
    name: String,
    #[serde(flatten)]
    entry: Entry,
    /// Whether something uses models of this kind.
    used: bool,
}

/// The files of a folder's models, as an object of the output.
#[derive(Serialize)]
struct Verified<'a> {
    folder: String,
    files: Vec<Checked<'a>>,
}

#[derive(Serialize)]
struct Checked<'a> {
    model: &'a str,
    /// Name inside the model's folder.
    file: &'a str,
    /// Whether the checksum is the recorded one.
    verified: bool,
    /// The same in words, and why.
    state: String,
}

/// Models that were removed, as an object of the output.
#[derive(Serialize)]
struct Removed<'a> {
    removed: &'a [String],
}

/// Reads every file of the models again.
///
/// # Errors
/// If the lock file cannot be read, or does not list a name.
pub(crate) fn verify(global: &Global, models: &Path, names: &[String]) -> Result<u8, Failure> {
    let lock = Lock::read(models).map_err(super::failure)?;
    known(&lock, names)?;
    let (mut rows, mut bad) = (Vec::new(), 0);
    for (name, entry) in lock.models.iter().filter(|(name, _)| names.is_empty() || names.contains(name)) {
        for (file, found) in entry.states(&store::folder(models, name).map_err(super::failure)?) {
            let state = match &found {
                State::Verified => "checksum holds".to_owned(),
                State::Missing => "missing".to_owned(),
                State::Unreadable(reason) => format!("unreadable: {reason}"),
                State::Changed { recorded, found } => {
                    format!("changed: recorded {recorded}, found {found}")
                }
            };
            let verified = found == State::Verified;
            bad += usize::from(!verified);
            if !global.json {
                println!("{name}/{file}: {state}");
            }
            rows.push(Checked { model: name, file, verified, state });
        }
        if rows.iter().any(|row| row.model == name && !row.verified) {
            crate::say!("assay: fetch {name} again with `{}`", entry.cure(name));
        }
    }
    if global.json {
        println!("{:#}", json!(Verified { folder: models.display().to_string(), files: rows }));
    } else if rows.is_empty() {
        println!("no models in {}", models.display());
    }
    Ok(if bad == 0 { 0 } else { exit::CONFIGURATION })
}

/// Removes models with their folders, and what unfinished runs left of them.
///
/// # Errors
/// If a name is not listed (nothing is removed then), or a folder cannot be removed.
pub(crate) fn remove(global: &Global, models: &Path, names: &[String]) -> Result<u8, Failure> {
    known(&Lock::read(models).map_err(super::failure)?, names)?;
    let held = Held::open(models).map_err(super::failure)?;
    for name in names {
        held.remove(name).map_err(super::failure)?;
        super::pull::clear(models, name);
        if !global.json {
            println!("{name}: removed");
        }
    }
    if global.json {
        println!("{:#}", json!(Removed { removed: names }));
    }
    Ok(0)
}

fn known(lock: &Lock, names: &[String]) -> Result<(), Failure> {
    let Some(name) = names.iter().find(|name| !lock.models.contains_key(*name)) else { return Ok(()) };
    let listed: Vec<&str> = lock.models.keys().map(String::as_str).collect();
    let text = format!("there is no model {name:?}; there are: {}", listed.join(", "));
    Err(Failure::new(Code::NotFound, text).field("name"))
}
