//! RC-02: signals of a question about the caller's own account, from the patterns of `data/platform.toml`.

use std::sync::LazyLock;

use regex::Regex;
use serde::Deserialize;

use crate::rules::{matches, pattern_of};

const FILE: &str = include_str!("../../data/platform.toml");

/// The file of patterns.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    account: Words,
    metric: Words,
    anchor: Vec<Entry>,
    measure: Vec<Entry>,
    how_to: Vec<Entry>,
    code: Vec<Entry>,
}

/// Words of each language, separated by spaces; each is a pattern.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Words {
    en: String,
    es: String,
}

/// A pattern with messages that it must match and messages that it must not; a test reads those.
#[derive(Deserialize)]
struct Entry {
    pattern: String,
}

/// The compiled patterns.
#[derive(Default)]
struct Signal {
    anchors: Vec<Regex>,
    measures: Vec<Regex>,
    how_to: Vec<Regex>,
    code: Vec<Regex>,
}

/// No pattern at all if the file is broken; tests keep that from happening.
static SIGNAL: LazyLock<Signal> =
    LazyLock::new(|| toml::from_str(FILE).map_or_else(|_| Signal::default(), compiled));

fn compiled(file: File) -> Signal {
    let all = |entries: &[Entry]| entries.iter().filter_map(|entry| of_entry(&file, entry)).collect();
    Signal {
        anchors: all(&file.anchor),
        measures: all(&file.measure),
        how_to: all(&file.how_to),
        code: all(&file.code),
    }
}

fn of_entry(file: &File, entry: &Entry) -> Option<Regex> {
    // Both languages stand in every pattern: people mix them.
    let alternatives = |words: &Words| format!("(?:{} {})", words.en, words.es).replace(' ', "|");
    let pattern = entry
        .pattern
        .replace("{account}", &alternatives(&file.account))
        .replace("{metric}", &alternatives(&file.metric));
    pattern_of(&pattern)
}

/// RC-02 over a folded message: an account anchor and a metric, and neither a how-to nor code.
pub(crate) fn signal(subject: &str) -> bool {
    let signal = &*SIGNAL;
    matches(&signal.anchors, subject)
        && matches(&signal.measures, subject)
        && !matches(&signal.how_to, subject)
        && !matches(&signal.code, subject)
}

#[cfg(test)]
#[path = "platform_tests.rs"]
mod tests;
