//! Runs of golden sets, as `assay eval run` leaves them: a folder each, with `report.json` and `report.html`.

use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use assay_domain::{Code, Failure};
use assay_rpc::task;
use async_trait::async_trait;
use serde_json::Value;

use crate::ports::{Run, Runs};

const REPORT: &str = "report.json";
const PAGE: &str = "report.html";
/// Most bytes of a report that are read.
const MOST_BYTES: u64 = 16 * 1024 * 1024;
/// Most runs that are listed, the newest first.
const MOST_RUNS: usize = 200;

/// Reads the runs of a folder.
#[derive(Debug, Clone)]
pub(crate) struct Folder(pub(crate) PathBuf);

fn unreadable(path: &Path, error: &std::io::Error) -> Failure {
    Failure::internal(format!("{} cannot be read: {error}", path.display()))
}

/// The text of a file that is not too long; none if there is no such file.
fn text(path: &Path) -> Result<Option<(String, u64)>, Failure> {
    let found = match std::fs::metadata(path) {
        Ok(found) if found.is_file() && found.len() <= MOST_BYTES => found,
        _ => return Ok(None),
    };
    let modified = found.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    let text = std::fs::read_to_string(path).map_err(|error| unreadable(path, &error))?;
    Ok(Some((text, modified.map_or(0, |time| u64::try_from(time.as_millis()).unwrap_or(0)))))
}

/// What a folder of a run holds; none where its report is missing or cannot be read.
fn run(folder: &Path) -> Option<Run> {
    let (text, ended_unix_ms) = text(&folder.join(REPORT)).ok()??;
    let report: Value = serde_json::from_str(&text).ok()?;
    Some(Run {
        name: folder.file_name()?.to_str()?.to_owned(),
        path: folder.display().to_string(),
        ended_unix_ms,
        standing: report.get("standing").and_then(Value::as_str).unwrap_or_default().to_owned(),
        answers: report.get("answers").and_then(Value::as_u64).unwrap_or_default(),
        figures: report.get("figures").cloned().unwrap_or_default(),
        has_page: folder.join(PAGE).is_file(),
    })
}

fn runs(folder: &Path) -> Result<Vec<Run>, Failure> {
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(unreadable(folder, &error)),
    };
    let mut found: Vec<Run> = entries.filter_map(|entry| run(&entry.ok()?.path())).collect();
    found.sort_by(|one, other| (other.ended_unix_ms, &other.name).cmp(&(one.ended_unix_ms, &one.name)));
    found.truncate(MOST_RUNS);
    Ok(found)
}

#[async_trait]
impl Runs for Folder {
    fn folder(&self) -> String {
        self.0.display().to_string()
    }

    async fn list(&self) -> Result<Vec<Run>, Failure> {
        let folder = self.0.clone();
        task::blocking(move || runs(&folder)).await.map_err(Failure::from)?
    }

    async fn page(&self, name: &str) -> Result<String, Failure> {
        let gone = || {
            let text = format!(
                "there is no report page of {name:?}; `assay eval report RUN --format html` makes one"
            );
            Failure::new(Code::NotFound, text).field("name")
        };
        // A name is one part of a path.
        if name.is_empty() || name.starts_with('.') || name.contains(['/', '\\', '\0']) {
            return Err(gone());
        }
        let path = self.0.join(name).join(PAGE);
        let read = task::blocking(move || text(&path)).await.map_err(Failure::from)??;
        read.map(|(page, _)| page).ok_or_else(gone)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[tokio::test]
    async fn whole_runs_are_listed_and_no_name_leaves_the_folder() {
        let dir = tempfile::tempdir().unwrap();
        let runs = Folder(dir.path().join("runs"));
        assert!(runs.list().await.unwrap().is_empty());
        for (name, report) in [("whole", r#"{"answers": 3, "figures": {}}"#), ("broken", "{"), ("empty", "")]
        {
            std::fs::create_dir_all(dir.path().join("runs").join(name)).unwrap();
            if !report.is_empty() {
                std::fs::write(dir.path().join("runs").join(name).join(REPORT), report).unwrap();
            }
        }
        std::fs::write(dir.path().join("runs/whole").join(PAGE), "<p>").unwrap();
        std::fs::write(dir.path().join(PAGE), "secret").unwrap();
        let found = runs.list().await.unwrap();
        assert_eq!((found.len(), found[0].name.as_str(), found[0].answers), (1, "whole", 3));
        assert_eq!(runs.page("whole").await.unwrap(), "<p>");
        for name in ["", "..", "broken", "whole/../..", "../runs/whole"] {
            assert_eq!(runs.page(name).await.unwrap_err().code, Code::NotFound, "{name}");
        }
    }
}
