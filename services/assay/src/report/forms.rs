//! Findings with a place in a file, in the forms that CI servers read: SARIF, JUnit, GitHub's workflow commands.

use std::fmt::Write as _;

use assay_domain::Failure;
use clap::ValueEnum;
use quick_junit::{NonSuccessKind, Report as Document, TestCase, TestCaseStatus, TestSuite};

/// Forms of findings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Form {
    /// For a person
    Text,
    /// One object
    Json,
    /// SARIF 2.1.0, for code scanners
    Sarif,
    /// JUnit, for CI servers
    Junit,
    /// Workflow commands that GitHub shows beside the lines of a pull request
    Github,
}

/// How serious a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// Something is wrong.
    Error,
    /// A person should look.
    Warning,
}

/// A finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Located {
    /// What found it: the id of a rule or the name of a check.
    pub rule: String,
    /// How serious it is.
    pub level: Level,
    /// What is wrong, in a sentence.
    pub message: String,
    /// The file.
    pub path: String,
    /// First line, from 1.
    pub first_line: u32,
    /// Last line.
    pub last_line: u32,
}

/// Workflow commands, a line a finding.
#[must_use]
pub fn github(found: &[Located]) -> String {
    let mut out = String::new();
    for one in found {
        let command = match one.level {
            Level::Error => "error",
            Level::Warning => "warning",
        };
        let _ = writeln!(
            out,
            "::{command} file={},line={},endLine={},title={}::{}",
            property(&one.path),
            one.first_line,
            one.last_line,
            property(&one.rule),
            data(&one.message)
        );
    }
    out
}

/// The text of a command, escaped as its runner reads it.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// A property of a command, in which two more marks have a meaning.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

/// One suite with a test for each case, failed by the findings of its name.
///
/// # Errors
/// `INTERNAL` if it cannot be written.
pub fn junit<'a>(
    suite: &str,
    cases: impl IntoIterator<Item = (&'a str, Vec<&'a Located>)>,
) -> Result<String, Failure> {
    let mut tests = TestSuite::new(suite);
    for (name, found) in cases {
        let status = match found.as_slice() {
            [] => TestCaseStatus::success(),
            [first, ..] => {
                let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
                let lines = found
                    .iter()
                    .map(|one| format!("{}:{}: {}: {}", one.path, one.first_line, one.rule, one.message));
                status.set_message(first.message.clone());
                status.set_type(first.rule.clone());
                status.set_description(lines.collect::<Vec<_>>().join("\n"));
                status
            }
        };
        tests.add_test_case(TestCase::new(name, status));
    }
    let mut document = Document::new("assay");
    document.add_test_suite(tests);
    document.to_string().map_err(|error| Failure::internal(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_a_meaning_in_a_command_is_escaped() {
        let one = Located {
            rule: "a:b".into(),
            level: Level::Error,
            message: "100 %\n::error::no".into(),
            path: "a,b.md".into(),
            first_line: 3,
            last_line: 4,
        };
        let told = github(&[one.clone(), Located { level: Level::Warning, ..one }]);
        let lines: Vec<&str> = told.lines().collect();
        assert_eq!(lines[0], "::error file=a%2Cb.md,line=3,endLine=4,title=a%3Ab::100 %25%0A::error::no");
        assert!(lines.len() == 2 && lines[1].starts_with("::warning "), "{told}");
    }
}
