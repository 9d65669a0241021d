//! `assay models list`, `verify` and `remove`: what the lock file records, and whether it is so.

use std::path::Path;

use assay_domain::{Code, Failure};
use assay_grounding::join::{self, Join};
use assay_models::store::{self, Entry, Held, JOIN, Kind, Lock, MODEL, State};
use serde::Serialize;
use serde_json::json;

use crate::exit;
use crate::flags::Global;

/// The join of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fitted {
    /// Fitted on this machine, beside the model.
    Own,
    /// Shipped with the product.
    Shipped,
    /// There is none: the model flags, and never rejects.
    No,
    /// The file beside the model is of another model.
    Other,
    /// The file beside the model cannot be read as a join.
    Damaged,
}

// === impl Fitted ===

impl Fitted {
    /// Whether there is one.
    #[must_use]
    pub(crate) fn is_fitted(self) -> bool {
        matches!(self, Self::Own | Self::Shipped)
    }

    fn as_str(self) -> &'static str {
        match self {
            Self::Own => "fitted",
            Self::Shipped => "shipped",
            Self::No => "none",
            Self::Other => "of another model",
            Self::Damaged => "damaged",
        }
    }
}

/// The join of the model in this folder, whose file has this SHA-256.
#[must_use]
pub(crate) fn fitted(folder: &Path, digest: &str) -> Fitted {
    match std::fs::read_to_string(folder.join(JOIN)) {
        Ok(text) => match Join::parse(&text) {
            Ok(join) if join.model.eq_ignore_ascii_case(digest) => Fitted::Own,
            Ok(_) => Fitted::Other,
            Err(_) => Fitted::Damaged,
        },
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Fitted::Damaged,
        Err(_) if join::shipped(digest).is_some() => Fitted::Shipped,
        Err(_) => Fitted::No,
    }
}

fn digest(entry: &Entry) -> &str {
    entry.files.get(MODEL).map_or("", |file| file.sha256.as_str())
}

/// What there is, as the lock file records it.
///
/// # Errors
/// If the lock file cannot be read.
pub(crate) fn list(global: &Global, models: &Path) -> Result<u8, Failure> {
    let lock = Lock::read(models).map_err(super::failure)?;
    let folder = models.display().to_string();
    let mut rows = Vec::new();
    for (name, entry) in &lock.models {
        let join = fitted(&store::folder(models, name).map_err(super::failure)?, digest(entry));
        rows.push((name, entry, join));
    }
    if global.json {
        let models = rows.into_iter().map(|(name, entry, join)| row(name, entry, join)).collect();
        println!("{:#}", json!(Listed { folder, models }));
        return Ok(0);
    }
    if rows.is_empty() {
        println!("no models in {folder}");
    }
    for (name, entry, join) in rows {
        println!("{name}: {}, {} at {}", entry.kind, entry.hub, entry.revision);
        let bytes: u64 = entry.files.values().map(|file| file.bytes).sum();
        if let Some(model) = entry.files.get(MODEL) {
            println!("  {}, sha256 {}", model.from, model.sha256);
        }
        let license = entry.license.as_deref().unwrap_or("none named");
        let join = if joined(entry.kind) { format!(", join: {}", join.as_str()) } else { String::new() };
        println!("  {:.1} MB, licence: {license}{join}", bytes as f64 / 1e6);
    }
    Ok(0)
}

/// Whether what such a model says is joined with what words say.
fn joined(kind: Kind) -> bool {
    matches!(kind, Kind::Entailment | Kind::Spans)
}

/// The models of a folder, as an object of the output.
#[derive(Serialize)]
struct Listed<'a> {
    folder: String,
    models: Vec<Row<'a>>,
}

#[derive(Serialize)]
struct Row<'a> {
    name: &'a str,
    #[serde(flatten)]
    entry: &'a Entry,
    /// `fitted`, `shipped`, `none`, `of another model` or `damaged`; null for a kind that is not joined.
    join: Option<&'static str>,
}

fn row<'a>(name: &'a str, entry: &'a Entry, join: Fitted) -> Row<'a> {
    Row { name, entry, join: joined(entry.kind).then(|| join.as_str()) }
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
