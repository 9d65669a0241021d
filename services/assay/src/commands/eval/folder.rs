//! The folder of a run: `manifest.json`, `answers.jsonl` with a line an answer, `report.json`,
//! `report.html`.

use std::collections::HashSet;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use assay_domain::{Code, Failure};
use assay_scoring::{Manifest, Recorded, Report, report};

use super::render;
use crate::batch;

const MANIFEST: &str = "manifest.json";
const ANSWERS: &str = "answers.jsonl";
const REPORT: &str = "report.json";
const PAGE: &str = "report.html";

/// What a run kept.
#[derive(Debug)]
pub(super) struct Kept {
    pub(super) manifest: Manifest,
    /// By repetition, in the order in which they were asked.
    pub(super) recorded: Vec<Recorded>,
}

impl Kept {
    /// Reads a folder. A last line that a kill cut off is left out.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` for a folder without a run or with a line that cannot be read.
    pub(super) fn read(folder: &Path) -> Result<Self, Failure> {
        let wrong = |text: String| Failure::new(Code::InvalidArgument, text).field("run");
        let path = folder.join(MANIFEST);
        let text = std::fs::read_to_string(&path).map_err(|error| {
            wrong(format!("{}: {error}; `assay eval run --out DIR` makes such a folder", path.display()))
        })?;
        let manifest: Manifest =
            serde_json::from_str(&text).map_err(|error| wrong(format!("{}: {error}", path.display())))?;
        if manifest.format != Manifest::FORMAT {
            let (found, known) = (manifest.format, Manifest::FORMAT);
            return Err(wrong(format!("{} has format {found}; this version reads {known}", path.display())));
        }
        let path = folder.join(ANSWERS);
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => String::new(),
            Err(error) => return Err(batch::unreadable(&path, &error)),
        };
        let whole = &text[..text.rfind('\n').map_or(0, |end| end + 1)];
        let line = |(number, line): (usize, &str)| {
            serde_json::from_str(line)
                .map_err(|error| wrong(format!("{} line {}: {error}", path.display(), number + 1)))
        };
        let mut recorded: Vec<Recorded> = whole.lines().enumerate().map(line).collect::<Result<_, _>>()?;
        // A resumed run appends; the sort is stable, and the order inside a repetition is that of the golden file.
        recorded.sort_by_key(|one| one.repetition);
        Ok(Self { manifest, recorded })
    }

    pub(super) fn report(&self) -> Report {
        report(&self.manifest, &self.recorded)
    }
}

/// A run that is being written.
pub(super) struct Writer {
    pub(super) folder: PathBuf,
    /// What an earlier run of the folder has already.
    pub(super) earlier: Option<Kept>,
    answers: File,
    /// Whether the folder was not there before.
    is_new: bool,
}

/// A run that never began leaves no folder behind.
impl Drop for Writer {
    fn drop(&mut self) {
        if self.is_new && !self.folder.join(MANIFEST).exists() {
            let _ = std::fs::remove_file(self.folder.join(ANSWERS));
            let _ = std::fs::remove_dir(&self.folder);
        }
    }
}

