//! Invented commands, as language models write them, with the command of AVAP that does what the name says, or `none`
//! where there is none. A name whose place in the list is odd was left out while the table of meanings was made.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

use assay_avap::{Category, Options, Severity, parse};

const NAMES: &str = include_str!("suggestions/names.txt");

/// What is wrong with the answer to one line of the list, if anything.
fn wrong(program: &str, expected: &str) -> Option<String> {
    let found = parse(&format!("{program}\n"), &Options::default());
    let errors: Vec<_> = found.diagnostics.iter().filter(|one| one.severity == Severity::Error).collect();
    let [error] = errors.as_slice() else {
        return Some(format!("{program}: wanted one error, found {:#?}", found.trace()));
    };
    let suggestion = error.suggestion.as_deref().unwrap_or("none");
    let name = suggestion.split(['(', ' ']).next().unwrap_or_default();
    let right = expected.split('|').any(|one| one == name);
    let unknown = matches!(error.category, Category::UnknownToken | Category::ForeignKeyword);
    let said = name != "none" || error.help.as_deref().unwrap_or_default().contains("no equivalent");
    (!right || !unknown || !said).then(|| format!("{program}: wanted {expected}, found {}", error.render()))
}

/// The share of the names that are answered as wanted, in per cent, with the others.
fn judge(odd: bool) -> (usize, Vec<String>) {
    let lines: Vec<(&str, &str)> = NAMES.lines().filter_map(|line| line.split_once(" => ")).collect();
    let chosen: Vec<_> = lines.iter().enumerate().filter(|(at, _)| (at % 2 == 1) == odd).collect();
    let wrong: Vec<String> =
        chosen.iter().filter_map(|(_, (program, expected))| wrong(program, expected)).collect();
    ((chosen.len() - wrong.len()) * 100 / chosen.len(), wrong)
}

#[test]
fn names_that_the_table_was_made_with() {
    let (share, wrong) = judge(false);
    println!("made with: {share} %\n{}", wrong.join("\n"));
    assert!(share >= 97, "{share} %\n{}", wrong.join("\n"));
}

#[test]
fn names_that_were_left_out() {
    let (share, wrong) = judge(true);
    println!("left out: {share} %, {} wrong", wrong.len());
    assert!(share >= 90, "{share} %");
}
