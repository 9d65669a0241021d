//! `assay lint`: documentation in, its mistakes out. Needs no service.

mod args;

pub use args::Lint;

use std::path::PathBuf;

use assay_domain::{Code, Failure};
use assay_languages::stack_bytes;
use assay_lint::{File, Finding, Place, Rule};
use assay_retrieval::ingest::walk::{Walk, walk};
use serde::Serialize;
use serde_json::json;

use crate::exit;
use crate::flags::Global;
use crate::output::shown;
use crate::report::{self, Form, Level, Located};

/// What was found, as an object of the output.
#[derive(Serialize)]
struct Row<'a> {
    /// Number of files that were read.
    files: usize,
    findings: Vec<Shown<'a>>,
}

/// A finding, as an object of the output.
#[derive(Serialize)]
struct Shown<'a> {
    rule: &'static str,
    #[serde(flatten)]
    place: Lines<'a>,
    message: &'a str,
    related: Vec<Lines<'a>>,
}

/// Lines of a file, as fields of the output.
#[derive(Serialize)]
struct Lines<'a> {
    path: &'a str,
    first_line: u32,
    last_line: u32,
}

impl<'a> Lines<'a> {
    fn of(place: &'a Place) -> Self {
        Self { path: &place.path, first_line: place.lines.first, last_line: place.lines.last }
    }
}

/// Runs the command.
///
/// # Errors
/// A path that cannot be read, or an archive.
pub async fn run(global: &Global, args: &Lint) -> Result<u8, Failure> {
    let rules = if args.rules.is_empty() { Rule::ALL.to_vec() } else { args.rules.clone() };
    let (count, found, left_out) = lint(&args.paths, args.commit.as_deref(), &rules).await?;
    for said in left_out {
        crate::say!("left out {said}");
    }
    let code = exit::note(if found.is_empty() { 0 } else { exit::INVALID });
    match args.format.unwrap_or(if global.json { Form::Json } else { Form::Text }) {
        Form::Sarif => println!("{:#}", json!(report::corpus(&found, &rules))),
        Form::Github => print!("{}", report::github(&found.iter().map(located).collect::<Vec<_>>())),
        Form::Junit => {
            let found: Vec<Located> = found.iter().map(located).collect();
            let of =
                |rule: &Rule| (rule.as_str(), found.iter().filter(|one| one.rule == rule.as_str()).collect());
            println!("{}", report::junit("assay lint", rules.iter().map(of))?);
        }
        Form::Json => {
            let findings = found.iter().map(|finding| Shown {
                rule: finding.rule.as_str(),
                place: Lines::of(&finding.place),
                message: &finding.message,
                related: finding.related.iter().map(Lines::of).collect(),
            });
            println!("{:#}", json!(Row { files: count, findings: findings.collect() }));
        }
        Form::Text => {
            for Finding { rule, place, message, .. } in &found {
                let (path, line) = (shown(&place.path), place.lines.first);
                println!("{path}:{line}: {}: {}", rule.as_str(), shown(message));
            }
            let counts = counted(&found, &rules).map(|(rule, count)| format!("{count} {rule}"));
            let counts: Vec<String> = counts.collect();
            println!("{} findings in {count} files: {}", found.len(), counts.join(", "));
        }
    }
    Ok(code)
}

/// A finding with its place.
fn located(finding: &Finding) -> Located {
    Located {
        rule: finding.rule.as_str().to_owned(),
        level: Level::Warning,
        message: finding.message.clone(),
        path: finding.place.path.clone(),
        first_line: finding.place.lines.first,
        last_line: finding.place.lines.last,
    }
}

/// Reads the files below some paths and checks them; gives how many there were, the findings, and what was left out with
/// the reason.
///
/// # Errors
/// A path that cannot be read, or an archive.
pub async fn lint(
    paths: &[PathBuf],
    commit: Option<&str>,
    rules: &[Rule],
) -> Result<(usize, Vec<Finding>, Vec<String>), Failure> {
    let (paths, commit, rules) = (paths.to_vec(), commit.map(str::to_owned), rules.to_vec());
    let read = assay_rpc::task::blocking(move || read(&paths, commit.as_deref()));
    let (walks, files, left_out) = read.await.map_err(Failure::from)??;
    let (count, longest) = (files.len(), files.iter().map(|file| file.text.len()).max().unwrap_or(0));
    let found = assay_rpc::task::deep(stack_bytes(longest), move || {
        let exists = |path: &str| Some(walks.iter().any(|walk| walk.exists(path) == Some(true)));
        assay_lint::lint(&files, &rules, &exists)
    });
    Ok((count, found.await.map_err(Failure::from)?, left_out))
}

/// The number of findings of each rule.
pub fn counted<'a>(
    found: &'a [Finding],
    rules: &'a [Rule],
) -> impl Iterator<Item = (&'static str, usize)> + 'a {
    rules.iter().map(|rule| (rule.as_str(), found.iter().filter(|finding| finding.rule == *rule).count()))
}

type Read = (Vec<Walk>, Vec<File>, Vec<String>);

/// Reads the files below some paths, in order of their names.
fn read(paths: &[PathBuf], commit: Option<&str>) -> Result<Read, Failure> {
    let walks = paths.iter().map(|path| walk(path, commit)).collect::<Result<Vec<Walk>, Failure>>()?;
    let (mut files, mut left_out) = (Vec::new(), Vec::new());
    for walk in &walks {
        if walk.exists("").is_none() {
            let text = format!("{}: an archive is not linted; unpack it", walk.root().display());
            return Err(Failure::new(Code::InvalidArgument, text).field("path"));
        }
        walk.each(&mut |found| {
            let text = found.map(|file| (String::from_utf8(file.content), file.path));
            match text {
                Ok((Ok(text), path)) => files.push(File { path, text }),
                Ok((Err(_), path)) => left_out.push(format!("{}: it is no UTF-8 text", shown(&path))),
                Err(skipped) => left_out.push(format!("{}: {}", shown(&skipped.path), skipped.reason)),
            }
            true
        })?;
    }
    // A file that two paths name is no duplicate of itself.
    files.sort_by(|one, other| one.path.cmp(&other.path));
    files.dedup_by(|one, other| one.path == other.path);
    Ok((walks, files, left_out))
}