impl Writer {
    /// Opens a folder, new or with the beginning of a run.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` if another process writes to it; what the folder says.
    pub(super) fn open(folder: &Path) -> Result<Self, Failure> {
        let is_new = !folder.exists();
        std::fs::create_dir_all(folder).map_err(|error| batch::unwritable(folder, &error))?;
        let path = folder.join(ANSWERS);
        let file = OpenOptions::new().create(true).append(true).read(true).open(&path);
        let answers = file.map_err(|error| batch::unwritable(&path, &error))?;
        match answers.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let text = format!("another run writes to {}", folder.display());
                return Err(Failure::new(Code::InvalidArgument, text).field("out"));
            }
            Err(TryLockError::Error(error)) => return Err(batch::unreadable(&path, &error)),
        }
        let earlier = if folder.join(MANIFEST).exists() { Some(Kept::read(folder)?) } else { None };
        // A line that a kill cut off is cut away, or the next one would be read as its end.
        let text = std::fs::read(&path).map_err(|error| batch::unreadable(&path, &error))?;
        let whole = text.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        answers.set_len(whole as u64).map_err(|error| batch::unwritable(&path, &error))?;
        Ok(Self { folder: folder.to_owned(), earlier, answers, is_new })
    }

    /// Questions and repetitions that are there.
    pub(super) fn done(&self) -> HashSet<(&str, u32)> {
        let recorded = self.earlier.iter().flat_map(|kept| &kept.recorded);
        recorded.map(|one| (one.id.as_str(), one.repetition)).collect()
    }

    /// Keeps the manifest, or holds it against that of the beginning.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` if the beginning was made with something else, naming it.
    pub(super) fn begin(&self, manifest: &Manifest) -> Result<(), Failure> {
        let Some(earlier) = &self.earlier else { return self.write(MANIFEST, manifest) };
        if earlier.manifest == *manifest {
            return Ok(());
        }
        let fields = |manifest: &Manifest| serde_json::to_value(manifest).unwrap_or_default();
        let (old, new) = (fields(&earlier.manifest), fields(manifest));
        let differs: Vec<String> = old
            .as_object()
            .into_iter()
            .flatten()
            .filter(|(name, value)| new.get(*name) != Some(*value))
            .map(|(name, value)| format!("{name} was {value}, is {}", new.get(name).unwrap_or_default()))
            .collect();
        let text = format!(
            "{} holds the beginning of another run: {}; choose another --out",
            self.folder.display(),
            differs.join("; ")
        );
        Err(Failure::new(Code::InvalidArgument, text).field("out"))
    }

    /// Appends the line of an answer.
    ///
    /// # Errors
    /// `INTERNAL` if it cannot be written.
    pub(super) fn append(&mut self, recorded_json: &str) -> Result<(), Failure> {
        self.answers
            .write_all(format!("{recorded_json}\n").as_bytes())
            .map_err(|error| batch::unwritable(&self.folder.join(ANSWERS), &error))
    }

    /// Computes the report from the whole folder and keeps it.
    ///
    /// # Errors
    /// As [`Kept::read`] and [`Self::append`].
    pub(super) fn finish(self) -> Result<Report, Failure> {
        self.answers.sync_all().map_err(|error| batch::unwritable(&self.folder.join(ANSWERS), &error))?;
        let kept = Kept::read(&self.folder)?;
        let report = kept.report();
        self.write(REPORT, &report)?;
        self.write_text(PAGE, render::html(&report, &kept.recorded)?)?;
        Ok(report)
    }

    fn write(&self, name: &str, value: &impl serde::Serialize) -> Result<(), Failure> {
        self.write_text(name, pretty(value)?)
    }

    fn write_text(&self, name: &str, text: String) -> Result<(), Failure> {
        let path = self.folder.join(name);
        let partial = path.with_extension("partial");
        std::fs::write(&partial, text)
            .and_then(|()| std::fs::rename(&partial, &path))
            .map_err(|error| batch::unwritable(&path, &error))
    }
}

/// The report that a run wrote, as bytes; none if it did not end.
///
/// # Errors
/// What the file says.
pub(super) fn written_report(folder: &Path) -> Result<Option<Vec<u8>>, Failure> {
    let path = folder.join(REPORT);
    match std::fs::read(&path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(batch::unreadable(&path, &error)),
    }
}

/// JSON with line breaks and one at the end.
///
/// # Errors
/// `INTERNAL` for a value without JSON.
pub(super) fn pretty(value: &impl serde::Serialize) -> Result<String, Failure> {
    let text = serde_json::to_string_pretty(value).map_err(|error| Failure::internal(error.to_string()))?;
    Ok(text + "\n")
}

/// The first of `runs/NAME-1`, `runs/NAME-2`, … that is not there.
pub(super) fn unused(golden: &Path) -> PathBuf {
    let stem = golden.file_stem().map_or("golden".into(), |stem| stem.to_string_lossy().into_owned());
    let folder = |number: u32| Path::new("runs").join(format!("{stem}-{number}"));
    let number = (1..).find(|number| !folder(*number).exists()).unwrap_or(1);
    folder(number)
}
