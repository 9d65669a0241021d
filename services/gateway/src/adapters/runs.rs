//! Runs of golden sets, as `assay eval run` leaves them: a folder each, with `report.json` and `report.html`.

use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use assay_domain::{Code, Failure};
use assay_rpc::task;
use assay_scoring::{Comparison, Measured, compare};
use async_trait::async_trait;
use serde_json::Value;

use crate::ports::{Run, Runs};

const REPORT: &str = "report.json";
const PAGE: &str = "report.html";
/// Most bytes of a report that are read.
const MOST_BYTES: u64 = 16 * 1024 * 1024;
/// Most runs that are listed, the newest first.
const MOST_RUNS: usize = 200;

/// Reads the runs of a folder, for one tenant.
#[derive(Debug, Clone)]
pub(crate) struct Folder {
    pub(crate) path: PathBuf,
    pub(crate) tenant: String,
}

fn unreadable(path: &Path, error: &std::io::Error) -> Failure {
    Failure::internal(format!("{} cannot be read: {error}", path.display()))
}

/// When a file that is not too long was written, in milliseconds since the Unix epoch; none if there is no such file.
fn written(path: &Path) -> Option<u64> {
    let found = std::fs::metadata(path).ok()?;
    let modified = found.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    let unix_ms = modified.map_or(0, |time| u64::try_from(time.as_millis()).unwrap_or(0));
    (found.is_file() && found.len() <= MOST_BYTES).then_some(unix_ms)
}

/// The text of such a file.
fn text(path: &Path) -> Result<Option<String>, Failure> {
    let read = || std::fs::read_to_string(path).map_err(|error| unreadable(path, &error));
    written(path).map(|_| read()).transpose()
}

/// What a folder of a run holds; none where its report is missing, cannot be read or has no figures.
fn run(folder: &Path, ended_unix_ms: u64) -> Option<Run> {
    let text = text(&folder.join(REPORT)).ok()??;
    let report: Value = serde_json::from_str(&text).ok()?;
    Some(Run {
        name: folder.file_name()?.to_str()?.to_owned(),
        path: folder.display().to_string(),
        ended_unix_ms,
        standing: report.get("standing").and_then(Value::as_str).unwrap_or_default().to_owned(),
        answers: report.get("answers").and_then(Value::as_u64).unwrap_or_default(),
        figures: report.get("figures").filter(|figures| figures.is_object())?.clone(),
        has_page: folder.join(PAGE).is_file(),
    })
}

/// The run that a parameter names; it has no folder where name or tenant is wrong.
fn measured(parameter: &str, name: &str, folder: Option<&Path>) -> Result<Measured, Failure> {
    let text = match folder {
        Some(folder) => text(&folder.join(REPORT))?,
        None => None,
    };
    let Some(text) = text else {
        let text = format!("there is no run {name:?} with a report; GET /v1/evaluations lists the runs");
        return Err(Failure::new(Code::NotFound, text).field(parameter));
    };
    Measured::read(&text).map_err(|error| {
        let text = format!("the report of {name:?} cannot be compared: {error}");
        Failure::new(Code::InvalidArgument, text).field(parameter)
    })
}

fn runs(folder: &Path) -> Result<Vec<Run>, Failure> {
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(unreadable(folder, &error)),
    };
    let ended = |folder: PathBuf| Some((written(&folder.join(REPORT))?, folder));
    let mut found: Vec<_> = entries.filter_map(|entry| ended(entry.ok()?.path())).collect();
    found.sort_unstable_by(|one, other| other.cmp(one));
    // Cut before anything is read: a report may have megabytes.
    found.truncate(MOST_RUNS);
    Ok(found.iter().filter_map(|(ended, folder)| run(folder, *ended)).collect())
}

impl Folder {
    /// Where a run of this tenant would be; its name is one part of a path.
    fn of(&self, tenant: &str, name: &str) -> Option<PathBuf> {
        let plain = !name.is_empty() && !name.starts_with('.') && !name.contains(['/', '\\', '\0']);
        (tenant == self.tenant && plain).then(|| self.path.join(name))
    }
}

