//! `assay fmt`: AVAP programs in their canonical layout.

mod args;
mod diff;
mod replace;

pub use args::Fmt;

use std::path::{Path, PathBuf};

use assay_api as api;
use assay_avap::{self as avap, Formatted};
use assay_domain::{Code, Diagnostic, Failure, Severity};
use serde::Serialize;
use serde_json::json;

use crate::batch;
use crate::exit;
use crate::flags::Global;
use crate::output::shown;
use crate::report;
use crate::settings::Settings;

/// The most bytes of a program that is laid out: eight times what the services read of one program. Tree and layout of a
/// program take many times its own bytes of memory, which has to be there on every machine that formats on save.
const MOST_BYTES: usize = 8 << 20;

/// Runs the command: 1 if a program does not parse, or with `--check` or `--diff` if one would change.
///
/// # Errors
/// An unknown profile, standard input beside files.
pub fn run(global: &Global, args: &Fmt, settings: &Settings) -> Result<u8, Failure> {
    let options = settings.avap(&args.reading)?;
    let input = Path::new("-");
    if args.stdin || args.files.is_empty() || args.files == [input] {
        return stdin(global, args, &options);
    }
    if args.files.iter().any(|path| path == input) {
        let text = "standard input goes to standard output, files stay in their place; lay them out one after the other";
        return Err(Failure::new(Code::InvalidArgument, text).field("-"));
    }
    let mut files = Vec::new();
    let mut code = args.files.iter().map(|path| collect(path, &mut files)).fold(0, u8::max);
    for path in files {
        let text = match read(&path) {
            Ok(text) => text,
            Err(failure) => {
                code = missed(global, &path, &failure);
                continue;
            }
        };
        let laid_out = lay_out(&path, &text, &options);
        if let Laid::Changed(fresh) = &laid_out
            && !args.dry()
            && let Err(error) = replace::replace(&path, fresh)
        {
            code = missed(global, &path, &unwritable(&path, &error));
            continue;
        }
        if laid_out.fails(args) {
            code = exit::note(exit::INVALID);
        }
        let name = path.display().to_string();
        if global.json {
            println!("{}", json!(row(&name, &text, &laid_out, args)));
        } else {
            tell(&name, &text, &laid_out, args);
        }
    }
    Ok(code)
}

/// A program that is not too large to be laid out.
fn read(path: &Path) -> Result<String, Failure> {
    let text = batch::read(path)?;
    if text.len() > MOST_BYTES {
        let name =
            if path == Path::new("-") { "standard input".to_owned() } else { path.display().to_string() };
        let text =
            format!("{name} has {} bytes; programs of at most {MOST_BYTES} bytes are laid out", text.len());
        return Err(Failure::new(Code::PayloadTooLarge, text).field("file"));
    }
    Ok(text)
}

/// What became of a program.
enum Laid {
    Kept,
    /// Its text in the canonical layout.
    Changed(String),
    /// Why it does not parse.
    Invalid(Vec<Diagnostic>),
}

// === impl Laid ===

impl Laid {
    fn name(&self) -> &'static str {
        match self {
            Self::Kept => "kept",
            Self::Changed(_) => "changed",
            Self::Invalid(_) => "invalid",
        }
    }

    /// Whether the exit code tells it.
    fn fails(&self, args: &Fmt) -> bool {
        match self {
            Self::Kept => false,
            Self::Changed(_) => args.dry(),
            Self::Invalid(_) => true,
        }
    }
}

/// Lays a program out; what is wrong with one that does not parse is told on standard error.
fn lay_out(path: &Path, text: &str, options: &avap::Options) -> Laid {
    match avap::format(text, options) {
        Formatted::Invalid(_) => {
            let found = errors(text, options);
            report::print_error(path, text, &found);
            Laid::Invalid(found)
        }
        Formatted::Text(fresh) if fresh == text => Laid::Kept,
        Formatted::Text(fresh) => Laid::Changed(fresh),
    }
}

