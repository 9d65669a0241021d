//! Promoted heads: a folder of head files and `history.jsonl`, to which promotions and rollbacks are appended.

use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Read as _, Write as _};
use std::path::{Path, PathBuf};

use assay_domain::{Code, Failure, QueryType};
use assay_heads::promotions::{self, Entry};
use assay_routing::Head;

const HISTORY: &str = "history.jsonl";

/// The promoted heads of a router's data folder.
#[derive(Debug, Clone)]
pub struct HeadStore(PathBuf);

impl HeadStore {
    /// The store of a router's data folder; nothing is made before the first promotion.
    #[must_use]
    pub fn of(data_dir: &Path) -> Self {
        Self(data_dir.join("heads"))
    }

    /// Every promotion and rollback, oldest first. A last line that a crash cut off is left out.
    ///
    /// # Errors
    /// `STORAGE_CORRUPT` for another line that cannot be read; `INTERNAL` if the file cannot.
    pub fn history(&self) -> Result<Vec<Entry>, Failure> {
        let path = self.0.join(HISTORY);
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(unusable(&path, &error)),
        };
        let whole = text.rfind('\n').map_or("", |end| &text[..end]);
        let read = |(index, line)| {
            serde_json::from_str(line).map_err(|error| {
                let text = format!("{} line {}: {error}", path.display(), index + 1);
                Failure::new(Code::StorageCorrupt, text)
            })
        };
        whole.lines().enumerate().map(read).collect()
    }

    /// File of the promoted head; none means the one that ships.
    ///
    /// # Errors
    /// As [`Self::history`].
    pub fn current(&self) -> Result<Option<PathBuf>, Failure> {
        Ok(promotions::current(&self.history()?).map(|file| self.0.join(file)))
    }

    /// Name of the file that a head gets in the store.
    #[must_use]
    pub fn file_of(head: &Head) -> String {
        format!("{}.json", head.checksum.get(..16).unwrap_or(&head.checksum))
    }

    /// Keeps a head and appends its promotion; a router uses it from its next start.
    ///
    /// # Errors
    /// `INTERNAL` if a file cannot be written; then nothing is promoted.
    pub fn promote(&self, head: &Head, entry: &Entry) -> Result<(), Failure> {
        std::fs::create_dir_all(&self.0).map_err(|error| unusable(&self.0, &error))?;
        let path = self.0.join(Self::file_of(head));
        let partial = path.with_extension("partial");
        let write = || {
            let mut file = File::create(&partial)?;
            file.write_all(head.to_json().as_bytes())?;
            file.sync_all()?;
            std::fs::rename(&partial, &path)
        };
        write().map_err(|error| unusable(&path, &error))?;
        self.append(entry)
    }

    /// Appends a rollback.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` if nothing is promoted; `INTERNAL` if the file cannot be written.
    pub fn roll_back(&self, at_unix_ms: u64) -> Result<(), Failure> {
        if promotions::current(&self.history()?).is_none() {
            return Err(Failure::new(
                Code::InvalidArgument,
                "no head is promoted: the one that ships is in use already",
            ));
        }
        self.append(&Entry::Rollback { at_unix_ms })
    }

    fn append(&self, entry: &Entry) -> Result<(), Failure> {
        let path = self.0.join(HISTORY);
        let line = serde_json::to_string(entry).map_err(|error| Failure::internal(error.to_string()))?;
        let write = || {
            let mut file = OpenOptions::new().create(true).read(true).append(true).open(&path)?;
            // Two promotions at once wait for each other.
            file.lock()?;
            let mut whole = String::new();
            file.read_to_string(&mut whole)?;
            // A line that a crash cut off is cut away, or the next one would be read as its end.
            file.set_len(whole.rfind('\n').map_or(0, |end| end + 1) as u64)?;
            file.write_all(format!("{line}\n").as_bytes())?;
            file.sync_all()
        };
        write().map_err(|error| unusable(&path, &error))
    }
}

/// Reads a head over the four query types.
///
/// # Errors
/// `CONFIGURATION` if there is no such file or it has other labels; `STORAGE_CORRUPT` if it is damaged.
pub fn read_head(path: &Path) -> Result<Head, Failure> {
    let wrong = |text: String| Failure::new(Code::Configuration, text).field("router.head");
    let json =
        std::fs::read_to_string(path).map_err(|error| wrong(format!("{}: {error}", path.display())))?;
    let head = Head::from_json(json.trim_end())?;
    if let Some(label) = head.labels.iter().find(|label| QueryType::from_name(label).is_none()) {
        return Err(wrong(format!("{}: its label {label:?} is no query type", path.display())));
    }
    Ok(head)
}

fn unusable(path: &Path, error: &std::io::Error) -> Failure {
    Failure::internal(format!("{}: {error}", path.display()))
}
