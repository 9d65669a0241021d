//! The language of a block that declares none: AVAP by its commands, JSON by its form, others by their marks and by
//! whether their grammar agrees, or fails only late. Output, logs and tables are no code.

use assay_domain::code::{Severity, with_line_feeds};

use super::watch::{Halt, Stop, Stopped, TooLarge, Watch};
use super::{AvapOptions, find, json, known};

/// Commands whose names are ordinary words and mark nothing.
const ORDINARY: &[&str] = &["if", "else", "end", "try", "exception", "replace", "gather"];
/// Programs that lines of shell begin with.
const PROGRAMS: &[&str] = &[
    "apt",
    "apt-get",
    "awk",
    "aws",
    "bash",
    "brew",
    "cargo",
    "cat",
    "cd",
    "chmod",
    "chown",
    "cmake",
    "cp",
    "curl",
    "docker",
    "docker-compose",
    "echo",
    "export",
    "find",
    "gcloud",
    "git",
    "go",
    "grep",
    "gunzip",
    "gzip",
    "helm",
    "java",
    "journalctl",
    "kill",
    "kubectl",
    "ln",
    "ls",
    "make",
    "mkdir",
    "mv",
    "node",
    "npm",
    "npx",
    "nvm",
    "openssl",
    "pip",
    "pip3",
    "pnpm",
    "podman",
    "psql",
    "pwd",
    "python",
    "python3",
    "rm",
    "rsync",
    "rustup",
    "scp",
    "sed",
    "set",
    "source",
    "ssh",
    "sudo",
    "systemctl",
    "tar",
    "terraform",
    "touch",
    "unzip",
    "uv",
    "wget",
    "yarn",
];
/// Languages whose grammars prose does not fit, in the order in which they are asked.
const STRICT: &[&str] = &["javascript", "typescript", "python", "go", "rust", "java"];

/// Grammars that decide about plain text, in the order in which they are asked; those of YAML, shell and Markdown accept
/// prose.
const GRAMMARS: &[&str] =
    &["json", "avap", "toml", "python", "javascript", "typescript", "go", "rust", "java", "sql"];
/// Those that fail where the mistake is; the others recover so well that rows of anything fail late.
const FAIL_IN_PLACE: &[&str] = &["json", "avap", "python"];
/// Words that lines of code begin with.
const OPENING: &[&str] =
    &["import", "from", "return", "else", "try", "end", "use", "package", "pass", "break"];
/// Most lines of a definition that fails in its first one.
const SHORT: usize = 3;

