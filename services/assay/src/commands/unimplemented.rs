//! Commands that are not in this version: they are not listed, and whoever types one is told what is missing.

use assay_domain::{Code, Failure};
use clap::error::{ContextKind, ContextValue, ErrorKind};

/// The words of a command, and what it waits for.
const UNIMPLEMENTED: &[([&str; 2], &str)] = &[
    (["eval", "score"], "there are no metrics from recorded verdicts yet"),
    (["eval", "gate"], "there are no metrics to hold against bars yet"),
    (["eval", "replay"], "judge calls are not recorded yet"),
    (["eval", "report"], "reports are printed by `assay eval run`, not stored"),
    (["eval", "compare"], "reports are not stored yet"),
];

/// What is missing of a command.
#[must_use]
pub fn missing(command: &str, what: &str) -> Failure {
    Failure::new(Code::Unimplemented, format!("`assay {command}` is not in this version: {what}"))
        .field(command)
}

/// What is missing of the command that a command line means, where `error` says that there is no such command.
#[must_use]
pub fn meant(error: &clap::Error, line: &[String]) -> Option<Failure> {
    let (ErrorKind::InvalidSubcommand, Some(ContextValue::String(unknown))) =
        (error.kind(), error.get(ContextKind::InvalidSubcommand))
    else {
        return None;
    };
    let before = &line[..line.iter().position(|word| word == unknown)?];
    UNIMPLEMENTED
        .iter()
        .find(|([group, name], _)| name == unknown && before.iter().any(|word| word == group))
        .map(|(words, what)| missing(&words.join(" "), what))
}