#[async_trait]
impl Runs for Folder {
    fn folder(&self, tenant: &str) -> String {
        if tenant == self.tenant { self.path.display().to_string() } else { String::new() }
    }

    async fn list(&self, tenant: &str) -> Result<Vec<Run>, Failure> {
        if tenant != self.tenant {
            return Ok(Vec::new());
        }
        let folder = self.path.clone();
        task::blocking(move || runs(&folder)).await.map_err(Failure::from)?
    }

    async fn page(&self, tenant: &str, name: &str) -> Result<String, Failure> {
        let gone = || {
            let text = format!(
                "there is no report page of {name:?}; `assay eval report RUN --format html` makes one"
            );
            Failure::new(Code::NotFound, text).field("name")
        };
        let path = self.of(tenant, name).ok_or_else(gone)?.join(PAGE);
        let read = task::blocking(move || text(&path)).await.map_err(Failure::from)??;
        read.ok_or_else(gone)
    }

    async fn compare(&self, tenant: &str, first: &str, second: &str) -> Result<Comparison, Failure> {
        let wanted = [("first", first), ("second", second)]
            .map(|(parameter, name)| (parameter, name.to_owned(), self.of(tenant, name)));
        let compared = task::blocking(move || {
            let [first, second] =
                wanted.map(|(parameter, name, folder)| measured(parameter, &name, folder.as_deref()));
            Ok::<_, Failure>(compare(&first?, &second?))
        });
        compared.await.map_err(Failure::from)?
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[tokio::test]
    async fn whole_runs_are_listed_and_no_name_leaves_the_folder() {
        let dir = tempfile::tempdir().unwrap();
        let runs = Folder { path: dir.path().join("runs"), tenant: "north".into() };
        assert!(runs.list("north").await.unwrap().is_empty());
        for (name, report) in [
            ("whole", r#"{"answers": 3, "figures": {}}"#),
            ("bare", r#"{"answers": 3}"#),
            ("broken", "{"),
            ("empty", ""),
        ] {
            std::fs::create_dir_all(dir.path().join("runs").join(name)).unwrap();
            if !report.is_empty() {
                std::fs::write(dir.path().join("runs").join(name).join(REPORT), report).unwrap();
            }
        }
        std::fs::write(dir.path().join("runs/whole").join(PAGE), "<p>").unwrap();
        std::fs::write(dir.path().join(PAGE), "secret").unwrap();
        let found = runs.list("north").await.unwrap();
        assert_eq!((found.len(), found[0].name.as_str(), found[0].answers), (1, "whole", 3));
        assert_eq!(runs.page("north", "whole").await.unwrap(), "<p>");
        for name in ["", "..", "broken", "whole/../..", "../runs/whole"] {
            assert_eq!(runs.page("north", name).await.unwrap_err().code, Code::NotFound, "{name}");
        }
    }

    #[tokio::test]
    async fn the_latest_runs_are_listed_and_the_rest_is_not() {
        let dir = tempfile::tempdir().unwrap();
        let last = u64::try_from(MOST_RUNS).unwrap();
        for number in 0..=last {
            let folder = dir.path().join(number.to_string());
            std::fs::create_dir(&folder).unwrap();
            std::fs::write(folder.join(REPORT), r#"{"figures": {}}"#).unwrap();
            let file = std::fs::File::options().append(true).open(folder.join(REPORT)).unwrap();
            file.set_modified(UNIX_EPOCH + std::time::Duration::from_secs(number)).unwrap();
        }
        let runs = Folder { path: dir.path().to_owned(), tenant: "north".into() };
        let found = runs.list("north").await.unwrap();
        let names: Vec<u64> = found.iter().map(|run| run.name.parse().unwrap()).collect();
        assert_eq!(names, (1..=last).rev().collect::<Vec<_>>());
    }
}