/// The language of a text, by the name of its grammar or, for PHP and C, by its own; `None` if it does not look like
/// code. `stop` is asked while it works.
///
/// # Errors
/// [`Stopped`] if `stop` said so.
pub fn detect(code: &str, stop: Stop<'_>) -> Result<Option<&'static str>, Stopped> {
    let watch = &Watch::new(stop);
    watch.ask()?;
    let code = &*with_line_feeds(code);
    let trimmed = code.trim();
    if trimmed.is_empty() {
        return Ok(None);
    }
    let lines: Vec<&str> = trimmed.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let avap = lines.iter().filter(|line| is_avap(line)).count();
    let guess = assay_avap::guess_language(trimmed);
    if avap > 0 && guess.is_none_or(|(_, marked)| avap >= marked) {
        return Ok(Some("avap"));
    }
    watch.ask()?;
    if trimmed.starts_with(['{', '['])
        && (trimmed.contains('"') || lines.len() > 1)
        && json::parse(trimmed, watch)?.is_empty()
    {
        return Ok(Some("json"));
    }
    if is_output(&lines) {
        return Ok(None);
    }
    let guess = guess.and_then(|(name, marked)| Some((named(name)?, marked)));
    let found = match guess {
        Some((name, marked)) => by_marks(name, marked, code, &lines, watch)?,
        None if is_shell(&lines) && valid("bash", code, watch)? => Some("bash"),
        None => is_settings(&lines, code, watch)?,
    };
    match found {
        Some(language) => Ok(Some(language)),
        None => by_grammar(guess.map(|(name, _)| name), code, &lines, watch),
    }
}

/// The language of a block that is declared as plain output: what [`detect`] says of it, where that grammar accepts two or
/// more lines or fails only late.
///
/// # Errors
/// [`Stopped`] if `stop` said so.
pub fn hidden(code: &str, stop: Stop<'_>) -> Result<Option<&'static str>, Stopped> {
    let Some(language) = detect(code, stop)? else { return Ok(None) };
    let code = &*with_line_feeds(code);
    let lines = code.lines().filter(|line| !line.trim().is_empty()).count();
    let before = lines_before_failure(language, code, &Watch::new(stop))?.unwrap_or(lines);
    Ok(Some(language).filter(|_| lines >= 2 && before >= 2 && before * 2 >= lines))
}

/// The first strict grammar that accepts two or more lines; else the one that fails latest, if that is late. Only texts
/// half of whose lines are written as code are looked at: grammars accept rows of words, too.
fn by_grammar(
    guess: Option<&'static str>,
    code: &str,
    lines: &[&str],
    watch: &Watch<'_>,
) -> Result<Option<&'static str>, Stopped> {
    let marked = lines.iter().filter(|line| is_written_as_code(line)).count();
    let markup = lines.first().is_some_and(|line| line.starts_with('<'));
    if marked * 2 < lines.len()
        || is_prose(lines)
        || markup
        || guess.is_some_and(|guess| !GRAMMARS.contains(&guess))
    {
        return Ok(None);
    }
    let (mut latest, mut language) = (0, None);
    for name in GRAMMARS.iter().copied() {
        let Some(before) = lines_before_failure(name, code, watch)? else { continue };
        if before == lines.len() && lines.len() >= 2 {
            return Ok(Some(name));
        }
        if before > latest && (FAIL_IN_PLACE.contains(&name) || guess == Some(name)) {
            (latest, language) = (before, Some(name));
        }
    }
    let accepted = lines.get(..latest).unwrap_or_default();
    let code_like = accepted.iter().filter(|line| is_written_as_code(line)).count();
    let late = latest >= 2 && latest * 2 >= lines.len() && latest < lines.len();
    if late && code_like * 4 >= latest * 3 {
        return Ok(language);
    }
    // One or two lines fail late where they open something: a definition, or braces that are closed again.
    let (first, last) =
        (lines.first().copied().unwrap_or_default(), lines.last().copied().unwrap_or_default());
    if first.starts_with('{') && last.ends_with('}') && code.contains("\":") {
        return Ok(Some("json"));
    }
    let opens = first.ends_with(['{', ':']) && lines.len() <= SHORT || calls(first) && lines.len() == 1;
    Ok(guess.filter(|_| opens))
}

/// Lines, blank ones left out, before the first error of a grammar; all of them where it accepts the text, and none
/// where it is not asked about so much.
fn lines_before_failure(language: &str, code: &str, watch: &Watch<'_>) -> Result<Option<usize>, Stopped> {
    let found = match find(language, code, &AvapOptions::default(), watch) {
        Ok(Some(found)) => found,
        Ok(None) | Err(Halt::Other(TooLarge { .. })) => return Ok(None),
        Err(Halt::Stopped) => return Err(Stopped),
    };
    let errors = found.iter().filter(|found| found.severity == Severity::Error);
    let first = errors.map(|found| usize::try_from(found.line).unwrap_or(usize::MAX)).min();
    let before = first.map_or(usize::MAX, |line| line.saturating_sub(1));
    Ok(Some(code.lines().take(before).filter(|line| !line.trim().is_empty()).count()))
}

/// Whether a line has what code is written with: brackets, an assignment, a semicolon, the word or the colon that opens
/// a block.
pub(super) fn is_written_as_code(line: &str) -> bool {
    let first = line.split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default();
    line.contains(['(', ')', '{', '}', '[', ']', '=', ';'])
        || line.ends_with(':')
        || OPENING.contains(&first) && line.split_whitespace().count() <= 4
}

/// Whether a name stands directly before a bracket.
fn calls(line: &str) -> bool {
    let bytes = line.as_bytes();
    bytes.windows(2).any(|two| two[1] == b'(' && (two[0].is_ascii_alphanumeric() || two[0] == b'_'))
}

/// Our name of a language that the marks of AVAP's crate tell; PHP and C have no grammar.
fn named(name: &str) -> Option<&'static str> {
    match name {
        "PHP" => Some("php"),
        "C" => Some("c"),
        name => known::entry(name).map(|entry| entry.name),
    }
}

/// The guess, if its grammar agrees or its marks are many; else the language whose grammar does agree.
fn by_marks(
    guess: &'static str,
    marked: usize,
    code: &str,
    lines: &[&str],
    watch: &Watch<'_>,
) -> Result<Option<&'static str>, Stopped> {
    let checked = !matches!(guess, "php" | "c");
    if checked && valid(guess, code, watch)? {
        // TypeScript holds JavaScript; a text that is both is JavaScript.
        return Ok(Some(guess));
    }
    if guess == "php" && code.contains("<?php") || guess == "c" && code.contains("#include") {
        return Ok(Some(guess));
    }
    for other in STRICT.iter().copied().filter(|other| *other != guess) {
        if valid(other, code, watch)? {
            return Ok(Some(other));
        }
    }
    if is_shell(lines) && valid("bash", code, watch)? {
        return Ok(Some("bash"));
    }
    if let Some(settings) = is_settings(lines, code, watch)? {
        return Ok(Some(settings));
    }
    // A text that no grammar takes is a broken program only where much of it looks like one.
    let sure = guess != "bash" && marked >= 2 && marked * 6 >= lines.len() && !is_prose(lines);
    Ok(sure.then_some(guess))
}

/// Whether a grammar agrees; one that is not asked about so much does not.
fn valid(language: &str, code: &str, watch: &Watch<'_>) -> Result<bool, Stopped> {
    match find(language, code, &AvapOptions::default(), watch) {
        Ok(found) => Ok(found.is_some_and(|found| super::is_valid(&found))),
        Err(Halt::Other(TooLarge { .. })) => Ok(false),
        Err(Halt::Stopped) => Err(Stopped),
    }
}

