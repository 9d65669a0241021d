//! Diagnostics of a program in every form: lines of text, pictures in a terminal, SARIF for code scanners, and the
//! shape of the Language Server Protocol.

mod forms;
mod sarif;

pub use forms::{Form, Level, Located, github, junit};
pub use sarif::{Sarif, corpus, located, sarif};

use std::io::{IsTerminal as _, Write};
use std::path::Path;

use ariadne::{Color, Config, Label, Report, ReportKind, Source};
use assay_avap as avap;
use assay_domain::code::Category;
use assay_domain::{Diagnostic, Failure, Severity};
use assay_languages as languages;
use lsp_types as lsp;
use serde::Serialize;

use crate::lsp::{Document, Encoding};
use crate::output::{shown, visible};

/// The findings about an AVAP program.
#[must_use]
pub fn avap(code: &str, options: &avap::Options) -> Vec<Diagnostic> {
    match languages::parse("avap", code, options, &|| false) {
        languages::Outcome::Parsed { diagnostics, .. } => diagnostics,
        _ => Vec::new(),
    }
}

/// Writes findings for a person: pictures in a terminal, else each under the line it is about.
pub fn print(path: &Path, text: &str, found: &[Diagnostic]) {
    print!("{}", rendered(path, text, found, std::io::stdout().is_terminal()));
}

/// As [`print`], on standard error.
pub fn print_error(path: &Path, text: &str, found: &[Diagnostic]) {
    let told = rendered(path, text, found, std::io::stderr().is_terminal());
    let _ = std::io::stderr().write_all(told.as_bytes());
}

fn rendered(path: &Path, text: &str, found: &[Diagnostic], pictured: bool) -> String {
    let mut out = Vec::new();
    // Writing to memory does not fail.
    let _ = match pictured {
        true => picture(path, text, found, true, &mut out),
        false => plain(path, text, found, &mut out),
    };
    String::from_utf8_lossy(&out).into_owned()
}

/// The lines of a text as the parsers count them: a line feed, a carriage return or both end one.
#[must_use]
pub fn lines(text: &str) -> Vec<&str> {
    let mut out = Vec::new();
    let mut rest = text;
    while let Some(end) = rest.find(['\n', '\r']) {
        let (line, after) = rest.split_at(end);
        out.push(line);
        rest = after.strip_prefix("\r\n").unwrap_or(&after[1..]);
    }
    out.push(rest);
    out
}

/// Findings as lines of text, each with the line it is about and a mark below it.
///
/// # Errors
/// What `out` says.
pub fn plain(path: &Path, text: &str, found: &[Diagnostic], out: &mut dyn Write) -> std::io::Result<()> {
    let lines = lines(text.strip_prefix('\u{feff}').unwrap_or(text));
    for d in found {
        let (name, severity) = (shown(&path.display().to_string()), d.severity.as_str());
        let (line, column, message) = (d.line, d.column, shown(&d.message));
        writeln!(out, "{name}:{line}:{column}: {severity}: {message} [{}] ({})", d.code, d.category)?;
        let line = usize::try_from(d.line).ok().and_then(|n| n.checked_sub(1)).and_then(|n| lines.get(n));
        if let Some(line) = line {
            let start = usize::try_from(d.column.saturating_sub(1)).unwrap_or(0);
            let width = usize::try_from(d.end_column.saturating_sub(d.column).max(1)).unwrap_or(1);
            // A long line is shown around the place.
            let from = start.saturating_sub(60);
            let part: String = line.chars().skip(from).take(120).map(visible).collect();
            // Tabs stay tabs, so that the mark stands below its text.
            let gap: String =
                part.chars().take(start - from).map(|c| if c == '\t' { '\t' } else { ' ' }).collect();
            let width = width.min(120_usize.saturating_sub(start - from).max(1));
            writeln!(out, "    {part}\n    {gap}{}", "^".repeat(width))?;
        }
        if let Some(suggestion) = &d.suggestion {
            writeln!(out, "    did you mean: {}", shown(suggestion))?;
        }
        if let Some(help) = &d.help {
            writeln!(out, "    {}", shown(help))?;
        }
    }
    Ok(())
}

