//! The language of a block that declares none: AVAP by its commands, JSON by its form, others by their marks. Says
//! nothing rather than something wrong.

use super::{AvapOptions, Outcome, json, parse};

/// Commands whose names are ordinary words and mark nothing.
const ORDINARY: &[&str] = &["if", "else", "end", "try", "exception", "replace", "gather"];

/// The language of a text, by the name of its grammar or, for PHP and C, by its own; `None` if it does not look like
/// code.
#[must_use]
pub fn detect(code: &str) -> Option<&'static str> {
    let trimmed = code.trim();
    if trimmed.is_empty() {
        return None;
    }
    let avap = trimmed.lines().filter(|line| is_avap(line.trim())).count();
    let guess = assay_avap::guess_language(trimmed);
    if avap > 0 && guess.is_none_or(|(_, marked)| avap >= marked) {
        return Some("avap");
    }
    if trimmed.starts_with(['{', '[']) && trimmed.contains('"') && json::parse(trimmed).is_empty() {
        return Some("json");
    }
    let (name, marked) = guess?;
    let language = match name {
        "Go" => "go",
        "Python" => "python",
        "JavaScript" => "javascript",
        "TypeScript" => "typescript",
        "PHP" => "php",
        "Java" => "java",
        "Rust" => "rust",
        "C" => "c",
        "SQL" => "sql",
        "shell" => "bash",
        _ => return None,
    };
    // One mark may be chance; then the grammar has to agree.
    let sure = marked >= 2
        || matches!(
            parse(language, code, &AvapOptions::default(), &|| false),
            Outcome::Parsed { valid: true, .. }
        );
    sure.then_some(language)
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
