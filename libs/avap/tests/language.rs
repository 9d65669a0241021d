//! The description of the language, sentence by sentence, as cases: the quoted sentence is a heading of
//! `language/*.cases`, under it programs on its good and on its bad side.
//!
//! A case is a line `@ expectation` and the program below it, up to the next `@` or `##`. Expectations:
//! `ok` nothing is found · `lax` no error · `LINE CATEGORY[|CATEGORY] [words]` an error there and no other, whose text
//! holds the words (alternatives by `|`) · `LINE warning`, `LINE hint` a lesser finding there. Several are joined by
//! ` ; `; everything that is found must be expected, the warning that nothing is output excepted. `[compat]`, `[core]`
//! and `[hypothesis]` at the end are options. `<BOM> <NBSP> <FF> <LS> <CR> <TAB> <NUL>` stand for those characters.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::path::PathBuf;

use assay_avap::{Diagnostic, Options, Profile, Severity, parse};

/// The code of the warning that a program outputs nothing; it is expected everywhere.
const NO_OUTPUT: &str = "AVAP043";

struct Case {
    at: String,
    rule: String,
    expectation: String,
    options: Options,
    program: String,
}

fn cases() -> Vec<Case> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/language");
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let mut out: Vec<Case> = Vec::new();
    for file in files {
        let text = std::fs::read_to_string(&file).unwrap();
        let (mut rule, mut open) = (String::new(), false);
        for (number, line) in text.lines().enumerate() {
            if let Some(heading) = line.strip_prefix("## ") {
                heading.clone_into(&mut rule);
                open = false;
            } else if let Some(said) = line.strip_prefix("@ ") {
                let (expectation, options) = options(said);
                out.push(Case {
                    at: format!("{}:{}", file.file_name().unwrap().display(), number + 1),
                    rule: rule.clone(),
                    expectation,
                    options,
                    program: String::new(),
                });
                open = true;
            } else {
                assert!(open || line.is_empty(), "{}:{}: text outside a case", file.display(), number + 1);
                if let Some(case) = out.last_mut().filter(|_| open) {
                    case.program.push_str(&characters(line));
                    case.program.push('\n');
                }
            }
        }
    }
    out
}

fn options(said: &str) -> (String, Options) {
    let mut options = Options::default();
    let Some((expectation, name)) = said.strip_suffix(']').and_then(|rest| rest.rsplit_once(" [")) else {
        return (said.to_owned(), options);
    };
    match name {
        "compat" => options.server_compat = true,
        "core" => options.profiles = [Profile::Core].into(),
        "hypothesis" => {
            options.profiles.insert(Profile::Hypothesis);
        }
        _ => return (said.to_owned(), options),
    }
    (expectation.to_owned(), options)
}

fn characters(line: &str) -> String {
    [
        ("<BOM>", "\u{feff}"),
        ("<NBSP>", "\u{a0}"),
        ("<FF>", "\u{c}"),
        ("<LS>", "\u{2028}"),
        ("<CR>", "\r"),
        ("<TAB>", "\t"),
        ("<NUL>", "\0"),
    ]
    .iter()
    .fold(line.to_owned(), |text, (name, character)| text.replace(name, character))
}

/// Whether a finding is what one expectation says.
fn fits(found: &Diagnostic, expectation: &str) -> bool {
    let (line, rest) = expectation.split_once(' ').expect("an expectation has a line");
    let (kind, words) = rest.split_once(' ').unwrap_or((rest, ""));
    if found.line.to_string() != line {
        return false;
    }
    let right = match kind {
        "warning" => found.severity == Severity::Warning,
        "hint" => found.severity == Severity::Hint,
        names => {
            found.severity == Severity::Error && names.split('|').any(|name| name == found.category.name())
        }
    };
    let all = format!(
        "{}\n{}\n{}",
        found.render(),
        found.suggestion.as_deref().unwrap_or_default(),
        found.help.as_deref().unwrap_or_default()
    );
    right && words.split('|').any(|word| all.contains(word))
}

/// What is wrong with the findings of a case, if anything.
fn wrong(case: &Case) -> Option<String> {
    let parsed = parse(&case.program, &case.options);
    let mut left: Vec<&Diagnostic> = parsed.diagnostics.iter().collect();
    let mut missing = Vec::new();
    match case.expectation.as_str() {
        "ok" => {}
        "lax" => left.retain(|one| one.severity == Severity::Error),
        list => {
            for expectation in list.split(" ; ") {
                let fitting = |silent: bool| {
                    left.iter().position(|one| (one.code == NO_OUTPUT) == silent && fits(one, expectation))
                };
                match fitting(false).or_else(|| fitting(true)) {
                    Some(at) => drop(left.remove(at)),
                    None => missing.push(expectation),
                }
            }
        }
    }
    left.retain(|one| one.code != NO_OUTPUT);
    if left.is_empty() && missing.is_empty() {
        return None;
    }
    let found: Vec<String> =
        left.iter().map(|one| format!("{} [{} {}]", one.render(), one.category.name(), one.code)).collect();
    Some(format!(
        "{} — {}\n  wanted, not found: {missing:?}\n  found, not wanted: {found:#?}\n{}",
        case.at, case.rule, case.program
    ))
}

#[test]
fn every_sentence_of_the_description_holds() {
    let cases = cases();
    let wrong: Vec<String> = cases.iter().filter_map(wrong).collect();
    assert!(cases.len() >= 600, "only {} cases", cases.len());
    assert!(wrong.is_empty(), "{} of {} cases differ\n\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}