/// Findings as pictures of the program, with colours or without.
///
/// # Errors
/// What `out` says.
pub fn picture(
    path: &Path,
    text: &str,
    found: &[Diagnostic],
    coloured: bool,
    out: &mut dyn Write,
) -> std::io::Result<()> {
    let name = shown(&path.display().to_string());
    // The library of the pictures ends lines at two characters more than the diagnostics do.
    let kept = |c: char| match c {
        '\r' => c,
        '\u{2028}' | '\u{2029}' => '\u{fffd}',
        _ => visible(c),
    };
    let mut source = (name.clone(), Source::from(text.chars().map(kept).collect::<String>()));
    // Offsets in scalar values of the lines as the diagnostics count them.
    let mut starts = vec![0_usize];
    let mut before = ' ';
    for (at, c) in text.chars().enumerate() {
        if c == '\n' && before == '\r' {
            if let Some(last) = starts.last_mut() {
                *last = at + 1;
            }
        } else if matches!(c, '\n' | '\r') {
            starts.push(at + 1);
        }
        before = c;
    }
    let length = text.chars().count();
    let mark = usize::from(text.starts_with('\u{feff}'));
    for d in found {
        let offset = |column: u32| {
            let line = usize::try_from(d.line.saturating_sub(1)).unwrap_or(0);
            let start = starts.get(line).copied().unwrap_or(length) + if line == 0 { mark } else { 0 };
            (start + usize::try_from(column.saturating_sub(1)).unwrap_or(0)).min(length)
        };
        let (from, to) = (offset(d.column), offset(d.end_column));
        let span = (name.clone(), from..to.max((from + 1).min(length)));
        let (kind, colour) = match d.severity {
            Severity::Error => (ReportKind::Error, Color::Red),
            Severity::Warning => (ReportKind::Warning, Color::Yellow),
            Severity::Hint => (ReportKind::Advice, Color::Cyan),
        };
        let label = match &d.suggestion {
            Some(suggestion) => format!("did you mean {}?", shown(suggestion)),
            None => d.category.to_string(),
        };
        let mut report = Report::build(kind, span.clone())
            .with_config(Config::default().with_color(coloured))
            .with_code(&d.code)
            .with_message(shown(&d.message))
            .with_label(Label::new(span).with_message(label).with_color(colour));
        if let Some(help) = &d.help {
            report = report.with_help(shown(help));
        }
        report.finish().write(&mut source, &mut *out)?;
    }
    Ok(())
}

/// Writes one line for each finding; the path before it where there are several programs.
pub fn trace(path: &Path, found: &[Diagnostic], named: bool) {
    for d in found {
        let name = if named { format!("{}: ", path.display()) } else { String::new() };
        println!("{}", shown(&format!("{name}{}", told(d))));
    }
}

/// A finding as a model is told: `Line 3: unknown command 'getSHA256' — did you mean 'encodeSHA256'?`
fn told(d: &Diagnostic) -> String {
    let weight = match d.severity {
        Severity::Error => "",
        Severity::Warning => "warning: ",
        Severity::Hint => "hint: ",
    };
    let remedy = match (&d.suggestion, &d.help) {
        (Some(name), _) if d.category == Category::UnknownToken => format!(" — did you mean '{name}'?"),
        (_, Some(help)) => format!(" — {help}"),
        (Some(text), None) => format!(" — did you mean '{text}'?"),
        (None, None) => String::new(),
    };
    format!("Line {}: {weight}{}{remedy}", d.line, d.message)
}

/// A program with its findings.
#[derive(Debug, Clone)]
pub struct Judged {
    /// Its file.
    pub path: std::path::PathBuf,
    /// Its text.
    pub text: String,
    /// What was found.
    pub found: Vec<Diagnostic>,
}

/// What a finding says beyond the fields that SARIF and the Language Server Protocol have for it.
#[derive(Debug, Serialize)]
pub struct Remedy<'a> {
    category: String,
    /// Text to write in the place of what the finding marks; null where there is none.
    suggestion: Option<&'a str>,
}

impl<'a> Remedy<'a> {
    /// The remedy of a finding.
    #[must_use]
    pub fn of(found: &'a Diagnostic) -> Self {
        Self { category: found.category.to_string(), suggestion: found.suggestion.as_deref() }
    }
}

/// The parameters of `textDocument/publishDiagnostics`, columns in UTF-16.
///
/// # Errors
/// `INTERNAL` if the path makes no URI.
pub fn published(program: &Judged) -> Result<lsp::PublishDiagnosticsParams, Failure> {
    let document = Document::new(program.text.clone(), Encoding::Utf16);
    let diagnostics = program.found.iter().map(|d| crate::lsp::diagnostic(&document, d)).collect();
    let path = std::path::absolute(&program.path).unwrap_or_else(|_| program.path.clone());
    let uri = format!("file://{}", encoded(&path.display().to_string()));
    let uri = uri.parse().map_err(|error| Failure::internal(format!("{uri}: {error}")))?;
    Ok(lsp::PublishDiagnosticsParams { uri, diagnostics, version: None })
}

