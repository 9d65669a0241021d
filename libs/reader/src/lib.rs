//! The reader as a port: in this process, from a folder, behind a model server, or none.
//!
//! Whoever judges holds a [`Reader`] and does not know which kind it is. A request reads through a [`Once`], which asks
//! about every pair once and keeps to the reader's budget.
//!
//! Invariants
//! - A pair without a reading has a reason ([`Missing`]): not read is never a pass.
//! - Weights are loaded when the first pair comes, so that a command that reads nothing does not pay.
//! - A reading is the same beside any other pair.

mod in_process;
mod none;
mod once;
mod options;
mod port;
mod served;
mod template;

use std::path::Path;
use std::sync::Arc;

use assay_domain::{Code, Failure};
use assay_models::{Files, Weights, reader, store};

pub use assay_domain::reader::{ReaderIdentity, Reading, Window};
pub use assay_models::Embedded;
pub use none::Nobody;
pub use once::Once;
pub use options::{InBox, Kind, Options, Protocol, Served};
pub use port::{Missing, Question, Reader, Statement};

/// The folder beside a binary that holds the reader of the box where the binary itself does not.
const BESIDE: &str = "reader";

/// The reader of the settings. Nothing is loaded yet and no server is asked.
///
/// # Errors
/// `CONFIGURATION`, naming the setting and what to do.
pub fn open(options: &Options) -> Result<Arc<dyn Reader>, Failure> {
    options.check()?;
    Ok(match options.kind {
        Kind::None => Arc::new(Nobody),
        Kind::InBox => Arc::new(in_process::InProcess::new(in_box(options.in_box)?, shipped(), options)),
        Kind::Folder => {
            let (weights, identity) = folder(&options.folder)?;
            Arc::new(in_process::InProcess::new(weights, identity, options))
        }
        Kind::Served => Arc::new(served::Remote::new(&options.served)?),
    })
}

/// Which reader the settings name, without opening it.
///
/// # Errors
/// `CONFIGURATION` if the folder cannot be read, or the settings cannot work.
pub fn identity(options: &Options) -> Result<ReaderIdentity, Failure> {
    options.check()?;
    match options.kind {
        Kind::InBox => Ok(shipped()),
        Kind::Folder => Ok(folder(&options.folder)?.1),
        Kind::Served => Ok(served::identity(&options.served)),
        Kind::None => Ok(Nobody.identity().clone()),
    }
}

/// Says which reader this process reads with, in its metrics and its log.
pub fn announce(identity: &ReaderIdentity) {
    let ReaderIdentity { kind, name, version, sha256 } = identity.clone();
    tracing::info!(target: "assay", kind, name, version, sha256, "the reader of statements");
    metrics::gauge!(
        assay_telemetry::names::metrics::READER_INFO,
        "kind" => kind, "name" => name, "version" => version, "sha256" => sha256
    )
    .set(1.0);
}

/// The reader that ships.
#[must_use]
pub fn shipped() -> ReaderIdentity {
    ReaderIdentity {
        kind: Kind::InBox.as_str().to_owned(),
        name: reader::NAME.to_owned(),
        version: reader::VERSION.to_owned(),
        sha256: reader::SHA256.to_owned(),
    }
}

fn wrong(field: &str, text: impl std::fmt::Display) -> Failure {
    Failure::new(Code::Configuration, text.to_string()).field(field)
}

/// The weights of the box: in the program, or in a folder beside it.
fn in_box(in_box: InBox) -> Result<Weights, Failure> {
    if let Some(own) = in_box.0 {
        return Ok(Weights::Embedded(own));
    }
    let text = "this program holds no reader, and there is none in a folder `reader` beside it; \
                set reader.kind = \"folder\", \"served\" or \"none\"";
    let program = std::env::current_exe().ok();
    let folder = program.as_deref().and_then(Path::parent).map(|folder| folder.join(BESIDE));
    let files = folder.and_then(|folder| Files::in_folder(&folder).ok());
    let files = files.ok_or_else(|| wrong("reader.kind", text))?;
    let digest = digest(&files.model)?;
    if digest != reader::SHA256 {
        let text = format!(
            "{} is another reader than the one of this version; set reader.kind = \"folder\" to read with it",
            files.model.display()
        );
        return Err(wrong("reader.kind", text));
    }
    Ok(Weights::Files(Files { config: None, ..files }))
}

/// The weights of a folder, and which they are.
fn folder(folder: &Path) -> Result<(Weights, ReaderIdentity), Failure> {
    let files = Files::in_folder(folder).map_err(|error| wrong("reader.folder", error))?;
    let sha256 = digest(&files.model)?;
    let identity = match sha256 == reader::SHA256 {
        true => ReaderIdentity { kind: Kind::Folder.as_str().to_owned(), ..shipped() },
        false => ReaderIdentity {
            kind: Kind::Folder.as_str().to_owned(),
            name: folder.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default(),
            version: String::new(),
            sha256,
        },
    };
    Ok((Weights::Files(files), identity))
}

fn digest(path: &Path) -> Result<String, Failure> {
    let found = store::digest(path)
        .map_err(|error| wrong("reader.folder", format!("{}: {error}", path.display())))?;
    Ok(found.sha256)
}