/// A program as an object of the output.
#[derive(Serialize)]
struct Row<'a> {
    /// The file, `-` for standard input.
    path: &'a str,
    /// `kept`, `changed` or `invalid`.
    state: &'static str,
    /// Unified diff of what would change; only with `--diff`.
    #[serde(skip_serializing_if = "Option::is_none")]
    diff: Option<String>,
    /// Why the program does not parse.
    #[serde(skip_serializing_if = "Option::is_none")]
    diagnostics: Option<Vec<api::Diagnostic<'a>>>,
    /// The program as laid out; only of standard input.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<&'a str>,
}

fn row<'a>(path: &'a str, text: &str, laid_out: &'a Laid, args: &Fmt) -> Row<'a> {
    let (diff, diagnostics) = match laid_out {
        Laid::Changed(fresh) if args.diff => (Some(diff::unified(path, text, fresh)), None),
        Laid::Invalid(found) => (None, Some(found.iter().map(api::Diagnostic::from).collect())),
        Laid::Changed(_) | Laid::Kept => (None, None),
    };
    Row { path, state: laid_out.name(), diff, diagnostics, text: None }
}

/// A program for a person, and with `--diff` for `patch`.
fn tell(name: &str, text: &str, laid_out: &Laid, args: &Fmt) {
    match laid_out {
        Laid::Kept => {}
        Laid::Changed(fresh) if args.diff => print!("{}", diff::unified(name, text, fresh)),
        Laid::Changed(_) if args.check => println!("{}: would change", shown(name)),
        Laid::Changed(_) => println!("{}: laid out", shown(name)),
        Laid::Invalid(_) if args.diff => crate::say!("{name}: does not parse, left alone"),
        Laid::Invalid(_) => println!("{}: does not parse, left alone", shown(name)),
    }
}

/// Tells of a file that could not be read or written; the others are laid out all the same.
fn missed(global: &Global, path: &Path, failure: &Failure) -> u8 {
    exit::tell(failure);
    if global.json {
        println!("{}", json!(exit::Failed::of(path, failure)));
    }
    exit::note(exit::INVALID)
}

/// Why a program does not parse; what is only unwise is no matter of layout.
fn errors(text: &str, options: &avap::Options) -> Vec<Diagnostic> {
    let mut found = report::avap(text, options);
    found.retain(|d| d.severity == Severity::Error);
    found
}

/// Standard input to standard output; no text is printed where the program does not parse, or with `--check`. With
/// `--json` the text is a field of the object.
fn stdin(global: &Global, args: &Fmt, options: &avap::Options) -> Result<u8, Failure> {
    let path = Path::new("-");
    let program = read(path)?;
    let laid_out = lay_out(path, &program, options);
    let code = exit::note(if laid_out.fails(args) { exit::INVALID } else { 0 });
    let fresh = match &laid_out {
        Laid::Kept => Some(&program),
        Laid::Changed(fresh) => Some(fresh),
        Laid::Invalid(_) => None,
    };
    let fresh = fresh.filter(|_| !args.dry());
    if global.json {
        let text = fresh.map(String::as_str);
        println!("{}", json!(Row { text, ..row("-", &program, &laid_out, args) }));
    } else if let Some(fresh) = fresh {
        print!("{fresh}");
    } else if args.diff {
        tell("-", &program, &laid_out, args);
    }
    Ok(code)
}

/// A file as it is named; of a folder, every `.avap` file below it, links left out. A folder that cannot be read is
/// told and gives an exit code, and so is one without any program, which is mostly the wrong one.
#[must_use]
pub(super) fn collect(path: &Path, files: &mut Vec<PathBuf>) -> u8 {
    if !path.is_dir() {
        files.push(path.to_owned());
        return 0;
    }
    let mut code = 0;
    let before = files.len();
    let mut folders = vec![path.to_owned()];
    while let Some(folder) = folders.pop() {
        let entries = std::fs::read_dir(&folder).and_then(Iterator::collect::<std::io::Result<Vec<_>>>);
        let entries = entries.unwrap_or_else(|error| {
            exit::tell(&batch::unreadable(&folder, &error));
            code = exit::note(exit::INVALID);
            Vec::new()
        });
        for entry in entries {
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
    if files.len() == before && code == 0 {
        crate::say!("assay: there is no .avap file below {}", path.display());
    }
    code
}

fn unwritable(path: &Path, error: &std::io::Error) -> Failure {
    Failure::new(Code::InvalidArgument, format!("cannot write {}: {error}", path.display()))
}