/// A path as the path of a URI.
fn encoded(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'.' | b'_' | b'~' => {
                out.push(char::from(byte))
            }
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use serde_json::json;

    use super::*;

    fn judged(text: &str) -> Judged {
        let found = avap(text, &avap::Options::default());
        Judged { path: "a b.avap".into(), text: text.to_owned(), found }
    }

    fn rendered(text: &str, pictured: bool) -> String {
        let program = judged(text);
        let mut out = Vec::new();
        match pictured {
            true => picture(&program.path, text, &program.found, false, &mut out).unwrap(),
            false => plain(&program.path, text, &program.found, &mut out).unwrap(),
        }
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn text_marks_the_place_and_names_the_remedy() {
        let text = rendered("x = \"é😀\"\r\n\tgetSHA256(x, y)\r\naddResult(y)\r\n", false);
        assert!(
            text.contains("a b.avap:2:2: error: unknown command 'getSHA256' [AVAP011] (unknown_token)"),
            "{text}"
        );
        assert!(
            text.contains("    \tgetSHA256(x, y)\n    \t^^^^^^^^^\n    did you mean: encodeSHA256\n"),
            "{text}"
        );
        // A carriage return alone ends a line, too.
        assert!(
            rendered("x = 1\rgetSHA256(x, y)\raddResult(y)", false)
                .contains("    getSHA256(x, y)\n    ^^^^^")
        );
        let long = format!("addVar(x, 1)\nx = \"{}\" + nope(1)\naddResult(x)\n", "a".repeat(100_000));
        assert!(rendered(&long, false).len() < 1_000);
    }

    #[test]
    fn picture_shows_the_line_with_its_finding() {
        for text in [
            "\u{feff}getSHA256(x, y)\r\n",
            "a = 1\rgetSHA256(a, y)\raddResult(y)",
            "x = \"é😀\"\ngetSHA256(x, y)",
        ] {
            let shown = rendered(text, true);
            assert!(shown.contains("getSHA256") && shown.contains("did you mean encodeSHA256?"), "{shown}");
            assert!(shown.contains("AVAP011") && shown.contains("Help"), "{shown}");
        }
        // Findings about nothing, and about the end.
        for text in ["", "\n", "x = (", "/*"] {
            assert!(!rendered(text, true).is_empty());
        }
    }

    #[test]
    fn trace_tells_as_the_front_end_does() {
        for text in [
            "getSHA256(x, y)\n",
            "x = 1;\nfor i in range(1, 6):\n",
            "startLoop(i, 0, 3)\n",
            "if(x == 1)\nend()\n",
        ] {
            let ours: Vec<String> = avap(text, &avap::Options::default()).iter().map(told).collect();
            let parsed = avap::parse(text, &avap::Options::default());
            let theirs: Vec<String> = parsed.diagnostics.iter().map(avap::Diagnostic::render).collect();
            assert_eq!(ours, theirs);
        }
    }

    #[test]
    fn sarif_names_rules_places_and_levels() {
        let value = json!(sarif(&[judged("getSHA256(x, y)\nz = 1;\n"), judged("y = 1\naddResult(y)\n")]));
        let run = &value["runs"][0];
        let ids: Vec<&str> = run["tool"]["driver"]["rules"]
            .as_array()
            .unwrap()
            .iter()
            .filter_map(|r| r["id"].as_str())
            .collect();
        assert_eq!(ids, ["AVAP011", "AVAP033", "AVAP043"]);
        let first = run["results"].as_array().unwrap().iter().find(|r| r["ruleId"] == "AVAP011").unwrap();
        assert_eq!(first["level"], "error");
        let place = &first["locations"][0]["physicalLocation"];
        assert_eq!(place["artifactLocation"]["uri"], "a%20b.avap");
        assert_eq!(place["region"], json!({"startLine": 1, "startColumn": 1, "endLine": 1, "endColumn": 10}));
        for result in run["results"].as_array().unwrap() {
            let at = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
            assert_eq!(result["ruleId"], ids[at]);
        }
    }

    #[test]
    fn published_diagnostics_count_in_utf16() {
        let value = json!(published(&judged("x = 1\ny = \"😀\" + nope(x)\naddResult(y)\n")).unwrap());
        assert!(value["uri"].as_str().unwrap().starts_with("file:///"));
        let first = &value["diagnostics"][0];
        assert_eq!(first["range"]["start"], json!({"line": 1, "character": 11}));
        assert_eq!((&first["code"], &first["severity"]), (&json!("AVAP011"), &json!(1)));
    }
}
