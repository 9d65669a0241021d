//! `assay fmt`: AVAP programs in their canonical layout.

mod args;

pub use args::Fmt;

use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use assay_avap::{self as avap, Formatted};
use assay_domain::{Code, Diagnostic, Failure, Severity};
use serde_json::json;

use crate::batch;
use crate::cli::Global;
use crate::exit;
use crate::report;
use crate::settings::Settings;

/// What became of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Kept,
    Changed,
    Invalid,
}

impl State {
    fn name(self) -> &'static str {
        match self {
            Self::Kept => "kept",
            Self::Changed => "changed",
            Self::Invalid => "invalid",
        }
    }
}

/// Runs the command: 1 if a program does not parse, or with `--check` if one would change.
///
/// # Errors
/// An unknown profile, a folder that cannot be read.
pub fn run(global: &Global, args: &Fmt, settings: &Settings) -> Result<u8, Failure> {
    let options = super::avap_options(&args.reading, settings)?;
    if args.stdin || args.files.is_empty() || args.files == [Path::new("-")] {
        return stdin(args, &options);
    }
    let mut files = Vec::new();
    for path in &args.files {
        collect(path, &mut files)?;
    }
    let mut code = 0;
    for path in files {
        let text = match batch::read(&path) {
            Ok(text) => text,
            Err(failure) => {
                code = missed(global, &path, &failure);
                continue;
            }
        };
        let mut laid_out = None;
        let state = match avap::format(&text, &options) {
            Formatted::Invalid(_) => {
                report::print_error(&path, &text, &errors(&text, &options));
                State::Invalid
            }
            Formatted::Text(fresh) if fresh == text => State::Kept,
            Formatted::Text(fresh) => {
                if !args.check
                    && let Err(error) = replace(&path, &fresh)
                {
                    code = missed(global, &path, &unwritable(&path, &error));
                    continue;
                }
                laid_out = Some(fresh);
                State::Changed
            }
        };
        if state == State::Invalid || args.check && state == State::Changed {
            code = exit::note(exit::INVALID);
        }
        if global.json {
            println!("{}", json!({"path": path.display().to_string(), "state": state.name()}));
        } else if state != State::Kept {
            let verb = match (state, args.check) {
                (State::Invalid, _) => "does not parse, left alone",
                (_, true) => "would change",
                (_, false) => "laid out",
            };
            println!("{}: {verb}", path.display());
        }
        if args.diff
            && !global.json
            && let Some(fresh) = &laid_out
        {
            print!("{}", changes(&text, fresh));
        }
    }
    Ok(code)
}

/// Tells of a file that could not be read or written; the others are laid out all the same.
fn missed(global: &Global, path: &Path, failure: &Failure) -> u8 {
    exit::tell(failure);
    if global.json {
        println!("{}", json!({"path": path.display().to_string(), "error": exit::told(failure)}));
    }
    exit::note(exit::INVALID)
}

/// Why a program does not parse; what is only unwise is no matter of layout.
fn errors(text: &str, options: &avap::Options) -> Vec<Diagnostic> {
    let mut found = report::avap(text, options);
    found.retain(|d| d.severity == Severity::Error);
    found
}

/// What stands in one text and not in the other, line by line, with the line numbers of the old text.
fn changes(old: &str, new: &str) -> String {
    let (before, after): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    let mut out = String::new();
    let (mut at, mut to) = (0, 0);
    while at < before.len() || to < after.len() {
        if before.get(at) == after.get(to) {
            at += 1;
            to += 1;
            continue;
        }
        // The nearest place where both texts agree again; a layout moves no line far.
        let (old_run, new_run) = (0..64_usize)
            .flat_map(|sum| (0..=sum).map(move |run| (run, sum - run)))
            .find(|(run, other)| {
                let same = before.get(at + run) == after.get(to + other);
                same && (before.get(at + run).is_some()
                    || at + run >= before.len() && to + other >= after.len())
            })
            .unwrap_or((before.len() - at, after.len() - to));
        out.push_str(&format!("@@ line {} @@\n", at + 1));
        before[at..(at + old_run).min(before.len())]
            .iter()
            .for_each(|line| out.push_str(&format!("-{line}\n")));
        after[to..(to + new_run).min(after.len())]
            .iter()
            .for_each(|line| out.push_str(&format!("+{line}\n")));
        at += old_run;
        to += new_run;
    }
    if out.is_empty() && old != new {
        out.push_str("@@ line ends @@\n");
    }
    out
}

/// Standard input to standard output; nothing is printed where the program does not parse, or with `--check`.
fn stdin(args: &Fmt, options: &avap::Options) -> Result<u8, Failure> {
    let path = Path::new("-");
    let text = batch::read(path)?;
    match avap::format(&text, options) {
        Formatted::Invalid(_) => {
            report::print_error(path, &text, &errors(&text, options));
            Ok(exit::INVALID)
        }
        Formatted::Text(fresh) if args.check => {
            if args.diff {
                print!("{}", changes(&text, &fresh));
            }
            Ok(if fresh == text { 0 } else { exit::INVALID })
        }
        Formatted::Text(fresh) => {
            print!("{fresh}");
            Ok(0)
        }
    }
}

/// Puts a text in the place of a file at once: written beside it first, so that a full disk leaves the old one whole.
/// A link stays a link, and the permissions stay.
fn replace(path: &Path, text: &str) -> std::io::Result<()> {
    let path = std::fs::canonicalize(path)?;
    let permissions = std::fs::metadata(&path)?.permissions();
    if permissions.readonly() {
        return Err(std::io::ErrorKind::PermissionDenied.into());
    }
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.tmp", std::process::id()));
    let beside = path.with_file_name(name);
    // Nobody else reads it before it has its permissions, and nothing that stands there is written through.
    let mut file = std::fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(&beside)?;
    let done = std::io::Write::write_all(&mut file, text.as_bytes())
        .and_then(|()| file.set_permissions(permissions))
        .and_then(|()| std::fs::rename(&beside, &path));
    if done.is_err() {
        let _ = std::fs::remove_file(&beside);
    }
    done
}

/// A file as it is named; of a folder, every `.avap` file below it, links left out. A folder without any is
/// told, for it is mostly the wrong one.
pub(super) fn collect(path: &Path, files: &mut Vec<PathBuf>) -> Result<(), Failure> {
    if !path.is_dir() {
        files.push(path.to_owned());
        return Ok(());
    }
    let before = files.len();
    let mut folders = vec![path.to_owned()];
    while let Some(folder) = folders.pop() {
        let entries = std::fs::read_dir(&folder).map_err(|error| batch::unreadable(&folder, &error))?;
        for entry in entries {
            let entry = entry.map_err(|error| batch::unreadable(&folder, &error))?;
            let path = entry.path();
            let Ok(kind) = entry.file_type() else { continue };
            if kind.is_dir() {
                folders.push(path);
            } else if kind.is_file() && path.extension().is_some_and(|extension| extension == "avap") {
                files.push(path);
            }
        }
    }
    files[before..].sort();
    if files.len() == before {
        eprintln!("assay: there is no .avap file below {}", path.display());
    }
    Ok(())
}

fn unwritable(path: &Path, error: &std::io::Error) -> Failure {
    Failure::new(Code::InvalidArgument, format!("cannot write {}: {error}", path.display()))
}