/// Whether a text is what a program printed: rows of a table, lines of a log, a trace of calls, a session at a prompt.
fn is_output(lines: &[&str]) -> bool {
    let first = lines.first().copied().unwrap_or_default();
    let opens = [
        "Traceback (most recent call last)",
        "Exception in thread",
        "panic: ",
        "error[E",
        "HTTP/1.",
        "HTTP/2",
        "$ ",
        "PS ",
        "mysql> ",
        "postgres=#",
        "sqlite> ",
        ">>> ",
        "usage: ",
        "Usage: ",
        "USAGE",
    ];
    if opens.iter().any(|open| first.starts_with(open)) {
        return true;
    }
    let logged = lines.iter().filter(|line| is_logged(line)).count();
    logged * 2 > lines.len()
}

/// A row of a table, a dated or levelled line of a log, or a line of a tree of files.
fn is_logged(line: &str) -> bool {
    let bytes = line.as_bytes();
    let digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let dated = digit(0) && digit(1) && digit(2) && digit(3) && bytes.get(4) == Some(&b'-') && digit(5)
        || digit(0) && digit(1) && bytes.get(2) == Some(&b':') && digit(3);
    let level = ["INFO", "WARN", "ERROR", "DEBUG", "TRACE", "FATAL"];
    let bare = line.trim_start_matches('[');
    let levelled = level.iter().any(|level| bare.starts_with(level));
    let ruled = line.starts_with("+-")
        || line.starts_with("|-")
        || line.starts_with("---")
        || line.starts_with('|') && line.ends_with('|') && !line.contains("||");
    dated || levelled || ruled || line.contains("├──") || line.contains("└──")
}

/// Whether most lines are sentences.
fn is_prose(lines: &[&str]) -> bool {
    let sentences = lines
        .iter()
        .filter(|line| {
            let words = line.split_whitespace().count();
            let plain = line.chars().filter(|c| c.is_alphabetic() || *c == ' ').count();
            words >= 4 && plain * 20 >= line.chars().count() * 17
        })
        .count();
    sentences * 2 > lines.len()
}

/// Whether lines are commands of a shell: most begin with a program that people type, with a word of the language, or
/// set a variable.
fn is_shell(lines: &[&str]) -> bool {
    let mut commands = 0_usize;
    let mut counted = 0_usize;
    let mut continued = false;
    for line in lines {
        let inside = std::mem::replace(&mut continued, line.ends_with('\\'));
        if inside || line.starts_with('#') {
            continue;
        }
        counted += 1;
        let word = line.split([' ', ';', '\t']).next().unwrap_or_default();
        let prose = line.ends_with('.') || line.split_whitespace().count() > 1 && line.ends_with([':', ',']);
        let set = word.split_once('=').is_some_and(|(name, _)| {
            !name.is_empty() && name.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
        });
        let language = matches!(word, "fi" | "done" | "esac" | "then" | "do" | "else")
            || line.ends_with("; then")
            || line.ends_with("; do");
        if !prose && PROGRAMS.contains(&word) || set || language {
            commands += 1;
        }
    }
    counted > 0 && commands * 5 >= counted * 3
}

/// YAML or TOML, by the form of their lines; only where the reader agrees.
fn is_settings(lines: &[&str], code: &str, watch: &Watch<'_>) -> Result<Option<&'static str>, Stopped> {
    let kept: Vec<&&str> = lines.iter().filter(|line| !line.starts_with('#')).collect();
    let name = |text: &str| {
        !text.is_empty()
            && text.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '"' | '/'))
    };
    let sections = kept.iter().filter(|line| line.starts_with('[') && line.ends_with(']')).count();
    let settings =
        kept.iter().filter(|line| line.split_once(" = ").is_some_and(|(key, _)| name(key.trim()))).count();
    let toml = sections > 0 && settings > 0 && sections + settings >= kept.len() / 2;
    if toml && valid("toml", code, watch)? {
        return Ok(Some("toml"));
    }
    let keys = kept
        .iter()
        .filter(|line| {
            let entry = line.trim_start_matches("- ");
            entry
                .split_once(':')
                .is_some_and(|(key, rest)| name(key) && (rest.is_empty() || rest.starts_with(' ')))
        })
        .count();
    let entries = kept.iter().filter(|line| line.starts_with("- ")).count();
    let nested =
        code.lines().any(|line| line.starts_with("  ")) && kept.iter().any(|line| line.ends_with(':'));
    let yaml = nested && keys >= 2 && (keys + entries) * 5 >= kept.len() * 4;
    Ok((yaml && valid("yaml", code, watch)?).then_some("yaml"))
}

/// Whether a line starts with a call of a command that only AVAP has.
fn is_avap(line: &str) -> bool {
    let line = match line.split_once('=') {
        Some((target, value)) if target.trim().chars().all(|c| c.is_ascii_alphanumeric() || c == '_') => {
            value.trim()
        }
        _ => line,
    };
    let Some((name, _)) = line.split_once('(') else { return false };
    let name = name.trim_end();
    !ORDINARY.contains(&name) && assay_avap::command(name).is_some()
}
